//! Committing what this machine is ahead by.

use std::collections::{BTreeMap, BTreeSet};

use homefs_core::{
    Condition, Digest, Error, ErrorKind, RemoteAnswer, RemoteRequest, Result, Tag, Timestamp,
    Version,
};
use homefs_store::fields::Fields;

use crate::check::check_tree;
use crate::contents::Contents;
use crate::format::{
    Commit, CommitId, Content, Entry, EntryState, HEAD_RECENT_MAX, Head, Index, Noted,
    OpenConflict, keys,
};
use crate::known::{Agreed, Step};
use crate::local;
use crate::round::{Outcome, Pair, Pushed, put};

/// A commit that is to become HEAD.
pub struct Proposal {
    /// What is to follow HEAD.
    pub commit: Commit,
    /// What must be in the remote before HEAD names the commit.
    pub requests: Vec<RemoteRequest>,
    /// The space's last version that it has.
    pub version: Version,
    /// Whether HEAD gets an index with it, however few commits it names.
    pub with_index: bool,
}

impl Pair {
    /// Commits what this machine is ahead by.
    pub(super) fn push(&self, outcome: &mut Outcome) -> Result<Pushed> {
        let agreed = self.known.agreed()?;
        // Also what somebody is writing at this moment: a name that is pushed before its content
        // would be merged as an empty file.
        self.settle()?;
        let mut ahead = local::ahead(&self.space, &self.known, agreed.cursor, self.machine.id())?;
        let withheld = self.withhold(&mut ahead)?;
        let access = local::access(&self.space)?;
        let access = (access != self.known.access()?).then_some(access);
        let purged = self.space.base.purged_since(agreed.cursor)?;
        let conflicts = self.news_of_conflicts(&purged)?;
        let is_news = !ahead.entries.is_empty()
            || !conflicts.is_empty()
            || access.is_some()
            || !purged.is_empty()
            || self.owes_confirmation()?;
        if !is_news {
            if ahead.version > agreed.cursor {
                let agreed = Agreed { cursor: ahead.version, ..agreed };
                self.known.note(&agreed, &BTreeMap::new(), &[], None)?;
            }
            self.known.withhold(&withheld)?;
            return Ok(Pushed::Done);
        }
        // Whoever made it so: a commit that forms no tree would keep everybody from cloning.
        check_tree(&ahead.entries, &self.known)?;
        let entries: Vec<Entry> = ahead.entries.into_values().collect();
        let mut commit = self.commit_now()?;
        let contents = Contents::new(self, []);
        // What is missing here cannot be sent: such an entry tells of anything but its content.
        let own = || entries.iter().filter(|entry| !ahead.missing.contains(&entry.node));
        let named = contents_of(own()).chain(contents_of_conflicts(found(&conflicts)));
        let (packs, requests) = match contents.send(named) {
            Err(_) if self.remove_lost(own())? => return self.push(outcome),
            Err(_) if self.withhold_lost(own())? => return self.push(outcome),
            sent => sent?,
        };
        (commit.entries, commit.packs) = (entries, packs);
        (commit.conflicts, commit.access, commit.purged) = (conflicts, access, purged);
        commit.readable = self.known.readable(true)?;
        let count = commit.entries.len();
        let mut proposal = Proposal { commit, requests, version: ahead.version, with_index: false };
        self.drop_purged(&mut proposal)?;
        let dropped = proposal.commit.dropped.clone();
        let pushed = self.propose(proposal)?;
        if matches!(pushed, Pushed::Done) {
            // One that stays is found by the next sweep.
            self.delete_packs(&dropped).ok();
            self.known.withhold(&withheld)?;
            outcome.pushed += count.max(1);
        }
        Ok(pushed)
    }

    /// Returns an empty commit that follows the last known one.
    pub fn commit_now(&self) -> Result<Commit> {
        let head = self.head()?;
        Ok(Commit {
            seq: head.as_ref().map_or(1, |head| head.commit.seq + 1),
            parents: head.iter().map(|head| head.commit).collect(),
            author: self.machine.author(self.agent.clone()),
            message: "".into(),
            time: self.space.ground.clock.now(),
            entries: Vec::new(),
            packs: Vec::new(),
            dropped: Vec::new(),
            purged: Vec::new(),
            readable: Vec::new(),
            access: None,
            conflicts: Vec::new(),
            more: Fields::default(),
        })
    }

    /// Sends a commit and moves HEAD to it, unless somebody else moves HEAD first.
    pub fn propose(&self, proposal: Proposal) -> Result<Pushed> {
        let Proposal { commit, mut requests, version, with_index } = proposal;
        let agreed = self.known.agreed()?;
        let (id, object) = commit.encode(&*self.sealer)?;
        self.known.attempt(id, version, &object)?;
        requests.push(put(keys::commit(id), object, Condition::Any));
        let next = self.next_head(id, commit.time, with_index, &mut requests)?;
        self.remote.run(requests).into_iter().collect::<Result<Vec<_>>>()?;
        self.known.upload(&commit.packs, true)?;
        let condition = agreed.head.map_or(Condition::Absent, |(_, tag)| Condition::Unchanged(tag));
        let bytes = next.encode(&*self.sealer)?;
        let Some(tag) = self.move_head(id, bytes.clone(), condition)? else {
            return Ok(Pushed::Lost);
        };
        let agreed = Agreed { head: Some((bytes.to_vec(), tag)), cursor: version };
        let entries = commit.entries.iter().map(|entry| (entry.node, entry.clone())).collect();
        let pushed = Some(commit.time);
        self.known.note(&agreed, &entries, &[Step::Commit(id, commit)], pushed)?;
        Ok(Pushed::Done)
    }

