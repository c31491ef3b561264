//! The file exerciser `fsx`: random reads and writes of one file by every kind of call, each read
//! compared with what was written.

use std::fs;

use crate::harness::{Mounted, is_extended};
use crate::tools::{find, program, run};

/// Operations with one seed.
const OPERATIONS: u64 = 20_000;

/// How a file is exercised.
struct Shape {
    /// The most bytes of the file.
    length: u64,
    /// The most bytes of one operation.
    operation: u64,
    /// Whether it is left to the kernel when a mapping is written back.
    lazy: bool,
}

#[test]
fn random_operations_on_small_files_read_what_was_written() {
    // Such a file travels whole in a record.
    check(&Shape { length: 60_000, operation: 20_000, lazy: false }, 2);
}

#[test]
fn random_operations_on_middling_files_read_what_was_written() {
    // Such a file crosses the length from which content is kept in chunks.
    check(&Shape { length: 262_144, operation: 65_536, lazy: true }, 2);
}

#[test]
fn random_operations_on_large_files_read_what_was_written() {
    // Such a file has several chunks.
    check(&Shape { length: 3_000_000, operation: 300_000, lazy: false }, 1);
}

/// Exercises a file with as many seeds; ten times as many if the run is extended.
fn check(shape: &Shape, seeds: u64) {
    let seeds = if is_extended() { 10 * seeds } else { seeds };
    let Some(exerciser) = find("fsx") else { return };
    let Some(mounted) = Mounted::new(60 + 60 * seeds) else { return };
    let home = mounted.beside("home");
    let settings = mounted.beside("fsx.toml");
    fs::write(&settings, weights(shape)).unwrap();
    for seed in 1..=seeds {
        run(program(&exerciser, &home)
            .args(["-q", "-N", &OPERATIONS.to_string(), "-S", &seed.to_string(), "-f"])
            .arg(&settings)
            .arg("-P")
            .arg(&home)
            .arg(mounted.path(&format!("file-{seed}"))));
    }
}

/// Returns the settings of the exerciser.
fn weights(shape: &Shape) -> String {
    let Shape { length, operation, lazy } = shape;
    format!(
        "flen = {length}\n\
         nomsyncafterwrite = {lazy}\n\
         [opsize]\n\
         max = {operation}\n\
         [weights]\n\
         close_open = 1\n\
         read = 10\n\
         write = 10\n\
         mapread = 10\n\
         mapwrite = 10\n\
         invalidate = 1\n\
         truncate = 5\n\
         fsync = 0.1\n\
         fdatasync = 0.1\n\
         posix_fallocate = 3\n\
         punch_hole = 5\n\
         sendfile = 3\n\
         posix_fadvise = 1\n\
         copy_file_range = 5\n"
    )
}
