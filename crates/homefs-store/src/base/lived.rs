//! How long a space has lived, by a clock that may be wrong.
//!
//! Ages decide what is destroyed, so one look at the clock decides nothing. A look that is near the
//! last one moves time on. Any other is doubted. A doubted clock is believed when it has run on for
//! two days; and where looks are few and far between, so is the first of them when eight more have
//! gone on from there. So a laptop that was closed for a month is believed after a while, and a
//! clock that shows 2040 for a day never is. Going back moves nothing: what has lived does not get
//! younger, and the clock counts from there once it is believed.

use std::time::Duration;

use homefs_core::{Timestamp, Version};
use serde::{Deserialize, Serialize};

/// A look no further than this from the last one is not doubted: nights and time zones.
const STEP: Duration = Duration::from_hours(24);
/// For how long a doubted clock must run on to be believed.
pub(super) const BELIEVED: Duration = Duration::from_hours(48);
/// The most that one look adds to that, so that few of them cannot do.
const LOOK_MAX: Duration = Duration::from_hours(6);
/// How many looks, each further from the last than [`STEP`], confirm the one before them.
const JUMPS: u32 = 8;
/// 2026-01-01: there was no homefs, so a clock before it has not been set yet.
const FLOOR: Timestamp = Timestamp(1_767_225_600 * 1_000_000_000);

/// Time that has passed for a space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Lived {
    /// How long the space has lived.
    pub(super) time: Duration,
    /// What the clock showed then; `None` before the first look.
    pub(super) at: Option<Timestamp>,
    /// What it has shown since, if that is doubted.
    pub(super) doubt: Option<Doubt>,
}

/// What a look at the clock tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Looked {
    /// The space had this version at the time to which it has lived.
    Had(Version),
    /// The clock is ahead, and doubted from now on. If it is right, it may have been behind before:
    /// what is known of the last [`BELIEVED`] is not certain.
    Ahead,
    Nothing,
}

/// A clock that is doubted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Doubt {
    /// The first that it showed, and the version of the space then.
    first: (Timestamp, Version),
    /// How often it jumped forward since.
    jumps: u32,
    /// What it showed after the last jump, and the version then.
    run: (Timestamp, Version),
    /// For how long it has run on from there.
    ran: Duration,
    /// The latest that it has shown.
    last: Timestamp,
}

impl Lived {
    /// Takes a look at the clock when the space is at `version`.
    pub(super) fn look(&mut self, now: Timestamp, version: Version) -> Looked {
        if now < FLOOR {
            return Looked::Nothing;
        }
        let at = *self.at.get_or_insert(now);
        if now.since(at) <= STEP && at.since(now) <= STEP {
            self.move_to(now.max(at));
            self.doubt = None;
            return Looked::Had(version);
        }
        let mut doubt = Doubt::after(self.doubt, now, version);
        if doubt.ran >= BELIEVED {
            self.move_to(now);
            self.doubt = None;
            return Looked::Had(version);
        }
        let is_new = doubt.jumps == 0 && doubt.run.0 == now;
        let mut looked = if is_new && now > at { Looked::Ahead } else { Looked::Nothing };
        if doubt.jumps >= JUMPS {
            let (first, had) = doubt.first;
            // One odd look back, and then the truth, is not a clock that went back.
            if (first > at) == (now > at) {
                self.move_to(first);
                looked = Looked::Had(had);
            }
            (doubt.first, doubt.jumps) = (doubt.run, 0);
        }
        self.doubt = Some(doubt);
        looked
    }

    /// What the clock showed last.
    pub(super) fn shown(&self) -> Option<Timestamp> {
        self.doubt.map(|doubt| doubt.last).or(self.at)
    }

    fn move_to(&mut self, now: Timestamp) {
        self.time += now.since(self.at.unwrap_or(now));
        self.at = Some(now);
    }
}

