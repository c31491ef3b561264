//! The shape of each listed thing as JSON: times as RFC 3339, node ids as hexadecimal text.
//!
//! Written out rather than derived, so that the shape that programs rely on does not change when
//! a type of the engine does.

mod memory;

use homefs_core::{Path, SpaceName, Version};
use homefs_engine::{
    Attachment, Conflict, ConflictSide, Edition, Event, Found, Grant, GrepLine, Metadata,
    RemoteStatus, SourceChange, SpaceInfo, SpaceSync, Stat, Status, Swept, Synced, Trashed,
};
use homefs_remote::Capabilities;
use homefs_shell::Output;
use serde_json::{Value, json};

pub use memory::*;

use crate::message::MountInfo;
use crate::remotes::{RemoteConfig, RemoteInfo};
use crate::time::rfc3339;
use crate::words;

/// What a change did.
pub fn changed(path: &Path, version: Version) -> Value {
    json!({ "path": path, "version": version })
}

/// What is known of a node.
pub fn stat(path: &Path, stat: &Stat) -> Value {
    json!({
        "path": path,
        "kind": words::kind(stat.kind),
        "size": stat.size,
        "mode": format!("{:04o}", stat.mode),
        "uid": stat.uid,
        "gid": stat.gid,
        "links": stat.links,
        "created": rfc3339(stat.created),
        "modified": rfc3339(stat.modified),
        "changed": rfc3339(stat.changed),
        "expires": stat.expires.map(rfc3339),
        "version": stat.version,
        "space": stat.space,
        "node": stat.node.to_string(),
    })
}

/// What is noted about a node.
pub fn metadata(path: &Path, metadata: &Metadata) -> Value {
    json!({
        "path": path,
        "importance": metadata.importance,
        "tags": metadata.tags,
        "expires": metadata.expires.map(rfc3339),
        "source": metadata.source,
        "title": metadata.title,
        "other": metadata.other,
    })
}

/// One node of a listing, a walk or a search.
pub fn found(found: &Found) -> Value {
    stat(&found.path, &found.stat)
}

/// One line that matches a pattern.
pub fn grep_line(line: &GrepLine) -> Value {
    json!({
        "path": line.path,
        "line": line.line,
        "text": line.text,
        "before": line.before,
        "after": line.after,
    })
}

/// One settled content of a file.
pub fn edition(edition: &Edition) -> Value {
    json!({
        "version": edition.version,
        "time": rfc3339(edition.time),
        "agent": edition.agent,
        "machine": edition.machine,
        "size": edition.size,
    })
}

/// One removed node.
pub fn trashed(item: &Trashed) -> Value {
    json!({
        "path": item.path,
        "kind": words::kind(item.kind),
        "size": item.size,
        "version": item.version,
        "time": rfc3339(item.time),
        "agent": item.agent,
        "node": item.node.to_string(),
    })
}

/// One change that a watch saw.
pub fn event(event: &Event) -> Value {
    json!({
        "path": event.path,
        "kind": words::kind(event.kind),
        "action": words::action(event.action),
        "version": event.version,
        "space": event.space,
        "time": rfc3339(event.time),
        "agent": event.agent,
    })
}

/// One rule of access.
pub fn grant(grant: &Grant) -> Value {
    json!({
        "path": grant.prefix,
        "subject": words::subject(&grant.subject),
        "right": grant.right,
    })
}

/// One space.
pub fn space(info: &SpaceInfo) -> Value {
    json!({
        "space": info.name,
        "path": info.path,
        "bytes": info.usage.bytes,
        "nodes": info.usage.nodes,
        "bytes_max": info.quota.bytes,
        "nodes_max": info.quota.nodes,
        "right": info.right,
    })
}

