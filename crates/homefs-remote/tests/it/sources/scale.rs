//! Ten thousand pages: what a session asks for with and without what is kept, and what publishing
//! does.

use std::collections::BTreeMap;

use homefs_core::{Path, Source};
use homefs_remote::{ChromaSettings, ChromaTarget, Environment};

use super::collection::{Collection, open};
use super::counted::{Counter, Passed};
use super::publishing::{MODEL, listed};

/// Tells whether long tests are wanted.
#[expect(clippy::disallowed_methods, reason = "how long to test is up to the caller")]
pub(crate) fn is_extended() -> bool {
    std::env::var("HOMEFS_EXTENDED").is_ok_and(|value| value == "1")
}

type Files = BTreeMap<String, Vec<u8>>;

/// Makes files that are one record each.
fn files(count: usize, words: &str) -> Files {
    let file = |number: usize| {
        let line = format!("{words} of page {number} and token_{number:05}\n");
        (format!("/docs/s{}/p{number}.md", number % 100), line.repeat(40).into_bytes())
    };
    (0..count).map(file).collect()
}

/// Publishes files, which are sent all; returns what was asked for.
fn publish(counter: &Counter, files: &Files, sent: usize) -> Passed {
    let target =
        ChromaTarget::open(&counter.address, &Environment::default()).expect("nothing is sent yet");
    let read = |path: &Path| Ok(files[path.as_str()].clone().into());
    let (published, passed) = counter.count(|| target.publish(&listed(files), &read, &MODEL));
    assert_eq!(published.expect("it is published").sent, sent);
    passed
}

#[test]
fn ten_thousand_pages_are_listed_read_and_searched() {
    let count = if is_extended() { 10_000 } else { 300 };
    let Some(collection) = Collection::absent() else { return };
    let counter = Counter::before(&collection);
    let all = files(count, "some words");
    publish(&counter, &all, count);
    let check = |what: &str, most: usize, passed: Passed| {
        assert!(passed.requests.len() <= most, "{what}: {:?}", passed.requests);
    };
    let cache = tempfile::tempdir().unwrap();
    let open = || open(&counter.address, &ChromaSettings::default(), cache.path()).unwrap();
    // For the collection and for its tree.
    check("boot, cold", 2, counter.count(open).1);
    let (source, passed) = counter.count(open);
    check("boot, warm", 0, passed);
    let find = || -> usize {
        let list = |dir: &Path| (&*source as &dyn Source).list_all(dir).unwrap().entries;
        let docs = Path::parse("/docs").unwrap();
        list(&docs).iter().map(|(name, _)| list(&docs.join(name).unwrap()).len()).sum()
    };
    let (listed, passed) = counter.count(find);
    assert_eq!(listed, count);
    check("list everything", 0, passed);
    let page = Path::parse("/docs/s42/p42.md").unwrap();
    let read = || source.read(&page, 0, 100).unwrap();
    check("read a page, cold", 1, counter.count(read).1);
    check("read a page, warm", 0, counter.count(read).1);
    let (found, passed) = counter.count(|| source.candidates("token_00123").unwrap().unwrap());
    check("candidates of a rare word", 1, passed);
    assert!(found.iter().any(|path| path.as_str().ends_with("/p123.md")));
    check("prefetch them", 1, counter.count(|| source.prefetch(&found).unwrap()).1);
    let (every, passed) = counter.count(|| source.candidates("some words").unwrap().unwrap());
    assert_eq!(every.len(), count);
    // An answer has 5,000 records, and a request asks for 500 pages.
    check("candidates of a common word", count / 5000 + 1, passed);
    let prefetch = || source.prefetch(&every).unwrap();
    check("prefetch all", count.div_ceil(500), counter.count(prefetch).1);
    let read_all =
        || every.iter().map(|path| source.read(path, 0, 1 << 20).unwrap().len()).sum::<usize>();
    let (bytes, passed) = counter.count(read_all);
    assert_eq!(bytes, all.values().map(Vec::len).sum::<usize>());
    check("read all, warm", 0, passed);
}

#[test]
fn publishing_many_files_takes_no_more_requests_than_publishing_one() {
    let Some(collection) = Collection::absent() else { return };
    let counter = Counter::before(&collection);
    let check = |passed: &Passed, expected: &[&str]| {
        let words: Vec<&str> = passed.requests.iter().map(|(word, _)| &**word).collect();
        assert_eq!(words, expected);
    };
    let begin = ["collections", "get", "count"];
    let with = |more: &[&'static str]| [&begin[..], more].concat();
    let mut files = files(100, "published");
    check(&publish(&counter, &files, 100), &with(&["upsert"]));
    let unchanged = publish(&counter, &files, 0);
    check(&unchanged, &with(&[]));
    // One file takes as many, and its own text and the tree.
    files.insert("/docs/s1/p1.md".to_owned(), b"another".to_vec());
    check(&publish(&counter, &files, 1), &with(&["upsert"]));
    files.retain(|file, _| !file.contains("/s2"));
    check(&publish(&counter, &files, 0), &with(&["update", "delete", "upsert"]));
}
