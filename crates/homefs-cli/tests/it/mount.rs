//! Mounting and unmounting as commands; what a mount does is in the tests of the mount.

use std::path::Path;
use std::process::Child;

use rustix::process::{Pid, Signal, kill_process};

use crate::harness::Home;

/// A home whose mounts are taken away at its end, also when the test fails.
pub(crate) struct Mounting {
    home: Home,
}

impl Drop for Mounting {
    fn drop(&mut self) {
        let home = self.home.path("").canonicalize().expect("the home is there");
        for dir in homefs_fuse::mounted().expect("the table of mounts") {
            if dir.starts_with(&home) {
                drop(homefs_fuse::unmount(&dir, true));
            }
        }
    }
}

impl std::ops::Deref for Mounting {
    type Target = Home;

    fn deref(&self) -> &Home {
        &self.home
    }
}

impl std::ops::DerefMut for Mounting {
    fn deref_mut(&mut self) -> &mut Home {
        &mut self.home
    }
}

/// Returns a home with one file, or nothing on a host that cannot mount.
#[expect(clippy::print_stdout, reason = "a test that did not run must say so")]
pub(crate) fn mounting() -> Option<Mounting> {
    if let Err(error) = homefs_fuse::check_available() {
        println!("not run: {error}");
        return None;
    }
    let home = Home::new();
    home.ok(&["write", "a.md", "one"]);
    Some(Mounting { home })
}

impl Mounting {
    /// Returns the process that owns the store.
    fn owner(&self) -> Pid {
        let pid = self.home.run(&["status", "--json"]).json()["pid"].as_i64().expect("a number");
        Pid::from_raw(pid.try_into().expect("a process")).expect("a process")
    }

    fn mounts(&self) -> Vec<String> {
        let status = self.home.run(&["status", "--json"]).json();
        let mounts = status["mounts"].as_array().expect("a list").clone();
        let text = |value: &serde_json::Value| value.as_str().expect("a text").to_owned();
        mounts.iter().map(|mount| text(&mount["dir"])).collect()
    }

    /// Kills the owner as nothing else does, and waits until the kernel knows.
    fn kill_owner(&self, dir: &Path) {
        kill_process(self.owner(), Signal::KILL).expect("kill the owner");
        while is_mounted(dir) && rustix::fs::statfs(dir).is_ok() {}
    }

    /// Starts a mount that stays, and waits until it answers.
    fn foreground(&self, arguments: &[&str]) -> Child {
        let mut command = self.command();
        command.args(["mount", "--foreground"]).args(arguments);
        let mut child = command.spawn().expect("start homefs");
        let mut output = child.stdout.take().expect("a pipe");
        let mut first = [0; 1];
        std::io::Read::read_exact(&mut output, &mut first).expect("it says that it mounted");
        child
    }
}

fn is_mounted(dir: &Path) -> bool {
    homefs_fuse::mounted().expect("the table of mounts").contains(&dir.to_owned())
}

#[test]
fn a_mount_in_the_background_stays_until_it_is_unmounted() {
    let Some(home) = mounting() else { return };
    let dir = home.path("deep/memory");
    let said = home.ok(&["mount", "deep/memory"]);
    assert_eq!(said, format!("mounted {} as me\n", dir.display()));
    assert_eq!(std::fs::read_to_string(dir.join("a.md")).unwrap(), "one\n");
    std::fs::write(dir.join("b.md"), "two\n").unwrap();
    assert_eq!(home.ok(&["cat", "a.md", "b.md"]), "one\ntwo\n");
    let status = home.ok(&["status"]);
    assert!(status.contains(&format!("{} as me, since", dir.display())), "{status}");
    let owner = home.owner();
    home.ok(&["write", "c.md", "three"]);
    assert_eq!(home.owner(), owner, "a mount keeps the store");
    home.ok(&["unmount", "deep/memory"]);
    assert!(!is_mounted(&dir) && home.mounts().is_empty());
    assert_ne!(home.owner(), owner, "the store is free");
    assert_eq!(std::fs::read_dir(&dir).unwrap().count(), 0);
    assert_eq!(home.ok(&["cat", "b.md"]), "two\n");
    let log = std::fs::read_to_string(home.path("store/mount.log")).unwrap();
    assert!(log.contains("mounted"), "{log}");
}

