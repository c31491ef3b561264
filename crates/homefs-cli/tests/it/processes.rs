//! Several processes at once, interruptions and readers that leave.

use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use homefs_testkit::program;
use rustix::process::{Pid, Signal, kill_process};

use crate::harness::{Home, PROGRAM};

#[test]
fn commands_work_while_another_process_owns_the_store() {
    let home = Home::new();
    home.ok(&["write", "a.md", "one"]);
    let mut watcher = home.command().args(["watch", "--count", "2", "--json"]).spawn().unwrap();
    // The watcher is the owner once someone else says so.
    while home.run(&["status", "--json"]).json()["pid"] != watcher.id() {}
    let doctor = home.ok(&["doctor"]);
    assert!(doctor.contains("has it open and answers"), "{doctor}");
    let mut lines = BufReader::new(watcher.stdout.take().unwrap()).lines();
    // Its cursor may be taken after the first of these writes, but not after all of them.
    let mut seen = Vec::new();
    std::thread::scope(|scope| {
        scope.spawn(|| seen.extend(lines.by_ref().map(Result::unwrap)));
        while watcher.try_wait().unwrap().is_none() {
            home.ok(&["append", "a.md", "two"]);
        }
    });
    assert!(seen.len() >= 2, "{seen:?}");
    assert!(home.ok(&["cat", "a.md"]).starts_with("one\ntwo\n"));
}

#[test]
fn writers_at_the_same_time_lose_nothing() {
    let home = Home::new();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let home = &home;
            scope.spawn(move || {
                for number in 0..10 {
                    home.ok(&["write", &format!("{writer}/{number}.md"), "x"]);
                    home.ok(&["append", "log.md", "line"]);
                }
            });
        }
    });
    assert_eq!(home.ok(&["find", "?.md"]).lines().count(), 40);
    assert_eq!(home.ok(&["cat", "log.md"]).lines().count(), 40);
}

#[test]
fn an_interrupted_owner_leaves_a_store_that_opens() {
    let home = Home::new();
    home.ok(&["write", "a.md", "one"]);
    // Whoever runs the tests in the background of a script has them ignore the signal.
    let mut watcher = home.command_of(&program("env").unwrap());
    watcher.args(["--default-signal=INT", PROGRAM, "watch"]);
    let mut watcher = watcher.spawn().unwrap();
    while home.run(&["status", "--json"]).json()["pid"] != watcher.id() {}
    home.ok(&["write", "b.md", "two"]);
    let pid = Pid::from_child(&watcher);
    kill_process(pid, Signal::INT).unwrap();
    // A shell shows the death by SIGINT as 130.
    let signal = std::os::unix::process::ExitStatusExt::signal(&watcher.wait().unwrap());
    assert_eq!(signal, Some(2));
    assert_eq!(home.ok(&["cat", "a.md", "b.md"]), "one\ntwo\n");
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let home = Home::new();
    let content = b"line\n".repeat(1_000_000);
    assert_eq!(home.run_with(&["write", "big.md"], &content).code, 0);
    for arguments in [&["cat", "big.md"][..], &["completions", "bash"], &["ls", "--json"]] {
        let mut child = home.command().args(arguments).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        let status = child.wait().unwrap();
        assert_eq!(status.code(), Some(0), "{arguments:?}: {said}");
    }
}
