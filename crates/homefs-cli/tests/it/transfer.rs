//! Import, export and copies from and to the host.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use crate::harness::{Home, put};

/// Everything that a transfer must keep: names, kinds, contents, modes, times and links.
fn portrait(dir: &Path) -> Vec<String> {
    let mut lines = Vec::new();
    let mut pending = vec![dir.to_owned()];
    while let Some(path) = pending.pop() {
        let meta = path.symlink_metadata().expect("look");
        let name = path.strip_prefix(dir).expect("below").display().to_string();
        let time = (meta.mtime(), meta.mtime_nsec());
        if meta.is_symlink() {
            let target = path.read_link().expect("read");
            lines.push(format!("{name} {time:?} -> {}", target.display()));
            continue;
        }
        let head = format!("{name} {:o} {time:?}", meta.mode());
        if meta.is_dir() {
            pending
                .extend(path.read_dir().expect("list").map(|entry| entry.expect("entry").path()));
            // The top directory is the reader's own.
            lines.extend(Some(head).filter(|_| !name.is_empty()));
        } else {
            let digest = blake3::hash(&std::fs::read(&path).expect("read"));
            lines.push(format!("{head} {digest}"));
        }
    }
    lines.sort();
    lines
}

fn sample(dir: &Path) {
    put(&dir.join("readme.md"), "hello\r\n");
    put(&dir.join("empty"), "");
    put(&dir.join("deep/er/bytes.bin"), [0, 255, 10, 13].repeat(300_000));
    put(&dir.join("deep/ünï.md"), "no final newline");
    std::fs::create_dir_all(dir.join("nothing")).expect("make");
    symlink("deep/ünï.md", dir.join("link")).expect("link");
    symlink("../outside", dir.join("deep/dangling")).expect("link");
    let mode = |mode| std::fs::Permissions::from_mode(mode);
    std::fs::set_permissions(dir.join("readme.md"), mode(0o755)).expect("chmod");
    std::fs::set_permissions(dir.join("deep/er"), mode(0o700)).expect("chmod");
    let time = std::time::UNIX_EPOCH + std::time::Duration::new(1_000_000_000, 123_456_789);
    for name in ["empty", "nothing"] {
        let times = std::fs::FileTimes::new().set_modified(time);
        std::fs::File::open(dir.join(name)).expect("open").set_times(times).expect("set");
    }
}

#[test]
fn a_round_trip_keeps_everything_and_a_second_run_copies_nothing() {
    let home = Home::new();
    sample(&home.path("in"));
    let first = home.run(&["import", "in", "notes", "--json"]).json();
    assert_eq!((&first["files"], &first["links"]), (&4.into(), &2.into()));
    let again = home.run(&["import", "in", "notes", "--json"]).json();
    assert_eq!((&again["files"], &again["same"]), (&0.into(), &4.into()));
    std::fs::create_dir(home.path("real")).unwrap();
    symlink("real", home.path("out")).unwrap();
    home.ok(&["export", "out", "notes"]);
    assert_eq!(portrait(&home.path("real")), portrait(&home.path("in")));
    let again = home.run(&["export", "out", "notes", "--json"]).json();
    assert_eq!((&again["files"], &again["same"]), (&0.into(), &4.into()));
}

#[test]
fn special_bits_are_transferred_for_an_operator_who_asks_for_them() {
    let home = Home::new();
    put(&home.path("in/tool"), "program");
    let set = |name: &str, mode| {
        let mode = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(home.path(name), mode).expect("chmod");
    };
    set("in/tool", 0o6755);
    set("in", 0o1755);
    let stored = |path: &str| home.run(&["stat", path, "--json"]).json()["mode"].clone();
    let there = |path: &str| home.path(path).metadata().expect("look").mode() & 0o7777;
    // The way in.
    home.ok(&["import", "in", "a"]);
    home.ok(&["--operator", "import", "in", "b"]);
    home.ok(&["--operator", "cp", "-r", "host:in", "c"]);
    for dir in ["a", "b", "c"] {
        assert_eq!((stored(dir), stored(&format!("{dir}/tool"))), ("0755".into(), "0755".into()));
    }
    home.ok(&["--operator", "import", "in", "d", "--preserve-special"]);
    home.ok(&["--operator", "cp", "-r", "host:in", "e", "--preserve-special"]);
    for dir in ["d", "e"] {
        assert_eq!((stored(dir), stored(&format!("{dir}/tool"))), ("1755".into(), "6755".into()));
    }
    // The way out.
    home.ok(&["export", "out-a", "d"]);
    home.ok(&["--operator", "export", "out-b", "d"]);
    home.ok(&["cp", "-r", "d", "host:out-c"]);
    for dir in ["out-a", "out-b", "out-c"] {
        assert_eq!((there(dir), there(&format!("{dir}/tool"))), (0o755, 0o755), "{dir}");
    }
    home.ok(&["--operator", "export", "out-d", "d", "--preserve-special"]);
    home.ok(&["--operator", "cp", "-r", "d", "host:out-e", "--preserve-special"]);
    for dir in ["out-d", "out-e"] {
        assert_eq!((there(dir), there(&format!("{dir}/tool"))), (0o1755, 0o6755), "{dir}");
    }
    for command in [["import", "in", "f"], ["export", "out-f", "d"], ["cp", "host:in/tool", "f"]] {
        let ran = home.run(&[&command[..], &["--preserve-special"]].concat());
        assert_eq!(ran.code, 2, "{command:?}");
        assert!(ran.stderr.contains("takes --operator"), "{command:?}: {}", ran.stderr);
    }
}

