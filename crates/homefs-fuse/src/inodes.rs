//! Inode numbers: which the kernel knows, and what they stand for.
//!
//! A number follows from the node's id, and from the space's name for ids that every space has, so it is the same after a restart and on
//! every machine, and is never used again: node ids are not. Ids have 128 bits and numbers 63, so
//! two nodes can in theory want one number; the second then gets the next free one for as long as
//! the kernel knows it.

use std::collections::hash_map::Entry;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use homefs_core::{NodeId, SpaceName};
use homefs_view::{NodeRef, Stat};
use parking_lot::{Mutex, RwLock};
use rustc_hash::FxHashMap;

use crate::probe::ProbeFile;

/// The number of the mount's root, fixed by the kernel.
pub(crate) const ROOT: u64 = 1;
/// Set in the numbers of probes, which last as long as the kernel knows them.
const PROBE: u64 = 1 << 63;

/// What an inode number stands for.
#[derive(Clone)]
pub(crate) enum Inode {
    /// A node of the view.
    Node(NodeRef),
    /// An answer of a probe, frozen.
    Probe(Arc<ProbeFile>),
}

struct KernelInode {
    inode: Inode,
    /// How often the kernel was told of it and has not forgotten it.
    lookups: u64,
}

/// The inodes that the kernel knows.
pub(crate) struct Inodes {
    table: RwLock<FxHashMap<u64, KernelInode>>,
    /// The node that has the number of the mount's root.
    root: (SpaceName, NodeId),
    next_probe: AtomicU64,
    last_probe: Mutex<Option<u64>>,
}

impl Inodes {
    /// Starts with the root, which the kernel always knows.
    pub(crate) fn new(root: NodeRef, stat: &Stat) -> Self {
        let mut table = FxHashMap::default();
        table.insert(ROOT, KernelInode { inode: Inode::Node(root), lookups: 1 });
        Self {
            table: RwLock::new(table),
            root: (stat.space.clone(), stat.node),
            next_probe: AtomicU64::new(0),
            last_probe: Mutex::new(None),
        }
    }

    /// Returns what a number stands for.
    pub(crate) fn get(&self, number: u64) -> Option<Inode> {
        self.table.read().get(&number).map(|known| known.inode.clone())
    }

    /// Notes that the kernel is being told of a node; returns its number.
    pub(crate) fn remember(&self, node: &NodeRef, stat: &Stat) -> u64 {
        let mut number = self.number(stat);
        let mut table = self.table.write();
        loop {
            match table.entry(number) {
                Entry::Vacant(free) => {
                    free.insert(KernelInode { inode: Inode::Node(node.clone()), lookups: 1 });
                    return number;
                }
                Entry::Occupied(mut taken) => {
                    let known = taken.get_mut();
                    if matches!(&known.inode, Inode::Node(other) if other.is(node)) {
                        known.lookups += 1;
                        return number;
                    }
                    number = (number + 1) & !PROBE;
                }
            }
        }
    }

    /// Gives an answer of a probe a number of its own; one that the kernel still knows has one,
    /// since programs that copy look twice whether they read the same file.
    pub(crate) fn remember_probe(&self, probe: ProbeFile) -> (u64, Arc<ProbeFile>) {
        let mut table = self.table.write();
        let mut last = self.last_probe.lock();
        if let Some(number) = *last
            && let Some(KernelInode { inode: Inode::Probe(known), lookups }) =
                table.get_mut(&number)
            && known.is(&probe)
        {
            *lookups += 1;
            return (number, known.clone());
        }
        let number = PROBE | self.next_probe.fetch_add(1, Ordering::Relaxed);
        *last = Some(number);
        let probe = Arc::new(probe);
        table.insert(number, KernelInode { inode: Inode::Probe(probe.clone()), lookups: 1 });
        (number, probe)
    }

