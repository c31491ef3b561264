//! What a command that did not succeed says: message, causes, hints and exit code, all as data.

use std::error::Error as StdError;
use std::io;
use std::path::Path as HostPath;

use homefs_api::settings::Refusal;
use homefs_core::{Error, ErrorCode, ErrorKind};
use serde_json::{Value, json};

/// The result of a command or a part of it.
pub(crate) type Result<T, E = Failure> = std::result::Result<T, E>;

/// Why a command did not succeed.
#[derive(Debug)]
pub(crate) struct Failure {
    /// What was attempted and why it failed; empty for a plain "no".
    pub(crate) message: String,
    /// What a program should do about it.
    pub(crate) kind: Option<ErrorKind>,
    /// Which refusal of its kind it is, where programs tell several apart.
    pub(crate) refusal: Option<ErrorCode>,
    /// The path it is about.
    pub(crate) path: Option<String>,
    /// What lies behind it, nearest first.
    pub(crate) causes: Vec<String>,
    /// What a person can do about it.
    pub(crate) hints: Vec<String>,
    /// The exit code: 1 is "no", 2 is "could not".
    pub(crate) code: u8,
}

impl Failure {
    /// Makes a failure that is not the store's; the message is lower case without a full stop.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            kind: None,
            refusal: None,
            path: None,
            causes: Vec::new(),
            hints: Vec::new(),
            code: 2,
        }
    }

    /// Makes the answer "no": nothing found, differs, not sound.
    pub(crate) fn no(message: impl Into<String>) -> Self {
        Self { code: 1, ..Self::new(message) }
    }

    /// Adds what a person can do about it.
    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Returns everything but the exit code, for programs.
    pub(crate) fn json(&self) -> Value {
        json!({ "error": {
            "kind": self.kind.map_or("command", ErrorKind::name),
            "code": self.refusal.map(ErrorCode::name),
            "message": self.message,
            "path": self.path,
            "causes": self.causes,
            "hints": self.hints,
        }})
    }

    /// Makes the failure to open a store.
    pub(crate) fn store(dir: &HostPath, error: Error) -> Self {
        // A store that may not be opened names the file: otherwise it is open, and the session is
        // refused.
        if error.kind() == ErrorKind::Denied && error.path().is_none() {
            return Self { code: 2, hints: Vec::new(), ..Self::from(error) };
        }
        // The engine names the directory in its absolute form; once is enough.
        let dir = std::path::absolute(dir).unwrap_or_else(|_| dir.to_owned());
        let dir = dir.display().to_string();
        let why =
            if error.path() == Some(&dir) { error.message().into() } else { error.to_string() };
        // The hints and the path of something inside a store would mislead here.
        let hints = match error.kind() {
            ErrorKind::Corrupt => {
                vec!["`homefs fsck --repair` sets damaged parts aside and keeps the rest"]
            }
            ErrorKind::Unavailable => vec!["let it go on or end it; --deadline waits longer"],
            ErrorKind::Unsupported => vec!["use the homefs that wrote it, or a newer one"],
            _ => vec![
                "--store or HOMEFS_STORE names another directory",
                "`homefs doctor` tells more",
            ],
        };
        Self {
            message: format!("the store {dir} does not open: {why}"),
            path: None,
            hints: hints.into_iter().map(Into::into).collect(),
            // Whatever kept it from opening, the question that was asked has no answer.
            code: 2,
            ..Self::from(error)
        }
    }

    /// Returns message and causes in one line.
    pub(crate) fn told(&self) -> String {
        let parts = std::iter::once(&self.message).chain(&self.causes);
        parts.map(String::as_str).collect::<Vec<_>>().join(": ")
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let causes = std::iter::successors(error.source(), |&cause| cause.source())
            .map(ToString::to_string)
            .collect();
        Self {
            message: error.to_string(),
            kind: Some(error.kind()),
            refusal: error.code(),
            path: error.path().map(Into::into),
            causes,
            hints: hint(&error).map(Into::into).into_iter().collect(),
            code: error.kind().exit_code(),
        }
    }
}

impl From<Refusal> for Failure {
    fn from(Refusal { error, hint }: Refusal) -> Self {
        let failure = Self::from(error);
        // A setting that makes no sense is a mistake of the command, not an answer of a store.
        let kind = failure.kind.filter(|kind| *kind != ErrorKind::Invalid);
        let failure = Self { kind, code: 2, ..failure };
        hint.into_iter().fold(failure, Self::hint)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::from(Error::io("print the result", error))
    }
}

/// Returns what usually helps against an error of its kind.
fn hint(error: &Error) -> Option<&'static str> {
    Some(match error.kind() {
        _ if error.code() == Some(ErrorCode::NotWhole) => {
            "`homefs sources --refresh PATH` looks at the source again; `homefs attach` with \
             --set index-key=NAME says what orders the parts of a page"
        }
        // The host said so: neither grants nor a defect have to do with it.
        ErrorKind::Denied | ErrorKind::Internal if error.source().is_some() => return None,
        ErrorKind::Conflict => "read the file again and repeat with its version as --if-version",
        ErrorKind::Denied => {
            "`homefs grants PATH` shows who may do what here; --operator holds every right"
        }
        ErrorKind::NotEmpty => "-r removes a directory with everything in it",
        ErrorKind::LimitExceeded => {
            "`homefs spaces` shows quotas, `homefs status` shows how full the disk is"
        }
        ErrorKind::Unavailable => "try again; --deadline waits longer",
        ErrorKind::Corrupt => "`homefs fsck` tells what is damaged",
        ErrorKind::Closed => "`homefs doctor` tells why the store takes no changes",
        ErrorKind::Internal => "this is a defect of homefs; please report it with this message",
        _ => return None,
    })
}
