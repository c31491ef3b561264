//! What really happened to a request, seen below `object_store`, which does not tell all of it.

use std::sync::Arc;

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
    /// The server refused, with a status and a word for the reason.
    Refused(u16, String),
    /// There was no answer, and why.
    Broken(String),
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
        let (seen, answer) = match self.0.execute(request).await {
            Err(cause) => (Seen::Broken(innermost(&cause)), Err(cause)),
            Ok(answer) if answer.status().is_success() => (Seen::Done, Ok(answer)),
            Ok(answer) => {
                let (parts, body) = answer.into_parts();
                let body = body.bytes().await.unwrap_or_default();
                let seen = Seen::Refused(parts.status.as_u16(), reason(&body));
                (seen, Ok(HttpResponse::from_parts(parts, body.into())))
            }
        };
        *trace.0.lock() = seen;
        answer
    }
}

/// Takes the word for the reason out of the body of a refusal. Nothing else of it is shown: some
/// servers repeat there what was signed, tokens included.
fn reason(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let inside = text.split_once("<Code>").and_then(|(_, rest)| rest.split_once("</Code>"));
    let word = inside.map(|(word, _)| word).unwrap_or_default();
    word.chars().filter(char::is_ascii_alphanumeric).take(64).collect()
}

#[cfg(test)]
mod tests {
    use super::reason;

    #[test]
    fn only_the_word_for_the_reason_is_taken_from_a_refusal() {
        let body = "<Error><Code>SignatureDoesNotMatch</Code><StringToSign>x-amz-security-token:s";
        assert_eq!(reason(body.as_bytes()), "SignatureDoesNotMatch");
        for body in ["", "<html>502</html>", "<Code>", "\u{0}"] {
            assert_eq!(reason(body.as_bytes()), "");
        }
    }
}
