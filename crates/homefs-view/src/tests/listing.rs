//! Listings that come in pages: as much work as there are names, however small the pages are.
#![expect(clippy::disallowed_methods, reason = "a base is a host file")]

use std::sync::Arc;

use homefs_core::{Path, Result, Timestamp};
use homefs_store::tree::work;
use homefs_testkit::{CrashDisk, VirtualClock};
use tempfile::TempDir;

use super::rig;
use crate::{Page, Settings, WriteOptions};

/// Names in the directory, more than one page has.
const COUNT: usize = 3_000;
/// Names in a page.
const LIMIT: usize = 50;

/// Collects the names of all pages, and bounds the work for them.
#[track_caller]
fn check<T>(
    what: &str,
    expected: usize,
    mut fetch: impl FnMut(Option<&str>) -> Result<Page<T>>,
    name: impl Fn(&T) -> String,
) {
    let (mut names, mut next) = (Vec::new(), None::<String>);
    work::take();
    loop {
        let page = fetch(next.as_deref()).unwrap();
        names.extend(page.items.iter().map(&name));
        next = page.next;
        if next.is_none() {
            break;
        }
    }
    let looked_at = work::take();
    assert_eq!(names.len(), expected, "{what}");
    assert!(names.is_sorted(), "{what}");
    assert!(looked_at < 6 * COUNT, "{what} looked at {looked_at} names of {COUNT}");
}

#[test]
fn listing_page_by_page_looks_at_each_name_a_few_times() {
    let host = TempDir::new().unwrap();
    let disk = CrashDisk::new();
    let clock = Arc::new(VirtualClock::new(Timestamp(1_000_000_000)));
    std::fs::create_dir_all(host.path().join("spaces/agents/me")).unwrap();
    let (_store, view) = rig::open(&host, &disk, &clock, &Settings::default(), 1).unwrap();
    for number in 0..COUNT {
        let path = Path::parse(&format!("/d/{number:05}.md")).unwrap();
        view.write(&path, b"x", &WriteOptions { parents: true, ..WriteOptions::default() })
            .unwrap();
    }
    let dir = Path::parse("/d").unwrap();
    check("list", COUNT, |after| view.list(&dir, after, LIMIT), |entry| entry.name.to_string());
    for at in [&Path::root(), &dir] {
        let expected = COUNT + usize::from(at.is_root());
        check(
            "walk",
            expected,
            |after| view.walk(at, after, LIMIT),
            |found| found.path.to_string(),
        );
        let find = |after: Option<&str>| view.find(at, "*7.md", after, LIMIT);
        check("find", COUNT / 10, find, |found| found.path.to_string());
    }
    // Also while the directory changes.
    let mut number = COUNT;
    let list = |after: Option<&str>| {
        number -= 1;
        view.remove(&dir.join(&format!("{number:05}.md"))?, false)?;
        view.list(&dir, after, LIMIT)
    };
    check("list", COUNT - 59, list, |entry| entry.name.to_string());
}
