//! The one public error of the workspace.

use std::error::Error as StdError;
use std::fmt;
use std::io;
use std::sync::Arc;

use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use crate::{Path, without_userinfo};

/// The result of everything that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What a caller should do about an error; messages may change, kinds may not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Nothing of that name exists, or the agent may not know that it does.
    NotFound,
    /// Something of that name exists already.
    AlreadyExists,
    /// A part of the path is not a directory.
    NotADirectory,
    /// The path is a directory where a file is needed.
    IsADirectory,
    /// The directory still has entries.
    NotEmpty,
    /// The agent sees the path but lacks the right.
    Denied,
    /// The request makes no sense as given; repeating it will not help.
    Invalid,
    /// The state is not what the caller said it expects.
    Conflict,
    /// A quota, a disk or another bound is full.
    LimitExceeded,
    /// Not possible now; the same call may succeed later.
    Unavailable,
    /// Stored bytes are not what was written.
    Corrupt,
    /// This place cannot do that.
    Unsupported,
    /// The store is closed, or takes no more changes until it is opened again.
    Closed,
    /// A defect of homefs.
    Internal,
    /// Nothing can be changed here, whoever asks.
    ReadOnly,
}

impl ErrorKind {
    /// Every kind, for tables that must cover all of them.
    pub const ALL: [Self; 15] = [
        Self::NotFound,
        Self::AlreadyExists,
        Self::NotADirectory,
        Self::IsADirectory,
        Self::NotEmpty,
        Self::Denied,
        Self::Invalid,
        Self::Conflict,
        Self::LimitExceeded,
        Self::Unavailable,
        Self::Corrupt,
        Self::Unsupported,
        Self::Closed,
        Self::Internal,
        Self::ReadOnly,
    ];

