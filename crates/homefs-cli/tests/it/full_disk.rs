//! A store on a real disk that is full, or that nobody may write to, used by one command after the
//! other as people and programs do that try again.

use std::fs;
use std::path::PathBuf;

use homefs_testkit::SmallDisk;

use crate::harness::{Home, Ran};

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

    /// Returns how many bytes the store takes.
    fn used(&self) -> u64 {
        fn sum(dir: PathBuf) -> u64 {
            let entries = fs::read_dir(dir).expect("a folder").map(|entry| entry.expect("a name"));
            let bytes = entries.map(|entry| match entry.metadata().expect("a file") {
                meta if meta.is_dir() => sum(entry.path()),
                meta => meta.len(),
            });
            bytes.sum()
        }
        sum(self.store())
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
    for number in 0..1000 {
        let (name, content) = (format!("f{number}.md"), text(number, bytes));
        let ran = small.home.run_with(&["write", &name], &content);
        if ran.code == 0 {
            acknowledged.push((name, content));
            continue;
        }
        assert!(ran.code == 2 && ran.stderr.contains("no space"), "{}", ran.stderr);
        assert_eq!(small.run(&["stat", &name]).code, 1, "what was refused has not happened");
        return acknowledged;
    }
    panic!("the disk never was full");
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
        let line = format!("line {number}\n");
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
    assert_eq!(small.home.ok(&["fsck"]), "the store is sound\n");
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
    assert!(small.home.ok(&["search", "file"]).contains("f2.md"));
    assert!(small.home.ok(&["recall", "word of file"]).contains(".md"));
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
    assert_eq!(small.home.ok(&["purge", "--yes", &removed[0].0]).lines().count(), 1);
    small.home.ok(&["trash", "empty", "--yes"]);
    let freed = before.saturating_sub(small.used());
    assert!(freed > in_trash / 2, "{in_trash} bytes were in the trash, {freed} are free");
    small.home.run_with(&["write", "new.md"], b"new");
    assert_eq!(small.home.ok(&["cat", "new.md"]), "new");
    assert!(!small.home.ok(&["status"]).contains("disk full"));
    check_all(small, &files);
    assert_eq!(small.home.ok(&["fsck"]), "the store is sound\n");
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
