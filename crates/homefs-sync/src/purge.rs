//! Purges beyond this machine: out of the remote, and off every other machine.
//!
//! Whoever purges commits the digests of what went, and drops the packs that had it; what else
//! these have goes into new packs first. Every machine that pulls such a commit erases the contents
//! from its past, makes that durable, and only then says so by a commit of its own: a machine whose
//! last commit is older than the purge has not confirmed it.
//!
//! No piece stands in two packs that commits name, so dropping one pack ends it. Packs that this
//! machine sent and no commit names are its own to delete.

use std::collections::{BTreeMap, BTreeSet};

use homefs_core::{Digest, RemoteRequest, Result};
use homefs_store::guard::Permit;
use homefs_store::record::Change;
use homefs_store::space::Author;
use homefs_store::tree::Answer;

pub use homefs_wire::records::PurgedThere;

use crate::contents::Contents;
use crate::format::{Entry, EntryState, PackId, PackTable, keys};
use crate::known::Step;
use crate::local::Ahead;
use crate::news::Since;
use crate::push::Proposal;
use crate::round::Pair;

/// Most digests that one record erases.
const ERASED_AT_ONCE: usize = 4096;

impl Pair {
    /// Adds to a commit that purges contents: the packs that go with them, and new packs with what
    /// else those have.
    pub(super) fn drop_purged(&self, proposal: &mut Proposal) -> Result<()> {
        let commit = &mut proposal.commit;
        let purged: BTreeSet<Digest> = commit.purged.iter().copied().collect();
        if purged.is_empty() {
            return Ok(());
        }
        let mut packs = BTreeSet::new();
        for &digest in &purged {
            packs.extend(self.known.place(digest)?.map(|(pack, _)| pack));
        }
        let mut doomed = Vec::new();
        for pack in packs {
            doomed.extend(self.known.packs(Some(pack))?);
        }
        // A pack that was sent for an earlier try has perhaps what this commit needs, and more.
        doomed.extend(commit.packs.extract_if(.., |table| has_any(table, &purged)));
        let sent = self.known.uploads()?.into_iter().map(|(table, _)| table);
        let sent = sent.filter(|table| has_any(table, &purged)).map(|table| table.pack);
        let dropped: BTreeSet<PackId> = doomed.iter().map(|table| table.pack).chain(sent).collect();
        let kept = doomed.iter().map(|table| {
            let digests = table.pieces.iter().map(|piece| piece.digest);
            digests.filter(|digest| !purged.contains(digest)).collect()
        });
        let (packs, requests) = Contents::new(self, &doomed).send_again(kept)?;
        commit.packs.extend(packs);
        commit.dropped.extend(dropped);
        proposal.requests.extend(requests);
        Ok(())
    }

    /// Erases here what others purged, and ends what this machine sent in vain: nobody may count
    /// on it any more, and it may have what was purged.
    pub(super) fn take_over_ends(&self, steps: &[Step]) -> Result<()> {
        let purged: BTreeSet<Digest> = steps.iter().flat_map(Step::purged).copied().collect();
        let is_over = steps.iter().any(|step| match step {
            Step::Commit(_, commit) => !commit.dropped.is_empty(),
            Step::Index(_) => true,
        });
        // An index may tell of a commit of this machine of which it did not hear that it was HEAD.
        let named: BTreeSet<PackId> =
            steps.iter().flat_map(Step::packs).map(|table| table.pack).collect();
        self.give_up_uploads(|table| {
            Ok((is_over || has_any(table, &purged)) && !named.contains(&table.pack))
        })?;
        if purged.is_empty() {
            return Ok(());
        }
        let author = Author::new(self.agent.clone());
        let purged: Vec<Digest> = purged.into_iter().collect();
        for part in purged.chunks(ERASED_AT_ONCE) {
            let done = self.space.change_now(&author, Permit::follower(), |_, draft| {
                draft.push(Change::Erase { digests: part.to_vec() });
                Ok(())
            });
            done.or_error(&self.space.name)?;
        }
        // The journal and the base's own log still hold the bytes until they are let go.
        self.space.ground.journal.scrub()?;
        self.fold.checkpoint()
    }

    /// Deletes packs that this machine sent, and that no commit names.
    pub(super) fn give_up_uploads(
        &self,
        mut is_over: impl FnMut(&PackTable) -> Result<bool>,
    ) -> Result<()> {
        for (table, _) in self.known.uploads()? {
            if is_over(&table)? {
                self.delete_packs(&[table.pack])?;
                self.known.forget_upload(table.pack)?;
            }
        }
        Ok(())
    }

    /// Deletes packs that HEAD says are dropped.
    pub(super) fn delete_packs(&self, packs: &[PackId]) -> Result<()> {
        let delete = |pack: &PackId| RemoteRequest::Delete { key: keys::pack(*pack) };
        let answers = self.remote.run(packs.iter().map(delete).collect());
        answers.into_iter().try_for_each(|answer| answer.map(drop))
    }

    /// Deletes what commits of this machine dropped, of which it did not hear that they are HEAD.
    pub(super) fn delete_dropped(&self, steps: &[Step]) {
        for step in steps {
            if let Step::Commit(_, commit) = step {
                // What stays is found by the next sweep.
                self.delete_packs(&commit.dropped).ok();
            }
        }
    }

    /// Returns what this machine is ahead by, without what only changed around a content that was
    /// purged: who renames a file meanwhile does not bring it back, who writes it again does.
    pub(super) fn without_purged(&self, since: &Since, ahead: &Ahead) -> Result<Ahead> {
        let purged: BTreeSet<Digest> = since.steps.iter().flat_map(Step::purged).copied().collect();
        let mut entries = BTreeMap::new();
        for (node, entry) in &ahead.entries {
            let head = since.entries.get(node);
            let is_gone = head.is_some_and(|head| matches!(head.state, EntryState::Gone(_)));
            let before = if is_gone { self.known.entry(*node)? } else { None };
            let is_purged = before.is_some_and(|before| {
                let (was, is) = (content(&before), content(entry));
                was.is_some_and(|was| {
                    is == Some(was) && was.pieces().iter().any(|piece| purged.contains(piece))
                })
            });
            if !is_purged {
                entries.insert(*node, entry.clone());
            }
        }
        let (lost, missing) = (ahead.lost.clone(), ahead.missing.clone());
        Ok(Ahead { version: ahead.version, entries, lost, missing })
    }

    /// Tells how far purges have come.
    pub fn receipt(&self) -> Result<PurgedThere> {
        self.settle()?;
        let (last, agreed) = (self.known.last_purge()?, self.known.agreed()?);
        let is_there = self.space.base.purged_since(agreed.cursor)?.is_empty();
        let machines = self.known.machines()?.into_iter();
        let waiting = machines
            .filter(|(id, machine)| *id != self.machine.id() && machine.seq < last)
            .map(|(_, machine)| machine.name.into())
            .collect();
        Ok(PurgedThere { commit: (is_there && last > 0).then_some(last), waiting })
    }
}

fn has_any(table: &PackTable, digests: &BTreeSet<Digest>) -> bool {
    table.pieces.iter().any(|piece| digests.contains(&piece.digest))
}

fn content(entry: &Entry) -> Option<&crate::format::Content> {
    match &entry.state {
        EntryState::Living(living) => Some(&living.content),
        EntryState::Gone(_) => None,
    }
}