    /// Notes that the kernel forgot a number `count` times; returns the node whose holds are to
    /// be given back.
    pub(crate) fn forget(&self, number: u64, count: u64) -> Option<NodeRef> {
        let mut table = self.table.write();
        let Entry::Occupied(mut known) = table.entry(number) else { return None };
        let node = match &known.get().inode {
            Inode::Node(node) => Some(node.clone()),
            Inode::Probe(_) => None,
        };
        let lookups = known.get().lookups.saturating_sub(count);
        if lookups == 0 && number != ROOT {
            known.remove();
        } else {
            known.get_mut().lookups = lookups;
        }
        node
    }

    /// Forgets everything; returns the nodes with their holds.
    pub(crate) fn clear(&self) -> Vec<(NodeRef, u64)> {
        let known = std::mem::take(&mut *self.table.write());
        let nodes = known.into_iter().filter_map(|(number, known)| match known.inode {
            Inode::Node(node) if number != ROOT => Some((node, known.lookups)),
            _ => None,
        });
        nodes.collect()
    }

    /// Returns the number that a node has, if the kernel knows it.
    pub(crate) fn known(&self, space: &SpaceName, node: NodeId) -> Option<u64> {
        let mut number = self.number_of(space, node);
        let table = self.table.read();
        // Past another node that came first and wants the same number.
        while let Some(known) = table.get(&number) {
            if matches!(&known.inode, Inode::Node(known) if known.is_node(space, node)) {
                return Some(number);
            }
            number = (number + 1) & !PROBE;
        }
        None
    }

    /// Returns the numbers of all known nodes that not everybody may see; for the root of a shared
    /// space, with its name.
    pub(crate) fn with_access(&self) -> Vec<(u64, Option<Box<str>>)> {
        let table = self.table.read();
        let shared = table.iter().filter_map(|(number, known)| match &known.inode {
            Inode::Node(node) if node.has_access() => match node.space() {
                Some(SpaceName::Shared(name)) if node.is_root() => {
                    Some((*number, Some(name.as_ref().into())))
                }
                _ => Some((*number, None)),
            },
            Inode::Node(_) | Inode::Probe(_) => None,
        });
        shared.collect()
    }

    /// Returns the number that a node wants.
    pub(crate) fn number(&self, stat: &Stat) -> u64 {
        self.number_of(&stat.space, stat.node)
    }

    /// Returns the number that a node wants, by its space and id.
    pub(crate) fn number_of(&self, space: &SpaceName, node: NodeId) -> u64 {
        if node == self.root.1 && *space == self.root.0 {
            return ROOT;
        }
        let half = |bits: u128| u64::try_from(bits & u128::from(u64::MAX)).unwrap_or(0);
        let (high, low) = (half(node.0 >> 64), half(node.0));
        // Only fixed ids, which every space has, need the name to be told apart.
        let start = if high == 0 { name_hash(&space.to_string()) } else { mix(high) };
        match start.wrapping_add(low) & !PROBE {
            number @ 0..=ROOT => number + 2,
            number => number,
        }
    }
}

