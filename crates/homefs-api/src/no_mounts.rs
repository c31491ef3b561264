//! Stands in for the mounts of an owner that is built without the feature `mount`.

use std::sync::Arc;

use homefs_core::{Error, ErrorKind, Result};
use homefs_view::View;
use parking_lot::Mutex;

use crate::client::ClientOptions;
use crate::message::{Answer, MountCall};
use crate::role::Tenure;

/// No mounts.
pub(crate) struct Mounts;

impl Mounts {
    /// Makes none.
    pub(crate) fn new(_: &ClientOptions, _: &Arc<Mutex<Tenure>>) -> Self {
        Self
    }

    /// Refuses whatever is asked.
    #[expect(clippy::unused_self, reason = "it stands in for one that looks at itself")]
    pub(crate) fn answer(&self, _: &View, _: MountCall) -> Result<Answer> {
        Err(Error::new(ErrorKind::Unsupported, "the owner is built without mounts"))
    }

    /// Has nothing to end.
    #[expect(clippy::unused_self, reason = "it stands in for one that looks at itself")]
    pub(crate) fn end(&self) {}
}
