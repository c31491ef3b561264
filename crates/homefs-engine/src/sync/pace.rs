//! When to do what next for a space and its remote: a state machine without a clock.
//!
//! It is told what happens and answers what is due, and when. Times are counted from any one
//! moment. Whoever runs it hears of changes when the journal is about to sync them, so they have
//! gathered already; therefore a push waits for nothing but the push before it.

use std::time::Duration;

use homefs_core::ErrorKind;

/// A new follower touches the network after this: a short command ends before.
const START: Duration = Duration::from_millis(100);
/// Pushes that nobody asked for are no closer than this.
const PUSH_APART: Duration = Duration::from_millis(50);
/// Pushes that may follow each other so closely, and how long it takes to earn another one.
const TOKENS: u32 = 60;
const TOKEN: Duration = Duration::from_secs(2);
/// How long after a change, here or there, others are likely to be at work.
const ACTIVE: Duration = Duration::from_mins(10);
/// Time between looks at HEAD, in such times and in others.
const LOOK_ACTIVE: Duration = Duration::from_millis(250);
const LOOK_IDLE: Duration = Duration::from_secs(15);
/// Readable copies that are due are written after this; what changes again meanwhile waits on.
pub(crate) const COPIES: Duration = Duration::from_secs(2);
/// Time between listings of what was changed from outside.
const LIST: Duration = Duration::from_mins(5);
/// The wait after the first failure, which doubles with each, and the longest.
const RETRY: Duration = Duration::from_millis(500);
const RETRY_MAX: Duration = Duration::from_mins(1);

/// What happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// Something changed here.
    Changed,
    /// Somebody waits until both agree.
    Asked,
    /// Work is taken up.
    Began(Work),
    /// It is done: whether anything changed here or there, and whether copies are due.
    Finished { news: bool, copies: bool },
    /// It failed.
    Failed(ErrorKind),
}

/// What can be due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// Sending what changed here, and taking over what changed there.
    Push,
    /// Looking whether anything changed there.
    Look,
    /// Listing what was changed from outside.
    List,
    /// Writing readable copies.
    Copies,
}

/// Work, and from when on it is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Due {
    pub(crate) at: Duration,
    pub(crate) work: Work,
}

/// The pace of one space.
#[derive(Clone, Debug)]
pub(crate) struct Pace {
    wishes: Wishes,
    /// Wishes that the work under way serves.
    served: Wishes,
    working: Work,
    /// Nothing is due before this.
    not_before: Duration,
    failures: u32,
    /// When the last push began.
    pushed: Option<Duration>,
    looked: Option<Duration>,
    listed: Option<Duration>,
    /// From when on copies are written.
    copies: Option<Duration>,
    active_until: Duration,
    tokens: u32,
    /// Tokens are counted up to here.
    counted: Duration,
    random: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Wishes {
    /// Since when a change waits.
    changed: Option<Duration>,
    asked: bool,
}

impl Pace {
    /// Starts following; the seed tells machines apart that fail at the same time.
    pub(crate) fn new(seed: u64, now: Duration) -> Self {
        Self {
            wishes: Wishes::default(),
            served: Wishes::default(),
            working: Work::Look,
            not_before: now + START,
            failures: 0,
            pushed: None,
            looked: None,
            listed: None,
            copies: None,
            // Whoever begins to follow expects to hear of others.
            active_until: now + ACTIVE,
            tokens: TOKENS,
            counted: now,
            random: seed,
        }
    }

    /// Takes note of what happens and returns what is due next.
    pub(crate) fn step(&mut self, event: Event, now: Duration) -> Due {
        self.earn(now);
        match event {
            Event::Changed => {
                self.wishes.changed.get_or_insert(now);
                self.active_until = now + ACTIVE;
            }
            Event::Asked => {
                self.wishes.asked = true;
                self.not_before = now;
            }
            Event::Began(work) => self.begin(work, now),
            Event::Finished { news, copies } => {
                self.finish(news, now);
                self.copies = copies.then(|| self.copies.unwrap_or(now + COPIES));
            }
            Event::Failed(kind) => {
                // Who asked meanwhile does not wait because of others.
                let pause = if self.wishes.asked { Duration::ZERO } else { self.retry(kind) };
                self.wishes.take_back(self.served);
                self.served = Wishes::default();
                if self.working == Work::Copies {
                    self.copies = Some(now);
                }
                self.not_before = now + pause;
                self.failures = self.failures.saturating_add(1);
            }
        }
        self.due(now)
    }

