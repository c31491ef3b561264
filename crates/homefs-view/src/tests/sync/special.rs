//! Special bits and devices are of one machine: they neither go to others nor come from them.

use std::sync::Arc;

use homefs_core::Timestamp;
use homefs_testkit::{MemoryServer, VirtualClock};

use super::desk::{Desk, at};
use super::{agree, desks};
use crate::{Kind, RenameMode, Special, WriteOptions};

const DEVICE: Kind = Kind::Special(Special::Character(0x0103));

fn seen(desk: &Desk, path: &str) -> (Kind, u32) {
    let stat = desk.view.stat(&at(path)).expect("it is there");
    (stat.kind, stat.mode)
}

/// Returns two machines that agree, of which the first has a program, a directory and a device.
fn special() -> (MemoryServer, Vec<Desk>) {
    let (server, desks) = desks(2);
    desks[0].write("/bin/tool", "program");
    desks[0].chmod(&at("/bin/tool"), 0o4755).unwrap();
    desks[0].chmod(&at("/bin"), 0o1777).unwrap();
    desks[0].make_device(&at("/null")).unwrap();
    agree(&desks);
    (server, desks)
}

#[test]
fn what_is_special_is_of_one_machine() {
    let (server, mut desks) = special();
    let clock = Arc::new(VirtualClock::new(Timestamp(2_000_000_000_000)));
    desks.push(Desk::new(&server, 3, &clock));
    agree(&desks);
    for other in &desks[1..] {
        assert_eq!(seen(other, "/bin/tool"), (Kind::File, 0o755));
        assert_eq!(seen(other, "/bin"), (Kind::Directory, 0o777));
        assert_eq!(seen(other, "/null"), (Kind::File, 0o666));
        assert_eq!(other.read("/null"), "");
    }
    // What others change of it leaves them where they are, as long as it holds what it held.
    desks[1].chmod(&at("/bin/tool"), 0o700).unwrap();
    desks[1].chmod(&at("/bin"), 0o755).unwrap();
    desks[1].view.rename(&at("/null"), &at("/zero"), RenameMode::Replace).unwrap();
    desks[0].write("/bin/other", "by the first");
    agree(&desks);
    assert_eq!(seen(&desks[0], "/bin/tool"), (Kind::File, 0o4700));
    assert_eq!(seen(&desks[0], "/bin"), (Kind::Directory, 0o1755));
    assert_eq!(seen(&desks[0], "/zero"), (DEVICE, 0o666));
}

#[test]
fn what_another_machine_writes_is_nothing_special() {
    let (_server, desks) = special();
    let [a, b] = &desks[..] else { panic!("two") };
    b.write("/bin/tool", "program of the second");
    b.view.append(&at("/null"), b"text", &WriteOptions::default()).unwrap();
    agree(&desks);
    assert_eq!(seen(a, "/bin/tool"), (Kind::File, 0o755));
    assert_eq!(seen(a, "/null"), (Kind::File, 0o666));
    assert_eq!(a.read("/null"), "text");
}

#[test]
fn both_may_change_what_is_special_on_one() {
    let (_server, desks) = special();
    let [a, b] = &desks[..] else { panic!("two") };
    a.chmod(&at("/bin/tool"), 0o6750).unwrap();
    a.chmod(&at("/null"), 0o600).unwrap();
    b.write("/bin/tool", "program of the second");
    b.view.append(&at("/null"), b"text", &WriteOptions::default()).unwrap();
    agree(&desks);
    assert_eq!(seen(a, "/bin/tool"), (Kind::File, 0o750));
    assert_eq!(seen(b, "/bin/tool"), (Kind::File, 0o750));
    assert_eq!((a.read("/null"), b.read("/null")), ("text".into(), "text".into()));
}
