//! A virtual timeline of many spaces: what is due is done when it is due, and takes no time.

use super::*;

const HOUR: Duration = Duration::from_hours(1);
const MINUTES: Duration = Duration::from_mins(10);

/// A store with spaces that are there, of which some are used without a pause.
struct Line {
    state: FollowerState,
    clock: Timestamp,
    used: Vec<SpaceName>,
    /// Looks and listings of spaces that are used, and of others.
    busy: usize,
    idle: usize,
    discoveries: usize,
}

impl Line {
    fn new(spaces: usize, used: usize, settings: &Settings) -> Self {
        let clock = Timestamp(1_000_000_000_000);
        let mut state = FollowerState::new(clock, 7, settings);
        let name = |number: usize| -> SpaceName {
            format!("agents/a{number}").parse().expect("a good name")
        };
        for number in 0..spaces {
            state.follow(&name(number)).open = true;
        }
        let used = (0..used).map(name).collect();
        Self { state, clock, used, busy: 0, idle: 0, discoveries: 0 }
    }

    /// Does what is due for so long.
    fn run(&mut self, time: Duration) {
        let end = after(self.clock, time);
        (self.busy, self.idle, self.discoveries) = (0, 0, 0);
        while self.clock < end {
            for name in &self.used {
                self.state.note_use(name, 2, || true, self.clock);
            }
            match self.state.next(self.clock) {
                Assignment::End => unreachable!("nobody stops it"),
                Assignment::Wait(time) => {
                    // As long as somebody uses a space the follower is woken now and then.
                    let most = if self.used.is_empty() { HOUR } else { USE_AGAIN };
                    self.clock = after(self.clock, time.min(most)).min(end);
                }
                Assignment::Discover => {
                    self.discoveries += 1;
                    self.state.discovered(0, self.clock);
                }
                Assignment::Peek(name) => self.state.peeked(&name, true, self.clock),
                Assignment::Serve(name, work) => {
                    let is_used = self.used.contains(&name);
                    *(if is_used { &mut self.busy } else { &mut self.idle }) += 1;
                    let way = self.state.begin(&name, work, self.clock);
                    self.state.finish(&name, way, Ok(stand(0)), self.clock);
                }
            }
        }
    }
}

fn stand(copies_due: u64) -> Stand {
    Stand {
        outcome: Outcome::default(),
        cursor: Version(0),
        commit: 1,
        conflicts: 0,
        copies_due,
        withheld: Vec::new(),
        missing: Vec::new(),
        copies: Copying::Not,
    }
}

#[test]
fn spaces_that_nobody_uses_share_one_look_a_second() {
    for spaces in [1, 300] {
        let mut line = Line::new(spaces, 0, &Settings::default());
        line.run(MINUTES);
        assert!(line.idle <= 601, "{spaces} spaces: {} at first", line.idle);
        // Much later, when all have had their turn once more.
        line.clock = after(line.clock, HOUR * 10);
        line.run(MINUTES * 2);
        line.run(MINUTES);
        // One in five minutes each, and now and then a listing, or their share.
        let most = (spaces * 3).min(601);
        assert!(line.idle <= most && line.idle > 0, "{spaces} spaces: {}", line.idle);
    }
}

#[test]
fn spaces_in_use_are_looked_at_four_times_a_second_however_many_others_there_are() {
    for spaces in [1, 300] {
        let mut line = Line::new(spaces, 1, &Settings::default());
        line.run(MINUTES);
        let busy = 600 * 4;
        assert!((busy * 95 / 100..=busy + 20).contains(&line.busy), "{} looks", line.busy);
        assert!(line.idle <= 601, "{spaces} spaces: {} others", line.idle);
        // Who is no longer used is one of many.
        line.used.clear();
        line.clock = after(line.clock, MINUTES * 2);
        line.run(MINUTES);
        assert!(line.busy + line.idle <= 601, "{} and {}", line.busy, line.idle);
    }
}

#[test]
fn every_space_has_its_turn() {
    let mut line = Line::new(200, 1, &Settings::default());
    line.run(MINUTES);
    let never = line.state.followed.values().filter(|followed| followed.ended == 0).count();
    assert_eq!(never, 0);
}

#[test]
fn the_rates_are_settings() {
    let settings =
        Settings { looks_per_minute: 6, idle_looks_per_minute: 2, ..Settings::default() };
    let mut line = Line::new(100, 1, &settings);
    line.run(HOUR);
    assert!((350..=380).contains(&line.busy), "{} looks", line.busy);
    assert!(line.idle <= 121, "{} others", line.idle);
    let none = Settings { idle_looks_per_minute: 0, ..Settings::default() };
    let mut line = Line::new(100, 0, &none);
    line.run(HOUR);
    assert!(line.idle <= 1, "{} looks", line.idle);
}

#[test]
fn many_shared_spaces_are_looked_for_more_rarely() {
    let mut line = Line::new(0, 0, &Settings::default());
    line.state.discovered(1_000, line.clock);
    line.run(Duration::from_mins(66));
    assert_eq!(line.discoveries, 0);
    line.run(Duration::from_mins(2));
    assert_eq!(line.discoveries, 1);
}

#[test]
fn what_waits_here_is_pushed_before_anything_is_asked_for_spaces_that_nobody_uses() {
    let mut line = Line::new(1_000, 0, &Settings::default());
    let name: SpaceName = "agents/a999".parse().expect("a good name");
    line.run(Duration::from_secs(1));
    // A peek finds what a short command left.
    line.state.follow(&name).note(&stand(0));
    line.state.note_versions(&[(name.clone(), Version(3))], line.clock);
    let Assignment::Serve(next, Work::Push) = line.state.next(line.clock) else {
        panic!("a push is due")
    };
    assert_eq!(next, name);
}

#[test]
fn who_waits_for_copies_waits_until_they_are_written_or_given_up() {
    let mut line = Line::new(1, 0, &Settings::default());
    let name: SpaceName = "agents/a0".parse().expect("a good name");
    line.run(Duration::from_secs(1));
    line.state.follow(&name).asked = Some((Direction::Both, true));
    let mut serve = |work, stand: Stand| {
        let way = line.state.begin(&name, work, line.clock);
        line.state.finish(&name, way, Ok(stand), line.clock);
        let followed = line.state.follow(&name);
        (followed.wants_copies, followed.failure.is_some())
    };
    let slice = |copies_due, copies| Stand { copies, ..stand(copies_due) };
    assert_eq!(serve(Work::Push, stand(300)), (true, false));
    assert_eq!(serve(Work::Copies, slice(172, Copying::Some)), (true, false));
    assert_eq!(serve(Work::Copies, slice(44, Copying::Some)), (true, false));
    assert_eq!(serve(Work::Copies, slice(1, Copying::All)), (true, false));
    assert_eq!(serve(Work::Copies, slice(0, Copying::All)), (false, false));
    line.state.follow(&name).asked = Some((Direction::Both, true));
    let mut serve = |work, stand: Stand| {
        let way = line.state.begin(&name, work, line.clock);
        line.state.finish(&name, way, Ok(stand), line.clock);
        let followed = line.state.follow(&name);
        (followed.wants_copies, followed.failure.is_some())
    };
    assert_eq!(serve(Work::Push, stand(1)), (true, false));
    for _ in 1..PASSES_MAX {
        assert_eq!(serve(Work::Copies, slice(1, Copying::All)), (true, false));
    }
    assert_eq!(serve(Work::Copies, slice(1, Copying::All)), (false, true));
}
