//! A store on a real disk that is full, or that nobody may write to, used by one command after the
//! other as people and programs do that try again.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;

use homefs_testkit::SmallDisk;

use crate::harness::{Home, PROGRAM, Ran};
use crate::other_users::walk;

/// A home whose store is on a small disk.
struct Small {
    home: Home,
    // Dropped after every command has ended, and before the folder it is mounted at.
    disk: SmallDisk,
}

impl Small {
    /// With a disk of so many MiB, an ext4 or one in memory; `None` where none can be mounted.
    fn new(mebibytes: u64, ext4: bool) -> Option<Self> {
        let mut home = Home::new();
        let dir = home.path("disk");
        fs::create_dir(&dir).expect("a new folder");
        let make = if ext4 { SmallDisk::ext4 } else { SmallDisk::in_memory };
        let disk = make(&dir, mebibytes << 20)?;
        home.set("HOMEFS_STORE", &dir.join("store").to_string_lossy());
        Some(Self { home, disk })
    }

    fn store(&self) -> PathBuf {
        self.home.path("disk/store")
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        self.home.run(arguments)
    }

    /// Returns how many bytes the spaces take.
    fn used(&self) -> u64 {
        fn sum(dir: PathBuf) -> u64 {
            let entries = fs::read_dir(dir).expect("a folder").map(|entry| entry.expect("a name"));
            let bytes = entries.map(|entry| match entry.metadata().expect("a file") {
                meta if meta.is_dir() => sum(entry.path()),
                meta => meta.len(),
            });
            bytes.sum()
        }
        sum(self.store().join("spaces"))
    }
}

/// Text of so many bytes that does not repeat.
fn text(number: usize, bytes: usize) -> Vec<u8> {
    let mut seed = number as u64 + 1;
    let mut line = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        format!("word{:x} of file {number}\n", seed >> 20)
    };
    let mut text = Vec::with_capacity(bytes + 40);
    while text.len() < bytes {
        text.extend_from_slice(line().as_bytes());
    }
    text
}

/// Writes files until one is refused; returns what was acknowledged.
fn write_until_full(small: &Small, bytes: usize) -> Vec<(String, Vec<u8>)> {
    let mut acknowledged = Vec::new();
    for number in 0.. {
        assert!(number < 1000, "the disk never was full");
        let (name, content) = (format!("f{number}.md"), text(number, bytes));
        let ran = small.home.run_with(&["write", &name], &content);
        if ran.code == 0 {
            acknowledged.push((name, content));
            continue;
        }
        assert!(ran.code == 2 && ran.stderr.contains("o space left"), "{}", ran.stderr);
        assert!(ran.stderr.starts_with(&format!("error: /{name}: ")), "{}", ran.stderr);
        assert_eq!(small.run(&["stat", &name]).code, 1, "what was refused has not happened");
        break;
    }
    acknowledged
}

#[track_caller]
fn check_all(small: &Small, files: &[(String, Vec<u8>)]) {
    for (name, content) in files {
        let ran = small.run(&["cat", name]);
        assert!(ran.code == 0 && ran.stdout == *content, "{name}: {} {}", ran.code, ran.stderr);
    }
}

#[test]
fn an_answer_on_a_full_disk_is_about_the_change() {
    let Some(small) = Small::new(16, false) else { return };
    small.home.run_with(&["write", "log.md"], b"begin\n");
    let mut expected = "begin\n".to_owned();
    small.disk.fill();
    let mut refused = 0;
    for number in 0..8 {
        // Long enough that what is kept for them cannot be kept again.
        let line = format!("line {number} {}\n", "and on ".repeat(2000));
        // As a program does that does not give up at once.
        for _ in 0..3 {
            let ran = small.run(&["append", "log.md", &line]);
            if ran.code == 0 {
                expected.push_str(&line);
                break;
            }
            refused += 1;
            assert!(ran.stderr.starts_with("error: /log.md: no space left"), "{}", ran.stderr);
        }
    }
    assert!(refused > 0, "the disk never was full");
    assert_eq!(small.home.ok(&["cat", "log.md"]), expected);
    small.disk.clear();
    small.home.ok(&["append", "log.md", "end\n"]);
    assert_eq!(small.home.ok(&["cat", "log.md"]), expected + "end\n");
    small.home.ok(&["fsck"]);
}

#[test]
fn a_full_disk_can_be_read() {
    let Some(small) = Small::new(16, false) else { return };
    let files: Vec<_> =
        (0..6).map(|number| (format!("f{number}.md"), text(number, 50_000 << number))).collect();
    for (name, content) in &files {
        assert_eq!(small.home.run_with(&["write", name], content).code, 0);
    }
    small.disk.fill();
    check_all(&small, &files);
    // Spends what is kept for it, so that not even that is left.
    small.run(&["append", "f0.md", "more"]);
    small.disk.clear();
    small.disk.fill();
    check_all(&small, &files[1..]);
    assert!(small.home.ok(&["ls"]).contains("f5.md"));
    assert!(small.home.ok(&["log", "f1.md"]).contains("me"));
    assert!(small.home.ok(&["search", "file"]).contains(".md"));
    assert!(small.home.ok(&["recall", "file 3", "--paths"]).contains(".md"));
    let ran = small.home.run_with(&["write", "new.md"], b"new");
    assert!(ran.code == 2 && ran.stderr.contains("no space"), "{}", ran.stderr);
    assert!(small.home.ok(&["status"]).contains("disk full"));
}

