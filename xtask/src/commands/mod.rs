//! One file per command, and the table that names them.

mod bench;
mod eval;
mod fuzz;
mod generate;
mod node;
mod numbers;
mod python;
mod test;
mod wire;

use crate::process;

/// A chore.
pub(crate) struct Command {
    /// The word that calls it.
    pub(crate) name: &'static str,
    /// The word and its arguments.
    pub(crate) usage: &'static str,
    /// What it does.
    pub(crate) about: &'static str,
    /// Does it with the arguments after the word; returns whether all is well.
    pub(crate) run: fn(&[String]) -> anyhow::Result<bool>,
}

/// Every chore, in the order of the help.
pub(crate) const COMMANDS: &[Command] = &[
    test::COMMAND,
    python::COMMAND,
    node::COMMAND,
    bench::COMMAND,
    eval::COMMAND,
    fuzz::COMMAND,
    generate::COMMAND,
    numbers::COMMAND,
    wire::COMMAND,
];

/// Returns whether the only argument is `flag`.
///
/// # Errors
/// Any other argument is an error: a flag that is misspelt must not be passed over.
fn only_flag(arguments: &[String], flag: &str) -> anyhow::Result<bool> {
    match arguments {
        [] => Ok(false),
        [only] if only == flag => Ok(true),
        _ => anyhow::bail!("expected nothing or {flag}, found: {}", arguments.join(" ")),
    }
}

/// Refuses any argument.
fn no_arguments(arguments: &[String]) -> anyhow::Result<()> {
    anyhow::ensure!(arguments.is_empty(), "expected no argument, found: {}", arguments.join(" "));
    Ok(())
}

/// Runs command lines, whose words are parted by blanks, until one fails; returns whether none did.
fn run_all(lines: &[&str]) -> anyhow::Result<bool> {
    for line in lines {
        println!("\n--> {line}");
        if !process::run(&line.split(' ').collect::<Vec<_>>())? {
            println!("failed: {line}");
            return Ok(false);
        }
    }
    Ok(true)
}
