//! Where the mount says no: quotas, names, spaces, rights.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt, chown, symlink};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant, SystemTime};

use rustix::fs::{CWD, Dir, FileType, Mode, OFlags, StatVfs, XattrFlags};
use rustix::io::Errno;

use crate::harness::{Mounted, is_plain};
use crate::inodes::Second;
use crate::tools::{both, program, run};

const MEGABYTE: u64 = 1 << 20;

#[test]
fn the_room_of_a_mount_is_its_quota() {
    let Some(mounted) = mount() else { return };
    mounted.homefs(&["spaces", "create", "market"]);
    let unbounded = room(&mounted.root());
    mounted.homefs(&["--operator", "spaces", "quota", "/", "--bytes", "4194304", "--nodes", "20"]);
    let empty = room(&mounted.root());
    assert_eq!(empty.f_blocks * empty.f_frsize, 4 * MEGABYTE);
    assert_eq!((empty.f_files, empty.f_namemax), (20, 255));
    assert_eq!(room(&mounted.path("shared/market")).f_files, unbounded.f_files, "not its space");
    let (file, more) = (mounted.path("a"), mounted.path("b"));
    fs::write(&file, vec![b'a'; 3 << 20]).unwrap();
    let filled = room(&mounted.root());
    assert_eq!((empty.f_bavail - filled.f_bavail) * filled.f_frsize, 3 * MEGABYTE);
    assert_eq!(empty.f_ffree - filled.f_ffree, 1);
    check_errno(fs::write(&more, vec![b'b'; 2 << 20]), Errno::NOSPC, "write");
    fs::write(&more, "").unwrap();
    let open = File::options().append(true).open(&more).unwrap();
    check_errno(open.set_len(2 * MEGABYTE), Errno::NOSPC, "truncate");
    let reserved = rustix::fs::fallocate(&open, rustix::fs::FallocateFlags::empty(), 0, 2 << 20);
    assert_eq!(reserved, Err(Errno::NOSPC), "fallocate");
    check_errno((&open).write_all(&vec![b'b'; 2 << 20]), Errno::NOSPC, "append");
    open.set_len(0).unwrap();
    assert_eq!(fs::read(&file).unwrap().len(), 3 << 20, "what was there stays");
    fs::remove_file(&file).unwrap();
    fs::write(&more, vec![b'b'; 2 << 20]).unwrap();
    fs::remove_file(&more).unwrap();
    assert_eq!(room(&mounted.root()).f_bavail, empty.f_bavail);
    let made = (0..).map_while(|number| File::create(mounted.path(&format!("n{number}"))).ok());
    let made = u64::try_from(made.count()).unwrap();
    assert_eq!(made, empty.f_ffree, "as many as it said");
    check_errno(fs::create_dir(mounted.path("dir")), Errno::NOSPC, "mkdir");
    fs::remove_file(mounted.path("n0")).unwrap();
    fs::create_dir(mounted.path("dir")).unwrap();
}

#[test]
fn a_name_has_255_bytes_of_text() {
    let Some(mounted) = mount() else { return };
    fs::write(mounted.path("file"), "x").unwrap();
    let longest = "é".repeat(127) + "x";
    for name in ["x".repeat(255), longest.clone()] {
        check_names(&mounted, OsStr::new(&name), None);
    }
    for (name, errno) in [
        (OsString::from("x".repeat(256)), Errno::NAMETOOLONG),
        (OsString::from(longest + "x"), Errno::NAMETOOLONG),
        (OsStr::from_bytes(b"not \xff text").to_owned(), Errno::ILSEQ),
    ] {
        check_errno(fs::metadata(mounted.root().join(&name)), errno, "stat");
        check_names(&mounted, &name, Some(errno));
    }
    let target = OsStr::from_bytes(b"\xff");
    check_errno(symlink(target, mounted.path("link")), Errno::ILSEQ, "a link to what is no text");
}

#[test]
fn reserved_names_are_refused_in_the_root_of_the_mount() {
    let Some(mounted) = mount() else { return };
    fs::write(mounted.path("file"), "x").unwrap();
    fs::create_dir(mounted.path("dir")).unwrap();
    for name in [".homefs", "shared"] {
        check_names(&mounted, OsStr::new(name), Some(Errno::INVAL));
        check_errno(fs::metadata(mounted.path(name)), Errno::NOENT, name);
        fs::write(mounted.path("dir").join(name), "x").unwrap();
    }
}

