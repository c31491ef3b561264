//! A home for what speaks the Model Context Protocol.
//!
//! `tools/` has the tools, a table and a few files; `resources.rs` has the files as resources;
//! `handler.rs` ties both to the protocol, which is the official SDK's business. The choice a
//! reader may question: every call of a client goes to a thread that may block, though most take
//! microseconds. A message costs more than the thread does, and none may hold up the others.

mod call;
#[cfg(any(test, feature = "fuzzing"))]
#[doc(hidden)]
pub mod fuzzing;
mod handler;
mod http;
mod lines;
mod media;
mod resources;
mod subscriptions;
#[cfg(test)]
mod tests;
mod tools;

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use homefs_api::{Client, Sessions};
use homefs_core::{Error, ErrorKind, Result};
use rmcp::ServiceExt;
use tokio::runtime::Runtime;

use crate::stop::Stop;
use handler::Handler;
use lines::Lines;
use subscriptions::Changes;

pub use http::{Listening, Token};
pub use tools::{ToolInfo, tools};

/// The longest message that is taken.
pub const MESSAGE_BYTES_MAX: usize = 64 << 20;
/// Calls that are made at the same time; more wait for their turn.
const CALLS_MAX: usize = 64;
/// How long calls may take to end when the server does.
const ENDING: Duration = Duration::from_secs(2);

/// What the text of an answer may have if nothing else is said: models read it whole, and pay for
/// it.
const ANSWER_BYTES_MAX: usize = 32 << 10;
/// What an answer by HTTP may have: the official client of Python takes no event of 1 MiB.
const EVENT_BYTES_MAX: usize = 1_000_000;

/// Tools that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolSet {
    /// What is remembered, and found by meaning.
    Memory,
    /// Files, their lines and their past.
    Files,
    /// Scripts.
    Shell,
}

impl ToolSet {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Memory, Self::Files, Self::Shell];

    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Files => "files",
            Self::Shell => "shell",
        }
    }
}

/// What a server offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// Which tools there are.
    pub tools: Vec<ToolSet>,
    /// Whether nothing can be changed.
    pub read_only: bool,
    /// How many bytes the text of an answer has at most; what is longer is cut, and told to be.
    pub answer_bytes_max: usize,
}

impl Default for Profile {
    fn default() -> Self {
        let tools = ToolSet::ALL.to_vec();
        Self { tools, read_only: false, answer_bytes_max: ANSWER_BYTES_MAX }
    }
}

/// A home, ready to be served.
#[derive(Clone)]
pub struct Mcp {
    home: Arc<Home>,
}

/// What all who are served share.
pub(crate) struct Home {
    pub(crate) client: Client,
    pub(crate) profile: Profile,
    pub(crate) sessions: Sessions,
    changes: Changes,
}

impl Mcp {
    /// Takes the home of a client's agent.
    pub fn new(client: &Client, profile: Profile) -> Self {
        Self::of(client, profile, Sessions::new(client))
    }

    /// As [`Mcp::new`]; scripts run in processes of their own, which are `program`, the executable
    /// of homefs.
    pub fn with_workers(client: &Client, profile: Profile, program: PathBuf) -> Self {
        Self::of(client, profile, Sessions::apart(client, program))
    }

    fn of(client: &Client, profile: Profile, sessions: Sessions) -> Self {
        let changes = Changes::new(client);
        let sessions = if profile.read_only { sessions.read_only() } else { sessions };
        Self { home: Arc::new(Home { client: client.clone(), profile, sessions, changes }) }
    }

    /// Serves one client by standard input and output, until it hangs up.
    ///
    /// # Errors
    ///
    /// If the client does not begin as the protocol wants it.
    pub fn serve_stdio(&self, stop: &Stop) -> Result<()> {
        let runtime = runtime()?;
        let served = runtime.block_on(async {
            let (read, write) = rmcp::transport::io::stdio_pipes();
            self.serve(Lines::new(read, write), stop).await
        });
        // Standard input may be read by a thread that nothing ends.
        runtime.shutdown_timeout(ENDING);
        served
    }

    async fn serve<R, W>(&self, lines: Lines<R, W>, stop: &Stop) -> Result<()>
    where
        Lines<R, W>: rmcp::transport::Transport<rmcp::RoleServer, Error = io::Error> + 'static,
    {
        let handler = Handler::new(&self.home, MESSAGE_BYTES_MAX);
        let stop = stop.token();
        let started = tokio::select! {
            started = handler.serve_with_ct(lines, stop.clone()) => started,
            () = stop.cancelled() => return Ok(()),
        };
        let service = match started {
            Ok(service) => service,
            // A client that leaves before it begins has done nothing wrong.
            Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            Err(error) => {
                let message = format!("the client did not begin as MCP wants it: {error}");
                return Err(Error::new(ErrorKind::Invalid, message));
            }
        };
        service
            .waiting()
            .await
            .map(drop)
            .map_err(|error| Error::new(ErrorKind::Internal, "the server ended").with_source(error))
    }

    /// Begins to listen for clients by HTTP, on an address of this host alone.
    ///
    /// # Errors
    ///
    /// `Invalid` if others could reach the address, and whatever keeps it from being used.
    pub fn listen(&self, address: SocketAddr, token: Token) -> Result<Listening> {
        if !is_own(address.ip()) {
            let message = format!("{address} can be reached by others; use 127.0.0.1");
            return Err(Error::new(ErrorKind::Invalid, message));
        }
        Listening::bind(&self.home, address, token)
    }
}

fn is_own(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

/// A tree as deep as the longest path is written as JSON, which nests on the stack.
const STACK_BYTES: usize = 16 << 20;

/// Makes what runs the asynchronous part.
pub(crate) fn runtime() -> Result<Runtime> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(CALLS_MAX)
        .thread_name("homefs-mcp")
        .thread_stack_size(STACK_BYTES)
        .build()
        .map_err(|error| Error::io("start the server", error))
}