#[test]
fn an_interrupted_transfer_goes_on_and_mends_what_differs() {
    let home = Home::new();
    sample(&home.path("in"));
    home.ok(&["import", "in", "notes"]);
    home.ok(&["rm", "notes/empty"]);
    home.ok(&["write", "notes/readme.md", "changed"]);
    let again = home.run(&["import", "in", "notes", "--json"]).json();
    assert_eq!((&again["files"], &again["same"]), (&2.into(), &2.into()));
    home.ok(&["export", "out", "notes"]);
    put(&home.path("out/readme.md"), "other");
    std::fs::remove_file(home.path("out/empty")).unwrap();
    home.ok(&["export", "out", "notes"]);
    assert_eq!(portrait(&home.path("out")), portrait(&home.path("in")));
}

#[test]
fn what_cannot_be_imported_is_named_and_the_rest_is_imported() {
    let home = Home::new();
    put(&home.path("in/shared/a.md"), "a");
    put(&home.path("in/.homefs/b.md"), "b");
    put(&home.path("in/sub/shared/c.md"), "c");
    put(&home.path("in").join(OsStr::from_bytes(b"bad\xff.md")), "x");
    let ran = home.run(&["import", "in"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    for said in [
        "renamed: in/shared is now /shared-imported, because that name is reserved",
        "renamed: in/.homefs is now /.homefs-imported",
        "bad\u{fffd}.md: the name is not UTF-8",
        "1 path left out",
    ] {
        assert!(ran.stderr.contains(said), "{said:?} is not in {}", ran.stderr);
    }
    assert_eq!(home.ok(&["cat", "shared-imported/a.md", "sub/shared/c.md"]), "ac");
}

#[test]
fn an_export_is_not_led_astray_by_links() {
    let home = Home::new();
    home.ok(&["write", "notes/a.md", "mine"]);
    std::fs::create_dir_all(home.path("out")).unwrap();
    std::fs::create_dir_all(home.path("elsewhere")).unwrap();
    symlink(home.path("elsewhere"), home.path("out/notes")).unwrap();
    assert_eq!(home.run(&["export", "out"]).code, 1);
    assert!(home.path("elsewhere").read_dir().unwrap().next().is_none());
}

#[test]
fn an_import_is_not_led_astray_by_links() {
    let home = Home::new();
    put(&home.path("in/notes/a.md"), "new");
    home.ok(&["write", "elsewhere/a.md", "old"]);
    home.ok(&["ln", "-s", "elsewhere", "notes"]);
    assert_eq!(home.run(&["import", "in"]).code, 1);
    assert_eq!(home.ok(&["cat", "elsewhere/a.md"]), "old\n");
}

#[test]
fn cp_reaches_the_host_on_either_side() {
    let home = Home::new();
    put(&home.path("file.txt"), "hello");
    put(&home.path("dir/a.txt"), "a");
    home.check(
        "
        $ cp host:./file.txt notes/copy.txt
        copied 1 file (5 B), 0 already there, 0 directories, 0 links; every copy was read back and compared
        $ cp host:dir docs
        error: dir: is a directory
        hint: -r copies whole directories
        [2]
        $ -q cp -r host:dir docs
        $ -q cp host:file.txt docs
        $ tree
        /
        ├── docs/
        │   ├── a.txt
        │   └── file.txt
        └── notes/
        └── copy.txt
        2 directories, 3 files
        $ -q cp notes/copy.txt host:back.txt
        $ -q cp -r docs host:dir
        $ cp host:a host:b
        error: one side of a copy must be in the store
        hint: the system's own cp copies on the host
        [2]
        $ cp host:missing x
        error: missing: no such file or directory on the host
        [1]
        ",
    );
    assert_eq!(std::fs::read(home.path("back.txt")).unwrap(), b"hello");
    assert_eq!(std::fs::read(home.path("dir/docs/a.txt")).unwrap(), b"a");
}
