//! The real alternatives, each on its good day: keys in rising order, statements prepared, nothing
//! indexed but the key. As in homefs the key is a path; a number is cheaper and named as such.

pub(crate) mod buckets;
pub(crate) mod chroma;
mod files;
pub(crate) mod floor;
mod lmdb;
pub(crate) mod notes;
pub(crate) mod pages;
pub(crate) mod searchers;
pub(crate) mod shells;
mod sqlite;

pub(crate) use files::Files;
pub(crate) use lmdb::Lmdb;
pub(crate) use sqlite::{Sqlite, SqliteByNumber};

use anyhow::Result;

use crate::home::Content;
use crate::sample::Sample;

/// What a content is kept by.
pub(crate) struct Key {
    pub(crate) number: i64,
    pub(crate) path: String,
}

/// Something that keeps small contents.
pub(crate) trait Peer {
    /// What it is, and how safe what it writes is.
    fn name(&self) -> &'static str;

    /// Keeps a new content.
    fn put(&mut self, key: &Key, content: &[u8]) -> Result<()>;

    /// Returns a content.
    fn get(&mut self, key: &Key) -> Result<Vec<u8>>;
}

/// Returns so many keys from a number on.
pub(crate) fn keys(first: usize, count: usize) -> Vec<Key> {
    let key = |number: usize| Key {
        number: i64::try_from(number).unwrap_or(i64::MAX),
        path: format!("notes-{:05}/note-{:02}.md", number / 100, number % 100),
    };
    (first..first + count).map(key).collect()
}

/// Measures a put of each key.
pub(crate) fn put_all(peer: &mut dyn Peer, keys: &[Key]) -> Result<Sample> {
    let mut sample = Sample::with_capacity(keys.len());
    let mut content = Content::new();
    for key in keys {
        let bytes = content.fresh();
        sample.time(|| peer.put(key, bytes))?;
    }
    Ok(sample)
}
