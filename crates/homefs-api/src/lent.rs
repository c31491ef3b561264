//! A connection that is an agent's already, for a process that may have nothing else.
//!
//! Whoever holds its other end asks for operations as that agent and cannot become another one: for
//! whom it stands is decided where it is made, and never said by who uses it. It ends with the
//! process that made it, and whoever owns the store meanwhile is that process' matter.

use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;

use homefs_core::{Error, ErrorKind, Result};
use homefs_view::Who;
use parking_lot::Mutex;

use crate::channel::{Channel, Fault};
use crate::client::Client;
use crate::message::ErrorMessage;
use crate::operations::{Request, Response};
use crate::shells::check_reads;

/// What the maker answers.
type Reply = std::result::Result<Response, ErrorMessage>;

impl Client {
    /// Makes a connection by which whoever holds it acts as this client's agent.
    pub fn lend(&self) -> Result<UnixStream> {
        self.lend_for(false)
    }

    /// As [`Client::lend`]; with `read_only` whoever holds it can change nothing.
    pub(crate) fn lend_for(&self, read_only: bool) -> Result<UnixStream> {
        let failed = |error| Error::io("make a connection", error);
        let (ours, theirs) = UnixStream::pair().map_err(failed)?;
        let client = self.clone();
        let serve = move || client.serve_lent(&mut Channel::new(Arc::new(ours)), read_only);
        let started = thread::Builder::new().name("homefs-lent".into()).spawn(move || {
            if let Err(Fault::Final(error)) = serve() {
                tracing::warn!(%error, "a connection that was lent ended");
            }
        });
        started.map_err(failed)?;
        Ok(theirs)
    }

    fn serve_lent(&self, channel: &mut Channel, read_only: bool) -> Result<(), Fault> {
        channel.send(self.who(), &mut never)?;
        loop {
            let request: Request = channel.receive(&mut never)?;
            let allowed = if read_only { check_reads(Some(request.operation())) } else { Ok(()) };
            let answer = || allowed.and_then(|()| self.request(request));
            let reply = catch_unwind(AssertUnwindSafe(answer))
                .unwrap_or_else(|_| Err(Error::new(ErrorKind::Internal, "the call panicked")));
            match channel.send(&reply.map_err(ErrorMessage::from), &mut never) {
                Err(Fault::Final(too_long)) => {
                    channel.send(&Reply::Err(too_long.into()), &mut never)?;
                }
                sent => sent?,
            }
        }
    }
}

/// Neither side has a timeout: who waits too long is ended by whoever started it.
#[expect(clippy::unnecessary_wraps, reason = "a channel may be told to give up")]
fn never() -> Result<(), Fault> {
    Ok(())
}

/// The other end of a connection that was lent.
pub struct Lent {
    who: Who,
    channel: Mutex<Channel>,
}

impl Lent {
    /// Takes a connection, and hears for whom it stands.
    pub fn new(socket: UnixStream) -> Result<Self> {
        let mut channel = Channel::new(Arc::new(socket));
        let who = channel.receive(&mut never).map_err(told)?;
        Ok(Self { who, channel: Mutex::new(channel) })
    }

    /// Returns for whom it stands.
    pub fn who(&self) -> &Who {
        &self.who
    }

    /// Asks for an operation.
    pub(crate) fn request(&self, request: &Request) -> Result<Response> {
        let mut channel = self.channel.lock();
        channel.send(request, &mut never).map_err(told)?;
        let reply: Reply = channel.receive(&mut never).map_err(told)?;
        reply.map_err(Error::from)
    }
}

/// Returns the error of whom the other side left.
pub(crate) fn told(fault: Fault) -> Error {
    match fault {
        Fault::Final(error) => error,
        Fault::Broken(cause) => {
            Error::new(ErrorKind::Closed, "the home is closed").with_source(cause)
        }
    }
}
