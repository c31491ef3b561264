//! The mount and another face on one store: what one changes, the other sees when the call returns.

use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt, symlink};
use std::path::Path as HostPath;

use homefs_api::Client;
use homefs_core::{ErrorKind, Path};
use homefs_view::{RenameMode, SetAttrs, WriteOptions};

use crate::harness::{Mounted, is_plain};
use crate::mapped::Mapped;

/// Rounds with a client; the command line, which starts a process for each step, makes fewer.
const ROUNDS: usize = 200;
const COMMAND_ROUNDS: usize = 5;

#[test]
fn a_content_written_by_a_client_is_seen_through_what_is_open() {
    let Some(mounted) = mount() else { return };
    let client = mounted.client();
    let (path, file) = (parse("/note.md"), mounted.path("note.md"));
    fs::write(&file, "before").unwrap();
    let held = File::open(&file).unwrap();
    let mapped = Mapped::new(&held, 4_096, false).unwrap();
    for round in 0..ROUNDS {
        let text = format!("round {round}\n").repeat(1 + round * 7 % 300);
        client.write(&path, text.as_bytes(), &WriteOptions::default()).unwrap();
        check_content(&file, &held, Some(&mapped), &text);
        client.append(&path, b"more", &WriteOptions::default()).unwrap();
        check_content(&file, &held, Some(&mapped), &(text.clone() + "more"));
        client.truncate(&path, 5).unwrap();
        check_content(&file, &held, Some(&mapped), "round");
        client.write_at(&path, 2, b"OO").unwrap();
        check_content(&file, &held, Some(&mapped), "roOOd");
    }
}

#[test]
fn names_changed_by_a_client_are_seen() {
    let Some(mounted) = mount() else { return };
    let client = mounted.client();
    for round in 0..ROUNDS {
        let [one, two] = [format!("one-{round}"), format!("two-{round}")];
        let [path, other] = [&one, &two].map(|name| parse(&format!("/{name}")));
        // The kernel now knows that they are not there.
        check_names(&mounted, &[]);
        check_missing(&mounted, &[&one, &two]);
        client.write(&path, b"text", &WriteOptions::default()).unwrap();
        check_names(&mounted, &[&one]);
        assert_eq!(fs::read_to_string(mounted.path(&one)).unwrap(), "text");
        client.rename(&path, &other, RenameMode::Replace).unwrap();
        check_missing(&mounted, &[&one]);
        check_names(&mounted, &[&two]);
        client.link(&other, &path).unwrap();
        assert_eq!(fs::metadata(mounted.path(&two)).unwrap().nlink(), 2);
        client.remove(&other, false).unwrap();
        check_missing(&mounted, &[&two]);
        assert_eq!(fs::metadata(mounted.path(&one)).unwrap().nlink(), 1);
        client.remove(&path, false).unwrap();
        client.make_dir(&path, false).unwrap();
        assert!(fs::metadata(mounted.path(&one)).unwrap().is_dir());
        client.write(&path.join(&two).unwrap(), b"", &WriteOptions::default()).unwrap();
        assert!(mounted.path(&one).join(&two).exists());
        client.remove(&path, true).unwrap();
        assert!(!mounted.path(&one).join(&two).exists());
        client.symlink("two", &path).unwrap();
        assert_eq!(fs::read_link(mounted.path(&one)).unwrap(), HostPath::new("two"));
        client.remove(&path, false).unwrap();
    }
}

#[test]
fn attributes_set_by_a_client_are_seen() {
    let Some(mounted) = mount() else { return };
    let client = mounted.client();
    let (path, file) = (parse("/note.md"), mounted.path("note.md"));
    fs::write(&file, "text").unwrap();
    for round in 0..ROUNDS {
        let mode = if round % 2 == 0 { 0o600 } else { 0o644 };
        let value = round.to_string();
        let xattrs = [("user.round".into(), Some(value.clone().into()))].into();
        client
            .set_attrs(&path, &SetAttrs { mode: Some(mode), xattrs, ..SetAttrs::default() })
            .unwrap();
        assert_eq!(fs::metadata(&file).unwrap().mode() & 0o7777, mode);
        let mut found = [0; 20];
        let len = rustix::fs::getxattr(&file, "user.round", &mut found).unwrap();
        assert_eq!(&found[..len], value.as_bytes());
    }
}

