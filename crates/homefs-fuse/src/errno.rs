//! Errors as the kernel knows them.

use std::ffi::OsStr;

use fuser::Errno;
use homefs_core::{Error, ErrorKind};
use homefs_view::Kind;

/// What a handler answers.
pub(crate) type Answer<T> = Result<T, Errno>;

/// Turns an error into its number. What is no fault of the caller is also logged, since a number
/// does not say why.
#[expect(clippy::needless_pass_by_value, reason = "it stands in `map_err`")]
pub(crate) fn errno(error: Error) -> Errno {
    match error.kind() {
        ErrorKind::Corrupt | ErrorKind::Internal | ErrorKind::Closed | ErrorKind::Unavailable => {
            tracing::error!(%error, "a call through the mount failed");
        }
        _ => {}
    }
    match error.kind() {
        // The usual number means "not yet" of a file that never blocks, and there are programs
        // that take what they have read so far for all of it then.
        ErrorKind::Unavailable => Errno::ETIMEDOUT,
        kind => Errno::from_i32(kind.errno()),
    }
}

/// As [`errno`], for moving and linking, where another space is another device.
pub(crate) fn errno_across(error: Error) -> Errno {
    match error.kind() {
        ErrorKind::Unsupported => Errno::EXDEV,
        _ => errno(error),
    }
}

/// As [`errno`], where what is not found is an attribute.
pub(crate) fn errno_xattr(error: Error) -> Errno {
    match error.kind() {
        ErrorKind::NotFound => Errno::ENODATA,
        _ => errno(error),
    }
}

/// Says that a device is not made as the kernel says it to who may not make any.
pub(crate) fn errno_device(kind: Kind, errno: Errno) -> Errno {
    if kind.is_device() && errno.code() == libc::EACCES { Errno::EPERM } else { errno }
}

/// Reads the name of an extended attribute; homefs keeps those of users only.
pub(crate) fn xattr_name(name: &OsStr) -> Answer<&str> {
    let name = name.to_str().ok_or(Errno::EILSEQ)?;
    if name.starts_with("user.") { Ok(name) } else { Err(Errno::EOPNOTSUPP) }
}

/// Reads a name that the kernel gave.
pub(crate) fn name(name: &OsStr) -> Answer<&str> {
    if name.len() > homefs_core::limits::NAME_BYTES_MAX {
        return Err(Errno::ENAMETOOLONG);
    }
    // Paths of homefs are text; other bytes could not travel to other machines and faces.
    name.to_str().ok_or(Errno::EILSEQ)
}
