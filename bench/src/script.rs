//! Programs in other languages, which answer line by line.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde::de::DeserializeOwned;

/// One of them, at work.
pub(crate) struct Script {
    name: &'static str,
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Script {
    /// Starts a program.
    pub(crate) fn start(name: &'static str, command: &mut Command) -> Result<Self> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("start {name}"))?;
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().context("it has an output")?);
        Ok(Self { name, child, input, output })
    }

    /// What it is.
    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    /// Says a line, and returns what it answers.
    pub(crate) fn ask<T: DeserializeOwned>(&mut self, line: &str) -> Result<T> {
        writeln!(self.input.as_mut().context("it is at work")?, "{line}")?;
        let answer = self.line()?;
        ensure!(!answer.is_empty(), "{} ended: see above", self.name);
        serde_json::from_str(&answer).with_context(|| format!("{} says {answer:?}", self.name))
    }

    /// Returns the next line that it says; an empty one if it has ended.
    pub(crate) fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        Ok(line.trim_end().to_owned())
    }
}

impl Drop for Script {
    fn drop(&mut self) {
        // It ends with its input, whether it was ready or not.
        self.input = None;
        drop(self.child.wait());
    }
}
