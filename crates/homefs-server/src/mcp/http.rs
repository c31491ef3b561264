//! Streamable HTTP, for clients on this host that know the token.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::net::{SocketAddr, TcpListener as StdListener};
use std::sync::Arc;
use std::time::Duration;

use homefs_core::{Error, ErrorKind, Result};
use http::header::{AUTHORIZATION, CONTENT_TYPE, WWW_AUTHENTICATE};
use http::{Request, Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use parking_lot::Mutex;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OnceCell, Semaphore};
use tokio_util::sync::CancellationToken;

use super::handler::Handler;
use super::{ENDING, EVENT_BYTES_MAX, Home, MESSAGE_BYTES_MAX, runtime};
use crate::stop::Stop;

/// The path that clients talk to.
const PATH: &str = "/mcp";
/// Connections of clients that know the token which are served at once; more wait for their turn.
const CONNECTIONS_MAX: usize = 128;
/// Connections that have not shown the token yet; one more ends the oldest.
const STRANGERS_MAX: usize = 64;
/// Sessions that are kept at once; one that is silent for five minutes ends.
const SESSIONS_MAX: usize = 256;
/// What names the session of a request.
const SESSION: &str = "mcp-session-id";
/// What messages are.
const JSON: &str = "application/json";
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
        let sessions = Arc::<LocalSessionManager>::default();
        let door = Arc::new(Door {
            service: Service::new(
                move || Ok(Handler::new(&home, EVENT_BYTES_MAX)),
                Arc::clone(&sessions),
                config,
            ),
            sessions,
            token: self.token,
            room: Arc::new(Semaphore::new(CONNECTIONS_MAX)),
            strangers: Strangers::default(),
        });
        let stop = stop.token();
        loop {
            let stream = tokio::select! {
                came = next(&listener) => came,
                () = stop.cancelled() => return Ok(()),
            };
            let (number, pushed_out) = door.strangers.admit();
            let (door, stop) = (Arc::clone(&door), stop.clone());
            tokio::spawn(async move {
                tokio::select! {
                    () = converse(stream, &door, number) => {}
                    () = pushed_out.cancelled() => {}
                    () = stop.cancelled() => {}
                }
                door.strangers.forget(number);
            });
        }
    }
}

/// What every connection comes through.
struct Door {
    service: Service,
    sessions: Arc<LocalSessionManager>,
    token: Token,
    /// For connections that have shown the token.
    room: Arc<Semaphore>,
    strangers: Strangers,
}

/// Connections that have not shown the token, so that they keep nobody out who knows it.
#[derive(Default)]
struct Strangers(Mutex<(u64, BTreeMap<u64, CancellationToken>)>);

impl Strangers {
    /// Takes one in under a number, and tells the oldest to go if there are too many.
    fn admit(&self) -> (u64, CancellationToken) {
        let (last, waiting) = &mut *self.0.lock();
        *last += 1;
        let pushed_out = CancellationToken::new();
        waiting.insert(*last, pushed_out.clone());
        if waiting.len() > STRANGERS_MAX
            && let Some((_, oldest)) = waiting.pop_first()
        {
            oldest.cancel();
        }
        (*last, pushed_out)
    }

    fn forget(&self, number: u64) {
        self.0.lock().1.remove(&number);
    }
}

/// Waits for a client.
async fn next(listener: &TcpListener) -> TcpStream {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return stream,
            Err(error) => {
                tracing::warn!(%error, "a client could not be admitted");
                // Too many open files, most likely.
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

/// Serves one connection.
async fn converse(stream: TcpStream, door: &Door, number: u64) {
    // The room of a connection that has shown the token.
    let taken = OnceCell::new();
    let answer = service_fn(|request| async {
        if !door.token.is_in(&request) {
            return Ok(unknown(&request));
        }
        door.strangers.forget(number);
        let room = || Arc::clone(&door.room).acquire_owned();
        taken.get_or_init(|| async { room().await.expect("it is never closed") }).await;
        Ok::<_, Infallible>(door.answer(request).await)
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_WAIT)
        .serve_connection(TokioIo::new(stream), answer)
        .await;
    if let Err(error) = served {
        tracing::debug!(%error, "a connection ended");
    }
}

impl Door {
    /// Answers a request that has the token.
    async fn answer(&self, request: Request<Incoming>) -> Reply {
        if request.uri().path() != PATH {
            return nowhere();
        }
        // What says how long it is need not be read to be refused.
        if request.body().size_hint().lower() > MESSAGE_BYTES_MAX as u64 {
            return plain(StatusCode::PAYLOAD_TOO_LARGE, "a message has at most 64 MiB\n");
        }
        match request.headers().get(SESSION).map(|session| session.to_str()) {
            None if self.sessions.sessions.read().await.len() >= SESSIONS_MAX => {
                let text = "too many sessions; end one, or wait five minutes\n";
                return plain(StatusCode::SERVICE_UNAVAILABLE, text);
            }
            None => {}
            // By this status a client knows that it must begin anew.
            Some(named) => {
                let known = self.sessions.sessions.read().await;
                if !named.is_ok_and(|named| known.contains_key(named)) {
                    return plain(
                        StatusCode::NOT_FOUND,
                        "the session has ended; begin a new one\n",
                    );
                }
            }
        }
        let is_json = says_json(&request);
        let reply = self.service.handle(request).await;
        match reply.status() {
            // So the SDK refuses what is no JSON, no message, or no message to begin with.
            StatusCode::UNSUPPORTED_MEDIA_TYPE if is_json => bad_message(),
            StatusCode::UNPROCESSABLE_ENTITY => bad_message(),
            _ => reply,
        }
    }
}

/// Answers a request that does not have the token.
fn unknown(request: &Request<Incoming>) -> Reply {
    if request.uri().path() != PATH {
        return nowhere();
    }
    let mut reply = plain(StatusCode::UNAUTHORIZED, "the bearer token is missing or wrong\n");
    reply.headers_mut().insert(WWW_AUTHENTICATE, http::HeaderValue::from_static("Bearer"));
    reply
}

/// Tells whether a request says that it brings JSON.
fn says_json(request: &Request<Incoming>) -> bool {
    let kind = request.headers().get(CONTENT_TYPE).map_or(&b""[..], |value| value.as_bytes());
    kind.get(..JSON.len()).is_some_and(|kind| kind.eq_ignore_ascii_case(JSON.as_bytes()))
}

/// Answers what is no message that may come now.
fn bad_message() -> Reply {
    let text = concat!(
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"#,
        r#""message":"this is no message of MCP, or none to begin a session with"}}"#
    );
    let mut reply = plain(StatusCode::BAD_REQUEST, text);
    reply.headers_mut().insert(CONTENT_TYPE, http::HeaderValue::from_static(JSON));
    reply
}

fn nowhere() -> Reply {
    plain(StatusCode::NOT_FOUND, "MCP is at /mcp\n")
}

fn plain(status: StatusCode, text: &'static str) -> Reply {
    let mut reply = Response::new(Full::new(Bytes::from_static(text.as_bytes())).boxed());
    *reply.status_mut() = status;
    reply
}
