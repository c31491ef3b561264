//! Other programs that the suites run.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

pub(crate) use homefs_testkit::program as find;

/// Says something even if the test passes; the test runner hides only what is printed by macros.
pub(crate) fn say(text: &str) {
    let name = std::thread::current().name().unwrap_or("a test").to_owned();
    let line = format!("{name}: {text}\n");
    std::io::stderr().write_all(line.as_bytes()).expect("standard error is open");
}

/// Prepares a program that works in `dir` and knows no settings of the host.
pub(crate) fn program(path: &Path, dir: &Path) -> Command {
    let mut command = Command::new(path);
    command
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", dir)
        .env("LC_ALL", "C")
        .env("TZ", "UTC")
        .current_dir(dir)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Runs a program to its end, which must be a success, and returns what it printed.
pub(crate) fn run(command: &mut Command) -> String {
    let output = command.output().expect("the program starts");
    assert!(output.status.success(), "{command:?}: {}\n{}", output.status, both(&output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Returns everything that a program printed.
pub(crate) fn both(output: &Output) -> String {
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    text(&output.stdout) + &text(&output.stderr)
}
