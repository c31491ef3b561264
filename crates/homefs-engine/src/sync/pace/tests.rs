//! A virtual timeline: what is due is done when it is due, and nothing takes time.

use proptest::prelude::*;

use super::*;

const fn ms(count: u64) -> Duration {
    Duration::from_millis(count)
}

/// A follower that does what is due, and notes when.
struct Line {
    pace: Pace,
    now: Duration,
    done: Vec<Due>,
}

impl Line {
    fn new() -> Self {
        Self { pace: Pace::new(7, Duration::ZERO), now: Duration::ZERO, done: Vec::new() }
    }

    fn tell(&mut self, event: Event) {
        self.pace.step(event, self.now);
    }

    /// Does what is due up to a moment; `how` says how each piece of work ends.
    fn run_until(&mut self, end: Duration, mut how: impl FnMut(Work) -> Event) {
        loop {
            let due = self.pace.due(self.now);
            if due.at > end {
                break;
            }
            self.now = self.now.max(due.at);
            self.done.push(Due { at: self.now, work: due.work });
            self.tell(Event::Began(due.work));
            self.tell(how(due.work));
        }
        self.now = end;
    }

    fn times(&self, work: Work) -> Vec<Duration> {
        self.done.iter().filter(|done| done.work == work).map(|done| done.at).collect()
    }
}

fn well(_: Work) -> Event {
    Event::Finished { news: false, copies: false }
}

#[test]
fn a_short_command_does_not_touch_the_network_unless_asked() {
    let mut line = Line::new();
    line.tell(Event::Changed);
    line.run_until(ms(99), well);
    assert_eq!(line.done, []);
    line.tell(Event::Asked);
    line.run_until(ms(99), well);
    assert_eq!(line.times(Work::Push), [ms(99)]);
}

#[test]
fn a_change_is_pushed_at_once_and_those_after_it_gather() {
    let mut line = Line::new();
    line.run_until(ms(1000), well);
    for at in [1000, 1010, 1020] {
        line.run_until(ms(at), well);
        line.tell(Event::Changed);
    }
    line.run_until(ms(2000), well);
    assert_eq!(line.times(Work::Push), [ms(1000), ms(1050)]);
}

#[test]
fn many_changes_are_pushed_no_faster_than_tokens_come_back() {
    let mut line = Line::new();
    for at in 0..6_000 {
        line.run_until(ms(at * 100), well);
        line.tell(Event::Changed);
    }
    let pushes = line.times(Work::Push).len();
    assert!((300..=362).contains(&pushes), "{pushes} pushes in ten minutes");
}

#[test]
fn head_is_looked_at_often_while_something_happens() {
    let mut line = Line::new();
    let looks_in = |line: &mut Line, minute: u64| {
        line.run_until(Duration::from_mins(minute), well);
        line.done.clear();
        line.run_until(Duration::from_mins(minute + 1), well);
        line.times(Work::Look).len()
    };
    // Whoever begins to follow is taken to be active.
    assert!((230..=241).contains(&looks_in(&mut line, 1)));
    assert_eq!(looks_in(&mut line, 12), 4);
    line.tell(Event::Changed);
    assert!((230..=241).contains(&looks_in(&mut line, 14)));
    assert_eq!(looks_in(&mut line, 30), 4);
}

#[test]
fn what_comes_from_outside_is_listed_every_five_minutes() {
    let mut line = Line::new();
    line.run_until(Duration::from_mins(16), well);
    let lists = line.times(Work::List);
    assert_eq!(lists.len(), 4);
    assert!(lists.is_sorted_by(|a, b| *b >= *a + LIST));
}

