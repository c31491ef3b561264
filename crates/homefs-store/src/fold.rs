//! The fold: the follower that moves records from the journal into the bases.
//!
//! It reads the journal from its cursor in batches, applies each batch to the bases of the spaces
//! concerned, and lets the journal release what every base has durably. It also settles range
//! writes that have been quiet, since only settled contents can be folded, and sweeps what has
//! expired. What the last run left is folded beside that, space by space (`fold/behind.rs`).

mod behind;
mod durable;
mod idle;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use homefs_core::{Error, ErrorKind, NodeId, Result, SpaceName, Timestamp};
use parking_lot::{Condvar, Mutex, MutexGuard};

use self::idle::{VISIT_FIRST, VISIT_PAUSE};
use crate::aside;
use crate::backlog::Behind;
use crate::ground::Ground;
use crate::journal::Position;
use crate::record::{Change, Record};
use crate::space::Space;
use crate::spaces::Spaces;

/// Records are gathered this long before they are folded, so that a burst is one batch.
const GATHER: Duration = Duration::from_millis(200);
/// After this much quiet, what was folded is made durable and the journal shrinks.
const QUIET: Duration = Duration::from_secs(2);
/// A fold that failed, say for a full disk, is tried again after this.
const RETRY: Duration = Duration::from_millis(500);
/// With nothing to do, the fold looks around this often; records wake it at once.
const IDLE: Duration = Duration::from_mins(1);
/// Most bytes and records of one batch.
const BATCH_BYTES: usize = 8 << 20;
/// In a crowded journal, what was folded is released in steps of this size.
const RELEASE_BYTES: u64 = 32 << 20;
const BATCH_RECORDS: usize = 16_384;
/// Most bytes of one batch where the disk is full: each is durable, and its journal released,
/// before the next needs room.
const BATCH_BYTES_TIGHT: usize = 256 << 10;
/// So many spaces are made durable at once; each waits for the disk some times, and whoever needs
/// the fold waits for all of them.
const DURABLE_AT_ONCE: usize = 8;

/// The fold of one store.
pub struct Fold {
    ground: Arc<Ground>,
    spaces: Arc<Spaces>,
    state: Mutex<FoldState>,
    /// Signalled when there is reason to fold now.
    work: Condvar,
    /// Signalled when the cursor moved or folding failed.
    done: Condvar,
    /// Held while folding works.
    working: Mutex<()>,
    /// Where the records of the last run end.
    recovered: Position,
}

struct FoldState {
    /// Everything up to here is in the bases.
    cursor: Position,
    /// Somebody waits for everything up to here.
    wanted: Position,
    /// Somebody waits for folded records to be durable.
    checkpoint: bool,
    stop: bool,
    /// Why the last try failed, and how many tries were made.
    failure: Option<Error>,
    tries: u64,
    /// Spaces with folded records that are not durable in their base yet, or that are to be
    /// trimmed.
    dirty: HashSet<SpaceName>,
    /// What the last run left, of spaces whose base does not have it yet; those that somebody waits
    /// for; and the space that had its turn last.
    behind: Behind,
    asked: BTreeSet<SpaceName>,
    turn: Option<SpaceName>,
    /// Spaces that are to be visited, and when all of them are next, by the steady clock.
    visits: Vec<SpaceName>,
    visit_at: Timestamp,
}

impl Fold {
    /// Prepares a fold that starts with everything the journal has: what the last run left.
    pub fn new(ground: Arc<Ground>, spaces: Arc<Spaces>, behind: Behind) -> Self {
        let recovered = ground.journal.end();
        let state = FoldState {
            cursor: recovered,
            wanted: Position(0),
            checkpoint: false,
            stop: false,
            failure: None,
            tries: 0,
            dirty: HashSet::new(),
            behind,
            asked: BTreeSet::new(),
            turn: None,
            visits: Vec::new(),
            visit_at: ground.clock.steady().after(VISIT_FIRST),
        };
        let (work, done) = (Condvar::new(), Condvar::new());
        let (state, working) = (Mutex::new(state), Mutex::new(()));
        Self { ground, spaces, state, work, done, working, recovered }
    }

