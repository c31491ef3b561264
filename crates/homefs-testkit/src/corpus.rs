//! What fuzz targets were given that is worth keeping.
#![expect(clippy::disallowed_methods, reason = "it is read from the host")]

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// Gives everything in the corpus of a fuzz target to what the target calls.
///
/// # Panics
/// If that panics, or the corpus has nothing.
pub fn replay(target: &str, read: impl Fn(&[u8])) {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let files = fs::read_dir(&dir).expect("every target has a corpus");
    let mut files: Vec<_> = files.map(|file| file.expect("it can be listed").path()).collect();
    files.sort_unstable();
    assert!(!files.is_empty(), "the corpus of {target} is empty");
    for file in files {
        let data = fs::read(&file).expect("it can be read");
        let read = catch_unwind(AssertUnwindSafe(|| read(&data)));
        assert!(read.is_ok(), "{target} fails on {}", file.display());
    }
}
