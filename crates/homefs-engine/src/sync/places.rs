//! The spaces that a remote has.

use std::collections::BTreeMap;

use homefs_core::{ErrorKind, RemoteRequest, Result, SpaceName};

use super::follower::Follower;
use super::format::keys;
use super::round::page;

/// The folder that homes are in.
const HOMES: &str = "agents/";
/// The folder that shared spaces are in.
const SHARED: &str = "shared/";

/// Lists all spaces that the remote has. Each listing jumps over what the space before holds, so
/// there are about as many requests as spaces.
pub(super) fn spaces_of(follower: &Follower) -> Result<Vec<SpaceName>> {
    spaces_in(follower, &[HOMES, SHARED])
}

/// Lists the spaces that a machine takes up by itself: shared ones. A home is taken up when its
/// agent comes here; a bucket may have millions.
pub(super) fn shared_of(follower: &Follower) -> Result<Vec<SpaceName>> {
    spaces_in(follower, &[SHARED])
}

fn spaces_in(follower: &Follower, folders: &[&str]) -> Result<Vec<SpaceName>> {
    // Whether the listing showed the HEAD of each space; strange names may come before it.
    let mut found: BTreeMap<SpaceName, bool> = BTreeMap::new();
    match follower.only_home() {
        Some(home) => drop(found.insert(home, false)),
        None => folders.iter().try_for_each(|folder| seek(follower, folder, &mut found))?,
    }
    let unsure: Vec<_> = found.iter().filter(|(_, sure)| !**sure).map(|(name, _)| name).collect();
    let head = |name: &&SpaceName| {
        let key = follower.prefix_of(name).unwrap_or_default() + keys::HEAD;
        RemoteRequest::Get { key, range: None, unless: None }
    };
    let answers = follower.remote.run(unsure.iter().map(head).collect());
    let mut missing = Vec::new();
    for (name, answer) in unsure.into_iter().zip(answers) {
        match answer {
            Err(error) if error.kind() == ErrorKind::NotFound => missing.push(name.clone()),
            other => drop(other?),
        }
    }
    Ok(found.into_keys().filter(|name| !missing.contains(name)).collect())
}

fn seek(follower: &Follower, folder: &str, found: &mut BTreeMap<SpaceName, bool>) -> Result<()> {
    let mut after = None;
    loop {
        let (objects, more) = page(&*follower.remote, folder, after)?;
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
