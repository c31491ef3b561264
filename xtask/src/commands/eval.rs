//! `cargo xtask eval`: measures retrieval on questions whose answers are known.

use super::Command;
use crate::process;

/// The command.
pub(super) const COMMAND: Command = Command {
    name: "eval",
    usage: "eval [--data FILE] [--model FOLDER] [--json]",
    about: "measure how much of the evidence a search finds",
    run,
};

/// Hands the arguments to the measurement, which needs the speed of a release build.
fn run(arguments: &[String]) -> anyhow::Result<bool> {
    let package = ["--package", "homefs-search", "--example", "eval"];
    let mut line = vec!["cargo", "run", "--release"];
    line.extend(package);
    line.push("--");
    line.extend(arguments.iter().map(String::as_str));
    process::run(&line)
}
