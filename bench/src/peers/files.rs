//! Plain files of the disk, one per content.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::Peer;

const FILES_PER_FOLDER: u64 = 100;

/// A folder of files.
pub(crate) struct Files {
    folder: PathBuf,
}

impl Files {
    /// Starts with none.
    pub(crate) fn open(folder: &Path) -> Result<Self> {
        let folder = folder.join("files");
        fs::create_dir_all(&folder)?;
        Ok(Self { folder })
    }

    /// Makes the folders for these keys.
    pub(crate) fn prepare(&self, first: u64, count: usize) -> Result<()> {
        let last = first + count as u64;
        for number in first / FILES_PER_FOLDER..=last / FILES_PER_FOLDER {
            fs::create_dir_all(self.folder.join(format!("{number:05}")))?;
        }
        Ok(())
    }

    fn path(&self, key: u64) -> PathBuf {
        self.folder.join(format!("{:05}/{:02}", key / FILES_PER_FOLDER, key % FILES_PER_FOLDER))
    }
}

impl Peer for Files {
    fn name(&self) -> &'static str {
        "ext4 file (no sync)"
    }

    fn put(&mut self, key: u64, content: &[u8]) -> Result<()> {
        Ok(fs::write(self.path(key), content)?)
    }

    fn get(&mut self, key: u64) -> Result<Vec<u8>> {
        Ok(fs::read(self.path(key))?)
    }
}
