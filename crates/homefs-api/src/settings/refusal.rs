//! Why settings cannot be used.

use std::fmt;

use homefs_core::{Error, ErrorKind};

/// Why settings cannot be used, and what a person can do about it.
#[derive(Debug)]
pub struct Refusal {
    /// What is wrong.
    pub error: Error,
    /// What helps.
    pub hint: Option<String>,
}

impl Refusal {
    /// Makes one of a setting that makes no sense.
    pub(super) fn new(message: impl Into<String>) -> Self {
        Error::new(ErrorKind::Invalid, message).into()
    }

    /// Adds what helps.
    #[must_use]
    pub(super) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.error)?;
        self.hint.as_ref().map_or(Ok(()), |hint| write!(f, " ({hint})"))
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self { error, hint: None }
    }
}

/// A face that shows errors only says the hint with them.
impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        match refusal.hint {
            Some(_) if refusal.error.kind() == ErrorKind::Invalid => {
                Self::new(ErrorKind::Invalid, refusal.to_string())
            }
            _ => refusal.error,
        }
    }
}