#[test]
fn failures_wait_longer_and_longer_and_lasting_ones_long_at_once() {
    let mut line = Line::new();
    line.tell(Event::Changed);
    line.run_until(Duration::from_mins(10), |_| Event::Failed(ErrorKind::Unavailable));
    let waits: Vec<_> =
        line.done.windows(2).map(|pair| pair[1].at.saturating_sub(pair[0].at)).collect();
    assert!(waits[0] >= ms(250) && waits[0] <= ms(500), "{:?}", waits[0]);
    assert!(waits.iter().all(|wait| *wait <= RETRY_MAX));
    assert!(waits.last().unwrap() >= &(RETRY_MAX / 2));
    assert!(line.done.iter().all(|due| due.work == Work::Push), "the wish stays");

    let mut line = Line::new();
    line.run_until(Duration::from_mins(5), |_| Event::Failed(ErrorKind::Denied));
    assert_eq!(line.done.len(), 5);
}

#[test]
fn who_asks_does_not_wait_for_the_retry() {
    let mut line = Line::new();
    line.run_until(ms(200), |_| Event::Failed(ErrorKind::Denied));
    line.tell(Event::Asked);
    assert_eq!(line.pace.due(line.now), Due { at: ms(200), work: Work::Push });
}

#[test]
fn copies_are_written_a_little_later_and_again_until_none_is_due() {
    let mut line = Line::new();
    let mut due = 2;
    line.tell(Event::Asked);
    line.run_until(Duration::from_secs(10), |work| {
        due -= i32::from(work == Work::Copies);
        Event::Finished { news: false, copies: due > 0 }
    });
    assert_eq!(line.times(Work::Copies), [ms(2000), ms(4000)]);
}

fn happening() -> impl Strategy<Value = (u64, Event, bool)> {
    let event = prop_oneof![4 => Just(Event::Changed), 1 => Just(Event::Asked)];
    (0_u64..3_000, event, any::<bool>())
}

proptest! {
    #[test]
    fn pushes_keep_apart_and_no_wish_is_lost(happenings in prop::collection::vec(happening(), 1..60)) {
        let mut line = Line::new();
        let mut unasked = Vec::new();
        for (wait, event, fails) in happenings {
            let end = line.now + ms(wait);
            line.run_until(end, |work| match work {
                Work::Push if fails => Event::Failed(ErrorKind::Unavailable),
                _ => Event::Finished { news: true, copies: false },
            });
            line.tell(event);
            unasked.push(event == Event::Changed);
            // Something is always due, within the longest wait there is.
            prop_assert!(line.pace.due(line.now).at <= line.now + RETRY_MAX);
        }
        let end = line.now + Duration::from_mins(5);
        line.run_until(end, well);
        prop_assert!(line.pace.waiting_since().is_none() && !line.pace.wishes.asked);
        if unasked.iter().all(|unasked| *unasked) {
            let pushes = line.times(Work::Push);
            prop_assert!(pushes.is_sorted_by(|a, b| *b >= *a + PUSH_APART));
        }
    }

    #[test]
    fn a_change_during_work_is_pushed_after_it(fails in any::<bool>()) {
        let mut line = Line::new();
        line.tell(Event::Changed);
        line.now = ms(100);
        line.tell(Event::Began(Work::Push));
        line.tell(Event::Changed);
        line.tell(if fails { Event::Failed(ErrorKind::Conflict) } else { Event::Finished { news: true, copies: false } });
        let end = line.now + RETRY;
        line.run_until(end, well);
        prop_assert_eq!(line.times(Work::Push).len(), 1);
    }
}

#[test]
fn who_asks_while_a_try_is_failing_does_not_wait() {
    let mut pace = Pace::new(1, Duration::ZERO);
    let mut now = Duration::from_secs(1);
    for _ in 0..10 {
        pace.step(Event::Began(Work::Look), now);
        now = pace.step(Event::Failed(ErrorKind::Unavailable), now).at;
    }
    pace.step(Event::Began(Work::Look), now);
    pace.step(Event::Asked, now);
    let due = pace.step(Event::Failed(ErrorKind::Unavailable), now);
    assert_eq!(due, Due { at: now, work: Work::Push });
    // Its own failure makes it wait, as everybody does.
    pace.step(Event::Began(Work::Push), now);
    assert!(pace.step(Event::Failed(ErrorKind::Unavailable), now).at > now);
}
