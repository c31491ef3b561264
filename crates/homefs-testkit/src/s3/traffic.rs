//! What lies between the connections and the operations: latency, faults, throttling and the log.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http::header::CONTENT_LENGTH;
use http::request::Parts;
use http::{Method, StatusCode};
use http_body_util::BodyExt as _;
use http_body_util::channel::Channel;
use parking_lot::{Condvar, Mutex};
use s3s::service::S3Service;
use s3s::{Body, HttpError, HttpRequest, HttpResponse};

use crate::faults::{Fault, FaultKind, Faults, RemoteOperation};

/// What only listings ask, the older ones by one of the latter two.
const LISTING: [&str; 3] = ["list-type", "prefix", "delimiter"];

/// In how many pieces a slow answer comes.
const SLOW_PIECES: usize = 8;

/// One request that the S3 server has dealt with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct S3Exchange {
    /// What was asked.
    pub operation: RemoteOperation,
    /// The key in the bucket, or the prefix to list; of several keys to delete, the first.
    pub key: String,
    /// The status of the answer; `None` if there was no answer.
    pub status: Option<u16>,
    /// The length of the request's content.
    pub bytes_up: u64,
    /// The length of the answer's content.
    pub bytes_down: u64,
}

/// What all connections share.
pub(super) struct Traffic {
    pub(super) service: S3Service,
    pub(super) faults: Mutex<Faults>,
    pub(super) latency_nanos: AtomicU64,
    pub(super) in_flight_max: AtomicUsize,
    pub(super) log: Mutex<Vec<S3Exchange>>,
    /// Tells that the log has grown.
    pub(super) logged: Condvar,
    in_flight: AtomicUsize,
}

impl Traffic {
    /// Makes the way to `service`, without any hindrance.
    pub(super) fn new(service: S3Service) -> Self {
        Self {
            service,
            faults: Mutex::default(),
            latency_nanos: AtomicU64::new(0),
            in_flight_max: AtomicUsize::new(usize::MAX),
            log: Mutex::default(),
            logged: Condvar::new(),
            in_flight: AtomicUsize::new(0),
        }
    }

    /// Deals with one request; an error ends the connection.
    pub(super) async fn serve(
        self: Arc<Self>,
        request: HttpRequest<hyper::body::Incoming>,
    ) -> Result<HttpResponse, HttpError> {
        let (parts, body) = request.into_parts();
        // The whole request is here before anything happens, so that half of one has no effect and
        // a refusal never meets a client that is still sending.
        let content = body.collect().await.map_err(|error| HttpError::new(error.into()))?;
        let content = content.to_bytes();
        let mut exchange = S3Exchange {
            operation: operation(&parts),
            key: key(&parts, &content),
            status: None,
            bytes_up: content.len() as u64,
            bytes_down: 0,
        };
        let guard = InFlight::enter(&self);
        let latency = Duration::from_nanos(self.latency_nanos.load(Ordering::Relaxed));
        if !latency.is_zero() {
            tokio::time::sleep(latency).await;
        }
        let fault = if guard.among > self.in_flight_max.load(Ordering::Relaxed) {
            Some(Fault::before(FaultKind::Status(503)))
        } else {
            self.faults.lock().meet("", exchange.operation, &exchange.key)
        };
        let request = HttpRequest::from_parts(parts, Body::from(content));
        let answer = self.answer(request, fault.as_ref()).await?;
        exchange.status = answer.as_ref().map(|(answer, _)| answer.status().as_u16());
        exchange.bytes_down = answer.as_ref().map_or(0, |(_, content)| content.len() as u64);
        self.log.lock().push(exchange);
        self.logged.notify_all();
        drop(guard);
        match (answer, fault.map(|fault| fault.kind)) {
            (None, Some(FaultKind::Timeout)) => pending().await,
            (None, _) => Err(HttpError::new("a fault that was ordered".into())),
            (Some((answer, content)), Some(FaultKind::Truncate)) => Ok(truncated(answer, content)),
            (Some((answer, content)), Some(FaultKind::Slow(time))) => {
                Ok(slow(answer, content, time))
            }
            (Some((answer, content)), _) => Ok(answer.map(|()| Body::from(content))),
        }
    }

    /// Lets the request take effect unless the fault forbids it, and returns the answer that the
    /// client gets, if any.
    async fn answer(
        &self,
        request: HttpRequest,
        fault: Option<&Fault>,
    ) -> Result<Option<(HttpResponse<()>, Bytes)>, HttpError> {
        let mut answer = None;
        if fault.is_none_or(|fault| fault.takes_effect) {
            let (parts, body) = self.service.call(request).await?.into_parts();
            let mut content = body.collect().await.map_err(HttpError::new)?.to_bytes();
            if parts.status == StatusCode::NOT_MODIFIED {
                // The library words it as an error, but HTTP allows no content here.
                content.clear();
            }
            answer = Some((HttpResponse::from_parts(parts, ()), content));
        }
        Ok(match fault.map(|fault| fault.kind) {
            Some(FaultKind::Status(status)) => Some(refusal(status, usual_reason(status))),
            Some(FaultKind::Refusal(status, reason)) => Some(refusal(status, reason)),
            Some(FaultKind::Reset | FaultKind::Timeout) => None,
            Some(FaultKind::Truncate) => answer.filter(|(_, content)| !content.is_empty()),
            Some(FaultKind::Slow(_)) | None => answer,
        })
    }
}

