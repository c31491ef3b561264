//! What a remote starts ends with it.

use std::time::Duration;

use homefs_core::{Clock, Remote, SystemClock};
use homefs_remote::Bucket;
use homefs_testkit::{Fault, FaultKind, S3Server};

use crate::common::{address, get, one_of_each, open_directory, right_key};

/// How long a busy machine may take to forget a thread.
const PATIENCE: Duration = Duration::from_secs(20);

/// Returns the threads of remotes that this process has.
fn threads() -> Vec<String> {
    let tasks = std::path::Path::new("/proc/self/task").read_dir().expect("it is there on Linux");
    let mut found = Vec::new();
    for task in tasks {
        let task = task.expect("it can be listed").path();
        // A thread of another test may end meanwhile.
        let name = std::fs::read_to_string(task.join("comm")).unwrap_or_default();
        if name.trim() == "homefs-remote" {
            found.push(task.display().to_string());
        }
    }
    found
}

/// Runs this test again in a process of its own, where no other test has threads.
fn alone(test: &str) -> bool {
    if std::env::args().any(|argument| argument == "--exact") {
        return true;
    }
    let program = std::env::current_exe().expect("the test runs");
    let status = std::process::Command::new(program).args(["--exact", test]).status();
    let status = status.expect("the test can be started again");
    assert!(status.success());
    false
}

#[test]
fn a_drop_ends_the_threads() {
    if !alone("ends::a_drop_ends_the_threads") {
        return;
    }
    let server = S3Server::start().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let mut address = address(&server, "p");
    address.deadline = Duration::from_millis(50);
    for _ in 0..3 {
        let bucket = Bucket::open_in(&address, &right_key()).unwrap();
        server.fail(Fault::before(FaultKind::Timeout));
        drop(bucket.run(vec![get("a")]));
        let directory = open_directory(dir.path()).unwrap();
        drop(directory.run(one_of_each()));
        assert!(threads().len() >= 2, "the test looks for the right name");
        drop((bucket, directory));
        // A thread that was joined may be in the host's list for a moment longer.
        let begun = SystemClock.steady();
        while !threads().is_empty() {
            assert!(SystemClock.steady().since(begun) < PATIENCE, "{:?}", threads());
            std::thread::yield_now();
        }
    }
}
