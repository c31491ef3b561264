//! Runs other programs at the root of the working tree.

use std::{
    env,
    ffi::OsString,
    io::{BufRead, BufReader, Write, stdout},
    iter,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::Context;

/// Returns the root of the working tree.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is a folder of the working tree")
}

/// Runs a command line and shows what it prints; returns whether it succeeded.
pub(crate) fn run(line: &[&str]) -> anyhow::Result<bool> {
    let status = command(line).status().with_context(|| format!("run {}", line.join(" ")))?;
    Ok(status.success())
}

/// As [`run`], and gives each line of standard output to `see` as well.
pub(crate) fn run_seen(
    line: &[&str],
    environment: &[(&str, &str)],
    mut see: impl FnMut(&str),
) -> anyhow::Result<bool> {
    let mut child = command(line)
        .envs(environment.iter().copied())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("run {}", line.join(" ")))?;
    let mut output = BufReader::new(child.stdout.take().expect("standard output is piped"));
    let mut bytes = Vec::new();
    // Lines are read as bytes, because a failing test may print anything.
    while output.read_until(b'\n', &mut bytes)? > 0 {
        stdout().write_all(&bytes)?;
        see(&String::from_utf8_lossy(&bytes));
        bytes.clear();
    }
    Ok(child.wait()?.success())
}

/// Returns whether a command line can be run and succeeds, in silence.
pub(crate) fn succeeds(line: &[&str]) -> bool {
    let status = command(line).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// Prepares a command line whose first word is the program.
fn command(line: &[&str]) -> Command {
    let (program, arguments) = line.split_first().expect("a command line names its program");
    // The search path of the child finds the program too.
    let mut command = Command::new(program);
    command.args(arguments).env("PATH", search_path()).current_dir(root()).stdin(Stdio::null());
    // What Go builds goes there too; unlike other clients it has no argument for that.
    command.env("GOBIN", built());
    // Nobody is there to answer the questions of a package.
    command.env("DEBIAN_FRONTEND", "noninteractive");
    command
}

/// Returns where programs are found: first those that were built for the checks.
fn search_path() -> OsString {
    let present = env::var_os("PATH").unwrap_or_default();
    let all = iter::once(built()).chain(env::split_paths(&present));
    env::join_paths(all).unwrap_or(present)
}

/// Returns where programs are that were built for the checks.
fn built() -> PathBuf {
    root().join("target/tools/bin")
}
