//! `cargo xtask wire`: writes what both SDKs take from the table of methods and records.

use super::{Command, only_flag};
use crate::wire;

/// The command.
pub(super) const COMMAND: Command = Command {
    name: "wire",
    usage: "wire [--check]",
    about: "write what the SDKs take from the table; --check fails if it is stale",
    run,
};

/// Makes it, then compares or writes.
fn run(arguments: &[String]) -> anyhow::Result<bool> {
    wire::write(only_flag(arguments, "--check")?)
}
