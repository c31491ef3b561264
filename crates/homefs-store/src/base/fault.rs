//! What can go wrong inside the base, and the one place where it becomes an [`Error`].

use std::io;
use std::path::Path as HostPath;

use homefs_core::{Error, ErrorKind};
use rusqlite::ErrorCode;

/// A failure inside the base, before it is known which call it ends.
#[derive(Debug, thiserror::Error)]
pub(super) enum Fault {
    /// `SQLite` failed or found a value of the wrong type.
    #[error(transparent)]
    Sql(#[from] rusqlite::Error),
    /// A stored value is not one that homefs writes.
    #[error("{0}")]
    Damaged(String),
    /// A failure that says everything already.
    #[error(transparent)]
    Told(#[from] Error),
}

impl From<rusqlite::types::FromSqlError> for Fault {
    fn from(error: rusqlite::types::FromSqlError) -> Self {
        Self::Damaged(error.to_string())
    }
}

impl Fault {
    /// Makes the public error of a call that attempted `what` on `file`.
    pub(super) fn into_error(self, what: &str, file: &HostPath) -> Error {
        let error = match self {
            Self::Told(error) => error,
            Self::Damaged(why) => Error::new(ErrorKind::Corrupt, format!("cannot {what}: {why}")),
            Self::Sql(error) => match cause_of(&error, file) {
                Some(cause) => Error::io(what, cause),
                None => Error::new(kind(&error), format!("cannot {what}")).with_source(error),
            },
        };
        error.with_path_text(file.to_string_lossy())
    }
}

/// Asks the host why a file cannot be opened: `SQLite` says only that it cannot.
#[expect(clippy::disallowed_methods, reason = "a base is a host file")]
fn cause_of(error: &rusqlite::Error, file: &HostPath) -> Option<io::Error> {
    let is_asked = error.sqlite_error_code() == Some(ErrorCode::CannotOpen);
    is_asked.then(|| std::fs::File::open(file).err()).flatten()
}

fn kind(error: &rusqlite::Error) -> ErrorKind {
    let rusqlite::Error::SqliteFailure(failure, _) = error else {
        return match error {
            // The statements are fixed, so a value or table they cannot read was not written by
            // homefs.
            rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::Utf8Error(..)
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::QueryReturnedNoRows
            | rusqlite::Error::SqlInputError { .. } => ErrorKind::Corrupt,
            _ => ErrorKind::Internal,
        };
    };
    match failure.code {
        ErrorCode::DiskFull | ErrorCode::TooBig => ErrorKind::LimitExceeded,
        ErrorCode::DatabaseCorrupt
        | ErrorCode::NotADatabase
        | ErrorCode::ConstraintViolation
        | ErrorCode::TypeMismatch
        | ErrorCode::Unknown => ErrorKind::Corrupt,
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => ErrorKind::Unavailable,
        ErrorCode::PermissionDenied | ErrorCode::ReadOnly | ErrorCode::CannotOpen => {
            ErrorKind::Denied
        }
        _ => ErrorKind::Internal,
    }
}
