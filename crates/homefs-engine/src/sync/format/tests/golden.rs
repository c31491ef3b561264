//! Objects that format 1 wrote, kept as they were.

use std::path::PathBuf;

use homefs_core::{Disk, HostDisk};

use super::*;

/// Returns an object of `tests/golden/remote-1`; writes it first if a developer asks for that.
pub(crate) fn golden(name: &str, written: &[u8]) -> Bytes {
    let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden/remote-1");
    #[expect(clippy::disallowed_methods, reason = "a switch of the developer, not a setting")]
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        HostDisk.create_dir_all(&directory).unwrap();
        HostDisk.replace(&directory.join(name), written).unwrap();
    }
    HostDisk.read(&directory.join(name)).unwrap().into()
}

#[test]
fn a_head_of_format_1_is_written_the_same() {
    let written = sample_head().encode(&Plain).unwrap();
    let golden = golden("HEAD", &written);
    assert_eq!(golden, written);
    assert_eq!(Head::decode(&golden, &Plain).unwrap(), sample_head());
}

/// What compresses may change, so these are not compared byte for byte.
#[test]
fn a_commit_an_index_and_a_pack_of_format_1_are_read() {
    let object = golden("pack", &sample_pack().1);
    let pack = Pack::open(PackId(Digest::of(&object)), object.clone()).unwrap();

    let golden_commit = golden("commit", &sample_commit().encode(&Plain).unwrap().1);
    let id = CommitId { seq: 12, digest: Digest::of(&golden_commit) };
    let commit = Commit::decode(id, &golden_commit, &Plain).unwrap();
    assert_eq!(commit.packs[0].pack, PackId(Digest::of(&object)));
    for (piece, content) in commit.packs[0].pieces.iter().zip(contents()) {
        assert_eq!(pack.piece(piece, &Plain).unwrap(), content);
    }
    assert_eq!(commit, Commit { packs: commit.packs.clone(), ..sample_commit() });

    let golden_index = golden("index", &sample_index().encode(&Plain).unwrap().1);
    let id = IndexId { seq: 12, digest: Digest::of(&golden_index) };
    let index = Index::decode(id, &golden_index, &Plain).unwrap();
    assert_eq!(index, Index { packs: commit.packs, ..sample_index() });
}
