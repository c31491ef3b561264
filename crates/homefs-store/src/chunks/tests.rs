//! Chunks against a plain `Vec<u8>`, and against each other.

use std::collections::BTreeMap;
use std::sync::Arc;

use homefs_core::{Digest, ErrorKind, HostDisk};
use homefs_testkit::CrashDisk;
use proptest::prelude::*;
use tempfile::TempDir;

use super::{ChunkWriter, Chunks, Pins, Sizes, overwrite, read_range};
use crate::record::Content;

const SIZES: Sizes = Sizes { inline_bytes_max: 10, chunk_bytes: 16, leaf_chunks: 4 };

fn chunks() -> (TempDir, Arc<Chunks>) {
    let dir = TempDir::new().expect("a temporary directory can be made");
    let chunks = Arc::new(Chunks::with_sizes(dir.path().join("chunks"), Arc::new(HostDisk), SIZES));
    (dir, chunks)
}

fn read(chunks: &Chunks, content: &Content, offset: u64, len: usize) -> Vec<u8> {
    match content {
        Content::Inline(bytes) => {
            bytes.iter().skip(usize::try_from(offset).unwrap()).take(len).copied().collect()
        }
        Content::Chunked { size, leaves } => {
            read_range(chunks, *size, leaves, offset, len).unwrap().to_vec()
        }
        Content::Blob { .. } => panic!("chunks make no blobs"),
    }
}

fn write(chunks: &Arc<Chunks>, bytes: &[u8]) -> (Content, Pins) {
    let mut writer = ChunkWriter::new(chunks);
    writer.push(bytes).unwrap();
    writer.finish().unwrap()
}

