//! What a follower keeps in mind, and what it does next.

use std::collections::BTreeMap;
use std::ops::AddAssign;
use std::time::Duration;

use homefs_core::{Error, ErrorKind, Path, Result, SpaceName, Timestamp, Version};
use homefs_store::ground::Settings;

use super::End;
use crate::pace::{CopiesDue, Due, Event, Pace, Work};
use crate::round::{Outcome, Pair};
use crate::status::{Direction, SpaceSync};

/// A new follower looks for spaces after this, and then this often.
const DISCOVER_FIRST: Duration = Duration::from_millis(100);
const DISCOVER: Duration = Duration::from_mins(5);
/// There is about one listing for each space that is found, so many are looked for more rarely.
const DISCOVER_EACH: Duration = Duration::from_secs(4);
/// What is here is looked at after this: a short command ends before.
const PEEK: Duration = Duration::from_millis(100);
/// Whether a space is used is asked this often.
const USE_AGAIN: Duration = Duration::from_mins(1);
/// How often copies that somebody waits for are tried, each time with a round after it.
const PASSES_MAX: u32 = 3;
const MINUTE: Duration = Duration::from_mins(1);

/// What a follower does next.
pub(super) enum Assignment {
    End,
    Wait(Duration),
    Discover,
    /// To look at what is here, without asking the remote.
    Peek(SpaceName),
    Serve(SpaceName, Work),
}

/// What a follower keeps in mind.
pub(super) struct FollowerState {
    followed: BTreeMap<SpaceName, Followed>,
    /// Time that has passed, which unlike the clock never goes back.
    elapsed: Duration,
    clock: Timestamp,
    discover_at: Duration,
    /// Nothing is asked for spaces that nobody uses before this, and then this much apart.
    idle_at: Duration,
    idle_apart: Duration,
    /// Time between looks for a space that is in use.
    look_in_use: Duration,
    seed: u64,
    pub(super) stop: bool,
}

/// A space that is followed.
pub(super) struct Followed {
    /// Whether the space is open; one that is not is only served if it never was, or has a wish.
    pub(super) open: bool,
    pub(super) end: Option<End>,
    pub(super) pace: Pace,
    /// When what is here is looked at; `None` once it was.
    peek_at: Option<Duration>,
    /// When somebody was last seen to use it.
    used: Option<Duration>,
    /// Which way somebody asked for, and whether the copies are to be written at once.
    pub(super) asked: Option<(Direction, bool)>,
    /// The last version that was noticed here, and the last that the remote has, if known.
    noticed: Version,
    pub(super) cursor: Option<Version>,
    /// Rounds that began and ended, and what they did altogether.
    pub(super) begun: u64,
    pub(super) ended: u64,
    pub(super) total: Outcome,
    pub(super) failure: Option<Error>,
    pub(super) commit: u64,
    agreed: Option<Timestamp>,
    conflicts: u64,
    pub(super) copies_due: u64,
    /// Files that are left out of pushes.
    withheld: Vec<Path>,
    /// Files that keep an older content.
    missing: Vec<Path>,
    /// Whether somebody waits for the copies, and how often all of them were tried.
    pub(super) wants_copies: bool,
    passes: u32,
}

/// How a round goes.
#[derive(Clone, Copy)]
pub(super) struct Way {
    pub(super) direction: Direction,
    /// Whether somebody waits for it.
    pub(super) is_asked: bool,
    /// Whether somebody waits for the readable copies.
    pub(super) copies: bool,
}

/// How a space and its remote stand after a round.
pub(super) struct Stand {
    outcome: Outcome,
    cursor: Version,
    commit: u64,
    conflicts: u64,
    copies_due: u64,
    withheld: Vec<Path>,
    missing: Vec<Path>,
    /// What was written of the copies.
    pub(super) copies: Copying,
}

/// How far copies were written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Copying {
    /// Nobody tried.
    Not,
    /// A slice; others can be written at once.
    Some,
    /// All that could be.
    All,
}

