//! The throw-away store of the tour, and how it shows what it does.

use std::path::{Path as HostPath, PathBuf};
use std::process::{Command, Stdio};

use homefs_api::{Client, ClientOptions};
use homefs_core::{AgentId, Error};
use homefs_view::Who;
use tempfile::TempDir;

use crate::context::Context;
use crate::error::{Failure, Result};
use crate::host;
use crate::output::{self, Style};
use crate::settings;

/// A temporary store; dropping it removes everything.
pub(super) struct Stage<'a> {
    context: &'a Context,
    waits: bool,
    program: PathBuf,
    dir: TempDir,
}

impl<'a> Stage<'a> {
    /// Sets the stage.
    pub(super) fn new(context: &'a Context, waits: bool) -> Result<Self> {
        let program =
            std::env::current_exe().map_err(|error| Error::io("find the homefs program", error))?;
        let dir = tempfile::Builder::new()
            .prefix("homefs-tour-")
            .tempdir()
            .map_err(|error| Error::io("make a temporary directory", error))?;
        // An empty config file keeps the settings of the person out of the tour.
        host::write(&dir.path().join("config.toml"), b"")?;
        Ok(Self { context, waits, program, dir })
    }

    /// Starts a chapter, once the person at the terminal is ready.
    pub(super) fn chapter(&self, title: &str) -> Result<()> {
        self.context.output.flush()?;
        if self.waits {
            output::wait_for_enter();
        }
        let title = format!("── {title} {}", "─".repeat(68_usize.saturating_sub(title.len())));
        let output = &self.context.output;
        output.line(format_args!("\n{}\n", output.paint(Style::Bold, &title)))
    }

    /// Explains.
    pub(super) fn say(&self, text: &str) -> Result<()> {
        self.context.output.line(text)
    }

    /// Shows a line as it stands.
    pub(super) fn line(&self, text: &str) -> Result<()> {
        self.context.output.line(format_args!("  {text}"))
    }

    /// Shows and runs a command that succeeds.
    pub(super) fn run(&self, agent: &str, arguments: &[&str]) -> Result<()> {
        self.run_expecting(0, agent, arguments)
    }

    /// Shows and runs a command; another exit code than expected would make the tour a lie.
    pub(super) fn run_expecting(&self, code: i32, agent: &str, arguments: &[&str]) -> Result<()> {
        match self.show(agent, arguments)? {
            Some(ended) if ended == code => Ok(()),
            ended => Err(lied(&typed(agent, arguments), ended)),
        }
    }

    /// Shows and runs a command, which may fail; returns its exit code.
    pub(super) fn show(&self, agent: &str, arguments: &[&str]) -> Result<Option<i32>> {
        self.show_run(&typed(agent, arguments), self.command(agent).args(arguments))
    }

    /// Shows and runs what somebody types in a directory of the host.
    pub(super) fn run_there(&self, dir: &HostPath, typed: &str) -> Result<()> {
        let mut shell = Command::new("sh");
        shell.args(["-c", typed]).current_dir(dir).stdin(Stdio::null());
        match self.show_run(typed, &mut shell)? {
            Some(0) => Ok(()),
            ended => Err(lied(typed, ended)),
        }
    }

    fn show_run(&self, typed: &str, command: &mut Command) -> Result<Option<i32>> {
        let output = &self.context.output;
        output.line(output.paint(Style::Blue, &format!("$ {typed}")))?;
        let finished = command.output();
        let finished = finished.map_err(|error| Error::io("run a command of the tour", error))?;
        for text in [&finished.stdout, &finished.stderr] {
            for line in String::from_utf8_lossy(text).lines() {
                // The command itself saw no terminal, so it did not colour its lines.
                self.line(&output.paint(style_of(line), line))?;
            }
        }
        output.flush()?;
        Ok(finished.status.code())
    }

    /// Returns the number of the version before the present one.
    pub(super) fn previous_version(&self, agent: &str, path: &str) -> Result<String> {
        let finished = self.command(agent).args(["--json", "log", path]).output();
        let finished = finished.map_err(|error| Error::io("run homefs", error))?;
        let log: serde_json::Value = serde_json::from_slice(&finished.stdout)
            .map_err(|error| Failure::new(format!("the log is not JSON: {error}")))?;
        Ok(log[1]["version"].to_string())
    }

    /// Returns a command that works on this store as a person's would on theirs.
    pub(super) fn command(&self, agent: &str) -> Command {
        let mut command = Command::new(&self.program);
        for known in &settings::KNOWN {
            command.env_remove(settings::variable_name(known.key));
        }
        command
            .env("HOMEFS_STORE", self.store())
            .env("HOMEFS_CONFIG", self.dir.path().join("config.toml"))
            .args(["--agent-id", agent])
            .stdin(Stdio::null());
        command
    }

    /// Opens the store in this process.
    pub(super) fn open(&self, agent: &str) -> Result<Client> {
        let who = Who { agent: AgentId::new(agent)?, operator: false, all: false };
        Ok(Client::open(ClientOptions::new(self.store(), who))?)
    }

    /// Returns where a folder of the host is that goes with the stage.
    pub(super) fn folder(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn store(&self) -> PathBuf {
        self.dir.path().join("store")
    }
}

/// Returns a command as a person types it.
fn typed(agent: &str, arguments: &[&str]) -> String {
    let words: Vec<_> = arguments.iter().map(|word| quoted(word)).collect();
    format!("homefs --agent-id {agent} {}", words.join(" "))
}

/// Says that a command did not end as the tour tells.
fn lied(typed: &str, ended: Option<i32>) -> Failure {
    let ended = ended.map_or_else(|| "a signal".to_owned(), |code| format!("exit code {code}"));
    Failure::new(format!("`{typed}` ended with {ended}"))
}

/// Returns the colour that a line of a diff or an error has on a terminal.
fn style_of(line: &str) -> Style {
    // A line of `ls -l` begins with a hyphen as well.
    if line.starts_with("error:") || (line.starts_with('-') && !line.starts_with("-r")) {
        Style::Red
    } else if line.starts_with("hint:") || line.starts_with('+') {
        Style::Green
    } else {
        Style::Plain
    }
}

/// Returns a word as a shell needs it.
fn quoted(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:=".contains(&byte);
    if word.bytes().all(plain) { word.into() } else { format!("'{word}'") }
}
