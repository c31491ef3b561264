//! Contents: JSON, frontmatter, and what cannot be merged.

use homefs_core::Digest;
use proptest::prelude::*;

use super::config;
use crate::merge::{MergedContent, merge_content};

fn one(name: &str, base: &str, head: &str, pushed: &str) -> (String, bool) {
    match merge_content(name, Some(base.as_bytes()), head.as_bytes(), pushed.as_bytes()) {
        MergedContent::One { bytes, noted } => (String::from_utf8(bytes).unwrap(), noted),
        MergedContent::Beside { name } => panic!("beside as {name}"),
    }
}

#[test]
fn json_is_merged_by_key() {
    for (base, head, pushed, expected, noted) in [
        // Order, blanks and numbers of what nobody changed stay.
        (
            "{\n  \"b\": 1.50,\n  \"a\": [1, 2]\n}\n",
            "{\n  \"b\": 2,\n  \"a\": [1, 2]\n}\n",
            "{\n  \"b\": 1.50,\n  \"a\": [1, 2],\n  \"c\": {\"x\": null}\n}\n",
            "{\n  \"b\": 2,\n  \"a\": [1, 2],\n  \"c\": {\"x\": null}\n}\n",
            false,
        ),
        (r#"{"a":1}"#, r#"{"a":1,"h":1}"#, r#"{"a":1,"p":1}"#, r#"{"a":1,"h":1,"p":1}"#, false),
        ("{}", r#"{"h":1}"#, r#"{"p":1}"#, r#"{"h":1,"p":1}"#, false),
        (
            r#"{"a":{"x":1,"y":1}}"#,
            r#"{"a":{"x":2,"y":1}}"#,
            r#"{"a":{"x":1,"y":2}}"#,
            r#"{"a":{"x":2,"y":2}}"#,
            false,
        ),
        // The same key: HEAD's value, and a note.
        (r#"{"a":1,"b":1}"#, r#"{"a":2,"b":1}"#, r#"{"a":3,"b":3}"#, r#"{"a":2,"b":3}"#, true),
        // Removed, unless the other side changed it.
        (r#"{"a":1,"b":1}"#, r#"{"b":1}"#, r#"{"a":1,"b":2}"#, r#"{"b":2}"#, false),
        (r#"{"a":1,"b":1}"#, r#"{"b":1}"#, r#"{"a":2,"b":1}"#, r#"{"a":2,"b":1}"#, true),
        // Lists: both may add; one item by one side.
        ("[1]", "[1, 2]", "[1, 3]", "[1, 2, 3]", false),
        ("[1, 2]", "[5, 2]", "[1, 6]", "[5, 6]", false),
        (
            r#"[{"a":1,"b":1}]"#,
            r#"[{"a":2,"b":1}]"#,
            r#"[{"a":1,"b":2}]"#,
            r#"[{"a":2,"b":2}]"#,
            false,
        ),
        ("[1, 2]", "[3]", "[4, 5, 6]", "[3]", true),
        ("1", "2", "3", "2", true),
    ] {
        let merged = one("x.json", base, head, pushed);
        assert_eq!(merged, (expected.to_owned(), noted), "{base} {head} {pushed}");
        assert_eq!(one("x.json", base, expected, pushed).0, expected, "{base} {head} {pushed}");
    }
    // What is no JSON, or has a key twice, is text.
    assert_eq!(one("x.json", "{\na\nb\nc\n", "{\nA\nb\nc\n", "{\na\nb\nC\n").0, "{\nA\nb\nC\n");
    let twice = one(
        "x.json",
        "{\"a\":1,\n\"a\":1,\n\"b\":1}",
        "{\"a\":1,\n\"a\":2,\n\"b\":1}",
        "{\"a\":1,\n\"a\":1,\n\"b\":2}",
    );
    assert_eq!(twice.0, "{\"a\":1,\n\"a\":2,\n\"b\":2}");
}

#[test]
fn deeply_nested_json_is_text() {
    let deep = |inner: &str| format!("{}{inner}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(one("x.json", &deep("1"), &deep("2"), &deep("3")).1);
}

#[test]
fn frontmatter_is_merged_by_key() {
    let page = |front: &str, body: &str| format!("---\n{front}---\n{body}");
    for (base, head, pushed, expected, noted) in [
        ("a: 1\nb: 1\n", "a: 2\nb: 1\n", "a: 1\nb: 2\n", "a: 2\nb: 2\n", false),
        ("a: 1\n", "a: 1\nh: 1\n", "a: 1\np: 1\n", "a: 1\nh: 1\np: 1\n", false),
        ("a: 1\n", "a: 2\n", "a: 3\n", "a: 2\n", true),
        ("a: 1\nb: 1\n", "b: 1\n", "a: 1\nb: 2\n", "b: 2\n", false),
        ("tags: [a, b]\n", "tags: [a, b, h]\n", "tags: [b, p]\n", "tags: [b, h, p]\n", false),
        (
            "tags:\n  - a\n",
            "tags:\n  - a\n  - h\n",
            "tags:\n  - a\n  - p\n",
            "tags:\n  - a\n  - h\n  - p\n",
            false,
        ),
        (
            "# note\na: 1 # one\nb: >\n  x\n  y\n",
            "# note\na: 1 # one\nb: >\n  x\n  z\n",
            "# note\na: 2\nb: >\n  x\n  y\n",
            "# note\na: 2\nb: >\n  x\n  z\n",
            false,
        ),
    ] {
        let [base, head, pushed, expected] = [
            (base, "x\ny\nz\n"),
            (head, "X\ny\nz\n"),
            (pushed, "x\ny\nZ\n"),
            (expected, "X\ny\nZ\n"),
        ]
        .map(|(front, body)| page(front, body));
        let merged = one("n.md", &base, &head, &pushed);
        assert_eq!(merged, (expected.clone(), noted));
        assert_eq!(one("n.md", &base, &expected, &pushed).0, expected);
    }
    // One side made it, or took it away.
    assert_eq!(one("n.md", "x\n", "---\na: 1\n---\nx\n", "y\n").0, "---\na: 1\n---\ny\n");
    assert_eq!(one("n.md", "---\na: 1\n---\nx\n", "x\n", "---\na: 1\n---\ny\n").0, "y\n");
    // Line ends stay.
    let crlf = one(
        "n.md",
        "---\r\na: 1\r\n---\r\nx\r\n",
        "---\r\na: 2\r\n---\r\nx\r\n",
        "---\r\na: 1\r\n---\r\nx\r\ny",
    );
    assert_eq!(crlf.0, "---\r\na: 2\r\n---\r\nx\r\ny");
}

#[test]
fn what_is_no_text_goes_beside() {
    let beside = |name: &str, base: Option<&[u8]>| match merge_content(name, base, b"h\0", b"p\0") {
        MergedContent::Beside { name } => name,
        one @ MergedContent::One { .. } => panic!("{one:?}"),
    };
    let mark = format!("conflict-{}", &Digest::of(b"p\0").to_string()[..8]);
    assert_eq!(beside("a.bin", Some(b"b\0")), format!("a.{mark}.bin"));
    assert_eq!(beside("a.tar.gz", None), format!("a.tar.{mark}.gz"));
    assert_eq!(beside(".profile", None), format!(".profile.{mark}"));
    let long = beside(&"é".repeat(127), None);
    assert!(long.len() <= 255 && long.ends_with(&mark), "{long}");
    for data in ["a.rs", "a.json", "a.csv", "a"] {
        assert!(matches!(merge_content(data, None, b"h", b"p"), MergedContent::Beside { .. }));
    }
    let same = merge_content("a.md", None, b"h", b"h");
    assert_eq!(same, MergedContent::One { bytes: b"h".to_vec(), noted: false });
    // One side only: whatever it is.
    let one = merge_content("a.bin", Some(b"\xff"), b"\xff", b"\xfe");
    assert_eq!(one, MergedContent::One { bytes: b"\xfe".to_vec(), noted: false });
}

#[test]
fn texts_that_began_apart_become_one() {
    for (head, pushed, expected, noted) in [
        ("h\n", "p\n", "h\np\n", false),
        ("h", "p", "h\np", false),
        ("# Day\n\n- a\n- b\n", "# Day\n\n- c\n- b\n", "# Day\n\n- a\n- c\n- b\n", false),
        ("", "p\n", "p\n", false),
        (
            "---\nby: a\ntags: [x]\n---\none\n",
            "---\nby: a\ntags: [y]\n---\ntwo\n",
            "---\nby: a\ntags: [x, y]\n---\none\ntwo\n",
            false,
        ),
        ("---\nby: a\n---\none\n", "---\nby: b\n---\none\n", "---\nby: a\n---\none\n", true),
    ] {
        let merge = |head: &str, pushed: &str| {
            merge_content("2026-11-16.md", None, head.as_bytes(), pushed.as_bytes())
        };
        let one = MergedContent::One { bytes: expected.into(), noted };
        assert_eq!(merge(head, pushed), one);
        // Whoever merges it again with either side gets the same.
        for side in [head, pushed] {
            let MergedContent::One { bytes, .. } = merge(expected, side) else { panic!("beside") };
            assert_eq!(String::from_utf8(bytes).unwrap(), expected);
        }
    }
}

#[test]
fn records_in_lines_stay_whole() {
    let merged = one("x.jsonl", "{\"a\": 1}\n", "{\"a\": 2}\n", "{\"a\": 3}\n");
    assert_eq!(merged, ("{\"a\": 2}\n{\"a\": 3}\n".to_owned(), true));
}

/// A JSON value of a few keys and little depth, printed in one of two ways.
fn json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        (0..4_i32).prop_map(Into::into),
        "[ab\"\\\\é]{0,3}".prop_map(Into::into),
    ];
    let value = leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Into::into),
            prop::collection::btree_map("[a-d]", inner, 0..4)
                .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
        ]
    });
    (value, any::<bool>()).prop_map(
        |(value, pretty)| {
            if pretty { format!("{value:#}\n") } else { value.to_string() }
        },
    )
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn merged_json_is_json(base in json(), head in json(), pushed in json()) {
        let merged = one("x.json", &base, &head, &pushed).0;
        prop_assert!(serde_json::from_str::<serde_json::Value>(&merged).is_ok(), "{}", merged);
        prop_assert_eq!(&one("x.json", &base, &head, &base).0, &head);
        prop_assert_eq!(&one("x.json", &base, &base, &pushed).0, &pushed);
    }

    #[test]
    fn any_page_merges(
        texts in prop::array::uniform3("(---\r?\n)?([ab#-]{0,2}:?( [ab,\\[\\]]{0,3})?\r?\n){0,5}(---\r?\n)?[ab\n]{0,4}"),
    ) {
        let [base, head, pushed] = &texts;
        prop_assert_eq!(&one("x.md", base, head, base).0, head);
        prop_assert_eq!(&one("x.md", base, base, pushed).0, pushed);
        one("x.md", base, head, pushed);
    }

    #[test]
    fn any_bytes_merge(
        name in "[a.é]{1,8}(\\.md|\\.json)?",
        texts in prop::array::uniform3(prop::collection::vec(any::<u8>(), 0..20)),
    ) {
        let [base, head, pushed] = texts.each_ref().map(Vec::as_slice);
        merge_content(&name, Some(base), head, pushed);
        merge_content(&name, None, head, pushed);
    }
}