/// Fills a disk with files, and frees it by each of the commands that do.
fn check_freeing(small: &Small, bytes: usize) {
    let mut files = write_until_full(small, bytes);
    check_all(small, &files);
    let status = small.home.run(&["--json", "status"]).json();
    assert_eq!(status["disk_full"]["trash_bytes"], 0, "{status}");
    let before = small.used();
    let removed = files.split_off(files.len() / 2);
    for (name, _) in &removed[1..] {
        small.home.ok(&["rm", name]);
    }
    let status = small.home.run(&["--json", "status"]).json();
    let in_trash = status["disk_full"]["trash_bytes"].as_u64().expect("the disk is full still");
    assert!(in_trash >= (bytes * (removed.len() - 1)) as u64, "{status}");
    small.home.ok(&["purge", "--yes", &removed[0].0]);
    small.home.ok(&["trash", "empty", "--yes"]);
    let freed = before.saturating_sub(small.used());
    assert!(freed > in_trash / 2, "{in_trash} bytes were in the trash, {freed} are free");
    small.home.run_with(&["write", "new.md"], b"new");
    assert_eq!(small.home.ok(&["cat", "new.md"]), "new");
    assert!(!small.home.ok(&["status"]).contains("disk full"));
    check_all(small, &files);
    small.home.ok(&["fsck"]);
}

#[test]
fn what_frees_room_works_on_a_full_disk_of_small_files() {
    if let Some(small) = Small::new(10, false) {
        check_freeing(&small, 60_000);
    }
}

#[test]
fn what_frees_room_works_on_a_full_disk_of_large_files() {
    if let Some(small) = Small::new(24, false) {
        check_freeing(&small, 900_000);
    }
}

#[test]
fn what_frees_room_works_on_a_full_ext4() {
    let is_extended = std::env::var("HOMEFS_EXTENDED").is_ok_and(|value| value == "1");
    if is_extended && let Some(small) = Small::new(200, true) {
        check_freeing(&small, 2_000_000);
    }
}

/// Writes two versions of a note and a file that is cut into chunks; returns the latter.
fn write_some(small: &Small) -> Vec<u8> {
    for version in ["first words\n", "second words\n"] {
        small.home.run_with(&["write", "note.md"], version.as_bytes());
    }
    let large = text(7, 200_000);
    small.home.run_with(&["write", "large.md"], &large);
    large
}

#[track_caller]
fn check_only_read(small: &Small, run: &dyn Fn(&[&str]) -> Ran, large: &[u8]) {
    let shows = |arguments: &[&str], expected: &str| {
        let ran = run(arguments);
        assert!(ran.code == 0 && ran.text().contains(expected), "{arguments:?}: {}", ran.stderr);
    };
    shows(&["ls"], "large.md");
    shows(&["cat", "note.md"], "second words");
    shows(&["cat", "note.md", "--version", "1"], "first words");
    shows(&["log", "note.md"], "12 B");
    shows(&["search", "words"], "note.md");
    shows(&["recall", "second words", "--paths"], "note.md");
    shows(&["sh", "-c", "grep -r second ."], "second words");
    shows(&["status"], "read-only");
    shows(&["--agent-id", "newcomer", "ls"], "");
    assert!(run(&["cat", "large.md"]).stdout == large);
    for change in [&["append", "note.md", "x"][..], &["rm", "note.md"], &["mkdir", "d"]] {
        let ran = run(change);
        assert!(ran.code == 2 && ran.stderr.contains("can only be read"), "{}", ran.stderr);
    }
    assert!(small.store().join("format").exists());
}

#[test]
fn a_store_on_a_read_only_disk_can_be_read() {
    let Some(small) = Small::new(16, false) else { return };
    let large = write_some(&small);
    small.disk.set_read_only(true);
    check_only_read(&small, &|arguments| small.run(arguments), &large);
    small.disk.set_read_only(false);
    small.home.ok(&["append", "note.md", "third words\n"]);
    assert!(small.home.ok(&["cat", "note.md"]).ends_with("third words\n"));
}

#[test]
fn what_a_killed_owner_left_on_a_read_only_disk_can_be_read() {
    let Some(small) = Small::new(16, false) else { return };
    let mut owner = small.home.command();
    let mut owner = owner.args(["watch", "--json"]).spawn().expect("start homefs");
    while !small.store().join("socket").exists() {
        std::thread::yield_now();
    }
    let large = write_some(&small);
    owner.kill().expect("the owner lives");
    owner.wait().expect("the owner ends");
    small.disk.set_read_only(true);
    check_only_read(&small, &|arguments| small.run(arguments), &large);
}

#[test]
fn who_may_not_write_to_a_store_can_read_it() {
    let Some(small) = Small::new(16, false) else { return };
    let large = write_some(&small);
    // As its user lets others read it: homefs does not, and takes it from them when it writes.
    let all = walk(&small.home.path("disk"));
    for path in [small.home.path("")].iter().chain(&all) {
        let mode = if path.is_dir() { 0o755 } else { 0o644 };
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("it is ours");
    }
    // Where it was built, others may not even look.
    let program = small.home.path("homefs");
    fs::hard_link(PROGRAM, &program)
        .or_else(|_| fs::copy(PROGRAM, &program).map(drop))
        .expect("the host has room");
    let run = |arguments: &[&str]| {
        let mut command = small.home.command_of(&program);
        command.args(arguments).uid(65534).gid(65534);
        crate::harness::ran(command.output().expect("run homefs"))
    };
    check_only_read(&small, &run, &large);
}
