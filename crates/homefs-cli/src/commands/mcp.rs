//! `homefs mcp`.

mod clients;
mod install;
mod token;

use std::env;
use std::net::SocketAddr;
use std::thread;

use homefs_core::Error;
use homefs_server::{Mcp, Profile, Stop, Token, ToolSet};
use serde_json::json;

use crate::context::Context;
use crate::error::Result;
use crate::signals::Signals;

/// Serve the home to a program that speaks MCP, the Model Context Protocol
///
/// By standard input and output, until the program hangs up: `homefs mcp install` tells Claude,
/// Cursor, VS Code, Codex or Gemini to start it so. With --http, for programs of this host that
/// know the token that is printed.
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    /// Serve by HTTP at this address, such as 127.0.0.1:8420; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS")]
    http: Option<SocketAddr>,
    #[command(flatten)]
    offer: Offer,
    #[command(subcommand)]
    command: Option<Command>,
}

/// What the server offers.
#[derive(clap::Args)]
struct Offer {
    /// Offer only what changes nothing; the shell refuses what would
    #[arg(long)]
    read_only: bool,
    /// Offer only these tools: a model reads what each of them is for
    #[arg(long, value_enum, value_name = "SET", value_delimiter = ',', default_value = "all")]
    tools: Vec<Tools>,
    /// Cut the text of an answer after so many bytes, and say how to go on
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u32).range(1024..))]
    answer_bytes: Option<u32>,
}

/// Tools that belong together, as people name them.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Tools {
    /// What is remembered, and found by meaning
    Memory,
    /// Files, their lines and their past
    Files,
    /// Scripts on the home
    Shell,
    /// All of them
    All,
}

impl Offer {
    /// Returns what is offered.
    fn profile(&self) -> Profile {
        let is_offered = |set: &ToolSet| {
            let named = |tools: &Tools| match tools {
                Tools::Memory => *set == ToolSet::Memory,
                Tools::Files => *set == ToolSet::Files,
                Tools::Shell => *set == ToolSet::Shell,
                Tools::All => true,
            };
            self.tools.iter().any(named)
        };
        let usual = Profile::default();
        Profile {
            tools: ToolSet::ALL.into_iter().filter(is_offered).collect(),
            read_only: self.read_only,
            answer_bytes_max: self
                .answer_bytes
                .map_or(usual.answer_bytes_max, |bytes| bytes as usize),
        }
    }

    /// Returns the arguments that offer the same.
    fn arguments(&self) -> Vec<String> {
        let profile = self.profile();
        let mut arguments = Vec::new();
        if profile.read_only {
            arguments.push("--read-only".to_owned());
        }
        if profile.tools != ToolSet::ALL {
            let names: Vec<&str> = profile.tools.iter().map(|set| set.name()).collect();
            arguments.extend(["--tools".to_owned(), names.join(",")]);
        }
        if let Some(bytes) = self.answer_bytes {
            arguments.extend(["--answer-bytes".to_owned(), bytes.to_string()]);
        }
        arguments
    }
}

#[derive(clap::Subcommand)]
enum Command {
    /// Tell a program to start `homefs mcp`: shows the change of its config file, and asks
    Install(install::InstallArgs),
    /// Take it out of a program's config file again
    Uninstall(install::UninstallArgs),
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        match self.command {
            Some(Command::Install(args)) => args.run(context),
            Some(Command::Uninstall(args)) => args.run(context),
            None => self.serve(context),
        }
    }

    fn serve(&self, context: &Context) -> Result<()> {
        // Before the store starts its threads, which must not take the signals either.
        let signals = Signals::hold_back()?;
        let profile = self.offer.profile();
        let program = env::current_exe().map_err(|error| Error::io("find this program", error))?;
        let mcp = Mcp::with_workers(context.client()?, profile.clone(), program);
        let stop = Stop::new();
        stop_at_signal(signals, stop.clone())?;
        let Some(address) = self.http else { return Ok(mcp.serve_stdio(&stop)?) };
        let (file, token) =
            token::of(&context.settings()?.store, &context.who()?, context.groups(), &profile)?;
        let listening = mcp.listen(address, Token::new(&token)?)?;
        let output = &context.output;
        if output.json {
            let file = file.to_string_lossy();
            let told = json!({ "url": listening.url(), "token": token, "token_file": file });
            output.json(&told)?;
        } else {
            output.line(format_args!("MCP at {}", listening.url()))?;
            output.line(format_args!("token {token}"))?;
            output.say(format_args!("the token is kept in {}; Ctrl-C ends", file.display()));
        }
        output.flush()?;
        Ok(listening.serve(&stop)?)
    }
}

/// Ends the server at the first signal; the second ends the process.
fn stop_at_signal(signals: Signals, stop: Stop) -> Result<()> {
    let wait = move || {
        if signals.wait().is_ok() {
            stop.stop();
        }
        drop(signals.release());
        // A thread that is gone takes no signal.
        thread::park();
    };
    let started = thread::Builder::new().name("homefs-signals".into()).spawn(wait);
    started.map_err(|error| Error::io("start a thread", error))?;
    Ok(())
}
