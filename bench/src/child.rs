//! Second processes: this program again, doing one part of a scenario.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde::de::DeserializeOwned;

/// The first argument of a second process.
pub(crate) const FLAG: &str = "--child";

/// Runs a scenario's second process and returns what it says.
pub(crate) fn ask<T: DeserializeOwned>(scenario: &str, words: &[&str]) -> Result<T> {
    let (mut child, line) = start(scenario, words)?;
    let status = child.wait()?;
    ensure!(status.success(), "the second process of {scenario} failed: {status}");
    Ok(serde_json::from_str(&line)?)
}

/// Starts a scenario's second process and returns it with the first line it says.
pub(crate) fn start(scenario: &str, words: &[&str]) -> Result<(Child, String)> {
    let program = std::env::current_exe()?;
    let mut command = Command::new(program);
    command.arg(FLAG).arg(scenario).args(words);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut line = String::new();
    let output = child.stdout.take().context("the child has an output")?;
    BufReader::new(output).read_line(&mut line)?;
    Ok((child, line))
}