impl AddAssign for Outcome {
    fn add_assign(&mut self, other: Self) {
        self.pulled += other.pulled;
        self.pushed += other.pushed;
        self.conflicts += other.conflicts;
    }
}

impl Stand {
    pub(super) fn of(pair: &Pair, outcome: Outcome) -> Result<Self> {
        Ok(Self {
            outcome,
            cursor: pair.known.agreed()?.cursor,
            commit: pair.head()?.map_or(0, |head| head.commit.seq),
            conflicts: pair.known.conflicts()?.len() as u64,
            // Who only reads the remote leaves its copies to others.
            copies_due: if pair.remote.is_read_only() { 0 } else { pair.known.copies_due()? },
            withheld: pair.withheld_paths()?,
            missing: pair.missing_paths()?,
            copies: Copying::Not,
        })
    }
}

impl FollowerState {
    pub(super) fn new(clock: Timestamp, seed: u64, settings: &Settings) -> Self {
        // Never, if none a minute are wanted.
        let apart = |per_minute: u32| {
            if per_minute == 0 { Duration::MAX / 4 } else { MINUTE / per_minute }
        };
        Self {
            idle_at: Duration::ZERO,
            idle_apart: apart(settings.idle_looks_per_minute),
            look_in_use: apart(settings.looks_per_minute),
            followed: BTreeMap::new(),
            elapsed: Duration::ZERO,
            clock,
            discover_at: DISCOVER_FIRST,
            seed,
            stop: false,
        }
    }

    /// Returns the time that has passed, whatever became of the clock.
    pub(super) fn now(&mut self, clock: Timestamp) -> Duration {
        self.elapsed += clock.since(self.clock);
        self.clock = clock;
        self.elapsed
    }

    /// Refuses what comes too late.
    pub(super) fn check_open(&self) -> Result<()> {
        if self.stop {
            return Err(Error::new(ErrorKind::Closed, "the remote was detached"));
        }
        Ok(())
    }

    /// Returns what is known of a space, which is followed from now on.
    pub(super) fn follow(&mut self, name: &SpaceName) -> &mut Followed {
        let (seed, elapsed, look) = (&mut self.seed, self.elapsed, self.look_in_use);
        self.followed.entry(name.clone()).or_insert_with(|| {
            *seed = seed.wrapping_add(1);
            Followed::new(Pace::new(*seed, elapsed, look), elapsed + PEEK)
        })
    }

    /// Notices what changed in open spaces.
    pub(super) fn note_versions(&mut self, versions: &[(SpaceName, Version)], clock: Timestamp) {
        let now = self.now(clock);
        for (name, version) in versions {
            let Some(followed) = self.followed.get_mut(name) else { continue };
            // What it means is known once the cursor is.
            let Some(cursor) = followed.cursor else { continue };
            let is_news = *version > followed.noticed;
            followed.noticed = followed.noticed.max(*version);
            if is_news && *version > cursor {
                followed.pace.step(Event::Changed, now);
            }
        }
    }

    /// Notices whether a space that is open is used, which is asked now and then, and how many
    /// hold it besides the list of open spaces.
    pub(super) fn note_use(
        &mut self,
        name: &SpaceName,
        holders: usize,
        is_used: impl FnOnce() -> bool,
        clock: Timestamp,
    ) {
        let now = self.now(clock);
        let Some(followed) = self.followed.get_mut(name) else { return };
        followed.pace.is_held = holders > usize::from(followed.end.is_some());
        if followed.used.is_none_or(|at| at + USE_AGAIN <= now) && is_used() {
            followed.used = Some(now);
            followed.pace.step(Event::Used, now);
        }
    }

