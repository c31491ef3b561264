//! A mount that outlives its command.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::Path as HostPath;
use std::process::{Command, Stdio};

use homefs_core::Error;

use crate::context::Context;
use crate::error::{Failure, Result};
use crate::host;

/// Runs this command again in the background and returns when its mount answers.
pub(super) fn start(context: &Context) -> Result<()> {
    let failed = |error| Error::io("start the process of the mount", error);
    let mut arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let end = arguments.iter().position(|argument| argument == "--").unwrap_or(arguments.len());
    arguments.insert(end, "--detached".into());
    let mut child = Command::new(std::env::current_exe().map_err(failed)?)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    let mut said = String::new();
    let mut output = child.stdout.take().expect("standard output is a pipe");
    output.read_to_string(&mut said).map_err(failed)?;
    if !said.is_empty() {
        return Ok((&mut &context.output).write_all(said.as_bytes())?);
    }
    // It has told why on the standard error that it shares with this process.
    let code = child.wait().map_err(failed)?.code().and_then(|code| u8::try_from(code).ok());
    Err(code.map_or_else(
        || Failure::new("the process of the mount died before its mount answered"),
        |code| Failure { code, ..Failure::new("") },
    ))
}

/// Leaves the session of the terminal, so that its end is not the mount's.
pub(super) fn leave_terminal() -> Result<()> {
    rustix::process::setsid().map_err(|error| Error::io("leave the terminal", error.into()))?;
    Ok(())
}

/// Lets go of the parent's output and its directory; what is printed from now on is in the log.
pub(super) fn leave_output(log: &HostPath) -> Result<()> {
    let log = host::append(log)?;
    rustix::stdio::dup2_stderr(&log)
        .and_then(|()| rustix::process::chdir("/"))
        // The parent takes the end of this for the word that the mount answers.
        .and_then(|()| rustix::stdio::dup2_stdout(&log))
        .map_err(|error| Error::io("leave the parent's output", error.into()))?;
    Ok(())
}
