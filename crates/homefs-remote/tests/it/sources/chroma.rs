//! A collection of Chroma as files.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use homefs_core::{Clock, ErrorKind, Path, Source, SystemClock};
use homefs_remote::ChromaSettings;
use serde_json::json;

use super::collection::Collection;
use super::conformance::{check, files, path, walk};

/// Cuts a text into chunks of some characters.
fn cut(text: &str, characters: usize) -> Vec<String> {
    let all: Vec<char> = text.chars().collect();
    all.chunks(characters).map(|part| part.iter().collect()).collect()
}

fn store(collection: &Collection, key: &str) {
    for (file, content) in files() {
        let chunks = cut(&content, 300);
        collection.page(key, &file[1..], &chunks.iter().map(String::as_str).collect::<Vec<_>>());
    }
}

#[test]
fn a_collection_with_a_tree_keeps_the_promises() {
    let Some(collection) = Collection::create() else { return };
    store(&collection, "page_slug");
    let tree: serde_json::Map<_, _> = files()
        .keys()
        .map(|file| (file[1..].to_owned(), json!({ "isPublic": true, "groups": [] })))
        .collect();
    collection.tree(&json!(tree).to_string());
    let cache = tempfile::tempdir().unwrap();
    check(collection.open(&ChromaSettings::default(), cache.path()).unwrap());
}

#[test]
fn a_collection_without_a_tree_keeps_the_promises() {
    let Some(collection) = Collection::create() else { return };
    store(&collection, "source");
    let cache = tempfile::tempdir().unwrap();
    check(collection.open(&ChromaSettings::default(), cache.path()).unwrap());
    // Again, from what the first left.
    check(collection.open(&ChromaSettings::default(), cache.path()).unwrap());
}

#[test]
fn keys_and_names_are_a_setting() {
    let Some(collection) = Collection::create() else { return };
    let record = |id: &str, text: &str, number: i32| {
        (id.to_owned(), json!(text), json!({ "doc": "guides/start", "path": "no", "part": number }))
    };
    collection.store(&[record("x", "two", 2), record("y", "one", 1)]);
    let settings = ChromaSettings {
        page_keys: vec!["doc".to_owned()],
        index_key: "part".to_owned(),
        separator: "\n".to_owned(),
        suffix: ".mdx".to_owned(),
        ..ChromaSettings::default()
    };
    let cache = tempfile::tempdir().unwrap();
    let source = collection.open(&settings, cache.path()).unwrap();
    assert_eq!(walk(&*source, &Path::root())["/guides/start.mdx"], "one\ntwo");
    let other = collection.open(&ChromaSettings::default(), cache.path()).unwrap();
    assert!(other.stat(&path("/no")).is_ok(), "what is kept is of other settings");
}