#[test]
fn a_directory_among_the_shared_spaces_is_a_space() {
    let Some(mounted) = mount() else { return };
    mounted.homefs(&["spaces", "create", "market"]);
    let new = mounted.path("shared/new");
    fs::create_dir(&new).unwrap();
    fs::write(new.join("a.md"), "text").unwrap();
    assert_eq!(mounted.homefs(&["cat", "shared/new/a.md"]), "text");
    assert!(mounted.homefs(&["spaces"]).contains("/shared/new"));
    check_errno(fs::create_dir(&new), Errno::EXIST, "a space of that name");
    check_errno(fs::create_dir(mounted.path("shared/No Name")), Errno::INVAL, "a bad name");
    // Spaces are neither removed nor renamed as directories are, and only they are shown here.
    fs::remove_file(new.join("a.md")).unwrap();
    check_errno(fs::remove_dir(&new), Errno::ACCESS, "rmdir");
    check_errno(fs::rename(&new, mounted.path("shared/old")), Errno::ACCESS, "rename");
    check_errno(fs::write(mounted.path("shared/file"), "x"), Errno::ACCESS, "a file");
}

#[test]
fn another_space_is_another_device() {
    let Some(mounted) = mount() else { return };
    mounted.homefs(&["spaces", "create", "market"]);
    fs::create_dir(mounted.path("dir")).unwrap();
    fs::write(mounted.path("dir/a.md"), "a").unwrap();
    fs::write(mounted.path("b.md"), "b").unwrap();
    for (from, to) in [("b.md", "shared/market/b.md"), ("dir", "shared/market/dir")] {
        let (from, to) = (mounted.path(from), mounted.path(to));
        check_errno(fs::rename(&from, &to), Errno::XDEV, "rename");
    }
    let linked = fs::hard_link(mounted.path("b.md"), mounted.path("shared/market/b.md"));
    check_errno(linked, Errno::XDEV, "link");
    let shell = |line| run(program(Path::new("sh"), &mounted.root()).args(["-c", line]));
    shell("mv dir b.md shared/market");
    assert_eq!(shell("find . | sort"), {
        let (market, dir) = ("./shared/market", "./shared/market/dir");
        format!(".\n./shared\n{market}\n{market}/b.md\n{dir}\n{dir}/a.md\n")
    });
    assert_eq!(mounted.homefs(&["cat", "shared/market/dir/a.md", "shared/market/b.md"]), "ab");
    shell("mv shared/market/dir .");
    assert_eq!(fs::read_to_string(mounted.path("dir/a.md")).unwrap(), "a");
    assert!(!mounted.path("shared/market/dir").exists());
}

#[test]
fn a_read_only_mount_refuses_every_change() {
    if is_plain() {
        return;
    }
    let Some(mounted) = Mounted::with(60, &["--read-only"]) else { return };
    mounted.homefs(&["write", "a.md", "one"]);
    mounted.homefs(&["mkdir", "dir"]);
    let (file, dir, new) = (mounted.path("a.md"), mounted.path("dir"), mounted.path("new"));
    let number = fs::metadata(&file).unwrap().uid();
    let open = File::open(&file).unwrap();
    let mode = Permissions::from_mode(0o600);
    let fifo = rustix::fs::mknodat(CWD, &new, FileType::Fifo, Mode::RUSR, 0);
    let flags = XattrFlags::empty();
    let changes: Vec<(&str, io::Result<()>)> = vec![
        ("create", fs::write(&new, "x")),
        ("write", fs::write(&file, "x")),
        ("append", File::options().append(true).open(&file).map(drop)),
        ("mkdir", fs::create_dir(&new)),
        ("rmdir", fs::remove_dir(&dir)),
        ("unlink", fs::remove_file(&file)),
        ("rename", fs::rename(&file, &new)),
        ("link", fs::hard_link(&file, &new)),
        ("symlink", symlink("x", &new)),
        ("mknod", fifo.map_err(Into::into)),
        ("chmod", fs::set_permissions(&file, mode)),
        ("chown", chown(&file, Some(number), None)),
        ("utimens", open.set_modified(SystemTime::UNIX_EPOCH)),
        ("setxattr", rustix::fs::setxattr(&file, "user.x", b"x", flags).map_err(Into::into)),
        ("removexattr", rustix::fs::removexattr(&file, "user.x").map_err(Into::into)),
        ("probe", fs::write(mounted.path("a.md:tags"), "x")),
    ];
    for (what, outcome) in changes {
        check_errno(outcome, Errno::ROFS, what);
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), "one\n");
    assert!(fs::read_to_string(mounted.path(":stats")).unwrap().contains("| files | 1 |"));
    mounted.homefs(&["write", "a.md", "two"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), "two\n", "others can");
}

