//! The token that clients by HTTP must know.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path as HostPath, PathBuf};

use homefs_core::{Error, ErrorKind};
use rustix::rand::{GetRandomFlags, getrandom};

use crate::error::Result;
use crate::host;

/// The file in the store's directory that keeps it.
const FILE: &str = "mcp-token";
/// How much of it nobody can guess.
const BYTES: usize = 32;

/// Returns the store's token, made when it is first asked for, and the file that keeps it.
pub(super) fn of(store: &HostPath) -> Result<(PathBuf, String)> {
    let file = store.join(FILE);
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