    /// Returns what is due next; of two things at one time, the more urgent.
    pub(crate) fn due(&self, now: Duration) -> Due {
        let look = if now < self.active_until { LOOK_ACTIVE } else { LOOK_IDLE };
        let after = |last: Option<Duration>, pause| last.map_or(Duration::ZERO, |at| at + pause);
        let push = if self.wishes.asked {
            Some(Duration::ZERO)
        } else {
            // The token that comes next, if none is left.
            let token = if self.tokens == 0 { self.counted + TOKEN } else { Duration::ZERO };
            self.wishes.changed.map(|at| at.max(after(self.pushed, PUSH_APART)).max(token))
        };
        let candidates = [
            push.map(|at| (at, Work::Push)),
            Some((after(self.looked, look), Work::Look)),
            Some((after(self.listed, LIST), Work::List)),
            self.copies.map(|at| (at, Work::Copies)),
        ];
        // What is late is as urgent as what is due now.
        let soonest = self.not_before.max(now);
        let due = |(at, work): (Duration, Work)| Due { at: at.max(soonest), work };
        let first = candidates.into_iter().flatten().map(due).min_by_key(|due| due.at);
        first.expect("there is always a next look")
    }

    /// Returns since when a change waits.
    pub(crate) fn waiting_since(&self) -> Option<Duration> {
        let (waiting, served) = (self.wishes.changed, self.served.changed);
        served.or(waiting)
    }

    /// Returns when what failed is tried again, if it failed.
    pub(crate) fn retry_at(&self) -> Option<Duration> {
        (self.failures > 0).then_some(self.not_before)
    }

    fn begin(&mut self, work: Work, now: Duration) {
        self.working = work;
        if work == Work::Push {
            self.served = std::mem::take(&mut self.wishes);
            self.pushed = Some(now);
            self.tokens = self.tokens.saturating_sub(1);
        }
        if work == Work::Copies {
            self.copies = None;
        }
    }

    fn finish(&mut self, news: bool, now: Duration) {
        self.served = Wishes::default();
        (self.failures, self.not_before) = (0, now);
        match self.working {
            Work::Push | Work::Look => self.looked = Some(now),
            Work::List => self.listed = Some(now),
            Work::Copies => {}
        }
        if news {
            self.active_until = now + ACTIVE;
        }
    }

    /// Counts the tokens that came back.
    fn earn(&mut self, now: Duration) {
        while self.tokens < TOKENS && self.counted + TOKEN <= now {
            self.tokens += 1;
            self.counted += TOKEN;
        }
        if self.tokens == TOKENS {
            self.counted = now;
        }
    }

    /// Draws how long to wait after a failure: what a person has to mend takes its time.
    fn retry(&mut self, kind: ErrorKind) -> Duration {
        let lasting = matches!(
            kind,
            ErrorKind::Denied | ErrorKind::Invalid | ErrorKind::Unsupported | ErrorKind::Corrupt
        );
        if lasting {
            return RETRY_MAX;
        }
        let longest = RETRY.saturating_mul(1 << self.failures.min(16)).min(RETRY_MAX);
        // A step of SplitMix64; machines that failed together must not come back together.
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.random ^ (self.random >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        longest / 2 + longest / 2 * u32::from((mixed >> 56) as u8) / 256
    }
}

impl Wishes {
    /// Takes back wishes that were to be served.
    fn take_back(&mut self, served: Self) {
        self.changed = served.changed.or(self.changed);
        self.asked |= served.asked;
    }
}

#[cfg(test)]
mod tests;
