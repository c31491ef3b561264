//! What the fuzz target of frames calls.

use std::io::{self, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::Arc;

use crate::channel::{Channel, Fault};
use crate::hello::{self, Introduction};
use crate::message::{Call, Reply};

/// Most bytes that go into a socket that nobody reads yet.
const BYTES_MAX: usize = 64 << 10;

/// Reads bytes as they come from whoever connects: a hello and requests, or answers.
pub fn frame(data: &[u8]) {
    let Some((kind, data)) = data.split_first() else { return };
    let (mut ours, theirs) = UnixStream::pair().expect("the host has sockets");
    ours.write_all(&data[..data.len().min(BYTES_MAX)]).expect("that much fits");
    ours.shutdown(Shutdown::Write).expect("it is open");
    let mut channel = Channel::new(Arc::new(theirs));
    let mut stalled = || Err(Fault::Broken(io::ErrorKind::TimedOut.into()));
    let is_owner = kind % 2 == 0;
    if is_owner {
        let read = |bytes: &[u8]| hello::decode::<Introduction>(bytes, "the client").map(drop);
        drop(channel.receive_hello(&mut stalled, read));
    }
    loop {
        let received = if is_owner {
            channel.receive::<Call>(&mut stalled).map(drop)
        } else {
            channel.receive::<Reply>(&mut stalled).map(drop)
        };
        if let Err(Fault::Broken(_)) = received {
            return;
        }
        // Whoever reads goes no further after a length that cannot be.
        if let Err(Fault::Final(error)) = received
            && error.kind() == homefs_core::ErrorKind::LimitExceeded
        {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_was_found_by_fuzzing_is_read() {
        homefs_testkit::replay("frame", super::frame);
    }
}
