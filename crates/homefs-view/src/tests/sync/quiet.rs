//! A machine that only takes part says nothing: whoever has pulled has nothing to push.

use std::sync::Arc;

use homefs_core::{Path, Timestamp};
use homefs_sync::format::keys;
use homefs_sync::status::Direction;
use homefs_testkit::{MemoryServer, VirtualClock};

use super::desk::{Desk, at};
use super::desks;
use super::simulation::{Dice, act};

/// A machine that has seen nothing yet, whose clock is far ahead.
fn new_machine(server: &MemoryServer) -> Desk {
    Desk::new(server, 9, &Arc::new(VirtualClock::new(Timestamp(9_000_000_000_000_000))))
}

/// Lets a machine sync as often as it likes, and checks that nobody hears of it.
fn check_quiet(server: &MemoryServer, desk: &Desk, seed: u64) {
    let head = || server.objects().get(keys::HEAD).cloned();
    let before = head();
    for _ in 0..3 {
        let outcome = desk.round().expect("the remote answers");
        assert_eq!((outcome.pushed, outcome.conflicts), (0, 0), "seed {seed}");
    }
    assert_eq!(head(), before, "seed {seed}");
}

#[test]
fn who_has_only_pulled_has_nothing_to_push() {
    for seed in 0..12 {
        let mut dice = Dice(seed);
        let (server, desks) = desks(2);
        let reader = new_machine(&server);
        for step in 0..30 {
            let writer = dice.pick(&desks);
            act(writer, &mut dice, step);
            if dice.roll(3) == 0 {
                writer.round().expect("the remote answers");
            }
            if dice.roll(5) == 0 {
                reader.pair.round(Direction::Pull).expect("the remote answers");
                check_quiet(&server, &reader, seed);
            }
        }
        check_quiet(&server, &reader, seed);
        check_quiet(&server, &new_machine(&server), seed);
    }
}

#[test]
fn a_clone_of_more_nodes_than_a_record_makes_has_nothing_to_push() {
    let (server, desks) = desks(1);
    for number in 0..5_000 {
        desks[0].write(&format!("/{}/{}/{number}", number % 7, number % 70), "x");
    }
    desks[0].round().expect("the remote answers");
    let clone = new_machine(&server);
    check_quiet(&server, &clone, 0);
    let modified = |desk: &Desk, path: &Path| desk.view.stat(path).expect("it is there").modified;
    for path in [at("/"), at("/3"), at("/3/3")] {
        assert_eq!(modified(&clone, &path), modified(&desks[0], &path), "{path}");
    }
}
