//! What faces show, made of what the engine answers where that is something else.
//!
//! Hits, editions, conflicts and what else the engine answers as a record of `homefs-wire` is shown
//! as it stands. Here is what shows less than the engine knows, or says it in words.

use homefs_core::{Path, SpaceName, Version};
use homefs_remote::Capabilities;
use homefs_shell::Output;
use homefs_view::{Found, Grant, Mount, Recalled, SpaceInfo, Stat, Status, Swept};
use homefs_wire::records;
use serde_json::{Value, json};

use crate::remotes::{RemoteConfig, RemoteInfo};
use crate::words;

/// What a change did.
pub fn changed(path: &Path, version: Version) -> Value {
    json!({ "path": path, "version": version })
}

/// What is known of a node.
pub fn stat(path: &Path, stat: &Stat) -> records::Stat {
    records::Stat {
        path: path.clone(),
        kind: stat.kind.word(),
        size: stat.size,
        mode: format!("{:04o}", stat.mode),
        uid: stat.uid,
        gid: stat.gid,
        links: stat.links,
        created: stat.created,
        modified: stat.modified,
        changed: stat.changed,
        expires: stat.expires,
        version: stat.version,
        space: stat.space.clone(),
        node: stat.node,
    }
}

/// One node of a listing, a walk or a search.
pub fn found(found: &Found) -> records::Stat {
    stat(&found.path, &found.stat)
}

/// One rule of access.
pub fn grant(grant: &Grant) -> records::Grant {
    let Grant { subject, prefix, right } = grant;
    records::Grant { path: prefix.clone(), subject: words::subject(subject), right: *right }
}

/// One space.
pub fn space(info: &SpaceInfo) -> records::Space {
    records::Space {
        space: info.name.clone(),
        path: info.path.clone(),
        bytes: info.usage.bytes,
        nodes: info.usage.nodes,
        bytes_max: info.quota.bytes,
        nodes_max: info.quota.nodes,
        right: info.right,
    }
}

/// What was recalled, and every candidate if asked.
pub fn recalled(recalled: Recalled, explain: bool) -> Recalled {
    let explained = if explain { recalled.explained } else { Vec::new() };
    Recalled { explained, ..recalled }
}

/// One tag, and how many files have it.
pub fn tag((tag, count): &(String, u64)) -> records::Tag {
    records::Tag { tag: tag.clone(), count: *count }
}

/// The remote of a store: what its file says, and why it is not used, if it is not.
pub fn remote(info: &RemoteInfo) -> records::Remote {
    let config = info.config.as_ref();
    records::Remote {
        address: config.map(|config| config.address.clone()),
        endpoint: config.and_then(|config| config.endpoint.clone()),
        region: config.and_then(|config| config.region.clone()),
        path_style: config.map(|config| config.path_style),
        single_writer: config.map(|config| config.single_writer),
        home_at_prefix: config.and_then(|config| config.home_at_prefix.clone()),
        machine: config.map(|config| config.machine_name.clone()),
        read_only: config.map(|config| config.read_only),
        unused: info.unused.clone(),
        status: None,
    }
}

/// What a remote honours.
pub fn capabilities(config: Option<&RemoteConfig>, capabilities: Capabilities) -> Value {
    json!({
        "address": config.map(|config| &config.address),
        "several_writers": capabilities.several_writers(),
        "absent": capabilities.absent,
        "unchanged": capabilities.unchanged,
        "unchanged_missing": capabilities.unchanged_missing,
        "unless": capabilities.unless,
        "listing": capabilities.listing,
        "simultaneous": capabilities.simultaneous(),
        "races": capabilities.races().run,
        "races_broken": capabilities.races().broken,
    })
}

/// What was ended in the remote of one space.
pub fn swept((space, swept): &(SpaceName, Swept)) -> Value {
    let mut value = json!(swept);
    value["space"] = json!(space);
    value
}

/// How a store is: what a view says of it, its remote as it was attached, and what its owner adds.
pub fn status(
    status: Status,
    remote: Option<&RemoteInfo>,
    mounts: Vec<Mount>,
    abandoned_scripts: usize,
) -> Status {
    let mut remote = remote.map(self::remote);
    if let Some(remote) = &mut remote {
        remote.status = status.remote.and_then(|remote| remote.status);
    }
    Status { remote, mounts, abandoned_scripts, ..status }
}

/// What came of a script; what is not UTF-8 is shown as U+FFFD.
pub fn output(output: Output) -> records::Output {
    let text = |bytes: Vec<u8>| {
        String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    };
    let Output { stdout, stderr, status, truncated } = output;
    records::Output { stdout: text(stdout), stderr: text(stderr), status, truncated }
}
