//! Collections as other programs fill them, without anything that was made for homefs.

use homefs_core::{Path, Source};
use homefs_remote::ChromaSettings;
use serde_json::{Value, json};

use super::collection::Collection;
use super::conformance::{path, walk};

/// A record: id, text and metadata.
type Record = (String, Value, Value);

fn record(id: &str, text: &str, metadata: Value) -> Record {
    (id.to_owned(), text.into(), metadata)
}

/// Stores records, and checks which pages they make.
fn check(records: &[Record], expected: &[(&str, &str)]) {
    let Some(collection) = Collection::create() else { return };
    collection.store(records);
    let cache = tempfile::tempdir().expect("there is room");
    let source = collection.open(&ChromaSettings::default(), cache.path()).expect("it is there");
    let found = walk(&*source, &Path::root());
    let found: Vec<_> = found.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    assert_eq!(found, expected);
}

#[test]
fn what_langchain_stores_is_read_in_its_order() {
    // Ids are drawn, and chunks are added in order or with the character at which each begins.
    check(
        &[
            record("9f", "first part", json!({ "source": "docs/a.txt" })),
            record("1a", "second part", json!({ "source": "docs/a.txt" })),
            record("5c", "third part", json!({ "source": "docs/a.txt" })),
            record("77", "lo world", json!({ "source": "docs/b.txt", "start_index": 3 })),
            record("08", "hello wor", json!({ "source": "docs/b.txt", "start_index": 0 })),
            record("33", "page one", json!({ "source": "paper.pdf", "page": 0 })),
            record("32", "page two", json!({ "source": "paper.pdf", "page": 1 })),
        ],
        &[
            ("/docs/a.txt", "first part\nsecond part\nthird part"),
            ("/docs/b.txt", "hello world"),
            ("/paper.pdf", "page one\npage two"),
        ],
    );
}

#[test]
fn what_llamaindex_stores_is_read_in_its_order() {
    let node = |id: &str, start: usize, text: &str| {
        let node =
            json!({ "id_": id, "start_char_idx": start, "end_char_idx": start + text.len() });
        let metadata = json!({ "file_path": "/data/notes.md", "file_name": "notes.md",
            "_node_type": "TextNode", "_node_content": node.to_string(), "doc_id": "d" });
        record(id, text, metadata)
    };
    check(
        &[node("b", 8, "# Two\n"), node("a", 0, "# One\nx\n")],
        &[("/data/notes.md", "# One\nx\n# Two\n")],
    );
}

#[test]
fn a_match_in_what_two_chunks_share_or_part_is_found() {
    let Some(collection) = Collection::create() else { return };
    let start = |id: &str, start: usize, text: &str| {
        record(id, text, json!({ "source": "a.txt", "start_index": start }))
    };
    collection.store(&[
        start("1", 0, "the client_secret"),
        start("2", 11, "secret_value is"),
        start("3", 24, "is here"),
        record("4", "nothing of the kind", json!({ "source": "b.txt" })),
    ]);
    let cache = tempfile::tempdir().expect("there is room");
    let source = collection.open(&ChromaSettings::default(), cache.path()).expect("it is there");
    let content = source.read(&path("/a.txt"), 0, 100).unwrap();
    assert_eq!(content, "the client_secret_value is here");
    for pattern in ["client_secret_value", "t_value is here", "secret_value"] {
        let found = source.candidates(pattern).unwrap().unwrap();
        assert_eq!(found, [path("/a.txt")], "{pattern}");
    }
}

