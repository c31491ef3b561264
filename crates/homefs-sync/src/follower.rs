//! The follower of a store's remote: one thread that makes rounds when they are due.
//!
//! It hears of local changes when the journal syncs them, so that writing costs nothing more. It
//! is never waited for: whoever closes the store tells it to end and lets its files go, and what
//! a request in flight brings afterwards has nowhere to go.

mod ask;
mod late_lender;
mod state;

use std::path::Path as HostPath;
use std::sync::{Arc, Weak};

use homefs_core::{AgentId, Error, ErrorKind, Remote, Result, SpaceName, Timestamp, Version};
use homefs_store::bell::Bell;
use homefs_store::fold::Fold;
use homefs_store::ground::Ground;
use homefs_store::space::Space;
use homefs_store::spaces::{Follow, Spaces};
use homefs_wire::records;
use parking_lot::{Condvar, Mutex};

use self::late_lender::LateLender;
use self::state::{Assignment, Copying, FollowerState, Stand, Way};
use crate::below::Below;
use crate::format::Plain;
use crate::keep;
use crate::known::RemoteTracking;
use crate::lending::Lending;
use crate::machine::Machine;
use crate::pace::{COPIES, Work};
use crate::places;
use crate::round::{Outcome, Pair};
use crate::status::{AttachOptions, Direction};

/// Most spaces that are looked at only to tell how they stand.
const LOOKED_AT_MAX: usize = 64;

/// A space's end of its remote, while it is open.
#[derive(Clone)]
pub struct End {
    /// The space and its remote.
    pub pair: Arc<Pair>,
    /// What fetches contents that are only there.
    pub lending: Arc<Lending>,
}

/// The follower of one store's remote.
pub struct Follower {
    /// For the lenders of spaces, which may outlive it.
    this: Weak<Self>,
    pub(super) remote: Arc<dyn Remote>,
    machine: Arc<Machine>,
    /// The agent whose home is the only space of the remote, and at its very prefix.
    home_at_prefix: Option<AgentId>,
    ground: Arc<Ground>,
    pub(super) spaces: Arc<Spaces>,
    fold: Arc<Fold>,
    bell: Arc<Bell>,
    /// Locked for moments only, and never while a space or its tree is asked for.
    state: Mutex<FollowerState>,
    /// Signalled when a round is over, or all are.
    done: Condvar,
}

impl Follower {
    /// Makes the follower of a remote.
    pub fn new(
        dir: &HostPath,
        spaces: &Arc<Spaces>,
        fold: &Arc<Fold>,
        bell: &Arc<Bell>,
        remote: Arc<dyn Remote>,
        options: &AttachOptions,
    ) -> Result<Arc<Self>> {
        let ground = spaces.ground().clone();
        let drawn = ground.drawn();
        let machine = Machine::of_store(dir, &ground.disk, &options.machine_name, drawn)?;
        Ok(Arc::new_cyclic(|this| Self {
            this: this.clone(),
            remote,
            home_at_prefix: options.home_at_prefix.clone(),
            state: Mutex::new(FollowerState::new(ground.clock.now(), drawn, &ground.settings)),
            machine: Arc::new(machine),
            ground,
            spaces: spaces.clone(),
            fold: fold.clone(),
            bell: bell.clone(),
            done: Condvar::new(),
        }))
    }

    /// Returns what the keys of a space begin with in the remote; `None` if it has no place there.
    pub fn prefix_of(&self, name: &SpaceName) -> Option<String> {
        match (&self.home_at_prefix, name) {
            (None, name) => Some(format!("{name}/")),
            (Some(only), SpaceName::Home(agent)) if agent == only => Some(String::new()),
            _ => None,
        }
    }

    /// Returns the only space that the remote has a place for, if there is but one.
    pub(super) fn only_home(&self) -> Option<SpaceName> {
        self.home_at_prefix.clone().map(SpaceName::Home)
    }

