//! The real alternatives, each on its good day: whole numbers in rising order as keys, statements
//! prepared, nothing indexed but the key.

mod files;
mod lmdb;
mod sqlite;

pub(crate) use files::Files;
pub(crate) use lmdb::Lmdb;
pub(crate) use sqlite::Sqlite;

use anyhow::Result;

use crate::home::Content;
use crate::sample::Sample;

/// Something that keeps small contents by number.
pub(crate) trait Peer {
    /// What it is, and how safe what it writes is.
    fn name(&self) -> &'static str;

    /// Keeps a new content.
    fn put(&mut self, key: u64, content: &[u8]) -> Result<()>;

    /// Returns a content.
    fn get(&mut self, key: u64) -> Result<Vec<u8>>;
}

/// Measures so many puts from a key on.
pub(crate) fn put_all(peer: &mut dyn Peer, first: u64, count: usize) -> Result<Sample> {
    let mut sample = Sample::with_capacity(count);
    let mut content = Content::new();
    for key in first..first + count as u64 {
        let bytes = content.fresh();
        sample.time(|| peer.put(key, bytes))?;
    }
    Ok(sample)
}
