//! HEAD, commits and indexes of a bucket.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| homefs_view::fuzzing::commit(data));