/// Counts a request as long as it is being dealt with, also if its client gives up.
struct InFlight<'a> {
    traffic: &'a Traffic,
    /// How many there are with this one.
    among: usize,
}

impl<'a> InFlight<'a> {
    fn enter(traffic: &'a Traffic) -> Self {
        Self { traffic, among: traffic.in_flight.fetch_add(1, Ordering::SeqCst) + 1 }
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.traffic.in_flight.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Returns what a request asks.
fn operation(parts: &Parts) -> RemoteOperation {
    let of_bucket = path(parts).1.is_empty();
    let query = parts.uri.query().unwrap_or_default();
    let asks = |name: &str| query.split('&').any(|part| part.split('=').next() == Some(name));
    match parts.method {
        Method::GET if of_bucket && LISTING.iter().any(|name| asks(name)) => RemoteOperation::List,
        Method::GET if !of_bucket => RemoteOperation::Get,
        Method::HEAD if !of_bucket => RemoteOperation::Head,
        Method::PUT if !of_bucket => RemoteOperation::Put,
        Method::DELETE if !of_bucket => RemoteOperation::Delete,
        Method::POST if of_bucket && asks("delete") => RemoteOperation::Delete,
        _ => RemoteOperation::Other,
    }
}

/// Returns the key or the prefix that a request is about.
fn key(parts: &Parts, content: &Bytes) -> String {
    let key = path(parts).1;
    if !key.is_empty() {
        return decode(key);
    }
    let query = parts.uri.query().unwrap_or_default();
    if let Some(prefix) = query.split('&').find_map(|part| part.strip_prefix("prefix=")) {
        return decode(&prefix.replace('+', " "));
    }
    let text = String::from_utf8_lossy(content);
    let first = text.split_once("<Key>").and_then(|(_, rest)| rest.split_once("</Key>"));
    let entities =
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    first.map_or_else(String::new, |(key, _)| {
        // The ampersand comes last, or it would make entities of text that only looks like one.
        entities.iter().fold(key.to_owned(), |key, (entity, text)| key.replace(entity, text))
    })
}

/// Returns the bucket and the key of a request as they stand in its path.
fn path(parts: &Parts) -> (&str, &str) {
    let path = parts.uri.path().trim_start_matches('/');
    path.split_once('/').unwrap_or((path, ""))
}

/// Undoes percent signs.
fn decode(text: &str) -> String {
    urlencoding::decode(text).map_or_else(|_| text.to_owned(), std::borrow::Cow::into_owned)
}

/// Returns the word that S3 has for a status.
fn usual_reason(status: u16) -> &'static str {
    match status {
        403 => "AccessDenied",
        404 => "NoSuchKey",
        409 => "ConditionalRequestConflict",
        412 => "PreconditionFailed",
        429 => "TooManyRequests",
        503 => "SlowDown",
        _ => "InternalError",
    }
}

/// Makes an answer that refuses, as S3 words it.
fn refusal(status: u16, code: &str) -> (HttpResponse<()>, Bytes) {
    let content = format!("<Error><Code>{code}</Code><Message>ordered</Message></Error>");
    let mut answer = HttpResponse::new(());
    *answer.status_mut() = StatusCode::from_u16(status).expect("tests order statuses that exist");
    (answer, Bytes::from(content))
}

/// Makes an answer that ends halfway.
fn truncated(mut answer: HttpResponse<()>, content: Bytes) -> HttpResponse {
    answer.headers_mut().insert(CONTENT_LENGTH, content.len().into());
    let (mut sender, body) = Channel::<Bytes, std::io::Error>::new(1);
    tokio::spawn(async move {
        let half = content.slice(..content.len() / 2);
        // A client that is gone sees neither half.
        if sender.send_data(half).await.is_ok() {
            sender.abort(std::io::ErrorKind::UnexpectedEof.into());
        }
    });
    answer.map(|()| Body::http_body(body))
}

/// Makes an answer whose content takes its time.
fn slow(mut answer: HttpResponse<()>, content: Bytes, time: Duration) -> HttpResponse {
    answer.headers_mut().insert(CONTENT_LENGTH, content.len().into());
    let (mut sender, body) = Channel::<Bytes, std::io::Error>::new(1);
    tokio::spawn(async move {
        for piece in content.chunks(content.len().div_ceil(SLOW_PIECES).max(1)) {
            tokio::time::sleep(time / u32::try_from(SLOW_PIECES).unwrap_or(1)).await;
            if sender.send_data(content.slice_ref(piece)).await.is_err() {
                break;
            }
        }
    });
    answer.map(|()| Body::http_body(body))
}
