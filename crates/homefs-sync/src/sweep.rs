//! Ending what nobody needs in a remote: contents that the tree no longer names, and objects that
//! pushes and sweeps left behind.
//!
//! Everything that a sweep deletes was listed before, and is named by no HEAD from the sweep's own
//! on, for these reasons:
//!
//! - A sweep deletes only after a commit of its own became HEAD. Whoever was about to move HEAD
//!   then, however long it stalled, expects an older one and loses; it pulls that commit first.
//! - That commit names every pack that goes as dropped, those that no commit ever named included.
//!   Who pulls it forgets them, and so what it counted on to be there, and sends it again.
//! - Who moved HEAD first makes the sweep lose, and the sweep looks anew at what is needed.
//! - A name never comes back: packs have random numbers in them, commits name their parents. An
//!   index can, so what the new HEAD names is left out.
//!
//! So ages decide nothing about safety, only how much is sent twice; they are told by the clock of
//! the remote: the time of its newest object counts as now.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use homefs_core::{Digest, Error, ErrorKind, Path, RemoteObject, RemoteRequest, Result, Timestamp};
use homefs_store::guard::Permit;
use serde::{Deserialize, Serialize};

use crate::contents::Contents;
use crate::format::{
    Entry, EntryState, Head, Noted, OpenConflict, PACK_START, Pack, PackId, PackTable, keys,
};
use crate::push::Proposal;
use crate::round::{Pair, Pushed, object, page};
use crate::status::Direction;

/// How often others may be faster than one sweep.
const TRIES: usize = 16;
/// Objects that no commit names yet are left alone so long: somebody may be about to.
const GRACE: Duration = Duration::from_hours(24);
/// Requests of one batch of deletions.
const DELETES_AT_ONCE: usize = 256;
/// Pieces that are sent again are read so many at once.
const PIECES_AT_ONCE: usize = 64;

/// What a sweep of a space's remote did, or would do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Swept {
    /// Packs of which nothing is needed.
    pub packs_dropped: u64,
    /// Packs of which little is needed, which went into new ones.
    pub packs_rewritten: u64,
    /// Objects that were deleted, those packs included.
    pub objects_deleted: u64,
    /// Bytes of these.
    pub bytes_freed: u64,
    /// Bytes of what stays, readable copies not counted.
    pub bytes_kept: u64,
    /// Contents that the remote had lost, or parts of such, and got again from this machine.
    pub mended: u64,
    /// Files whose content the remote has lost and this machine does not have either.
    pub missing: Vec<Path>,
}

/// What a sweep would end.
#[derive(Default)]
struct Plan {
    swept: Swept,
    dropped: BTreeSet<PackId>,
    /// Those of the dropped packs that have something needed, and that.
    moved: Vec<PackTable>,
    deleted: Vec<RemoteObject>,
}

impl Pair {
    /// Ends what nobody needs in the remote, or only tells what that would be.
    pub fn sweep(&self, dry_run: bool) -> Result<Swept> {
        // First, because a push may need what is lost.
        let (mended, missing) = if dry_run { (0, Vec::new()) } else { self.mend(false)? };
        for _ in 0..TRIES {
            self.round(if dry_run { Direction::Pull } else { Direction::Both })?;
            let _turn = self.turn.lock();
            let Some(head) = self.head()? else { return Ok(Swept::default()) };
            let mut plan = self.plan(&head)?;
            if dry_run || plan.deleted.is_empty() || self.carry_out(&mut plan)? {
                return Ok(Swept { mended, missing, ..plan.swept });
            }
        }
        Err(faster())
    }

    fn plan(&self, head: &Head) -> Result<Plan> {
        let objects = self.list(".homefs/")?;
        let Some(now) = self.time_there(&objects)? else { return Ok(Plan::default()) };
        let retention = self.space.ground.settings.retention();
        let kept_for = retention.history_age_max.max(retention.trash_age_max);
        let (entries, conflicts) = self.needed()?;
        let unused = self.known.mark_unused(&self.used(&entries, &conflicts)?, now)?;
        let oldest = now.before(kept_for);
        let expired = unused.into_iter().filter(|(_, since)| *since < oldest);
        let expired: BTreeSet<Digest> = expired.map(|(digest, _)| digest).collect();
        let mut plan = Plan::default();
        let by_pack = |object: &RemoteObject| Some((keys::pack_of(&object.key)?, object.clone()));
        let mut packs: BTreeMap<PackId, RemoteObject> =
            objects.iter().filter_map(by_pack).collect();
        for table in self.known.packs(None)? {
            plan.judge(table, &expired, &mut packs);
        }
        // What was sent before a purge may have what it erased.
        let last_purge = self.known.last_purge()?;
        let is_purge = |object: &&RemoteObject| {
            keys::commit_of(&object.key).is_some_and(|commit| commit.seq == last_purge)
        };
        let purge = objects.iter().filter(is_purge).map(|object| object.modified).max();
        let is_old = |object: &RemoteObject, age| {
            object.modified < now.before(age) || purge.is_some_and(|at| object.modified <= at)
        };
        for (pack, object) in packs {
            if is_old(&object, GRACE) {
                plan.dropped.insert(pack);
                plan.deleted.push(object);
            }
        }
        for object in &objects {
            let is_over = match keys::commit_of(&object.key) {
                // HEAD names the commit before it.
                Some(commit) => commit != head.commit && is_old(object, kept_for),
                None => object.key.starts_with(keys::INDEXES) && is_old(object, GRACE),
            };
            if is_over {
                plan.deleted.push(object.clone());
            }
        }
        plan.count(&objects);
        Ok(plan)
    }

