//! The token that clients by HTTP must know.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path as HostPath, PathBuf};

use homefs_core::{Error, ErrorKind};
use homefs_engine::Who;
use rustix::rand::{GetRandomFlags, getrandom};

use crate::error::Result;
use crate::host;

/// What the files in the store's directory begin with that keep tokens, each for one agent with
/// the same rights.
const FILE: &str = "mcp-token";
/// How much of it nobody can guess.
const BYTES: usize = 32;

/// Returns the token for an agent, made when it is first asked for, and the file that keeps it.
pub(super) fn of(store: &HostPath, who: &Who, read_only: bool) -> Result<(PathBuf, String)> {
    let rights = [(who.operator, "operator"), (who.all, "all"), (read_only, "read-only")];
    // No agent has a plus in its name.
    let rights = rights.iter().filter(|(has, _)| *has).map(|(_, right)| format!("+{right}"));
    let file = store.join(format!("{FILE}.{}{}", who.agent, rights.collect::<String>()));
    if let Some(metadata) = host::metadata(&file)? {
        if host::mode(&metadata) & 0o077 != 0 {
            let message = "can be read by others; remove it, and a new one is made";
            let error = Error::new(ErrorKind::Denied, message);
            return Err(error.with_path_text(file.display().to_string()).into());
        }
        return Ok((file.clone(), host::read_text(&file)?.trim().to_owned()));
    }
    let token = draw()?;
    host::create(&file)?
        .write_all(format!("{token}\n").as_bytes())
        .map_err(|error| host::failed("keep the token", &file, error))?;
    Ok((file, token))
}

fn draw() -> Result<String> {
    let mut bytes = [0; BYTES];
    let drawn = getrandom(&mut bytes, GetRandomFlags::empty());
    if !matches!(drawn, Ok(BYTES)) {
        return Err(Error::new(ErrorKind::Unavailable, "the host gives no random bytes").into());
    }
    let mut token = String::new();
    for byte in bytes {
        write!(token, "{byte:02x}").expect("a string takes any text");
    }
    Ok(token)
}
