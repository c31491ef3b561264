//! What every scenario is given: its size, a folder of its own, and second processes.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde::de::DeserializeOwned;
use tempfile::TempDir;

/// The first argument of a second process.
pub(crate) const CHILD_FLAG: &str = "--child";

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
        if self.quick { count / QUICK_DIVISOR } else { count }
    }

    /// Returns how often to measure each in turn.
    pub(crate) fn rounds(&self) -> usize {
        if self.quick { 3 } else { 5 }
    }

    /// Returns where results go that are not worth keeping.
    pub(crate) fn results(&self) -> PathBuf {
        self.dir.join("results")
    }

    /// Makes an empty folder that is removed afterwards.
    pub(crate) fn folder(&self) -> Result<TempDir> {
        Ok(tempfile::Builder::new().prefix("run-").tempdir_in(&self.dir)?)
    }

    /// Runs a scenario's second process and returns what it says.
    pub(crate) fn ask<T: DeserializeOwned>(&self, scenario: &str, words: &[&str]) -> Result<T> {
        let (mut child, line) = self.start(scenario, words)?;
        let status = child.wait()?;
        ensure!(status.success(), "the second process of {scenario} failed: {status}");
        Ok(serde_json::from_str(&line)?)
    }

    /// Starts a scenario's second process and returns it with the first line it says.
    pub(crate) fn start(&self, scenario: &str, words: &[&str]) -> Result<(Child, String)> {
        let program = std::env::current_exe()?;
        let mut command = Command::new(program);
        command.arg(CHILD_FLAG).arg(scenario).args(words);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        let output = child.stdout.take().context("the child has an output")?;
        BufReader::new(output).read_line(&mut line)?;
        Ok((child, line))
    }
}
