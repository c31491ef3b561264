//! A stream that can be read once more from its beginning.

use std::io::{self, Read, Seek, SeekFrom, Write};

use tempfile::SpooledTempFile;

/// What is kept in memory; the rest goes to a file without a name.
const MEMORY_BYTES_MAX: usize = 1 << 20;

/// Keeps what was read of a stream, such as standard input, so that it can be sent again to
/// another owner.
pub struct Spooled<R> {
    source: R,
    kept: SpooledTempFile,
    /// How much of what is kept was read again.
    again: u64,
    length: u64,
    /// Whether something could not be kept, for want of room.
    is_partial: bool,
}

impl<R: Read> Spooled<R> {
    /// Starts to read a stream.
    pub fn new(source: R) -> Self {
        let kept = SpooledTempFile::new(MEMORY_BYTES_MAX);
        Self { source, kept, again: 0, length: 0, is_partial: false }
    }
}

impl<R: Read> Read for Spooled<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.again < self.length {
            let count = self.kept.read(buffer)?;
            self.again += count as u64;
            return Ok(count);
        }
        let count = self.source.read(buffer)?;
        self.is_partial = self.is_partial || self.kept.write_all(&buffer[..count]).is_err();
        self.length += count as u64;
        self.again = self.length;
        Ok(count)
    }
}

impl<R: Read> Seek for Spooled<R> {
    /// Goes to the beginning; nobody needs another place.
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        if self.is_partial || to != SeekFrom::Start(0) {
            return Err(io::ErrorKind::NotSeekable.into());
        }
        self.again = 0;
        self.kept.rewind().map(|()| 0)
    }
}
