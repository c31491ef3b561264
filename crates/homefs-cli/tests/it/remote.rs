//! `homefs remote`: which places can be attached, and what is said of those that cannot.

use homefs_testkit::{Fault, FaultKind, S3Flaw, S3Server};

use crate::harness::{Home, Ran, put};
use crate::sync::{Bucket, machine, words};

/// Runs a command that must be refused, and says so and why in these words.
#[track_caller]
pub(crate) fn refused(home: &Home, arguments: &[&str], words: &[&str]) -> Ran {
    let ran = home.run(arguments);
    assert_eq!(ran.code, 2, "{arguments:?}: {}{}", ran.text(), ran.stderr);
    for word in words {
        assert!(ran.stderr.contains(word), "{arguments:?} does not say {word:?}: {}", ran.stderr);
    }
    ran
}

#[test]
fn a_remote_is_attached_shown_and_let_go() {
    let (bucket, home) = (Bucket::new(), machine());
    home.check("$ remote ls\n$ remote ls --json\n[]");
    home.ok(&["write", "a.md", "one"]);
    let attached = bucket.add(&home);
    assert!(attached.stderr.contains("attached s3://homefs-test/p"), "{}", attached.stderr);
    let listed = home.run(&["remote", "ls", "--json"]).json();
    let expected = serde_json::json!([{
        "address": bucket.address(), "endpoint": bucket.server.endpoint(), "region": null,
        "path_style": true, "single_writer": false, "home_at_prefix": null, "machine": "laptop",
        "read_only": false, "unused": null,
    }]);
    assert_eq!(listed, expected);
    let shown = home.ok(&["remote", "ls"]);
    assert_eq!(shown, format!("s3://homefs-test/p at {}, as laptop\n", bucket.server.endpoint()));
    let file = std::fs::read_to_string(home.path("store/remote.json")).unwrap();
    assert!(!file.contains(S3Server::SECRET_KEY) && !file.contains(S3Server::ACCESS_KEY));
    refused(&home, &["remote", "add", "s3://other"], &["already", "`homefs remote rm`"]);
    home.ok(&["remote", "rm"]);
    home.check("$ remote ls");
    refused(&home, &["remote", "rm"], &["the store has no remote", "homefs remote add ADDRESS"]);
    refused(&home, &["sync"], &["the store has no remote", "homefs remote add ADDRESS"]);
    assert_eq!(home.ok(&["cat", "a.md"]), "one\n");
    bucket.add(&home);
}

#[test]
fn a_bad_address_is_refused_and_no_secret_is_shown() {
    let home = machine();
    for (address, words) in [
        ("bucket", "s3://bucket/prefix"),
        ("s3://", "names no bucket"),
        ("memory:", "gone when the process ends"),
        ("file:///no/such/directory", "there is no such directory"),
        ("s3://key:geheim@bucket", "holds credentials"),
    ] {
        for command in
            [&["remote", "add", address][..], &["clone", address], &["remote", "check", address]]
        {
            let ran = refused(&home, command, &[words]);
            assert!(!ran.stderr.contains("geheim"), "{}", ran.stderr);
        }
    }
    let endpoint = ["remote", "add", "s3://b", "--endpoint", "http://key:geheim@h"];
    let ran = refused(&home, &endpoint, &["holds credentials"]);
    assert!(!ran.stderr.contains("geheim"));
    home.check("$ remote ls");
}

#[test]
fn a_server_that_refuses_or_is_away_says_what_to_do() {
    let bucket = Bucket::new();
    let mut stranger = Home::new();
    stranger.set("AWS_ACCESS_KEY_ID", S3Server::ACCESS_KEY);
    stranger.set("AWS_SECRET_ACCESS_KEY", "wrong");
    let add = bucket.remote("add");
    let add = words(&add);
    let words = ["refused the credentials", "AWS_ACCESS_KEY_ID of the environment", "AWS_PROFILE"];
    refused(&stranger, &add, &words);
    let home = machine();
    bucket.server.delete_bucket();
    refused(&home, &add, &["has no such bucket", "create it, or correct the address"]);
    let away = ["remote", "add", "s3://b", "--endpoint", "http://127.0.0.1:1"];
    refused(&home, &away, &["no answer from http://127.0.0.1:1", "hint: look at the network"]);
    home.check("$ remote ls");
}

#[test]
fn a_server_that_ignores_conditions_is_for_one_machine() {
    let (bucket, home) = (Bucket::new(), machine());
    bucket.server.set_flaws(&[S3Flaw::IgnoresIfMatch]);
    let (add, check) = (bucket.remote("add"), bucket.remote("check"));
    let (add, check) = (words(&add), words(&check));
    refused(&home, &add, &["ignores the conditions of a put", "--single-writer"]);
    let ran = home.run(&check);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.text().contains("no   replaces an object only if it has not changed"));
    assert!(ran.text().contains("yes  creates an object only if there is none"));
    assert!(ran.stderr.contains("several machines cannot write here"), "{}", ran.stderr);
    let attached = home.run(&[&add[..], &["--single-writer", "--json"]].concat());
    assert_eq!(attached.code, 0, "{}", attached.stderr);
    assert_eq!(attached.json()["several_writers"], false);
    assert_eq!(home.run(&["remote", "check"]).code, 1);
}

