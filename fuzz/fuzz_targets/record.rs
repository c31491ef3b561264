//! Records of the journal.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| homefs_view::fuzzing::record(data));
