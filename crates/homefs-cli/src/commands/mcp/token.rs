//! The token that clients by HTTP must know.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path as HostPath, PathBuf};

use homefs_core::{AgentId, Error, ErrorKind};
use homefs_server::{Profile, ToolSet};
use homefs_view::Who;
use rustix::rand::{GetRandomFlags, getrandom};

use crate::error::Result;
use crate::host;

/// What the files in the store's directory begin with that keep tokens, each for one agent with
/// the same rights.
const FILE: &str = "mcp-token";
/// How much of it nobody can guess.
const BYTES: usize = 32;

/// Returns the token for an agent, made when it is first asked for, and the file that keeps it.
pub(super) fn of(
    store: &HostPath,
    who: &Who,
    groups: Option<&[AgentId]>,
    profile: &Profile,
) -> Result<(PathBuf, String)> {
    let rights = [(who.operator, "operator"), (who.all, "all"), (profile.read_only, "read-only")];
    let rights = rights.iter().filter(|(has, _)| *has).map(|(_, right)| *right);
    let sets = profile.tools.iter().map(|set| set.name());
    let sets = sets.filter(|_| profile.tools != ToolSet::ALL);
    // No agent has a plus in its name.
    let rights = rights.chain(sets).map(|right| format!("+{right}"));
    let named = groups.map(|groups| {
        let names: Vec<&str> = groups.iter().map(AgentId::as_str).collect();
        format!("+groups={}", names.join(","))
    });
    let rights = rights.chain(named);
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
