//! When files were last read: what finds stale files, and nothing else.
//!
//! These statistics are rough and of this machine only. They are not in the journal, so they do
//! not sync, and a crash takes those of the last minutes; and a read that the kernel answers from
//! its cache, as most below a mount are, is not seen. Being rough makes them free: a node remembers
//! the minute of its last read, and only the first read in a minute does more than compare it.

use std::path::PathBuf;
use std::sync::atomic::Ordering;

use homefs_core::{Error, NodeId, Result, Timestamp};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::space::Space;
use crate::tree::Node;

/// What the file begins with; anything else is no statistics.
const HEADER: &[u8] = b"homefs reads 1\n";
/// A node and a minute.
const ROW_BYTES: usize = 20;
/// What stands behind the rows: their checksum.
const SUM_BYTES: usize = 4;
/// The name of the file in the folder of its space.
const NAME: &str = "reads";
/// They are written down this often, at most.
const SAVE_MINUTES: u32 = 5;

/// The minute since 1970 in which nodes were last read.
pub type Minutes = FxHashMap<NodeId, u32>;

/// What was read of a space since its file was written.
#[derive(Default)]
pub struct Reads {
    fresh: Mutex<Minutes>,
    /// When the file was written last, or would have been; held by whoever changes the file.
    saved: Mutex<u32>,
}

impl Reads {
    /// Notes that a node is read now.
    pub fn note(&self, node: NodeId, known: &Node, minute: u32) {
        // Mostly only this: threads that read the same file share the line of memory.
        if known.read.load(Ordering::Relaxed) != minute {
            known.read.store(minute, Ordering::Relaxed);
            self.fresh.lock().insert(node, minute);
        }
    }
}

impl Space {
    /// Returns the present minute.
    pub fn minute(&self) -> u32 {
        u32::try_from(self.ground.clock.coarse().seconds() / 60).unwrap_or(0)
    }

    /// Returns when each node was last read, as far as anybody noticed.
    pub fn last_reads(&self) -> Minutes {
        // What is just being written down is in neither place.
        let _alone = self.reads.saved.lock();
        let mut minutes = self.read_minutes();
        minutes.extend(self.reads.fresh.lock().iter().map(|(node, minute)| (*node, *minute)));
        minutes
    }

    /// Writes down what was read, unless that was done a few minutes ago and can wait.
    pub fn save_reads(&self, can_wait: bool) -> Result<()> {
        let mut saved = self.reads.saved.lock();
        let now = self.minute();
        let is_early = can_wait && now.saturating_sub(*saved) < SAVE_MINUTES;
        let journal = &self.ground.journal;
        let is_kept = is_early || journal.is_out_of_room() || journal.is_read_only();
        if is_kept || self.reads.fresh.lock().is_empty() {
            return Ok(());
        }
        *saved = now;
        let mut minutes = self.read_minutes();
        let fresh = std::mem::take(&mut *self.reads.fresh.lock());
        minutes.extend(&fresh);
        let index = self.index.lock().clone();
        if let Some(index) = index {
            index.retain_files(self, &mut minutes);
        }
        let written = self.write_minutes(&minutes);
        if written.is_err() {
            let mut newer = self.reads.fresh.lock();
            for (node, minute) in fresh {
                newer.entry(node).or_insert(minute);
            }
        }
        written
    }

    /// Forgets that nodes were ever read, because they are purged.
    pub(crate) fn forget_reads(&self, nodes: &[NodeId]) -> Result<()> {
        let _alone = self.reads.saved.lock();
        self.reads.fresh.lock().retain(|node, _| !nodes.contains(node));
        let mut minutes = self.read_minutes();
        let before = minutes.len();
        minutes.retain(|node, _| !nodes.contains(node));
        if minutes.len() == before || self.write_minutes(&minutes).is_ok() {
            return Ok(());
        }
        // Without room for less, all of it goes: nobody misses when files were read.
        let path = self.minutes_path();
        let removed = self.ground.disk.remove(&path);
        removed.map_err(|cause| Error::io("forget when files were read", cause))
    }

    /// Reads the file; what is missing or damaged tells nothing.
    fn read_minutes(&self) -> Minutes {
        let path = self.minutes_path();
        if !self.ground.disk.exists(&path).unwrap_or(false) {
            return Minutes::default();
        }
        let content = self.ground.disk.read(&path).unwrap_or_default();
        decode(&content).unwrap_or_else(|| {
            tracing::warn!(space = %self.name, "nobody knows when files were read last");
            Minutes::default()
        })
    }

    fn write_minutes(&self, minutes: &Minutes) -> Result<()> {
        let path = self.minutes_path();
        self.ground.disk.replace(&path, &encode(minutes)).map_err(|cause| {
            let place = path.to_string_lossy();
            Error::io("write down when files were read", cause).with_path_text(place)
        })
    }

    fn minutes_path(&self) -> PathBuf {
        self.dir.join(NAME)
    }
}

/// Returns the moment at which a minute begins.
pub fn moment(minute: u32) -> Timestamp {
    Timestamp(i64::from(minute) * 60 * 1_000_000_000)
}

fn encode(minutes: &Minutes) -> Vec<u8> {
    let mut content = Vec::with_capacity(HEADER.len() + minutes.len() * ROW_BYTES + SUM_BYTES);
    content.extend_from_slice(HEADER);
    for (node, minute) in minutes {
        content.extend_from_slice(&node.0.to_le_bytes());
        content.extend_from_slice(&minute.to_le_bytes());
    }
    let sum = crc32fast::hash(&content);
    content.extend_from_slice(&sum.to_le_bytes());
    content
}

fn decode(content: &[u8]) -> Option<Minutes> {
    let (content, sum) = content.split_last_chunk::<SUM_BYTES>()?;
    if crc32fast::hash(content) != u32::from_le_bytes(*sum) {
        return None;
    }
    let (rows, rest) = content.strip_prefix(HEADER)?.as_chunks::<ROW_BYTES>();
    let row = |row: &[u8; ROW_BYTES]| {
        let (node, minute) = row.split_first_chunk::<16>()?;
        let node = NodeId(u128::from_le_bytes(*node));
        Some((node, u32::from_le_bytes(minute.try_into().ok()?)))
    };
    if rest.is_empty() { rows.iter().map(row).collect() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_file_tells_nothing() {
        let minutes: Minutes =
            [(NodeId(7), 29_000_000), (NodeId(u128::MAX), 1)].into_iter().collect();
        let content = encode(&minutes);
        assert_eq!(decode(&content), Some(minutes));
        for at in 0..content.len() {
            let mut damaged = content.clone();
            damaged[at] ^= 1;
            assert_eq!(decode(&damaged), None, "a byte changed at {at}");
            assert_eq!(decode(&content[..at]), None, "cut off at {at}");
        }
        assert_eq!(decode(b"homefs reads 2\n"), None);
        assert_eq!(decode(&encode(&Minutes::default())), Some(Minutes::default()));
    }
}
