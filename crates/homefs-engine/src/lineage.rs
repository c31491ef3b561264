//! Saves that make a new node: which file goes on as another node, for every face.
//!
//! Programs seldom write into the file that they save. They write a new one and rename it over the
//! old, or rename the old to a backup and make a new one at its name. People see one file all the
//! same, so the new node *succeeds* the old: it gets its lineage, its history and what is noted
//! about it ([ADR 0015](../../../docs/adr/0015-lineage.md) has the cases).

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use homefs_core::{NodeId, Timestamp};

use crate::model::Kind;
use crate::record::Change;
use crate::tree::{Halt, Node, Slot, Tree};

/// How long after a file was put away a new one at its name is how it was saved.
const SAVE_TIME_MAX: Duration = Duration::from_secs(10);
/// Most files of a space that count as put away; programs save one at a time.
const PUT_AWAY_MAX: usize = 64;
/// Most changes of a record that can be a rename; longer ones are not looked through.
const RENAME_CHANGES_MAX: usize = 16;
/// What backups have after the name of their file: of vim, Emacs, `GLib` and most others; of
/// `sed -i.bak` and Perl; of patch and Mercurial; of `JetBrains`.
const BACKUP_ENDS: [&str; 5] = ["~", ".bak", ".orig", "___jb_old___", "___jb_bak___"];
/// Helix puts some letters between the name of the file and this.
const BACKUP_END_RANDOM: &str = ".bck";
/// Most of these letters.
const RANDOM_LETTERS_MAX: usize = 16;

/// Files that were renamed to backups of their names a moment ago, oldest first.
#[derive(Clone, Default, PartialEq)]
pub(crate) struct PutAway(VecDeque<Away>);

/// A file that was renamed to a backup of its name.
#[derive(Clone, PartialEq)]
pub(crate) struct Away {
    /// Where the file was.
    pub(crate) parent: NodeId,
    pub(crate) name: Arc<str>,
    pub(crate) node: NodeId,
    pub(crate) time: Timestamp,
}

impl Away {
    /// Tells whether that was a moment ago. What was put away under a clock that was ahead was not:
    /// else it would be for as long as the clock was ahead.
    fn is_recent(&self, now: Timestamp) -> bool {
        now.apart(self.time) <= SAVE_TIME_MAX
    }
}

impl PutAway {
    /// Notes a file that a record renames to a backup of its name.
    pub(crate) fn note(&mut self, changes: &[Change], time: Timestamp) {
        // Asked of every record: most have one name or none.
        if changes.len() > RENAME_CHANGES_MAX {
            return;
        }
        for (at, change) in changes.iter().enumerate() {
            let Change::Entry { parent, name: to, node: Some(node) } = change else { continue };
            for earlier in &changes[..at] {
                if let Change::Entry { parent: above, name, node: None } = earlier
                    && above == parent
                    && is_backup(to, name)
                    && !is_bound(changes, *parent, name)
                {
                    let (parent, name, node) = (*parent, name.clone(), *node);
                    self.push(Away { parent, name, node, time });
                }
            }
        }
    }

    /// Adds the newest.
    pub(crate) fn push(&mut self, away: Away) {
        if self.0.len() == PUT_AWAY_MAX {
            self.0.pop_front();
        }
        self.0.push_back(away);
    }

    /// Returns them, the oldest first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Away> {
        self.0.iter()
    }

    /// Forgets those for which no new file would be a save any more.
    pub(crate) fn forget_old(&mut self, now: Timestamp) {
        self.0.retain(|away| away.is_recent(now));
    }

    /// Forgets a file that has gone on as another node: it does so once.
    pub(crate) fn forget(&mut self, node: NodeId) {
        self.0.retain(|away| away.node != node);
    }
}

/// Tells whether changes give a name to a node, as those that swap two do.
fn is_bound(changes: &[Change], above: NodeId, of: &str) -> bool {
    changes.iter().any(|change| {
        matches!(change, Change::Entry { parent, name, node: Some(_) }
            if *parent == above && **name == *of)
    })
}