#[test]
fn what_is_listed_and_read_once_needs_no_server() {
    let Some(collection) = Collection::create() else { return };
    collection.page("path", "a.md", &["first ", "second"]);
    collection.page("path", "b.md", &["other"]);
    let cache = tempfile::tempdir().unwrap();
    let settings = ChromaSettings::default();
    let source = collection.open(&settings, cache.path()).unwrap();
    assert_eq!(source.stat(&path("/a.md")).unwrap().size_bytes, None);
    assert_eq!(source.read(&path("/a.md"), 0, 100).unwrap(), "first second");
    assert_eq!(source.stat(&path("/a.md")).unwrap().size_bytes, Some(12));
    drop(source);
    collection.drop_whole();
    let source = collection.open(&settings, cache.path()).unwrap();
    assert_eq!(source.list_all_names(), ["a.md", "b.md"]);
    assert_eq!(source.stat(&path("/a.md")).unwrap().size_bytes, Some(12));
    assert_eq!(source.read(&path("/a.md"), 6, 100).unwrap(), "second");
    let error = source.read(&path("/b.md"), 0, 1).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
    assert!(error.message().contains("refresh"), "{error}");
    assert_eq!(source.refresh().unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
fn a_refresh_sees_what_has_changed() {
    let Some(collection) = Collection::create() else { return };
    collection.page("path", "a.md", &["old"]);
    let cache = tempfile::tempdir().unwrap();
    let source = collection.open(&ChromaSettings::default(), cache.path()).unwrap();
    assert_eq!(source.read(&path("/a.md"), 0, 9).unwrap(), "old");
    collection.page("path", "a.md", &["new"]);
    collection.page("path", "b.md", &["more"]);
    assert_eq!(source.read(&path("/a.md"), 0, 9).unwrap(), "old");
    let version = source.version();
    assert!(source.refresh().unwrap());
    assert_ne!(source.version(), version);
    assert_eq!(source.read(&path("/a.md"), 0, 9).unwrap(), "new");
    assert_eq!(source.list_all_names(), ["a.md", "b.md"]);
}

#[test]
fn what_is_noted_anew_is_seen_by_age() {
    let Some(collection) = Collection::create() else { return };
    let store = |text: &str, written: u32| {
        let metadata = json!({ "source": "a.md", "written": written });
        collection.store(&[("1".to_owned(), json!(text), metadata)]);
    };
    store("old", 1);
    let cache = tempfile::tempdir().unwrap();
    let source = collection.open(&ChromaSettings::default(), cache.path()).unwrap();
    assert_eq!(source.read(&path("/a.md"), 0, 9).unwrap(), "old");
    assert!(!source.revalidate(Duration::ZERO).unwrap());
    store("new", 2);
    assert!(!source.revalidate(Duration::from_mins(10)).unwrap());
    assert!(source.revalidate(Duration::ZERO).unwrap());
    assert_eq!(source.read(&path("/a.md"), 0, 9).unwrap(), "new");
}

#[test]
fn a_change_of_one_page_leaves_the_others_as_they_are_kept() {
    let Some(collection) = Collection::create() else { return };
    for (page, text) in [("a.md", "one"), ("b.md", "two"), ("c.md", "three")] {
        collection.page("path", page, &[text]);
    }
    let cache = tempfile::tempdir().unwrap();
    let source = collection.open(&ChromaSettings::default(), cache.path()).unwrap();
    let read = |page: &str| source.read(&path(page), 0, 9).map_err(|error| error.kind());
    for page in ["/a.md", "/b.md", "/c.md"] {
        read(page).unwrap();
    }
    let noted = json!({ "path": "b.md", "chunk_index": 0, "written": 2 });
    collection.store(&[("b.md#0".to_owned(), json!("other"), noted)]);
    collection.delete(&json!({ "ids": ["c.md#0"] }));
    collection.page("path", "d.md", &["four"]);
    assert!(source.revalidate(Duration::ZERO).unwrap());
    assert_eq!(source.list_all_names(), ["a.md", "b.md", "d.md"]);
    collection.drop_whole();
    assert_eq!(read("/a.md").unwrap(), "one");
    assert_eq!(read("/b.md").unwrap_err(), ErrorKind::Unavailable, "it is another one by now");
    assert_eq!(read("/c.md").unwrap_err(), ErrorKind::NotFound);
    assert_eq!(read("/d.md").unwrap_err(), ErrorKind::Unavailable, "nobody has read it");
    source.revalidate(Duration::ZERO).unwrap_err();
    assert!(source.trouble().unwrap().message().contains("no such collection"));
}

/// Waits until what is kept is older than this: no event tells of it.
fn grow_older(age: Duration) {
    let begun = SystemClock.steady();
    while SystemClock.steady().since(begun) <= age {
        std::thread::park_timeout(age);
    }
}

#[test]
fn a_page_that_is_old_is_fetched_again_and_stays_while_nobody_answers() {
    let Some(collection) = Collection::create() else { return };
    collection.page("path", "a.md", &["old"]);
    collection.page("path", "b.md", &["same"]);
    let cache = tempfile::tempdir().unwrap();
    let age_max = Duration::from_secs(1);
    let settings = ChromaSettings { age_max, ..ChromaSettings::default() };
    let source = collection.open(&settings, cache.path()).unwrap();
    let all = [path("/a.md"), path("/b.md")];
    let read = || all.each_ref().map(|page| source.read(page, 0, 9).unwrap());
    assert_eq!(read(), ["old", "same"]);
    let known = || all.each_ref().map(|page| source.stat(page).unwrap());
    let (before, version) = (known(), source.version());
    // The same record with the same notes: nothing but its text tells.
    collection.page("path", "a.md", &["newer"]);
    grow_older(age_max);
    source.prefetch(&all).unwrap();
    assert_eq!(read(), ["newer", "same"]);
    let after = known();
    assert_eq!(after[0].size_bytes, Some(5));
    assert_ne!(after[0].tag, before[0].tag);
    assert_eq!(after[1], before[1]);
    assert_ne!(source.version(), version, "whoever lists them is to look again");
    collection.drop_whole();
    grow_older(age_max);
    source.prefetch(&all).unwrap();
    assert_eq!(read(), ["newer", "same"]);
    drop(source);
    let source = collection.open(&settings, cache.path()).unwrap();
    assert_eq!(source.read(&all[0], 0, 9).unwrap(), "newer");
    assert_eq!(source.stat(&all[0]).unwrap(), after[0]);
}

#[test]
fn damage_to_what_is_kept_is_mended() {
    let Some(collection) = Collection::create() else { return };
    collection.page("path", "a.md", &["content"]);
    let cache = tempfile::tempdir().unwrap();
    let open = || collection.open(&ChromaSettings::default(), cache.path()).unwrap();
    assert_eq!(open().read(&path("/a.md"), 0, 9).unwrap(), "content");
    for place in ["tree", "pages"] {
        damage(&cache.path().join(place));
        assert_eq!(open().read(&path("/a.md"), 0, 9).unwrap(), "content", "{place}");
    }
}

/// Changes the last byte of a file, or of every file of a directory.
#[expect(clippy::disallowed_methods, reason = "a file of the host")]
fn damage(place: &std::path::Path) {
    if place.is_dir() {
        for entry in std::fs::read_dir(place).expect("it is there") {
            damage(&entry.expect("it is there").path());
        }
        return;
    }
    let mut content = std::fs::read(place).expect("it is there");
    *content.last_mut().expect("it has bytes") ^= 1;
    std::fs::write(place, content).expect("there is room");
}

#[test]
fn pages_that_are_not_whole_say_so_and_do_not_hinder_others() {
    let Some(collection) = Collection::create() else { return };
    collection.page("path", "good.md", &["fine"]);
    collection.page("path", "gap.md", &["a", "b", "c"]);
    collection.delete(&json!({ "ids": ["gap.md#1"] }));
    collection.store(&[
        ("m0".to_owned(), json!("a"), json!({ "path": "mixed.md", "chunk_index": 0 })),
        ("m1".to_owned(), json!("b"), json!({ "path": "mixed.md", "chunk_index": "one" })),
        ("n0".to_owned(), json!(null), json!({ "path": "null.md", "chunk_index": 0 })),
        ("s0".to_owned(), json!("b"), json!({ "path": "text.md", "chunk_index": "1" })),
        ("s1".to_owned(), json!("a"), json!({ "path": "text.md", "chunk_index": 0.0 })),
        ("x".to_owned(), json!("of no page"), json!({ "path": 7 })),
    ]);
    let cache = tempfile::tempdir().unwrap();
    let source = collection.open(&ChromaSettings::default(), cache.path()).unwrap();
    let all: Vec<Path> = source.list_all_names().iter().map(|name| path(name)).collect();
    assert_eq!(all.len(), 5);
    source.prefetch(&all).unwrap();
    for (file, word) in
        [("/gap.md", "1 is missing"), ("/mixed.md", "no number"), ("/null.md", "no text")]
    {
        let error = source.read(&path(file), 0, 9).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt);
        assert!(error.message().contains(word), "{error}");
    }
    assert_eq!(source.read(&path("/good.md"), 0, 9).unwrap(), "fine");
    assert_eq!(source.read(&path("/text.md"), 0, 9).unwrap(), "ab");
}

#[test]
fn what_a_reader_may_not_see_does_not_exist() {
    let Some(collection) = Collection::create() else { return };
    for page in ["public.md", "staff/plan.md", "boss/salary.md", "nobody.md"] {
        collection.page("page_slug", page, &["the common wording of all"]);
    }
    collection.tree(
        &json!({
            "public.md": { "isPublic": true, "groups": [] },
            "staff/plan.md": { "isPublic": false, "groups": ["staff", "boss"] },
            "boss/salary.md": { "isPublic": false, "groups": ["boss"] },
            "nobody.md": { "isPublic": false, "groups": [] },
        })
        .to_string(),
    );
    let cache = tempfile::tempdir().unwrap();
    let public = collection.open(&ChromaSettings::default(), cache.path()).unwrap();
    let of = |groups: &[&str]| -> Arc<dyn Source> {
        let groups: BTreeSet<String> = groups.iter().map(|group| (*group).to_owned()).collect();
        Arc::clone(&public).seen_by(&groups)
    };
    let check = |groups: &[&str], expected: &[&str]| {
        let source = of(groups);
        let seen: Vec<String> = walk(&*source, &Path::root()).into_keys().collect();
        assert_eq!(seen, expected, "{groups:?}");
        let found = source.candidates("common wording").unwrap().unwrap();
        assert_eq!(found.iter().map(Path::as_str).collect::<Vec<_>>(), expected, "{groups:?}");
    };
    // Whoever may see most reads first, so that the others would find what is kept of it.
    check(&["boss"], &["/boss/salary.md", "/public.md", "/staff/plan.md"]);
    check(&["staff"], &["/public.md", "/staff/plan.md"]);
    check(&["other", ""], &["/public.md"]);
    check(&[], &["/public.md"]);
    for hidden in ["/boss/salary.md", "/boss", "/nobody.md"] {
        let staff = of(&["staff"]);
        assert_eq!(staff.stat(&path(hidden)).unwrap_err().kind(), ErrorKind::NotFound);
        assert_eq!(staff.read(&path(hidden), 0, 1).unwrap_err().kind(), ErrorKind::NotFound);
        assert_eq!(staff.list(&path(hidden), None).unwrap_err().kind(), ErrorKind::NotFound);
        staff.prefetch(&[path(hidden)]).unwrap();
    }
}

#[test]
fn a_collection_that_is_not_there_is_told() {
    let Some(collection) = Collection::absent() else { return };
    let cache = tempfile::tempdir().unwrap();
    let error = collection.open(&ChromaSettings::default(), cache.path()).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::NotFound, "{error}");
}

/// What tests ask of a source in short.
pub(crate) trait Names {
    /// Returns the names in the root.
    fn list_all_names(&self) -> Vec<String>;
}

impl Names for Arc<homefs_remote::ChromaSource> {
    fn list_all_names(&self) -> Vec<String> {
        let source: &dyn Source = &**self;
        let page = source.list_all(&Path::root()).expect("the root is there");
        page.entries.into_iter().map(|(name, _)| name).collect()
    }
}
