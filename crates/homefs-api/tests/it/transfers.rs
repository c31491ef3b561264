//! Contents larger than a message.

use std::io::{Cursor, Read, Seek, SeekFrom};

use homefs_api::Spooled;
use homefs_core::ErrorKind;
use homefs_view::{Moment, WriteOptions};
use tempfile::tempdir;

use crate::child::Child;
use crate::{open, path};

/// Returns bytes that differ from place to place.
fn content(length: usize) -> Vec<u8> {
    (0..length).map(|place| (place % 251).to_le_bytes()[0]).collect()
}

#[test]
fn contents_of_any_size_arrive_here_and_there() {
    let dir = tempdir().unwrap();
    let owner = open(dir.path());
    let client = open(dir.path());
    for length in [0, 1, 1 << 20, (1 << 20) + 1, (3 << 20) + 7] {
        let content = content(length);
        for (writer, reader) in [(&owner, &client), (&client, &owner)] {
            let file = path("/large");
            writer.write_from(&file, &mut Cursor::new(&content), &WriteOptions::default()).unwrap();
            let mut found = Vec::new();
            assert_eq!(reader.read_to(&file, Moment::Now, &mut found).unwrap(), length as u64);
            assert!(found == content, "{length}");
        }
    }
}

#[test]
fn a_message_that_is_too_long_is_refused_and_the_client_goes_on() {
    let dir = tempdir().unwrap();
    let owner = open(dir.path());
    let client = open(dir.path());
    let long = vec![0; 65 << 20];
    let error = client.write(&path("/a"), &long, &WriteOptions::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded);
    owner.write_from(&path("/a"), &mut Cursor::new(&long), &WriteOptions::default()).unwrap();
    let error = client.read(&path("/a")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded, "{error}");
    assert_eq!(client.read_at(&path("/a"), 0, 10).unwrap().len(), 10);
}

#[test]
fn a_large_content_is_sent_to_the_next_owner_when_one_goes_away() {
    let dir = tempdir().unwrap();
    let content = content(4 << 20);
    let file = path("/large");
    for round in 1..3 {
        let mut owner = Child::open(dir.path());
        let client = open(dir.path());
        let leaving = Leaving { content: &content, read: 0, owner: &mut owner };
        client.write_from(&file, &mut Spooled::new(leaving), &WriteOptions::default()).unwrap();
        assert!(client.view_here().is_some());
        let mut found = Vec::new();
        client.read_to(&file, Moment::Now, &mut found).unwrap();
        assert!(found == content);
        assert_eq!(client.log(&file, None, 10).unwrap().len(), round, "one version each");
        client.close().unwrap();
    }
}

#[test]
fn a_content_that_cannot_be_read_again_is_not_written_in_part() {
    let dir = tempdir().unwrap();
    let mut owner = Child::open(dir.path());
    let client = open(dir.path());
    let content = content(4 << 20);
    let leaving = Leaving { content: &content, read: 0, owner: &mut owner };
    let file = path("/large");
    let error = client.write_from(&file, &mut Once(leaving), &WriteOptions::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
    assert_eq!(client.stat(&file).unwrap_err().kind(), ErrorKind::NotFound);
}

/// Content that can be read once.
struct Once<R>(R);

impl<R: Read> Read for Once<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.0.read(buffer)
    }
}

impl<R> Seek for Once<R> {
    fn seek(&mut self, _: SeekFrom) -> std::io::Result<u64> {
        Err(std::io::ErrorKind::NotSeekable.into())
    }
}

/// Content whose reading makes the owner close after the third piece.
struct Leaving<'a> {
    content: &'a [u8],
    read: usize,
    owner: &'a mut Child,
}

impl Read for Leaving<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let before = self.read;
        let count = self.content.read(buffer)?;
        self.read += count;
        if before < 3 << 20 && self.read >= 3 << 20 {
            self.owner.ask("close").map_err(std::io::Error::other)?;
        }
        Ok(count)
    }
}
