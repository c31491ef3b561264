//! Files that were renamed to backups of their names: how several programs begin a save.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use homefs_core::{NodeId, Timestamp};

use crate::record::Change;

/// How long after a file was put away a new one at its name is how it was saved.
const SAVE_TIME_MAX: Duration = Duration::from_secs(10);
/// Most files of a space that count as put away; programs save one at a time.
const PUT_AWAY_MAX: usize = 64;
/// Most changes of a record that can be a rename; longer ones are not looked through.
const RENAME_CHANGES_MAX: usize = 16;
/// What backups have after the name of their file: of vim, Emacs, `GLib` and most others; of
/// `sed -i.bak` and Perl; of patch and Mercurial; of `JetBrains`.
pub(crate) const BACKUP_ENDS: [&str; 5] = ["~", ".bak", ".orig", "___jb_old___", "___jb_bak___"];
/// Helix puts some letters between the name of the file and this.
const BACKUP_END_RANDOM: &str = ".bck";
/// Most of these letters.
const RANDOM_LETTERS_MAX: usize = 16;

/// Files that were renamed to backups of their names a moment ago, oldest first.
#[derive(Clone, Default, PartialEq)]
pub struct PutAway(VecDeque<Away>);

/// A file that was renamed to a backup of its name.
#[derive(Clone, PartialEq)]
pub struct Away {
    /// Where the file was.
    pub parent: NodeId,
    /// The name that it had.
    pub name: Arc<str>,
    /// What had it.
    pub node: NodeId,
    /// When it was put away.
    pub time: Timestamp,
}

impl Away {
    /// Tells whether that was a moment ago. What was put away under a clock that was ahead was not:
    /// else it would be for as long as the clock was ahead.
    pub(crate) fn is_recent(&self, now: Timestamp) -> bool {
        now.apart(self.time) <= SAVE_TIME_MAX
    }
}

impl PutAway {
    /// Notes a file that a record renames to a backup of its name.
    pub fn note(&mut self, changes: &[Change], time: Timestamp) {
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
    pub fn push(&mut self, away: Away) {
        if self.0.len() == PUT_AWAY_MAX {
            self.0.pop_front();
        }
        self.0.push_back(away);
    }

    /// Returns them, the oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Away> {
        self.0.iter()
    }

    /// Forgets those for which no new file would be a save any more.
    pub(crate) fn forget_old(&mut self, now: Timestamp) {
        self.0.retain(|away| away.is_recent(now));
    }

    /// Forgets a file that has gone on as another node: it does so once.
    pub fn forget(&mut self, node: NodeId) {
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

/// Tells whether a name is that of a backup of a file.
pub(crate) fn is_backup(backup: &str, name: &str) -> bool {
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
