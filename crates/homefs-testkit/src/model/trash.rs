//! The trash of the model.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::time::Duration;

use homefs_core::{ErrorKind, Path};

use super::{Answer, Body, Model, Number, Trashed};

/// Removals that are no further apart were one, if the kernel made them name by name.
const TOGETHER: Duration = Duration::from_secs(10);

impl Model {
    /// Brings back what the last removal of a path took.
    pub(super) fn untrash(&mut self, path: &Path, to: &Path, version: u64) -> Answer {
        let wanted = self.removed_with(path).ok_or(ErrorKind::NotFound)?;
        let slot = self.resolve(to, false)?;
        if slot.node.is_some() {
            return Err(ErrorKind::AlreadyExists);
        }
        let (mut back, rest) = std::mem::take(&mut self.trash)
            .into_iter()
            .partition::<Vec<_>, _>(|trashed| wanted.contains(&trashed.number));
        self.trash = rest;
        back.sort_by(|a, b| a.path.cmp(&b.path));
        self.make_parents(&slot.path);
        for Trashed { path: was, number, mut node, .. } in back {
            let below = was.strip_prefix(path).expect("only those below were taken");
            let join = |path: Path, name| path.join(name).expect("the names are good");
            let target = below.names().fold(slot.path.clone(), join);
            node.links = 1;
            if let Body::File(bytes) = &node.body {
                node.history.push((version, bytes.clone()));
                (node.unsettled, node.copied) = (false, None);
            }
            self.nodes.insert(number, node);
            self.bind(&target, number);
        }
        Ok(())
    }

    /// Returns what the last removal of a path took: all of its version; of a directory that was
    /// empty then, also what was removed from below it just before.
    fn removed_with(&self, path: &Path) -> Option<BTreeSet<Number>> {
        let below = self.trash.iter().filter(|trashed| trashed.path.starts_with(path));
        let mut below: Vec<&Trashed> = below.collect();
        below.sort_by_key(|trashed| (Reverse(trashed.version), &trashed.path));
        let at = below.iter().position(|trashed| trashed.path == *path)?;
        let (first, rest) = below[at..].split_first()?;
        let at_once = |trashed: &&&Trashed| trashed.version == first.version;
        let mut taken = BTreeSet::from([first.number]);
        taken.extend(rest.iter().take_while(at_once).map(|trashed| trashed.number));
        if taken.len() > 1 || !matches!(first.node.body, Body::Directory(_)) {
            return Some(taken);
        }
        let (mut time, mut names) = (first.time, BTreeSet::from([&first.path]));
        let mut directories = BTreeSet::from([first.path.clone()]);
        for trashed in rest {
            if time.apart(trashed.time) > TOGETHER {
                break;
            }
            time = trashed.time;
            let is_new = names.insert(&trashed.path);
            if !is_new {
                directories.remove(&trashed.path);
            } else if trashed.path.parent().is_some_and(|parent| directories.contains(&parent)) {
                if matches!(trashed.node.body, Body::Directory(_)) {
                    directories.insert(trashed.path.clone());
                }
                taken.insert(trashed.number);
            }
        }
        Some(taken)
    }
}