/// Returns the file that goes on as a new one at a free name, if one does: it was renamed from
/// there to a backup a moment ago, and is still there.
pub(crate) fn put_away(tree: &Tree, parent: NodeId, name: &str, time: Timestamp) -> Option<NodeId> {
    let is_here =
        |away: &&Away| away.parent == parent && *away.name == *name && away.is_recent(time);
    let mut here = tree.put_away.0.iter().rev().filter(is_here).map(|away| away.node);
    here.find(|node| is_backed_up(tree, *node, parent, name))
}

/// Tells whether a file lives under a backup of a name in a directory.
fn is_backed_up(tree: &Tree, node: NodeId, parent: NodeId, name: &str) -> bool {
    let Some(known) = tree.nodes.get(&node) else { return false };
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
    known.attrs.kind == Kind::File && !tree.sources.has(node)
}

/// Tells whether a name is that of a backup of a file.
fn is_backup(backup: &str, name: &str) -> bool {
    let Some(end) = backup.strip_prefix(name) else {
        return is_second_backup(backup, name);
    };
    let is_numbered = || {
        let number = end.strip_prefix(".~").and_then(|end| end.strip_suffix('~'));
        number.is_some_and(|number| number.parse::<u32>().is_ok())
    };
    let is_random = || {
        let letters = end.strip_suffix(BACKUP_END_RANDOM);
        letters.is_some_and(|letters| {
            letters.len() <= RANDOM_LETTERS_MAX
                && letters.bytes().all(|letter| letter.is_ascii_alphanumeric())
        })
    };
    BACKUP_ENDS.contains(&end) || is_numbered() || is_random()
}

/// Tells whether a name is one that vim takes for its backup where `name~` is taken: it puts
/// another letter in the place of the last.
fn is_second_backup(backup: &str, name: &str) -> bool {
    let Some(stem) = backup.strip_suffix('~') else { return false };
    let (stem, name) = (stem.as_bytes(), name.as_bytes());
    match (stem.split_last(), name.split_last()) {
        (Some((letter, stem)), Some((_, name))) => letter.is_ascii_lowercase() && stem == name,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use homefs_core::{NodeId, Timestamp};

    use super::{Away, PutAway, is_backup};

    #[test]
    fn what_was_put_away_by_a_clock_that_was_ahead_is_forgotten() {
        let now = Timestamp(1_793_491_200_000_000_000);
        let seconds = Duration::from_secs;
        for (time, is_kept) in [
            (now, true),
            (now.before(seconds(9)), true),
            (now.before(seconds(11)), false),
            (now.after(seconds(9)), true),
            (now.after(seconds(3600)), false),
        ] {
            let mut put_away = PutAway::default();
            let name = "note.md".into();
            put_away.push(Away { parent: NodeId::ROOT, name, node: NodeId(7), time });
            put_away.forget_old(now);
            assert_eq!(put_away.iter().count() == 1, is_kept, "{time:?}");
        }
    }

    #[test]
    fn a_backup_is_known_by_its_name() {
        let backups = [
            "note.md~",
            "note.md.~1~",
            "note.md.~42~",
            "note.md.bak",
            "note.md.orig",
            "note.md___jb_old___",
            "note.mdAb3xYz.bck",
            "note.md.bck",
            "note.mz~",
        ];
        for backup in backups {
            assert!(is_backup(backup, "note.md"), "{backup}");
        }
        let others = [
            "note.md",
            "note.md.1",
            "note.md.old",
            "note.md-20261116",
            "note.md.~~",
            "note.md.~x~",
            "note.md.~-1~",
            "note.m.bck",
            "note.md/../x.bck",
            "other.md~",
            "note.mZ~",
            "md~",
            "~",
            "",
        ];
        for other in others {
            assert!(!is_backup(other, "note.md"), "{other}");
        }
    }
}