    /// Returns the time of the newest object that is not of the future; none while the clock that
    /// says so is doubted, since then nothing is old.
    fn time_there(&self, objects: &[RemoteObject]) -> Result<Option<Timestamp>> {
        let here = self.space.ground.clock.now();
        if self.space.base.doubts(here)? {
            return Ok(None);
        }
        let times = objects.iter().map(|object| object.modified);
        Ok(times.filter(|time| *time <= here.after(GRACE)).max())
    }

    /// Moves HEAD, and then deletes; tells whether HEAD could be moved.
    fn carry_out(&self, plan: &mut Plan) -> Result<bool> {
        let digests = |table: &PackTable| table.pieces.iter().map(|piece| piece.digest).collect();
        let contents = Contents::new(self, []);
        let (packs, requests) = match contents.send_again(plan.moved.iter().map(digests)) {
            // A damaged pack must not keep all others.
            Err(error) if error.kind() == ErrorKind::Corrupt => {
                tracing::warn!(%error, "packs of which little is needed stay as they are");
                plan.leave_moved();
                Default::default()
            }
            sent => sent?,
        };
        let mut commit = self.commit_now()?;
        (commit.packs, commit.dropped) = (packs, plan.dropped.iter().copied().collect());
        let version = self.known.agreed()?.cursor;
        // With an index of its own, HEAD needs none of the older commits.
        let proposal = Proposal { commit, requests, version, with_index: true };
        if let Pushed::Lost = self.propose(proposal)? {
            return Ok(false);
        }
        let named = self.head()?.and_then(|head| head.index).map(keys::index);
        let keys = plan.deleted.iter().map(|object| object.key.clone());
        let keys: Vec<String> = keys.filter(|key| named.as_ref() != Some(key)).collect();
        for part in keys.chunks(DELETES_AT_ONCE) {
            let delete = |key: &String| RemoteRequest::Delete { key: key.clone() };
            let answers = self.remote.run(part.iter().map(delete).collect());
            answers.into_iter().try_for_each(|answer| answer.map(drop))?;
        }
        Ok(true)
    }

    /// Sends again what the remote has lost and this machine has. Returns how many pieces that
    /// were, and the files that lack something then. Only if `thorough` is every pack read.
    pub fn mend(&self, thorough: bool) -> Result<(u64, Vec<Path>)> {
        for _ in 0..TRIES {
            self.round(Direction::Pull)?;
            let _turn = self.turn.lock();
            if self.head()?.is_none() {
                return Ok((0, Vec::new()));
            }
            let (entries, mut conflicts) = self.needed()?;
            // The remote is still to get what a conflict needs that no commit has told.
            let untold = self.known.untold_conflicts()?;
            conflicts
                .retain(|conflict| !untold.contains(&Noted::Found(Box::new(conflict.clone()))));
            let lost = self.lost(self.used(&entries, &conflicts)?, thorough)?;
            let contents = Contents::new(self, []);
            let (here, missing): (BTreeSet<_>, BTreeSet<_>) =
                lost.into_iter().partition(|digest| contents.here(*digest).is_ok());
            if !here.is_empty() {
                let here: Vec<Digest> = here.iter().copied().collect();
                let groups = here.chunks(PIECES_AT_ONCE).map(|part| part.iter().copied().collect());
                let mut commit = self.commit_now()?;
                let (packs, requests) = contents.send_again(groups)?;
                commit.packs = packs;
                let version = self.known.agreed()?.cursor;
                let proposal = Proposal { commit, requests, version, with_index: false };
                if let Pushed::Lost = self.propose(proposal)? {
                    continue;
                }
            }
            return Ok((here.len() as u64, self.files_with(&entries, &missing)?));
        }
        Err(faster())
    }

