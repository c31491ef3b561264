//! Contents that a commit names and that the remote does not have.
//!
//! Packs are sent before HEAD moves, so nobody who keeps to that makes such a commit; but a bucket
//! may lose a pack, and may have writers that keep to nothing. What a file holds here is never
//! given up for a content that nobody can read: the file keeps it, takes everything else from the
//! commit, and is named, until the content comes or somebody writes the file. What it keeps is not
//! pushed, because another machine may have the content and send it again.
//!
//! To find out costs no request where nothing is replaced or what replaces it is fetched anyway, and
//! else one byte of each pack.

use std::collections::{BTreeMap, BTreeSet};

use homefs_core::limits::LEAF_CHUNKS;
use homefs_core::{Digest, NodeId, RemoteRequest, Result};
use homefs_store::chunks::Pins;
use homefs_store::record::Content;

use super::{Applying, Fetched};
use crate::contents::{Contents, GETS_AT_ONCE, beyond_end, is_lost};
use crate::format::{self, Entry, EntryState, Living, PackId, keys};
use crate::known::{Missing, Step};
use crate::local::{self, Ahead, Ready};
use crate::news::Since;
use crate::round::{Pair, object};

/// Stands for chunks that no leaf names, because it is nowhere; the digest of nothing.
const NOWHERE: Digest = Digest([0xff; 32]);

/// Packs that were asked for: how long each must be, and which are not there or shorter.
#[derive(Default)]
pub(super) struct CheckedPacks {
    packs: BTreeMap<PackId, u64>,
    missing: BTreeSet<PackId>,
}

/// What a file is to hold.
pub(super) enum ContentChoice {
    /// What it holds.
    Same,
    /// What its entry says.
    New(Ready),
    /// Something else, since nobody has what its entry says: what it holds, or if it holds nothing
    /// and what it should hold cannot be told, something that nobody can read.
    Missing { missing: Missing, stand_in: Option<Ready> },
}

/// Returns the entries of files whose content was missing when it was told of, and may be there by
/// now: it came with new packs, or there is nothing else to do than to look; with what is ahead here
/// of them.
pub(super) fn told_again(pair: &Pair, since: &Since, ahead: &Ahead) -> Result<Vec<Entry>> {
    let missing = pair.known.missing()?;
    let tables = since.steps.iter().flat_map(Step::packs);
    let pieces = tables.flat_map(|table| &table.pieces).filter(|_| !missing.is_empty());
    let told: BTreeSet<Digest> = pieces.map(|piece| piece.digest).collect();
    let mut again = Vec::new();
    for (node, missing) in missing {
        let known = match ahead.entries.get(&node) {
            Some(entry) => Some(entry.clone()),
            None => pair.known.entry(node)?,
        };
        let Some(entry) = known.filter(|_| !since.entries.contains_key(&node)) else { continue };
        let EntryState::Living(living) = &entry.state else { continue };
        // Which chunks a leaf names that is nowhere cannot be told.
        let names_leaves = format::Content::names_leaves(living.content.size());
        let is_named = names_leaves || living.content.pieces().iter().any(|at| told.contains(at));
        let is_told = since.steps.is_empty() || !told.is_empty() && is_named;
        let now = local::living(&pair.space, node)?;
        if is_told && now.is_some_and(|now| missing.holds(&living.content, &now.content)) {
            again.push(entry);
        }
    }
    Ok(again)
}