    /// Returns how many journal bytes wait to be folded, and why folding fails if it does.
    pub fn lag(&self) -> (u64, Option<Error>) {
        let state = self.state.lock();
        let left: u64 = state.behind.values().map(|backlog| backlog.bytes()).sum();
        let lag = self.ground.journal.end().0.saturating_sub(state.cursor.0);
        (left + lag, state.failure.clone())
    }

    /// Waits until everything recorded so far of a space is in its base.
    pub fn catch_up(&self, name: &SpaceName) -> Result<()> {
        self.wait_for(|state| {
            let is_behind = state.behind.contains_key(name);
            if is_behind && !state.asked.contains(name) {
                state.asked.insert(name.clone());
            }
            !is_behind
        })
    }

    /// Waits until everything recorded so far is durable in the bases and the journal is let go.
    pub fn checkpoint(&self) -> Result<()> {
        self.wait_for(|state| {
            state.asked.extend(state.behind.keys().cloned());
            state.behind.is_empty()
        })?;
        if self.ground.journal.is_read_only() {
            return Ok(());
        }
        let mut state = self.state.lock();
        state.checkpoint = true;
        let first_try = state.tries;
        self.work.notify_one();
        self.ground.journal.wake();
        while state.checkpoint && !state.stop {
            if let Some(failure) = &state.failure
                && state.tries > first_try
            {
                return Err(failure.clone());
            }
            self.done.wait(&mut state);
        }
        Ok(())
    }

    /// Waits until everything that was recorded in this run is in the bases, and of what the last
    /// one left as much as `is_enough` asks for.
    fn wait_for(&self, mut is_enough: impl FnMut(&mut FoldState) -> bool) -> Result<()> {
        let target = self.ground.journal.end();
        self.ground.journal.barrier(target)?;
        let mut state = self.state.lock();
        let first_try = state.tries;
        while !is_enough(&mut state) || state.cursor < target {
            if state.stop {
                return Err(Error::new(ErrorKind::Closed, "the store is closed"));
            }
            // A failure before this call may be history; one after it is the answer.
            if let Some(failure) = &state.failure
                && state.tries > first_try
            {
                return Err(failure.clone());
            }
            state.wanted = state.wanted.max(target);
            self.work.notify_one();
            self.ground.journal.wake();
            self.done.wait(&mut state);
        }
        Ok(())
    }

