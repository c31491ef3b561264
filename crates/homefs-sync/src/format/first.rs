//! Commits and indexes as format 1 had them: read for ever, never written.

use std::collections::BTreeMap;

use homefs_core::{AgentId, Digest, NodeId, Timestamp, Version};
use homefs_store::fields::Fields;
use serde::Deserialize;

use super::entry::{Content, Entry, EntryState, Link, Living};
use super::ids::{CommitId, MachineId, PackId};
use super::notes::{Access, Noted, OpenConflict, Readable};
use super::pack::PackTable;
use crate::traits::Traits;

#[derive(Deserialize)]
pub struct Commit {
    seq: u64,
    parents: Vec<CommitId>,
    author: (MachineId, Box<str>, AgentId),
    message: Box<str>,
    time: Timestamp,
    entries: Vec<FirstEntry>,
    packs: Vec<PackTable>,
    dropped: Vec<PackId>,
    purged: Vec<Digest>,
    readable: Vec<Readable>,
    access: Option<Access>,
    conflicts: Vec<Noted>,
}

impl From<Commit> for super::Commit {
    fn from(first: Commit) -> Self {
        let (machine, machine_name, agent) = first.author;
        Self {
            seq: first.seq,
            parents: first.parents,
            author: super::Author { machine, machine_name, agent, incarnation: 0 },
            message: first.message,
            time: first.time,
            entries: first.entries.into_iter().map(Entry::from).collect(),
            packs: first.packs,
            dropped: first.dropped,
            purged: first.purged,
            readable: first.readable,
            access: first.access,
            conflicts: first.conflicts,
            more: Fields::default(),
        }
    }
}

#[derive(Deserialize)]
pub(super) struct Index {
    commit: CommitId,
    entries: Vec<FirstEntry>,
    packs: Vec<PackTable>,
    unused: Vec<(Digest, Timestamp)>,
    purged: Vec<Digest>,
    last_purge: u64,
    readable: Vec<Readable>,
    access: Access,
    conflicts: Vec<OpenConflict>,
    machines: BTreeMap<MachineId, (Box<str>, u64)>,
}

impl From<Index> for super::Index {
    fn from(first: Index) -> Self {
        let seen = |(name, seq)| super::MachineSeen { name, seq, last: Vec::new() };
        Self {
            commit: first.commit,
            entries: first.entries.into_iter().map(Entry::from).collect(),
            packs: first.packs,
            unused: first.unused,
            purged: first.purged,
            last_purge: first.last_purge,
            readable: first.readable,
            access: first.access,
            conflicts: first.conflicts,
            machines: first.machines.into_iter().map(|(id, machine)| (id, seen(machine))).collect(),
            more: Fields::default(),
        }
    }
}

/// An entry as format 1 had it; what a machine knew of a remote has it too.
#[derive(Deserialize)]
pub(crate) struct FirstEntry {
    node: NodeId,
    agent: AgentId,
    machine: MachineId,
    version: Version,
    state: FirstState,
}

#[derive(Deserialize)]
enum FirstState {
    Living(Box<FirstLiving>),
    Gone(Timestamp),
}

#[derive(Deserialize)]
struct FirstLiving {
    traits: Traits,
    links: Vec<Link>,
    content: Content,
}

impl From<FirstEntry> for Entry {
    fn from(first: FirstEntry) -> Self {
        let FirstEntry { node, agent, machine, version, state } = first;
        let state = match state {
            FirstState::Gone(time) => EntryState::Gone(time),
            FirstState::Living(first) => {
                let FirstLiving { traits, links, content } = *first;
                EntryState::Living(Box::new(Living { traits, links, content, lineage: None }))
            }
        };
        Self { node, agent, machine, version, state, more: Fields::default() }
    }
}
