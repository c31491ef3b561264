//! Probes as files: an answer is computed when its name is looked up, and then frozen, so that its
//! length is exact and every reader sees one answer.

use bytes::Bytes;
use fuser::{FileAttr, FileType, INodeNo};
use homefs_core::{Error, ErrorKind, Path, Result, Timestamp};
use homefs_view::View;
use parking_lot::Mutex;

use crate::stat::system_time;

/// Longest that can be written to a probe.
const WRITTEN_BYTES_MAX: usize = 64 * 1024;

/// One answer of a probe.
pub(crate) struct ProbeFile {
    directory: Path,
    name: Box<str>,
    content: Bytes,
    writable: bool,
    asked: Timestamp,
    /// What was written so far: a program may write in parts.
    written: Mutex<Vec<u8>>,
}

impl ProbeFile {
    /// Asks the probe of this name in a directory, if there is one.
    pub(crate) fn ask(
        view: &View,
        directory: &Path,
        name: &str,
        asked: Timestamp,
    ) -> Result<Option<Self>> {
        let Some(probed) = view.probe(directory, name)? else { return Ok(None) };
        Ok(Some(Self {
            directory: directory.clone(),
            name: name.into(),
            content: probed.content,
            writable: probed.writable,
            asked,
            written: Mutex::default(),
        }))
    }

    /// Returns the attributes as the kernel wants them.
    pub(crate) fn attr(&self, number: u64, (uid, gid): (u32, u32)) -> FileAttr {
        let time = system_time(self.asked);
        let size = self.content.len() as u64;
        FileAttr {
            ino: INodeNo(number),
            size,
            blocks: size.div_ceil(512),
            atime: time,
            mtime: time,
            ctime: time,
            crtime: time,
            kind: FileType::RegularFile,
            perm: if self.writable { 0o644 } else { 0o444 },
            nlink: 1,
            uid,
            gid,
            rdev: 0,
            blksize: 4096,
            flags: 0,
        }
    }

    /// Tells whether this is the same answer of the same probe.
    pub(crate) fn is(&self, other: &Self) -> bool {
        (&self.directory, &self.name, &self.content)
            == (&other.directory, &other.name, &other.content)
    }

    /// Begins to write anew.
    pub(crate) fn truncate(&self) {
        self.written.lock().clear();
    }

    /// Reads a part of the answer.
    pub(crate) fn read(&self, offset: u64, len: usize) -> Bytes {
        let size = self.content.len();
        let start = usize::try_from(offset).unwrap_or(size).min(size);
        self.content.slice(start..start.saturating_add(len).min(size))
    }

    /// Writes to the probe; what was written before at other offsets counts too.
    pub(crate) fn write(&self, view: &View, offset: u64, bytes: &[u8]) -> Result<()> {
        let mut written = self.written.lock();
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        let end = start.saturating_add(bytes.len());
        if end > WRITTEN_BYTES_MAX {
            let message = format!("a probe takes {WRITTEN_BYTES_MAX} bytes at most");
            return Err(Error::new(ErrorKind::LimitExceeded, message));
        }
        if written.len() < end {
            written.resize(end, 0);
        }
        written[start..end].copy_from_slice(bytes);
        view.write_probe(&self.directory, &self.name, &written).map(drop)
    }
}