    /// Keeps folding from working while the guard is held.
    pub fn pause(&self) -> MutexGuard<'_, ()> {
        self.working.lock()
    }

    /// Asks the thread to end.
    pub fn stop(&self) {
        self.state.lock().stop = true;
        self.work.notify_one();
        self.done.notify_all();
        self.ground.journal.wake();
    }

    /// Runs until [`Fold::stop`].
    pub fn run(&self) {
        let mut wait = Duration::ZERO;
        loop {
            self.wait_for_work(wait);
            if self.state.lock().stop {
                return;
            }
            let swept = self.ground.clock.now();
            let result = self.step_with_room();
            let mut state = self.state.lock();
            state.tries += 1;
            wait = match &result {
                Err(error) => {
                    tracing::warn!(%error, "folding failed, it will be tried again");
                    RETRY
                }
                Ok(_) if !state.behind.is_empty() && !self.ground.journal.is_read_only() => {
                    Duration::ZERO
                }
                Ok(Moved(true)) if !state.dirty.is_empty() => QUIET,
                Ok(_) if !state.dirty.is_empty() => Duration::ZERO,
                Ok(_) => IDLE,
            };
            let open = self.spaces.open_now();
            if open.iter().any(|space| space.held_position().is_some()) {
                wait = wait.min(self.ground.settings.settle_after());
            }
            let after = |space: &Arc<Space>| space.next_expiry_after(swept);
            if let Some(next) = open.iter().filter_map(after).min() {
                wait = wait.min(next.since(self.ground.clock.now()));
            }
            if !state.visits.is_empty() {
                wait = wait.min(VISIT_PAUSE);
            }
            if self.ground.journal.is_out_of_room() {
                wait = wait.min(RETRY);
            }
            state.failure = result.err();
            self.done.notify_all();
        }
    }

    /// Waits for records to gather, or for somebody who cannot wait.
    fn wait_for_work(&self, idle: Duration) {
        let journal = &self.ground.journal;
        // Taken before looking whether anybody asked: who asks later wakes.
        let wakes = journal.wakes();
        let urgent = |state: &FoldState| {
            let is_awaited = state.checkpoint || !state.asked.is_empty();
            let is_awaited = is_awaited || state.wanted > state.cursor;
            state.stop || is_awaited || journal.is_pressed()
        };
        let mut state = self.state.lock();
        if state.stop || (urgent(&state) && state.failure.is_none()) {
            return;
        }
        let cursor = state.cursor;
        if journal.is_read_only() {
            self.work.wait_for(&mut state, IDLE);
            return;
        }
        if journal.poisoned().is_some() || state.failure.is_some() {
            self.work.wait_for(&mut state, RETRY);
            return;
        }
        drop(state);
        if journal.end() <= cursor && !journal.wait_unless_woken(cursor, wakes, idle) {
            return;
        }
        if !urgent(&self.state.lock()) && !journal.is_crowded() {
            journal.let_gather(wakes, GATHER);
        }
    }

    /// Takes a step, and where the disk is full another one with the room that is kept for it.
    fn step_with_room(&self) -> Result<Moved> {
        let journal = &self.ground.journal;
        let presses = journal.presses();
        let done = journal.with_reserve(|| self.step());
        if journal.is_out_of_room() && journal.keep_reserve() {
            tracing::info!("the disk has room again");
        }
        journal.end_presses(presses);
        done
    }

    fn step(&self) -> Result<Moved> {
        let _working = self.working.lock();
        if self.ground.journal.is_read_only() {
            // Only for who asks for the past: it takes memory.
            let asked = self.state.lock().asked.clone();
            asked.iter().try_for_each(|name| self.take_in(name).map(drop))?;
            return Ok(Moved(false));
        }
        let now = self.ground.clock.now();
        let tight = self.ground.journal.is_out_of_room();
        let crowded = tight || self.ground.journal.is_crowded();
        let quiet_since = now.before(self.ground.settings.settle_after());
        // What does not settle must not keep other records from being folded.
        let mut settled = Ok(());
        for space in self.spaces.open_now() {
            let now = crowded || space.is_staging_much();
            settled = settled.and(space.settle_due((!now).then_some(quiet_since)));
        }
        if crowded {
            self.ground.journal.barrier(self.ground.journal.end())?;
        }
        // Only what power loss cannot take: else a base could know records that the journal lost.
        let target = self.ground.journal.synced();
        let mut moved = false;
        let mut durable = self.state.lock().cursor;
        if tight {
            // What is folded but not durable takes room twice.
            self.make_durable(usize::MAX, now)?;
        }
        while self.fold_batch(target, if tight { BATCH_BYTES_TIGHT } else { BATCH_BYTES })? {
            moved = true;
            // Writers that wait for room get it as soon as there is some.
            let cursor = self.state.lock().cursor;
            let is_much = cursor.0 - durable.0 > RELEASE_BYTES;
            if tight || (is_much && self.ground.journal.is_crowded()) {
                self.make_durable(usize::MAX, now)?;
                durable = cursor;
            }
        }
        self.note_idle(now);
        let (checkpoint, asked) = {
            let state = self.state.lock();
            (state.checkpoint, state.asked.len())
        };
        let urgent = checkpoint || crowded;
        let most = if urgent { usize::MAX } else { asked + 1 };
        let is_behind = self.fold_behind(most, None, now)?;
        let dirty = !self.state.lock().dirty.is_empty();
        if (urgent || (dirty && !moved)) && (tight || self.ground.journal.is_pressed()) {
            // So that the segment in use is released too.
            self.ground.journal.roll()?;
        }
        if urgent {
            self.make_durable(usize::MAX, now)?;
        } else if dirty && !moved {
            self.make_durable(DURABLE_AT_ONCE, now)?;
        } else if !moved && !is_behind {
            self.visit(now)?;
        }
        self.spaces.shed(self.ground.settings.spaces_open_max);
        // Last: what cannot be swept must not keep records from being folded.
        self.spaces.open_now().iter().try_for_each(|space| space.sweep())?;
        settled.map(|()| Moved(moved))
    }

    /// Folds one batch; tells whether there was one.
    fn fold_batch(&self, target: Position, bytes_max: usize) -> Result<bool> {
        let cursor = self.state.lock().cursor;
        if cursor >= target {
            return Ok(false);
        }
        let mut by_space: BTreeMap<SpaceName, Vec<Record>> = BTreeMap::new();
        let (mut bytes, mut count, mut last) = (0, 0, cursor);
        self.ground.journal.read_from(cursor, &mut |position, payload| {
            let record = Record::decode(payload)?;
            by_space.entry(record.space.clone()).or_default().push(record);
            (bytes, count, last) = (bytes + payload.len(), count + 1, position);
            Ok(bytes < bytes_max && count < BATCH_RECORDS && position < target)
        })?;
        for (name, batch) in by_space {
            self.take_in(&name)?;
            self.fold_space(&name, &batch)?;
            self.state.lock().dirty.insert(name);
        }
        self.state.lock().cursor = last;
        self.done.notify_all();
        Ok(last > cursor)
    }

    fn fold_space(&self, name: &SpaceName, batch: &[Record]) -> Result<()> {
        let space = match self.spaces.get(name) {
            Ok(space) => space,
            // A base that does not open must not stop the other spaces.
            Err(error) if is_lasting(&error) => {
                return aside::keep(&self.spaces.dir_of(name), &*self.ground.disk, batch);
            }
            Err(error) => return Err(error),
        };
        if space.failed.get().is_none() {
            match space.base.fold(batch) {
                Ok(()) => {
                    if let Some(record) = batch.last() {
                        space.note_folded(record.version);
                    }
                    let saved: Vec<NodeId> = batch.iter().flat_map(saved).collect();
                    if !saved.is_empty() {
                        space.tree.memory().note_lineages(saved);
                    }
                    self.give_back(&space);
                    return Ok(());
                }
                Err(error) if is_lasting(&error) => {
                    tracing::error!(space = %name, %error, "the base of a space failed");
                    space.failed.get_or_init(|| error);
                }
                Err(error) => return Err(error),
            }
        }
        aside::keep(&self.spaces.dir_of(name), &*self.ground.disk, batch)
    }

    fn give_back(&self, space: &Space) {
        let most = self.ground.settings.memory_bytes_max;
        let now = self.ground.resident_bytes.load(Ordering::Relaxed);
        if now > most {
            space.give_back(now - most);
        }
    }
}

/// Returns the nodes that got another lineage.
fn saved(record: &Record) -> impl Iterator<Item = NodeId> + '_ {
    let nodes = |change: &Change| match change {
        Change::Succeed { node, old } => Some([*node, *old]),
        _ => None,
    };
    record.changes.iter().filter_map(nodes).flatten()
}

/// Whether a step of the fold has folded anything new.
struct Moved(bool);

/// Tells a base that is broken from one that may work again, say when a disk has room, or with
/// the newer program that wrote it.
fn is_lasting(error: &Error) -> bool {
    error.kind() == ErrorKind::Corrupt
}
