//! Packs of a bucket.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| homefs_view::fuzzing::pack(data));