#[test]
fn what_the_mount_changes_is_seen_by_a_client() {
    let Some(mounted) = mount() else { return };
    let client = mounted.client();
    let (path, other) = (parse("/one"), parse("/two"));
    let (file, moved) = (mounted.path("one"), mounted.path("two"));
    for round in 0..ROUNDS {
        check_unknown(&client, &path);
        let open = File::options().create(true).truncate(true).read(true).write(true).open(&file);
        let open = open.unwrap();
        let text = format!("round {round}\n").repeat(1 + round * 7 % 300);
        open.write_all_at(text.as_bytes(), 0).unwrap();
        assert_eq!(client.read(&path).unwrap(), text);
        open.set_len(5).unwrap();
        assert_eq!(client.read(&path).unwrap(), "round");
        let mapped = Mapped::new(&open, 5, true).unwrap();
        mapped.fill(1, 2, b'x');
        mapped.sync().unwrap();
        assert_eq!(client.read(&path).unwrap(), "rxxnd");
        drop(mapped);
        fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
        assert_eq!(client.stat(&path).unwrap().mode & 0o7777, 0o600);
        rustix::fs::setxattr(&file, "user.one", b"1", rustix::fs::XattrFlags::empty()).unwrap();
        assert_eq!(client.xattrs(&path).unwrap()["user.one"], "1");
        fs::hard_link(&file, &moved).unwrap();
        assert_eq!(client.stat(&other).unwrap().links, 2);
        fs::remove_file(&moved).unwrap();
        fs::rename(&file, &moved).unwrap();
        check_unknown(&client, &path);
        assert_eq!(client.read(&other).unwrap(), "rxxnd");
        fs::remove_file(&moved).unwrap();
        check_unknown(&client, &other);
        symlink("target", &file).unwrap();
        assert_eq!(client.read_link(&path).unwrap(), "target");
        fs::remove_file(&file).unwrap();
        // The file that is still open has no name, so that nobody else sees what becomes of it.
        open.write_all_at(b"unseen", 0).unwrap();
        check_unknown(&client, &path);
    }
}

#[test]
fn a_long_file_written_through_the_mount_is_printed() {
    let Some(mounted) = mount() else { return };
    let file = mounted.path("long.md");
    for megabytes in [1, 3, 8, 2] {
        let text = format!("{megabytes:>15}\n").repeat(megabytes << 16);
        fs::write(&file, &text).unwrap();
        assert!(mounted.homefs(&["cat", "long.md"]) == text, "{megabytes} MB written");
        File::options().write(true).open(&file).unwrap().write_all_at(b"new", 1 << 19).unwrap();
        let found = mounted.homefs(&["cat", "long.md"]);
        assert_eq!(found.len(), text.len());
        assert_eq!(&found[1 << 19..][..3], "new", "{megabytes} MB, written over");
    }
}

#[test]
fn the_command_line_and_the_mount_see_each_other() {
    let Some(mounted) = mount() else { return };
    let file = mounted.path("note.md");
    for round in 0..COMMAND_ROUNDS {
        check_missing(&mounted, &["note.md"]);
        let text = format!("round {round}\n").repeat(1 + round * 100);
        mounted.homefs(&["write", "note.md", text.trim_end()]);
        let held = File::open(&file).unwrap();
        check_content(&file, &held, None, &text);
        mounted.homefs(&["append", "note.md", "more"]);
        check_content(&file, &held, None, &(text + "more\n"));
        fs::write(&file, "by the mount\n").unwrap();
        assert_eq!(mounted.homefs(&["cat", "note.md"]), "by the mount\n");
        mounted.homefs(&["mv", "note.md", "moved.md"]);
        check_names(&mounted, &["moved.md"]);
        fs::rename(mounted.path("moved.md"), &file).unwrap();
        mounted.homefs(&["rm", "note.md"]);
        check_names(&mounted, &[]);
    }
}