    /// Returns a space's end of the remote, opening the space if need be.
    pub fn end(&self, name: &SpaceName) -> Result<End> {
        let here = |state: &mut FollowerState| state.follow(name).end.clone();
        if let Some(end) = here(&mut self.state.lock()) {
            return Ok(end);
        }
        let prefix = self.prefix_of(name).ok_or_else(|| {
            let message = "the remote is one agent's home and has no place for other spaces";
            Error::new(ErrorKind::Unsupported, message).with_path_text(name.to_string())
        })?;
        let space = self.spaces.get(name)?;
        let known = Arc::new(RemoteTracking::open(&self.spaces.dir_of(name))?);
        let agreed = known.agreed()?;
        let ground = self.ground.clone();
        let pair = Arc::new(Pair {
            space,
            fold: self.fold.clone(),
            remote: Arc::new(Below::new(self.remote.clone(), prefix)),
            known,
            sealer: Arc::new(Plain),
            machine: self.machine.clone(),
            agent: name.keeper(),
            draw: Arc::new(move || ground.draw()),
            turn: Mutex::default(),
        });
        let lending = Arc::new(Lending::new(&pair));
        let mut state = self.state.lock();
        state.check_open()?;
        let followed = state.follow(name);
        followed.cursor.get_or_insert(agreed.cursor);
        // Another may have been faster; both must take turns.
        Ok(followed.end.get_or_insert(End { pair, lending }).clone())
    }

    /// Runs until it is stopped.
    pub fn run(&self) {
        loop {
            match self.next() {
                Assignment::End => return,
                Assignment::Wait(longest) => self.bell.wait(longest),
                Assignment::Discover => self.discover(),
                Assignment::Peek(name) => self.peek(&name),
                Assignment::Serve(name, work) => self.serve(&name, work),
            }
        }
    }

    /// Notices what happened in open spaces, and returns what to do next.
    fn next(&self) -> Assignment {
        let open = self.spaces.open_now();
        // Looked at before the state is locked, which comes after all other locks.
        let versions = versions_of(&open);
        let now = self.ground.clock.now();
        let mut state = self.state.lock();
        state.note_versions(&versions, now);
        for space in &open {
            // The list of open spaces has it, and so has the copy of that list.
            let holders = Arc::strong_count(space).saturating_sub(2);
            state.note_use(&space.name, holders, || space.used.take(), now);
        }
        state.next(now)
    }

    fn versions(&self) -> Vec<(SpaceName, Version)> {
        versions_of(&self.spaces.open_now())
    }

    /// Finds out whether a space has something that the remote lacks, or has never heard of it.
    fn peek(&self, name: &SpaceName) {
        // One that cannot be looked at shows its failure at its first round.
        let is_known = self.end(name).and_then(|end| {
            let stand = Stand::of(&end.pair, Outcome::default())?;
            self.state.lock().follow(name).note(&stand);
            Ok(end.pair.known.agreed()?.head.is_some())
        });
        let is_known = is_known.unwrap_or(false);
        self.state.lock().peeked(name, is_known, self.ground.clock.now());
    }

    /// Takes up the spaces that are here, and then shared ones that only the remote has; and gives
    /// up contents if too many are here.
    fn discover(&self) {
        let found = self.spaces.all().and_then(|here| {
            let mut state = self.state.lock();
            for name in here.iter().filter(|name| self.prefix_of(name).is_some()) {
                state.follow(name);
            }
            drop(state);
            places::shared_of(self)
        });
        let count = found.as_ref().map_or(0, Vec::len);
        // A space that is new here is followed as soon as it is opened.
        let found = found
            .and_then(|there| there.iter().try_for_each(|name| self.spaces.get(name).map(drop)));
        let done = found.and_then(|()| keep::evict(self, self.ground.settings.local_bytes_max));
        if let Err(error) = done {
            tracing::debug!(%error, "look for spaces in the remote");
        }
        self.state.lock().discovered(count, self.ground.clock.now());
    }

    /// Does what is due for a space.
    fn serve(&self, name: &SpaceName, work: Work) {
        let way = self.state.lock().begin(name, work, self.ground.clock.now());
        let result = self.end(name).and_then(|end| {
            if self.remote.is_read_only() { read_only(&end) } else { work_on(&end, work, way) }
        });
        if let Err(error) = &result {
            tracing::debug!(space = %name, %error, "a round failed, it will be made again");
        }
        self.state.lock().finish(name, way, result, self.ground.clock.now());
        self.done.notify_all();
    }

    /// Finds out how the spaces here stand that no round was made for yet, if they are few.
    fn look_at_few(&self) {
        let mut names = self.spaces.all().unwrap_or_default();
        names.retain(|name| self.prefix_of(name).is_some());
        if names.len() > LOOKED_AT_MAX {
            return;
        }
        for name in names {
            let is_new = self.state.lock().follow(&name).ended == 0;
            // One that cannot be looked at shows its failure at its first round.
            if is_new
                && let Ok(stand) =
                    self.end(&name).and_then(|end| Stand::of(&end.pair, Outcome::default()))
            {
                self.state.lock().follow(&name).note(&stand);
            }
        }
    }

