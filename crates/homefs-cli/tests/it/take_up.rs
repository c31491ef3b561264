//! A new store takes up a remote: what stands at an address, who may only read there, and one
//! command that does all.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use homefs_testkit::{Fault, FaultKind, RemoteOperation, S3Server};

use crate::harness::{Home, put};
use crate::mount::mounting;
use crate::remote::refused;
use crate::sync::{Bucket, machine, words};

/// A machine that has pushed one note.
fn pushed(bucket: &Bucket) -> Home {
    let home = machine();
    home.ok(&["write", "note.md", "one"]);
    bucket.add(&home);
    home.ok(&["sync"]);
    home
}

/// Returns the arguments that name another prefix of the bucket.
fn at(bucket: &Bucket, command: &[&str], prefix: &str) -> Vec<String> {
    let address = format!("s3://{}/{prefix}", bucket.server.bucket());
    let endpoint = bucket.server.endpoint();
    let place = [&address, "--endpoint", &endpoint].map(str::to_owned);
    command.iter().map(|word| (*word).to_owned()).chain(place).collect()
}

#[test]
fn where_nothing_is_there_is_nothing_to_clone() {
    let bucket = Bucket::new();
    let home = machine();
    refused(
        &home,
        &words(&at(&bucket, &["clone"], "p")),
        &["s3://homefs-test/p: nothing is there"],
    );
    pushed(&bucket);
    bucket.server.put("notes/a.md", "x");
    for (prefix, said) in [
        ("mispelt", "nothing is there; s3://homefs-test has notes/, p/"),
        ("p/agents/you", "nothing is there; s3://homefs-test/p/agents has me/"),
        ("p/agents", "no home is there, but me/"),
        ("p/agents/me", "it is one agent's home itself"),
        ("notes", "no home is there, but a.md"),
    ] {
        let clone = at(&bucket, &["clone"], prefix);
        let said = format!("error: s3://homefs-test/{prefix}: {said}");
        refused(&home, &words(&clone), &[&said, "hint: "]);
        assert!(!home.path("store").exists(), "{prefix}: no store is left behind");
    }
    let empty = tempfile::tempdir().unwrap();
    let address = format!("file://{}", empty.path().display());
    refused(&home, &["clone", &address], &[&format!("error: {address}: nothing is there")]);
    assert!(!home.path("store").exists());
}

#[test]
fn a_lost_head_is_told_and_how_to_mend_it() {
    let bucket = Bucket::new();
    let laptop = pushed(&bucket);
    assert!(!laptop.ok(&["doctor"]).contains("HEAD"));
    bucket.server.remove("p/agents/me/.homefs/HEAD");
    let ran = laptop.run(&["doctor"]);
    let told = "bad   remote     s3://homefs-test/p: agents/me has commits, but its .homefs/HEAD";
    assert!(ran.code == 1 && ran.text().contains(told), "{}", ran.text());
    assert!(ran.text().contains("`homefs remote add`"), "{}", ran.text());
    let other = machine();
    refused(&other, &words(&bucket.place(&["clone"])), &["agents/me has commits, but its HEAD"]);
    assert!(!other.path("store").exists());
    // What the doctor says does help.
    laptop.ok(&["remote", "rm"]);
    bucket.add(&laptop);
    laptop.ok(&["sync"]);
    bucket.clone_to(&other);
    assert_eq!(other.ok(&["cat", "note.md"]), "one\n");
    bucket.server.delete_bucket();
    assert!(laptop.ok(&["doctor"]).contains("warn  remote     s3://homefs-test/p"));
}

/// Lets nobody write to the bucket.
fn freeze(bucket: &Bucket) {
    for operation in [RemoteOperation::Put, RemoteOperation::Delete] {
        bucket.server.fail(Fault::before(FaultKind::Status(403)).on(operation).until_healed());
    }
}

