//! Many pages in few requests, beside what the server takes for one that brings them all.

use homefs_core::{Clock, Path, Source, SystemClock};
use homefs_remote::ChromaSettings;
use serde_json::{Value, json};

use super::collection::Collection;
use super::scale::is_extended;

/// Returns how long something takes at its best, in milliseconds.
fn best(mut work: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = Vec::new();
    for _ in 0..5 {
        let start = SystemClock.steady();
        work();
        times.push(SystemClock.steady().since(start).as_secs_f64() * 1000.0);
    }
    times.into_iter().fold(f64::INFINITY, f64::min)
}

/// Makes a collection of pages of two chunks each; every tenth is for a group.
fn fill(count: usize) -> Option<Collection> {
    let collection = Collection::create()?;
    let mut records = Vec::new();
    let mut tree = serde_json::Map::new();
    for page in 0..count {
        let slug = format!("d{}/p{page:05}.md", page / 500);
        for chunk in 0..2 {
            let text = format!("{} token_{page:05} in {chunk}\n", "some words ".repeat(30));
            let metadata = json!({ "path": slug, "chunk_index": chunk });
            records.push((format!("{slug}#{chunk}"), Value::from(text), metadata));
        }
        tree.insert(slug, json!({ "isPublic": page % 10 != 0, "groups": ["staff"] }));
    }
    collection.store(&records);
    collection.tree(&Value::Object(tree).to_string());
    Some(collection)
}

#[test]
fn many_pages_take_hardly_longer_than_one_request_for_all() {
    let count = if is_extended() { 4000 } else { 500 };
    let Some(collection) = fill(count) else { return };
    let slugs: Vec<String> = (0..500).map(|page| format!("d0/p{page:05}.md")).collect();
    let get = |query: Value| collection.ask(&query)["ids"].as_array().map_or(0, Vec::len);
    let raw = best(|| {
        let query = json!({ "where": { "path": { "$in": slugs } },
            "include": ["documents", "metadatas"] });
        assert_eq!(get(query), 1000);
    });
    let paths: Vec<Path> =
        slugs.iter().map(|slug| Path::parse(&format!("/{slug}")).expect("it is a path")).collect();
    // As a shell asks for files that are read one after another.
    let read_all = || {
        let cache = tempfile::tempdir().expect("there is room");
        let source = collection.open(&ChromaSettings::default(), cache.path()).expect("it opens");
        let source = source.whole();
        let start = SystemClock.steady();
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
        SystemClock.steady().since(start).as_secs_f64() * 1000.0
    };
    let read = (0..3).map(|_| read_all()).fold(f64::INFINITY, f64::min);
    println!("500 pages: {read:.1} ms, one request for all {raw:.1} ms");
    let cache = tempfile::tempdir().expect("there is room");
    let source = collection.open(&ChromaSettings::default(), cache.path()).expect("it opens");
    let contains = best(|| {
        let query = json!({ "where_document": { "$contains": "token_00123" },
            "include": ["metadatas"] });
        assert_eq!(get(query), 2);
    });
    let found = best(|| {
        let found = source.candidates("token_00123").expect("it answers").expect("it knows");
        assert_eq!(found, [Path::parse("/d0/p00123.md").expect("it is a path")]);
    });
    // What may not be seen is nowhere.
    assert_eq!(source.candidates("token_00120").unwrap().unwrap(), [] as [Path; 0]);
    println!("candidates: {found:.1} ms, raw $contains {contains:.1} ms");
    if is_extended() {
        assert!(read <= 2.0 * raw, "{read} ms for 500 pages, {raw} ms for one request");
        // A pattern whose matches may be cut over chunks asks for more.
        assert!(found <= 3.0 * contains + 20.0, "{found} ms, and {contains} ms for $contains");
    }
}