#[test]
fn a_match_that_overlapping_chunks_part_is_found_whatever_joins_others() {
    let Some(collection) = Collection::create() else { return };
    let part = |id: &str, page: &str, key: &str, at: usize, text: &str| {
        record(id, text, json!({ "source": page, key: at }))
    };
    let overlapping = [
        part("1", "a.txt", "start_index", 0, "hello wor"),
        part("2", "a.txt", "start_index", 3, "lo world"),
    ];
    let numbered = [
        part("3", "b.txt", "chunk_index", 0, "hello wo"),
        part("4", "b.txt", "chunk_index", 1, "rld"),
    ];
    collection.store(&[overlapping, numbered].concat());
    for separator in ["", "\n", "\n\n", " "] {
        let settings = ChromaSettings { separator: separator.into(), ..ChromaSettings::default() };
        let cache = tempfile::tempdir().expect("there is room");
        let source = collection.open(&settings, cache.path()).expect("it is there");
        assert_eq!(source.read(&path("/a.txt"), 0, 100).unwrap(), "hello world");
        let found = source.candidates("hello world").unwrap();
        assert!(found.is_none_or(|found| found.contains(&path("/a.txt"))), "{separator:?}");
    }
    // Where all are numbered, a match lies in one chunk, and no others are read.
    collection.delete(&json!({ "ids": ["1", "2"] }));
    let settings = ChromaSettings { separator: "\n".into(), ..ChromaSettings::default() };
    let cache = tempfile::tempdir().expect("there is room");
    let source = collection.open(&settings, cache.path()).expect("it is there");
    assert_eq!(source.candidates("hello world").unwrap(), Some(Vec::new()));
    assert_eq!(source.candidates("hello wo").unwrap(), Some(vec![path("/b.txt")]));
}

#[test]
fn a_collection_may_lose_all_of_its_pages() {
    let Some(collection) = Collection::create() else { return };
    collection.store(&[
        record("1", "one", json!({ "source": "a.txt", "number": 1 })),
        record("2", "two", json!({ "source": "a.txt", "number": 2 })),
        record("3", "of nothing", json!({ "title": "x" })),
        record("4", "of nothing", json!({ "title": "y" })),
    ]);
    let cache = tempfile::tempdir().expect("there is room");
    let settings = ChromaSettings { index_key: "number".into(), ..ChromaSettings::default() };
    let source = collection.open(&settings, cache.path()).expect("it has a page");
    assert_eq!(source.read(&path("/a.txt"), 0, 100).unwrap(), "onetwo");
    collection.delete(&json!({ "ids": ["1", "2"] }));
    assert!(source.refresh().expect("its keys were seen once"));
    assert!(walk(&*source, &Path::root()).is_empty());
    assert!(!source.revalidate(std::time::Duration::ZERO).expect("as before"));
    // Whoever attaches it then is told that no record is of a page.
    let other = tempfile::tempdir().expect("there is room");
    assert!(collection.open(&settings, other.path()).is_err());
}

#[test]
fn keys_that_no_record_has_are_told_with_those_that_there_are() {
    let Some(collection) = Collection::create() else { return };
    collection.store(&[
        record("1", "one", json!({ "title": "a", "url": "https://a.org/x", "year": 2026 })),
        record("2", "two", json!({ "url": "https://a.org/x", "part": 1 })),
    ]);
    let cache = tempfile::tempdir().expect("there is room");
    let open = |settings: &ChromaSettings| collection.open(settings, cache.path());
    let said = open(&ChromaSettings::default()).err().expect("no page has a name").to_string();
    assert!(said.contains("no record of the collection has path, page_slug, source"), "{said}");
    assert!(said.contains("they have url, title; name one by --set page-keys=NAME"), "{said}");
    let by_url = |index_key: &str| ChromaSettings {
        page_keys: vec!["url".into()],
        index_key: index_key.into(),
        ..ChromaSettings::default()
    };
    let said = open(&by_url("number")).err().expect("no part has a number").to_string();
    assert!(said.contains("no record of the collection has number"), "{said}");
    assert!(said.contains("part") && said.contains("--set index-key=NAME"), "{said}");
    let source = open(&by_url("chunk_index")).expect("its pages have names");
    assert_eq!(source.read(&path("/a.org/x"), 0, 100).unwrap(), "one\ntwo");
}
