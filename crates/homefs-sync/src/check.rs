//! Whether what a remote says can be a tree: what cannot must not reach the base.

use std::collections::{BTreeMap, BTreeSet};

use homefs_core::{Error, ErrorKind, NodeId, Result};
use homefs_store::model::Kind;

use crate::format::{Entry, EntryState};
use crate::known::RemoteTracking;

/// Checks that changed nodes fit together with those that are known.
pub(super) fn check_tree(entries: &BTreeMap<NodeId, Entry>, known: &RemoteTracking) -> Result<()> {
    let mut names = BTreeSet::new();
    // Nobody changed what is not among the entries, so it keeps its names.
    let keeps = |node: NodeId| !entries.contains_key(&node);
    // Directories from which the root is known to be reached.
    let mut sound = BTreeSet::from([NodeId::ROOT]);
    for entry in entries.values() {
        let EntryState::Living(living) = &entry.state else {
            if known.children(entry.node)?.into_iter().any(keeps) {
                return Err(unsound("a directory is gone, but not what is in it"));
            }
            continue;
        };
        for link in &living.links {
            let holder = known.named(link.parent, &link.name)?;
            if !names.insert((link.parent, &*link.name)) || holder.is_some_and(keeps) {
                return Err(unsound("two nodes have one name"));
            }
            climb(link.parent, entries, known, &mut sound)?;
        }
    }
    Ok(())
}

/// Follows a directory up to the root, or to one that was followed before.
fn climb(
    from: NodeId,
    entries: &BTreeMap<NodeId, Entry>,
    known: &RemoteTracking,
    sound: &mut BTreeSet<NodeId>,
) -> Result<()> {
    let mut way = BTreeSet::new();
    let mut at = from;
    while !sound.contains(&at) {
        if !way.insert(at) {
            return Err(unsound("a directory is inside itself"));
        }
        let stored;
        let entry = if let Some(entry) = entries.get(&at) {
            Some(entry)
        } else {
            stored = known.entry(at)?;
            stored.as_ref()
        };
        let parent = entry.and_then(|entry| match &entry.state {
            EntryState::Living(living) if living.traits.kind == Kind::Directory => {
                living.links.first()
            }
            _ => None,
        });
        at = parent.ok_or_else(|| unsound("a name is in something but a directory"))?.parent;
    }
    sound.extend(way);
    Ok(())
}

fn unsound(why: &str) -> Error {
    Error::new(ErrorKind::Corrupt, format!("what was committed does not form a tree: {why}"))
}

#[cfg(test)]
mod tests {
    use homefs_core::{AgentId, Timestamp, Version};

    use super::*;
    use crate::format::{Content, Link, Living, MachineId};
    use crate::known::Agreed;
    use crate::traits::Traits;
    use homefs_store::fields::Fields;
    use homefs_store::model::Xattrs;

    fn entry(node: u128, parent: u128, name: &str, kind: Kind) -> Entry {
        let living = Living {
            traits: Traits {
                kind,
                mode: 0o755,
                created: Timestamp(0),
                modified: Timestamp(0),
                changed: Timestamp(0),
                expires: None,
                target: "".into(),
                xattrs: Xattrs::new(),
            },
            links: vec![Link { parent: NodeId(parent), name: name.into() }],
            content: Content::Empty,
            lineage: None,
        };
        Entry {
            node: NodeId(node),
            agent: AgentId::new("me").unwrap(),
            machine: MachineId(1),
            version: Version(1),
            state: EntryState::Living(Box::new(living)),
            more: Fields::default(),
        }
    }

    #[test]
    fn only_a_tree_is_taken() {
        let dir = tempfile::tempdir().unwrap();
        let known = RemoteTracking::open(dir.path()).unwrap();
        let check = |entries: &[Entry]| {
            let entries = entries.iter().map(|entry| (entry.node, entry.clone())).collect();
            check_tree(&entries, &known).map_err(|error| error.kind())
        };
        let (root, file, folder) = (NodeId::ROOT.0, Kind::File, Kind::Directory);
        let tree = [entry(10, root, "d", folder), entry(11, 10, "f", file)];
        assert_eq!(check(&tree), Ok(()));
        let gone =
            |node| Entry { state: EntryState::Gone(Timestamp(0)), ..entry(node, root, "", file) };
        for bad in [
            // Nobody made the directory; it is a file; it is inside itself; a name comes twice.
            vec![entry(11, 10, "f", file)],
            vec![entry(10, root, "d", file), entry(11, 10, "f", file)],
            vec![entry(10, 11, "a", folder), entry(11, 10, "b", folder)],
            vec![entry(10, root, "d", folder), entry(11, root, "d", file)],
        ] {
            assert_eq!(check(&bad), Err(ErrorKind::Corrupt), "{bad:?}");
        }
        let entries = tree.iter().map(|entry| (entry.node, entry.clone())).collect();
        known.note(&Agreed::default(), &entries, &[], None).unwrap();
        for bad in [
            // The name is taken; the directory is not empty.
            vec![entry(12, 10, "f", file)],
            vec![gone(10)],
        ] {
            assert_eq!(check(&bad), Err(ErrorKind::Corrupt), "{bad:?}");
        }
        for good in [
            vec![entry(11, 10, "g", file), entry(12, 10, "f", file)],
            vec![gone(10), gone(11)],
            vec![gone(10), entry(11, root, "f", file)],
        ] {
            assert_eq!(check(&good), Ok(()), "{good:?}");
        }
    }
}
