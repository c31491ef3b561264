//! Saves that make a new node: which file goes on as another node, for every face.
//!
//! Programs seldom write into the file that they save. They write a new one and rename it over the
//! old, or rename the old to a backup and make a new one at its name. People see one file all the
//! same, so the new node *succeeds* the old: it gets its lineage, its history and what is noted
//! about it ([ADR 0015](../../../docs/adr/0015-lineage.md) has the cases).

use homefs_core::{NodeId, Timestamp};

use crate::model::Kind;
use crate::put_away::{Away, BACKUP_ENDS, is_backup};
use crate::tree::{Halt, Node, Slot, Tree};

/// Returns the file that goes on as a new one at a free name, if one does: it was renamed from
/// there to a backup a moment ago, and is still there.
pub fn put_away(tree: &Tree, parent: NodeId, name: &str, time: Timestamp) -> Option<NodeId> {
    let is_here =
        |away: &&Away| away.parent == parent && *away.name == *name && away.is_recent(time);
    let mut here = tree.put_away().iter().rev().filter(is_here).map(|away| away.node);
    here.find(|node| is_backed_up(tree, *node, parent, name))
}

/// Tells whether a file lives under a backup of a name in a directory.
fn is_backed_up(tree: &Tree, node: NodeId, parent: NodeId, name: &str) -> bool {
    let Some(known) = tree.named(node) else { return false };
    let is_named = |above: NodeId, backup: &str| above == parent && is_backup(backup, name);
    let has_name = is_named(known.parent, &known.name)
        || known.other_names.iter().any(|(above, backup)| is_named(*above, backup));
    has_name && is_own_file(tree, node, known) && !tree.is_expired(node)
}

/// Returns the file that goes on as one that is moved to a place, if one does.
pub(crate) fn succeeded(
    tree: &Tree,
    source: Slot<'_>,
    target: Slot<'_>,
    time: Timestamp,
) -> Result<Option<NodeId>, Halt> {
    let Some(node) = source.node else { return Ok(None) };
    let old = match target.node {
        Some(other) if is_kept(tree, target, other)? || is_put_away(source, target) => None,
        Some(other) => Some(other),
        None => put_away(tree, target.parent, target.name, time),
    };
    let Some(old) = old.filter(|old| *old != node) else { return Ok(None) };
    let (new, before) = (tree.node(node)?, tree.node(old)?);
    let are_files = is_own_file(tree, node, new) && is_own_file(tree, old, before);
    // A file that is older than what it replaces is not how that was saved.
    Ok((are_files && new.attrs.created >= before.attrs.modified).then_some(old))
}

/// Tells whether what is replaced stays under another name than a backup of this one.
fn is_kept(tree: &Tree, target: Slot<'_>, other: NodeId) -> Result<bool, Halt> {
    if tree.node(other)?.attrs.links <= 1 {
        return Ok(false);
    }
    // GLib makes its backup by a link.
    let names = tree.names(target.parent)?;
    let is_backup = |end: &&str| {
        let backup = format!("{}{end}", target.name);
        names.get(backup.as_str()) == Some(&other)
    };
    Ok(!BACKUP_ENDS.iter().any(is_backup))
}

/// Tells whether a file is only moved to a longer name of its own, over what is there: a backup
/// or an old log replaces the one before, and is not how that was saved.
fn is_put_away(source: Slot<'_>, target: Slot<'_>) -> bool {
    source.parent == target.parent
        && target.name.len() > source.name.len()
        && target.name.starts_with(source.name)
}

/// Tells whether a node is a file that the space has itself.
fn is_own_file(tree: &Tree, node: NodeId, known: &Node) -> bool {
    known.attrs.kind == Kind::File && !tree.sources().has(node)
}
