//! Plain files of the disk, one per content.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::{Key, Peer};

/// A folder of files.
pub(crate) struct Files {
    folder: PathBuf,
}

impl Files {
    /// Starts with none.
    pub(crate) fn open(folder: &Path) -> Self {
        Self { folder: folder.join("files") }
    }

    /// Makes the folders for these keys.
    pub(crate) fn prepare(&self, keys: &[Key]) -> Result<()> {
        for key in keys {
            let file = self.folder.join(&key.path);
            fs::create_dir_all(file.parent().context("a file is in a folder")?)?;
        }
        Ok(())
    }
}

impl Peer for Files {
    fn name(&self) -> &'static str {
        "ext4 file (no sync)"
    }

    fn put(&mut self, key: &Key, content: &[u8]) -> Result<()> {
        Ok(fs::write(self.folder.join(&key.path), content)?)
    }

    fn get(&mut self, key: &Key) -> Result<Vec<u8>> {
        Ok(fs::read(self.folder.join(&key.path))?)
    }
}
