//! Readable copies that people edit, and texts that are merged.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| homefs_view::fuzzing::frontmatter(data));
