//! Contents that are here or only in the remote: reading either, building upon them, giving up.
//!
//! A range write builds upon chunks of the content below it until it settles, and a restart
//! repeats it; so contents of files with unsettled writes stay, and are durable before the first
//! record that builds upon them.

use bytes::Bytes;
use homefs_core::{Digest, Error, ErrorKind, NodeId, Result};
use parking_lot::RwLockReadGuard;

use crate::base::Present;
use crate::lender::{Lender, not_attached};
use crate::record::Content;
use crate::space::Space;
use crate::tree::Body;

/// Contents that are given up under one sync of the base.
const BATCH: usize = 256;

impl Space {
    /// Reads a small content; what is absent or damaged is fetched, if there is a lender.
    pub(crate) fn read_blob(&self, digest: Digest) -> Result<Bytes> {
        let lacking = match self.base.blob(digest) {
            Ok(Some(bytes)) => return Ok(bytes),
            Ok(None) => not_attached(),
            Err(error) if error.kind() == ErrorKind::Corrupt => error,
            Err(error) => return Err(error),
        };
        let here = || self.base.blob(digest).ok().flatten();
        let keep = |bytes: &Bytes| self.base.keep_blob(digest, bytes);
        self.chunks.borrow(digest, here, keep).unwrap_or(Err(lacking))
    }

    /// Tells damage from a chunk that is absent and cannot be fetched.
    pub(crate) fn absent_or(&self, error: Error, size: u64, leaves: &[Digest]) -> Error {
        if error.kind() != ErrorKind::Corrupt || self.chunks.lender().is_some() {
            return error;
        }
        let Ok(cut) = self.chunks.cut(size, leaves) else { return error };
        let mut lacking = cut.iter().filter(|(chunk, _)| self.chunks.get_here(*chunk).is_err());
        // A chunk without a row is named by a record that is not folded yet.
        let is_absent = lacking.any(|(chunk, _)| {
            self.base.is_remote(*chunk).is_ok_and(|remote| remote != Some(false))
        });
        if is_absent { not_attached() } else { error }
    }

    /// Reads the part of a content that a range write builds upon. What was fetched is durable
    /// here afterwards, and stays while the guard is held.
    pub(crate) fn read_to_keep(
        &self,
        content: &Content,
        offset: u64,
        len: usize,
    ) -> Result<(Bytes, Option<RwLockReadGuard<'_, ()>>)> {
        for _ in 0..3 {
            let bytes = self.read_content(content, offset, len)?;
            if bytes.is_empty() || self.chunks.lender().is_none() {
                return Ok((bytes, None));
            }
            let kept = self.kept.read();
            let is_here = match content {
                Content::Inline(_) => true,
                Content::Blob { digest, .. } => self.base.secure_blob(*digest)?,
                Content::Chunked { size, leaves } => {
                    self.chunks.secure(self.chunks.chunk_at(*size, leaves, offset)?)?
                }
            };
            if is_here {
                return Ok((bytes, Some(kept)));
            }
        }
        let message = "the content is in the remote and cannot be kept here";
        Err(Error::new(ErrorKind::Unavailable, message))
    }

    /// Gives up contents that the lender has until at most `keep_bytes` are here, the past before
    /// the present and what has not changed for long before the rest; returns how many bytes.
    /// What is pinned stays, and so do the contents of nodes that `keeps` names.
    pub fn evict(
        &self,
        keep_bytes: u64,
        keeps: &dyn Fn(NodeId) -> bool,
        lender: &dyn Lender,
    ) -> Result<u64> {
        let present = self.base.present()?;
        let total: u64 = present.iter().map(|here| here.size).sum();
        let mut wanted = total.saturating_sub(keep_bytes);
        let mut spare = Vec::new();
        for here in present {
            if wanted == 0 {
                break;
            }
            let kept = here.nodes.iter().any(|node| keeps(*node));
            if !kept && !self.chunks.is_pinned(here.digest) && lender.has(here.digest) {
                wanted = wanted.saturating_sub(here.size);
                spare.push(here);
            }
        }
        let mut freed = 0;
        for batch in spare.chunks(BATCH) {
            freed += self.give_up(batch)?;
        }
        Ok(freed)
    }

    fn give_up(&self, batch: &[Present]) -> Result<u64> {
        // Nobody begins to build upon a content between the look and its end.
        let _alone = self.kept.write();
        let batch: Vec<&Present> = {
            let tree = self.tree.read();
            let is_staged = |node: &NodeId| {
                tree.node(*node).is_ok_and(|known| matches!(known.body, Body::Staged(_)))
            };
            batch.iter().filter(|here| !here.nodes.iter().any(is_staged)).collect()
        };
        let chunks = batch.iter().filter(|here| here.is_chunk).map(|here| here.digest);
        self.base.note_remote(&chunks.collect::<Vec<_>>())?;
        for here in &batch {
            if here.is_chunk {
                self.chunks.remove(here.digest)?;
            } else {
                self.base.give_up_blob(here.digest)?;
            }
        }
        Ok(batch.iter().map(|here| here.size).sum())
    }
}