impl Doubt {
    /// Returns what is doubted after one more look.
    fn after(before: Option<Self>, now: Timestamp, version: Version) -> Self {
        let went_back = |doubt: &Self| doubt.last.since(now) > STEP;
        let Some(mut doubt) = before.filter(|doubt| !went_back(doubt)) else {
            let shown = (now, version);
            return Self { first: shown, jumps: 0, run: shown, ran: Duration::ZERO, last: now };
        };
        let step = now.since(doubt.last);
        if step > STEP {
            (doubt.jumps, doubt.run, doubt.ran) = (doubt.jumps + 1, (now, version), Duration::ZERO);
        } else {
            doubt.ran += step.min(LOOK_MAX);
        }
        doubt.last = doubt.last.max(now);
        doubt
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const HOUR: Duration = Duration::from_hours(1);
    const START: Timestamp = Timestamp(FLOOR.0 + 300 * 86_400 * 1_000_000_000);

    /// What happens to a clock while true time goes on.
    #[derive(Clone, Debug)]
    enum Step {
        /// It is right, and looked at after so many hours.
        Right(u32),
        /// It is wrong by so many days, and looked at so often within a day.
        Wrong { days: i64, looks: u32 },
    }

    fn step() -> impl Strategy<Value = Step> {
        let far = prop_oneof![-30_000..-2i64, 2..30_000i64];
        prop_oneof![
            4 => (0..60u32).prop_map(Step::Right),
            1 => (100..2000u32).prop_map(Step::Right),
            3 => (far, 1..30u32).prop_map(|(days, looks)| Step::Wrong { days, looks }),
        ]
    }

    fn off(time: Timestamp, days: i64) -> Timestamp {
        Timestamp(time.0 + days * 86_400 * 1_000_000_000)
    }

    proptest! {
        #[test]
        fn no_clock_that_jumps_makes_time_pass(
            wrong_at_first in prop::option::of(-30_000..-2i64),
            steps in prop::collection::vec(step(), 0..60),
        ) {
            let (mut lived, mut now) = (Lived::default(), START);
            if let Some(days) = wrong_at_first {
                lived.look(off(now, days.min(-400)), Version(0));
            }
            let born = now;
            lived.look(now, Version(0));
            for step in steps {
                match step {
                    Step::Right(hours) => now = now.after(HOUR * hours),
                    Step::Wrong { days, looks } => for _ in 0..looks {
                        now = now.after(Duration::from_hours(24) / looks);
                        lived.look(off(now, days), Version(0));
                        prop_assert!(lived.time <= now.since(born), "{:?}", lived);
                    }
                }
                lived.look(now, Version(0));
                prop_assert!(lived.time <= now.since(born), "{:?} {:?}", lived, now);
                prop_assert!(lived.at.unwrap() <= now);
            }
            // A clock that stays right is believed, and nothing is left of what it showed before.
            for _ in 0..9 {
                now = now.after(LOOK_MAX);
                lived.look(now, Version(0));
            }
            prop_assert_eq!(lived, Lived { time: now.since(born), at: Some(now), doubt: None });
        }
    }

    #[test]
    fn looks_that_are_few_and_far_between_make_time_pass() {
        let mut lived = Lived::default();
        let week = |number: u32| START.after(HOUR * 24 * 7 * number);
        for number in 0..100 {
            lived.look(week(number), Version(0));
        }
        assert!(lived.at.unwrap() >= week(100 - 2 * JUMPS - 2), "{lived:?}");
        assert_eq!(lived.time, lived.at.unwrap().since(START));
    }

    #[test]
    fn a_clock_that_was_believed_wrongly_does_not_stop_time() {
        let mut lived = Lived::default();
        lived.look(off(START, 5000), Version(0));
        let looks = (0..100u32).map(|hours| START.after(HOUR * hours));
        let looked = looks.map(|now| lived.look(now, Version(0)));
        let believed = looked.filter(|looked| *looked == Looked::Had(Version(0))).count();
        assert_eq!(believed, 100 - 48);
        assert_eq!((lived.time, lived.at), (HOUR * 51, Some(START.after(HOUR * 99))));
    }
}
