//! The spaces that a remote has.

use std::collections::BTreeMap;

use homefs_core::{AgentId, ErrorKind, Remote, RemoteRequest, Result, SpaceName};

use crate::follower::Follower;
use crate::format::keys;
use crate::round::page;

/// The folder that homes are in.
const HOMES: &str = "agents/";
/// The folder that shared spaces are in.
const SHARED: &str = "shared/";

/// What the keys of a remote tell of its spaces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RemotePlaces {
    /// Spaces that have a HEAD.
    pub spaces: Vec<SpaceName>,
    /// Spaces that have commits, but whose HEAD is gone.
    pub headless: Vec<SpaceName>,
}

impl RemotePlaces {
    /// Looks which spaces a remote has. It is read only, and no store is needed.
    pub fn of(remote: &dyn Remote, home_at_prefix: Option<&AgentId>) -> Result<Self> {
        let only = home_at_prefix.cloned().map(SpaceName::Home);
        let (spaces, missing) = spaces_in(remote, only.as_ref(), &[HOMES, SHARED])?;
        let mut headless = Vec::new();
        for name in missing {
            let commits = prefix(only.as_ref(), &name) + keys::COMMITS;
            if !page(remote, &commits, None)?.0.is_empty() {
                headless.push(name);
            }
        }
        Ok(Self { spaces, headless })
    }
}

/// Lists all spaces that the remote has. Each listing jumps over what the space before holds, so
/// there are about as many requests as spaces.
pub fn spaces_of(follower: &Follower) -> Result<Vec<SpaceName>> {
    Ok(spaces_in(&*follower.remote, follower.only_home().as_ref(), &[HOMES, SHARED])?.0)
}

/// Lists the spaces that a machine takes up by itself: shared ones. A home is taken up when its
/// agent comes here; a bucket may have millions.
pub fn shared_of(follower: &Follower) -> Result<Vec<SpaceName>> {
    Ok(spaces_in(&*follower.remote, follower.only_home().as_ref(), &[SHARED])?.0)
}

/// Returns what the keys of a space begin with.
fn prefix(only: Option<&SpaceName>, name: &SpaceName) -> String {
    if only.is_some() { String::new() } else { format!("{name}/") }
}

/// Returns the spaces in some folders, and those that have keys but no HEAD.
fn spaces_in(
    remote: &dyn Remote,
    only: Option<&SpaceName>,
    folders: &[&str],
) -> Result<(Vec<SpaceName>, Vec<SpaceName>)> {
    // Whether the listing showed the HEAD of each space; strange names may come before it.
    let mut found: BTreeMap<SpaceName, bool> = BTreeMap::new();
    match only {
        Some(home) => drop(found.insert(home.clone(), false)),
        None => folders.iter().try_for_each(|folder| seek(remote, folder, &mut found))?,
    }
    let unsure: Vec<_> = found.iter().filter(|(_, sure)| !**sure).map(|(name, _)| name).collect();
    let head = |name: &&SpaceName| {
        let key = prefix(only, name) + keys::HEAD;
        RemoteRequest::Get { key, range: None, unless: None }
    };
    let answers = remote.run(unsure.iter().map(head).collect());
    let mut missing = Vec::new();
    for (name, answer) in unsure.into_iter().zip(answers) {
        match answer {
            Err(error) if error.kind() == ErrorKind::NotFound => missing.push(name.clone()),
            other => drop(other?),
        }
    }
    let there = found.into_keys().filter(|name| !missing.contains(name)).collect();
    Ok((there, missing))
}

fn seek(remote: &dyn Remote, folder: &str, found: &mut BTreeMap<SpaceName, bool>) -> Result<()> {
    let mut after = None;
    loop {
        let (objects, more) = page(remote, folder, after)?;
        for object in &objects {
            // Folders that no space can have are somebody else's.
            let Some((name, rest)) = object.key[folder.len()..].split_once('/') else { continue };
            if let Ok(name) = format!("{folder}{name}").parse::<SpaceName>() {
                *found.entry(name).or_default() |= rest == keys::HEAD;
            }
        }
        let Some(end) = objects.last().filter(|_| more) else { return Ok(()) };
        after = Some(match end.key[folder.len()..].split_once('/') {
            // `0` follows `/`: behind everything in that folder and before whatever comes next.
            Some((name, _)) => format!("{folder}{name}0"),
            None => end.key.clone(),
        });
    }
}
