//! Files whose time is over, seen through the mount.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::harness::{Mounted, is_plain};

/// How long a file lives in these tests, and the longest that a test waits for its end.
const LIFE: Duration = Duration::from_millis(300);
const PATIENCE: Duration = Duration::from_secs(20);

/// A way to take a name.
type Take = fn(&Path);

#[test]
fn a_file_leaves_the_mount_when_its_time_is_over() {
    let Some(mounted) = mount() else { return };
    let (file, other) = (mounted.path("dir/brief.md"), mounted.path("other.md"));
    fs::write(&file, "brief").unwrap();
    fs::hard_link(&file, &other).unwrap();
    let held = File::open(&file).unwrap();
    assert_eq!(names(&mounted.path("dir")), ["brief.md", "kept.md"]);
    let begun = Instant::now();
    expire(&mounted, "dir/brief.md");
    // The kernel now learns how long this name will do.
    names(&mounted.path("dir"));
    wait("the file is gone", || !file.exists());
    assert!(begun.elapsed() >= LIFE, "gone after {:?}", begun.elapsed());
    // The kernel knew this name before the file had a time to live.
    wait("its other name is gone", || !other.exists());
    for name in [&file, &other] {
        assert_eq!(File::open(name).unwrap_err().kind(), ErrorKind::NotFound);
        assert_eq!(fs::metadata(name).unwrap_err().kind(), ErrorKind::NotFound);
    }
    assert_eq!(read(&held), "brief", "before it is swept");
    // A listing that the kernel kept ends with the sweep.
    wait("it is listed no more", || names(&mounted.path("dir")) == ["kept.md"]);
    wait("nor is its other name", || names(&mounted.root()) == ["dir"]);
    wait("the file is in the trash", || trash(&mounted).contains("brief.md"));
    assert_eq!(read(&held), "brief", "after it was swept");
    assert_eq!(names(&mounted.path("dir")), ["kept.md"]);
}

#[test]
fn the_name_of_an_expired_file_can_be_taken_in_the_mount() {
    let Some(mounted) = mount() else { return };
    let ways: [(&str, Take); 4] = [
        ("create", |path| fs::write(path, "new").unwrap()),
        ("create-new", |path| drop(File::create_new(path).unwrap())),
        ("mkdir", |path| fs::create_dir(path).unwrap()),
        ("rename", |path| {
            fs::write(path.with_extension("tmp"), "new").unwrap();
            fs::rename(path.with_extension("tmp"), path).unwrap();
        }),
    ];
    for (name, take) in ways {
        let file = mounted.path(name);
        fs::write(&file, "old").unwrap();
        let held = File::open(&file).unwrap();
        expire(&mounted, name);
        // As soon as it is gone, and perhaps before it is swept.
        wait("the file is gone", || !file.exists());
        take(&file);
        assert!(file.exists(), "{name}");
        assert_eq!(read(&held), "old", "{name}");
        wait("the old file is in the trash", || trash(&mounted).contains(name));
        assert!(file.exists(), "{name} after the old file was swept");
        assert!(fs::read(&file).is_ok_and(|found| found != b"old") || file.is_dir(), "{name}");
    }
}

#[test]
fn a_time_to_live_that_another_face_sets_or_takes_back_counts() {
    let Some(mounted) = mount() else { return };
    let (file, spared) = (mounted.path("brief.md"), mounted.path("spared.md"));
    for file in [&file, &spared] {
        fs::write(file, "text").unwrap();
        fs::metadata(file).unwrap();
    }
    mounted.homefs(&["meta", "spared.md", "--ttl", "1h"]);
    mounted.homefs(&["meta", "brief.md", "--ttl", "300ms"]);
    fs::write(mounted.path("spared.md:ttl"), "never").unwrap();
    wait("the file is gone", || !file.exists());
    wait("the file is in the trash", || trash(&mounted).contains("brief.md"));
    assert_eq!(fs::read_to_string(&spared).unwrap(), "text");
    assert_eq!(mounted.homefs(&["cat", "spared.md:ttl"]), "never\n");
    // Brought back, it stays.
    mounted.homefs(&["trash", "restore", "brief.md"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), "text");
    assert_eq!(fs::read_to_string(mounted.path("brief.md:ttl")).unwrap(), "never\n");
}

/// Mounts a home; a plain directory keeps its files.
fn mount() -> Option<Mounted> {
    if is_plain() {
        return None;
    }
    let mounted = Mounted::new(60)?;
    fs::create_dir(mounted.path("dir")).unwrap();
    fs::write(mounted.path("dir/kept.md"), "kept").unwrap();
    Some(mounted)
}

fn expire(mounted: &Mounted, name: &str) {
    fs::write(mounted.path(&format!("{name}:ttl")), format!("{}ms", LIFE.as_millis())).unwrap();
}

/// Looks again and again, since nothing tells when the time is over.
fn wait(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "not within {PATIENCE:?}: {what}");
        std::thread::yield_now();
    }
}

fn read(held: &File) -> String {
    let mut found = [0; 100];
    let length = held.read_at(&mut found, 0).unwrap();
    String::from_utf8_lossy(&found[..length]).into_owned()
}

fn names(dir: &Path) -> Vec<String> {
    let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name();
    let mut names: Vec<_> = fs::read_dir(dir).unwrap().map(name).collect();
    names.sort();
    names.into_iter().map(|name| name.into_string().unwrap()).collect()
}

/// Returns the paths in the trash.
fn trash(mounted: &Mounted) -> String {
    let items: Value = serde_json::from_str(&mounted.homefs(&["trash", "--json"])).unwrap();
    items.as_array().unwrap().iter().map(|item| item["path"].to_string()).collect()
}
