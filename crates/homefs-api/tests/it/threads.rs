//! Many threads on one client.

use std::collections::HashSet;
use std::thread;

use homefs_view::WriteOptions;
use tempfile::tempdir;

use crate::{open, path};

#[test]
fn threads_share_a_client() {
    const THREADS: usize = 8;
    const APPENDS: usize = 200;
    let dir = tempdir().unwrap();
    let owner = open(dir.path());
    let client = open(dir.path());
    assert!(client.view_here().is_none());
    thread::scope(|scope| {
        for (thread, client) in [&client, &owner].into_iter().cycle().take(THREADS).enumerate() {
            scope.spawn(move || {
                for number in 0..APPENDS {
                    let text = format!("{thread}-{number}\n");
                    client.append(&path("/a"), text.as_bytes(), &WriteOptions::default()).unwrap();
                    assert!(client.stat(&path("/a")).unwrap().size > 0);
                }
            });
        }
        // The owner changes while they work.
        for taker in [&client, &owner, &client] {
            taker.take_over().unwrap();
        }
    });
    let content = owner.read(&path("/a")).unwrap();
    let lines: Vec<_> = std::str::from_utf8(&content).unwrap().lines().collect();
    assert_eq!(lines.len(), THREADS * APPENDS);
    assert_eq!(lines.into_iter().collect::<HashSet<_>>().len(), THREADS * APPENDS);
}
