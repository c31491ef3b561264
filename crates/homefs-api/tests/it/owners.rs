//! Who owns a store, when owners die, leave, pause and hand over.

use std::collections::HashMap;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use homefs_api::{Client, ClientOptions};
use homefs_core::ErrorKind;
use homefs_view::WriteOptions;
use rustix::process::Signal;
use tempfile::tempdir;

use crate::child::{Child, ask_all};
use crate::{me, open, path};

#[test]
fn no_acknowledged_write_is_lost_or_doubled_when_owners_are_killed() {
    const LOADERS: usize = 4;
    const ACKNOWLEDGED_BETWEEN_KILLS: usize = 300;
    let dir = tempdir().unwrap();
    let (sender, receiver) = mpsc::channel();
    let mut pids = Vec::new();
    let mut listeners = Vec::new();
    for loader in 0..LOADERS {
        let mut child = Child::open(dir.path());
        child.tell(&format!("load /load.md {loader}"));
        pids.push(child.pid());
        let sender = sender.clone();
        listeners.push(thread::spawn(move || {
            while let Some(said) = child.hear() {
                sender.send((loader, said)).ok();
            }
        }));
    }
    drop(sender);
    let mut acknowledged = HashMap::new();
    let mut since_kill = 0;
    let mut killed = Vec::new();
    for (loader, said) in receiver {
        let (number, role) = said.split_once(' ').unwrap();
        let number: usize = number.parse().unwrap_or_else(|_| panic!("loader {loader}: {said}"));
        *acknowledged.entry(loader).or_insert(0) = number + 1;
        since_kill += 1;
        if since_kill > ACKNOWLEDGED_BETWEEN_KILLS && role == "owner" && !killed.contains(&loader) {
            rustix::process::kill_process(pids[loader], Signal::KILL).unwrap();
            killed.push(loader);
            since_kill = 0;
        }
    }
    assert_eq!(killed.len(), LOADERS);
    for listener in listeners {
        listener.join().unwrap();
    }

    let content = open(dir.path()).read(&path("/load.md")).unwrap();
    let mut next = HashMap::new();
    for line in std::str::from_utf8(&content).unwrap().lines() {
        let (loader, number) = line.split_once('-').unwrap();
        let expected = next.entry(loader.parse::<usize>().unwrap()).or_insert(0);
        assert_eq!(number.parse::<usize>().unwrap(), *expected, "{line} is lost or doubled");
        *expected += 1;
    }
    for (loader, count) in acknowledged {
        assert!(next[&loader] >= count, "loader {loader}: {count} acknowledged");
        assert!(next[&loader] <= count + 1, "loader {loader}: more than it asked for");
    }
}

#[test]
fn of_many_that_open_at_once_one_owns() {
    let dir = tempdir().unwrap();
    let mut children: Vec<_> = (0..6).map(|_| Child::start()).collect();
    for round in 0..5 {
        let roles = ask_all(&mut children, &format!("open {}", dir.path().display()));
        let owners = roles.iter().filter(|role| role.as_deref() == Ok("owner")).count();
        assert_eq!(owners, 1, "round {round}: {roles:?}");
        for done in ask_all(&mut children, &format!("append /a {round}")) {
            done.unwrap();
        }
        for done in ask_all(&mut children, "close") {
            done.unwrap();
        }
    }
    let content = open(dir.path()).read(&path("/a")).unwrap();
    assert_eq!(content, "000000111111222222333333444444");
}

#[test]
fn an_owner_hands_over_and_goes_on_as_a_client() {
    let dir = tempdir().unwrap();
    let mut first = Child::open(dir.path());
    let mut second = Child::open(dir.path());
    assert_eq!(first.ask("append /a 1").unwrap(), "1");
    assert_eq!(second.ask("take_over").unwrap(), "owner");
    assert_eq!(first.ask("role").unwrap(), "client");
    first.ask("append /a 2").unwrap();
    assert_eq!(second.ask("read /a").unwrap(), "12");
    assert_eq!(first.ask("take_over").unwrap(), "owner");
    second.ask("append /a 3").unwrap();
    assert_eq!(first.ask("read /a").unwrap(), "123");
    assert_eq!(second.ask("role").unwrap(), "client");

    first.ask("hold").unwrap();
    let refused = second.ask("take_over").unwrap_err();
    assert!(refused.starts_with("unavailable") && refused.contains("mount"), "{refused}");
    first.ask("release").unwrap();
    assert_eq!(second.ask("take_over").unwrap(), "owner");
}

