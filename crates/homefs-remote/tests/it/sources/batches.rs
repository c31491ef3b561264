//! Many pages in few requests, beside one that brings them all.

use std::sync::Arc;

use homefs_core::{Path, Source};
use homefs_remote::ChromaSettings;
use serde_json::{Value, json};

use super::collection::{Collection, open};
use super::counted::{Counter, Passed};
use super::scale::is_extended;

/// Most records of one answer.
const RECORDS_MAX: usize = 5000;
/// Pages of a directory.
const DIRECTORY: usize = 500;

/// Makes a collection of pages of two chunks each; every tenth is for a group, and beside them
/// there are so many others that nobody may see.
fn fill(count: usize, hidden: usize) -> Option<Collection> {
    let collection = Collection::create()?;
    let mut records = Vec::new();
    let mut tree = serde_json::Map::new();
    for page in 0..count + hidden {
        let slug = format!("d{}/p{page:05}.md", page / DIRECTORY);
        for chunk in 0..2 {
            let text = format!("{} token_{page:05} in {chunk}\n", "some words ".repeat(30));
            let metadata = json!({ "path": slug, "chunk_index": chunk });
            records.push((format!("{slug}#{chunk}"), Value::from(text), metadata));
        }
        let groups: &[&str] = if page < count { &["staff"] } else { &[] };
        let is_public = page < count && page % 10 != 0;
        tree.insert(slug, json!({ "isPublic": is_public, "groups": groups }));
    }
    collection.store(&records);
    collection.tree(&Value::Object(tree).to_string());
    Some(collection)
}

/// Returns the path of a page.
fn page(number: usize) -> Path {
    let path = format!("/d{}/p{number:05}.md", number / DIRECTORY);
    Path::parse(&path).expect("it is a path")
}

/// Reads pages as a shell asks for files that are read one after another.
fn read_all(source: &Arc<dyn Source>, paths: &[Path]) {
    let (mut at, mut window) = (0, 4);
    while at < paths.len() {
        let part = &paths[at..(at + window).min(paths.len())];
        source.prefetch_on(part).expect("they come");
        for path in part {
            assert!(source.read(path, 0, 1 << 20).expect("it is read").len() > 600);
        }
        at += part.len();
        window = (window * 2).min(64);
    }
}

#[test]
fn many_pages_take_few_requests_and_no_more_bytes_than_one_for_all() {
    let count = if is_extended() { 4000 } else { DIRECTORY };
    let Some(collection) = fill(count, 0) else { return };
    let counter = Counter::before(&collection);
    let cache = tempfile::tempdir().expect("there is room");
    let source =
        open(&counter.address, &ChromaSettings::default(), cache.path()).expect("it opens");
    let whole = source.whole();
    let paths: Vec<Path> = (0..DIRECTORY).map(page).collect();
    let raw = collection.ask(&json!({
        "where": { "path": { "$in": paths.iter().map(|path| &path.as_str()[1..]).collect::<Vec<_>>() } },
        "include": ["documents", "metadatas"],
    }));
    assert_eq!(raw["ids"].as_array().map(Vec::len), Some(2 * DIRECTORY));
    let ((), passed) = counter.count(|| read_all(&whole, &paths));
    // Some to find out that somebody reads on, and one for the rest of the directory.
    assert!(passed.requests.len() <= 4, "{:?}", passed.requests);
    assert!(passed.answered <= raw.to_string().len() * 11 / 10, "{} bytes", passed.answered);
    // Then one for each other directory, and what was read is kept.
    let paths: Vec<Path> = (0..count).map(page).collect();
    let ((), passed) = counter.count(|| read_all(&whole, &paths));
    assert!(passed.requests.len() <= count / DIRECTORY, "{:?}", passed.requests);
    let ((), passed) = counter.count(|| read_all(&whole, &paths));
    assert_eq!(passed.requests.len(), 0, "{:?}", passed.requests);
}

/// Looks for pages with two words, one of a page that may be seen and one of a page that may not.
fn find(count: usize, hidden: usize) -> Option<Passed> {
    let collection = fill(count, hidden)?;
    let counter = Counter::before(&collection);
    let cache = tempfile::tempdir().expect("there is room");
    let source =
        open(&counter.address, &ChromaSettings::default(), cache.path()).expect("it opens");
    let find = |word: &str| source.candidates(word).expect("it answers").expect("it knows");
    let (found, passed) = counter.count(|| find("token_00123"));
    assert_eq!(found, [page(123)]);
    // What may not be seen is nowhere.
    assert_eq!(find("token_00120"), []);
    let (all, of_all) = counter.count(|| find("some words"));
    assert_eq!(all.len(), count - count / 10);
    let answers = 2 * (count + hidden) / RECORDS_MAX + 1;
    assert!(of_all.requests.len() <= answers, "{:?}", of_all.requests);
    Some(passed)
}

#[test]
fn pages_are_found_by_one_request_which_what_is_hidden_makes_no_longer() {
    let (count, hidden) = if is_extended() { (4000, 4000) } else { (200, 300) };
    let Some(open) = find(count, 0) else { return };
    let Some(hiding) = find(count, hidden) else { return };
    let [(word, bytes)] = &*open.requests else { panic!("{:?}", open.requests) };
    assert_eq!(word, "get");
    assert!(*bytes < 1000, "{bytes} bytes");
    assert_eq!(hiding.requests, open.requests);
    assert!(hiding.answered <= open.answered + 100, "{} of {}", hiding.answered, open.answered);
}