    /// Returns those of some pieces that the remote should have and has not.
    fn lost(&self, used: BTreeSet<Digest>, thorough: bool) -> Result<BTreeSet<Digest>> {
        let listed = self.list(keys::PACKS)?.into_iter();
        let sizes: BTreeMap<PackId, u64> = listed
            .filter_map(|object| Some((keys::pack_of(&object.key)?, object.size_bytes)))
            .collect();
        let mut lost = BTreeSet::new();
        let mut packs: BTreeMap<PackId, Vec<_>> = BTreeMap::new();
        for digest in used {
            match self.known.place(digest)? {
                Some((pack, piece))
                    if sizes.get(&pack).is_some_and(|size| piece.range().end <= *size) =>
                {
                    packs.entry(pack).or_default().push(piece);
                }
                _ => drop(lost.insert(digest)),
            }
        }
        for (pack, pieces) in packs.into_iter().filter(|_| thorough) {
            let get = RemoteRequest::Get { key: keys::pack(pack), range: None, unless: None };
            let whole = object(self.remote.run_one(get)).and_then(|bytes| Pack::open(pack, bytes));
            match whole {
                Ok(_) => {}
                Err(error) if matches!(error.kind(), ErrorKind::Corrupt | ErrorKind::NotFound) => {
                    lost.extend(pieces.into_iter().map(|piece| piece.digest));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(lost)
    }

    /// Returns what needs contents: nodes that live, and conflicts that are open.
    fn needed(&self) -> Result<(Vec<Entry>, Vec<OpenConflict>)> {
        let lives = |entry: &Entry| matches!(entry.state, EntryState::Living(_));
        let entries = self.known.entries()?.into_values().filter(lives).collect();
        Ok((entries, self.known.conflicts()?))
    }

    /// Returns the files whose content has one of some pieces, as they are called here.
    fn files_with(&self, entries: &[Entry], pieces: &BTreeSet<Digest>) -> Result<Vec<Path>> {
        let (contents, mut files) = (Contents::new(self, []), Vec::new());
        for entry in entries.iter().filter(|_| !pieces.is_empty()) {
            let EntryState::Living(living) = &entry.state else { continue };
            if contents.pieces_there(&living.content)?.is_disjoint(pieces) {
                continue;
            }
            let path = self.space.look(Permit::follower(), |tree| tree.path_of(entry.node));
            // One that was removed here meanwhile is missed by nobody.
            files.extend(path.ok());
        }
        files.sort_unstable();
        Ok(files)
    }

    /// Lists all objects below a prefix.
    fn list(&self, prefix: &str) -> Result<Vec<RemoteObject>> {
        let mut all: Vec<RemoteObject> = Vec::new();
        loop {
            let after = all.last().map(|last| last.key.clone());
            let (objects, more) = page(&*self.remote, prefix, after)?;
            let is_over = !more || objects.is_empty();
            all.extend(objects);
            if is_over {
                return Ok(all);
            }
        }
    }
}

impl Plan {
    /// Decides about a pack that commits name; takes it from those that are there.
    fn judge(
        &mut self,
        table: PackTable,
        expired: &BTreeSet<Digest>,
        packs: &mut BTreeMap<PackId, RemoteObject>,
    ) {
        let PackTable { pack, mut pieces } = table;
        pieces.retain(|piece| !expired.contains(&piece.digest));
        let bytes: u64 = pieces.iter().map(|piece| u64::from(piece.len)).sum();
        let object = packs.remove(&pack);
        let is_needed = match &object {
            _ if pieces.is_empty() => false,
            Some(object) => bytes * 2 >= object.size_bytes.saturating_sub(PACK_START as u64),
            // What is lost may come back, or another machine may have it.
            None => true,
        };
        if is_needed {
            return;
        }
        self.dropped.insert(pack);
        self.deleted.extend(object);
        if pieces.is_empty() {
            self.swept.packs_dropped += 1;
        } else {
            self.swept.packs_rewritten += 1;
            self.moved.push(PackTable { pack, pieces });
        }
    }

    /// Leaves packs of which something is needed as they are.
    fn leave_moved(&mut self) {
        let moved: BTreeSet<PackId> = self.moved.drain(..).map(|table| table.pack).collect();
        self.dropped.retain(|pack| !moved.contains(pack));
        let stays = |key: &str| keys::pack_of(key).is_some_and(|pack| moved.contains(&pack));
        for object in self.deleted.extract_if(.., |object| stays(&object.key)) {
            self.swept.objects_deleted -= 1;
            self.swept.bytes_freed -= object.size_bytes;
            self.swept.bytes_kept += object.size_bytes;
        }
        self.swept.packs_rewritten = 0;
    }

    fn count(&mut self, objects: &[RemoteObject]) {
        let bytes = |objects: &[RemoteObject]| -> u64 {
            objects.iter().map(|object| object.size_bytes).sum()
        };
        self.swept.objects_deleted = self.deleted.len() as u64;
        self.swept.bytes_freed = bytes(&self.deleted);
        let moved = self.moved.iter().flat_map(|table| &table.pieces);
        let moved: u64 = moved.map(|piece| u64::from(piece.len)).sum();
        self.swept.bytes_kept = bytes(objects) - self.swept.bytes_freed + moved;
    }
}

fn faster() -> Error {
    Error::new(ErrorKind::Unavailable, "other machines were faster every time")
}
