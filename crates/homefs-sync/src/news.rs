//! What happened in the remote since the last look: the way from the last known commit to HEAD.
//!
//! This machine's own commits may lie on that way: it may not have heard that one became HEAD.
//! Whichever way leads there, by commits or by an index, it finds them by name and notes them first,
//! so that what it wrote is not merged with itself.

use std::collections::{BTreeMap, BTreeSet};

use homefs_core::{Digest, Error, ErrorKind, NodeId, RemoteRequest, Result};

use crate::format::{Commit, CommitId, Entry, Fetched, Head, Index, keys};
use crate::known::{Agreed, Step};
use crate::round::{Pair, object};

/// What happened in the remote since the last look.
pub(super) struct Since {
    /// Changed nodes, as the last commit has them.
    pub(super) entries: BTreeMap<NodeId, Entry>,
    /// What else the commits say.
    pub(super) steps: Vec<Step>,
}

/// The way from the last known commit to HEAD, as it came from the remote and as it reads.
type Way = Vec<(Fetched, Step)>;

impl Pair {
    /// Fetches what others committed up to a HEAD; returns how far both agreed before, and what
    /// came.
    pub(super) fn news_of(&self, head: &Head) -> Result<(Agreed, Vec<Fetched>, Since)> {
        let mut agreed = self.known.agreed()?;
        let known = self.head()?.map(|head| head.commit);
        let mut way = self.way_to(head, known)?;
        if let Some(own) = self.attempt_on(&way)? {
            self.note_own(own, &mut agreed)?;
            way.retain(|(fetched, _)| !matches!(fetched, Fetched::Commit(id, _) if *id == own));
        }
        if known.is_some() {
            self.check_identity(&way)?;
        }
        let (fetched, steps) = way.into_iter().unzip();
        Ok((agreed, fetched, self.since(steps)?))
    }

    /// Puts steps together.
    pub(super) fn since(&self, mut steps: Vec<Step>) -> Result<Since> {
        let mut entries = BTreeMap::new();
        let now = self.space.ground.clock.now();
        for step in &mut steps {
            step.move_entries(&mut entries, || self.known.entries(), now)?;
        }
        Ok(Since { entries, steps })
    }

    /// Reads what was fetched.
    pub(super) fn step(&self, fetched: &Fetched) -> Result<Step> {
        Ok(match fetched {
            Fetched::Commit(id, object) => {
                Step::Commit(*id, Commit::decode(*id, object, &*self.sealer)?)
            }
            Fetched::Index(id, object) => Step::Index(Index::decode(*id, object, &*self.sealer)?),
        })
    }

    /// Fetches what leads from the commit that is known to HEAD; one who knows none, or none of
    /// those that HEAD names or that they follow, starts from the index.
    fn way_to(&self, head: &Head, known: Option<CommitId>) -> Result<Way> {
        let chain: Vec<CommitId> =
            [head.commit].into_iter().chain(head.recent.iter().copied()).collect();
        if let Some(known) = known
            && let Some(count) = chain.iter().position(|commit| *commit == known)
        {
            return self.fetch_commits(&chain[..count]);
        }
        let next = known.map_or(1, |known| known.seq + 1);
        if chain.last().is_some_and(|first| first.seq == next) {
            let way = self.fetch_commits(&chain)?;
            let follows = |step: &Step| match step {
                Step::Commit(_, commit) => commit.parents.first() == known.as_ref(),
                Step::Index(_) => false,
            };
            if way.first().is_some_and(|(_, step)| follows(step)) {
                return Ok(way);
            }
        }
        let id = head.index.ok_or_else(|| {
            Error::new(ErrorKind::Corrupt, "the remote has commits that lead nowhere")
        })?;
        let after: Vec<_> = chain.into_iter().take_while(|commit| commit.seq > id.seq).collect();
        let get = RemoteRequest::Get { key: keys::index(id), range: None, unless: None };
        let index = Fetched::Index(id, object(self.remote.run_one(get))?);
        let step = self.step(&index)?;
        let mut way = vec![(index, step)];
        way.extend(self.fetch_commits(&after)?);
        Ok(way)
    }

    /// Fetches commits that are given newest first, and returns them oldest first.
    fn fetch_commits(&self, ids: &[CommitId]) -> Result<Way> {
        let get = |id: &CommitId| RemoteRequest::Get {
            key: keys::commit(*id),
            range: None,
            unless: None,
        };
        let answers = self.remote.run(ids.iter().rev().map(get).collect());
        let pairs = ids.iter().rev().zip(answers);
        pairs
            .map(|(id, answer)| {
                let fetched = Fetched::Commit(*id, object(answer)?);
                let step = self.step(&fetched)?;
                Ok((fetched, step))
            })
            .collect()
    }

    /// Returns the commit on the way that this machine sent without hearing that it became HEAD.
    /// There is one at most, since all that it sent follow the last known commit.
    fn attempt_on(&self, way: &Way) -> Result<Option<CommitId>> {
        let attempts = self.known.attempts()?;
        let is_on = |own: &CommitId| {
            way.iter().any(|(_, step)| match step {
                Step::Commit(id, _) => id == own,
                Step::Index(index) => index.machines.iter().any(|(machine, seen)| {
                    // Format 1 has numbers only.
                    let is_of_number = seen.last.is_empty()
                        && seen.seq == own.seq
                        && *machine == self.machine.id();
                    seen.last.contains(own) || is_of_number
                }),
            })
        };
        Ok(attempts.into_iter().find(is_on))
    }

    /// Notes a commit of this machine of which it did not hear that it became HEAD.
    fn note_own(&self, own: CommitId, agreed: &mut Agreed) -> Result<()> {
        let Some((version, object)) = self.known.attempted(own)? else { return Ok(()) };
        agreed.cursor = version;
        let step = Step::Commit(own, Commit::decode(own, &object, &*self.sealer)?);
        let own = self.since(vec![step])?;
        let pushed = Some(self.space.ground.clock.now());
        self.known.note(agreed, &own.entries, &own.steps, pushed)?;
        self.delete_dropped(&own.steps);
        Ok(())
    }

    /// Finds out whether somebody else commits under this machine's id: then this store is a copy of
    /// another, or an older state of itself, and becomes a machine of its own.
    fn check_identity(&self, way: &Way) -> Result<()> {
        let own = self.machine.id();
        let known = self.known.machines()?.remove(&own);
        let (last, seq) = known.map_or((BTreeSet::new(), 0), |known| {
            (known.last.into_iter().collect::<BTreeSet<_>>(), known.seq)
        });
        let is_taken = way.iter().any(|(_, step)| match step {
            Step::Commit(id, commit) => commit.author.machine == own && !last.contains(id),
            Step::Index(index) => {
                index.machines.get(&own).is_some_and(|seen| match seen.last.first() {
                    Some(newest) => !last.contains(newest),
                    None => seen.seq > seq,
                })
            }
        });
        if is_taken {
            let drawn = Digest::of(&(self.draw)().to_le_bytes()).0;
            let (id, _) = drawn.split_first_chunk().expect("a digest has 32 bytes");
            self.machine.become_another(own, u64::from_le_bytes(*id))?;
        }
        Ok(())
    }
}
