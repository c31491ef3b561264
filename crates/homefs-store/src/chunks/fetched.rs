//! Chunks that this machine lacks: fetched by the space's lender, and kept.

use std::sync::{Arc, Weak};

use bytes::Bytes;
use homefs_core::{Digest, ErrorKind, Result};

use super::{Chunks, failed};
use crate::base::Base;
use crate::lender::Lender;

impl Chunks {
    /// Sets who fetches what is absent.
    pub fn set_lender(&self, lender: Option<Arc<dyn Lender>>) {
        self.loans.set_lender(lender);
    }

    /// Returns who fetches what is absent, if anybody.
    pub fn lender(&self) -> Option<Arc<dyn Lender>> {
        self.loans.lender()
    }

    /// Returns how often something came that was absent.
    pub fn loan_count(&self) -> u64 {
        self.loans.count()
    }

    /// Notes that something came that was absent, without anybody's reading it.
    pub fn note_loan(&self) {
        self.loans.note();
    }

    /// Keeps what a lender brings along where rows of this base name it.
    pub(crate) fn keep_for(&self, base: &Arc<Base>) {
        // A second base of the same chunks would be a second owner of the space.
        self.base.get_or_init(|| Arc::downgrade(base));
    }

    /// Reads a chunk or leaf and checks it against its digest; what is missing or damaged is
    /// fetched, if there is a lender. A row of the base or a pin must hold it.
    pub fn get(&self, digest: Digest) -> Result<Bytes> {
        match self.get_here(digest) {
            Err(error) if error.kind() == ErrorKind::Corrupt => {
                let here = || self.get_here(digest).ok();
                let fetched = self.borrow(digest, here, |bytes| self.keep(digest, bytes));
                fetched.unwrap_or(Err(error))
            }
            found => found,
        }
    }

    /// Fetches an absent content; `None` without a lender. What cannot be kept, say for a full
    /// disk, is read all the same.
    pub fn borrow(
        &self,
        digest: Digest,
        here: impl FnOnce() -> Option<Bytes>,
        keep: impl FnOnce(&Bytes) -> Result<()>,
    ) -> Option<Result<Bytes>> {
        self.loans.fetch(digest, here, |wanted, others| {
            let base = self.base.get().and_then(Weak::upgrade).filter(|_| !others.is_empty());
            let kept =
                keep(wanted).and_then(|()| base.map_or(Ok(()), |base| base.keep_named(others)));
            if let Err(error) = kept {
                tracing::warn!(%error, "a fetched content could not be kept");
            }
        })
    }

    /// Stores what was fetched. It is not synced: what power loss takes is fetched again.
    pub fn keep(&self, digest: Digest, content: &Bytes) -> Result<()> {
        let path = self.path(digest);
        self.write(&path, content).map_err(|error| failed("store a chunk", &path, error))?;
        self.note_recent(digest, content);
        let mut state = self.state.lock();
        state.fetched.insert(digest);
        // What named it may be gone by now; the next checkpoint looks.
        state.loose.push(digest);
        Ok(())
    }

    /// Makes a chunk that was fetched survive power loss; tells whether it is here.
    pub(crate) fn secure(&self, digest: Digest) -> Result<bool> {
        if digest == Digest::HOLE {
            return Ok(true);
        }
        let fetched = self.state.lock().fetched.contains(&digest);
        if fetched {
            self.sync_files(&[digest].into_iter().collect())?;
            self.state.lock().fetched.remove(&digest);
        }
        self.is_here(digest)
    }

    /// Tells whether the file of a chunk or leaf is there, whole or not.
    pub fn is_here(&self, digest: Digest) -> Result<bool> {
        let path = self.path(digest);
        self.disk.exists(&path).map_err(|error| failed("look for a chunk", &path, error))
    }
}
