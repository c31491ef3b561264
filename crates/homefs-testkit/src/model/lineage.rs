//! Saves that make a new node: when a file goes on as another, and what that one gets.

use std::time::Duration;

use homefs_core::{Path, Timestamp};

use super::{Body, Model, Number, Slot, Trashed};

/// How long after a file was put away a new one at its name is how it was saved.
const SAVE_TIME_MAX: Duration = Duration::from_secs(10);

/// A file that was renamed to a backup of its name.
#[derive(Clone, Debug)]
pub(super) struct Away {
    parent: Number,
    name: String,
    number: Number,
    time: Timestamp,
}

impl Model {
    /// Notes a rename, if it is one to a backup of a name.
    pub(super) fn note_away(&mut self, from: &Slot, to: &Slot, number: Number) {
        let (Some(parent), Some(name)) = (from.parent, from.path.name()) else { return };
        if to.parent == Some(parent) && to.path.name().is_some_and(|to| is_backup(to, name)) {
            let (name, time) = (name.to_owned(), self.now);
            self.away.push(Away { parent, name, number, time });
        }
    }

    /// Finds the file that goes on as a new one at a free name.
    pub(super) fn put_away(&self, path: &Path) -> Option<Number> {
        let parent = self.find(&path.parent()?, false).ok()?;
        let name = path.name()?;
        let is_there = |away: &&Away| {
            let is_named = |(backup, number): (&String, &Number)| {
                *number == away.number && is_backup(backup, name)
            };
            (away.parent, &*away.name) == (parent, name)
                && self.now.since(away.time) <= SAVE_TIME_MAX
                && self.names(parent).into_iter().flatten().any(is_named)
                && self.is_file(away.number)
        };
        self.away.iter().rev().find(is_there).map(|away| away.number)
    }

    /// Finds the file that goes on as the one that is moved.
    pub(super) fn succeeded(&self, from: &Slot, to: &Slot) -> Option<Number> {
        let node = from.node?;
        let old = match to.node {
            None => self.put_away(&to.path)?,
            Some(other) => {
                let (before, after) = (from.path.name()?, to.path.name()?);
                let is_longer = after != before && after.starts_with(before);
                let backup = |end: &str| {
                    let names = self.names(to.parent?)?;
                    names.get(&format!("{after}{end}")).copied()
                };
                let stays = self.nodes[&other].links > 1
                    && ["~", ".bak"].iter().all(|end| backup(end) != Some(other));
                if stays || from.parent == to.parent && is_longer {
                    return None;
                }
                other
            }
        };
        let is_newer = self.nodes[&node].created >= self.nodes[&old].modified;
        (old != node && is_newer && self.is_file(node) && self.is_file(old)).then_some(old)
    }

    /// Lets a file go on as another, if there is one; `old` may have lost its last name just now.
    pub(super) fn succeed(&mut self, number: Number, old: Option<Number>) {
        let Some(old) = old else { return };
        self.away.retain(|away| away.number != old);
        for node in self.nodes.values_mut().chain(self.trash.iter_mut().map(|at| &mut at.node)) {
            // Their contents are in the history of another now.
            node.copied = node.copied.filter(|to| *to != old);
        }
        let trashed = self.trash.iter().position(|trashed| trashed.number == old);
        let before = match trashed {
            Some(at) => self.trash[at].node.clone(),
            None => self.nodes[&old].clone(),
        };
        let node = self.node(number);
        for (name, value) in &before.xattrs {
            if name.starts_with("user.homefs.") && !node.xattrs.contains_key(name) {
                node.xattrs.insert(name.clone(), value.clone());
            }
        }
        node.copied = None;
        let written = |version: u64| node.history.iter().any(|(other, _)| *other == version);
        // What one record wrote in both stays with both.
        let (mut rest, moved): (Vec<_>, Vec<_>) =
            before.history.iter().cloned().partition(|(version, _)| written(*version));
        node.history.extend(moved);
        node.history.sort_by_key(|(version, _)| *version);
        let Some(at) = trashed else {
            let present = before.history.last().filter(|_| !before.unsettled);
            let is_copied = rest.is_empty();
            rest.extend(present.filter(|present| !rest.contains(present)).cloned());
            let old = self.node(old);
            (old.history, old.copied) = (rest, is_copied.then_some(number));
            return;
        };
        match rest.last() {
            None => drop(self.trash.remove(at)),
            Some((_, content)) => {
                let Trashed { node, .. } = &mut self.trash[at];
                (node.body, node.unsettled) = (Body::File(content.clone()), false);
                node.history = rest;
            }
        }
    }

    fn is_file(&self, number: Number) -> bool {
        matches!(self.nodes.get(&number).map(|node| &node.body), Some(Body::File(_)))
    }
}

/// The backups that scripts have: `name~`, `name.bak`, and what vim takes if the first is taken.
fn is_backup(backup: &str, name: &str) -> bool {
    let start = &name[..name.len() - 1];
    let is_second = ('a'..='z').any(|letter| backup == format!("{start}{letter}~"));
    backup == format!("{name}~") || backup == format!("{name}.bak") || is_second
}
