//! The file of an index: what changed in it, frame after frame.
//!
//! Everything in it follows from the space, so it is never synced, and whatever cannot be read is
//! made again. A frame that a crash cut off, and all behind it, is dropped.

use std::path::{Path as HostPath, PathBuf};
use std::sync::Arc;

use homefs_core::{Disk, DiskFile, Error, Result};
use homefs_store::index_file::NAME;

/// What the file begins with; another number makes the index anew.
const HEADER: &[u8] = b"homefs index 1\n";
/// What stands before a frame: its length and its checksum.
const PREFIX_BYTES: usize = 8;

/// An index's file, open to be added to.
pub(super) struct IndexFile {
    disk: Arc<dyn Disk>,
    path: PathBuf,
    /// `None` until something is written.
    file: Option<Box<dyn DiskFile>>,
    /// Where the next frame goes.
    end: u64,
}

impl IndexFile {
    /// Opens the file of a space, calling `take` with each frame; what `take` refuses makes the
    /// file an empty one, and is returned.
    pub(super) fn open(
        disk: Arc<dyn Disk>,
        dir: &HostPath,
        mut take: impl FnMut(&[u8]) -> Result<()>,
    ) -> Result<(Self, Result<()>)> {
        let path = dir.join(NAME);
        let mut opened = Self { disk, path, file: None, end: 0 };
        if !opened.disk.exists(&opened.path).map_err(|cause| opened.failed(cause))? {
            return Ok((opened, Ok(())));
        }
        let content = opened.disk.read(&opened.path).map_err(|cause| opened.failed(cause))?;
        let Some(mut rest) = content.strip_prefix(HEADER) else { return Ok((opened, Ok(()))) };
        let mut taken = Ok(());
        while let Some((frame, behind)) = next_frame(rest) {
            taken = take(frame);
            if taken.is_err() {
                return Ok((opened, taken));
            }
            rest = behind;
        }
        let file = opened.disk.open(&opened.path).map_err(|cause| opened.failed(cause))?;
        opened.end = (content.len() - rest.len()) as u64;
        opened.file = Some(file);
        Ok((opened, taken))
    }

    /// Adds a frame.
    pub(super) fn append(&mut self, frame: &[u8]) -> Result<()> {
        if self.file.is_none() {
            return self.replace(frame, false);
        }
        let framed = with_prefix(Vec::new(), frame);
        if let Some(file) = &self.file {
            file.write_at(self.end, &framed).map_err(|cause| self.failed(cause))?;
        }
        self.end += framed.len() as u64;
        Ok(())
    }

    /// Puts one frame in the place of all there are; `erase` overwrites what was there.
    pub(super) fn replace(&mut self, frame: &[u8], erase: bool) -> Result<()> {
        let content = with_prefix(HEADER.to_vec(), frame);
        if erase {
            self.erase()?;
        }
        self.disk.replace(&self.path, &content).map_err(|cause| self.failed(cause))?;
        self.file = Some(self.disk.open(&self.path).map_err(|cause| self.failed(cause))?);
        self.end = content.len() as u64;
        Ok(())
    }

    /// Overwrites and removes what was written.
    pub(super) fn erase(&mut self) -> Result<()> {
        if let Some(file) = self.file.take() {
            let zeros = vec![0; 64 << 10];
            for offset in (0..self.end).step_by(zeros.len()) {
                let len = usize::try_from(self.end - offset).unwrap_or(zeros.len());
                let wiped = file.write_at(offset, &zeros[..len.min(zeros.len())]);
                wiped.map_err(|cause| self.failed(cause))?;
            }
            file.sync().map_err(|cause| self.failed(cause))?;
            self.disk.remove(&self.path).map_err(|cause| self.failed(cause))?;
            self.end = 0;
        }
        Ok(())
    }

    /// Tells whether there is a file.
    pub(super) fn is_there(&self) -> bool {
        self.file.is_some()
    }

    /// Returns the length of the file in bytes.
    pub(super) fn len(&self) -> u64 {
        self.end
    }

    fn failed(&self, cause: std::io::Error) -> Error {
        Error::io("keep the index", cause).with_path_text(self.path.to_string_lossy())
    }
}

fn with_prefix(mut buffer: Vec<u8>, frame: &[u8]) -> Vec<u8> {
    let len = u32::try_from(frame.len()).expect("an index in memory is below 4 GiB");
    buffer.reserve(PREFIX_BYTES + frame.len());
    buffer.extend_from_slice(&len.to_le_bytes());
    buffer.extend_from_slice(&crc32fast::hash(frame).to_le_bytes());
    buffer.extend_from_slice(frame);
    buffer
}

/// Splits off the next whole frame.
fn next_frame(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (prefix, rest) = bytes.split_at_checked(PREFIX_BYTES)?;
    let (len, sum) = prefix.split_at(4);
    let number = |bytes: &[u8]| Some(u32::from_le_bytes(bytes.try_into().ok()?));
    let (frame, behind) = rest.split_at_checked(usize::try_from(number(len)?).ok()?)?;
    (number(sum)? == crc32fast::hash(frame)).then_some((frame, behind))
}