#[test]
fn of_two_that_take_over_at_once_one_owns() {
    let dir = tempdir().unwrap();
    let mut children: Vec<_> = (0..3).map(|_| Child::open(dir.path())).collect();
    for round in 0..10 {
        children.rotate_left(round % 3);
        for done in ask_all(&mut children[..2], "take_over") {
            done.unwrap();
        }
        let roles = ask_all(&mut children, "role");
        let owners = roles.iter().filter(|role| role.as_deref() == Ok("owner")).count();
        assert_eq!(owners, 1, "round {round}: {roles:?}");
        for done in ask_all(&mut children, "append /a x") {
            done.unwrap();
        }
    }
    assert_eq!(children[0].ask("read /a").unwrap(), "x".repeat(30));
}

#[test]
fn an_owner_that_closes_is_replaced() {
    let dir = tempdir().unwrap();
    let mut first = Child::open(dir.path());
    let client = open(dir.path());
    client.write(&path("/a"), b"a", &WriteOptions::default()).unwrap();
    assert!(client.view_here().is_none());
    first.ask("close").unwrap();
    assert!(!dir.path().join("socket").exists());
    assert_eq!(client.read(&path("/a")).unwrap(), "a");
    assert!(client.view_here().is_some());
    client.close().unwrap();
    assert_eq!(client.read(&path("/a")).unwrap_err().kind(), ErrorKind::Closed);
}

#[test]
fn the_last_clone_closes() {
    let dir = tempdir().unwrap();
    let client = open(dir.path());
    let clone = client.clone();
    drop(client);
    assert_eq!(Child::open(dir.path()).ask("role").unwrap(), "client");
    drop(clone);
    assert_eq!(Child::open(dir.path()).ask("role").unwrap(), "owner");
}

#[test]
fn a_paused_owner_is_unavailable_until_it_goes_on() {
    let dir = tempdir().unwrap();
    let owner = Child::open(dir.path());
    let mut options = ClientOptions::new(dir.path(), me());
    options.deadline = Duration::from_millis(200);
    let client = Client::open(options.clone()).unwrap();
    client.write(&path("/a"), b"a", &WriteOptions::default()).unwrap();
    owner.pause();
    for error in [client.read(&path("/a")).unwrap_err(), Client::open(options).err().unwrap()] {
        assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
        assert!(error.message().contains(&owner.pid().to_string()), "{error}");
    }
    owner.go_on();
    assert_eq!(client.read(&path("/a")).unwrap(), "a");
}

#[test]
fn a_dead_owner_is_replaced_though_its_sockets_live_on() {
    let dir = tempdir().unwrap();
    let mut owner = Child::open(dir.path());
    let mut options = ClientOptions::new(dir.path(), me());
    options.deadline = Duration::from_millis(200);
    let client = Client::open(options).unwrap();
    client.write(&path("/a"), b"a", &WriteOptions::default()).unwrap();
    let sharers = owner.ask("share").unwrap();
    drop(owner);
    let content = client.read(&path("/a"));
    for sharer in sharers.split_whitespace() {
        let pid = rustix::process::Pid::from_raw(sharer.parse().unwrap()).unwrap();
        rustix::process::kill_process(pid, Signal::KILL).unwrap();
    }
    assert!(sharers.split_whitespace().count() >= 2, "a listener and a connection: {sharers}");
    assert_eq!(content.unwrap(), "a");
    assert!(client.view_here().is_some());
}

#[test]
fn a_busy_owner_is_waited_for() {
    let dir = tempdir().unwrap();
    let owner = open(dir.path());
    let mut options = ClientOptions::new(dir.path(), me());
    // Shorter than one wait for changes, so that the client doubts several times.
    options.deadline = Duration::from_millis(20);
    let client = Client::open(options).unwrap();
    let cursor = client.cursor().unwrap();
    let watched = client.watch(&path("/"), &cursor, Duration::from_millis(300), 10).unwrap();
    assert!(watched.events.is_empty());
    owner.write(&path("/a"), b"a", &WriteOptions::default()).unwrap();
    let watched = client.watch(&path("/"), &watched.cursor, Duration::from_mins(1), 10).unwrap();
    assert_eq!(watched.events[0].path, path("/a"));
}

#[test]
fn a_store_with_a_long_path_has_a_socket() {
    let dir = tempdir().unwrap();
    let long = dir.path().join("x".repeat(200)).join("y".repeat(200));
    let owner = open(&long);
    let client = open(&long);
    assert!(owner.view_here().is_some() && client.view_here().is_none());
    client.write(&path("/a"), b"a", &WriteOptions::default()).unwrap();
    assert_eq!(owner.read(&path("/a")).unwrap(), "a");
}
