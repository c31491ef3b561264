//! `homefs`, the command line of homefs.
//!
//! Two steps, always: raw arguments ([`cli`]) become resolved settings ([`settings`]) and typed
//! values; only then a command works, through one `homefs_api::Client`. What is printed goes
//! through [`output`], what fails becomes a [`error::Failure`] with its hints and exit code.

mod cli;
mod commands;
mod context;
mod docs;
mod error;
mod host;
mod logging;
mod memories;
mod output;
mod progress;
mod settings;
mod signals;
mod text;
mod transfer;

use std::process::ExitCode;

use homefs_api::{json, pages, time};

fn main() -> ExitCode {
    // Usage errors and help end inside `parse`, with the codes 2 and 0.
    ExitCode::from(cli::Cli::of_process().run())
}
