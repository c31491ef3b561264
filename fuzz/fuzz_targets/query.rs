//! The query language.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| homefs_view::fuzzing::query(data));
