//! Sources: folders and collections at the command line.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use homefs_testkit::{CHROMA, ForeignServer};

use crate::harness::{Home, put};
use crate::sync::{Bucket, machine};

fn home_with_folder() -> Home {
    let home = Home::new();
    put(&home.path("handbook/readme.md"), "read me\n");
    put(&home.path("handbook/guide/start.md"), "start here\n");
    put(&home.path("handbook/guide/old.md"), "old\n");
    home
}

#[test]
fn a_folder_is_attached_changed_and_written_back() {
    let home = home_with_folder();
    home.check(
        "$ attach handbook /docs
         attached HOME/handbook at /docs
         $ sources
         /docs  HOME/handbook  copy-on-write
         $ cat /docs/guide/start.md
         start here
         $ write /docs/guide/start.md <<< begin here\\n
         wrote /docs/guide/start.md…
         $ write /docs/new.md <<< new\\n
         wrote /docs/new.md…
         $ rm /docs/guide/old.md
         removed /docs/guide/old.md…
         $ changes /docs
         removed  /docs/guide/old.md
         changed  /docs/guide/start.md
         added    /docs/new.md
         $ write-back /docs
         removed  /docs/guide/old.md
         changed  /docs/guide/start.md
         added    /docs/new.md
         error: nothing was written
         hint: --yes writes without asking
         [1]",
    );
    assert_eq!(fs::read_to_string(home.path("handbook/guide/start.md")).unwrap(), "start here\n");
    assert!(home.path("handbook/guide/old.md").exists());
    assert!(!home.path("handbook/new.md").exists());
    home.ok(&["write-back", "/docs", "--yes"]);
    assert_eq!(fs::read_to_string(home.path("handbook/guide/start.md")).unwrap(), "begin here\n");
    assert!(!home.path("handbook/guide/old.md").exists());
    assert_eq!(fs::read_to_string(home.path("handbook/new.md")).unwrap(), "new\n");
    assert_eq!(home.ok(&["changes", "/docs"]), "");
    assert_eq!(home.ok(&["cat", "/docs/new.md"]), "new\n");
    home.ok(&["detach", "/docs"]);
    assert_eq!(home.ok(&["sources"]), "");
    assert_eq!(home.ok(&["ls", "/docs"]), "");
}