    /// Returns what to do next: wishes, then spaces that are in use, then what can be learnt
    /// here, then the others; and of each what is due longest.
    pub(super) fn next(&mut self, clock: Timestamp) -> Assignment {
        if self.stop {
            return Assignment::End;
        }
        let now = self.now(clock);
        let due = self.followed.iter().filter(|(_, followed)| followed.is_served());
        let due = due.map(|(name, followed)| (followed.pace.due(now, self.idle_at), name));
        let urgency =
            |due: &Due| (due.at.max(now), due.work != Work::Push, due.is_idle, due.wanted);
        let next = due.min_by_key(|(due, _)| urgency(due));
        let unseen = |(name, followed): (_, &Followed)| Some((followed.peek_at?, name));
        let peek = self.followed.iter().filter_map(unseen).min_by_key(|(at, _)| *at);
        let is_late = self.discover_at <= now;
        match (next, peek) {
            (Some((due, name)), _)
                if due.at <= now && (due.work == Work::Push || !is_late && !due.is_idle) =>
            {
                Assignment::Serve(name.clone(), due.work)
            }
            _ if is_late => Assignment::Discover,
            (_, Some((at, name))) if at <= now => Assignment::Peek(name.clone()),
            (Some((due, name)), _) if due.at <= now => Assignment::Serve(name.clone(), due.work),
            (next, peek) => {
                let times = [next.map(|(due, _)| due.at), peek.map(|(at, _)| at)];
                let times = times.into_iter().flatten().chain([self.discover_at]);
                let next = times.min().unwrap_or(self.discover_at);
                Assignment::Wait(next.saturating_sub(now))
            }
        }
    }

    /// Ends a look for spaces in the remote that found so many.
    pub(super) fn discovered(&mut self, count: usize, clock: Timestamp) {
        let each = DISCOVER_EACH.saturating_mul(u32::try_from(count).unwrap_or(u32::MAX));
        self.discover_at = self.now(clock) + DISCOVER.max(each);
    }

    /// Ends a look at what is here of a space: whether this machine knows what the remote has.
    pub(super) fn peeked(&mut self, name: &SpaceName, is_known: bool, clock: Timestamp) {
        let now = self.now(clock);
        let followed = self.follow(name);
        followed.peek_at = None;
        if !is_known {
            followed.pace.step(Event::New, now);
        }
    }

    /// Begins a round, and returns which way it goes.
    pub(super) fn begin(&mut self, name: &SpaceName, work: Work, clock: Timestamp) -> Way {
        let now = self.now(clock);
        let apart = self.idle_apart;
        let followed = self.follow(name);
        // A round learns all that a peek would.
        followed.peek_at = None;
        let is_idle = matches!(work, Work::Look | Work::List) && followed.pace.is_idle(now);
        followed.pace.step(Event::Began(work), now);
        // The first round, and one after a failure, do whatever there is to do.
        let is_first = followed.ended == 0 || followed.failure.is_some();
        followed.begun += 1;
        let asked = followed.asked.take();
        let direction = match (asked, work) {
            (Some((direction, _)), _) => direction,
            _ if is_first => Direction::Both,
            (None, Work::Push) => Direction::Push,
            (None, _) => Direction::Pull,
        };
        let is_wanted = work == Work::Copies && followed.wants_copies;
        let copies = asked.is_some_and(|(_, copies)| copies) || is_wanted;
        if is_idle {
            self.idle_at = now.saturating_add(apart);
        }
        Way { direction, is_asked: asked.is_some(), copies }
    }

    /// Ends a round.
    pub(super) fn finish(
        &mut self,
        name: &SpaceName,
        way: Way,
        result: Result<Stand>,
        clock: Timestamp,
    ) {
        let now = self.now(clock);
        let followed = self.follow(name);
        followed.ended = followed.begun;
        match result {
            Ok(stand) => {
                let Outcome { pulled, pushed, .. } = stand.outcome;
                followed.total += stand.outcome;
                followed.agreed = Some(clock);
                followed.failure = followed.note_copies(&stand, way.copies).err();
                let is_now = stand.copies == Copying::Some || followed.wants_copies;
                let copies = match stand.copies_due {
                    0 => CopiesDue::None,
                    _ if is_now => CopiesDue::Now,
                    _ => CopiesDue::Later,
                };
                let news = pulled + pushed > 0;
                followed.pace.step(Event::Finished { news, copies }, now);
                followed.note(&stand);
            }
            Err(error) => {
                followed.pace.step(Event::Failed(error.kind()), now);
                followed.failure = Some(error);
            }
        }
    }