/// Spreads the bits of a number (the finaliser of `MurmurHash3`).
fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    bits = (bits ^ (bits >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    bits ^ (bits >> 33)
}

/// Hashes a name in a way that never changes (FNV-1a, then spread).
pub(crate) fn name_hash(name: &str) -> u64 {
    let fold = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    mix(name.bytes().fold(0xcbf2_9ce4_8422_2325, fold))
}

#[cfg(test)]
pub(crate) mod tests {
    use std::path::PathBuf;

    use homefs_core::AgentId;
    use homefs_view::{Components, Kind, MakeNode, Nodes, Settings, Store, Who};

    use super::*;

    /// A store of its own for a test.
    pub(crate) struct Home {
        pub(crate) nodes: Nodes,
        pub(crate) inodes: Inodes,
        _store: Store,
        _dir: Scratch,
    }

    /// A directory of the host that is removed at the end.
    struct Scratch(PathBuf);

    impl Drop for Scratch {
        #[expect(clippy::disallowed_methods, reason = "the directory is not the store's")]
        fn drop(&mut self) {
            drop(std::fs::remove_dir_all(&self.0));
        }
    }

    impl Home {
        pub(crate) fn new() -> Self {
            let components = Components::host();
            let name = format!("homefs-fuse-{:x}", components.seed);
            let dir = Scratch(std::env::temp_dir().join(name));
            let store = Store::open(&dir.0, Settings::default(), components).unwrap();
            let agent = AgentId::new("me").unwrap();
            let nodes = store.view(&Who { agent, operator: false, all: false }).unwrap().nodes();
            let root = nodes.root();
            let stat = nodes.stat(&root).unwrap();
            Self { nodes, inodes: Inodes::new(root, &stat), _store: store, _dir: dir }
        }

        pub(crate) fn make(&self, name: &str) -> (NodeRef, Stat) {
            let make = MakeNode { kind: Kind::File, mode: 0o644, uid: 0, gid: 0, target: "" };
            self.nodes.make(&self.nodes.root(), name, &make).unwrap()
        }
    }

    #[test]
    fn a_number_follows_from_space_and_id() {
        let (home, other) = (Home::new(), Home::new());
        let [me, market] = ["agents/me", "shared/market"].map(|name| name.parse().unwrap());
        let node = NodeId(7 << 64 | 9);
        assert_eq!(home.inodes.number_of(&me, node), other.inodes.number_of(&me, node));
        // Programs may have kept it, so it never changes.
        assert_eq!(home.inodes.number_of(&me, node), 0x7407_29cb_e468_d1e6);
        assert_eq!(home.inodes.number_of(&me, NodeId::ROOT), ROOT, "the root of the mount");
        let root = home.inodes.number_of(&market, NodeId::ROOT);
        assert!(root > ROOT && root & PROBE == 0);
        for number in (0..1_000).map(|id| home.inodes.number_of(&market, NodeId(id))) {
            assert!(number > ROOT && number & PROBE == 0, "{number}");
        }
    }

    #[test]
    fn two_nodes_that_want_one_number_get_two() {
        let home = Home::new();
        let inodes = &home.inodes;
        let ((first, _), (second, stat)) = (home.make("first"), home.make("second"));
        let wanted = inodes.number(&stat);
        // As if the id of the first led to the number of the second.
        assert_eq!(inodes.remember(&first, &stat), wanted);
        assert_eq!(inodes.remember(&second, &stat), wanted + 1);
        assert_eq!(inodes.remember(&second, &stat), wanted + 1, "again");
        let shows =
            |number, node| matches!(inodes.get(number), Some(Inode::Node(known)) if known.is(node));
        assert!(shows(wanted, &first) && shows(wanted + 1, &second));
        assert_eq!(inodes.known(&stat.space, stat.node), Some(wanted + 1));
        // It keeps the number for as long as the kernel knows it.
        assert!(inodes.forget(wanted + 1, 1).is_some_and(|node| node.is(&second)));
        assert!(shows(wanted + 1, &second));
        inodes.forget(wanted + 1, 1);
        assert!(inodes.get(wanted + 1).is_none());
        assert_eq!(inodes.known(&stat.space, stat.node), None);
    }

    #[test]
    fn what_the_kernel_forgets_is_forgotten_when_it_knows_it_no_more() {
        let home = Home::new();
        let inodes = &home.inodes;
        let (node, stat) = home.make("file");
        let number = inodes.remember(&node, &stat);
        assert_eq!(inodes.remember(&node, &stat), number);
        assert!(inodes.forget(number, 1).is_some());
        assert_eq!(inodes.known(&stat.space, stat.node), Some(number));
        assert!(inodes.forget(number, 1).is_some());
        assert!(inodes.get(number).is_none() && inodes.forget(number, 1).is_none());
        inodes.forget(ROOT, 99);
        assert!(inodes.get(ROOT).is_some(), "the root stays");
        inodes.remember(&node, &stat);
        inodes.remember(&node, &stat);
        let cleared = inodes.clear();
        assert_eq!(cleared.len(), 1);
        assert!(cleared[0].0.is(&node) && cleared[0].1 == 2);
    }
}
