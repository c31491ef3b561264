//! A mount is killed while it makes the kernel forget what a program has under way: the program
//! waits for the mount, and the mount for the program.
//!
//! A server that never answers holds the program's call in its place; what another face changes
//! meanwhile is what the kernel has to forget.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::process::{Child, Stdio};

use homefs_testkit::{Fault, FaultKind, RemoteOperation};

use crate::sync::{World, shell};
use crate::tools::both;

/// A machine that has the names of `1.bin` and more, and waits for ever when it needs a content.
fn waiting_world() -> Option<World> {
    let mut world = World::new(1)?;
    let origin = &world.machines[0];
    // Several pushes, so that a new machine begins with an index, and brings no contents.
    for number in 0..10 {
        let content = number.to_string().repeat(70_000);
        fs::write(origin.path(&format!("{number}.bin")), content).unwrap();
        origin.homefs(&["sync"]);
    }
    world.add()?;
    let never = Fault::before(FaultKind::Timeout).on(RemoteOperation::Get);
    world.server.fail(never.below("p/agents/me/.homefs/packs/").until_healed());
    Some(world)
}

impl World {
    /// Kills the second machine's mount while it makes the kernel forget a file that a program
    /// uses; returns what another face was doing.
    fn kill_forgetting(&mut self) -> Child {
        while !self.server.log().iter().any(|exchange| exchange.status.is_none()) {
            std::thread::yield_now();
        }
        let mounted = &mut self.machines[1];
        let mut tag = mounted.command();
        let tag = tag.args(["tag", "1.bin", "+seen"]).stderr(Stdio::null()).spawn().unwrap();
        while !is_forgetting(mounted.process()) {
            std::thread::yield_now();
        }
        mounted.kill_only();
        tag
    }
}

/// Tells whether a thread of a process waits in the kernel until a page is forgotten.
fn is_forgetting(process: u32) -> bool {
    let tasks = fs::read_dir(format!("/proc/{process}/task")).unwrap();
    tasks.flatten().any(|task| {
        let stat = fs::read_to_string(task.path().join("stat")).unwrap_or_default();
        stat.contains("(homefs-inv") && stat.contains(") D ")
    })
}

#[test]
fn a_mount_that_is_killed_while_a_program_writes_ends_by_itself() {
    let Some(mut world) = waiting_world() else { return };
    let file = world.machines[1].path("1.bin");
    let writer = std::thread::spawn(move || {
        let file = File::options().write(true).open(file).unwrap();
        file.write_at(b"new", 5_000)
    });
    let mut tag = world.kill_forgetting();
    world.machines[1].wait_for_death();
    assert!(writer.join().unwrap().is_err());
    tag.wait().unwrap();
    world.server.heal();
    world.machines[1].start();
    assert_eq!(fs::read(world.machines[1].path("1.bin")).unwrap().len(), 70_000);
}

#[test]
fn a_mount_that_is_killed_while_a_program_reads_is_found_and_ended() {
    let Some(mut world) = waiting_world() else { return };
    let mut cat = shell(&world.machines[1], "cat 1.bin");
    let cat = cat.stdout(Stdio::null()).spawn().unwrap();
    let mut tag = world.kill_forgetting();
    world.server.heal();
    tag.wait().unwrap();
    let mounted = &mut world.machines[1];
    // The store is free though the process cannot end, and the mount can be told of.
    assert_eq!(mounted.homefs(&["ls", "/"]).lines().count(), 10);
    let told = mounted.homefs(&["doctor"]);
    assert!(told.contains("the owner of the mount at"), "{told}");
    // Mounting again ends it, and so whoever waited.
    mounted.start();
    let output = cat.wait_with_output().unwrap();
    assert!(!output.status.success(), "{}", both(&output));
    assert_eq!(fs::read(mounted.path("1.bin")).unwrap().len(), 70_000);
}

#[test]
fn unmounting_ends_a_mount_that_was_killed_and_cannot_end() {
    let Some(mut world) = waiting_world() else { return };
    let mut cat = shell(&world.machines[1], "cat 1.bin");
    let cat = cat.stdout(Stdio::null()).spawn().unwrap();
    let mut tag = world.kill_forgetting();
    world.server.heal();
    tag.wait().unwrap();
    let mounted = &mut world.machines[1];
    let root = mounted.root();
    let told = mounted.homefs(&["--json", "unmount", root.to_str().unwrap()]);
    assert!(told.contains(r#""stale":true"#), "{told}");
    mounted.wait_for_death();
    assert!(!cat.wait_with_output().unwrap().status.success());
    assert_eq!(fs::read_dir(&root).unwrap().count(), 0, "nothing is mounted");
}
