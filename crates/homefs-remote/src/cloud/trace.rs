//! What really happened to a request, seen below `object_store`, which does not tell all of it.

use std::sync::Arc;

use http::HeaderMap;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpRequest, HttpResponse, HttpService, ReqwestConnector,
};
use parking_lot::Mutex;

use super::innermost;

/// Travels with a request and learns how it went. Requests for credentials carry none.
#[derive(Clone, Debug, Default)]
pub(super) struct Trace(Arc<Mutex<Seen>>);

/// How far a request came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Seen {
    /// It was never sent.
    #[default]
    NotSent,
    /// It cannot carry a trace.
    Unknown,
    /// The server answered that it did it.
    Done,
    /// The server refused.
    Refused(Refusal),
    /// There was no answer, and why.
    Broken(String),
}

/// What a server says when it refuses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) status: u16,
    /// A word for the reason.
    pub(super) reason: String,
    /// The region of the bucket, if that is another.
    pub(super) region: Option<String>,
    /// How many seconds this machine's clock is behind the server's, if both told their time.
    pub(super) behind: Option<i64>,
}

impl Trace {
    /// Makes one for a request that cannot carry it.
    pub(super) fn unknown() -> Self {
        Self(Arc::new(Mutex::new(Seen::Unknown)))
    }

    /// Returns how far the request came.
    pub(super) fn seen(&self) -> Seen {
        self.0.lock().clone()
    }
}

/// Makes clients that fill in traces.
#[derive(Debug)]
pub(super) struct TracingConnector;

impl HttpConnector for TracingConnector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(Traced(ReqwestConnector::default().connect(options)?)))
    }
}

#[derive(Debug)]
struct Traced(HttpClient);

#[async_trait::async_trait]
impl HttpService for Traced {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let trace = request.extensions().get::<Trace>().cloned().unwrap_or_default();
        let sent = text(request.headers(), "x-amz-date").or(text(request.headers(), "x-ms-date"));
        let (seen, answer) = match self.0.execute(request).await {
            Err(cause) => (Seen::Broken(innermost(&cause)), Err(cause)),
            Ok(answer) if answer.status().is_success() => (Seen::Done, Ok(answer)),
            Ok(answer) => {
                let (parts, body) = answer.into_parts();
                let body = body.bytes().await.unwrap_or_default();
                let region = text(&parts.headers, "x-amz-bucket-region");
                let refusal = Refusal {
                    status: parts.status.as_u16(),
                    reason: element(&body, "Code"),
                    region: region
                        .or_else(|| Some(element(&body, "Region")))
                        .filter(|region| !region.is_empty()),
                    behind: sent
                        .zip(text(&parts.headers, "date"))
                        .and_then(|(ours, theirs)| behind(&ours, &theirs)),
                };
                let seen = Seen::Refused(refusal);
                (seen, Ok(HttpResponse::from_parts(parts, body.into())))
            }
        };
        *trace.0.lock() = seen;
        answer
    }
}

/// Returns a header that is text.
fn text(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
}

/// Returns how many seconds the first moment is before the second, each as headers write it.
fn behind(ours: &str, theirs: &str) -> Option<i64> {
    let moment = |text: &str| {
        let rfc2822 = jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(text).ok();
        rfc2822.or_else(|| {
            let civil = jiff::civil::DateTime::strptime("%Y%m%dT%H%M%SZ", text).ok()?;
            Some(civil.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp())
        })
    };
    Some(moment(theirs)?.as_second() - moment(ours)?.as_second())
}

/// Takes a word out of the body of a refusal. Nothing else of it is shown: some servers repeat
/// there what was signed, tokens included.
fn element(body: &[u8], name: &str) -> String {
    let text = String::from_utf8_lossy(body);
    let inside = text
        .split_once(&format!("<{name}>"))
        .and_then(|(_, rest)| rest.split_once(&format!("</{name}>")));
    let word = inside.map(|(word, _)| word).unwrap_or_default();
    word.chars().filter(|sign| sign.is_ascii_alphanumeric() || *sign == '-').take(64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_are_taken_from_a_refusal() {
        let body = "<Error><Code>SignatureDoesNotMatch</Code><StringToSign>x-amz-security-token:s";
        assert_eq!(element(body.as_bytes(), "Code"), "SignatureDoesNotMatch");
        for body in ["", "<html>502</html>", "<Code>", "\u{0}"] {
            assert_eq!(element(body.as_bytes(), "Code"), "");
        }
        let body = "<Error><Code>AuthorizationHeaderMalformed</Code><Region>eu-west-1</Region>";
        assert_eq!(element(body.as_bytes(), "Region"), "eu-west-1");
    }

    #[test]
    fn two_clocks_are_compared_as_headers_write_them() {
        let theirs = "Wed, 21 Oct 2015 07:28:00 GMT";
        for (ours, expected) in [
            ("20151021T072800Z", Some(0)),
            ("20151021T062755Z", Some(3605)),
            ("20151022T072800Z", Some(-86_400)),
            ("Wed, 21 Oct 2015 07:27:59 GMT", Some(1)),
            ("yesterday", None),
        ] {
            assert_eq!(behind(ours, theirs), expected, "{ours}");
        }
        assert_eq!(behind(theirs, ""), None);
    }
}
