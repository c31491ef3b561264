//! `homefs sh` and `homefs exec`.

mod editor;

use std::io::{self, IsTerminal, Read, Write};
use std::path::PathBuf;
use std::time::Duration;

use homefs_api::{Interrupter, Limits, Shell, ShellCall, Stream};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FileType, fstat};

use crate::context::Context;
use crate::error::{Failure, Result};
use crate::{host, text};

/// Run bash scripts on the home, inside this process
///
/// A script sees the agent's files and nothing of the host, has the agent's rights, starts no
/// programs and has no network; `help` in it lists its commands. Without a script, at a terminal,
/// this is a shell to type into. Exits with the script's status: 124 if it ran out of time, 137 if
/// it reached another limit.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Run this script; arguments that follow are $0, $1 and so on
    #[arg(short = 'c', value_name = "SCRIPT", allow_hyphen_values = true)]
    script: Option<String>,
    /// What it may use up.
    #[command(flatten)]
    bounds: Bounds,
    /// A file of the host with a script, and its arguments; standard input without one
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "FILE ARGUMENT")]
    arguments: Vec<String>,
}

/// Run one command of the shell on the home, with its arguments as they are
///
/// `homefs exec grep -rn "two words" docs` needs no second quoting. With -c it is `homefs sh`.
#[derive(clap::Args)]
pub(crate) struct ExecArgs {
    /// Run this script, as `homefs sh -c` does
    #[arg(short = 'c', value_name = "SCRIPT", allow_hyphen_values = true)]
    script: Option<String>,
    /// What it may use up.
    #[command(flatten)]
    bounds: Bounds,
    /// The command and its arguments
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "COMMAND",
        required_unless_present = "script"
    )]
    arguments: Vec<String>,
}

/// What a script may use up, and what it reads.
#[derive(clap::Args)]
struct Bounds {
    /// Stop a script after this time, such as 30s
    #[arg(long, value_name = "DURATION", value_parser = crate::time::duration)]
    time_max: Option<Duration>,
    /// Stop a script after this many commands and turns of loops
    #[arg(long, value_name = "COUNT")]
    commands_max: Option<usize>,
    /// Stop a script that prints more bytes
    #[arg(long, value_name = "BYTES")]
    output_max: Option<usize>,
    /// Stop a script whose variables and pipes hold more bytes
    #[arg(long, value_name = "BYTES")]
    memory_max: Option<usize>,
    /// Wait for standard input, however long it takes to come
    #[arg(long)]
    stdin: bool,
}

impl Bounds {
    fn limits(&self) -> Limits {
        let usual = Limits::default();
        Limits {
            time: self.time_max.unwrap_or(usual.time),
            commands: self.commands_max.unwrap_or(usual.commands),
            output_bytes: self.output_max.unwrap_or(usual.output_bytes),
            memory_bytes: self.memory_max.unwrap_or(usual.memory_bytes),
        }
    }
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let limits = self.bounds.limits();
        let mut arguments = self.arguments.into_iter();
        let (script, name, stdin) = match (self.script, arguments.next()) {
            (Some(script), name) => (script, name, input(context, self.bounds.stdin)?),
            (None, Some(file)) if file != "-" => {
                let script = host::read_text(&PathBuf::from(&file))?;
                (script, Some(file), input(context, self.bounds.stdin)?)
            }
            (None, None) if io::stdin().is_terminal() => return editor::run(context, limits),
            (None, _) => (script_text(read_input()?)?, None, Vec::new()),
        };
        let arguments = arguments.collect();
        let call = ShellCall { script, limits, stdin, name, arguments, sink: None };
        finish(call_once(context, call)?)
    }
}

impl ExecArgs {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let Self { script, bounds, arguments } = self;
        if script.is_some() {
            return Args { script, bounds, arguments }.run(context);
        }
        let stdin = input(context, bounds.stdin)?;
        let script = r#""$@""#.into();
        let call =
            ShellCall { script, limits: bounds.limits(), stdin, name: None, arguments, sink: None };
        finish(call_once(context, call)?)
    }
}

/// Runs a script in a session of its own; returns its status.
fn call_once(context: &Context, call: ShellCall) -> Result<i32> {
    let mut shell = context.client()?.shell();
    call_in(&mut shell, call)
}

/// Runs a script whose output is printed as it comes; returns its status.
fn call_in(shell: &mut Shell, mut call: ShellCall) -> Result<i32> {
    let interrupter = shell.interrupter();
    call.sink = Some(Box::new(move |stream, bytes| print(stream, bytes, &interrupter)));
    Ok(shell.call(call)?.status)
}

fn print(stream: Stream, bytes: &[u8], interrupter: &Interrupter) {
    fn write(mut to: impl Write + IsTerminal, bytes: &[u8]) -> io::Result<()> {
        let shown = to.is_terminal().then(|| text::printable_output(bytes));
        to.write_all(shown.as_deref().unwrap_or(bytes)).and_then(|()| to.flush())
    }
    let printed = match stream {
        Stream::Output => write(io::stdout().lock(), bytes),
        Stream::Error => write(io::stderr(), bytes),
    };
    if printed.is_err() {
        // Nobody reads any more, so that nothing more need be said.
        interrupter.interrupt();
    }
}

/// Ends the command with the status of a script.
fn finish(status: i32) -> Result<()> {
    match u8::try_from(status & 0xff).unwrap_or(u8::MAX) {
        0 => Ok(()),
        code => Err(Failure { code, ..Failure::no("") }),
    }
}

/// How long a pipe may be silent before a script runs without it.
const SILENCE_MAX: Timespec = Timespec { tv_sec: 0, tv_nsec: 200_000_000 };

/// Returns what a script reads from standard input, all of it: the script sees it as a whole.
///
/// Whoever starts programs often leaves them a pipe to which nothing is ever written; to wait for
/// its end would be to wait for ever.
fn input(context: &Context, waits: bool) -> Result<Vec<u8>> {
    let stdin = io::stdin();
    if stdin.is_terminal() {
        return Ok(Vec::new());
    }
    let kind = fstat(&stdin).map(|stat| FileType::from_raw_mode(stat.st_mode));
    let may_be_silent = matches!(kind, Ok(FileType::Fifo | FileType::Socket));
    if may_be_silent && !waits {
        let mut wanted = [PollFd::new(&stdin, PollFlags::IN)];
        if poll(&mut wanted, Some(&SILENCE_MAX)) == Ok(0) {
            context.output.say("nothing comes by standard input; --stdin waits for it");
            return Ok(Vec::new());
        }
    }
    read_input()
}

fn read_input() -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = io::stdin().lock().read_to_end(&mut bytes);
    read.map_err(|error| Failure::new(format!("standard input cannot be read: {error}")))?;
    Ok(bytes)
}

fn script_text(bytes: Vec<u8>) -> Result<String> {
    String::from_utf8(bytes).map_err(|_| Failure::new("the script is not UTF-8 text"))
}
