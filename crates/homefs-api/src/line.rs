//! One connection of a client to whoever owns the store.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use homefs_core::{ClientId, Error, ErrorKind};
use homefs_view::Origin;
use rustix::net::sockopt::socket_peercred;
use rustix::process::Pid;

use crate::channel::{Channel, Fault, Stalled};
use crate::client::ClientOptions;
use crate::hello::{self, Introduction, Welcome};
use crate::message::{Answer, Call, Reply};
use crate::socket;

/// A connection that outlives owners: it keeps its name and its count of changes, so that a
/// change sent again to the next owner is recognised.
pub(crate) struct Line {
    client: ClientId,
    number: u64,
    /// The connection, if there is one, and the owner at its other end.
    channel: Option<(Channel, Pid)>,
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
        self.channel.as_ref().map(|(_, owner)| *owner)
    }

    /// Connects to the owner; `timeout` bounds this and is when a later call counts as stalled.
    pub(crate) fn connect(
        &mut self,
        options: &ClientOptions,
        timeout: Duration,
    ) -> Result<(), Fault> {
        let socket =
            socket::connect(&options.dir, timeout).map_err(|error| match error.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => Fault::Broken(error),
                _ => Fault::Final(Error::io("connect to the owner's socket", error)),
            })?;
        let peer = socket_peercred(&socket).map_err(|error| Fault::Broken(error.into()))?;
        let name = format!("the owner (pid {})", peer.pid.as_raw_nonzero());
        if peer.uid != rustix::process::geteuid() {
            let message = format!("{name} is another user of this host");
            return Err(Fault::Final(Error::new(ErrorKind::Denied, message)));
        }
        let mut channel = Channel::new(Arc::new(socket));
        let mut silent = || {
            let message =
                format!("{name} does not answer; let it go on, or end it to take its place");
            Err(Fault::Final(Error::new(ErrorKind::Unavailable, message)))
        };
        let (who, groups) = (options.who.clone(), options.groups.clone());
        let introduction = Introduction { client: self.client, who, groups };
        let hello = hello::encode(&introduction)?;
        // An owner that refuses may have said so and hung up before it was greeted.
        let sent = channel.send_bytes(&hello, &mut silent);
        let welcome: Welcome =
            channel.receive_hello(&mut silent, |hello| hello::decode(hello, &name))?;
        welcome.map_err(|refusal| Fault::Final(refusal.into()))?;
        sent?;
        self.channel = Some((channel, peer.pid));
        Ok(())
    }

    /// Sends a call and waits for the reply; a line that failed is no longer connected.
    pub(crate) fn exchange(
        &mut self,
        call: &Call,
        stalled: Stalled<'_>,
    ) -> Result<homefs_core::Result<Answer>, Fault> {
        let Some((mut channel, owner)) = self.channel.take() else {
            return Err(Fault::Broken(io::ErrorKind::NotConnected.into()));
        };
        channel.send(call, stalled)?;
        let reply: Reply = channel.receive(stalled)?;
        self.channel = Some((channel, owner));
        Ok(reply.map_err(Error::from))
    }
}
