//! A machine whose disk is full while it pulls.

use homefs_core::ErrorKind;

use super::desk::{Desk, at};
use super::{agree, desks};

/// Leaves so many bytes of a machine's disk.
fn leave(desk: &Desk, bytes: u64) {
    let used: usize = desk.disk.files().values().map(Vec::len).sum();
    desk.disk.set_capacity_bytes(used as u64 + bytes);
}

#[test]
fn a_pull_that_finds_no_room_changes_nothing_and_goes_on_later() {
    let (_server, desks) = desks(2);
    let [a, b] = &desks[..] else { panic!("two") };
    a.write("/n.md", "one\n");
    agree(&desks);
    let large = "0123456789".repeat(300_000);
    a.write("/n.md", "one by a\n");
    a.write("/large", &large);
    a.round().unwrap();
    b.write("/n.md", "one\ntwo by b\n");
    b.pair.settle().unwrap();
    leave(b, 0);
    let before = b.tree();
    for _ in 0..3 {
        let error = b.round().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::LimitExceeded, "{error:?}");
        assert_eq!(b.tree(), before);
    }
    leave(b, 100 << 20);
    agree(&desks);
    assert_eq!(b.read("/n.md"), "one by a\ntwo by b\n");
    assert_eq!(b.read("/large"), large);
}

#[test]
fn what_cannot_be_kept_can_be_read() {
    let (_server, desks) = desks(2);
    let [a, b] = &desks[..] else { panic!("two") };
    let large = "0123456789".repeat(300_000);
    a.write("/large", &large);
    a.round().unwrap();
    b.round().unwrap();
    leave(b, 0);
    assert_eq!(b.view.read(&at("/large")).unwrap(), large);
}
