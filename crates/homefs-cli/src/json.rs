//! The shape of each listed thing as JSON: times as RFC 3339, node ids as hexadecimal text.
//!
//! Written out rather than derived, so that the shape that programs rely on does not change when
//! a type of the engine does.

use homefs_core::{Path, Version};
use homefs_engine::{Edition, Event, Found, Grant, Metadata, SpaceInfo, Stat, Trashed};
use serde_json::{Value, json};

use crate::text;
use crate::time::rfc3339;

/// What a change did.
pub(crate) fn changed(path: &Path, version: Version) -> Value {
    json!({ "path": path, "version": version })
}

/// What is known of a node.
pub(crate) fn stat(path: &Path, stat: &Stat) -> Value {
    json!({
        "path": path,
        "kind": text::kind(stat.kind),
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
pub(crate) fn metadata(path: &Path, metadata: &Metadata) -> Value {
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
pub(crate) fn found(found: &Found) -> Value {
    stat(&found.path, &found.stat)
}

/// One settled content of a file.
pub(crate) fn edition(edition: &Edition) -> Value {
    json!({
        "version": edition.version,
        "time": rfc3339(edition.time),
        "agent": edition.agent,
        "size": edition.size,
    })
}

/// One removed node.
pub(crate) fn trashed(item: &Trashed) -> Value {
    json!({
        "path": item.path,
        "kind": text::kind(item.kind),
        "size": item.size,
        "version": item.version,
        "time": rfc3339(item.time),
        "agent": item.agent,
        "node": item.node.to_string(),
    })
}

/// One change that a watch saw.
pub(crate) fn event(event: &Event) -> Value {
    json!({
        "path": event.path,
        "kind": text::kind(event.kind),
        "action": text::action(event.action),
        "version": event.version,
        "space": event.space,
        "time": rfc3339(event.time),
        "agent": event.agent,
    })
}

/// One rule of access.
pub(crate) fn grant(grant: &Grant) -> Value {
    json!({
        "path": grant.prefix,
        "subject": text::subject(&grant.subject),
        "right": grant.right,
    })
}

/// One space.
pub(crate) fn space(info: &SpaceInfo) -> Value {
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
