//! Errors on their way to JavaScript.

use std::error::Error as StdError;

use homefs_core::{Error, ErrorCode, ErrorKind};
use napi::Status;
use napi_derive::napi;

/// What JavaScript shows of a kind of error.
///
/// @internal
#[napi(object, object_from_js = false)]
pub struct KindRow {
    /// The name of the kind, the same in every face.
    pub kind: &'static str,
    /// The code as Node.js names it.
    pub code: &'static str,
    /// The number of the code, negative as Node.js has it.
    pub errno: i32,
}

/// Lists every kind of error.
#[napi(skip_typescript)]
pub fn error_kinds() -> Vec<KindRow> {
    ErrorKind::ALL
        .into_iter()
        .map(|kind| KindRow { kind: kind.name(), code: code(kind), errno: -kind.errno() })
        .collect()
}

/// Returns the name of a kind's errno.
fn code(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::NotFound => "ENOENT",
        ErrorKind::AlreadyExists => "EEXIST",
        ErrorKind::NotADirectory => "ENOTDIR",
        ErrorKind::IsADirectory => "EISDIR",
        ErrorKind::NotEmpty => "ENOTEMPTY",
        ErrorKind::Denied => "EACCES",
        ErrorKind::Invalid => "EINVAL",
        ErrorKind::Conflict => "ESTALE",
        ErrorKind::LimitExceeded => "ENOSPC",
        ErrorKind::Unavailable => "EAGAIN",
        ErrorKind::Corrupt => "EUCLEAN",
        ErrorKind::Unsupported => "EOPNOTSUPP",
        ErrorKind::Closed | ErrorKind::ReadOnly => "EROFS",
        // The kinds may become more; a test in JavaScript looks for one that has no code here.
        _ => "EIO",
    }
}

/// Encodes an error as one text: kind, code, path and message, each after a NUL. One in a path or
/// message is shown as it is written in JavaScript.
pub(crate) fn thrown(error: &Error) -> napi::Error {
    let mut message = error.message().to_owned();
    let mut cause = error.source();
    while let Some(source) = cause {
        message.push_str(": ");
        message.push_str(&source.to_string());
        cause = source.source();
    }
    let plain = |text: &str| text.replace('\0', "\\0");
    let path = plain(error.path().unwrap_or_default());
    let code = error.code().map_or("", ErrorCode::name);
    let text = format!("\0{}\0{code}\0{path}\0{}", error.kind().name(), plain(&message));
    napi::Error::new(Status::GenericFailure, text)
}
