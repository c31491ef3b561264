//! Frames on a socket: a length of four bytes, then that many bytes of postcard.
//!
//! A message is one write and, up to the size of the buffer, one read.

use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::sync::Arc;

use homefs_core::limits::READ_MANY_BYTES_MAX;
use homefs_core::{Error, ErrorKind};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Longest body of a frame: 64 MiB of content and what goes with it.
pub(crate) const BODY_BYTES_MAX: usize = 64 * 1024 * 1024 + 64 * 1024;
/// Longest body of the first frame, which comes from anybody.
const HELLO_BYTES_MAX: usize = 4 * 1024;
/// Size of a buffer at first.
const BUFFER_BYTES: usize = 64 * 1024;
/// Largest buffer that is kept after a message: files that are read together fit into it, since to
/// get its pages anew for each message takes longer than to fill them.
const KEPT_BYTES: usize = 2 * READ_MANY_BYTES_MAX;
const HEADER_BYTES: usize = 4;

/// Why a message did not get through.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The other side is gone, or was never there: another one may answer.
    Broken(io::Error),
    /// Trying again would not help.
    Final(Error),
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Final(error)
    }
}

/// What to do when the socket's timeout passes: return to go on waiting, or give up.
pub(crate) type Stalled<'a> = &'a mut dyn FnMut() -> Result<(), Fault>;

/// One side of a connection.
pub(crate) struct Channel {
    socket: Arc<UnixStream>,
    outgoing: Vec<u8>,
    // Invariant: `incoming[..filled]` is what was read and not yet taken.
    incoming: Vec<u8>,
    filled: usize,
}

impl Channel {
    /// Starts on a connected socket.
    pub(crate) fn new(socket: Arc<UnixStream>) -> Self {
        Self { socket, outgoing: Vec::new(), incoming: Vec::new(), filled: 0 }
    }

    /// Makes one more on the same connection, for another thread that sends by it.
    pub(crate) fn twin(&self) -> Self {
        Self::new(Arc::clone(&self.socket))
    }

    /// Returns the socket.
    pub(crate) fn socket(&self) -> &UnixStream {
        &self.socket
    }

    /// Sends a message.
    ///
    /// Nothing was sent if it is too long, so that the channel stays usable.
    pub(crate) fn send(
        &mut self,
        message: &impl Serialize,
        stalled: Stalled<'_>,
    ) -> Result<(), Fault> {
        self.begin();
        let buffer = std::mem::take(&mut self.outgoing);
        self.outgoing = postcard::to_extend(message, buffer).map_err(|error| {
            Error::new(ErrorKind::Internal, "encode a message").with_source(error)
        })?;
        self.finish(stalled)
    }

    /// Sends bytes as they are.
    pub(crate) fn send_bytes(&mut self, body: &[u8], stalled: Stalled<'_>) -> Result<(), Fault> {
        self.begin();
        self.outgoing.extend_from_slice(body);
        self.finish(stalled)
    }

    /// Waits for a message.
    pub(crate) fn receive<T: DeserializeOwned>(
        &mut self,
        stalled: Stalled<'_>,
    ) -> Result<T, Fault> {
        self.receive_bytes(BODY_BYTES_MAX, stalled, |body| match postcard::take_from_bytes(body) {
            Ok((message, [])) => Ok(message),
            Ok(_) => Err(Error::new(ErrorKind::Invalid, "a message is longer than it should be")),
            Err(error) => {
                Err(Error::new(ErrorKind::Invalid, "a message is not readable").with_source(error))
            }
        })
    }

    /// Tells whether the other side has sent something, or is gone.
    pub(crate) fn is_ready(&self) -> bool {
        let flags = RecvFlags::PEEK | RecvFlags::DONTWAIT;
        let peeked = rustix::net::recv(&*self.socket, &mut [0_u8; 1][..], flags);
        self.filled > 0 || !matches!(peeked, Err(Errno::AGAIN | Errno::INTR))
    }

    /// Waits for the first frame and reads its body with `read`.
    pub(crate) fn receive_hello<T>(
        &mut self,
        stalled: Stalled<'_>,
        read: impl FnOnce(&[u8]) -> Result<T, Error>,
    ) -> Result<T, Fault> {
        self.receive_bytes(HELLO_BYTES_MAX, stalled, read)
    }

    /// Waits for a frame of at most so many bytes and reads its body with `read`.
    fn receive_bytes<T>(
        &mut self,
        bytes_max: usize,
        stalled: Stalled<'_>,
        read: impl FnOnce(&[u8]) -> Result<T, Error>,
    ) -> Result<T, Fault> {
        self.fill(HEADER_BYTES, stalled)?;
        let length = self.incoming.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        if length > bytes_max {
            return Err(Fault::Final(too_long(length, bytes_max)));
        }
        let end = HEADER_BYTES + length;
        self.fill(end, stalled)?;
        let message = read(&self.incoming[HEADER_BYTES..end]);
        self.incoming.copy_within(end..self.filled, 0);
        self.filled -= end;
        if self.incoming.len() > KEPT_BYTES && self.filled <= KEPT_BYTES {
            self.incoming.truncate(KEPT_BYTES);
            self.incoming.shrink_to_fit();
        }
        Ok(message?)
    }

    fn begin(&mut self) {
        self.outgoing.clear();
        self.outgoing.shrink_to(KEPT_BYTES);
        self.outgoing.extend_from_slice(&[0; HEADER_BYTES]);
    }

    fn finish(&mut self, stalled: Stalled<'_>) -> Result<(), Fault> {
        let length = self.outgoing.len() - HEADER_BYTES;
        let header = u32::try_from(length).ok().filter(|_| length <= BODY_BYTES_MAX);
        let Some(header) = header else {
            return Err(Fault::Final(too_long(length, BODY_BYTES_MAX)));
        };
        self.outgoing[..HEADER_BYTES].copy_from_slice(&header.to_le_bytes());
        let mut rest = &self.outgoing[..];
        while !rest.is_empty() {
            // A program that lets SIGPIPE end it must not be ended by an owner that leaves.
            match rustix::net::send(&*self.socket, rest, SendFlags::NOSIGNAL) {
                Ok(count) => rest = &rest[count..],
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => stalled()?,
                Err(error) => return Err(Fault::Broken(error.into())),
            }
        }
        Ok(())
    }

    /// Reads until `count` bytes are there.
    fn fill(&mut self, count: usize, stalled: Stalled<'_>) -> Result<(), Fault> {
        while self.filled < count {
            if self.filled == self.incoming.len() {
                // Growing by what has arrived keeps a false length from taking memory.
                self.incoming.resize(count.min(self.filled * 2).max(BUFFER_BYTES), 0);
            }
            match (&*self.socket).read(&mut self.incoming[self.filled..]) {
                Ok(0) => return Err(Fault::Broken(io::ErrorKind::UnexpectedEof.into())),
                Ok(read) => self.filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => stalled()?,
                Err(error) => return Err(Fault::Broken(error)),
            }
        }
        Ok(())
    }
}

fn too_long(length: usize, bytes_max: usize) -> Error {
    Error::new(
        ErrorKind::LimitExceeded,
        format!(
            "a message of {length} bytes is longer than {bytes_max}; \
             read and write large files in parts"
        ),
    )
}