    /// Returns the HEAD that names a new commit; writes an index when HEAD names many, or if asked.
    fn next_head(
        &self,
        commit: CommitId,
        now: Timestamp,
        with_index: bool,
        requests: &mut Vec<RemoteRequest>,
    ) -> Result<Head> {
        let id = (self.draw)();
        let Some(head) = self.head()? else {
            let more = serde_json::Map::new();
            return Ok(Head { commit, index: None, recent: Vec::new(), id, more });
        };
        let (mut index, mut recent) = (head.index, head.recent.clone());
        recent.insert(0, head.commit);
        if with_index || recent.len() > HEAD_RECENT_MAX {
            let (id, object) = self.index(head.commit, now)?.encode(&*self.sealer)?;
            requests.push(put(keys::index(id), object, Condition::Any));
            index = Some(id);
            recent.truncate(1);
        }
        Ok(Head { commit, index, recent, id, more: head.carried() })
    }

    /// Returns everything at the last known commit.
    fn index(&self, commit: CommitId, now: Timestamp) -> Result<Index> {
        let living = |entry: &Entry| matches!(entry.state, EntryState::Living(_));
        let entries: Vec<Entry> = self.known.entries()?.into_values().filter(living).collect();
        let conflicts = self.known.conflicts()?;
        let used = self.used(&entries, &conflicts)?;
        let mut readable = self.known.readable(false)?;
        readable.sort_unstable_by(|a, b| a.key.cmp(&b.key));
        Ok(Index {
            commit,
            packs: self.packs_apart()?,
            unused: self.known.mark_unused(&used, now)?,
            purged: self.known.purged()?,
            last_purge: self.known.last_purge()?,
            readable,
            access: self.known.access()?,
            conflicts,
            machines: self.known.machines()?,
            more: self.known.fields()?,
            entries,
        })
    }

    /// Returns every piece that somebody needs.
    pub(super) fn used(
        &self,
        entries: &[Entry],
        conflicts: &[OpenConflict],
    ) -> Result<BTreeSet<Digest>> {
        let (contents, mut used) = (Contents::new(self, []), BTreeSet::new());
        for content in contents_of(entries).chain(contents_of_conflicts(conflicts)) {
            used.extend(contents.pieces_there(content)?);
        }
        Ok(used)
    }

    /// Moves HEAD; `None` if somebody else did.
    fn move_head(
        &self,
        commit: CommitId,
        bytes: bytes::Bytes,
        condition: Condition,
    ) -> Result<Option<Tag>> {
        let error = match self.remote.run_one(put(keys::HEAD.into(), bytes, condition)) {
            Ok(RemoteAnswer::Stored { tag }) => return Ok(Some(tag)),
            Ok(_) => Error::new(ErrorKind::Internal, "a put was answered by something else"),
            Err(error) => error,
        };
        if !matches!(error.kind(), ErrorKind::Conflict | ErrorKind::Unavailable) {
            return Err(error);
        }
        // It may have happened although the answer says otherwise.
        let get = RemoteRequest::Get { key: keys::HEAD.into(), range: None, unless: None };
        match self.remote.run_one(get) {
            Ok(RemoteAnswer::Object { content, tag, .. })
                if Head::decode(&content, &*self.sealer)?.commit == commit =>
            {
                Ok(Some(tag))
            }
            Ok(_) => Ok(None),
            Err(missing) if missing.kind() == ErrorKind::NotFound => Ok(None),
            Err(unseen) => Err(unseen),
        }
    }

    /// Tells whether others wait to hear that this machine has erased what was purged.
    fn owes_confirmation(&self) -> Result<bool> {
        let last = self.known.last_purge()?;
        let machines = self.known.machines()?;
        Ok(machines.get(&self.machine.id()).is_some_and(|machine| machine.seq < last))
    }
}

/// Returns the contents of living entries.
pub(super) fn contents_of<'e>(
    entries: impl IntoIterator<Item = &'e Entry>,
) -> impl Iterator<Item = &'e Content> {
    entries.into_iter().filter_map(|entry| match &entry.state {
        EntryState::Living(living) => Some(&living.content),
        EntryState::Gone(_) => None,
    })
}

fn contents_of_conflicts<'c>(
    conflicts: impl IntoIterator<Item = &'c OpenConflict>,
) -> impl Iterator<Item = &'c Content> {
    conflicts.into_iter().flat_map(|conflict| [&conflict.head, &conflict.pushed])
}

fn found(noted: &[Noted]) -> impl Iterator<Item = &OpenConflict> {
    noted.iter().filter_map(|noted| match noted {
        Noted::Found(conflict) => Some(&**conflict),
        Noted::Resolved(_) => None,
    })
}
