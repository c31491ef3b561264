//! The arguments that every command takes.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser};
use homefs_core::AgentId;

use crate::commands::Command;
use crate::context::Context;
use crate::output::Output;

/// A home directory for AI agents
///
/// Every agent has a home of its own; shared places live under /shared. The first homefs process
/// to open a store owns it, later ones talk to it, so that all commands work at the same time.
#[derive(Parser)]
#[command(name = "homefs", version, max_term_width = 80)]
pub(crate) struct Cli {
    /// What holds for every command.
    #[command(flatten)]
    pub(crate) globals: Globals,
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options of every command.
#[derive(Args, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[command(next_help_heading = "Options of every command")]
pub(crate) struct Globals {
    /// Use the store in this directory
    #[arg(long, global = true, value_name = "DIR", value_parser = crate::host::local_path())]
    pub(crate) store: Option<PathBuf>,
    /// Act as this agent
    #[arg(long, global = true, value_name = "ID")]
    pub(crate) agent_id: Option<AgentId>,
    /// Hold every right
    #[arg(long, global = true)]
    pub(crate) operator: bool,
    /// Start at the root of the whole store, where agents/ and shared/ are
    #[arg(long, global = true)]
    pub(crate) all: bool,
    /// Wait at most this long for a busy store, such as 10s or 500ms
    #[arg(long, global = true, value_name = "DURATION", value_parser = crate::time::duration)]
    pub(crate) deadline: Option<Duration>,
    /// Leave the remote alone, if this command comes to own the store
    #[arg(long, global = true)]
    pub(crate) offline: bool,
    /// Print JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print data and errors only
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// Print without colour
    #[arg(long, global = true)]
    pub(crate) no_color: bool,
}

impl Cli {
    /// Runs the command and returns the exit code.
    pub(crate) fn run(self) -> u8 {
        let output = Output::new(&self.globals);
        let context = Context::new(self.globals, output);
        let result = self.command.run(&context);
        context.finish(result)
    }
}

#[cfg(test)]
mod tests {
    use clap::{Command, CommandFactory};

    use super::*;

    /// Collects the arguments that take any text for a path of the host.
    fn careless(command: &Command, found: &mut Vec<String>) {
        for argument in command.get_arguments() {
            if format!("{:?}", argument.get_value_parser()) == "ValueParser::path_buf" {
                found.push(format!("{} {}", command.get_name(), argument.get_id()));
            }
        }
        command.get_subcommands().for_each(|command| careless(command, found));
    }

    #[test]
    fn no_argument_takes_an_address_for_a_path_of_the_host() {
        let mut found = Vec::new();
        careless(&Cli::command(), &mut found);
        assert_eq!(found, [""; 0], "they have no `value_parser = host::local_path()`");
        for words in [&["unmount", "s3://b/p"][..], &["--store", "gs://b", "ls"]] {
            let refused = Cli::try_parse_from([&["homefs"], words].concat());
            let refused = refused.err().expect("it is refused").to_string();
            assert!(refused.contains("it is an address"), "{refused}");
        }
    }
}