#[test]
fn grants_are_seen_when_they_are_given_and_taken() {
    let Some(mounted) = mount() else { return };
    let ann = |arguments: &[&str]| mounted.homefs(&[&["--agent-id", "ann"], arguments].concat());
    ann(&["spaces", "create", "market"]);
    ann(&["write", "shared/market/a.md", "hello"]);
    let (dir, file) = (mounted.path("shared/market"), mounted.path("shared/market/a.md"));
    for _ in 0..COMMAND_ROUNDS {
        check_missing(&mounted, &["shared/market", "shared/market/a.md"]);
        ann(&["grant", "shared/market", "me", "read"]);
        assert_eq!(fs::read_to_string(&file).unwrap(), "hello\n");
        assert_eq!(names(&mounted.path("shared")), ["market"]);
        assert_eq!(names(&dir), ["a.md"]);
        assert!(fs::write(&file, "mine").is_err());
        assert!(fs::write(dir.join("b.md"), "mine").is_err());
        ann(&["grant", "shared/market", "me", "write"]);
        fs::write(dir.join("b.md"), "mine").unwrap();
        assert_eq!(ann(&["cat", "shared/market/b.md"]), "mine");
        fs::remove_file(dir.join("b.md")).unwrap();
        let held = File::open(&file).unwrap();
        ann(&["revoke", "shared/market", "me"]);
        check_missing(&mounted, &["shared/market", "shared/market/a.md"]);
        let read = held.read_at(&mut [0; 10], 0);
        assert!(read.is_err(), "what was open is still read: {read:?}");
    }
}

/// Mounts a home; there is no other face on a plain directory.
fn mount() -> Option<Mounted> {
    if is_plain() { None } else { Mounted::new(60) }
}

fn parse(path: &str) -> Path {
    Path::parse(path).unwrap()
}

/// Checks what a file holds, by its name and through everything that was opened before.
fn check_content(file: &HostPath, held: &File, mapped: Option<&Mapped>, expected: &str) {
    let expected = expected.as_bytes();
    assert_eq!(fs::metadata(file).unwrap().len(), expected.len() as u64, "size by name");
    assert_eq!(held.metadata().unwrap().len(), expected.len() as u64, "size of what is open");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if let Some(mapped) = mapped {
        let first = &expected[..expected.len().min(4_096)];
        assert_eq!(text(&mapped.read(0, first.len())), text(first), "mapped");
    }
    let mut found = vec![0; expected.len() + 100];
    let len = held.read_at(&mut found, 0).unwrap();
    assert_eq!(text(&found[..len]), text(expected), "through what is open");
    assert_eq!(text(&fs::read(file).unwrap()), text(expected), "by name");
}

fn names(dir: &HostPath) -> Vec<String> {
    let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
    let mut names: Vec<String> = fs::read_dir(dir).unwrap().map(name).collect();
    names.sort();
    names
}

/// Checks what the root lists, but for the place of shared spaces.
fn check_names(mounted: &Mounted, expected: &[&str]) {
    let mut found = names(&mounted.root());
    found.retain(|name| name != "shared");
    assert_eq!(found, expected);
}

fn check_missing(mounted: &Mounted, names: &[&str]) {
    for name in names {
        let found = fs::symlink_metadata(mounted.path(name)).map(|_| ());
        assert_eq!(found.map_err(|error| error.kind()), Err(io::ErrorKind::NotFound), "{name}");
    }
}

fn check_unknown(client: &Client, path: &Path) {
    let found = client.stat(path).map(|_| ());
    assert_eq!(found.map_err(|error| error.kind()), Err(ErrorKind::NotFound), "{path}");
}
