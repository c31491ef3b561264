//! The POSIX test suite `pjdfstest`: every case ends on the mount as on the host's file system.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Child;

use crate::harness::{Mounted, is_root};
use crate::tools::{both, find, program, say};

/// Cases that may end otherwise on the mount, each with its reason.
const DIFFERENCES: &[(&str, &str)] = &[
    (
        "link::link_count_max",
        "skipped: the C library tells the most links only for kinds of file systems that it knows",
    ),
    (
        "rename::updates_link_parent",
        "a directory has one name, and so one link, as on btrfs: counting what is in it would mean \
         to read every directory that is only looked at",
    ),
];

/// The least that must pass on the host; fewer means that it cannot judge.
const PASSED_MIN: usize = 350;

/// Users that the cases act as, and what the file system under test can do. The pause is longer
/// than a tick of the kernel's clock, which stamps the times.
const SETTINGS: &str = r#"
[features]
posix_fallocate = {}
rename_ctime = {}
utime_now = {}
utimensat = {}

[settings]
naptime = 0.02
allow_remount = false

[dummy_auth]
entries = [["nobody", "nogroup"], ["daemon", "daemon"]]
"#;

#[test]
fn every_posix_case_ends_as_on_the_host() {
    if !is_root() {
        return say("skipped: the POSIX suite acts as several users, which only root can");
    }
    let Some(suite) = find("pjdfstest") else { return };
    // The cases try special bits and devices too.
    let options = ["--operator", "--special", "--allow-other"];
    let Some(mounted) = Mounted::with(120, &options) else { return };
    let (inside, outside) = (mounted.root(), mounted.beside("plain"));
    let settings = mounted.beside("pjdfstest.toml");
    fs::write(&settings, SETTINGS).unwrap();
    let start = |dir: &Path, other: &Path| {
        program(&suite, &mounted.beside("home"))
            .arg("--configuration-file")
            .arg(&settings)
            .arg("--secondary-fs")
            .arg(other)
            .arg("--path")
            .arg(dir)
            .spawn()
            .expect("the suite starts")
    };
    let running = [start(&inside, &outside), start(&outside, &inside)];
    let [(found, said), (expected, _)] = running.map(outcomes);
    let passed = expected.values().filter(|outcome| *outcome == "ok").count();
    if passed < PASSED_MIN {
        return say(&format!(
            "skipped: on the host only {passed} cases pass; can others reach it?"
        ));
    }
    assert_eq!(expected.len(), found.len(), "the suite did not end: {said}");
    let differs = |name: &String| {
        let allowed = DIFFERENCES.iter().any(|(allowed, _)| allowed == name);
        found.get(name) != expected.get(name) && !allowed
    };
    let differing: Vec<String> = expected
        .keys()
        .filter(|name| differs(name))
        .map(|name| format!("{name}: host {:?}, mount {:?}", expected[name], found.get(name)))
        .collect();
    assert!(
        differing.is_empty(),
        "{}\n\n{} differ\n\n{said}",
        differing.join("\n"),
        differing.len()
    );
}

/// Waits for the suite and reads how each case ended, from lines such as `chmod::eloop_comp ok`;
/// returns also what it said of those that failed.
fn outcomes(suite: Child) -> (BTreeMap<String, String>, String) {
    let said = both(&suite.wait_with_output().expect("the suite ends"));
    let outcomes = said
        .lines()
        .filter_map(|line| line.rsplit_once(' '))
        .filter(|(name, outcome)| {
            name.contains("::") && matches!(*outcome, "ok" | "FAILED" | "skipped")
        })
        .map(|(name, outcome)| (name.trim().to_owned(), outcome.to_owned()))
        .collect();
    let silent = |line: &&str| !line.ends_with(" ok") && !line.ends_with(" skipped");
    let said = said.lines().filter(silent).collect::<Vec<_>>().join("\n");
    (outcomes, said)
}
