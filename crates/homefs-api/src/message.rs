//! What travels between a client and the owner once they have greeted each other.

use std::error::Error as StdError;
use std::fmt;
use std::path::PathBuf;

use bytes::Bytes;
use homefs_core::{Error, ErrorCode, ErrorKind, Path, Version};
use homefs_view::{Mount, WriteOptions};
use serde::{Deserialize, Serialize};

use crate::operations::{Request, Response};

/// What a client asks.
///
/// A connection carries one call at a time, and one upload at a time: a new one ends the old.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Call {
    /// An operation; one that changes has a number, so that a repeat is recognised.
    Request { number: Option<u64>, request: Request },
    /// Starts to write a file of any size; the number is that of its change.
    UploadOpen { number: u64, path: Path, options: WriteOptions },
    /// Adds bytes to the upload.
    UploadPush(Bytes),
    /// Makes the upload the content of its file.
    UploadFinish,
    /// Waits on for an operation that is under way on this connection.
    GoOn,
    /// Asks the owner to give the store up.
    HandOver,
    /// Asks for something about the owner's mounts.
    Mounts(MountCall),
}

/// What a client asks about mounts; an owner built without them does not support it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum MountCall {
    /// Serve one more mount.
    Mount { dir: PathBuf, read_only: bool, allow_other: bool, special: bool },
    /// Take a mount away.
    Unmount { dir: PathBuf, lazy: bool },
    /// List the mounts, once that at `ending` has ended or a moment has passed.
    List { ending: Option<PathBuf> },
}

/// What the owner answers.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Answer {
    /// The answer of an operation.
    Response(Box<Response>),
    /// The operation is still under way.
    Working,
    /// The change that an upload became.
    Version(Version),
    /// It is done, or will be.
    Done,
    /// The owner's mounts.
    Mounts(Vec<Mount>),
}

/// An answer, or why there is none.
pub(crate) type Reply = Result<Answer, ErrorMessage>;

/// An [`Error`] as it travels.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ErrorMessage {
    kind: ErrorKind,
    code: Option<ErrorCode>,
    message: String,
    path: Option<String>,
    /// The causes as text, nearest first.
    causes: Vec<String>,
}

impl From<Error> for ErrorMessage {
    fn from(error: Error) -> Self {
        let causes = std::iter::successors(error.source(), |&cause| cause.source())
            .map(ToString::to_string)
            .collect();
        Self {
            kind: error.kind(),
            code: error.code(),
            message: error.message().to_owned(),
            path: error.path().map(str::to_owned),
            causes,
        }
    }
}

impl From<ErrorMessage> for Error {
    fn from(message: ErrorMessage) -> Self {
        let mut error = Self::new(message.kind, message.message).with_code(message.code);
        if let Some(path) = message.path {
            error = error.with_path_text(path);
        }
        let chain = message
            .causes
            .into_iter()
            .rev()
            .fold(None, |source, text| Some(Box::new(Cause { text, source })));
        match chain {
            Some(cause) => error.with_source(*cause),
            None => error,
        }
    }
}

/// One cause of an error that happened in the owner.
#[derive(Debug)]
struct Cause {
    text: String,
    source: Option<Box<Cause>>,
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl StdError for Cause {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_deref().map(|cause| cause as &(dyn StdError + 'static))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_arrives_as_it_left() {
        let disk = std::io::Error::other("disk on fire");
        let inner = Error::io("append to the journal", disk);
        let error = Error::new(ErrorKind::Closed, "write a file").with_path_text("/a");
        let error = error.with_code(ErrorCode::TooManyLinks);
        for error in [error.clone(), error.with_source(inner)] {
            let sent = postcard::to_stdvec(&ErrorMessage::from(error.clone())).unwrap();
            let found = Error::from(postcard::from_bytes::<ErrorMessage>(&sent).unwrap());
            assert_eq!((found.kind(), found.path()), (error.kind(), error.path()));
            assert_eq!(found.code(), error.code());
            assert_eq!(found.message(), error.message());
            let texts = |error: &Error| {
                std::iter::successors(error.source(), |&cause| cause.source())
                    .map(ToString::to_string)
                    .collect::<Vec<_>>()
            };
            assert_eq!(texts(&found), texts(&error));
        }
    }
}
