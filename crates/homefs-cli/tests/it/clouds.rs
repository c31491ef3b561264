//! A home follows its agent through clouds other than Amazon's, as others emulate them.

use homefs_testkit::{AZURITE, ForeignServer, ServerKind};

use crate::harness::Home;

/// Returns a home on a machine that has the key of a server.
fn machine(server: &ForeignServer) -> Home {
    let mut home = Home::new();
    for (name, value) in server.key() {
        home.set(name, value);
    }
    home
}

/// Lets two machines work on the same note, apart and at once, until both have all of it.
fn check(kind: &ServerKind) {
    let is_extended = std::env::var("HOMEFS_EXTENDED").is_ok_and(|value| value == "1");
    if !is_extended {
        return;
    }
    let Some(server) = ForeignServer::start(kind).expect("it starts") else { return };
    let (address, endpoint) = (server.address("p"), server.endpoint());
    let (laptop, desktop) = (machine(&server), machine(&server));
    laptop.ok(&["write", "note.md", "# Plans\n\nbuy milk\n\nsleep\n"]);
    laptop.ok(&["remote", "add", &address, "--endpoint", &endpoint]);
    laptop.ok(&["sync"]);
    desktop.ok(&["clone", &address, "--endpoint", &endpoint]);
    assert_eq!(desktop.ok(&["cat", "note.md"]), "# Plans\n\nbuy milk\n\nsleep\n");
    laptop.ok(&["edit", "note.md", "--old", "milk", "--new", "bread"]);
    desktop.ok(&["edit", "note.md", "--old", "sleep", "--new", "dream"]);
    for home in [&laptop, &desktop, &laptop] {
        home.ok(&["sync"]);
    }
    for home in [&laptop, &desktop] {
        assert_eq!(home.ok(&["cat", "note.md"]), "# Plans\n\nbuy bread\n\ndream\n");
        home.ok(&["fsck"]);
    }
    let checked = laptop.ok(&["remote", "check"]);
    assert_eq!(checked.lines().filter(|line| line.starts_with("yes  ")).count(), 6, "{checked}");
}

#[test]
fn a_home_follows_its_agent_through_azure() {
    check(&AZURITE);
}
