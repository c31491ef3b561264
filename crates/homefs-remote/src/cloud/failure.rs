//! What a failed request means to its caller.

use homefs_core::{Error, ErrorCode, ErrorKind};
use object_store::Error as StoreError;

use super::trace::{Refusal, Seen};
use super::{Cloud, Trace, innermost};

/// Words by which servers say that the bucket itself is missing.
const NO_BUCKET: &[&str] = &["NoSuchBucket", "ContainerNotFound"];
/// Words for refused credentials that come with the status of a bad request.
const BAD_CREDENTIALS: &[&str] =
    &["ExpiredToken", "InvalidToken", "TokenRefreshRequired", "AuthenticationRequired"];
/// Words by which servers say that a bucket is full, whatever the status.
const FULL: &[&str] = &[
    "QuotaExceeded",
    "XMinioStorageFull",
    "XMinioAdminBucketQuotaExceeded",
    "InsufficientStorage",
];
/// Words by which servers say that the bucket is in another region.
const ELSEWHERE: &[&str] = &["PermanentRedirect", "AuthorizationHeaderMalformed"];
/// Two clocks that differ by more seconds than this are a reason to refuse.
const CLOCKS_APART: u64 = 300;
/// Words for a lost content that come with the status of a bad request.
const CUT_SHORT: &[&str] = &["BadDigest", "IncompleteBody", "RequestTimeout"];

impl Cloud {
    /// Makes an error of a failed request. The cause itself is not kept: it may show secrets.
    pub(super) fn error(&self, attempt: &str, cause: &StoreError, trace: &Trace) -> Error {
        let seen = trace.seen();
        let (kind, why) = match &seen {
            Seen::Refused(refusal) => {
                let kind = kind_of_status(refusal.status, &refusal.reason, attempt);
                (kind, self.refusal(kind, attempt, refusal))
            }
            Seen::Broken(why) => {
                (ErrorKind::Unavailable, format!("no answer from {}: {why}", self.server))
            }
            Seen::NotSent | Seen::Unknown | Seen::Done => self.untraced(cause, &seen),
        };
        if kind == ErrorKind::Conflict {
            return conflict();
        }
        let is_clock = |refusal: &Refusal| kind == ErrorKind::Denied && is_clock_wrong(refusal);
        let code = match &seen {
            Seen::Refused(refusal) if is_clock(refusal) => Some(ErrorCode::WrongClock),
            Seen::Refused(refusal) if refusal.status == 416 => Some(ErrorCode::BeyondEnd),
            _ => None,
        };
        Error::new(kind, format!("cannot {attempt}: {why}")).with_code(code)
    }

    /// Says what a refusal means and what to do about it.
    fn refusal(&self, kind: ErrorKind, attempt: &str, refusal: &Refusal) -> String {
        let Refusal { status, reason, region, behind } = refusal;
        let said =
            if reason.is_empty() { format!("{status}") } else { format!("{status} {reason}") };
        let server = &self.server;
        match kind {
            ErrorKind::NotFound => "there is no such object".to_owned(),
            ErrorKind::Denied if is_clock_wrong(refusal) => {
                let how = apart(*behind).map_or_else(|| "far from that".to_owned(), told_apart);
                format!("the clock of this machine is {how} of {server} ({said}): set it")
            }
            ErrorKind::Denied if reason == "AccessDenied" && attempt != "get" => {
                let credentials = self.credentials.as_deref().unwrap_or("none");
                format!("{server} does not let these credentials ({credentials}) do that, {said}")
            }
            ErrorKind::Denied => self.denied(&said),
            ErrorKind::LimitExceeded => format!("the bucket is full ({said})"),
            _ if NO_BUCKET.contains(&reason.as_str()) || *status == 404 => {
                format!("{server} has no such bucket ({said}): create it, or correct the address")
            }
            _ if (300..400).contains(status) || ELSEWHERE.contains(&reason.as_str()) => {
                let region = region.as_deref().unwrap_or("another");
                format!("the bucket is in the region {region} ({said}): name that with --region")
            }
            _ => format!("{server} answered {said}"),
        }
    }

    /// Says which credentials were refused.
    fn denied(&self, said: &str) -> String {
        let credentials = self.credentials.as_deref().unwrap_or("none");
        let server = &self.server;
        format!(
            "{server} refused the credentials ({credentials}), {said}: check them and their rights"
        )
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

/// Tells whether a request was refused because of when this machine says it was made.
fn is_clock_wrong(refusal: &Refusal) -> bool {
    apart(refusal.behind).is_some() || refusal.reason == "RequestTimeTooSkewed"
}

/// Returns by how many seconds this machine's clock is behind, if that is too many.
fn apart(behind: Option<i64>) -> Option<i64> {
    behind.filter(|behind| behind.unsigned_abs() > CLOCKS_APART)
}

/// Says how far this machine's clock is from another's.
fn told_apart(behind: i64) -> String {
    let minutes = behind.unsigned_abs() / 60;
    let way = if behind > 0 { "behind" } else { "ahead of" };
    match (minutes / 1440, minutes / 60, minutes % 60) {
        (0, 0, minutes) => format!("{minutes} min {way} that"),
        (0, hours, minutes) => format!("{hours} h {minutes} min {way} that"),
        (days, hours, _) => format!("{days} d {} h {way} that", hours % 24),
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
        (507, _) => ErrorKind::LimitExceeded,
        _ if FULL.contains(&reason) => ErrorKind::LimitExceeded,
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
        check(403, "RequestTimeTooSkewed", "put", ErrorKind::Denied);
        check(400, "AuthorizationHeaderMalformed", "get", ErrorKind::Invalid);
        check(507, "XMinioStorageFull", "put", ErrorKind::LimitExceeded);
        check(403, "QuotaExceeded", "put", ErrorKind::LimitExceeded);
    }

    #[test]
    fn a_refusal_says_what_a_person_can_do() {
        let address = "s3://b/p".parse().unwrap();
        let cloud = Cloud { server: "http://h".to_owned(), ..Cloud::memory(&address) };
        let check = |attempt: &str, refusal: Refusal, expected: &str| {
            let kind = kind_of_status(refusal.status, &refusal.reason, attempt);
            assert_eq!(cloud.refusal(kind, attempt, &refusal), expected);
        };
        let refused = |status, reason: &str| Refusal {
            status,
            reason: reason.to_owned(),
            ..Refusal::default()
        };
        let skewed = |behind| Refusal { behind, ..refused(403, "RequestTimeTooSkewed") };
        let said = "of http://h (403 RequestTimeTooSkewed): set it";
        for (behind, how) in [
            (Some(7_500), "2 h 5 min behind that"),
            (Some(-960), "16 min ahead of that"),
            (Some(90_000), "1 d 1 h behind that"),
            (None, "far from that"),
        ] {
            check("get", skewed(behind), &format!("the clock of this machine is {how} {said}"));
        }
        // A server that has another word for it: the clocks tell.
        let failed = Refusal { behind: Some(3600), ..refused(403, "AuthenticationFailed") };
        let said = "1 h 0 min behind that of http://h (403 AuthenticationFailed): set it";
        check("put", failed, &format!("the clock of this machine is {said}"));
        let region = Some("eu-west-1".to_owned());
        let elsewhere = Refusal { region, ..refused(301, "PermanentRedirect") };
        let said = "the bucket is in the region eu-west-1 (301 PermanentRedirect): \
                    name that with --region";
        check("get", elsewhere, said);
        check(
            "put",
            refused(507, "XMinioStorageFull"),
            "the bucket is full (507 XMinioStorageFull)",
        );
    }
}
