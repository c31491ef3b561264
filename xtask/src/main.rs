//! The chores of the workspace: `cargo xtask test`, `python`, `node`, `bench`, `eval`, `gen`,
//! `numbers` and `wire`.
//!
//! Arguments are read by hand, because so few do not pay for a parser that every test run
//! would have to build first. The house rules themselves are a test, in `tests/tidy`.
#![expect(clippy::disallowed_methods, reason = "chores touch the working tree and the real clock")]
#![expect(clippy::print_stdout, reason = "a chore talks to the developer who runs it")]

mod commands;
mod numbers;
mod process;
mod tools;
mod totals;
mod wire;

use std::process::ExitCode;

use crate::commands::COMMANDS;

fn main() -> anyhow::Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((name, rest)) = arguments.split_first() else {
        print_help();
        return Ok(ExitCode::from(2));
    };
    if matches!(name.as_str(), "help" | "--help" | "-h") {
        print_help();
        return Ok(ExitCode::SUCCESS);
    }
    let Some(command) = COMMANDS.iter().find(|command| command.name == name) else {
        print_help();
        anyhow::bail!("no such command: {name}");
    };
    let passed = (command.run)(rest)?;
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Prints what there is to run.
fn print_help() {
    println!("The chores of the workspace.\n");
    for command in COMMANDS {
        println!("  cargo xtask {:<28} {}", command.usage, command.about);
    }
}
