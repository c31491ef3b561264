//! A virtual timeline: what is due is done when it is due, and nothing takes time.

use proptest::prelude::*;

use super::*;

const fn ms(count: u64) -> Duration {
    Duration::from_millis(count)
}

const LOOK: Duration = ms(250);

/// A follower that does what is due, and notes when.
struct Line {
    pace: Pace,
    now: Duration,
    done: Vec<Due>,
}

impl Line {
    /// A space that somebody begins to use.
    fn new() -> Self {
        let mut line = Self::idle();
        line.tell(Event::Used);
        line
    }

    /// A space that nobody uses.
    fn idle() -> Self {
        let pace = Pace::new(7, Duration::ZERO, LOOK);
        Self { pace, now: Duration::ZERO, done: Vec::new() }
    }

    fn tell(&mut self, event: Event) {
        self.pace.step(event, self.now);
    }

    /// Does what is due up to a moment; `how` says how each piece of work ends.
    fn run_until(&mut self, end: Duration, mut how: impl FnMut(Work) -> Event) {
        loop {
            let due = self.pace.due(self.now, Duration::ZERO);
            if due.at > end {
                break;
            }
            self.now = self.now.max(due.at);
            self.done.push(Due { at: self.now, ..due });
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
    Event::Finished { news: false, copies: CopiesDue::None }
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

/// Changes every so often for ten minutes, while each request takes its time, and returns how long
/// each change waited until a machine that looks as often as this one saw it, and the pushes.
fn write_for_ten_minutes(every: Duration, request: Duration) -> (Vec<Duration>, usize) {
    let mut line = Line::new();
    let (mut waiting, mut seen, mut pushes) = (Vec::new(), Vec::new(), 0);
    let mut next = ms(1_000);
    while next < Duration::from_mins(10) {
        let due = line.pace.due(line.now, Duration::ZERO);
        if due.at > next {
            line.now = line.now.max(next);
            waiting.push(next);
            line.tell(Event::Changed);
            next += every;
            continue;
        }
        line.now = line.now.max(due.at);
        line.tell(Event::Began(due.work));
        // A push sends its pack and its commit, and then HEAD; a look is one request.
        line.now += if due.work == Work::Push { 2 * request } else { request };
        if due.work == Work::Push {
            pushes += 1;
            // The other machine has just looked, and then fetches HEAD, the commit and its pack.
            let visible = line.now + LOOK + 3 * request;
            seen.extend(waiting.drain(..).map(|at| visible.saturating_sub(at)));
        }
        // What changes meanwhile waits for the next push.
        while next <= line.now {
            waiting.push(next);
            line.tell(Event::Changed);
            next += every;
        }
        line.tell(well(due.work));
    }
    (seen, pushes)
}

#[test]
fn a_change_is_seen_elsewhere_within_two_seconds_whatever_the_rate() {
    for every in [5, 40, 99, 250, 900, 1_000, 1_100, 2_500, 30_000] {
        for request in [0, 20, 100] {
            let (mut seen, pushes) = write_for_ten_minutes(ms(every), ms(request));
            seen.sort_unstable();
            let last = seen[(seen.len() * 95 / 100).min(seen.len() - 1)];
            assert!(last <= ms(2_000), "every {every} ms, requests {request} ms: {last:?}");
            // What they may cost: the first 60, and one each second.
            assert!(pushes <= 661, "every {every} ms: {pushes} pushes in ten minutes");
        }
    }
}

#[test]
fn head_is_looked_at_often_while_somebody_uses_the_space() {
    let mut line = Line::new();
    let looks_in = |line: &mut Line, minute: u64| {
        line.run_until(Duration::from_mins(minute), well);
        line.done.clear();
        line.run_until(Duration::from_mins(minute + 1), well);
        line.times(Work::Look).len()
    };
    assert!((230..=241).contains(&looks_in(&mut line, 1)));
    assert_eq!(looks_in(&mut line, 12), 3);
    line.tell(Event::Used);
    assert!((230..=241).contains(&looks_in(&mut line, 14)));
    assert!(looks_in(&mut line, 30) <= 2);
    // What others do there is no use of it here.
    line.tell(Event::Began(Work::Look));
    line.tell(Event::Finished { news: true, copies: CopiesDue::None });
    assert_eq!(looks_in(&mut line, 31), 4);
}

#[test]
fn the_longer_nothing_happens_the_rarer_the_looks() {
    let looks_after = |is_held: bool, hours: u64, time: u64| {
        let mut line = Line::idle();
        line.pace.is_held = is_held;
        line.run_until(Duration::from_hours(hours), well);
        line.done.clear();
        line.run_until(Duration::from_hours(hours + time), well);
        (line.times(Work::Look).len(), line.times(Work::List).len())
    };
    assert_eq!(looks_after(false, 48, 5), (60, 3));
    let first = looks_after(false, 0, 1);
    assert!(first.0 < 120 && first.0 > 60, "{first:?}");
    // Somebody may be reading what the kernel keeps of it.
    assert_eq!(looks_after(true, 48, 5), (1_200, 60));
}

#[test]
fn what_comes_from_outside_is_listed_every_five_minutes() {
    let mut line = Line::new();
    for minute in [8, 16] {
        line.run_until(Duration::from_mins(minute), well);
        line.tell(Event::Used);
    }
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
    let due = line.pace.due(line.now, Duration::ZERO);
    assert_eq!((due.at, due.work), (ms(200), Work::Push));
}

#[test]
fn copies_that_wait_for_nothing_let_pushes_and_looks_go_first() {
    let mut line = Line::new();
    line.run_until(ms(1_000), well);
    line.tell(Event::Began(Work::Push));
    line.tell(Event::Finished { news: true, copies: CopiesDue::Now });
    // Each slice takes 200 ms, and there is a change every 100 ms.
    for _ in 0..50 {
        let due = line.pace.due(line.now, Duration::ZERO);
        assert!(due.at <= line.now, "there is always something to do");
        line.done.push(Due { at: line.now, ..due });
        line.tell(Event::Began(due.work));
        line.now += if due.work == Work::Copies { ms(200) } else { ms(20) };
        line.tell(Event::Changed);
        line.tell(Event::Finished { news: false, copies: CopiesDue::Now });
    }
    let most = |work: Work| {
        let times = line.times(work);
        times.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).max().expect("many")
    };
    assert!(most(Work::Push) <= ms(250), "{:?}", most(Work::Push));
    assert!(most(Work::Copies) <= ms(500), "{:?}", most(Work::Copies));
}

#[test]
fn copies_are_written_a_little_later_and_again_until_none_is_due() {
    let mut line = Line::new();
    let mut due = 2;
    line.tell(Event::Asked);
    line.run_until(Duration::from_secs(10), |work| {
        due -= i32::from(work == Work::Copies);
        Event::Finished {
            news: false,
            copies: if due > 0 { CopiesDue::Later } else { CopiesDue::None },
        }
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
                _ => Event::Finished { news: true, copies: CopiesDue::None },
            });
            line.tell(event);
            unasked.push(event == Event::Changed);
            // Something is always due, within the longest wait there is.
            prop_assert!(line.pace.due(line.now, Duration::ZERO).at <= line.now + RETRY_MAX);
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
        line.tell(if fails { Event::Failed(ErrorKind::Conflict) } else { Event::Finished { news: true, copies: CopiesDue::None } });
        let end = line.now + RETRY;
        line.run_until(end, well);
        prop_assert_eq!(line.times(Work::Push).len(), 1);
    }
}

#[test]
fn who_asks_while_a_try_is_failing_does_not_wait() {
    let mut pace = Pace::new(1, Duration::ZERO, LOOK);
    let mut now = Duration::from_secs(1);
    for _ in 0..10 {
        pace.step(Event::Began(Work::Look), now);
        now = pace.step(Event::Failed(ErrorKind::Unavailable), now).at;
    }
    pace.step(Event::Began(Work::Look), now);
    pace.step(Event::Asked, now);
    let due = pace.step(Event::Failed(ErrorKind::Unavailable), now);
    assert_eq!((due.at, due.work), (now, Work::Push));
    // Its own failure makes it wait, as everybody does.
    pace.step(Event::Began(Work::Push), now);
    assert!(pace.step(Event::Failed(ErrorKind::Unavailable), now).at > now);
}
