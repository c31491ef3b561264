//! Two faces at the same moment: who looks after a call returned never sees what was before it.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicU64, Ordering};

use homefs_core::Path;
use homefs_view::WriteOptions;

use crate::harness::{Mounted, is_extended, is_plain};

/// Changes that each race makes; more if the run is extended.
const CHANGES: u64 = 2_000;
/// Bytes of a content, less than a page, so that one read sees one content.
const CONTENT_BYTES: usize = 3_000;

#[test]
fn a_reader_of_the_mount_never_sees_an_older_content() {
    let Some(mounted) = mount() else { return };
    let client = mounted.client();
    let (path, file) = (Path::parse("/note.md").unwrap(), mounted.path("note.md"));
    fs::write(&file, content(0)).unwrap();
    let held = File::open(&file).unwrap();
    race(
        |number| {
            client.write(&path, content(number).as_bytes(), &WriteOptions::default()).unwrap();
        },
        || {
            let mut found = [0; CONTENT_BYTES];
            held.read_exact_at(&mut found, 0).unwrap();
            number_in(&found)
        },
    );
}

#[test]
fn a_reader_of_the_mount_never_sees_an_older_size() {
    let Some(mounted) = mount() else { return };
    let client = mounted.client();
    let (path, file) = (Path::parse("/note.md").unwrap(), mounted.path("note.md"));
    fs::write(&file, "").unwrap();
    race(
        |_| {
            client.append(&path, b".", &WriteOptions::default()).unwrap();
        },
        || fs::metadata(&file).unwrap().len(),
    );
}

#[test]
fn a_reader_of_the_mount_never_misses_a_new_name() {
    let Some(mounted) = mount() else { return };
    let client = mounted.client();
    let next = AtomicU64::new(1);
    race(
        |number| {
            let path = Path::parse(&format!("/{number}")).unwrap();
            client.write(&path, b"", &WriteOptions::default()).unwrap();
        },
        || loop {
            // The kernel is told of a name that is missing again and again, until it is there.
            let number = next.load(Ordering::Acquire);
            if !mounted.path(&number.to_string()).exists() {
                return number - 1;
            }
            next.fetch_max(number + 1, Ordering::AcqRel);
        },
    );
}

#[test]
fn a_client_never_reads_what_was_before_a_write_through_the_mount() {
    let Some(mounted) = mount() else { return };
    let client = mounted.client();
    let (path, file) = (Path::parse("/note.md").unwrap(), mounted.path("note.md"));
    fs::write(&file, content(0)).unwrap();
    let held = File::options().write(true).open(&file).unwrap();
    race(
        |number| held.write_all_at(content(number).as_bytes(), 0).unwrap(),
        || number_in(&client.read(&path).unwrap()),
    );
}

/// Makes numbered changes while two readers look; each must find the last change that was
/// acknowledged before it looked, or a later one.
fn race(mut change: impl FnMut(u64), look: impl Fn() -> u64 + Sync) {
    let changes = if is_extended() { 10 * CHANGES } else { CHANGES };
    let acknowledged = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let before = acknowledged.load(Ordering::Acquire);
                    if before == ENDED {
                        break;
                    }
                    let found = look();
                    assert!(found >= before, "{found} after {before}");
                }
            });
        }
        // Also if a change fails, so that the readers end.
        let _end = End(&acknowledged);
        for number in 1..=changes {
            change(number);
            acknowledged.store(number, Ordering::Release);
        }
    });
    assert_eq!(look(), changes);
}

/// Stands for the last change when a race is over.
const ENDED: u64 = u64::MAX;

/// Ends a race when it is dropped.
struct End<'a>(&'a AtomicU64);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(ENDED, Ordering::Release);
    }
}

fn mount() -> Option<Mounted> {
    if is_plain() { None } else { Mounted::new(if is_extended() { 300 } else { 60 }) }
}

/// Returns a content that says its number everywhere.
fn content(number: u64) -> String {
    format!("{number:>9} ").repeat(CONTENT_BYTES / 10)
}

/// Returns the number that a content says, which must be the same everywhere.
fn number_in(content: &[u8]) -> u64 {
    let text = str::from_utf8(content).expect("a content is text");
    let mut numbers = text.split_whitespace();
    let number = numbers.next().expect("a content has numbers");
    assert!(numbers.all(|other| other == number), "a content of two changes");
    number.parse().expect("a content has numbers")
}