#[test]
fn who_may_only_read_clones_and_pulls() {
    let bucket = Bucket::new();
    let laptop = pushed(&bucket);
    let reader = machine();
    freeze(&bucket);
    refused(&machine(), &words(&bucket.remote("add")), &["does not let these credentials"]);
    let ran = reader.run(&words(&bucket.place(&["clone"])));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("so this machine only reads there"), "{}", ran.stderr);
    assert!(reader.ok(&["remote", "ls"]).ends_with(", only read\n"));
    bucket.server.heal();
    laptop.ok(&["append", "note.md", "two"]);
    laptop.ok(&["sync"]);
    freeze(&bucket);
    reader.ok(&["write", "mine.md", "x"]);
    reader.ok(&["pull"]);
    assert_eq!(reader.ok(&["cat", "note.md"]), "one\ntwo\n");
    let ran = reader.run(&["sync"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("is only read: what is written here stays here"), "{}", ran.stderr);
    let why = ["error: s3://homefs-test/p: this machine only reads here", "`homefs remote add`"];
    refused(&reader, &["push"], &why);
    refused(&reader, &["write", "b.md", "x", "--pushed"], &why[..1]);
    refused(&reader, &words(&bucket.remote("add")), &["does not let these credentials"]);
    // Once it may write, what it wrote is sent.
    bucket.server.heal();
    reader.ok(&words(&bucket.remote("add")));
    reader.ok(&["push"]);
    laptop.ok(&["pull"]);
    assert_eq!(laptop.ok(&["cat", "mine.md"]), "x\n");
}

#[test]
fn who_wants_only_to_read_changes_nothing_there() {
    let bucket = Bucket::new();
    pushed(&bucket);
    let before = bucket.server.objects();
    let reader = machine();
    bucket.server.clear_log();
    reader.ok(&words(&[bucket.place(&["clone"]), vec!["--read-only".into()]].concat()));
    reader.ok(&["write", "mine.md", "x"]);
    reader.ok(&["sync"]);
    refused(&reader, &["gc"], &["this machine only reads here"]);
    let counts = bucket.server.counts();
    assert!(!counts.contains_key(&RemoteOperation::Put), "{counts:?}");
    assert_eq!(bucket.server.objects(), before);
}

