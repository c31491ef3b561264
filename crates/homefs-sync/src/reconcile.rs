//! What a pull means for this machine: take it as it is, or merge it with what is ahead here.

mod merging;
mod missing;

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use homefs_core::{Digest, NodeId, Result, Version};
use homefs_store::model::Kind;
use homefs_store::record::{Change, Content, Origin};

use self::merging::Merging;
use self::missing::ContentChoice;
use crate::check::check_tree;
use crate::contents::Contents;
use crate::format::{self, Access, Entry, EntryState, MachineId};
use crate::known::Step;
use crate::local::{self, Ahead, IncomingChange, Ready};
use crate::news::Since;
use crate::push::contents_of;
use crate::round::{Outcome, Pair};

/// Contents of a pull that are fetched at once have at most so many bytes; more are fetched when
/// somebody reads them.
const FETCHED_BYTES_MAX: u64 = 16 << 20;
/// Small contents that were fetched.
type Fetched = BTreeMap<Digest, Bytes>;
/// Most nodes of a new tree that one record makes.
const NODES_MAX: usize = 4096;

/// Makes the space have what the remote has and what it is itself ahead by.
pub(super) fn reconcile(
    pair: &Pair,
    since: &Since,
    ahead: &Ahead,
    origin: Origin,
    outcome: &mut Outcome,
) -> Result<()> {
    // What is ahead here can be pushed from a full disk, but nothing can be taken over.
    pair.space.ground.journal.check_room()?;
    check_tree(&since.entries, &pair.known)?;
    let ahead = &pair.without_purged(since, ahead)?;
    let packs = since.steps.iter().flat_map(Step::packs);
    let seen = pair.known.machines()?.into_iter();
    let mut machines = seen.map(|(id, machine)| (id, machine.name)).collect();
    since.steps.iter().for_each(|step| step.add_machines(&mut machines));
    let applying = Applying {
        again: missing::told_again(pair, since, ahead)?,
        contents: Contents::new(pair, packs),
        // Whoever starts from an index has everything before them, and wants little of it now.
        is_lazy: since.steps.iter().any(|step| matches!(step, Step::Index(_))),
        is_empty: pair.space.is_empty(),
        pair,
        machines,
        origin,
        seen: ahead.version,
    };
    outcome.pulled += if ahead.entries.is_empty() {
        let mut wanted = Vec::new();
        for entry in since.entries.values() {
            let is_news = || -> Result<bool> {
                let known = pair.known.entry(entry.node)?;
                Ok(known.is_none_or(|known| !local::is_same(&known, entry)))
            };
            if applying.is_empty || is_news()? {
                wanted.push(entry);
            }
        }
        applying.apply(&wanted, BTreeMap::new())?
    } else {
        Merging::new(&applying, since, ahead)?.run(outcome)?
    };
    Ok(())
}

/// Takes over what commits say of anything but nodes; harmless if it is done again.
pub(super) fn take_over(pair: &Pair, since: &Since) -> Result<()> {
    pair.take_over_ends(&since.steps)?;
    let access = since.steps.iter().rev().find_map(Step::access);
    access.map_or(Ok(()), |access| merge_access(pair, access))
}

/// Merges rules of access: what either side added is there, what either removed is not.
fn merge_access(pair: &Pair, head: &Access) -> Result<()> {
    let (base, here) = (pair.known.access()?, local::access(&pair.space)?);
    let mut changes = Vec::new();
    let all: BTreeSet<_> = head.grants.iter().chain(&here.grants).collect();
    for grant in all {
        let (was, there, now) =
            [&base, head, &here].map(|access| access.grants.contains(grant)).into();
        let holds = if there == was { now } else { there };
        if holds != now {
            changes.push(Change::Grant { grant: grant.clone(), holds });
        }
    }
    if here.quota != head.quota && here.quota == base.quota {
        changes.push(Change::Quota { quota: head.quota });
    }
    if changes.is_empty() {
        return Ok(());
    }
    local::apply(
        pair,
        IncomingChange { access: changes, ..IncomingChange::default() },
        Version(u64::MAX),
    )
}

/// Making entries true here.
struct Applying<'p> {
    pair: &'p Pair,
    /// What commits gave files before, if it was missing and may be there now.
    again: Vec<Entry>,
    contents: Contents<'p>,
    is_lazy: bool,
    /// Whether nothing lives in the space yet, so that nothing has to be looked for.
    is_empty: bool,
    machines: BTreeMap<MachineId, Box<str>>,
    /// Names the change, so that it is known to have been made.
    origin: Origin,
    /// The version of the space that the entries were compared with.
    seen: Version,
}

