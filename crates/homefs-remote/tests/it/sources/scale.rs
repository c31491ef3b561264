//! Ten thousand pages: what a session costs with and without what is kept, and what publishing does.

use std::collections::BTreeMap;

use homefs_core::{Clock, Path, Source, SystemClock};
use homefs_remote::ChromaSettings;
use serde_json::json;

use super::collection::Collection;
use super::publishing::{MODEL, publish};

/// Says how long something took, in milliseconds.
#[expect(clippy::print_stdout, reason = "whoever asks for it reads it")]
fn timed<T>(what: &str, work: impl FnOnce() -> T) -> (T, f64) {
    let start = SystemClock.now();
    let done = work();
    let milliseconds = SystemClock.now().since(start).as_secs_f64() * 1000.0;
    println!("{what:<44} {milliseconds:>9.2} ms");
    (done, milliseconds)
}

/// Tells whether long tests are wanted.
#[expect(clippy::disallowed_methods, reason = "how long to test is up to the caller")]
pub(crate) fn is_extended() -> bool {
    std::env::var("HOMEFS_EXTENDED").is_ok_and(|value| value == "1")
}

fn files(count: usize, words: &str) -> BTreeMap<String, Vec<u8>> {
    let file = |number: usize| {
        let line = format!("{words} of page {number} and token_{number:05}\n");
        (format!("/docs/s{}/p{number}.md", number % 100), line.repeat(40).into_bytes())
    };
    (0..count).map(file).collect()
}

#[test]
fn ten_thousand_pages_are_listed_read_and_searched() {
    let count = if is_extended() { 10_000 } else { 300 };
    let Some(collection) = Collection::absent() else { return };
    let all = files(count, "some words");
    timed("publish all", || publish(&collection, &all, &MODEL).unwrap());
    let cache = tempfile::tempdir().unwrap();
    let open = || collection.open(&ChromaSettings::default(), cache.path()).unwrap();
    timed("boot, cold", open);
    let (source, _) = timed("boot, warm", open);
    timed("boot, warm, again", open);
    let find = || -> usize {
        let list = |dir: &Path| (&*source as &dyn Source).list_all(dir).unwrap().entries;
        let docs = Path::parse("/docs").unwrap();
        list(&docs).iter().map(|(name, _)| list(&docs.join(name).unwrap()).len()).sum()
    };
    assert_eq!(timed("list everything", find).0, count);
    let page = Path::parse(&format!("/docs/s{0}/p{0}.md", 42)).unwrap();
    timed("read a page, cold", || source.read(&page, 0, 100).unwrap());
    timed("read a page, warm", || source.read(&page, 0, 100).unwrap());
    let (found, _) =
        timed("candidates of a rare word", || source.candidates("token_00123").unwrap().unwrap());
    assert!(found.iter().any(|path| path.as_str().ends_with("/p123.md")));
    println!("{} candidates", found.len());
    timed("prefetch them", || source.prefetch(&found).unwrap());
    let (every, _) =
        timed("candidates of a common word", || source.candidates("some words").unwrap().unwrap());
    assert_eq!(every.len(), count);
    timed("prefetch all", || source.prefetch(&every).unwrap());
    let read_all =
        || every.iter().map(|path| source.read(path, 0, 1 << 20).unwrap().len()).sum::<usize>();
    timed("read all, warm", read_all);
}

#[test]
fn publishing_many_files_is_much_faster_than_adding_each() {
    let Some(collection) = Collection::absent() else { return };
    let Some(other) = Collection::create() else { return };
    let count = if is_extended() { 100 } else { 10 };
    let published = files(count, "published");
    // The vectors of both are as long, and the server is warm.
    other.page("path", "first.md", &["x"]);
    let ((), single) = timed("single adds", || {
        for (file, content) in &published {
            let text = String::from_utf8(content.clone()).expect("it is text");
            other.store(&[(file.clone(), json!(text), json!({ "path": file }))]);
        }
    });
    let (_, batch) = timed("publish", || publish(&collection, &published, &MODEL).unwrap());
    println!("{:.1} times as fast", single / batch);
    assert!(!is_extended() || single > 5.0 * batch, "{single} {batch}");
}
