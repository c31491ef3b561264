//! What a script may hold at once, asked before it is taken.
//!
//! Memory that cannot be had ends the process and not the script, so whatever grows with what
//! comes in, or with what a command line asks for, grows through here.

use std::ops::Deref;

use bashkit::{CommandInput, LimitExceeded};

/// Returns the error of a script that wants to hold more than it may.
pub(crate) fn exceeded(most: usize) -> bashkit::Error {
    let message = format!("a command may hold {most} bytes at once");
    bashkit::Error::ResourceLimit(LimitExceeded::Memory(message))
}

/// Reads standard input to its end.
pub(crate) async fn read_all(stdin: &CommandInput, most: usize) -> bashkit::Result<Vec<u8>> {
    let mut content = Vec::new();
    while let Some(chunk) = stdin.read_chunk().await? {
        append(&mut content, &chunk, most)?;
    }
    Ok(content)
}

/// Reads so much of standard input as answers to questions take, which may have no end.
pub(crate) async fn read_answers(stdin: &CommandInput) -> bashkit::Result<Vec<u8>> {
    let mut content = Vec::new();
    while content.len() < ANSWER_BYTES_MAX {
        let Some(chunk) = stdin.read_chunk().await? else { break };
        content.extend_from_slice(&chunk);
    }
    Ok(content)
}

/// How much is read of what has the answers.
const ANSWER_BYTES_MAX: usize = 64 << 10;

/// Adds to what is held.
pub(crate) fn append(content: &mut Vec<u8>, more: &[u8], most: usize) -> bashkit::Result<()> {
    let long = content.len().saturating_add(more.len());
    if long > most {
        return Err(exceeded(most));
    }
    if long > content.capacity() {
        // Twice as much each time, but never beyond what is allowed.
        let wanted = long.max(content.capacity().saturating_mul(2)).min(most);
        content.reserve_exact(wanted - content.len());
    }
    content.extend_from_slice(more);
    Ok(())
}

/// How often the process is looked at: a pipe of the interpreter hands on 4 KiB in a step.
const STEPS_BETWEEN_LOOKS: usize = 256;

/// How many times its limit a script may let the process grow.
const TIMES_MAX: usize = 3;

/// How much the process grows while a script runs.
///
/// The last resort, for what the interpreter's own commands read from a pipe: it joins that without
/// a bound. Others let the process grow, too, so it is told of only what is far beyond the limit.
pub(crate) struct Growth {
    /// What it had at the first look, which short scripts do not come to.
    before: Option<usize>,
    most: usize,
    steps: usize,
}

impl Growth {
    /// Begins with a script that may hold so much.
    pub(crate) fn new(most: usize) -> Self {
        Self { before: None, most, steps: 0 }
    }

    /// Tells, now and then, whether the process has grown too much since.
    pub(crate) fn is_too_much(&mut self) -> bool {
        self.steps += 1;
        if !self.steps.is_multiple_of(STEPS_BETWEEN_LOOKS) {
            return false;
        }
        let now = resident();
        let before = *self.before.get_or_insert(now);
        now.saturating_sub(before) > self.most.saturating_mul(TIMES_MAX)
    }
}

/// Returns how many bytes of this process are in memory; 0 where the host does not tell.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    let kilobytes: usize = line.trim().trim_end_matches(" kB").parse().unwrap_or(0);
    kilobytes << 10
}

/// What a command has to print when it is done.
#[derive(Debug)]
pub(crate) struct Printed {
    bytes: Vec<u8>,
    most: usize,
    full: bool,
}

impl Printed {
    /// Begins with nothing.
    pub(crate) fn new(most: usize) -> Self {
        Self { bytes: Vec::new(), most, full: false }
    }

    /// Adds bytes; from the first that are too many on, it takes none.
    pub(crate) fn extend_from_slice(&mut self, bytes: &[u8]) {
        self.full = self.full || append(&mut self.bytes, bytes, self.most).is_err();
    }

    /// Adds a byte.
    pub(crate) fn push(&mut self, byte: u8) {
        self.extend_from_slice(&[byte]);
    }

    /// Tells whether there was more than it takes: then the script ends.
    pub(crate) fn is_full(&self) -> bool {
        self.full
    }

    /// Notes that something else that comes of the command is too much.
    pub(crate) fn fill(&mut self) {
        self.full = true;
    }

    /// Returns what was added, unless that was too much.
    pub(crate) fn into_bytes(self) -> bashkit::Result<Vec<u8>> {
        if self.full { Err(exceeded(self.most)) } else { Ok(self.bytes) }
    }
}

impl Deref for Printed {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_never_takes_more_room_than_is_allowed() {
        let mut content = Vec::new();
        for _ in 0..10 {
            append(&mut content, &[0; 100], 1000).expect("there is room");
        }
        assert!(content.capacity() <= 1000, "{}", content.capacity());
        assert!(append(&mut content, &[0], 1000).is_err());
        let mut printed = Printed::new(3);
        printed.extend_from_slice(b"ab");
        printed.extend_from_slice(b"cd");
        printed.push(b'e');
        assert!(printed.is_full() && &*printed == b"ab", "what is too much is left out");
    }
}
