//! One connection of a client to whoever owns the store.

use std::io;
use std::path::Path as HostPath;
use std::sync::Arc;
use std::time::Duration;

use homefs_core::{ClientId, Error, ErrorKind};
use homefs_engine::{Origin, Who};
use rustix::net::sockopt::socket_peercred;
use rustix::process::Pid;

use crate::channel::{Channel, Fault, Stalled};
use crate::hello::{self, Introduction, Welcome};
use crate::message::{Answer, Call, Reply};
use crate::socket;

/// A connection that outlives owners: it keeps its name and its count of changes, so that a
/// change sent again to the next owner is recognised.
pub(crate) struct Line {
    client: ClientId,
    number: u64,
    channel: Option<Channel>,
}

impl Line {
    /// Makes a line that is not connected.
    pub(crate) fn new(client: ClientId) -> Self {
        Self { client, number: 0, channel: None }
    }

    /// Returns the number of the next change.
    pub(crate) fn next_number(&mut self) -> u64 {
        self.number += 1;
        self.number
    }

    /// Names a change of this line.
    pub(crate) fn origin(&self, number: u64) -> Origin {
        Origin { client: self.client, number }
    }

    /// Returns the process at the other end.
    pub(crate) fn owner(&self) -> Option<Pid> {
        self.channel.as_ref().and_then(peer)
    }

    /// Connects to the owner; `timeout` bounds this and is when a later call counts as stalled.
    pub(crate) fn connect(
        &mut self,
        dir: &HostPath,
        who: &Who,
        timeout: Duration,
    ) -> Result<(), Fault> {
        let socket = socket::connect(dir, timeout).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => Fault::Broken(error),
            _ => Fault::Final(Error::io("connect to the owner's socket", error)),
        })?;
        let mut channel = Channel::new(Arc::new(socket));
        let owner = peer(&channel).map_or(0, |pid| pid.as_raw_nonzero().get());
        let mut silent = || {
            let message = format!(
                "the owner (pid {owner}) does not answer; let it go on, or end it to take its place"
            );
            Err(Fault::Final(Error::new(ErrorKind::Unavailable, message)))
        };
        let introduction = Introduction { client: self.client, who: who.clone() };
        let hello = hello::encode(&introduction)?;
        // An owner that refuses may have said so and hung up before it was greeted.
        let sent = channel.send_bytes(&hello, &mut silent);
        let name = format!("the owner (pid {owner})");
        let welcome: Welcome =
            channel.receive_bytes(&mut silent, |hello| hello::decode(hello, &name))?;
        sent?;
        welcome.map_err(|refusal| Fault::Final(refusal.into()))?;
        self.channel = Some(channel);
        Ok(())
    }

    /// Sends a call and waits for the reply; a line that failed is no longer connected.
    pub(crate) fn exchange(
        &mut self,
        call: &Call,
        stalled: Stalled<'_>,
    ) -> Result<homefs_core::Result<Answer>, Fault> {
        let Some(mut channel) = self.channel.take() else {
            return Err(Fault::Broken(io::ErrorKind::NotConnected.into()));
        };
        channel.send(call, stalled)?;
        let reply: Reply = channel.receive(stalled)?;
        self.channel = Some(channel);
        Ok(reply.map_err(Error::from))
    }
}

/// Returns the process at the other end.
fn peer(channel: &Channel) -> Option<Pid> {
    socket_peercred(channel.socket()).ok().map(|peer| peer.pid)
}