#[test]
fn a_directory_that_cannot_be_written_is_read() {
    if rustix::process::geteuid().is_root() {
        println!("not run: nothing keeps root from writing");
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let address = format!("file://{}", dir.path().display());
    let (laptop, reader) = (Home::new(), Home::new());
    laptop.ok(&["write", "a.md", "one"]);
    laptop.ok(&["remote", "add", &address]);
    laptop.ok(&["sync"]);
    let allow = |path: &Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    allow(dir.path(), 0o500);
    allow(&dir.path().join("agents/me/.homefs"), 0o500);
    reader.ok(&["clone", &address]);
    assert_eq!(reader.ok(&["cat", "a.md"]), "one\n");
    refused(&reader, &["push"], &["this machine only reads here"]);
    allow(dir.path(), 0o700);
    allow(&dir.path().join("agents/me/.homefs"), 0o700);
}

#[test]
fn an_error_begins_with_the_address_and_says_what_helps() {
    let bucket = Bucket::new();
    let laptop = pushed(&bucket);
    laptop.ok(&["append", "note.md", "more"]);
    let fresh = machine();
    let commands = [
        (&laptop, vec!["sync".to_owned()]),
        (&laptop, vec!["push".into()]),
        (&laptop, vec!["pull".into()]),
        (&laptop, vec!["gc".into()]),
        (&fresh, bucket.place(&["clone"])),
        (&fresh, bucket.place(&["adopt"])),
        (&fresh, bucket.remote("add")),
        (&fresh, bucket.remote("check")),
    ];
    for (fault, said) in [
        (FaultKind::Status(403), &["AWS_ACCESS_KEY_ID of the environment", "AWS_PROFILE"][..]),
        (FaultKind::Refusal(403, "SignatureDoesNotMatch"), &["refused the credentials"]),
        (FaultKind::Refusal(403, "RequestTimeTooSkewed"), &["the clock of this machine", "set it"]),
        (FaultKind::Refusal(301, "PermanentRedirect"), &["--region"]),
        (FaultKind::Refusal(404, "NoSuchBucket"), &["no such bucket", "create it"]),
        (FaultKind::Refusal(507, "XMinioStorageFull"), &["the bucket is full", "make room"]),
        (FaultKind::Reset, &["no answer from http://127.0.0.1", "look at the network"]),
        (FaultKind::Status(503), &["503 SlowDown"]),
    ] {
        for (home, command) in &commands {
            bucket.server.fail(Fault::before(fault).until_healed());
            let ran = refused(home, &words(command), said);
            let begins = format!("error: {}", bucket.address());
            assert!(ran.stderr.starts_with(&begins), "{command:?}: {}", ran.stderr);
            bucket.server.heal();
        }
    }
    let away = ["clone", "s3://b/p", "--endpoint", "http://127.0.0.1:1"];
    refused(&fresh, &away, &["error: s3://b/p", "no answer from http://127.0.0.1:1"]);
}

#[test]
fn a_write_that_waits_for_the_remote_ends_when_that_refuses() {
    let bucket = Bucket::new();
    let laptop = pushed(&bucket);
    freeze(&bucket);
    let ran = refused(&laptop, &["write", "a.md", "x", "--pushed"], &["403 AccessDenied"]);
    assert!(!ran.stderr.contains("not in the remote yet"), "{}", ran.stderr);
    assert_eq!(laptop.ok(&["cat", "a.md"]), "x\n");
    refused(&laptop, &["sync", "--wait"], &["403 AccessDenied"]);
}

#[test]
fn one_command_mounts_what_a_remote_has() {
    let Some(mut home) = mounting() else { return };
    home.set("AWS_ACCESS_KEY_ID", S3Server::ACCESS_KEY);
    home.set("AWS_SECRET_ACCESS_KEY", S3Server::SECRET_KEY);
    let bucket = Bucket::new();
    pushed(&bucket);
    let mount = bucket.place(&["mount"]);
    let mount = |more: &[&'static str]| [words(&mount), more.to_vec()].concat();
    // The store of this home has files, which nobody asked to send anywhere.
    refused(&home, &mount(&["m"]), &["is a store that has files", "--store names a new directory"]);
    let said = home.ok(&mount(&["m", "--store", "new"]));
    assert_eq!(said, format!("mounted {} as me\n", home.path("m").display()));
    assert_eq!(std::fs::read_to_string(home.path("m/note.md")).unwrap(), "one\n");
    std::fs::write(home.path("m/b.md"), "two\n").unwrap();
    home.ok(&["--store", "new", "sync"]);
    assert!(bucket.server.objects().contains_key("p/agents/me/b.md"));
    home.ok(&["--store", "new", "umount", "m"]);
    // Again, also beside a mount of the same store, and without the network.
    bucket.server.fail(Fault::before(FaultKind::Reset).until_healed());
    home.ok(&mount(&["m", "--store", "new"]));
    home.ok(&mount(&["n", "--store", "new", "--read-only"]));
    assert_eq!(std::fs::read_to_string(home.path("n/b.md")).unwrap(), "two\n");
    bucket.server.heal();
    let other = at(&bucket, &["mount"], "q");
    let other = [words(&other), vec!["o", "--store", "new"]].concat();
    refused(&home, &other, &["error: s3://homefs-test/q: the store", "has another remote, s3://"]);
    for dir in ["m", "n"] {
        home.ok(&["--store", "new", "unmount", dir]);
    }
    // A bucket that is new begins with this home.
    let first = at(&bucket, &["mount"], "first");
    let ran = home.run(&[words(&first), vec!["m", "--store", "third", "--agent-id", "x"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("nothing was there yet"), "{}", ran.stderr);
    home.ok(&["--store", "third", "unmount", "m"]);
}

#[test]
fn an_address_is_never_taken_for_a_path() {
    let home = machine();
    put(&home.path("in/a.md"), "x");
    for command in [
        &["mount", "s3://b/p"][..],
        &["mount", "s3://b/p", "s3://b/q"],
        &["mount", "--foreground", "gs://b"],
        &["unmount", "az://c"],
        &["--store", "s3://b/p", "ls"],
        &["import", "file:///srv"],
        &["export", "s3://b"],
        &["backup", "s3://b"],
        &["restore-store", "s3://b"],
        &["cp", "host:s3://b/a", "a"],
        &["mount", "--log", "s3://b/log", "m"],
    ] {
        refused(&home, command, &["it is an address"]);
    }
    for command in [
        &["write", "s3://b/a.md", "x"][..],
        &["cat", "s3://b/a.md"],
        &["cp", "s3://b/a.md", "a.md"],
        &["mkdir", "file:///srv"],
        &["mount", "./in", "./out"],
    ] {
        assert_eq!(home.run(command).code, 2, "{command:?}");
    }
    let mut told = machine();
    told.set("HOMEFS_STORE", "s3://b/p");
    refused(&told, &["ls"], &["the setting store cannot be \"s3://b/p\"", "HOMEFS_STORE"]);
    let left: Vec<_> = std::fs::read_dir(home.path("")).unwrap().flatten().collect();
    assert!(
        left.iter().all(|entry| !entry.file_name().to_string_lossy().contains(':')),
        "{left:?}"
    );
}
