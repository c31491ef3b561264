//! Tests of readable copies.

use proptest::prelude::*;

use super::super::format::tests::golden::golden;
use super::*;

fn frontmatter() -> Frontmatter {
    Frontmatter {
        agent: AgentId::new("akashi").unwrap(),
        commit: CommitId { seq: 12, digest: Digest::of(b"commit") },
        created: Timestamp(1_769_860_800_000_000_000),
        importance: Some(0.8),
        modified: Timestamp(1_769_860_801_500_000_000),
        // As older copies have it.
        path: None,
        tags: vec!["nvda".into(), "risk".into()],
        version: Version(3),
    }
}

/// Checks that a text comes back from its copy, and returns the copy.
fn check(content: &[u8]) -> Bytes {
    let copy = project(content, &frontmatter()).unwrap();
    let back = unproject(&copy);
    assert_eq!(back.content, content, "{:?}", content.escape_ascii().to_string());
    assert!(!back.is_edited());
    assert_eq!(back.written.unwrap().frontmatter, frontmatter());
    copy
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn copies_of_format_1_are_written_the_same() {
    for (name, content) in [
        ("plain.md", "# Notes\n\nBuy NVDA.\n"),
        ("own-frontmatter.md", "---\ntitle: Notes # mine\n---\nBuy NVDA."),
        ("mark-and-crlf.md", "\u{feff}---\r\ntitle: Notes\r\n---\r\nBuy NVDA.\r\n"),
    ] {
        let copy = check(content.as_bytes());
        assert_eq!(text(&golden(name, &copy)), text(&copy), "{name}");
    }
}

#[test]
fn awkward_texts_come_back() {
    let block = block(&frontmatter(), Digest::of(b""), "\n");
    let long = format!("---\n{block}title: x\n---\n{block}");
    for content in [
        "",
        "\n",
        "\r\n",
        "\r",
        "no line end",
        "\u{feff}",
        "\u{feff}\u{feff}---\nx\n---\n",
        "---",
        "---\n",
        "---\n---",
        "---\n---\n",
        "---\n\n---\n",
        "---\nno end",
        "---\r\ntitle: x\r\n---\r\n",
        "---\r\ntitle: x\n---\r\nmixed\n",
        "---\n  indented: x\n---\n",
        "---\n  version: 1\n---\n",
        "---\n- not a map\n---\n",
        "---\n{ [ invalid\n---\nx",
        "--- \ntitle: x\n---\n",
        "---\ntitle: x\n--- \nbody",
        "---\ntitle: x\n...\nbody",
        "---\n...\nbody\n---\n",
        "---\n--- \nbody\n---\n",
        "---\n...\n---\n",
        "---\nhomefs:\n---\n",
        "---\nhomefs:\n  version: 9\n---\nx",
        "---\ntitle: x\nhomefs: y\n---\n",
        "homefs:\n  version: 9\n",
        &block,
        &format!("---\n{block}---\n"),
        &format!("---\n{block}...\n"),
        &format!("--- \n{block}---\n"),
        &format!("---\n{block}---\nbody\n"),
        &format!("---\n{block}{block}---\n"),
        &long,
    ] {
        let copy = check(content.as_bytes());
        // A copy is a text too.
        check(&check(&copy));
    }
}

#[test]
fn what_is_not_text_has_no_copy() {
    for content in [&b"\xff\xfe"[..], b"a\0b", b"\x89PNG\r\n\x1a\n"] {
        assert_eq!(project(content, &frontmatter()), None);
    }
}

#[test]
fn awkward_values_come_back() {
    let values = Frontmatter {
        agent: AgentId::new("1e5").unwrap(),
        commit: CommitId { seq: 999_999_999_999, digest: Digest([0; 32]) },
        created: Timestamp(i64::MIN),
        importance: None,
        modified: Timestamp(i64::MAX),
        path: Some(Path::parse("/a: \"b\"/# 'c'.md").unwrap()),
        tags: ["\"", "a]b", "é", "- x", "'", "\n---\n", "\r", "a, b", "null"]
            .map(Into::into)
            .into(),
        version: Version(u64::MAX),
    };
    let back = unproject(&project(b"text", &values).unwrap());
    assert_eq!(back.written.unwrap().frontmatter, values);
    assert_eq!(back.content, &b"text"[..]);
}

#[test]
fn an_edit_from_outside_is_seen_and_taken() {
    for (content, from, to, expected) in [
        ("body\n", "body", "new body", "new body\n"),
        // Own keys appear, change and go.
        ("body\n", "  version: 3\n", "  version: 3\ntitle: x\n", "---\ntitle: x\n---\nbody\n"),
        ("---\na: 1\n---\nbody\n", "a: 1", "a: 2\nb: 3", "---\na: 2\nb: 3\n---\nbody\n"),
        ("---\na: 1\n---\nbody\n", "a: 1\n", "", "body\n"),
    ] {
        let copy = check(content.as_bytes());
        let edited = text(&copy).replace(from, to);
        let back = unproject(edited.as_bytes());
        assert_eq!(text(&back.content), expected);
        assert!(back.is_edited(), "{to}");
        assert_eq!(back.written.unwrap().checksum, Digest::of(content.as_bytes()));
    }
    let copy = check(b"caf\xc3\xa9\n");
    let latin: Vec<u8> = copy.iter().copied().filter(|byte| *byte != 0xc3).collect();
    assert_eq!(unproject(&latin).content, &b"caf\xa9\n"[..]);
    // Who only trims the end of an empty text changes nothing.
    let copy = check(b"");
    assert!(!unproject(copy.trim_ascii_end()).is_edited());
}

/// Tools that rewrite frontmatter quote, sort and indent as they like.
#[test]
fn a_block_that_a_tool_wrote_again_is_read() {
    let copy = check(b"---\ntitle: x\n---\nbody\n");
    let checksum = Digest::of(b"---\ntitle: x\n---\nbody\n");
    let commit = frontmatter().commit;
    let again = format!(
        "---\ntitle: x\nhomefs:\n  agent: akashi\n  checksum: {checksum}\n  commit: '{commit}'\n  \
         created: 2026-01-31 12:00:00+00:00\n  importance: 0.80\n  later: [x]\n  \
         modified: 2026-01-31T12:00:01.5Z\n  tags:\n  - nvda\n    - 'risk'\n  \
         version: 3\n---\nbody\n"
    );
    assert_eq!(unproject(again.as_bytes()), unproject(&copy));
    let again = again.replace("  tags:\n  - nvda\n    - 'risk'\n", "  tags: [nvda, \"risk\"]\n");
    assert_eq!(unproject(again.as_bytes()), unproject(&copy));
    let copy = check(b"body");
    let again = text(&copy).replacen("---\n", "--- \n", 1);
    assert_eq!(unproject(again.as_bytes()), unproject(&copy));
}

#[test]
fn what_homefs_did_not_write_is_left_whole() {
    let copy = check(b"body");
    let foreign = |from: &str, to: &str| {
        assert!(text(&copy).contains(from));
        let object = text(&copy).replacen(from, to, 1);
        let back = unproject(object.as_bytes());
        assert_eq!((text(&back.content), back.is_edited()), (object.as_str(), true), "{to}");
        assert_eq!(back.written, None);
    };
    foreign("---\n", "");
    foreign("homefs:", "other:");
    foreign("homefs:", "homefs: 1");
    foreign("  version: 3\n", "");
    foreign("  version: 3", "  version: three");
    foreign("  agent: \"akashi\"\n", "");
    foreign("  agent: ", "agent: ");
    foreign("  checksum: \"", "  checksum: \"0");
    foreign("  commit: \"0", "  commit: \"");
    foreign("  created: 2", "  created: x");
    foreign("  modified:", "\n  modified:");
}

proptest! {
    #[test]
    fn any_text_comes_back(content in any::<String>()) {
        prop_assume!(!content.contains('\0'));
        check(content.as_bytes());
    }

    #[test]
    fn any_text_of_awkward_parts_comes_back(parts in proptest::collection::vec(0..AWKWARD.len(), 0..9)) {
        let content: String = parts.into_iter().map(|part| AWKWARD[part]).collect();
        check(content.as_bytes());
        // A copy of a copy, too.
        check(&check(content.as_bytes()));
    }

    #[test]
    fn any_bytes_are_taken_apart(bytes in any::<Vec<u8>>()) {
        let back = unproject(&bytes);
        prop_assert_eq!(&back.content, &bytes);
        match project(&bytes, &frontmatter()) {
            Some(copy) => prop_assert_eq!(unproject(&copy).content, bytes),
            None => prop_assert!(std::str::from_utf8(&bytes).is_err() || bytes.contains(&0)),
        }
    }

    #[test]
    fn any_edit_of_the_body_is_taken(content in "[a-z\n-]{0,20}", body in any::<Vec<u8>>()) {
        let copy = project(content.as_bytes(), &frontmatter()).unwrap();
        let edited = [&copy[..], &body].concat();
        let back = unproject(&edited);
        prop_assert_eq!(back.is_edited(), !body.is_empty());
        prop_assert_eq!(back.content, [content.as_bytes(), &body].concat());
    }
}

/// Parts that could be mistaken for what homefs writes.
const AWKWARD: [&str; 14] = [
    "---\n",
    "---\r\n",
    "---",
    "\n",
    "\r\n",
    "\u{feff}",
    "homefs:\n",
    "homefs:\r\n",
    "  agent: a\n",
    "  version: 1\n",
    "  - x\n",
    "title: x\n",
    "x",
    " ",
];