#[test]
fn what_was_revoked_is_gone_for_who_is_inside() {
    let Some(mounted) = mount() else { return };
    let ann = |arguments: &[&str]| mounted.homefs(&[&["--agent-id", "ann"], arguments].concat());
    ann(&["spaces", "create", "market"]);
    ann(&["mkdir", "shared/market/dir"]);
    ann(&["write", "shared/market/dir/a.md", "hello"]);
    ann(&["grant", "shared/market", "me", "write"]);
    let dir = mounted.path("shared/market/dir");
    let open = File::options().read(true).write(true).open(dir.join("a.md")).unwrap();
    open.read_exact_at(&mut [0; 5], 0).unwrap();
    let held = File::open(&dir).unwrap();
    // A shell that stands inside and waits until the right is gone.
    let line = "read go; cat a.md; ls; ls ..; echo x > b.md; exec 3< a.md; echo end";
    let mut inside = program(Path::new("sh"), &dir);
    let mut inside = inside.args(["-c", line]).stdin(Stdio::piped()).spawn().unwrap();
    // It has started in there once the kernel says so.
    let cwd = format!("/proc/{}/cwd", inside.id());
    wait("the shell is inside", || fs::read_link(&cwd).is_ok_and(|at| at.ends_with("dir")));
    ann(&["revoke", "shared/market", "me"]);
    assert!(open.read_at(&mut [0; 5], 0).is_err(), "reading");
    assert!(open.write_at(b"x", 0).is_err(), "writing");
    assert!(open.metadata().is_err(), "looking");
    let listed = Dir::read_from(&held).and_then(|mut dir| dir.next().transpose());
    assert!(listed.is_err(), "listing: {listed:?}");
    for (name, flags) in [("a.md", OFlags::RDONLY), ("b.md", OFlags::CREATE | OFlags::WRONLY)] {
        let opened = rustix::fs::openat(&held, name, flags, Mode::RUSR);
        assert!(opened.is_err(), "opening {name}");
    }
    drop(inside.stdin.take());
    let output = inside.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "", "{}", both(&output));
    assert!(!output.status.success());
    assert_eq!(ann(&["cat", "shared/market/dir/a.md"]), "hello\n");
    assert_eq!(ann(&["ls", "shared/market/dir"]), "a.md\n");
}

#[test]
fn a_second_mount_sees_what_the_first_changes() {
    let Some(mounted) = mount() else { return };
    let owner = || {
        let status = mounted.homefs(&["status", "--json"]);
        serde_json::from_str::<serde_json::Value>(&status).unwrap()["pid"].clone()
    };
    let first_owner = owner();
    let second = Second::new(&mounted, "second", &[]);
    assert_eq!(owner(), first_owner);
    let (one, two) = (mounted.path("a.md"), second.dir().join("a.md"));
    let mut held = None;
    for round in 0..50 {
        let text = format!("round {round}\n").repeat(1 + round % 7 * 100);
        // What one mount changes may be a moment late in the other.
        fs::write(&one, &text).unwrap();
        wait("the content is seen", || fs::read_to_string(&two).is_ok_and(|found| found == text));
        let held = held.get_or_insert_with(|| File::open(&one).unwrap());
        fs::write(&two, "back").unwrap();
        wait("the answer is seen", || {
            let mut found = [0; 10];
            let length = held.read_at(&mut found, 0).unwrap();
            &found[..length] == b"back" && fs::read_to_string(&one).unwrap() == "back"
        });
        fs::rename(&two, second.dir().join("b.md")).unwrap();
        wait("the name is gone", || !one.exists());
        fs::rename(mounted.path("b.md"), &one).unwrap();
        wait("the name is back", || two.exists() && !second.dir().join("b.md").exists());
    }
}

/// Mounts a home; what is tried here is not what a plain directory does.
fn mount() -> Option<Mounted> {
    if is_plain() { None } else { Mounted::new(60) }
}

fn room(path: &Path) -> StatVfs {
    rustix::fs::statvfs(path).unwrap()
}

/// Tries a name in the root in every way in which a name is made.
fn check_names(mounted: &Mounted, name: &OsStr, refused: Option<Errno>) {
    let (path, file) = (mounted.root().join(name), mounted.path("file"));
    let ways: [(&str, &dyn Fn() -> io::Result<()>); 5] = [
        ("create", &|| fs::write(&path, "x")),
        ("mkdir", &|| fs::create_dir(&path)),
        ("symlink", &|| symlink("x", &path)),
        ("link", &|| fs::hard_link(&file, &path)),
        ("rename", &|| fs::rename(&file, &path)),
    ];
    for (what, make) in ways {
        if let Some(errno) = refused {
            check_errno(make(), errno, what);
            continue;
        }
        make().unwrap();
        let listed = fs::read_dir(mounted.root()).unwrap();
        let listed = listed.filter(|entry| entry.as_ref().unwrap().file_name() == name);
        assert_eq!(listed.count(), 1, "{what}");
        match what {
            "mkdir" => fs::remove_dir(&path).unwrap(),
            "rename" => fs::rename(&path, &file).unwrap(),
            _ => fs::remove_file(&path).unwrap(),
        }
    }
}

fn check_errno<T>(outcome: io::Result<T>, expected: Errno, what: &str) {
    let found = outcome.map(drop).map_err(|error| error.raw_os_error());
    assert_eq!(found, Err(Some(expected.raw_os_error())), "{what}");
}

/// Looks again and again, for at most some seconds.
fn wait(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(20), "not in time: {what}");
        std::thread::yield_now();
    }
}
