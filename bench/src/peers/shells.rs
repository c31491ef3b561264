//! Another shell inside a process, without a machine: npm's just-bash, kept in one Node process.

use std::path::Path;
use std::process::Command;

use anyhow::Result;
use serde::Deserialize;
use serde_json::json;

use crate::machine;
use crate::sample::Summary;
use crate::script::Script;

const PROGRAM: &str = include_str!("shells.mjs");
/// Where npm put it.
const TOOLS: &str = "../target/tools";

/// What running one script took.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct Ran {
    pub(crate) wall: Summary,
    /// Microseconds of CPU time for each run, those of other threads of the process included.
    pub(crate) cpu: f64,
}

/// One of its file systems, at work.
pub(crate) struct JustBash(Script);

impl JustBash {
    /// Starts it with the files of a directory in memory; none if it is not installed.
    pub(crate) fn in_memory(dir: &Path) -> Result<Option<Self>> {
        Self::start("just-bash, InMemoryFs", "memory", dir)
    }

    /// Starts it with a directory of the host below its changes; none if it is not installed.
    pub(crate) fn overlay(dir: &Path) -> Result<Option<Self>> {
        Self::start("just-bash, OverlayFs", "overlay", dir)
    }

    fn start(name: &'static str, kind: &str, dir: &Path) -> Result<Option<Self>> {
        let tools = machine::bench_folder().join(TOOLS);
        if !tools.join("node_modules/just-bash").exists() {
            println!("  {name} is left out: npm install --prefix target/tools just-bash");
            return Ok(None);
        }
        // What a text on the command line imports is looked for from the working directory on.
        let mut command = Command::new("node");
        command.args(["--input-type=module", "--eval", PROGRAM, "--", kind]).arg(dir);
        Ok(Some(Self(Script::start(name, command.current_dir(tools))?)))
    }

    /// What it is.
    pub(crate) fn name(&self) -> &'static str {
        self.0.name()
    }

    /// Tells it the scripts and how often to run each; returns what each writes.
    pub(crate) fn prepare(&mut self, scripts: &[&str], count: usize) -> Result<Vec<String>> {
        self.0.ask(&json!({ "scripts": scripts, "count": count }).to_string())
    }

    /// Lets it run each script.
    pub(crate) fn round(&mut self) -> Result<Vec<Ran>> {
        self.0.ask("")
    }
}