impl Applying<'_> {
    /// Asks at once for all packs that must be there before contents are replaced.
    pub(super) fn ask(&self, wanted: &[&Entry], fetched: Option<&Fetched>) -> Result<CheckedPacks> {
        let mut asked = CheckedPacks::default();
        if self.is_empty {
            return Ok(asked);
        }
        let mut packs = BTreeMap::new();
        for entry in wanted {
            let EntryState::Living(living) = &entry.state else { continue };
            let is_fetched =
                fetched.is_some() && matches!(living.content, format::Content::Small { .. });
            if is_fetched || self.pair.space.base.node(entry.node)?.is_none() {
                continue;
            }
            // What is nowhere is found out when it is taken.
            if let Ok(found) = self.contents.packs_of(living.content.pieces().iter().copied()) {
                longest(&mut packs, found);
            }
        }
        self.contents.ask(packs, &mut asked)?;
        Ok(asked)
    }

    /// Decides what a file is to hold.
    pub(super) fn take(
        &self,
        node: NodeId,
        living: &Living,
        fetched: Option<&Fetched>,
        asked: &mut CheckedPacks,
    ) -> Result<ContentChoice> {
        let now = if self.is_empty { None } else { local::living(&self.pair.space, node)? };
        let now = now.map(|now| now.content);
        if now.as_ref() == Some(&living.content) {
            return Ok(ContentChoice::Same);
        }
        let ready = match self.ready(&living.content, fetched) {
            Err(error) if is_lost(error.kind()) => None,
            ready => Some(ready?),
        };
        let kept = now.as_ref().and_then(format::Content::identity);
        match (ready, kept) {
            (Some(ready), None) => return Ok(ContentChoice::New(ready)),
            (Some(ready), _) if self.is_there(&living.content, fetched, asked)? => {
                return Ok(ContentChoice::New(ready));
            }
            _ => {}
        }
        tracing::warn!(%node, "a file keeps what it holds: its new content is nowhere");
        let told = living.content.identity().unwrap_or(NOWHERE);
        if let Some(kept) = kept {
            return Ok(ContentChoice::Missing { missing: Missing { told, kept }, stand_in: None });
        }
        let (ready, kept) = self.stand_in(living.content.size())?;
        Ok(ContentChoice::Missing { missing: Missing { told, kept }, stand_in: Some(ready) })
    }

    /// Notes which files miss nothing any more.
    pub(super) fn note_found(
        &self,
        wanted: &[&Entry],
        missing: &BTreeMap<NodeId, Missing>,
    ) -> Result<()> {
        let known = self.pair.known.missing()?;
        let is_found = |node: &NodeId| known.contains_key(node) && !missing.contains_key(node);
        let found = wanted.iter().map(|entry| entry.node).filter(is_found);
        found.into_iter().try_for_each(|node| self.pair.known.found_content(node))
    }

    /// Tells whether a content that is ready can be read, as far as its packs show.
    fn is_there(
        &self,
        content: &format::Content,
        fetched: Option<&Fetched>,
        asked: &mut CheckedPacks,
    ) -> Result<bool> {
        if let (format::Content::Small { digest, .. }, Some(fetched)) = (content, fetched) {
            return Ok(fetched.contains_key(digest));
        }
        let packs = match self.contents.packs_of(self.contents.pieces([content])?) {
            Err(error) if is_lost(error.kind()) => return Ok(false),
            packs => packs?,
        };
        let all: Vec<PackId> = packs.keys().copied().collect();
        self.contents.ask(packs, asked)?;
        Ok(!all.iter().any(|pack| asked.missing.contains(pack)))
    }

    /// Makes a content of so many bytes that nobody can read, and what stands for it.
    fn stand_in(&self, size: u64) -> Result<(Ready, Digest)> {
        let chunks = &self.pair.space.chunks;
        let mut pins = Pins::new(chunks);
        let count = chunks.chunk_count(size);
        let last = usize::try_from(count.saturating_sub(1)).unwrap_or(usize::MAX) / LEAF_CHUNKS;
        let mut leaf = |index| {
            let named = vec![NOWHERE.0; chunks.leaf_len(count, index)];
            chunks.put(named.as_flattened(), &mut pins)
        };
        // All but the last are equal.
        let mut leaves = vec![leaf(0)?; last];
        leaves.push(leaf(last)?);
        let named = format::Content::Chunked { size, pieces: leaves.clone() };
        let kept = named.identity().unwrap_or(NOWHERE);
        let content = Content::Chunked { size, leaves };
        Ok((Ready { content, pins: Some(pins), is_made: false }, kept))
    }
}

impl Contents<'_> {
    /// Returns the packs that have what is not here of some pieces, and how long each must be.
    fn packs_of(&self, pieces: impl IntoIterator<Item = Digest>) -> Result<BTreeMap<PackId, u64>> {
        let space = &self.pair.space;
        let mut packs = BTreeMap::new();
        for digest in pieces.into_iter().filter(|digest| *digest != Digest::HOLE) {
            if space.chunks.is_here(digest)? || matches!(space.base.blob(digest), Ok(Some(_))) {
                continue;
            }
            let (pack, piece) = self.place(digest)?;
            longest(&mut packs, [(pack, piece.range().end)]);
        }
        Ok(packs)
    }

    /// Asks for the last byte of packs that were not asked for yet, all at once.
    fn ask(&self, packs: BTreeMap<PackId, u64>, asked: &mut CheckedPacks) -> Result<()> {
        let is_new = |(pack, end): &(PackId, u64)| {
            !asked.missing.contains(pack) && asked.packs.get(pack).is_none_or(|known| known < end)
        };
        let new: Vec<(PackId, u64)> = packs.into_iter().filter(is_new).collect();
        for packs in new.chunks(GETS_AT_ONCE) {
            let get = |(pack, end): &(PackId, u64)| {
                let range = Some(end.saturating_sub(1)..*end);
                RemoteRequest::Get { key: keys::pack(*pack), range, unless: None }
            };
            let answers = self.pair.remote.run(packs.iter().map(get).collect());
            for ((pack, _), answer) in packs.iter().zip(answers) {
                match object(answer).map_err(beyond_end) {
                    Err(error) if is_lost(error.kind()) => drop(asked.missing.insert(*pack)),
                    answer => drop(answer?),
                }
            }
        }
        longest(&mut asked.packs, new);
        Ok(())
    }
}

/// Adds packs, each as long as any of those who name it say.
fn longest(packs: &mut BTreeMap<PackId, u64>, more: impl IntoIterator<Item = (PackId, u64)>) {
    for (pack, end) in more {
        let known = packs.entry(pack).or_insert(end);
        *known = end.max(*known);
    }
}
