//! Contents of any size, in pieces.

use std::io::{self, Cursor, Read, Seek, Write};

use bytes::Bytes;
use homefs_core::{Error, ErrorCode, ErrorKind, Path, Result, Version};
use homefs_view::{Durability, Moment, REMOTE_WAIT, WriteOptions, Writer};

use crate::channel::Fault;
use crate::client::{Client, Reached};
use crate::line::Line;
use crate::message::{Answer, Call};
use crate::operations::unlike;

/// Content sent or read in one message; smaller content needs only one.
const PIECE_BYTES: usize = 1024 * 1024;
/// Most bytes of a file that are read into memory for a caller.
const HELD_BYTES_MAX: u64 = 2 << 30;
/// How often a content is sent from its beginning, because an owner went away in the middle. Who
/// sends it again most often owns the store by then.
const TRIES_MAX: usize = 8;

/// What is read into memory; where there is none left, that is an error and not the end.
#[derive(Default)]
struct BoundedBuffer(Vec<u8>);

impl Write for BoundedBuffer {
    fn write(&mut self, part: &[u8]) -> io::Result<usize> {
        let is_held = (self.0.len() + part.len()) as u64 <= HELD_BYTES_MAX;
        if !is_held || self.0.try_reserve(part.len()).is_err() {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.0.extend_from_slice(part);
        Ok(part.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Client {
    /// Writes a whole file that is in memory: in one message, or in pieces where it is long.
    ///
    /// # Errors
    ///
    /// As [`Client::write_from`].
    pub fn write_whole(
        &self,
        path: &Path,
        content: &[u8],
        options: &WriteOptions,
    ) -> Result<Version> {
        if content.len() < PIECE_BYTES {
            return self.write(path, content, options);
        }
        self.write_from(path, &mut Cursor::new(content), options)
    }

    /// Writes a file of any size from `content`, in constant memory. If the owner goes away in the
    /// middle, the content is read again from its beginning and sent to the next one; it becomes
    /// one version all the same.
    ///
    /// # Errors
    ///
    /// `Unavailable` if owners go away again and again, or the content cannot be read once more:
    /// the file is as it was, or written if that happened at the very end.
    pub fn write_from(
        &self,
        path: &Path,
        content: &mut (impl Read + Seek),
        options: &WriteOptions,
    ) -> Result<Version> {
        let first = read_piece(content, path)?;
        if first.len() < PIECE_BYTES {
            return self.write(path, &first, options);
        }
        if options.durability == Durability::Remote {
            // As of a small change: it is waited for with nothing locked.
            let local = WriteOptions { durability: Durability::Memory, ..options.clone() };
            let version = self.send_from(path, first, content, &local)?;
            self.barrier_remote(REMOTE_WAIT)?;
            return Ok(version);
        }
        self.send_from(path, first, content, options)
    }

    /// Sends a content that begins with a piece until an owner has all of it.
    fn send_from(
        &self,
        path: &Path,
        mut first: Bytes,
        content: &mut (impl Read + Seek),
        options: &WriteOptions,
    ) -> Result<Version> {
        let mut line = self.take_line()?;
        let number = line.next_number();
        for _ in 1..TRIES_MAX {
            match self.upload(&mut line, number, path, first, content, options) {
                Err(Fault::Broken(_)) => {}
                Err(Fault::Final(error)) => return Err(error),
                Ok(version) => {
                    self.give_back(line);
                    return Ok(version);
                }
            }
            content.rewind().map_err(|error| went_away().with_source(error))?;
            first = read_piece(content, path)?;
        }
        let last = self.upload(&mut line, number, path, first, content, options);
        last.map_err(|fault| match fault {
            Fault::Broken(error) => went_away().with_source(error),
            Fault::Final(error) => error,
        })
    }

    /// Writes the content that a file has at `moment` to `target`, in constant memory; returns its
    /// length.
    pub fn read_to(&self, path: &Path, moment: Moment, target: &mut dyn Write) -> Result<u64> {
        self.read_up_to(u64::MAX, path, moment, target)
    }

    /// Returns the content that a file has at `moment`, or a part of it.
    ///
    /// # Errors
    ///
    /// `LimitExceeded` if there are more bytes than a process should hold, of which a file that was
    /// never written may have any number.
    pub fn read_here(
        &self,
        path: &Path,
        moment: Moment,
        offset: u64,
        length: Option<usize>,
    ) -> Result<Vec<u8>> {
        let mut held = BoundedBuffer::default();
        if offset == 0 && length.is_none() {
            self.read_up_to(HELD_BYTES_MAX, path, moment, &mut held)?;
            return Ok(held.0);
        }
        let length = length.unwrap_or(usize::MAX);
        while held.0.len() < length {
            let wanted = PIECE_BYTES.min(length - held.0.len());
            let at = offset.saturating_add(held.0.len() as u64);
            let piece = self.read_past(path, moment, at, wanted)?;
            held.write_all(&piece).map_err(|error| Error::io("read it", error).with_path(path))?;
            if piece.len() < wanted {
                break;
            }
            if at == offset && length as u64 > HELD_BYTES_MAX {
                self.check_short(HELD_BYTES_MAX, path, moment, offset)?;
            }
        }
        Ok(held.0)
    }

    /// Refuses a file that is longer than this from an offset on, before much of it is read.
    fn check_short(&self, most: u64, path: &Path, moment: Moment, offset: u64) -> Result<()> {
        let beyond = offset.checked_add(most);
        let beyond = beyond.map(|beyond| self.read_past(path, moment, beyond, 1)).transpose()?;
        if beyond.is_some_and(|beyond| !beyond.is_empty()) {
            let message = format!("has more than {most} bytes, read it in parts");
            let error = Error::new(ErrorKind::LimitExceeded, message);
            return Err(error.with_code(ErrorCode::FileTooLarge).with_path(path));
        }
        Ok(())
    }

    /// Writes the content of a file to `target`, if it is no longer than this.
    fn read_up_to(
        &self,
        most: u64,
        path: &Path,
        moment: Moment,
        target: &mut dyn Write,
    ) -> Result<u64> {
        let mut moment = moment;
        let mut piece = self.read_past(path, moment, 0, PIECE_BYTES)?;
        if piece.len() == PIECE_BYTES && moment == Moment::Now {
            // All pieces must be of one content, also if the file is written meanwhile.
            if self.stat(path)?.version == Version(0) {
                // A probe has no versions: only an answer as a whole is one answer.
                piece = self.read(path)?;
            } else if let Some(edition) = self.log(path, None, 1)?.first() {
                // Asking for it has settled what was not.
                moment = Moment::Version(edition.version);
                piece = self.read_past(path, moment, 0, PIECE_BYTES)?;
            }
        }
        if piece.len() == PIECE_BYTES && most < u64::MAX {
            self.check_short(most, path, moment, 0)?;
        }
        let mut length = 0;
        loop {
            target
                .write_all(&piece)
                .map_err(|error| Error::io("copy a file out", error).with_path(path))?;
            length += piece.len() as u64;
            if piece.len() != PIECE_BYTES {
                return Ok(length);
            }
            piece = self.read_past(path, moment, length, PIECE_BYTES)?;
        }
    }

    /// Sends a content once, as the change with a number.
    fn upload(
        &self,
        line: &mut Line,
        number: u64,
        path: &Path,
        first: Bytes,
        content: &mut dyn Read,
        options: &WriteOptions,
    ) -> Result<Version, Fault> {
        let (path, options) = (path.clone(), options.clone());
        let call = Call::UploadOpen { number, path: path.clone(), options: options.clone() };
        let reply = match self.reach(line, &call)? {
            Reached::Here(opened) => {
                // The last owner may have made this change before it went away.
                let view = opened.view.with_origin(line.origin(number));
                let writer = view.writer(&path, &options)?;
                drop(opened);
                return self.write_here(writer, first, content, &path);
            }
            Reached::There(reply) => reply,
        };
        reply?;
        let mut piece = first;
        while !piece.is_empty() {
            let next = read_piece(content, &path)?;
            self.exchange(line, &Call::UploadPush(piece))??;
            piece = next;
        }
        match self.exchange(line, &Call::UploadFinish)?? {
            Answer::Version(version) => Ok(version),
            _ => Err(unlike("an upload").into()),
        }
    }

    /// Writes a content as the owner.
    fn write_here(
        &self,
        mut writer: Writer,
        first: Bytes,
        content: &mut dyn Read,
        path: &Path,
    ) -> Result<Version, Fault> {
        let mut piece = first;
        while !piece.is_empty() {
            let next = read_piece(content, path)?;
            writer.push(&piece).map_err(|error| self.blame(error))?;
            piece = next;
        }
        writer.finish().map_err(|error| self.blame(error))
    }

    /// Tells a store that was handed over from one that takes no more changes.
    fn blame(&self, error: Error) -> Fault {
        let handed_over = error.kind() == ErrorKind::Closed && self.here().is_none();
        if handed_over { Fault::Broken(io::Error::other(error)) } else { Fault::Final(error) }
    }
}

/// Reads `PIECE_BYTES`, fewer only at the end.
fn read_piece(content: &mut dyn Read, path: &Path) -> Result<Bytes> {
    let mut piece = Vec::new();
    content
        .take(PIECE_BYTES as u64)
        .read_to_end(&mut piece)
        .map_err(|error| Error::io("read the content to write", error).with_path(path))?;
    Ok(piece.into())
}

fn went_away() -> Error {
    Error::new(
        ErrorKind::Unavailable,
        "the owner went away in the middle of a large write; write it again",
    )
}
