//! One round of making a space and its remote agree: look at HEAD, pull what is new, push what is
//! ours.
//!
//! Every step can be the last before a crash. What is content-addressed may be sent again; a HEAD
//! that was moved without our hearing of it is recognised by the commit that we noted before we
//! sent it; and what a pull changed is durable before the commit it came from counts as known.

use std::collections::BTreeMap;

use homefs_core::{
    AgentId, Condition, Error, ErrorKind, NodeId, Remote, RemoteAnswer, RemoteRequest, Result, Tag,
};

use super::contents::Contents;
use super::format::{
    Author, Commit, CommitId, Entry, HEAD_RECENT_MAX, Head, Index, MachineId, PackTable, Sealer,
    State, keys,
};
use super::known::{Agreed, Known, News};
use super::{local, reconcile};
use crate::fold::Fold;
use crate::merge::Conflict;
use crate::space::Space;

/// How often others may be faster in one round.
const TRIES: usize = 16;

/// The machine that takes part.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    pub(crate) id: MachineId,
    /// What people call it.
    pub(crate) name: Box<str>,
}

/// A space and its remote.
pub(crate) struct Pair<'a> {
    pub(crate) space: &'a Space,
    pub(crate) fold: &'a Fold,
    pub(crate) remote: &'a dyn Remote,
    pub(crate) known: &'a Known,
    pub(crate) sealer: &'a dyn Sealer,
    pub(crate) machine: &'a Machine,
    /// On whose behalf commits are made.
    pub(crate) agent: &'a AgentId,
    /// Draws the ids of HEADs.
    pub(crate) draw: &'a dyn Fn() -> u128,
}

/// What a round did.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// Nodes that changed here.
    pub(crate) pulled: usize,
    /// Nodes that changed there.
    pub(crate) pushed: usize,
    /// What somebody should look at.
    pub(crate) conflicts: Vec<Conflict>,
}

enum Pushed {
    Done(usize),
    /// Somebody else moved HEAD first.
    Lost,
}

/// What happened in the remote since the last look.
pub(super) struct Since {
    /// Changed nodes, as the last commit has them.
    pub(super) entries: BTreeMap<NodeId, Entry>,
    pub(super) packs: Vec<PackTable>,
}

