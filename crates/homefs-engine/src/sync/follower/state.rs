//! What a follower keeps in mind, and what it does next.

use std::collections::BTreeMap;
use std::ops::AddAssign;
use std::time::Duration;

use homefs_core::{Error, ErrorKind, Result, SpaceName, Timestamp, Version};

use super::End;
use crate::sync::pace::{Event, Pace, Work};
use crate::sync::round::{Outcome, Pair};
use crate::sync::status::{Direction, SpaceSync};

/// A new follower looks for spaces after this, and then this often.
const DISCOVER_FIRST: Duration = Duration::from_millis(100);
const DISCOVER: Duration = Duration::from_mins(5);

/// What a follower does next.
pub(super) enum Assignment {
    End,
    Wait(Duration),
    Discover,
    Serve(SpaceName, Work),
}

/// What a follower keeps in mind.
pub(super) struct State {
    followed: BTreeMap<SpaceName, Followed>,
    /// Time that has passed, which unlike the clock never goes back.
    elapsed: Duration,
    clock: Timestamp,
    discover_at: Duration,
    seed: u64,
    pub(super) stop: bool,
}

/// A space that is followed.
pub(super) struct Followed {
    /// Whether the space is open; one that is not is only served if it never was, or has a wish.
    pub(super) open: bool,
    pub(super) end: Option<End>,
    pub(super) pace: Pace,
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
        })
    }
}

impl State {
    pub(super) fn new(clock: Timestamp, seed: u64) -> Self {
        Self {
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
        let (seed, elapsed) = (&mut self.seed, self.elapsed);
        self.followed.entry(name.clone()).or_insert_with(|| {
            *seed = seed.wrapping_add(1);
            Followed::new(Pace::new(*seed, elapsed))
        })
    }

    /// Notices what changed in open spaces.
    pub(super) fn note_versions(&mut self, versions: &[(SpaceName, Version)], clock: Timestamp) {
        let now = self.now(clock);
        for (name, version) in versions {
            let Some(followed) = self.followed.get_mut(name) else { continue };
            let is_news = *version > followed.noticed;
            followed.noticed = followed.noticed.max(*version);
            if is_news && followed.cursor.is_some_and(|cursor| *version > cursor) {
                followed.pace.step(Event::Changed, now);
            }
        }
    }

    /// Returns what to do next: wishes before looks, then what is due longest.
    pub(super) fn next(&mut self, clock: Timestamp) -> Assignment {
        if self.stop {
            return Assignment::End;
        }
        let now = self.now(clock);
        let due = self.followed.iter().filter(|(_, followed)| followed.is_served());
        let due = due.map(|(name, followed)| (followed.pace.due(now), name));
        let next = due.min_by_key(|(due, _)| (due.at.max(now), due.work != Work::Push, due.at));
        let is_late = self.discover_at <= now;
        match next {
            Some((due, name)) if due.at <= now && (due.work == Work::Push || !is_late) => {
                Assignment::Serve(name.clone(), due.work)
            }
            _ if is_late => Assignment::Discover,
            next => {
                let next = next.map_or(self.discover_at, |(due, _)| due.at.min(self.discover_at));
                Assignment::Wait(next.saturating_sub(now))
            }
        }
    }

    pub(super) fn discovered(&mut self, clock: Timestamp) {
        self.discover_at = self.now(clock) + DISCOVER;
    }

    /// Begins a round, and returns which way it goes.
    pub(super) fn begin(&mut self, name: &SpaceName, work: Work, clock: Timestamp) -> Way {
        let now = self.now(clock);
        let followed = self.follow(name);
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
        Way {
            direction,
            is_asked: asked.is_some(),
            copies: asked.is_some_and(|(_, copies)| copies),
        }
    }

    /// Ends a round.
    pub(super) fn finish(&mut self, name: &SpaceName, result: Result<Stand>, clock: Timestamp) {
        let now = self.now(clock);
        let followed = self.follow(name);
        followed.ended = followed.begun;
        match result {
            Ok(stand) => {
                let Outcome { pulled, pushed, .. } = stand.outcome;
                followed.total += stand.outcome;
                let (news, copies) = (pulled + pushed > 0, stand.copies_due > 0);
                followed.pace.step(Event::Finished { news, copies }, now);
                followed.note(&stand);
                followed.agreed = Some(clock);
                followed.failure = None;
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
    fn new(pace: Pace) -> Self {
        Self {
            open: false,
            end: None,
            pace,
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
        }
    }

    /// Notes how it stands.
    pub(super) fn note(&mut self, stand: &Stand) {
        self.cursor = Some(stand.cursor);
        self.commit = stand.commit;
        self.conflicts = stand.conflicts;
        self.copies_due = stand.copies_due;
    }

    /// Tells whether anything is done for it now.
    fn is_served(&self) -> bool {
        let is_wanted = self.asked.is_some() || self.pace.waiting_since().is_some();
        self.open || self.ended == 0 || is_wanted || self.failure.is_some()
    }
}

fn after(clock: Timestamp, time: Duration) -> Timestamp {
    Timestamp(clock.0.saturating_add(i64::try_from(time.as_nanos()).unwrap_or(i64::MAX)))
}
