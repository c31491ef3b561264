//! What happens when a machine dies, or the remote fails, at each single step.

use homefs_core::ErrorKind;
use homefs_testkit::{Fault, FaultKind};

use super::desk::{Desk, at};
use super::{agree, desks};

/// What a machine does that dies in its round; every step of it is one request.
fn prepare(desk: &Desk, text: &str) {
    desk.write("/notes/a.md", text);
    desk.write("/large", &text.repeat(100_000));
    desk.view.rename(&at("/old"), &at("/new"), crate::RenameMode::Replace).expect("it is there");
}

/// Lets the second machine fail from its request number `step` on, which happens or not, and die.
/// Tells whether it came that far.
fn die_at(step: u64, happens: bool) -> bool {
    let (server, mut desks) = desks(2);
    desks[0].write("/old", "old");
    desks[0].write("/notes/a.md", "one\ntwo\n");
    agree(&desks);
    desks[0].write("/notes/a.md", "one\ntwo\nby a\n");
    desks[0].round().expect("the remote answers");
    prepare(&desks[1], "zero by b\none\ntwo\n");
    let lost = FaultKind::Reset;
    let first = if happens { Fault::after(lost) } else { Fault::before(lost) };
    server.fail(first.of(desks[1].name()).skip(step));
    server.fail(Fault::before(lost).of(desks[1].name()).skip(step).until_healed());
    let done = desks[1].round();
    server.heal();
    desks[1].crash();
    agree(&desks);
    assert_eq!(desks[0].read("/notes/a.md"), "zero by b\none\ntwo\nby a\n");
    assert_eq!(desks[0].read("/new"), "old");
    assert!(desks[0].view.stat(&at("/old")).is_err());
    match done {
        Ok(_) => false,
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::Unavailable, "{error:?}");
            true
        }
    }
}

#[test]
fn a_machine_may_die_at_every_step() {
    for happens in [false, true] {
        let steps = (0..100).take_while(|step| die_at(*step, happens)).count();
        assert!(steps > 5, "{steps} steps");
    }
}

#[test]
fn what_was_sent_is_not_sent_again() {
    let (server, mut desks) = desks(1);
    desks[0].write("/seed", "seed");
    desks[0].round().expect("the remote answers");
    desks[0].write("/large", &"0123456789".repeat(300_000));
    let packs = || {
        let keys = server.objects().into_keys();
        keys.filter(|key| key.starts_with(".homefs/packs/")).count()
    };
    let before = packs();
    // The pack arrives, its answer and everything after it do not.
    server.fail(Fault::after(FaultKind::Reset).below(".homefs/packs/"));
    desks[0].round().expect_err("an answer was lost");
    assert_eq!(packs(), before + 1);
    desks[0].crash();
    desks[0].round().expect("the remote answers");
    assert_eq!(packs(), before + 1, "it was sent twice");
}

#[test]
fn a_damaged_pack_is_told_of_and_hides_nothing_else() {
    let (server, mut desks) = desks(1);
    desks[0].write("/a.md", "first");
    desks[0].round().expect("the remote answers");
    desks[0].write("/b.md", "second");
    desks[0].round().expect("the remote answers");
    let keys = server.objects().into_keys();
    let pack = keys.filter(|key| key.starts_with(".homefs/packs/")).collect::<Vec<_>>();
    let whole: Vec<_> = pack.iter().map(|key| server.objects()[key].clone()).collect();
    for (key, whole) in pack.iter().zip(&whole) {
        let mut damaged = whole.to_vec();
        let last = damaged.len() - 1;
        damaged[last] ^= 1;
        server.put(key.clone(), damaged);
    }
    let clock = std::sync::Arc::new(homefs_testkit::VirtualClock::new(homefs_core::Timestamp(
        2_000_000_000_000,
    )));
    desks.push(Desk::new(&server, 2, &clock));
    let fresh = &desks[1];
    let seen = fresh.round().and_then(|_| fresh.view.read(&at("/a.md")));
    assert_eq!(seen.unwrap_err().kind(), ErrorKind::Corrupt);
    for (key, whole) in pack.into_iter().zip(whole) {
        server.put(key, whole);
    }
    agree(&desks);
    assert_eq!(desks[1].read("/a.md"), "first");
}

/// Lets a machine die when it has taken a pull over and is about to note it.
pub(super) fn die_before_the_note(desk: &mut Desk) {
    let file = rusqlite::Connection::open(desk.known_file()).expect("it is there");
    file.execute_batch(
        "CREATE TRIGGER dead BEFORE UPDATE OF seen ON head
         BEGIN SELECT RAISE (ABORT, 'the machine died'); END",
    )
    .expect("nobody has it locked");
    desk.round().expect_err("nothing can be noted");
    desk.crash();
    file.execute_batch("DROP TRIGGER dead").expect("nobody has it locked");
}

#[test]
fn what_was_merged_before_a_crash_is_not_merged_again() {
    let (_server, mut desks) = desks(2);
    desks[0].write("/log.md", "first\n");
    agree(&desks);
    let mut lines = vec!["first".to_owned()];
    let mut append = |desk: &Desk, count: usize| {
        for _ in 0..count {
            let line = format!("line {} of {}", lines.len(), desk.name());
            let options = crate::WriteOptions::default();
            let text = format!("{line}\n");
            desk.view.append(&at("/log.md"), text.as_bytes(), &options).expect("it is there");
            lines.push(line);
        }
    };
    for round in 0..12 {
        append(&desks[0], 1 + round % 4);
        append(&desks[1], 1 + round % 3);
        desks[0].round().expect("the remote answers");
        die_before_the_note(&mut desks[1]);
        // Both go on before the machine that died looks again.
        append(&desks[0], round % 3);
        append(&desks[1], round % 4);
        desks[0].round().expect("the remote answers");
        if round % 2 == 0 {
            die_before_the_note(&mut desks[1]);
            append(&desks[1], 1);
        }
        desks[1].round().expect("the remote answers");
    }
    agree(&desks);
    let found = desks[0].read("/log.md");
    for line in &lines {
        let count = found.lines().filter(|found| found == line).count();
        assert_eq!(count, 1, "{line:?} in\n{found}");
    }
    assert_eq!(found.lines().count(), lines.len(), "{found}");
}