#[test]
fn a_server_that_checks_and_writes_in_two_steps_is_for_one_machine() {
    let (bucket, home) = (Bucket::new(), machine());
    bucket.server.set_flaws(&[S3Flaw::ChecksThenWrites(1)]);
    let (add, check) = (bucket.remote("add"), bucket.remote("check"));
    let (add, check) = (words(&add), words(&check));
    refused(&home, &add, &["when two arrive together", "would be lost", "--single-writer"]);
    let ran = home.run(&check);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.text().contains("no   lets exactly one of several win"), "{}", ran.text());
    assert!(ran.stderr.contains("sync in the same moment"), "{}", ran.stderr);
    let found = home.run(&[&check[..], &["--json"]].concat()).json();
    assert_eq!((&found["several_writers"], &found["simultaneous"]), (&false.into(), &false.into()));
    assert!(found["races_broken"].as_u64() > Some(0), "{found}");
    home.ok(&[&add[..], &["--single-writer"]].concat());
    assert!(bucket.server.objects().is_empty());
}

#[test]
fn a_check_needs_no_store_and_makes_none() {
    let (bucket, home) = (Bucket::new(), machine());
    let check = bucket.remote("check");
    let check = words(&check);
    let shown = home.ok(&check);
    assert_eq!(shown.lines().filter(|line| line.starts_with("yes  ")).count(), 6, "{shown}");
    let found = home.run(&[&check[..], &["--json"]].concat()).json();
    assert_eq!(found["several_writers"], true);
    assert!(!home.path("store").exists() && bucket.server.objects().is_empty());
    refused(&home, &["remote", "check"], &["the store has no remote"]);
    bucket.add(&home);
    assert_eq!(home.run(&["remote", "check", "--json"]).json(), found);
}

#[test]
fn a_remote_that_cannot_be_read_does_not_keep_the_store_from_opening() {
    let home = machine();
    home.ok(&["write", "a.md", "one"]);
    for content in ["{", r#"{ "address": "s3://" }"#] {
        put(&home.path("store/remote.json"), content);
        assert_eq!(home.ok(&["cat", "a.md"]), "one\n");
        let status = home.ok(&["status"]);
        assert!(status.contains("not used: "), "{status}");
        assert!(home.run(&["status", "--json"]).json()["remote"]["unused"].is_string());
        let doctor = home.ok(&["doctor"]);
        assert!(doctor.contains("warn  remote     ") && doctor.contains("rm --force"), "{doctor}");
        refused(&home, &["sync"], &["homefs remote check ADDRESS"]);
        refused(&home, &["remote", "rm"], &["--force"]);
    }
    home.ok(&["remote", "rm", "--force"]);
    home.check("$ remote ls");
}

#[test]
fn what_only_the_remote_has_is_fetched_before_it_is_let_go() {
    let (bucket, first, second) = (Bucket::new(), machine(), machine());
    first.ok(&["write", "a.md", "one"]);
    bucket.add(&first);
    // With so many commits there is an index, from which a clone brings no contents.
    for number in 0..10 {
        first.ok(&["write", "b.md", &number.to_string()]);
        first.ok(&["sync"]);
    }
    bucket.clone_to(&second);
    bucket.server.fail(Fault::before(FaultKind::Status(503)).until_healed());
    refused(&second, &["remote", "rm"], &["--force"]);
    bucket.server.heal();
    second.ok(&["remote", "rm"]);
    drop(bucket);
    assert_eq!(second.ok(&["cat", "a.md"]), "one\n");
}

#[test]
fn who_sends_in_the_open_is_warned() {
    let home = machine();
    let server = ["--endpoint", "http://nowhere.invalid:9000"];
    for command in [&["remote", "add", "s3://b"][..], &["remote", "check", "s3://b"]] {
        let words = ["warning: http://nowhere.invalid:9000 is asked without TLS"];
        refused(&home, &[command, &server].concat(), &words);
    }
    home.ok(&["write", "a.md", "one"]);
    let file = r#"{"address": "s3://b", "endpoint": "http://nowhere.invalid:9000"}"#;
    put(&home.path("store/remote.json"), file);
    let said = home.run(&["doctor"]).text();
    assert!(said.contains("warn  remote     http://nowhere.invalid:9000 is asked"), "{said}");
    // What stays on this host is nobody else's.
    let (bucket, home) = (Bucket::new(), machine());
    let attached = bucket.add(&home);
    let checked = home.run(&["remote", "check"]);
    let looked = home.run(&["doctor"]);
    let said = [attached.stderr, checked.stderr, looked.text()].concat();
    assert!(!said.contains("TLS"), "{said}");
}

#[test]
fn an_endpoint_with_a_password_is_neither_kept_nor_shown() {
    let home = machine();
    let address = format!("file://{}", home.path("bucket").display());
    std::fs::create_dir(home.path("bucket")).unwrap();
    home.ok(&["write", "a.md", "one"]);
    for command in [&["remote", "add"][..], &["remote", "check"], &["clone", "--read-only"]] {
        let endpoint = ["--endpoint", "https://me:geheim@h"];
        let store = ["--store", "another"];
        let all = [command, &[&*address], &endpoint, &store].concat();
        let ran = refused(&home, &all, &["holds credentials"]);
        assert!(!ran.stderr.contains("geheim"), "{}", ran.stderr);
    }
    // Whoever wrote it there by hand is not shown it either.
    let file = r#"{"address": "s3://b", "endpoint": "https://me:geheim@h"}"#;
    put(&home.path("store/remote.json"), file);
    for command in [&["remote", "ls"][..], &["remote", "ls", "--json"], &["doctor"], &["status"]] {
        let ran = home.run(command);
        let said = ran.text() + &ran.stderr;
        assert!(!said.contains("geheim"), "{command:?}: {said}");
    }
}