/// The remote of a store: what its file says, and why it is not used, if it is not.
pub fn remote(info: &RemoteInfo) -> Value {
    let RemoteInfo { config, unused } = info;
    let config = config.as_ref();
    json!({
        "address": config.map(|config| &config.address),
        "endpoint": config.and_then(|config| config.endpoint.as_ref()),
        "region": config.and_then(|config| config.region.as_ref()),
        "path_style": config.map(|config| config.path_style),
        "single_writer": config.map(|config| config.single_writer),
        "home_at_prefix": config.and_then(|config| config.home_at_prefix.as_ref()),
        "machine": config.map(|config| &config.machine_name),
        "read_only": config.map(|config| config.read_only),
        "unused": unused,
    })
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

/// How a store and its remote stand, beside what [`remote`] says.
pub fn remote_status(status: &RemoteStatus) -> Value {
    let counters = status.counters.as_ref();
    json!({
        "requests": counters.map(|counters| json!({
            "gets": counters.gets,
            "puts": counters.puts,
            "deletes": counters.deletes,
            "lists": counters.lists,
            "failures": counters.failures,
        })),
        "sent_bytes": counters.map(|counters| counters.sent_bytes),
        "received_bytes": counters.map(|counters| counters.received_bytes),
        "spaces": status.spaces.iter().map(space_sync).collect::<Vec<_>>(),
    })
}

/// How a space and its remote stand.
fn space_sync(space: &SpaceSync) -> Value {
    json!({
        "space": space.space,
        "commit": space.commit,
        "agreed": space.agreed.map(rfc3339),
        "ahead": space.ahead,
        "waiting_since": space.waiting_since.map(rfc3339),
        "copies_due": space.copies_due,
        "withheld": space.withheld,
        "missing": space.missing,
        "conflicts": space.conflicts,
        "failure": space.failure,
        "retry_at": space.retry_at.map(rfc3339),
    })
}

/// What a sync did to one space.
pub fn synced(synced: &Synced) -> Value {
    json!({
        "space": synced.space,
        "commit": synced.commit,
        "pulled": synced.pulled,
        "pushed": synced.pushed,
        "conflicts": synced.conflicts,
    })
}

/// One thing that two machines changed.
pub fn conflict(conflict: &Conflict) -> Value {
    let side = |side: &Option<ConflictSide>| {
        side.as_ref().map(|side| json!({ "size": side.size, "digest": side.digest }))
    };
    json!({
        "number": conflict.number,
        "path": conflict.path,
        "what": conflict.what,
        "machine": conflict.machine,
        "time": rfc3339(conflict.time),
        "ours": side(&conflict.ours),
        "theirs": side(&conflict.theirs),
        "beside": conflict.beside,
    })
}

/// What was ended in the remote of one space.
pub fn swept((space, swept): &(SpaceName, Swept)) -> Value {
    json!({
        "space": space,
        "packs_dropped": swept.packs_dropped,
        "packs_rewritten": swept.packs_rewritten,
        "objects_deleted": swept.objects_deleted,
        "bytes_freed": swept.bytes_freed,
        "bytes_kept": swept.bytes_kept,
        "mended": swept.mended,
        "missing": swept.missing,
    })
}

/// How a store is: what its owner says, its remote, and what it is mounted at.
pub fn status(
    status: &Status,
    remote: Option<&RemoteInfo>,
    mounts: &[MountInfo],
    abandoned_scripts: usize,
) -> Value {
    let mut value = json!(status);
    value["remote"] = remote.map_or(Value::Null, self::remote);
    if let Some(status) = &status.remote {
        value["remote"]["status"] = remote_status(status);
    }
    value["indexes"] = status.indexes.iter().map(index).collect();
    let mounts = mounts.iter().map(|MountInfo { dir, agent, read_only, since }| {
        let since = rfc3339(*since);
        json!({ "dir": dir, "agent": agent, "read_only": read_only, "since": since })
    });
    value["mounts"] = mounts.collect();
    value["abandoned_scripts"] = json!(abandoned_scripts);
    value
}

/// One source that is attached.
pub fn source(source: &Attachment) -> Value {
    json!({
        "path": source.path,
        "source": source.address,
        "settings": source.settings,
        "read_only": source.read_only,
    })
}

/// One thing that was changed over a source.
pub fn source_change(change: &SourceChange) -> Value {
    json!({
        "path": change.path,
        "change": words::source_change(change.change),
        "kind": change.kind.map(words::kind),
    })
}

/// What came of a script; what is not UTF-8 is shown as U+FFFD.
pub fn output(output: &Output) -> Value {
    json!({
        "stdout": String::from_utf8_lossy(&output.stdout),
        "stderr": String::from_utf8_lossy(&output.stderr),
        "status": output.status,
        "truncated": output.truncated,
    })
}
