//! A remote that is opened when it is first asked for something.
//!
//! Opening one reads profiles and certificates and starts a thread, or looks at a directory of the
//! network that may hang: most commands are over before anyone asks the remote, and pay nothing.

use std::sync::OnceLock;

use homefs_core::{Remote, RemoteAnswer, RemoteCounters, RemoteRequest, Result};
use homefs_remote::{Bucket, RemoteAddress};

/// A remote that is opened when it is first asked for something.
pub(super) struct Deferred {
    address: RemoteAddress,
    bucket: OnceLock<Bucket>,
}

impl Deferred {
    /// Takes an address.
    pub(super) fn new(address: RemoteAddress) -> Self {
        Self { address, bucket: OnceLock::new() }
    }

    /// Opens the remote. What fails may succeed later: a directory may yet be mounted.
    fn bucket(&self) -> Result<&Bucket> {
        if let Some(bucket) = self.bucket.get() {
            return Ok(bucket);
        }
        // Whoever comes at the same time opens one too, and one of the two is dropped.
        let bucket = Bucket::open(&self.address)?;
        Ok(self.bucket.get_or_init(|| bucket))
    }
}

impl Remote for Deferred {
    fn run(&self, requests: Vec<RemoteRequest>) -> Vec<Result<RemoteAnswer>> {
        match self.bucket() {
            Ok(bucket) => bucket.run(requests),
            Err(error) => requests.iter().map(|_| Err(error.clone())).collect(),
        }
    }

    fn describe(&self) -> String {
        self.address.to_string()
    }

    fn counters(&self) -> RemoteCounters {
        self.bucket.get().map(Bucket::counters).unwrap_or_default()
    }
}