impl Applying<'_> {
    /// Makes entries true; `made` are contents that no entry of the remote names. Returns how many
    /// nodes changed.
    fn apply(&self, wanted: &[&Entry], mut made: BTreeMap<NodeId, Ready>) -> Result<usize> {
        let told: BTreeSet<NodeId> = wanted.iter().map(|entry| entry.node).collect();
        let again = self.again.iter().filter(|entry| !told.contains(&entry.node));
        let wanted: Vec<&Entry> = wanted.iter().copied().chain(again).collect();
        let fetched = self.fetch(&wanted)?;
        let mut asked = self.ask(&wanted, fetched.as_ref())?;
        let parts = self.parts(&wanted);
        let count = parts.len();
        let mut missing = BTreeMap::new();
        for (at, part) in parts.into_iter().enumerate() {
            let mut contents = BTreeMap::new();
            for entry in &part {
                let EntryState::Living(living) = &entry.state else { continue };
                if let Some(ready) = made.remove(&entry.node) {
                    contents.insert(entry.node, ready);
                } else if local::has_content(living.traits.kind) {
                    match self.take(entry.node, living, fetched.as_ref(), &mut asked)? {
                        ContentChoice::Same => {}
                        ContentChoice::New(ready) => drop(contents.insert(entry.node, ready)),
                        ContentChoice::Missing { missing: one, stand_in } => {
                            missing.insert(entry.node, one);
                            contents.extend(stand_in.map(|ready| (entry.node, ready)));
                        }
                    }
                }
            }
            // Before the change, which would be taken for one of this machine's otherwise.
            self.pair.known.miss(&missing)?;
            let machines = self.machines.clone();
            let is_new = self.is_empty;
            // Only the last part: before it, all must be made again.
            let origin = (at + 1 == count).then_some(self.origin);
            let (entries, access) = (part, Vec::new());
            let wanted = IncomingChange { entries, contents, access, machines, is_new, origin };
            local::apply(self.pair, wanted, self.seen)?;
        }
        self.note_found(&wanted, &missing)?;
        Ok(wanted.len())
    }

    /// Fetches small contents that are wanted now, all at once; `None` if there are too many.
    fn fetch(&self, wanted: &[&Entry]) -> Result<Option<Fetched>> {
        let small = contents_of(wanted.iter().copied()).filter_map(|content| match content {
            format::Content::Small { digest, .. } => Some(*digest),
            _ => None,
        });
        let small: BTreeSet<Digest> = small.collect();
        if self.is_lazy || self.contents.stored_bytes(&small) > FETCHED_BYTES_MAX {
            return Ok(None);
        }
        // What the remote does not have must not keep all the rest; its readers are told.
        self.contents.fetch_there(small).map(Some)
    }

    fn ready(&self, content: &format::Content, fetched: Option<&Fetched>) -> Result<Ready> {
        if let format::Content::Small { digest, .. } = content
            && let Some(bytes) = fetched.and_then(|fetched| fetched.get(digest))
        {
            let content = Content::Inline(bytes.clone());
            return Ok(Ready { content, pins: None, is_made: false });
        }
        let (content, pins) = self.contents.ready(content, false)?;
        Ok(Ready { content, pins, is_made: false })
    }

    /// Cuts a new tree into parts that one record each can make, directories before what is in
    /// them. Everything else is one part: names may change places.
    fn parts<'e>(&self, wanted: &[&'e Entry]) -> Vec<Vec<&'e Entry>> {
        if !self.is_empty || wanted.len() <= NODES_MAX {
            return if wanted.is_empty() { vec![] } else { vec![wanted.to_vec()] };
        }
        let by_node: BTreeMap<NodeId, &Entry> =
            wanted.iter().map(|entry| (entry.node, *entry)).collect();
        let depth = |entry: &Entry| {
            let parent = |entry: &&Entry| match &entry.state {
                EntryState::Living(living) => by_node.get(&living.links.first()?.parent).copied(),
                EntryState::Gone(_) => None,
            };
            match &entry.state {
                EntryState::Living(living) if living.traits.kind == Kind::Directory => {
                    std::iter::successors(Some(entry), parent).count()
                }
                _ => usize::MAX,
            }
        };
        let mut ordered = wanted.to_vec();
        ordered.sort_by_cached_key(|entry| depth(entry));
        ordered.chunks(NODES_MAX).map(<[&Entry]>::to_vec).collect()
    }
}
