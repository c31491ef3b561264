//! Contents of any size, in pieces.

use std::io::{Read, Write};

use bytes::Bytes;
use homefs_core::{Error, ErrorKind, Path, Result, Version};
use homefs_engine::{Moment, WriteOptions, Writer};

use crate::channel::Fault;
use crate::client::{Client, Reached};
use crate::line::Line;
use crate::message::{Answer, Call};
use crate::operations::unlike;

/// Content sent or read in one message; smaller content needs only one.
const PIECE_BYTES: usize = 1024 * 1024;

/// A large content on its way into the store.
enum Upload {
    Here(Box<Writer>),
    There(Line),
}

impl Client {
    /// Writes a file of any size from `content`, in constant memory.
    ///
    /// # Errors
    ///
    /// `Unavailable` if the owner goes away in the middle: the file is as it was, or written if
    /// that happened at the very end; write it again.
    pub fn write_from(
        &self,
        path: &Path,
        content: &mut dyn Read,
        options: &WriteOptions,
    ) -> Result<Version> {
        let mut piece = read_piece(content, path)?;
        if piece.len() < PIECE_BYTES {
            return self.write(path, &piece, options);
        }
        let mut upload = self.open_upload(path, options)?;
        while !piece.is_empty() {
            let next = read_piece(content, path)?;
            match &mut upload {
                Upload::Here(writer) => writer.push(&piece).map_err(|error| self.blame(error))?,
                Upload::There(line) => {
                    self.continue_upload(line, &Call::UploadPush(piece))?;
                }
            }
            piece = next;
        }
        match upload {
            Upload::Here(writer) => writer.finish().map_err(|error| self.blame(error)),
            Upload::There(mut line) => {
                match self.continue_upload(&mut line, &Call::UploadFinish)? {
                    Answer::Version(version) => {
                        self.give_back(line);
                        Ok(version)
                    }
                    _ => Err(unlike("an upload")),
                }
            }
        }
    }

    /// Writes the content that a file has at `moment` to `target`, in constant memory; returns its
    /// length.
    pub fn read_to(&self, path: &Path, moment: Moment, target: &mut dyn Write) -> Result<u64> {
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

    fn open_upload(&self, path: &Path, options: &WriteOptions) -> Result<Upload> {
        let mut line = self.take_line()?;
        let call = Call::UploadOpen { path: path.clone(), options: options.clone() };
        match self.reach(&mut line, &call)? {
            Reached::Here(opened) => {
                let writer = opened.view.writer(path, options)?;
                Ok(Upload::Here(Box::new(writer)))
            }
            Reached::There(reply) => reply.map(|_| Upload::There(line)),
        }
    }

    /// Tells a store that was handed over from one that takes no more changes.
    fn blame(&self, error: Error) -> Error {
        let handed_over = error.kind() == ErrorKind::Closed && self.here().is_none();
        if handed_over { went_away().with_source(error) } else { error }
    }

    fn continue_upload(&self, line: &mut Line, call: &Call) -> Result<Answer> {
        match self.exchange(line, call) {
            Ok(reply) => reply,
            Err(Fault::Final(error)) => Err(error),
            Err(Fault::Broken(error)) => Err(went_away().with_source(error)),
        }
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