    /// Returns the name under which every face shows the kind.
    pub fn name(self) -> &'static str {
        self.faces().0
    }

    /// Returns the Linux errno that says the same.
    pub fn errno(self) -> i32 {
        self.faces().1.raw_os_error()
    }

    /// Returns the exit code of a command that failed so: 1 is "no", 2 is "could not".
    pub fn exit_code(self) -> u8 {
        self.faces().2
    }

    /// One row per kind: what each face shows.
    fn faces(self) -> (&'static str, Errno, u8) {
        use rustix::io::Errno;
        match self {
            Self::NotFound => ("not-found", Errno::NOENT, 1),
            Self::AlreadyExists => ("already-exists", Errno::EXIST, 1),
            Self::NotADirectory => ("not-a-directory", Errno::NOTDIR, 2),
            Self::IsADirectory => ("is-a-directory", Errno::ISDIR, 2),
            Self::NotEmpty => ("not-empty", Errno::NOTEMPTY, 2),
            Self::Denied => ("denied", Errno::ACCESS, 2),
            Self::Invalid => ("invalid", Errno::INVAL, 2),
            Self::Conflict => ("conflict", Errno::STALE, 1),
            Self::LimitExceeded => ("limit-exceeded", Errno::NOSPC, 2),
            Self::Unavailable => ("unavailable", Errno::AGAIN, 2),
            Self::Corrupt => ("corrupt", Errno::UCLEAN, 2),
            Self::Unsupported => ("unsupported", Errno::OPNOTSUPP, 2),
            Self::Closed => ("closed", Errno::ROFS, 2),
            Self::Internal => ("internal", Errno::IO, 2),
            Self::ReadOnly => ("read-only", Errno::ROFS, 2),
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Which refusal it is, where programs tell several of one kind apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ErrorCode {
    /// A name or a path has too many bytes.
    NameTooLong,
    /// Links lead in a circle, or over too many others.
    TooManyLinks,
    /// A file is longer than it can be, or than can be read at once.
    FileTooLarge,
    /// The clock of this machine is not that of the remote.
    WrongClock,
    /// The part of an object that was asked for is after its end.
    BeyondEnd,
    /// The disk has no room for the change, but may have some for one that frees room.
    NoRoom,
    /// A page of a source cannot be put together from its parts.
    NotWhole,
}

impl ErrorCode {
    /// Every code, for tables that must cover all of them.
    pub const ALL: [Self; 7] = [
        Self::NameTooLong,
        Self::TooManyLinks,
        Self::FileTooLarge,
        Self::WrongClock,
        Self::BeyondEnd,
        Self::NoRoom,
        Self::NotWhole,
    ];

    /// Returns the name under which every face shows the code.
    pub fn name(self) -> &'static str {
        match self {
            Self::NameTooLong => "name-too-long",
            Self::TooManyLinks => "too-many-links",
            Self::FileTooLarge => "file-too-large",
            Self::WrongClock => "wrong-clock",
            Self::BeyondEnd => "beyond-end",
            Self::NoRoom => "no-room",
            Self::NotWhole => "not-whole",
        }
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Says what was attempted, on which path, and why it failed.
#[derive(Clone, Debug)]
pub struct Error {
    // Boxed so that a `Result` on the hot path stays small.
    inner: Box<Inner>,
}

#[derive(Clone, Debug)]
struct Inner {
    kind: ErrorKind,
    code: Option<ErrorCode>,
    message: String,
    path: Option<String>,
    source: Option<Arc<dyn StdError + Send + Sync>>,
}

impl Error {
    /// Makes an error; the message is lower case and has no full stop.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        let inner = Inner { kind, code: None, message: message.into(), path: None, source: None };
        Self { inner: Box::new(inner) }
    }

    /// As [`Self::io`], about a place of the host.
    pub fn io_at(attempt: &str, place: &std::path::Path, cause: io::Error) -> Self {
        Self::io(attempt, cause).with_path_text(place.display().to_string())
    }

    /// Makes an error of a failed host call, with the kind that its cause asks for; `attempt` is a
    /// verb and its object, as in "read the journal".
    pub fn io(attempt: &str, cause: io::Error) -> Self {
        debug_assert!(!attempt.starts_with("cannot"), "\"cannot\" is added here");
        let kind = match cause.kind() {
            io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded
            | io::ErrorKind::FileTooLarge => ErrorKind::LimitExceeded,
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                ErrorKind::Denied
            }
            io::ErrorKind::NotFound => ErrorKind::NotFound,
            io::ErrorKind::NotADirectory => ErrorKind::NotADirectory,
            // What no path of the host can be: it has a NUL, or is too long.
            io::ErrorKind::InvalidFilename => ErrorKind::Invalid,
            io::ErrorKind::InvalidInput if cause.raw_os_error().is_none() => ErrorKind::Invalid,
            io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => ErrorKind::Unavailable,
            // Too many open files, here or on the whole host: some are closed again.
            _ if Errno::from_io_error(&cause)
                .is_some_and(|errno| [Errno::MFILE, Errno::NFILE].contains(&errno)) =>
            {
                ErrorKind::Unavailable
            }
            _ => ErrorKind::Internal,
        };
        Self::new(kind, format!("cannot {attempt}")).with_source(cause)
    }

    /// Says which refusal of its kind it is.
    #[must_use]
    pub fn with_code(mut self, code: impl Into<Option<ErrorCode>>) -> Self {
        self.inner.code = code.into();
        self
    }

    /// Names the path the error is about, unless one is named already.
    #[must_use]
    pub fn with_path(self, path: &Path) -> Self {
        self.with_path_text(path.as_str())
    }

    /// Names the path as text, for a path that could not be read as one or that is on the host.
    #[must_use]
    pub fn with_path_text(mut self, path: impl Into<String>) -> Self {
        self.inner.path.get_or_insert_with(|| {
            let path = path.into();
            // A path of a home is as it is; an address may hold a password.
            if path.starts_with('/') { path } else { without_userinfo(&path).into_owned() }
        });
        self
    }

    /// Names what the user asked for, and says after the message which place of the host it is
    /// about.
    #[must_use]
    pub fn within(mut self, path: impl Into<String>) -> Self {
        if let Some(place) = self.inner.path.replace(path.into()) {
            self.inner.message = format!("{} (in {place})", self.inner.message);
        }
        self
    }

    /// Adds the cause.
    #[must_use]
    pub fn with_source(mut self, source: impl StdError + Send + Sync + 'static) -> Self {
        self.inner.source = Some(Arc::new(source));
        self
    }

    /// Returns what a caller should do about it.
    pub fn kind(&self) -> ErrorKind {
        self.inner.kind
    }

    /// Returns which refusal of its kind it is, if programs tell them apart.
    pub fn code(&self) -> Option<ErrorCode> {
        self.inner.code
    }

    /// Returns what was attempted and why it failed, without the path.
    pub fn message(&self) -> &str {
        &self.inner.message
    }

    /// Returns the path it is about.
    pub fn path(&self) -> Option<&str> {
        self.inner.path.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.inner.path {
            Some(path) => write!(f, "{path}: {}", self.inner.message),
            None => f.write_str(&self.inner.message),
        }
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.inner.source.as_deref().map(|source| source as &(dyn StdError + 'static))
    }
}

/// Makes the error of a name that means nothing, or nothing that may be seen: every face says the
/// same, so that none tells them apart.
pub fn not_found() -> Error {
    Error::new(ErrorKind::NotFound, "no such file or directory")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_own_name_and_errno() {
        let names: std::collections::HashSet<_> = ErrorKind::ALL.map(ErrorKind::name).into();
        let errnos: std::collections::HashSet<_> = ErrorKind::ALL.map(ErrorKind::errno).into();
        // A store that takes no more changes is read-only to every program.
        let all = ErrorKind::ALL.len();
        assert_eq!((names.len(), errnos.len()), (all, all - 1));
        assert_eq!(ErrorKind::Closed.errno(), ErrorKind::ReadOnly.errno());
        assert!(ErrorKind::ALL.iter().all(|kind| matches!(kind.exit_code(), 1 | 2)));
    }

    #[test]
    fn every_code_has_its_own_name() {
        let names: std::collections::HashSet<_> = ErrorCode::ALL.map(ErrorCode::name).into();
        assert_eq!(names.len(), ErrorCode::ALL.len());
    }

    #[test]
    fn a_full_disk_is_told_from_a_defect() {
        let full = io::Error::from(io::ErrorKind::StorageFull);
        let error = Error::io("append to the journal", full);
        assert_eq!(error.kind(), ErrorKind::LimitExceeded);
        assert_eq!(error.to_string(), "cannot append to the journal");
    }
}
