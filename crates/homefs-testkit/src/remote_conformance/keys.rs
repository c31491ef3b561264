//! What keys promise: any text that is a key works, and listings are in its order.

use homefs_core::{
    Condition, Error, ErrorKind, REMOTE_KEY_BYTES_MAX, REMOTE_PAGE_OBJECTS_MAX, Remote,
    RemoteAnswer, Result,
};

use super::{Case, cases, content, delete, expect_error, get, keys, page, put, run, stored};

pub(super) const CASES: &[Case] = cases![
    strange_keys_are_kept_as_given,
    bad_keys_are_invalid_and_harm_nothing,
    a_long_key_works_and_one_too_long_is_refused,
    a_listing_is_in_the_order_of_bytes,
    a_prefix_is_text,
    a_listing_goes_on_after_any_text,
    an_empty_listing_has_no_more,
    pages_have_every_key_once,
    exactly_one_page_has_no_more,
];

/// Keys that a client or a server may spell differently on the way, in the order of their bytes.
const STRANGE: &[&str] = &[
    " leading blank",
    "!'()",
    "#hash?query=1&more",
    "%",
    "%20",
    "%2F",
    "%zz",
    "+",
    "-",
    "...",
    ".homefs/HEAD",
    "01/02 03/04.md",
    "A",
    "a b",
    "a%2fb",
    "a+b",
    "a:b;c,d",
    "a<b>&amp;\"quoted\"",
    "a=b",
    "a@$",
    "a\\b",
    "a_",
    "a{b}|^`",
    "a~",
    "e\u{301}",
    "trailing blank ",
    "\u{e9}",
    "\u{65e5}\u{672c}\u{8a9e}/\u{1f4d3}.md",
];

fn strange_keys_are_kept_as_given(remote: &dyn Remote) {
    for key in STRANGE {
        stored(remote, key, *key);
    }
    for key in STRANGE {
        assert_eq!(content(remote, key), *key);
        assert!(keys(remote, key, None).contains(&(*key).to_owned()), "{key} as a prefix");
        let after = keys(remote, "", Some(key));
        assert!(after.iter().all(|found| found.as_str() > *key), "{key}: {after:?}");
    }
    assert_eq!(keys(remote, "", None), STRANGE);
    for (gone, key) in STRANGE.iter().enumerate() {
        assert_eq!(run(remote, delete(key)).ok(), Some(RemoteAnswer::Deleted), "{key}");
        assert_eq!(keys(remote, "", None), &STRANGE[gone + 1..]);
    }
}

fn bad_keys_are_invalid_and_harm_nothing(remote: &dyn Remote) {
    for key in ["", "/", "/a", "a/", "a//b", ".", "..", "a/../b", "a/./b", "a\nb", "a\0b"] {
        let answers = remote.run(vec![
            put("good", "x", Condition::Any),
            put(key, "x", Condition::Any),
            get(key),
            delete(key),
            delete("good"),
        ]);
        let kind = |answer: &Result<_>| answer.as_ref().err().map(Error::kind);
        let kinds: Vec<_> = answers.iter().map(kind).collect();
        let invalid = Some(ErrorKind::Invalid);
        assert_eq!(kinds, [None, invalid, invalid, invalid, None], "{key:?}");
    }
    assert!(run(remote, delete("good")).is_ok());
    assert_eq!(keys(remote, "", None), Vec::<String>::new());
}

fn a_long_key_works_and_one_too_long_is_refused(remote: &dyn Remote) {
    // Parts that a directory can hold, and room for the prefix of the remote.
    let long = vec!["k".repeat(200); 4].join("/");
    stored(remote, &long, "x");
    assert_eq!(keys(remote, "", None), [long]);
    let too_long = vec!["k".repeat(200); REMOTE_KEY_BYTES_MAX / 200 + 1].join("/");
    let refused = run(remote, put(&too_long, "x", Condition::Any));
    expect_error(refused, ErrorKind::LimitExceeded);
}

/// Keys in the order of their bytes. By folders, `a/` would come before `a-` or `a.`, and a
/// language's own order would mix the cases.
const ORDERED: &[&str] =
    &["B", "a-b", "a.md", "a/b", "a/c/d", "a/c/e", "a0", "aa", "b/a", "\u{e4}", "\u{10000}"];

