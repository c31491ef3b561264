//! Errors as the kernel knows them.

use fuser::Errno;
use homefs_core::{Error, ErrorKind};

/// What a handler answers.
pub(crate) type Answer<T> = Result<T, Errno>;

/// Turns an error into its number. What is no fault of the caller is also logged, since a number
/// does not say why.
pub(crate) fn errno(error: &Error) -> Errno {
    match error.kind() {
        ErrorKind::Corrupt | ErrorKind::Internal | ErrorKind::Closed | ErrorKind::Unavailable => {
            tracing::error!(%error, "a call through the mount failed");
        }
        _ => {}
    }
    Errno::from_i32(error.kind().errno())
}

/// As [`errno`], for moving and linking, where another space is another device.
pub(crate) fn errno_across(error: &Error) -> Errno {
    match error.kind() {
        ErrorKind::Unsupported => Errno::EXDEV,
        _ => errno(error),
    }
}

/// Reads a name that the kernel gave.
pub(crate) fn name(name: &std::ffi::OsStr) -> Answer<&str> {
    if name.len() > homefs_core::limits::NAME_BYTES_MAX {
        return Err(Errno::ENAMETOOLONG);
    }
    // Paths of homefs are text; other bytes could not travel to other machines and faces.
    name.to_str().ok_or(Errno::EILSEQ)
}
