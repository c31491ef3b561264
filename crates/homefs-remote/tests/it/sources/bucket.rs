//! A bucket is shown as directories and files.

use std::sync::Arc;

use homefs_core::{ErrorKind, Path, Source};
use homefs_remote::BucketSource;
use homefs_testkit::{Fault, FaultKind, S3Server};

use super::conformance::{check, files, path};
use crate::common::{address, open_directory, right_key, stored};

fn open(server: &S3Server, prefix: &str) -> Arc<dyn Source> {
    Arc::new(
        BucketSource::open(&address(server, prefix), &right_key()).expect("nothing is sent yet"),
    )
}

#[test]
fn a_bucket_keeps_the_promises() {
    let server = S3Server::start().unwrap();
    for (file, content) in files() {
        server.put(&format!("p/q{file}"), content);
    }
    check(open(&server, "p/q"));
}

#[test]
fn a_directory_of_objects_keeps_the_promises() {
    let dir = tempfile::tempdir().unwrap();
    let remote = open_directory(dir.path()).unwrap();
    for (file, content) in files() {
        stored(&remote, &file[1..], &content);
    }
    check(Arc::new(BucketSource::of(Arc::new(remote))));
}

#[test]
fn what_lies_below_a_directory_is_not_listed_with_it() {
    let server = S3Server::start().unwrap();
    for number in 0..3500 {
        server.put(&format!("p/deep/{number:05}"), "x");
    }
    for name in ["a", "deep!", "deep-er", "deep0", "z/1"] {
        server.put(&format!("p/{name}"), "x");
    }
    let source = open(&server, "p");
    server.clear_log();
    let page = source.list_all(&Path::root()).unwrap();
    let names: Vec<_> = page.entries.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["a", "deep", "deep!", "deep-er", "deep0", "z"]);
    assert!(server.log().len() <= 2, "{} requests", server.log().len());
    assert_eq!(source.list_all(&path("/deep")).unwrap().entries.len(), 3500);
}

#[test]
fn an_object_that_is_also_a_directory_is_told_also_over_pages() {
    let server = S3Server::start().unwrap();
    server.put("p/b", "object");
    // So many keys sort between `b` and `b/` that the directory is on another page of keys.
    for number in 0..1500 {
        server.put(&format!("p/b-{number:05}"), "x");
    }
    server.put("p/b/below", "x");
    let source = open(&server, "p");
    let page = source.list_all(&Path::root()).unwrap();
    assert_eq!(page.entries.len(), 1501);
    assert_eq!(page.entries.iter().filter(|(name, _)| name == "b").count(), 1);
    assert_eq!(page.unshown.len(), 1);
    assert_eq!(source.list_all(&path("/b")).unwrap().entries[0].0, "below");
}

#[test]
fn more_names_than_a_page_has_are_each_shown_once() {
    let server = S3Server::start().unwrap();
    server.put("p/b", "object");
    for number in 0..12_000 {
        server.put(&format!("p/b-{number:05}"), "");
    }
    server.put("p/b/below", "x");
    let source = open(&server, "p");
    assert!(source.list(&Path::root(), None).unwrap().next.is_some());
    let names: Vec<_> = source.list_all(&Path::root()).unwrap().entries;
    assert_eq!(names.len(), 12_001);
    assert!(names.windows(2).all(|pair| pair[0].0 != pair[1].0));
}

#[test]
fn a_server_that_fails_is_told() {
    let server = S3Server::start().unwrap();
    server.put("p/a", "x");
    let source = open(&server, "p");
    server.fail(Fault::before(FaultKind::Status(503)));
    assert_eq!(source.list(&Path::root(), None).unwrap_err().kind(), ErrorKind::Unavailable);
    server.fail(Fault::before(FaultKind::Truncate));
    assert_eq!(source.read(&path("/a"), 0, 1).unwrap_err().kind(), ErrorKind::Unavailable);
    assert_eq!(source.read(&path("/a"), 0, 1).unwrap(), "x");
}
