//! A directory is a remote that people and other programs see too.

#![expect(clippy::disallowed_methods, reason = "another program acts on the files of the host")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path as HostPath;

use homefs_core::{Condition, ErrorKind, Remote, RemoteAnswer, RemoteRequest};

use crate::common::{get, kind, list, open_directory, put, run, stored, text};

/// Lists the keys.
fn keys(remote: &dyn Remote) -> Vec<String> {
    match run(remote, list()).expect("the directory is there") {
        RemoteAnswer::Listed { objects, .. } => {
            objects.into_iter().map(|object| object.key).collect()
        }
        answer => unreachable!("a listing is answered by {answer:?}"),
    }
}

#[test]
fn objects_are_plain_files_and_leave_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    let remote = open_directory(dir.path()).unwrap();
    stored(&remote, "notes/deep/a.md", "one");
    stored(&remote, "notes/deep/a.md", "two");
    let conflict = run(&remote, put("notes/deep/a.md", "x", Condition::Absent));
    assert_eq!(kind(&conflict), Some(ErrorKind::Conflict));
    assert_eq!(fs::read_to_string(dir.path().join("notes/deep/a.md")).unwrap(), "two");
    assert_eq!(dir.path().join("notes/deep").read_dir().unwrap().count(), 1);
    run(&remote, RemoteRequest::Delete { key: "notes/deep/a.md".to_owned() }).unwrap();
    assert_eq!(dir.path().read_dir().unwrap().count(), 0, "empty directories go too");
}

#[test]
fn an_edit_from_outside_changes_the_tag() {
    let dir = tempfile::tempdir().unwrap();
    let remote = open_directory(dir.path()).unwrap();
    let tag = stored(&remote, "a.md", "ours");
    fs::write(dir.path().join("draft"), "edit").unwrap();
    fs::rename(dir.path().join("draft"), dir.path().join("a.md")).unwrap();
    let refused = run(&remote, put("a.md", "ours again", Condition::Unchanged(tag)));
    assert_eq!(kind(&refused), Some(ErrorKind::Conflict));
    assert_eq!(text(&remote, "a.md").unwrap(), "edit");
}

#[test]
fn quick_puts_of_equal_length_all_have_their_own_tag() {
    let dir = tempfile::tempdir_in("/dev/shm").unwrap_or_else(|_| tempfile::tempdir().unwrap());
    let remote = open_directory(dir.path()).unwrap();
    let tags: Vec<_> = (0..200).map(|n| stored(&remote, "head", &format!("{n:03}"))).collect();
    let different: std::collections::HashSet<_> = tags.iter().collect();
    assert_eq!(different.len(), tags.len());
}

#[test]
fn what_a_crash_left_is_the_next_writers_draft() {
    let dir = tempfile::tempdir().unwrap();
    let remote = open_directory(dir.path()).unwrap();
    stored(&remote, "a", "old");
    // A hash of the name, as a writer that was killed halfway leaves it.
    let digest = homefs_core::Digest::of(b"a").to_string();
    let draft = dir.path().join(format!(".homefs-draft-{}", &digest[..16]));
    fs::write(&draft, "a long half of what was never stored").unwrap();
    assert_eq!(keys(&remote), ["a"]);
    stored(&remote, "a", "new");
    assert_eq!(text(&remote, "a").unwrap(), "new");
    assert!(!draft.exists());
}

#[test]
fn foreign_things_in_the_directory_are_no_objects() {
    let dir = tempfile::tempdir().unwrap();
    let remote = open_directory(dir.path()).unwrap();
    std::os::unix::fs::symlink("/", dir.path().join("root")).unwrap();
    fs::create_dir(dir.path().join("empty")).unwrap();
    fs::write(dir.path().join("line\nbreak"), "x").unwrap();
    fs::write(dir.path().join("plain"), "x").unwrap();
    assert_eq!(keys(&remote), ["plain"]);
    let reserved = run(&remote, put(".homefs-draft-x", "x", Condition::Any));
    assert_eq!(kind(&reserved), Some(ErrorKind::Invalid));
}

#[test]
fn nobody_leads_out_of_the_directory_or_makes_it_wait() {
    let dir = tempfile::tempdir().unwrap();
    let (root, outside) = (dir.path().join("remote"), dir.path().join("outside"));
    for made in [&root, &outside] {
        fs::create_dir(made).unwrap();
    }
    fs::write(outside.join("secret"), "secret").unwrap();
    let remote = open_directory(&root).unwrap();
    std::os::unix::fs::symlink(outside.join("secret"), root.join("file")).unwrap();
    std::os::unix::fs::symlink(&outside, root.join("folder")).unwrap();
    let draft = format!(".homefs-draft-{}", &homefs_core::Digest::of(b"new").to_string()[..16]);
    std::os::unix::fs::symlink(outside.join("secret"), root.join(draft)).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, root.join("HEAD"), 0o600.into()).unwrap();
    assert!(keys(&remote).is_empty());
    for key in ["file", "HEAD"] {
        assert_eq!(kind(&run(&remote, get(key))), Some(ErrorKind::NotFound), "{key}");
    }
    assert_eq!(kind(&run(&remote, get("folder/secret"))), Some(ErrorKind::Invalid));
    assert!(run(&remote, put("folder/new", "x", Condition::Any)).is_err());
    assert!(run(&remote, put("new", "x", Condition::Any)).is_err());
    run(&remote, RemoteRequest::Delete { key: "folder/secret".to_owned() }).unwrap_err();
    stored(&remote, "HEAD", "ours");
    stored(&remote, "file", "ours");
    assert_eq!(fs::read_to_string(outside.join("secret")).unwrap(), "secret");
    assert_eq!(outside.read_dir().unwrap().count(), 1);
}

#[test]
fn a_directory_that_is_away_is_not_an_empty_one() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("mounted");
    assert_eq!(open_directory(&root).unwrap_err().kind(), ErrorKind::Invalid);
    fs::create_dir(&root).unwrap();
    let remote = open_directory(&root).unwrap();
    stored(&remote, "a", "x");
    fs::rename(&root, dir.path().join("away")).unwrap();
    let delete = RemoteRequest::Delete { key: "a".to_owned() };
    for request in [get("a"), put("b/c", "x", Condition::Any), delete, list()] {
        assert_eq!(kind(&run(&remote, request)), Some(ErrorKind::Unavailable));
    }
    assert!(!root.exists(), "it is not made by a put");
}

#[test]
fn what_the_host_refuses_is_told_apart() {
    let dir = tempfile::tempdir().unwrap();
    let remote = open_directory(dir.path()).unwrap();
    stored(&remote, "file", "x");
    stored(&remote, "folder/inside", "x");
    let check = |key: &str, expected| {
        let answer = run(&remote, put(key, "x", Condition::Any));
        assert_eq!(kind(&answer), Some(expected), "{key} {answer:?}");
    };
    check("file/below", ErrorKind::Invalid);
    check("folder", ErrorKind::Invalid);
    check(&"n".repeat(256), ErrorKind::Invalid);
    assert_eq!(keys(&remote), ["file", "folder/inside"]);
    assert_eq!(dir.path().read_dir().unwrap().count(), 2, "no draft is left");
    if read_only_binds(dir.path()) {
        check("other", ErrorKind::Denied);
    }
}

/// Makes a directory read-only and tells whether that binds this user.
fn read_only_binds(dir: &HostPath) -> bool {
    fs::set_permissions(dir, fs::Permissions::from_mode(0o555)).expect("it is ours");
    fs::write(dir.join("try"), "").is_err()
}