#[test]
fn the_owner_of_a_mount_serves_further_ones() {
    let Some(home) = mounting() else { return };
    home.ok(&["mount", "one"]);
    let owner = home.owner();
    home.ok(&["mount", "two", "--agent-id", "other", "--read-only"]);
    home.ok(&["mount", "all", "--operator", "--all"]);
    assert_eq!(home.owner(), owner);
    assert_eq!(home.mounts().len(), 3);
    let refused = std::fs::write(home.path("two/x"), "x").unwrap_err();
    assert_eq!(refused.kind(), std::io::ErrorKind::ReadOnlyFilesystem);
    assert!(home.path("all/agents/me/a.md").is_file());
    assert!(!home.path("two/a.md").exists());
    home.ok(&["unmount", "one"]);
    assert_eq!(home.owner(), owner, "it still serves others");
    home.ok(&["unmount", "two"]);
    home.ok(&["unmount", "all"]);
    assert_ne!(home.owner(), owner);
}

#[test]
fn mounts_started_at_once_have_one_owner() {
    let Some(home) = mounting() else { return };
    std::thread::scope(|scope| {
        for name in ["a", "b", "c", "d"] {
            let home = &home;
            scope.spawn(move || home.ok(&["mount", name]));
        }
    });
    assert_eq!(home.mounts().len(), 4);
    for name in ["a", "b", "c", "d"] {
        home.ok(&["unmount", name]);
    }
}

#[test]
fn a_mount_in_the_foreground_ends_when_asked() {
    let Some(home) = mounting() else { return };
    let dir = home.path("m");
    for signal in [Signal::INT, Signal::TERM] {
        let mut child = home.foreground(&["m", "--log", "log.txt"]);
        assert!(is_mounted(&dir));
        std::fs::write(dir.join("b.md"), "two").unwrap();
        kill_process(Pid::from_child(&child), signal).unwrap();
        assert!(child.wait().unwrap().success());
        assert!(!is_mounted(&dir));
    }
    let mut child = home.foreground(&["m"]);
    home.ok(&["unmount", "m"]);
    assert!(child.wait().unwrap().success());
    let mut child = home.foreground(&["m"]);
    // Tests beside this one look at every mount for a moment.
    while homefs_fuse::unmount(&dir, false).is_err() {}
    assert!(child.wait().unwrap().success());
    assert_eq!(home.ok(&["cat", "b.md"]), "two");
    let log = std::fs::read_to_string(home.path("log.txt")).unwrap();
    assert_eq!(log.matches("asked to end").count(), 2, "{log}");
}

#[test]
fn a_foreground_mount_of_another_owner_ends_when_asked() {
    let Some(home) = mounting() else { return };
    home.ok(&["mount", "one"]);
    let mut child = home.foreground(&["two"]);
    assert_eq!(home.mounts().len(), 2);
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(home.mounts().len(), 1);
    let mut child = home.foreground(&["two"]);
    home.kill_owner(&home.path("two"));
    assert_eq!(child.wait().unwrap().code(), Some(2));
    assert!(!is_mounted(&home.path("two")));
}

#[test]
fn a_dead_mount_is_told_of_and_mended() {
    let Some(home) = mounting() else { return };
    let dir = home.path("m");
    home.ok(&["mount", "m"]);
    std::fs::write(dir.join("b.md"), "two\n").unwrap();
    home.kill_owner(&dir);
    let shown = dir.display().to_string();
    for command in ["status", "doctor"] {
        let said = home.ok(&[command]);
        assert!(said.contains(&format!("`homefs unmount {shown}`")), "{said}");
    }
    home.ok(&["mount", "m"]);
    assert_eq!(std::fs::read_to_string(dir.join("b.md")).unwrap(), "two\n");
    home.kill_owner(&dir);
    let ran = home.run(&["unmount", "m"]);
    assert_eq!((ran.code, is_mounted(&dir)), (0, false), "{}", ran.stderr);
    home.check("$ unmount m\nerror: homefs is not mounted at HOME/m\nhint: `homefs status`…\n[1]");
}

