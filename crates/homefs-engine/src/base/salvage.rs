//! What can be saved of a base that is damaged.

use std::path::Path as HostPath;

use homefs_core::Result;

use super::Base;

/// Placeholder.
pub(crate) fn salvage(_damaged: &HostPath, _fresh: &Base) -> Result<String> {
    Ok("nothing could be saved".into())
}
