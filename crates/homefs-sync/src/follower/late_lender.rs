//! A lender that costs nothing until something is absent.

use std::sync::{Arc, Weak};

use bytes::Bytes;
use homefs_core::{Digest, Result, SpaceName};
use homefs_store::lender::{Lender, not_attached};

use super::Follower;
use crate::lending::Lending;

/// The lender of a space whose end of the remote is opened when something is absent.
pub(super) struct LateLender {
    follower: Weak<Follower>,
    name: SpaceName,
}

impl LateLender {
    pub(super) fn new(follower: Weak<Follower>, name: SpaceName) -> Self {
        Self { follower, name }
    }

    fn lending(&self) -> Result<Arc<Lending>> {
        let follower = self.follower.upgrade().ok_or_else(not_attached)?;
        Ok(follower.end(&self.name)?.lending)
    }
}

impl Lender for LateLender {
    fn fetch(&self, digest: Digest) -> Result<Vec<(Digest, Bytes)>> {
        self.lending()?.fetch(digest)
    }

    fn has(&self, digest: Digest) -> bool {
        self.lending().is_ok_and(|lending| lending.has(digest))
    }
}
