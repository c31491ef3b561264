//! The arguments that every command takes.

use std::any::TypeId;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Command, CommandFactory as _, FromArgMatches as _, Parser};
use homefs_core::AgentId;

use crate::commands;
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
    pub(crate) command: commands::Command,
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
    /// Act for somebody who is in these groups and in no others, in shared spaces
    #[arg(long, global = true, value_name = "GROUP,...", value_delimiter = ',')]
    pub(crate) groups: Option<Vec<AgentId>>,
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
    /// Reads the arguments of this process; what is wrong with them is said, and it ends.
    pub(crate) fn of_process() -> Self {
        let matches = taking_negatives(Self::command()).get_matches();
        Self::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
    }

    /// Runs the command and returns the exit code.
    pub(crate) fn run(self) -> u8 {
        let output = Output::new(&self.globals);
        let context = Context::new(self.globals, output);
        let result = self.command.run(&context);
        context.finish(result)
    }
}

/// Lets every option take a negative number for a value, which is then told that it is wrong where it
/// is, instead of being taken for an option that nobody knows.
fn taking_negatives(command: Command) -> Command {
    let command = command.mut_subcommands(taking_negatives);
    command.mut_args(|arg| {
        if arg.is_positional() || !arg.get_action().takes_values() {
            return arg;
        }
        let is_count = arg.get_value_parser().type_id() == TypeId::of::<usize>();
        let arg = arg.allow_negative_numbers(true);
        if is_count { arg.value_parser(count) } else { arg }
    })
}

/// Reads a number of things.
fn count(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| "it takes a whole number, 0 or more".to_owned())
}

#[cfg(test)]
mod tests {
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
    fn a_negative_number_is_told_to_be_wrong_where_it_is() {
        for (words, said) in [
            (&["log", "a.md", "--limit", "-1"][..], "0 or more"),
            (&["recall", "x", "--max-tokens", "-20"], "0 or more"),
            (&["context", "--max-tokens", "-1"], "0 or more"),
            (&["stale", "--days", "-1"], "'-1' for '--days"),
            (&["restore", "a.md", "--version", "-1"], "'-1' for '--version"),
            (&["spaces", "quota", "shared/a", "--bytes", "-1"], "'-1' for '--bytes"),
        ] {
            let words = [&["homefs"], words].concat();
            let refused = taking_negatives(Cli::command()).try_get_matches_from(&words);
            let refused = refused.err().map(|error| error.to_string()).unwrap_or_default();
            assert!(refused.contains(said), "{words:?}: {refused}");
            assert!(!refused.contains("unexpected argument"), "{words:?}: {refused}");
        }
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