#[test]
fn what_was_written_to_a_folder_meanwhile_is_not_overwritten_unasked() {
    let home = home_with_folder();
    home.ok(&["attach", "handbook", "/docs"]);
    home.ok(&["append", "/docs/guide/start.md", "ours\n"]);
    home.ok(&["append", "/docs/guide/old.md", "ours too\n"]);
    let theirs = home.path("handbook/guide/start.md");
    put(&theirs, "theirs\n");
    // Written after the change here, whatever the clock of the file system ticks in.
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(5);
    fs::File::options().write(true).open(&theirs).unwrap().set_modified(later).unwrap();
    let ran = home.run(&["write-back", "/docs", "--yes"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert_eq!(ran.text(), "changed      /docs/guide/old.md\nconflicting  /docs/guide/start.md\n");
    assert!(ran.stderr.contains("1 change would overwrite what was written there meanwhile"));
    assert_eq!(fs::read_to_string(&theirs).unwrap(), "theirs\n");
    let old = home.path("handbook/guide/old.md");
    assert!(!fs::read_to_string(&old).unwrap().contains("ours"));
    home.ok(&["write-back", "/docs", "--yes", "--overwrite"]);
    assert_eq!(fs::read_to_string(&theirs).unwrap(), "start here\nours\n");
    assert!(fs::read_to_string(&old).unwrap().contains("ours too"));
}

/// Writes a file of the host, after what was done just now whatever the clock of the file system
/// ticks in.
fn put_later(place: &std::path::Path, content: &str) {
    std::thread::sleep(std::time::Duration::from_millis(20));
    put(place, content);
    std::thread::sleep(std::time::Duration::from_millis(20));
}

#[test]
fn what_was_written_to_a_folder_is_not_lost_by_saving_again_or_by_removing() {
    let home = home_with_folder();
    for name in ["saved", "removed", "both", "replaced", "alone", "gone"] {
        put_later(&home.path(&format!("handbook/{name}.md")), "as it was\n");
    }
    home.ok(&["attach", "handbook", "/docs"]);
    // As editors and `sed -i` save: a new file in the place of the old one.
    let save = |name: &str, text: &str| {
        let script = format!("cd /docs && echo {text} > .new && mv .new {name}.md");
        home.ok(&["sh", "-c", &script]);
    };
    for name in ["saved", "both", "alone"] {
        save(name, "once");
    }
    for name in ["removed", "gone"] {
        home.ok(&["rm", &format!("/docs/{name}.md")]);
    }
    home.ok(&["sh", "-c", "cd /docs && rm replaced.md && mkdir replaced.md"]);
    for name in ["saved", "both", "removed", "replaced"] {
        put_later(&home.path(&format!("handbook/{name}.md")), "theirs\n");
    }
    for name in ["saved", "alone"] {
        save(name, "twice");
    }
    home.ok(&["rm", "/docs/both.md"]);
    let conflicting = "conflicting  /docs/both.md\n\
                       conflicting  /docs/removed.md\n\
                       added        /docs/replaced.md\n\
                       conflicting  /docs/replaced.md\n\
                       conflicting  /docs/saved.md\n";
    let expected =
        format!("changed      /docs/alone.md\nremoved      /docs/gone.md\n{conflicting}");
    let mut expected: Vec<&str> = expected.lines().collect();
    let changes = home.ok(&["changes", "/docs"]);
    let mut told: Vec<&str> = changes.lines().collect();
    expected.sort_unstable();
    told.sort_unstable();
    assert_eq!(told, expected);
    let ran = home.run(&["write-back", "/docs", "--yes"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    for name in ["saved", "both", "removed", "replaced"] {
        let there = fs::read_to_string(home.path(&format!("handbook/{name}.md"))).unwrap();
        assert_eq!(there, "theirs\n", "{name}");
    }
    home.ok(&["write-back", "/docs", "--yes", "--overwrite"]);
    let there = |name: &str| fs::read_to_string(home.path(&format!("handbook/{name}.md"))).ok();
    assert_eq!((there("saved"), there("alone")), (Some("twice\n".into()), Some("twice\n".into())));
    assert_eq!((there("both"), there("removed"), there("gone")), (None, None, None));
    assert!(home.path("handbook/replaced.md").is_dir());
    assert_eq!(home.ok(&["changes", "/docs"]), "");
}

#[test]
fn a_source_gives_no_special_bits_and_gets_none() {
    let home = home_with_folder();
    let tool = home.path("handbook/tool");
    put(&tool, "program\n");
    fs::set_permissions(&tool, fs::Permissions::from_mode(0o6755)).unwrap();
    home.ok(&["attach", "handbook", "/docs"]);
    let stored = || home.run(&["stat", "/docs/tool", "--json"]).json()["mode"].clone();
    assert_eq!(stored(), "0644");
    home.ok(&["append", "/docs/tool", "of the agent"]);
    home.ok(&["exec", "chmod", "6755", "/docs/tool"]);
    assert_eq!(stored(), "0755");
    home.ok(&["write-back", "/docs", "--yes"]);
    assert_eq!(fs::read_to_string(&tool).unwrap(), "program\nof the agent\n");
    assert_eq!(fs::metadata(&tool).unwrap().permissions().mode() & 0o7777, 0o755);
}

#[test]
fn read_only_and_wrong_sources_are_refused() {
    let home = home_with_folder();
    home.ok(&["attach", "handbook", "/docs", "--read-only"]);
    let ran = home.run_with(&["write", "/docs/readme.md"], b"x");
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("read-only"), "{}", ran.stderr);
    for source in ["no/such", "ftp://host/x", "chroma://127.0.0.1:1/none"] {
        let ran = home.run(&["attach", source, "/other"]);
        assert_ne!(ran.code, 0, "{source}");
    }
    assert!(!home.ok(&["ls", "/"]).contains("other"), "nothing is made where attaching fails");
}

#[test]
fn what_is_published_is_seen_by_its_groups_alone() {
    let Some(server) = ForeignServer::start(&CHROMA).unwrap() else { return };
    let mut home = Home::new();
    home.set("HOMEFS_EMBEDDER", "static");
    let address = format!("{}/handbook", server.endpoint().replace("http://", "chroma://"));
    home.ok(&["spaces", "create", "hr"]);
    for (path, text) in [("all/menu.md", "soup on monday\n"), ("staff/pay.md", "raise in may\n")] {
        let ran = home.run_with(&["write", &format!("/shared/hr/{path}")], text.as_bytes());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }
    for (group, agent) in [("everybody", "ann"), ("everybody", "bob"), ("staff", "ann")] {
        home.ok(&["--operator", "group", "add", group, agent]);
    }
    home.ok(&["grant", "/shared/hr/all", "group:everybody", "read"]);
    home.ok(&["grant", "/shared/hr/staff", "group:staff", "read"]);
    home.ok(&["publish", &address, "/shared/hr"]);
    let said = home.run(&["publish", &address, "/shared/hr"]).stderr;
    assert!(said.contains("0 sent, 2 unchanged, 0 removed"), "{said}");
    let found = |agent: &str| {
        home.ok(&["--agent-id", agent, "attach", &address, "/kb"]);
        home.ok(&["--agent-id", agent, "find", "*.md", "/kb"])
    };
    let (ann, bob) = (found("ann"), found("bob"));
    assert!(ann.contains("/kb/all/menu.md") && ann.contains("/kb/staff/pay.md"), "{ann}");
    assert!(bob.contains("/kb/all/menu.md") && !bob.contains("staff"), "{bob}");
    assert_eq!(home.ok(&["--agent-id", "ann", "cat", "/kb/staff/pay.md"]), "raise in may\n");
    assert_eq!(home.run(&["--agent-id", "bob", "cat", "/kb/staff/pay.md"]).code, 1);
    // Copy-on-write, and the collection is as it was.
    let ran =
        home.run_with(&["--agent-id", "bob", "append", "/kb/all/menu.md"], b"fish on friday\n");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let bobs = home.ok(&["--agent-id", "bob", "cat", "/kb/all/menu.md"]);
    assert_eq!(bobs, "soup on monday\nfish on friday\n");
    assert_eq!(home.ok(&["--agent-id", "ann", "cat", "/kb/all/menu.md"]), "soup on monday\n");
    let ran = home.run(&["--agent-id", "bob", "write-back", "/kb", "--yes"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    // Who leaves a group sees no more.
    home.ok(&["--operator", "group", "remove", "staff", "ann"]);
    assert!(!home.ok(&["--agent-id", "ann", "find", "*.md", "/kb"]).contains("pay.md"));
    assert_eq!(home.run(&["--agent-id", "ann", "cat", "/kb/staff/pay.md"]).code, 1);
}

#[test]
fn a_source_that_is_gone_is_told_and_can_be_detached() {
    let home = home_with_folder();
    home.ok(&["write", "/own.md", "own"]);
    home.ok(&["attach", "handbook", "/docs"]);
    home.ok(&["append", "/docs/readme.md", "mine"]);
    fs::rename(home.path("handbook"), home.path("elsewhere")).unwrap();
    let ran = home.run(&["ls", "/docs"]);
    assert_ne!(ran.code, 0);
    assert!(ran.stderr.contains("handbook is not here"), "{}", ran.stderr);
    assert_eq!(home.ok(&["cat", "/own.md"]), "own\n");
    assert!(home.ok(&["ls", "/"]).contains("docs"));
    assert!(home.ok(&["sources"]).contains("handbook"));
    fs::rename(home.path("elsewhere"), home.path("handbook")).unwrap();
    assert_eq!(home.ok(&["cat", "/docs/readme.md"]), "read me\nmine\n");
    fs::remove_dir_all(home.path("handbook")).unwrap();
    home.ok(&["detach", "/docs"]);
    assert_eq!(home.ok(&["cat", "/docs/readme.md"]), "read me\nmine\n");
}

#[test]
fn what_is_changed_over_a_folder_lives_as_other_files_do() {
    let home = home_with_folder();
    home.ok(&["attach", "handbook", "/docs"]);
    // Copied before it is changed in part, so that the history has what it was.
    home.ok(&["append", "/docs/readme.md", "two"]);
    home.ok(&["append", "/docs/readme.md", "three"]);
    home.ok(&["restore", "/docs/readme.md", "--version", &first_version(&home)]);
    home.ok(&["rm", "/docs/readme.md"]);
    home.ok(&["rm", "/docs/guide/old.md"]);
    home.ok(&["trash", "restore", "/docs/readme.md"]);
    home.ok(&["trash", "restore", "/docs/guide/old.md"]);
    assert_eq!(home.ok(&["changes", "/docs"]), "changed  /docs/readme.md\n");
    home.ok(&["mv", "/docs/guide/start.md", "/docs/first.md"]);
    home.ok(&["meta", "/docs/guide/old.md", "--ttl", "1h"]);
    let before = home.ok(&["tree", "/docs"]);
    home.ok(&["backup", "copy"]);
    home.ok(&["fsck"]);
    assert_eq!(home.ok(&["tree", "/docs"]), before);
    home.ok(&["cp", "-r", "/docs", "/mine"]);
    home.ok(&["detach", "/docs"]);
    assert_eq!(home.ok(&["cat", "/mine/guide/old.md", "/mine/first.md"]), "old\nstart here\n");
}

fn first_version(home: &Home) -> String {
    let log = home.run(&["--json", "log", "/docs/readme.md"]).json();
    let editions = log.as_array().expect("a list");
    editions.last().expect("it has a history")["version"].to_string()
}

#[test]
fn a_remote_gets_what_was_changed_and_nothing_of_the_source() {
    let (bucket, here, there) = (Bucket::new(), machine(), machine());
    put(&here.path("handbook/guide/start.md"), "start here\n");
    put(&here.path("handbook/guide/plain.md"), "untouched words\n");
    here.ok(&["attach", "handbook", "/docs"]);
    bucket.add(&here);
    here.ok(&["append", "/docs/guide/start.md", "and go on"]);
    here.ok(&["push"]);
    bucket.clone_to(&there);
    assert_eq!(there.ok(&["cat", "/docs/guide/start.md"]), "start here\nand go on\n");
    assert_eq!(there.ok(&["find", "*.md"]), "/docs/guide/start.md\n");
    there.ok(&["append", "/docs/guide/start.md", "from there"]);
    there.ok(&["write", "/docs/guide/plain.md", "another one"]);
    there.ok(&["push"]);
    here.ok(&["pull"]);
    let all = "start here\nand go on\nfrom there\n";
    assert_eq!(here.ok(&["cat", "/docs/guide/start.md"]), all);
    assert_eq!(here.ok(&["cat", "/docs/guide/plain.md"]), "another one\n");
    assert_eq!(
        fs::read_to_string(here.path("handbook/guide/plain.md")).unwrap(),
        "untouched words\n"
    );
    here.ok(&["fsck"]);
}