#[test]
fn a_mount_in_use_is_taken_away_only_lazily() {
    let Some(home) = mounting() else { return };
    home.ok(&["mount", "m"]);
    let owner = home.owner();
    let file = std::fs::File::open(home.path("m/a.md")).unwrap();
    let ran = home.run(&["unmount", "m"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("in use") && ran.stderr.contains("--lazy"), "{}", ran.stderr);
    assert!(is_mounted(&home.path("m")));
    home.ok(&["unmount", "--lazy", "m"]);
    assert!(!is_mounted(&home.path("m")) && home.mounts().is_empty());
    assert_eq!(std::io::read_to_string(&file).unwrap(), "one\n", "it goes on for its user");
    drop(file);
    // Its owner ends with the last user; then somebody else can be the owner.
    while home.owner() == owner {}
}

#[test]
fn a_bad_place_is_refused() {
    let Some(home) = mounting() else { return };
    crate::harness::put(&home.path("full/x"), "x");
    home.ok(&["mount", "m"]);
    home.check(
        "$ mount full
         error: HOME/full: the directory to mount on is not empty; its files would be hidden
         hint: name an empty or a new directory
         [2]
         $ mount store/m
         error: HOME/store/m: a home cannot be mounted inside the store's own directory
         [2]
         $ mount --foreground m
         error: HOME/m: homefs is mounted here already; unmount it first
         hint: `homefs status` shows what is mounted where
         [2]
         $ mount --all other
         error: --all shows every home, which takes --operator
         [2]
         $ unmount full
         error: homefs is not mounted at HOME/full
         hint: `homefs status` shows what is mounted where
         [1]",
    );
    home.ok(&["unmount", "m"]);
}

#[test]
fn a_unit_for_systemd_is_printed() {
    let home = Home::new();
    let unit = home.ok(&["mount", "--print-unit", "--read-only", "my memory"]);
    let program = env!("CARGO_BIN_EXE_homefs");
    let (store, dir) = (home.path("store"), home.path("my memory"));
    let start = format!(
        "ExecStart=\"{program}\" mount --foreground --store \"{}\" --agent-id \"me\" --read-only \
         -- \"{}\"\n",
        store.display(),
        dir.display(),
    );
    assert!(unit.contains(&start), "{unit}");
    assert!(unit.contains("\nRestart=on-failure\n"), "{unit}");
    // A unit that said nothing of groups would mount with all that the agent is in.
    for (groups, words) in [("staff,guests", "--groups \"staff,guests\" -- "), ("", "")] {
        let said = match groups {
            "" => home.ok(&["mount", "--print-unit", "m"]),
            groups => home.ok(&["mount", "--print-unit", "--groups", groups, "m"]),
        };
        assert!(said.contains(words), "{said}");
        assert_eq!(said.contains("--groups"), !groups.is_empty(), "{said}");
    }
    assert!(!store.exists() && !dir.exists(), "printing makes nothing");
}

#[test]
fn a_folder_is_used_through_a_mount_where_it_is_attached() {
    let Some(home) = mounting() else { return };
    for (name, text) in [("guide/start.md", "start here\n"), ("guide/end.md", "end\n")] {
        crate::harness::put(&home.path("handbook").join(name), text);
    }
    home.ok(&["attach", "handbook", "/docs"]);
    home.ok(&["mount", "m"]);
    let run = |script: &str| {
        let mut bash = std::process::Command::new("timeout");
        let ran = bash.args(["60", "bash", "-c", script]).current_dir(home.path("m")).output();
        let ran = ran.expect("bash is there");
        assert!(ran.status.success(), "{script}: {}", String::from_utf8_lossy(&ran.stderr));
        String::from_utf8(ran.stdout).expect("text")
    };
    assert_eq!(run("ls -R docs"), "docs:\nguide\n\ndocs/guide:\nend.md\nstart.md\n");
    assert_eq!(run("cat docs/guide/start.md; grep -rn here docs"), {
        "start here\ndocs/guide/start.md:1:start here\n"
    });
    run("sed -i s/here/now/ docs/guide/start.md && rm docs/guide/end.md && echo x > docs/new");
    // A directory of a source is moved as between two file systems: it is copied.
    run("mv docs/guide docs/moved && test ! -e docs/guide");
    assert_eq!(run("cat docs/moved/start.md docs/new"), "start now\nx\n");
    assert_eq!(home.ok(&["cat", "/docs/moved/start.md"]), "start now\n");
    assert_eq!(
        std::fs::read_to_string(home.path("handbook/guide/start.md")).unwrap(),
        "start here\n"
    );
    // What changes at the source is seen.
    crate::harness::put(&home.path("handbook/late.md"), "late\n");
    home.ok(&["sources", "--refresh", "/docs"]);
    assert_eq!(run("cat docs/late.md; ls docs"), "late\nlate.md\nmoved\nnew\n");
    home.ok(&["unmount", "m"]);
    home.ok(&["fsck"]);
}
