//! A remote that is opened when it is first asked for something.
//!
//! Opening one reads profiles and certificates and starts a thread, or looks at a directory of the
//! network that may hang: most commands are over before anyone asks the remote, and pay nothing.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use homefs_core::{Error, ErrorKind, Remote, RemoteAnswer, RemoteCounters, RemoteRequest, Result};
use homefs_remote::{Bucket, RemoteAddress};

/// A remote that is opened when it is first asked for something.
pub(super) struct Deferred {
    address: RemoteAddress,
    bucket: OnceLock<Bucket>,
    read_only: AtomicBool,
}

impl Deferred {
    /// Takes an address, and whether nothing is ever changed there.
    pub(super) fn new(address: RemoteAddress, read_only: bool) -> Self {
        Self { address, bucket: OnceLock::new(), read_only: read_only.into() }
    }

    /// Allows changes from now on.
    pub(super) fn allow_changes(&self) {
        self.read_only.store(false, Ordering::Relaxed);
    }

    /// Opens the remote. What fails may succeed later: a directory may yet be mounted.
    fn bucket(&self) -> Result<&Bucket> {
        if let Some(bucket) = self.bucket.get() {
            return Ok(bucket);
        }
        // Whoever comes at the same time opens one too, and one of the two is dropped.
        let bucket = Bucket::open(&self.address)
            .map_err(|error| error.with_path_text(self.address.to_string()))?;
        Ok(self.bucket.get_or_init(|| bucket))
    }
}

impl Remote for Deferred {
    fn run(&self, requests: Vec<RemoteRequest>) -> Vec<Result<RemoteAnswer>> {
        let changes = |request: &RemoteRequest| {
            matches!(request, RemoteRequest::Put { .. } | RemoteRequest::Delete { .. })
        };
        let refused = if self.is_read_only() && requests.iter().any(changes) {
            let message = "this machine only reads here, so nothing is sent";
            Err(Error::new(ErrorKind::ReadOnly, message).with_path_text(self.describe()))
        } else {
            self.bucket()
        };
        match refused {
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

    fn is_read_only(&self) -> bool {
        self.read_only.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use homefs_core::Condition;

    use super::*;

    #[test]
    fn where_a_machine_only_reads_nothing_is_changed() {
        let dir = tempfile::tempdir().unwrap();
        let address = format!("file://{}", dir.path().display()).parse().unwrap();
        let deferred = Deferred::new(address, true);
        let remote: &dyn Remote = &deferred;
        let put = || RemoteRequest::Put {
            key: "a".to_owned(),
            content: Bytes::from_static(b"x"),
            condition: Condition::Any,
        };
        let delete = || RemoteRequest::Delete { key: "a".to_owned() };
        let list = || RemoteRequest::List { prefix: String::new(), after: None };
        for request in [put(), delete()] {
            assert_eq!(remote.run_one(request).unwrap_err().kind(), ErrorKind::ReadOnly);
        }
        assert!(remote.run_one(list()).is_ok());
        deferred.allow_changes();
        for request in [put(), list(), delete()] {
            assert!(remote.run_one(request).is_ok());
        }
    }
}