/// Few values and many zeros, so that chunks repeat and holes occur.
fn bytes(len_max: usize) -> impl Strategy<Value = Vec<u8>> {
    let run = (prop_oneof![3 => Just(0u8), 1 => 1u8..4], 1usize..40);
    prop::collection::vec(run, 0..12).prop_map(move |runs| {
        let mut bytes: Vec<u8> =
            runs.into_iter().flat_map(|(byte, len)| std::iter::repeat_n(byte, len)).collect();
        bytes.truncate(len_max);
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn a_content_reads_back_by_any_range(
        bytes in bytes(400),
        cuts in prop::collection::vec(1usize..50, 1..10),
        offset in 0u64..420,
        len in 0usize..420,
    ) {
        let (_dir, chunks) = chunks();
        let mut writer = ChunkWriter::new(&chunks);
        let mut rest = &bytes[..];
        for cut in cuts.into_iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (now, later) = rest.split_at(cut.min(rest.len()));
            writer.push(now).unwrap();
            rest = later;
        }
        let (content, _pins) = writer.finish().unwrap();
        prop_assert_eq!(content.size(), bytes.len() as u64);
        prop_assert_eq!(matches!(content, Content::Inline(_)), bytes.len() <= 10);
        let start = usize::try_from(offset).unwrap().min(bytes.len());
        let expected = &bytes[start..(start + len).min(bytes.len())];
        prop_assert_eq!(read(&chunks, &content, offset, len), expected);
    }

    #[test]
    fn overwriting_equals_writing_the_result(
        old in bytes(300),
        steps in prop::collection::vec(
            (prop::collection::btree_map(0u64..24, bytes(16), 0..4), 0u64..400), 1..4),
    ) {
        let (_dir, chunks) = chunks();
        let mut model = old;
        let (mut content, mut pins) = write(&chunks, &model);
        for (patches, size) in steps {
            let len = usize::try_from(size).unwrap();
            model.resize(len, 0);
            for (index, patch) in &patches {
                let start = (usize::try_from(*index).unwrap() * 16).min(len);
                let place = &mut model[start..(start + 16).min(len)];
                let given = patch.len().min(place.len());
                place[..given].copy_from_slice(&patch[..given]);
                place[given..].fill(0);
            }
            let patches = patches.into_iter().map(|(index, patch)| (index, Arc::new(patch)));
            let changed = overwrite(&chunks, &content, patches.collect(), size).unwrap();
            (content, pins) = changed;
            prop_assert_eq!(&read(&chunks, &content, 0, 1000), &model);
            // The same bytes have the same name, however they came about.
            prop_assert_eq!(&content, &write(&chunks, &model).0);
        }
        drop(pins);
    }
}

#[test]
fn an_overwrite_stores_only_what_it_touches() {
    let (_dir, chunks) = chunks();
    let bytes: Vec<u8> = (0..=255).collect();
    let (content, _pins) = write(&chunks, &bytes);
    let before = chunks.list().unwrap().len();
    assert_eq!(before, 16 + 4);
    let (_, _pins) =
        overwrite(&chunks, &content, BTreeMap::from([(5, Arc::new(vec![7; 16]))]), 256).unwrap();
    assert_eq!(chunks.list().unwrap().len(), before + 2);
}

#[test]
fn zeros_are_stored_nowhere() {
    let (dir, chunks) = chunks();
    let (content, _pins) = write(&chunks, &[0; 1000]);
    assert!(matches!(&content, Content::Chunked { leaves, .. }
        if leaves.iter().all(|&leaf| leaf == Digest::HOLE)));
    assert_eq!(read(&chunks, &content, 900, 1000), [0; 100]);
    assert!(!dir.path().join("chunks").exists());
}

#[test]
fn a_pinned_chunk_is_not_removed_and_a_loose_one_is_told() {
    let (_dir, chunks) = chunks();
    let (mut first, mut second) = (Pins::new(&chunks), Pins::new(&chunks));
    let digest = chunks.put(b"chunk", &mut first).unwrap();
    assert_eq!(chunks.put(b"chunk", &mut second).unwrap(), digest);
    drop(second);
    chunks.remove(digest).unwrap();
    assert_eq!(&chunks.get(digest).unwrap()[..], b"chunk");
    assert!(chunks.take_loose().is_empty());
    drop(first);
    assert_eq!(chunks.take_loose(), [digest]);
    chunks.remove(digest).unwrap();
    assert_eq!(chunks.get(digest).unwrap_err().kind(), ErrorKind::Corrupt);
}

#[test]
fn a_writer_never_ends_up_with_a_chunk_that_was_dying() {
    let (_dir, chunks) = chunks();
    let digest = Digest::of(b"contended");
    std::thread::scope(|scope| {
        let remover = scope.spawn(|| {
            for _ in 0..2000 {
                chunks.remove(digest).unwrap();
            }
        });
        while !remover.is_finished() {
            let mut pins = Pins::new(&chunks);
            chunks.put(b"contended", &mut pins).unwrap();
            assert_eq!(&chunks.get(digest).unwrap()[..], b"contended");
        }
    });
}

#[test]
fn a_damaged_chunk_is_refused_and_stored_again() {
    let (dir, chunks) = chunks();
    let mut pins = Pins::new(&chunks);
    let digest = chunks.put(b"good", &mut pins).unwrap();
    let name = digest.to_string();
    let path = dir.path().join("chunks").join(&name[..2]).join(&name);
    #[expect(clippy::disallowed_methods, reason = "the test plays the failing disk")]
    std::fs::write(&path, b"bad").unwrap();
    let error = chunks.get(digest).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    assert!(error.path().unwrap().ends_with(&name));
    chunks.put(b"good", &mut pins).unwrap();
    assert_eq!(&chunks.get(digest).unwrap()[..], b"good");
    chunks.sync().unwrap();
}

#[test]
fn synced_chunks_survive_power_loss() {
    let disk = CrashDisk::new();
    let chunks = Arc::new(Chunks::with_sizes("/space/chunks".into(), disk.process(), SIZES));
    let mut pins = Pins::new(&chunks);
    let digest = chunks.put(b"kept", &mut pins).unwrap();
    chunks.sync().unwrap();
    disk.crash_power(7);
    let chunks = Arc::new(Chunks::with_sizes("/space/chunks".into(), disk.process(), SIZES));
    assert_eq!(&chunks.get(digest).unwrap()[..], b"kept");
}

#[test]
fn a_failed_sync_is_never_called_a_success_later() {
    let disk = CrashDisk::new();
    let chunks = Arc::new(Chunks::with_sizes("/space/chunks".into(), disk.process(), SIZES));
    let mut pins = Pins::new(&chunks);
    chunks.put(b"chunk", &mut pins).unwrap();
    disk.fail_all_syncs(true);
    assert!(chunks.sync().is_err());
    disk.fail_all_syncs(false);
    assert!(chunks.sync().is_err());
}
