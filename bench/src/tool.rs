//! Tools of the host, timed at work on a tree of notes.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::clock;
use crate::home::Content;

const FILES_PER_DIRECTORY: usize = 100;

/// Makes a directory with so many notes of 1 KiB, a hundred in each directory below it.
pub(crate) fn make_tree(dir: &Path, files: usize) -> Result<()> {
    let mut content = Content::new();
    for number in 0..files {
        let (directory, file) = (number / FILES_PER_DIRECTORY, number % FILES_PER_DIRECTORY);
        let directory = dir.join(format!("notes-{directory:03}"));
        if file == 0 {
            fs::create_dir_all(&directory)?;
        }
        fs::write(directory.join(format!("note-{file:02}.md")), content.text())?;
    }
    Ok(())
}

/// Runs a program to its end, and returns the milliseconds that it took.
pub(crate) fn time(program: &str, words: &[&str], dir: &Path, code: i32) -> Result<f64> {
    let mut command = Command::new(program);
    command.args(words).current_dir(dir).stdin(Stdio::null()).stdout(Stdio::null());
    // The settings of whoever runs this would change what git does.
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    let start = clock::now();
    let status = command.status().with_context(|| format!("run {program}"))?;
    let milliseconds = start.elapsed().as_secs_f64() * 1e3;
    ensure!(status.code() == Some(code), "{program} {words:?} ended with {status}");
    Ok(milliseconds)
}

/// Runs a program that succeeds, and returns what it writes.
///
/// It is read from a pipe: GNU grep ends with its first match if nobody reads what it writes.
pub(crate) fn output(program: &str, words: &[&str], dir: &Path) -> Result<String> {
    let mut command = Command::new(program);
    command.args(words).current_dir(dir).stdin(Stdio::null()).stderr(Stdio::inherit());
    let output = command.output().with_context(|| format!("run {program}"))?;
    ensure!(output.status.success(), "{program} {words:?} ended with {}", output.status);
    String::from_utf8(output.stdout).with_context(|| format!("{program} writes text"))
}
