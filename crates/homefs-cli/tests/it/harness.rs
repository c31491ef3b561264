//! A home of its own for every test, and transcripts that are checked.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// The program that is tested.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_homefs");

/// A hermetic environment: own home, own store, no colour, UTC.
pub(crate) struct Home {
    dir: TempDir,
    variables: Vec<(&'static str, String)>,
}

/// How a command ended.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Ran {
    /// Returns what was printed as text.
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.stdout.clone()).expect("the output is text")
    }

    /// Returns what was printed as one JSON document.
    pub(crate) fn json(&self) -> Value {
        let value = serde_json::from_slice(&self.stdout).ok();
        assert!(value.is_some(), "not JSON: {:?}, {}", self.text(), self.stderr);
        value.expect("asserted just before")
    }
}

impl Home {
    pub(crate) fn new() -> Self {
        let dir = TempDir::new().expect("make a temporary directory");
        Self { dir, variables: Vec::new() }
    }

    /// Sets a variable for every command.
    pub(crate) fn set(&mut self, name: &'static str, value: &str) {
        self.variables.push((name, value.to_owned()));
    }

    /// Returns a host path in the home.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Returns a command without any environment but the home's.
    pub(crate) fn command(&self) -> Command {
        self.command_of(Path::new(PROGRAM))
    }

    /// As [`Self::command`], of a copy of the program.
    pub(crate) fn command_of(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("HOME", self.dir.path())
            .env("TMPDIR", self.dir.path())
            .env("TZ", "UTC")
            .env("NO_COLOR", "1")
            .env("HOMEFS_STORE", self.path("store"))
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .current_dir(self.dir.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs a command.
    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        ran(self.command().args(arguments).output().expect("run homefs"))
    }

    /// Runs a command that reads `input`.
    pub(crate) fn run_with(&self, arguments: &[&str], input: &[u8]) -> Ran {
        let mut child =
            self.command().args(arguments).stdin(Stdio::piped()).spawn().expect("start homefs");
        let mut stdin = child.stdin.take().expect("standard input is a pipe");
        // A command that refuses its arguments does not read; that is its right.
        drop(stdin.write_all(input));
        drop(stdin);
        ran(child.wait_with_output().expect("run homefs"))
    }

    /// Runs a command that must succeed and returns its output.
    pub(crate) fn ok(&self, arguments: &[&str]) -> String {
        let ran = self.run(arguments);
        assert_eq!(ran.code, 0, "{arguments:?}: {}{}", ran.text(), ran.stderr);
        ran.text()
    }

    /// Runs every `$ ` line of a transcript and compares what it prints with the lines below it.
    ///
    /// Standard output comes first, then standard error, then `[code]` if it is not 0. Times and
    /// the home's path are masked. An expected line that ends with `…` stands for any line that
    /// begins so.
    pub(crate) fn check(&self, transcript: &str) {
        let expected: Vec<&str> = transcript.lines().map(str::trim).collect();
        let expected: Vec<&str> = expected.into_iter().filter(|line| !line.is_empty()).collect();
        let mut found = Vec::new();
        for line in expected.iter().filter(|line| line.starts_with("$ ")) {
            found.push((*line).to_owned());
            let (arguments, input) = words(&line[2..]);
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            let ran = self.run_with(&arguments, input.as_bytes());
            let printed = format!("{}\n{}", ran.text(), ran.stderr);
            let masked = mask(&printed.replace(&self.dir.path().display().to_string(), "HOME"));
            found.extend(masked.lines().map(|line| line.trim().to_owned()));
            if ran.code != 0 {
                found.push(format!("[{}]", ran.code));
            }
        }
        found.retain(|line| !line.is_empty());
        let alike = |(expected, found): (&&str, &String)| match expected.strip_suffix('…') {
            Some(begin) => found.starts_with(begin),
            None => expected == found,
        };
        let all = expected.len() == found.len() && expected.iter().zip(&found).all(alike);
        assert!(all, "the transcript is:\n{}\n", found.join("\n"));
    }
}

pub(crate) fn ran(output: Output) -> Ran {
    Ran {
        code: output.status.code().unwrap_or(-1),
        stdout: output.stdout,
        stderr: String::from_utf8(output.stderr).expect("talk is text"),
    }
}

/// Splits a line into words as a shell does; what follows ` <<< ` is standard input.
pub(crate) fn words(line: &str) -> (Vec<String>, String) {
    let (line, input) = line.split_once(" <<< ").unwrap_or((line, ""));
    let mut words = Vec::new();
    let mut rest = line.trim_start();
    while !rest.is_empty() {
        let end = match rest.strip_prefix('\'') {
            Some(quoted) => quoted.find('\'').expect("a quote ends") + 2,
            None => rest.find(' ').unwrap_or(rest.len()),
        };
        words.push(rest[..end].trim_matches('\'').to_owned());
        rest = rest[end..].trim_start();
    }
    (words, input.replace("\\n", "\n"))
}

/// Replaces times and ages, which differ from run to run.
fn mask(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let mut masked = Vec::new();
        let mut words = line.split(' ').peekable();
        while let Some(word) = words.next() {
            let is = |word: &str, pattern: &str| {
                word.len() == pattern.len()
                    && word.bytes().zip(pattern.bytes()).all(|(byte, shape)| {
                        if shape == b'0' { byte.is_ascii_digit() } else { byte == shape }
                    })
            };
            if is(word, "0000-00-00") && words.peek().is_some_and(|next| is(next, "00:00:00")) {
                words.next();
                masked.push("TIME".to_owned());
            } else if masked.last().is_some_and(|last| last.parse::<u64>().is_ok())
                && matches!(word, "s" | "min")
                && words.peek() == Some(&"ago")
            {
                words.next();
                masked.pop();
                masked.push("AGE".to_owned());
            } else {
                masked.push(word.to_owned());
            }
        }
        masked.join(" ")
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Makes a host file with everything above it.
pub(crate) fn put(path: &Path, content: impl AsRef<[u8]>) {
    std::fs::create_dir_all(path.parent().expect("a file has a directory")).expect("make it");
    std::fs::write(path, content).expect("write the file");
}
