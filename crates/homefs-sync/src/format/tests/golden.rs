//! Objects that each format wrote, kept as they were.

use std::path::PathBuf;

use homefs_core::{Disk, HostDisk};

use super::*;

/// Returns an object of `tests/golden/remote-2`; writes it first if a developer asks for that.
pub(crate) fn golden(name: &str, written: &[u8]) -> Bytes {
    let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden/remote-2");
    #[expect(clippy::disallowed_methods, reason = "a switch of the developer, not a setting")]
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        HostDisk.create_dir_all(&directory).unwrap();
        HostDisk.replace(&directory.join(name), written).unwrap();
    }
    HostDisk.read(&directory.join(name)).unwrap().into()
}

/// Returns an object of format 1, which nobody writes any more.
fn first(name: &str) -> Bytes {
    let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden/remote-1");
    HostDisk.read(&directory.join(name)).unwrap().into()
}

/// Returns an entry without what format 2 added.
fn without_more(mut entry: Entry) -> Entry {
    entry.more = Fields::default();
    if let EntryState::Living(living) = &mut entry.state
        && living.lineage.take().is_some()
    {
        living.links[0].name = "empty".into();
    }
    entry
}

#[test]
fn what_format_1_wrote_is_read() {
    let head = Head { more: serde_json::Map::new(), ..sample_head() };
    assert_eq!(Head::decode(&first("HEAD"), &Plain).unwrap(), head);
    let object = first("pack");
    Pack::open(PackId(Digest::of(&object)), object.clone()).unwrap();
    let object = first("commit");
    let id = CommitId { seq: 12, digest: Digest::of(&object) };
    let commit = Commit::decode(id, &object, &Plain).unwrap();
    let sample = sample_commit();
    let expected = Commit {
        packs: commit.packs.clone(),
        author: Author { incarnation: 0, ..sample.author.clone() },
        entries: sample.entries.clone().into_iter().map(without_more).collect(),
        more: Fields::default(),
        ..sample
    };
    assert_eq!(commit, expected);
    let object = first("index");
    let id = IndexId { seq: 12, digest: Digest::of(&object) };
    let index = Index::decode(id, &object, &Plain).unwrap();
    let mut expected = Index { packs: index.packs.clone(), ..sample_index() };
    expected.entries = expected.entries.into_iter().map(without_more).collect();
    expected.more = Fields::default();
    expected.machines.values_mut().for_each(|machine| machine.last.clear());
    assert_eq!(index, expected);
}

#[test]
fn whoever_replaces_a_head_carries_on_what_it_does_not_know() {
    let object = sample_head().encode(&Plain).unwrap();
    let carried = Head::decode(&object, &Plain).unwrap().carried();
    let names: Vec<_> = carried.keys().map(String::as_str).collect();
    assert_eq!(names, ["floor", "key", "later", "owner"]);
    assert_eq!(carried["owner"], sample_more()["owner"]);
}

#[test]
fn a_head_of_format_2_is_written_the_same() {
    let written = sample_head().encode(&Plain).unwrap();
    let golden = golden("HEAD", &written);
    assert_eq!(golden, written);
    assert_eq!(Head::decode(&golden, &Plain).unwrap(), sample_head());
}

/// What compresses may change, so these are not compared byte for byte.
#[test]
fn a_commit_an_index_and_a_pack_of_format_2_are_read() {
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