    /// Tells which remote it is, and how everything stands; how it was attached is not known here.
    pub fn status(&self) -> records::Remote {
        self.look_at_few();
        let versions = self.versions();
        let mut state = self.state.lock();
        state.note_versions(&versions, self.ground.clock.now());
        let counters = self.remote.counters();
        let status = records::RemoteStatus {
            requests: Some(records::Requests {
                gets: counters.gets,
                puts: counters.puts,
                deletes: counters.deletes,
                lists: counters.lists,
                failures: counters.failures,
            }),
            sent_bytes: Some(counters.sent_bytes),
            received_bytes: Some(counters.received_bytes),
            spaces: state.stands(&versions, self.ground.clock.now()),
        };
        records::Remote {
            address: Some(self.remote.describe()),
            machine: Some(self.machine.name().to_owned()),
            status: Some(status),
            ..records::Remote::default()
        }
    }

    /// Ends it without waiting: whoever waits for a round hears that it is over, and what is known
    /// of the remote is let go.
    pub fn stop(&self) {
        let ends = self.state.lock().stop();
        self.done.notify_all();
        self.bell.ring();
        for end in ends {
            end.pair.known.close();
        }
    }
}

impl Follow for Follower {
    /// Nothing is read or asked yet, so opening stays fast.
    fn opened(&self, space: &Space) {
        if self.prefix_of(&space.name).is_none() {
            return;
        }
        let lender = LateLender::new(self.this.clone(), space.name.clone());
        space.chunks.set_lender(Some(Arc::new(lender)));
        space.used.wake(&self.bell);
        self.state.lock().follow(&space.name).open = true;
        self.bell.ring();
    }

    fn let_go(&self, space: &Arc<Space>) -> bool {
        let mut state = self.state.lock();
        let followed = state.follow(&space.name);
        let held = match &followed.end {
            None => 1,
            Some(end) if Arc::strong_count(&end.pair) == 1 => 2,
            Some(_) => return false,
        };
        if Arc::strong_count(space) > held {
            return false;
        }
        (followed.end, followed.open) = (None, false);
        true
    }
}

/// Does whatever can be done for a space without a change in the remote. What people wrote there
/// comes with the commits of those who may take it over.
fn read_only(end: &End) -> Result<Stand> {
    let outcome = end.pair.round(Direction::Pull)?;
    if outcome.pulled > 0 {
        keep::fetch_pinned(end)?;
    }
    Stand::of(&end.pair, outcome)
}

fn versions_of(open: &[Arc<Space>]) -> Vec<(SpaceName, Version)> {
    open.iter().map(|space| (space.name.clone(), space.tree.read().version())).collect()
}

/// Does what is due for a space, and sees to what is pinned.
fn work_on(end: &End, work: Work, way: Way) -> Result<Stand> {
    let Way { direction, is_asked, copies } = way;
    let pair = &end.pair;
    let mut outcome = Outcome::default();
    if work == Work::Copies {
        return copy(pair, copies);
    }
    let knew = pair.head()?.is_some();
    outcome += pair.round(direction)?;
    // A machine that just heard of the space has not asked for the listing of all its copies.
    let is_new = !knew && outcome.pulled > 0;
    // After the look at HEAD, without which every copy would be taken for somebody's file. Whoever
    // asks for what is there asks for what people wrote there, too.
    if work == Work::List || (is_asked && direction != Direction::Push && !is_new) {
        outcome.pulled += pair.import_outside()?;
    }
    // What came may have been merged with what is here; who asked for a pull asked for no more.
    let is_pull = is_asked && direction == Direction::Pull;
    if outcome.pulled + outcome.conflicts > 0 && !is_pull {
        outcome += pair.round(Direction::Push)?;
    }
    if outcome.pulled > 0 || work == Work::Push {
        keep::fetch_pinned(end)?;
    }
    Stand::of(pair, outcome)
}

/// Writes a slice of the readable copies that are due; for somebody who waits, also of files that
/// may change again in a moment.
fn copy(pair: &Pair, is_wanted: bool) -> Result<Stand> {
    let now = pair.space.ground.clock.now();
    let before = if is_wanted { Timestamp(i64::MAX) } else { now.before(COPIES) };
    let mut outcome = Outcome::default();
    let is_all = pair.write_copies(before)?;
    if is_all && is_wanted && pair.known.copies_due()? > 0 {
        // What a copy shows from outside is taken over, and pushed before the copy is written.
        outcome += pair.round(Direction::Both)?;
    }
    let copies = if is_all { Copying::All } else { Copying::Some };
    let mut stand = Stand::of(pair, outcome)?;
    stand.copies = copies;
    Ok(stand)
}
