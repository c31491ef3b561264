//! `homefs write`.

use std::io::{self, IsTerminal};

use homefs_api::Spooled;
use homefs_core::{Path, Version};
use homefs_view::{Durability, REMOTE_WAIT, WriteOptions};

use super::remote;
use crate::context::Context;
use crate::error::Result;
use crate::json;

/// Write a file, from the argument or from standard input
///
/// Missing directories are made. The old content stays in the history.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The file
    #[arg(value_parser = Path::parse)]
    path: Path,
    /// What to write, with a line end added; standard input if not given
    #[arg(allow_hyphen_values = true, value_parser = argument)]
    text: Option<String>,
    /// Write TEXT without adding a line end
    #[arg(long, short = 'n', requires = "text")]
    no_newline: bool,
    /// Write only if nothing is there
    #[arg(long)]
    create_only: bool,
    /// How sure to be.
    #[command(flatten)]
    change: Change,
}

/// Options of every change of a file.
#[derive(clap::Args)]
pub(crate) struct Change {
    /// Change only if this is the file's version; 0 means that there is none
    #[arg(long, value_name = "VERSION")]
    if_version: Option<u64>,
    /// Return only when the change survives power loss
    #[arg(long)]
    durable: bool,
    /// Return only when the remote has the change too
    #[arg(long)]
    pushed: bool,
}

impl Change {
    /// Returns the options as the engine takes them.
    pub(crate) fn options(&self) -> WriteOptions {
        WriteOptions {
            if_version: self.if_version.map(Version),
            durability: if self.durable { Durability::Journal } else { Durability::Memory },
            parents: true,
            ..WriteOptions::default()
        }
    }

    /// Waits until the change is where it should be.
    pub(crate) fn finish(&self, context: &Context) -> Result<()> {
        if !self.pushed {
            return Ok(());
        }
        let pushed = context.client()?.barrier_remote(REMOTE_WAIT);
        pushed.map_err(|error| remote::advise(context, error))
    }
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let options = WriteOptions { create_only: self.create_only, ..self.change.options() };
        let client = context.client()?;
        let version = if let Some(text) = self.text {
            client.write(&self.path, &line(text, self.no_newline), &options)?
        } else {
            let mut input = Spooled::new(standard_input(context));
            client.write_from(&self.path, &mut input, &options)?
        };
        self.change.finish(context)?;
        context.output.changed(
            &json::changed(&self.path, version),
            format_args!("wrote {}, version {version}", self.path),
        )
    }
}

/// Takes a text such as `- item`, but not a misspelt option.
pub(crate) fn argument(text: &str) -> Result<String, &'static str> {
    if text.starts_with("--") && !text.contains(char::is_whitespace) {
        return Err("it looks like an option; give such a text by standard input");
    }
    Ok(text.into())
}

/// Returns a text argument as a line.
pub(crate) fn line(mut text: String, no_newline: bool) -> Vec<u8> {
    if !no_newline && !text.ends_with('\n') {
        text.push('\n');
    }
    text.into_bytes()
}

/// Returns standard input; a person at a terminal is told that it is awaited.
pub(crate) fn standard_input(context: &Context) -> io::StdinLock<'static> {
    if io::stdin().is_terminal() {
        context.output.say("reading what you type; Ctrl-D ends it");
    }
    io::stdin().lock()
}
