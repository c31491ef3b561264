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
/// Pushes that may follow each other so closely, and how long it takes to earn another one: whoever
/// writes without a pause waits this long at most, and others look soon after.
const TOKENS: u32 = 60;
const TOKEN: Duration = Duration::from_secs(1);
/// How long a space that somebody used counts as in use.
const IN_USE: Duration = Duration::from_mins(10);
/// Time between looks at HEAD for a space that nobody uses: the shortest, and the longest. It grows
/// with the time since anything happened, as a part of that time.
const LOOK_IDLE: Duration = Duration::from_secs(15);
const LOOK_OLD: Duration = Duration::from_mins(5);
const LOOK_PART: u32 = 40;
/// Such a space is listed so much more rarely than it is looked at.
const LIST_PART: u32 = 20;
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
    /// Somebody reads or writes here.
    Used,
    /// This machine has never heard what the remote has.
    New,
    /// Somebody waits until both agree.
    Asked,
    /// Work is taken up.
    Began(Work),
    /// It is done: whether anything changed here or there, and which copies are due.
    Finished { news: bool, copies: CopiesDue },
    /// It failed.
    Failed(ErrorKind),
}

/// Which readable copies are to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CopiesDue {
    None,
    /// Some, of files that may change again in a moment.
    Later,
    /// Some that wait for nothing but their turn.
    Now,
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
    pub at: Duration,
    pub work: Work,
    /// Since when, or from when on, it is wanted: what others keep waiting is due later than that.
    pub wanted: Duration,
    /// Whether it takes a share of what all spaces that nobody uses may ask together.
    pub(crate) is_idle: bool,
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
    /// Until when the space counts as in use.
    used_until: Duration,
    /// When anything last happened, here or there.
    stirred: Duration,
    /// Whether somebody has the space open, though nobody may be seen to use it: a kernel answers
    /// most reads of a mount itself.
    pub is_held: bool,
    /// Whether this machine has yet to hear what the remote has.
    is_new: bool,
    /// Time between looks while it is in use.
    look_in_use: Duration,
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
    /// Starts following; the seed tells machines apart that fail at the same time. A space that is
    /// in use is looked at this often.
    pub(crate) fn new(seed: u64, now: Duration, look_in_use: Duration) -> Self {
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
            // Nobody uses it because it was found.
            used_until: now,
            stirred: now,
            is_held: false,
            is_new: false,
            look_in_use,
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
                // Not a use: what others changed changes this space too.
                self.wishes.changed.get_or_insert(now);
                self.stirred = now;
            }
            Event::Used => (self.used_until, self.stirred) = (now + IN_USE, now),
            Event::New => self.is_new = true,
            Event::Asked => {
                self.wishes.asked = true;
                self.not_before = now;
            }
            Event::Began(work) => self.begin(work, now),
            Event::Finished { news, copies } => {
                self.finish(news, now);
                self.copies = match copies {
                    CopiesDue::None => None,
                    CopiesDue::Later => Some(self.copies.unwrap_or(now + COPIES)),
                    CopiesDue::Now => Some(now),
                };
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
        self.due(now, Duration::ZERO)
    }

    /// Returns what is due next; of two things at one time, the more urgent. What is idle is not
    /// due before `idle`.
    pub(crate) fn due(&self, now: Duration, idle: Duration) -> Due {
        let (look, list) = self.pauses(now);
        let is_idle = self.is_idle(now);
        let idle = if is_idle { idle } else { Duration::ZERO };
        let after = |last: Option<Duration>, pause| last.map_or(Duration::ZERO, |at| at + pause);
        let push = if self.wishes.asked {
            Some(Duration::ZERO)
        } else {
            // The token that comes next, if none is left.
            let token = if self.tokens == 0 { self.counted + TOKEN } else { Duration::ZERO };
            self.wishes.changed.map(|at| at.max(after(self.pushed, PUSH_APART)).max(token))
        };
        // What is late is as urgent as what is due now.
        let soonest = self.not_before.max(now);
        let due = |wanted: Duration, work, is_idle| {
            let at = if is_idle { wanted.max(idle) } else { wanted };
            Due { at: at.max(soonest), work, wanted, is_idle }
        };
        let candidates = [
            push.map(|at| due(at, Work::Push, false)),
            Some(due(after(self.looked, look), Work::Look, is_idle)),
            Some(due(after(self.listed, list), Work::List, is_idle)),
            self.copies.map(|at| due(at, Work::Copies, false)),
        ];
        // Of what is due now, pushes come first, and then what has waited longest.
        let urgency = |due: &Due| (due.at, due.work != Work::Push, due.wanted);
        let first = candidates.into_iter().flatten().min_by_key(urgency);
        first.expect("there is always a next look")
    }

    /// Tells whether looks and listings take a share of what idle spaces may ask.
    pub(crate) fn is_idle(&self, now: Duration) -> bool {
        now >= self.used_until && !self.is_new
    }

    /// Returns the time between looks, and between listings.
    fn pauses(&self, now: Duration) -> (Duration, Duration) {
        if !self.is_idle(now) {
            return (self.look_in_use, LIST);
        }
        let most = if self.is_held { LOOK_IDLE } else { LOOK_OLD };
        let look = (now.saturating_sub(self.stirred) / LOOK_PART).clamp(LOOK_IDLE, most);
        (look, LIST.max(look * LIST_PART))
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
            Work::Push | Work::Look => {
                self.looked = Some(now);
                self.is_new = false;
            }
            Work::List => self.listed = Some(now),
            Work::Copies => {}
        }
        if news {
            // Others are at work; whoever uses the space here hears of them soon anyway.
            self.stirred = now;
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
