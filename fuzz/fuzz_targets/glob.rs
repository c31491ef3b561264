//! Patterns of names and paths.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| homefs_view::fuzzing::glob(data));