impl Pair<'_> {
    /// Makes both agree.
    pub(crate) fn round(&self) -> Result<Outcome> {
        let mut outcome = Outcome::default();
        for _ in 0..TRIES {
            if let Some((head, bytes, tag)) = self.look()? {
                match self.pull(&head, (bytes, tag), &mut outcome) {
                    // Somebody writes here: look again.
                    Err(error) if error.kind() == ErrorKind::Conflict => continue,
                    done => done?,
                }
            }
            if let Pushed::Done(count) = self.push()? {
                outcome.pushed += count;
                return Ok(outcome);
            }
        }
        Err(Error::new(ErrorKind::Unavailable, "other machines were faster every time"))
    }

    /// Looks at HEAD; `None` if it is as known.
    fn look(&self) -> Result<Option<(Head, Vec<u8>, Tag)>> {
        let agreed = self.known.agreed()?;
        let unless = agreed.head.as_ref().map(|(_, tag)| tag.clone());
        let get = RemoteRequest::Get { key: keys::HEAD.into(), range: None, unless };
        match self.remote.run_one(get) {
            Ok(RemoteAnswer::Object { content, tag, .. }) => {
                let head = Head::decode(&content, self.sealer)?;
                Ok(Some((head, content.to_vec(), tag)))
            }
            Ok(_) => Ok(None),
            Err(error) if error.kind() == ErrorKind::NotFound && agreed.head.is_none() => Ok(None),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Err(Error::new(ErrorKind::Corrupt, "the HEAD of the space is gone from the remote"))
            }
            Err(error) => Err(error),
        }
    }

    /// Takes over what others committed.
    fn pull(&self, head: &Head, seen: (Vec<u8>, Tag), outcome: &mut Outcome) -> Result<()> {
        let mut agreed = self.known.agreed()?;
        let commits = self.commits_since(&agreed, head)?;
        let commits = match commits.split_first() {
            // Ours, of which we did not hear that it became HEAD.
            Some((first, rest)) if let Some(version) = self.known.attempted(first.0)? => {
                agreed.cursor = version;
                let Commit { entries, packs, .. } = &first.1;
                let (entries, packs) = (entries.iter().collect(), packs.iter().collect());
                let pieces = Contents::new(self).pieces_of(&first.1.entries);
                let news = News { agreed: agreed.clone(), entries, packs, pieces };
                self.known.note(&news)?;
                rest
            }
            _ => &commits[..],
        };
        let mut since = Since { entries: BTreeMap::new(), packs: Vec::new() };
        for (_, commit) in commits {
            since.packs.extend(commit.packs.iter().cloned());
            since.entries.extend(commit.entries.iter().map(|entry| (entry.node, entry.clone())));
        }
        self.settle()?;
        let ahead = local::ahead(self.space, self.known, agreed.cursor, self.machine.id)?;
        outcome.pulled += reconcile::reconcile(self, &since, &ahead, outcome)?;
        // Power loss must not take what the remote is known to have given.
        let journal = &self.space.ground.journal;
        journal.barrier(journal.end())?;
        agreed.head = Some(seen);
        let entries: Vec<_> = since.entries.values().collect();
        let pieces = Contents::new(self).pieces_of(since.entries.values());
        self.known.note(&News { agreed, entries, packs: since.packs.iter().collect(), pieces })
    }

    /// Fetches the commits after the one that is known, oldest first; one who knows none, or none
    /// of those that HEAD names, starts from the index.
    fn commits_since(&self, agreed: &Agreed, head: &Head) -> Result<Vec<(CommitId, Commit)>> {
        let known = match &agreed.head {
            Some((bytes, _)) => Some(Head::decode(bytes, self.sealer)?.commit),
            None => None,
        };
        let chain: Vec<CommitId> =
            [head.commit].into_iter().chain(head.recent.iter().copied()).collect();
        let from = match known {
            None => chain.last().is_some_and(|first| first.seq == 1).then_some(chain.len()),
            Some(known) => chain.iter().position(|commit| *commit == known),
        };
        if let Some(count) = from {
            return self.fetch_commits(&chain[..count]);
        }
        let index = head.index.ok_or_else(|| {
            Error::new(ErrorKind::Corrupt, "the remote has commits that lead nowhere")
        })?;
        let first = self.fetch_index(index)?;
        let after: Vec<_> = chain.into_iter().take_while(|commit| commit.seq > index.seq).collect();
        let mut commits = vec![first];
        commits.extend(self.fetch_commits(&after)?);
        Ok(commits)
    }

    /// Fetches commits that are given newest first, and returns them oldest first.
    fn fetch_commits(&self, ids: &[CommitId]) -> Result<Vec<(CommitId, Commit)>> {
        let get = |id: &CommitId| RemoteRequest::Get {
            key: keys::commit(*id),
            range: None,
            unless: None,
        };
        let answers = self.remote.run(ids.iter().rev().map(get).collect());
        let pairs = ids.iter().rev().zip(answers);
        pairs
            .map(|(id, answer)| Ok((*id, Commit::decode(*id, &object(answer)?, self.sealer)?)))
            .collect()
    }

    /// Fetches an index as one commit that says everything: also what is gone since.
    fn fetch_index(&self, id: super::format::IndexId) -> Result<(CommitId, Commit)> {
        let get = RemoteRequest::Get { key: keys::index(id), range: None, unless: None };
        let index = Index::decode(id, &object(self.remote.run_one(get))?, self.sealer)?;
        let mut entries: BTreeMap<NodeId, Entry> =
            index.entries.into_iter().map(|entry| (entry.node, entry)).collect();
        let now = self.space.ground.clock.now();
        for (node, entry) in self.known.entries()? {
            if matches!(entry.state, State::Living(_)) && node != NodeId::ROOT {
                entries.entry(node).or_insert(Entry { state: State::Gone(now), ..entry });
            }
        }
        let commit = Commit {
            seq: index.commit.seq,
            parents: Vec::new(),
            author: self.author(),
            message: "".into(),
            time: now,
            entries: entries.into_values().collect(),
            packs: index.packs,
            purged: index.purged,
        };
        Ok((index.commit, commit))
    }

    /// Commits what this machine is ahead by.
    fn push(&self) -> Result<Pushed> {
        let agreed = self.known.agreed()?;
        self.settle()?;
        let ahead = local::ahead(self.space, self.known, agreed.cursor, self.machine.id)?;
        if ahead.entries.is_empty() {
            if ahead.version > agreed.cursor {
                let agreed = Agreed { cursor: ahead.version, ..agreed };
                self.known.note(&News { agreed, ..News::default() })?;
            }
            return Ok(Pushed::Done(0));
        }
        let entries: Vec<Entry> = ahead.entries.into_values().collect();
        let (head, tag) = match &agreed.head {
            Some((bytes, tag)) => (Some(Head::decode(bytes, self.sealer)?), Some(tag.clone())),
            None => (None, None),
        };
        let contents = Contents::new(self).to_send(&entries)?;
        let mut requests = contents.requests;
        let commit = Commit {
            seq: head.as_ref().map_or(1, |head| head.commit.seq + 1),
            parents: head.iter().map(|head| head.commit).collect(),
            author: self.author(),
            message: "".into(),
            time: self.space.ground.clock.now(),
            entries,
            packs: contents.packs,
            purged: Vec::new(),
        };
        let (id, object) = commit.encode(self.sealer)?;
        requests.push(put(keys::commit(id), object, Condition::Any));
        let next = self.next_head(head.as_ref(), id, &mut requests)?;
        self.known.attempt(id, ahead.version)?;
        self.remote.run(requests).into_iter().collect::<Result<Vec<_>>>()?;
        let condition = tag.map_or(Condition::Absent, Condition::Unchanged);
        let bytes = next.encode(self.sealer)?;
        let Some(tag) = self.move_head(id, bytes.clone(), condition)? else {
            return Ok(Pushed::Lost);
        };
        let agreed = Agreed { head: Some((bytes.to_vec(), tag)), cursor: ahead.version };
        self.known.note(&News {
            agreed,
            entries: commit.entries.iter().collect(),
            packs: commit.packs.iter().collect(),
            pieces: contents.pieces,
        })?;
        Ok(Pushed::Done(commit.entries.len()))
    }

    /// Returns the HEAD that names a new commit; writes an index when HEAD names many.
    fn next_head(
        &self,
        head: Option<&Head>,
        commit: CommitId,
        requests: &mut Vec<RemoteRequest>,
    ) -> Result<Head> {
        let id = (self.draw)();
        let Some(head) = head else {
            return Ok(Head { commit, index: None, recent: Vec::new(), id });
        };
        let (mut index, mut recent) = (head.index, head.recent.clone());
        recent.insert(0, head.commit);
        if recent.len() > HEAD_RECENT_MAX {
            let living = |entry: &Entry| matches!(entry.state, State::Living(_));
            let entries = self.known.entries()?.into_values().filter(living).collect();
            let whole = Index {
                commit: head.commit,
                entries,
                packs: self.known.packs()?,
                purged: Vec::new(),
                machines: BTreeMap::from([(self.machine.id, self.machine.name.clone())]),
            };
            let (id, object) = whole.encode(self.sealer)?;
            requests.push(put(keys::index(id), object, Condition::Any));
            index = Some(id);
            recent.truncate(1);
        }
        Ok(Head { commit, index, recent, id })
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
                if Head::decode(&content, self.sealer)?.commit == commit =>
            {
                Ok(Some(tag))
            }
            Ok(_) => Ok(None),
            Err(missing) if missing.kind() == ErrorKind::NotFound => Ok(None),
            Err(_) => Err(error),
        }
    }

    /// Makes sure that the base has everything that was written so far.
    fn settle(&self) -> Result<()> {
        self.space.settle_due(None)?;
        self.fold.catch_up()
    }

    fn author(&self) -> Author {
        Author {
            machine: self.machine.id,
            machine_name: self.machine.name.clone(),
            agent: self.agent.clone(),
        }
    }
}

pub(super) fn put(key: String, content: bytes::Bytes, condition: Condition) -> RemoteRequest {
    RemoteRequest::Put { key, content, condition }
}

/// Returns the bytes of an answered get.
pub(super) fn object(answer: Result<RemoteAnswer>) -> Result<bytes::Bytes> {
    match answer? {
        RemoteAnswer::Object { content, .. } => Ok(content),
        _ => Err(Error::new(ErrorKind::Internal, "a get was answered by something else")),
    }
}