    /// Tells how each space stands.
    pub(super) fn stands(
        &mut self,
        versions: &[(SpaceName, Version)],
        clock: Timestamp,
    ) -> Vec<SpaceSync> {
        let now = self.now(clock);
        let versions: BTreeMap<_, _> = versions.iter().map(|(name, at)| (name, at.0)).collect();
        let stand = |(name, followed): (&SpaceName, &Followed)| {
            let cursor = followed.cursor.map(|cursor| cursor.0);
            let ahead =
                versions.get(name).zip(cursor).map(|(at, cursor)| at.saturating_sub(cursor));
            let ago = |at: Duration| clock.before(now.saturating_sub(at));
            SpaceSync {
                space: name.clone(),
                commit: followed.commit,
                agreed: followed.agreed,
                ahead: ahead.unwrap_or(0),
                waiting_since: followed.pace.waiting_since().map(ago),
                copies_due: followed.copies_due,
                withheld: followed.withheld.clone(),
                missing: followed.missing.clone(),
                conflicts: followed.conflicts,
                failure: followed.failure.as_ref().map(ToString::to_string),
                retry_at: followed.pace.retry_at().map(|at| after(clock, at.saturating_sub(now))),
            }
        };
        self.followed.iter().map(stand).collect()
    }

    /// Stops, and gives away every end of the remote.
    pub(super) fn stop(&mut self) -> Vec<End> {
        self.stop = true;
        self.followed.values_mut().filter_map(|followed| followed.end.take()).collect()
    }
}

impl Followed {
    fn new(pace: Pace, peek_at: Duration) -> Self {
        Self {
            open: false,
            end: None,
            pace,
            peek_at: Some(peek_at),
            used: None,
            asked: None,
            noticed: Version(0),
            cursor: None,
            begun: 0,
            ended: 0,
            total: Outcome::default(),
            failure: None,
            commit: 0,
            agreed: None,
            conflicts: 0,
            copies_due: 0,
            withheld: Vec::new(),
            missing: Vec::new(),
            wants_copies: false,
            passes: 0,
        }
    }

    /// Notes how far copies are that somebody may wait for; gives up if there are always more.
    fn note_copies(&mut self, stand: &Stand, are_wanted: bool) -> Result<()> {
        if !are_wanted && stand.copies_due > 0 {
            return Ok(());
        }
        self.wants_copies = stand.copies_due > 0;
        self.passes = match stand.copies {
            Copying::Not => 0,
            Copying::Some => self.passes,
            Copying::All => self.passes + 1,
        };
        if self.wants_copies && self.passes >= PASSES_MAX {
            (self.wants_copies, self.passes) = (false, 0);
            let message = "readable copies are still to be written";
            return Err(Error::new(ErrorKind::Unavailable, message));
        }
        Ok(())
    }

    /// Notes how it stands.
    pub(super) fn note(&mut self, stand: &Stand) {
        self.cursor = Some(stand.cursor);
        self.commit = stand.commit;
        self.conflicts = stand.conflicts;
        self.copies_due = stand.copies_due;
        self.withheld.clone_from(&stand.withheld);
        self.missing.clone_from(&stand.missing);
    }

    /// Tells whether anything is done for it now.
    fn is_served(&self) -> bool {
        let is_wanted = self.asked.is_some() || self.pace.waiting_since().is_some();
        self.open || self.ended == 0 || is_wanted || self.failure.is_some()
    }
}

#[cfg(test)]
mod tests;

fn after(clock: Timestamp, time: Duration) -> Timestamp {
    Timestamp(clock.0.saturating_add(i64::try_from(time.as_nanos()).unwrap_or(i64::MAX)))
}
