//! What a failed request means to its caller.

use homefs_core::{Error, ErrorKind};
use object_store::Error as StoreError;

use super::trace::Seen;
use super::{Cloud, Trace, innermost};

/// Words by which servers say that the bucket itself is missing.
const NO_BUCKET: &[&str] = &["NoSuchBucket", "ContainerNotFound"];
/// Words for refused credentials that come with the status of a bad request.
const BAD_CREDENTIALS: &[&str] =
    &["ExpiredToken", "InvalidToken", "TokenRefreshRequired", "AuthenticationRequired"];
/// Words for a lost content that come with the status of a bad request.
const CUT_SHORT: &[&str] = &["BadDigest", "IncompleteBody", "RequestTimeout"];

impl Cloud {
    /// Makes an error of a failed request. The cause itself is not kept: it may show secrets.
    pub(super) fn error(&self, attempt: &str, cause: &StoreError, trace: &Trace) -> Error {
        let seen = trace.seen();
        let (kind, why) = match &seen {
            Seen::Refused(status, reason) => {
                let kind = kind_of_status(*status, reason, attempt);
                (kind, self.refusal(kind, *status, reason))
            }
            Seen::Broken(why) => {
                (ErrorKind::Unavailable, format!("no answer from {}: {why}", self.server))
            }
            Seen::NotSent | Seen::Unknown | Seen::Done => self.untraced(cause, &seen),
        };
        if kind == ErrorKind::Conflict {
            return conflict();
        }
        Error::new(kind, format!("cannot {attempt}: {why}"))
    }

    /// Says what a refusal means and what to do about it.
    fn refusal(&self, kind: ErrorKind, status: u16, reason: &str) -> String {
        let said =
            if reason.is_empty() { format!("{status}") } else { format!("{status} {reason}") };
        let server = &self.server;
        match kind {
            ErrorKind::NotFound => "there is no such object".to_owned(),
            ErrorKind::Denied => self.denied(&said),
            _ if NO_BUCKET.contains(&reason) || status == 404 => {
                format!("{server} has no such bucket ({said}): create it, or correct the address")
            }
            _ if (300..400).contains(&status) => {
                format!("the bucket is not in this region ({said}): name its region")
            }
            _ => format!("{server} answered {said}"),
        }
    }

    /// Says which credentials were refused.
    fn denied(&self, said: &str) -> String {
        let credentials = self.credentials.as_deref().unwrap_or("none");
        let skewed = said.contains("RequestTimeTooSkewed");
        let hint =
            if skewed { "set the clock of this machine" } else { "check them and their rights" };
        format!("{} refused the credentials ({credentials}), {said}: {hint}", self.server)
    }

    /// Explains an error that the server had no part in, or one of a request without a trace.
    fn untraced(&self, cause: &StoreError, seen: &Seen) -> (ErrorKind, String) {
        match cause {
            StoreError::NotFound { .. } => {
                (ErrorKind::NotFound, "there is no such object".to_owned())
            }
            StoreError::AlreadyExists { .. } | StoreError::Precondition { .. } => {
                (ErrorKind::Conflict, String::new())
            }
            StoreError::PermissionDenied { .. } | StoreError::Unauthenticated { .. } => {
                (ErrorKind::Denied, self.denied("no right"))
            }
            StoreError::InvalidPath { .. } => {
                (ErrorKind::Invalid, format!("a key is not usable: {}", innermost(cause)))
            }
            _ => match (&self.credentials, seen) {
                (None, _) => (ErrorKind::Invalid, innermost(cause)),
                (Some(credentials), Seen::NotSent) => {
                    let why =
                        format!("there are no credentials ({credentials}): {}", innermost(cause));
                    (ErrorKind::Denied, why)
                }
                _ => {
                    let server = &self.server;
                    (
                        ErrorKind::Unavailable,
                        format!("no whole answer from {server}: {}", innermost(cause)),
                    )
                }
            },
        }
    }
}

/// Makes the error of a put whose condition does not hold.
pub(super) fn conflict() -> Error {
    Error::new(ErrorKind::Conflict, "the object is not as the put expects it")
}

/// Returns what a refusal means to whoever attempted this.
fn kind_of_status(status: u16, reason: &str, attempt: &str) -> ErrorKind {
    match (status, attempt) {
        (404, "get") if !NO_BUCKET.contains(&reason) => ErrorKind::NotFound,
        // Some servers say so when what was to be replaced is gone.
        (404, "replace") if !NO_BUCKET.contains(&reason) => ErrorKind::Conflict,
        (409 | 412, "put" | "replace") => ErrorKind::Conflict,
        (401 | 403, _) => ErrorKind::Denied,
        (400, _) if BAD_CREDENTIALS.contains(&reason) => ErrorKind::Denied,
        (400, _) if CUT_SHORT.contains(&reason) => ErrorKind::Unavailable,
        (405 | 501, _) => ErrorKind::Unsupported,
        (408 | 409 | 429 | 500.., _) => ErrorKind::Unavailable,
        _ => ErrorKind::Invalid,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_of_a_refusal_says_what_to_do() {
        let check = |status, reason, attempt, expected| {
            let kind = kind_of_status(status, reason, attempt);
            assert_eq!(kind, expected, "{status} {reason} {attempt}");
        };
        check(404, "NoSuchKey", "get", ErrorKind::NotFound);
        check(404, "", "get", ErrorKind::NotFound);
        check(404, "NoSuchBucket", "get", ErrorKind::Invalid);
        check(404, "NoSuchBucket", "put", ErrorKind::Invalid);
        check(404, "NoSuchBucket", "replace", ErrorKind::Invalid);
        check(404, "NoSuchKey", "replace", ErrorKind::Conflict);
        check(412, "PreconditionFailed", "replace", ErrorKind::Conflict);
        check(409, "ConditionalRequestConflict", "put", ErrorKind::Conflict);
        check(409, "ContainerBeingDeleted", "get", ErrorKind::Unavailable);
        check(401, "", "list", ErrorKind::Denied);
        check(403, "SignatureDoesNotMatch", "get", ErrorKind::Denied);
        check(400, "ExpiredToken", "get", ErrorKind::Denied);
        check(400, "IncompleteBody", "put", ErrorKind::Unavailable);
        check(400, "InvalidArgument", "put", ErrorKind::Invalid);
        check(416, "InvalidRange", "get", ErrorKind::Invalid);
        check(301, "PermanentRedirect", "get", ErrorKind::Invalid);
        check(501, "NotImplemented", "put", ErrorKind::Unsupported);
        check(429, "TooManyRequests", "get", ErrorKind::Unavailable);
        check(503, "SlowDown", "put", ErrorKind::Unavailable);
    }
}
