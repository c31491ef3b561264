//! Frames of the owner's socket.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| homefs_api::fuzzing::frame(data));