/// Stores keys in an order that is not theirs.
fn store_backwards(remote: &dyn Remote, keys: &[&str]) {
    for key in keys.iter().rev() {
        stored(remote, key, "x");
    }
}

fn a_listing_is_in_the_order_of_bytes(remote: &dyn Remote) {
    store_backwards(remote, ORDERED);
    assert_eq!(keys(remote, "", None), ORDERED);
}

fn a_prefix_is_text(remote: &dyn Remote) {
    store_backwards(remote, &["a/b.md", "a/b/c", "a/b/d/e", "a/bc", "a/c", "ab/c"]);
    let expected: &[(&str, &[&str])] = &[
        ("a/b", &["a/b.md", "a/b/c", "a/b/d/e", "a/bc"]),
        ("a/b/", &["a/b/c", "a/b/d/e"]),
        ("a/b/d/e", &["a/b/d/e"]),
        ("a/b/d/e/", &[]),
        ("a", &["a/b.md", "a/b/c", "a/b/d/e", "a/bc", "a/c", "ab/c"]),
        ("c", &[]),
    ];
    for (prefix, found) in expected {
        assert_eq!(keys(remote, prefix, None), *found, "{prefix}");
    }
}

fn a_listing_goes_on_after_any_text(remote: &dyn Remote) {
    store_backwards(remote, ORDERED);
    for after in ORDERED.iter().copied().chain(["", "a", "a/", "a/c", "a/c/d0", "a/zz", "zz"]) {
        let rest: Vec<_> = ORDERED.iter().copied().filter(|key| *key > after).collect();
        assert_eq!(keys(remote, "", Some(after)), rest, "after {after:?}");
        let below: Vec<_> = rest.into_iter().filter(|key| key.starts_with("a/")).collect();
        assert_eq!(keys(remote, "a/", Some(after)), below, "below a/, after {after:?}");
    }
}

fn an_empty_listing_has_no_more(remote: &dyn Remote) {
    assert_eq!(page(remote, "", None), (Vec::new(), false));
    stored(remote, "a", "x");
    assert_eq!(page(remote, "b", None), (Vec::new(), false));
    assert_eq!(page(remote, "", Some("a")), (Vec::new(), false));
}

/// Stores so many objects below `many/`, and one before and one behind.
fn store_many(remote: &dyn Remote, count: usize) -> Vec<String> {
    let keys: Vec<String> = (0..count).map(|number| format!("many/{number:05}")).collect();
    let others = ["many-before".to_owned(), "many0-behind".to_owned()];
    let all = keys.iter().chain(&others);
    let puts: Vec<_> = all.map(|key| put(key, "x", Condition::Absent)).collect();
    assert!(remote.run(puts).iter().all(Result::is_ok));
    keys
}

/// Lists page by page.
fn all_pages(remote: &dyn Remote, prefix: &str) -> Vec<Vec<String>> {
    let mut pages: Vec<Vec<String>> = Vec::new();
    loop {
        let after = pages.last().and_then(|page| page.last().cloned());
        let (objects, more) = page(remote, prefix, after.as_deref());
        assert!(objects.len() <= REMOTE_PAGE_OBJECTS_MAX, "{} in one page", objects.len());
        assert!(!more || !objects.is_empty(), "an empty page cannot be gone on from");
        pages.push(objects.into_iter().map(|object| object.key).collect());
        if !more {
            return pages;
        }
    }
}

fn pages_have_every_key_once(remote: &dyn Remote) {
    let keys = store_many(remote, 2_500);
    assert_eq!(all_pages(remote, "many/").concat(), keys);
    assert_eq!(all_pages(remote, "").concat().len(), keys.len() + 2);
}

fn exactly_one_page_has_no_more(remote: &dyn Remote) {
    let keys = store_many(remote, REMOTE_PAGE_OBJECTS_MAX);
    let (objects, more) = page(remote, "many/", None);
    // A backend may have smaller pages, but says "more" only if there is more.
    assert_eq!(more, objects.len() < keys.len());
}
