//! What every scenario is given: its size, and folders on the disk that is measured.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use tempfile::TempDir;

/// How much smaller a quick run is.
const QUICK_DIVISOR: usize = 10;

/// The ground of one run.
pub(crate) struct Bench {
    dir: PathBuf,
    quick: bool,
}

impl Bench {
    /// Prepares a run whose files lie below `dir`.
    pub(crate) fn new(dir: &Path, quick: bool) -> Result<Self> {
        std::fs::create_dir_all(dir).with_context(|| format!("make {}", dir.display()))?;
        Ok(Self { dir: dir.canonicalize()?, quick })
    }

    /// Returns how many of something to do.
    pub(crate) fn scaled(&self, count: usize) -> usize {
        self.either(count, count / QUICK_DIVISOR)
    }

    /// Returns the first in a full run, the second in a quick one.
    pub(crate) fn either(&self, full: usize, quick: usize) -> usize {
        if self.quick { quick } else { full }
    }

    /// Returns how often to measure each in turn.
    pub(crate) fn rounds(&self) -> usize {
        self.either(5, 3)
    }

    /// Returns where results go that are not worth keeping.
    pub(crate) fn results(&self) -> PathBuf {
        self.dir.join("results")
    }

    /// Returns a folder that is kept for the next run.
    pub(crate) fn kept(&self, name: &str) -> Result<PathBuf> {
        let folder = self.dir.join(name);
        std::fs::create_dir_all(&folder)?;
        Ok(folder)
    }

    /// Makes an empty folder that is removed afterwards.
    pub(crate) fn folder(&self) -> Result<TempDir> {
        Ok(tempfile::Builder::new().prefix("run-").tempdir_in(&self.dir)?)
    }
}
