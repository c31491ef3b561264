//! Streamable HTTP, for clients on this host that know the token.

use std::convert::Infallible;
use std::net::{SocketAddr, TcpListener as StdListener};
use std::sync::Arc;
use std::time::Duration;

use homefs_core::{Error, ErrorKind, Result};
use http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use http::{Request, Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::handler::Handler;
use super::{ENDING, Home, MESSAGE_BYTES_MAX, runtime};
use crate::stop::Stop;

/// The path that clients talk to.
const PATH: &str = "/mcp";
/// Connections that are served at once; more wait for their turn.
const CONNECTIONS_MAX: usize = 128;
/// How long a client may take to say what it wants.
const HEADER_WAIT: Duration = Duration::from_secs(10);
/// Pages of this host may ask too; those of others may not, whatever their browser lets them.
const ORIGINS: [&str; 6] = [
    "http://localhost:*",
    "http://127.0.0.1:*",
    "http://[::1]:*",
    "https://localhost:*",
    "https://127.0.0.1:*",
    "https://[::1]:*",
];
/// The shortest token that is taken.
const TOKEN_BYTES_MIN: usize = 16;

type Reply = Response<BoxBody<Bytes, Infallible>>;
type Service = StreamableHttpService<Handler, LocalSessionManager>;

/// What a client must know.
#[derive(Clone)]
pub struct Token(Arc<str>);

impl Token {
    /// Takes a token.
    ///
    /// # Errors
    ///
    /// `Invalid` if it is short, or has what the head of a request cannot carry.
    pub fn new(text: &str) -> Result<Self> {
        if text.len() < TOKEN_BYTES_MIN || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            let message = format!("a token is {TOKEN_BYTES_MIN} or more letters, digits and signs");
            return Err(Error::new(ErrorKind::Invalid, message));
        }
        Ok(Self(text.into()))
    }

    /// Tells whether a request has it; how long that takes tells nothing about the token.
    fn is_in(&self, request: &Request<Incoming>) -> bool {
        let given = request.headers().get(AUTHORIZATION).map_or(&b""[..], |value| value.as_bytes());
        let Some((scheme, given)) = given.split_at_checked("Bearer ".len()) else { return false };
        let differing = given.iter().zip(self.0.as_bytes()).fold(0, |all, (a, b)| all | (a ^ b));
        scheme.eq_ignore_ascii_case(b"Bearer ") && given.len() == self.0.len() && differing == 0
    }
}

/// A server that has its address.
pub struct Listening {
    home: Arc<Home>,
    listener: StdListener,
    address: SocketAddr,
    token: Token,
}

impl Listening {
    pub(super) fn bind(home: &Arc<Home>, address: SocketAddr, token: Token) -> Result<Self> {
        let failed = |error| Error::io("listen for MCP", error).with_path_text(address.to_string());
        let listener = StdListener::bind(address).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Self { home: Arc::clone(home), listener, address, token })
    }

    /// Returns what clients ask.
    pub fn url(&self) -> String {
        format!("http://{}{PATH}", self.address)
    }

    /// Serves clients until it is told to stop.
    ///
    /// # Errors
    ///
    /// If it cannot begin.
    pub fn serve(self, stop: &Stop) -> Result<()> {
        let runtime = runtime()?;
        let served = runtime.block_on(self.accept(stop));
        runtime.shutdown_timeout(ENDING);
        served
    }

    async fn accept(self, stop: &Stop) -> Result<()> {
        let listener = TcpListener::from_std(self.listener)
            .map_err(|error| Error::io("listen for MCP", error))?;
        let home = self.home;
        let config = StreamableHttpServerConfig::default()
            .with_allowed_origins(ORIGINS)
            .enforce_origin_validation()
            .with_max_request_body_bytes(MESSAGE_BYTES_MAX)
            .with_cancellation_token(stop.token());
        let service = Service::new(move || Ok(Handler::new(&home)), Arc::default(), config);
        let room = Arc::new(Semaphore::new(CONNECTIONS_MAX));
        let stop = stop.token();
        loop {
            let (permit, stream) = tokio::select! {
                came = next(&listener, &room) => came,
                () = stop.cancelled() => return Ok(()),
            };
            let connection = converse(stream, service.clone(), self.token.clone(), permit);
            let stop = stop.clone();
            tokio::spawn(async move {
                tokio::select! {
                    () = connection => {}
                    () = stop.cancelled() => {}
                }
            });
        }
    }
}

/// Waits for a client, and for room to serve it.
async fn next(listener: &TcpListener, room: &Arc<Semaphore>) -> (OwnedSemaphorePermit, TcpStream) {
    loop {
        let permit = Arc::clone(room).acquire_owned().await.expect("the semaphore is never closed");
        match listener.accept().await {
            Ok((stream, _)) => return (permit, stream),
            Err(error) => {
                tracing::warn!(%error, "a client could not be admitted");
                // Too many open files, most likely.
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

/// Serves one connection.
async fn converse(stream: TcpStream, service: Service, token: Token, permit: OwnedSemaphorePermit) {
    let answer = service_fn(move |request| {
        let (service, token) = (service.clone(), token.clone());
        async move { Ok::<_, Infallible>(answer(&service, &token, request).await) }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_WAIT)
        .serve_connection(TokioIo::new(stream), answer)
        .await;
    if let Err(error) = served {
        tracing::debug!(%error, "a connection ended");
    }
    drop(permit);
}

async fn answer(service: &Service, token: &Token, request: Request<Incoming>) -> Reply {
    if request.uri().path() != PATH {
        return plain(StatusCode::NOT_FOUND, "MCP is at /mcp\n");
    }
    if !token.is_in(&request) {
        let mut reply = plain(StatusCode::UNAUTHORIZED, "the bearer token is missing or wrong\n");
        let scheme = http::HeaderValue::from_static("Bearer");
        reply.headers_mut().insert(WWW_AUTHENTICATE, scheme);
        return reply;
    }
    // What says how long it is need not be read to be refused.
    if request.body().size_hint().lower() > MESSAGE_BYTES_MAX as u64 {
        return plain(StatusCode::PAYLOAD_TOO_LARGE, "a message has at most 64 MiB\n");
    }
    service.handle(request).await
}

fn plain(status: StatusCode, text: &'static str) -> Reply {
    let mut reply = Response::new(Full::new(Bytes::from_static(text.as_bytes())).boxed());
    *reply.status_mut() = status;
    reply
}
