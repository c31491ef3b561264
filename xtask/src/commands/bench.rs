//! `cargo xtask bench`: builds and runs the scenarios of `bench/`.

use super::Command;
use crate::process;

/// The command.
pub(super) const COMMAND: Command = Command {
    name: "bench",
    usage: "bench [--quick] [scenario…]",
    about: "measure; writes a dated result under bench/results",
    run,
};

/// Hands the arguments to the bench crate, which knows the scenarios.
fn run(arguments: &[String]) -> anyhow::Result<bool> {
    // The mount is measured as users have it, in a process of its own.
    let binary = ["cargo", "build", "--release", "--package", "homefs-cli"];
    if !process::run(&binary)? {
        return Ok(false);
    }
    let mut line = vec!["cargo", "run", "--release", "--package", "homefs-bench", "--"];
    line.extend(arguments.iter().map(String::as_str));
    process::run(&line)
}
