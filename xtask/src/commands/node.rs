//! `cargo xtask node`: builds the npm package, tests it, and tries it where nothing else is.

use super::{Command, no_arguments, run_all};

/// The command.
pub(super) const COMMAND: Command = Command {
    name: "node",
    usage: "node",
    about: "build the npm package and test it, also in a clean project",
    run,
};

/// What is done, each in turn.
const LINES: &[&str] = &[
    "npm --prefix sdk/node ci --silent --ignore-scripts",
    "npm --prefix sdk/node run build:debug",
    "npm --prefix sdk/node test",
    "npm --prefix sdk/node run test:adapters",
    "npm --prefix sdk/node run test:package",
    "npm --prefix sdk/node run examples",
    "npm --prefix sdk/node run docs",
];

/// Runs all of it.
fn run(arguments: &[String]) -> anyhow::Result<bool> {
    no_arguments(arguments)?;
    run_all(LINES)
}
