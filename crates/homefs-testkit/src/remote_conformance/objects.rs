//! What single objects promise: contents, ranges, sizes and deletion.

use std::ops::Range;

use bytes::Bytes;
use homefs_core::{
    Condition, ErrorKind, REMOTE_CONTENT_BYTES_MAX, Remote, RemoteAnswer, RemoteRequest,
};

use super::{
    Case, cases, content, delete, expect_error, get, keys, object, page, put, run, stored,
    unexpected,
};

pub(super) const CASES: &[Case] = cases![
    what_was_stored_is_read_back,
    a_missing_object_is_not_found,
    an_empty_object_is_an_object,
    a_large_object_is_whole,
    content_over_the_bound_is_refused,
    a_range_ends_with_the_object,
    a_range_without_bytes_is_invalid,
    a_deleted_object_is_gone,
    deleting_a_missing_object_is_no_error,
    a_listing_says_what_a_get_says,
];

/// A get of a part.
fn part(key: &str, range: Range<u64>) -> RemoteRequest {
    RemoteRequest::Get { key: key.to_owned(), range: Some(range), unless: None }
}

fn what_was_stored_is_read_back(remote: &dyn Remote) {
    let every_byte: Vec<u8> = (0..=255).collect();
    let tag = stored(remote, "folder/bytes", every_byte.clone());
    assert_eq!(object(run(remote, get("folder/bytes"))), (every_byte.into(), tag));
}

fn a_missing_object_is_not_found(remote: &dyn Remote) {
    stored(remote, "folder/there", "x");
    for key in ["missing", "folder", "folder/ther", "folder/missing", "folder/there2"] {
        expect_error(run(remote, get(key)), ErrorKind::NotFound);
        expect_error(run(remote, part(key, 0..1)), ErrorKind::NotFound);
    }
}

fn an_empty_object_is_an_object(remote: &dyn Remote) {
    let tag = stored(remote, "empty", "");
    assert_eq!(object(run(remote, get("empty"))), (Bytes::new(), tag));
    expect_error(run(remote, part("empty", 0..1)), ErrorKind::Invalid);
    expect_error(run(remote, put("empty", "", Condition::Absent)), ErrorKind::Conflict);
    let (objects, _) = page(remote, "", None);
    assert_eq!(objects.iter().map(|object| object.size_bytes).collect::<Vec<_>>(), [0]);
}

fn a_large_object_is_whole(remote: &dyn Remote) {
    const SIZE: usize = 8 * 1024 * 1024;
    // No period of it is a power of two, so that pieces in the wrong place are noticed.
    let large: Bytes = (0..SIZE).map(|at| u8::try_from(at % 251).unwrap_or(0)).collect();
    stored(remote, "large", large.clone());
    assert!(content(remote, "large") == large, "the content differs");
    let middle = SIZE / 2 - 3..SIZE / 2 + 70_000;
    let (read, _) = object(run(remote, part("large", middle.start as u64..middle.end as u64)));
    assert!(read == large.slice(middle), "the range differs");
    let (objects, _) = page(remote, "", None);
    assert_eq!(objects[0].size_bytes, SIZE as u64);
}

fn content_over_the_bound_is_refused(remote: &dyn Remote) {
    let huge = vec![0; REMOTE_CONTENT_BYTES_MAX + 1];
    expect_error(run(remote, put("huge", huge, Condition::Any)), ErrorKind::LimitExceeded);
    expect_error(run(remote, get("huge")), ErrorKind::NotFound);
}

fn a_range_ends_with_the_object(remote: &dyn Remote) {
    let tag = stored(remote, "a", "0123456789");
    let expected =
        [(0..1, "0"), (0..10, "0123456789"), (3..7, "3456"), (9..10, "9"), (7..11, "789")];
    for (range, text) in expected {
        assert_eq!(object(run(remote, part("a", range))), (text.into(), tag.clone()));
    }
    let (rest, _) = object(run(remote, part("a", 5..1 << 40)));
    assert_eq!(rest, "56789");
}

fn a_range_without_bytes_is_invalid(remote: &dyn Remote) {
    stored(remote, "a", "0123456789");
    for range in [10..11, 11..20, 1 << 40..1 << 41, 3..3, 0..0, 10..10] {
        expect_error(run(remote, part("a", range)), ErrorKind::Invalid);
    }
}

fn a_deleted_object_is_gone(remote: &dyn Remote) {
    stored(remote, "folder/a", "x");
    stored(remote, "folder/b", "y");
    assert_eq!(run(remote, delete("folder/a")).ok(), Some(RemoteAnswer::Deleted));
    expect_error(run(remote, get("folder/a")), ErrorKind::NotFound);
    assert_eq!(keys(remote, "", None), ["folder/b"]);
}

fn deleting_a_missing_object_is_no_error(remote: &dyn Remote) {
    stored(remote, "folder/a", "x");
    for key in ["missing", "missing/deep/down", "folder/missing", "folder", "folder/a"] {
        assert_eq!(run(remote, delete(key)).ok(), Some(RemoteAnswer::Deleted), "{key}");
        assert_eq!(run(remote, delete(key)).ok(), Some(RemoteAnswer::Deleted), "{key} again");
    }
    // Whatever held the object is no object itself.
    assert_eq!(keys(remote, "", None), Vec::<String>::new());
}

fn a_listing_says_what_a_get_says(remote: &dyn Remote) {
    let stored_as = stored(remote, "a", "content");
    let (objects, more) = page(remote, "", None);
    assert!(!more && objects.len() == 1, "{objects:?}");
    let (content, tag, modified) = match run(remote, get("a")) {
        Ok(RemoteAnswer::Object { content, tag, modified }) => (content, tag, modified),
        other => unexpected("an object", &other),
    };
    let listed = &objects[0];
    assert_eq!((listed.size_bytes, &listed.tag), (content.len() as u64, &tag));
    assert_eq!(tag, stored_as);
    // S3 tells the time of an object to the second, that of a listing more exactly.
    assert_eq!(listed.modified.seconds(), modified.seconds());
}
