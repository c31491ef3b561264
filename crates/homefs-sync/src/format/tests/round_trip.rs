//! What is written reads back.

use std::borrow::Cow;

use homefs_core::{ErrorKind, Result};

use super::*;

/// Seals by turning every bit and adding a byte, so that lengths differ and a wrong purpose shows.
struct Turning;

impl Turning {
    fn byte(purpose: Purpose) -> u8 {
        match purpose {
            Purpose::Commit => 1,
            Purpose::Index => 2,
            Purpose::Piece(digest) => digest.0[0],
        }
    }
}

impl Sealer for Turning {
    fn scheme(&self) -> &'static str {
        "turning"
    }

    fn seal(&self, purpose: Purpose, mut bytes: Vec<u8>) -> Result<Vec<u8>> {
        bytes.push(Self::byte(purpose));
        Ok(bytes.into_iter().map(|byte| !byte).collect())
    }

    fn open<'b>(&self, purpose: Purpose, sealed: &'b [u8]) -> Result<Cow<'b, [u8]>> {
        match sealed.split_last() {
            Some((last, rest)) if !last == Self::byte(purpose) => {
                Ok(rest.iter().map(|byte| !byte).collect::<Vec<u8>>().into())
            }
            _ => Err(corrupt("sealed for something else")),
        }
    }
}

const SEALERS: [&dyn Sealer; 2] = [&Plain, &Turning];

#[test]
fn samples_read_back_whoever_seals() {
    for sealer in SEALERS {
        let (id, object) = sample_commit().encode(sealer).unwrap();
        assert_eq!(Commit::decode(id, &object, sealer).unwrap(), sample_commit());
        let (id, object) = sample_index().encode(sealer).unwrap();
        assert_eq!(Index::decode(id, &object, sealer).unwrap(), sample_index());
        let object = sample_head().encode(sealer).unwrap();
        assert_eq!(Head::decode(&object, sealer).unwrap(), sample_head());
    }
}

#[test]
fn what_is_special_is_not_read() {
    let fifo = Kind::Special(Special::Fifo);
    let character = Kind::Special(Special::Character(0x0103));
    let block = Kind::Special(Special::Block(0x0801));
    let cases = [
        ((Kind::File, 0o6755), (Kind::File, 0o755)),
        ((Kind::Directory, 0o3777), (Kind::Directory, 0o777)),
        ((character, 0o666), (Kind::File, 0o666)),
        ((block, 0o4600), (Kind::File, 0o600)),
        ((fifo, 0o1644), (fifo, 0o644)),
    ];
    let written = (2..).zip(cases).map(|(node, ((kind, mode), _))| {
        let name = node.to_string();
        entry(node, Living { traits: Traits { kind, mode, ..traits() }, ..living(&name) })
    });
    let entries: Vec<Entry> = written.collect();
    let modes = |entries: &[Entry]| {
        let mode = |entry: &Entry| match &entry.state {
            EntryState::Living(living) => (living.traits.kind, living.traits.mode),
            EntryState::Gone(_) => panic!("it lives"),
        };
        entries.iter().map(mode).collect::<Vec<_>>()
    };
    let expected = cases.map(|(_, read)| read);
    let commit = Commit { entries: entries.clone(), ..sample_commit() };
    let (id, object) = commit.encode(&Plain).unwrap();
    assert_eq!(modes(&Commit::decode(id, &object, &Plain).unwrap().entries), expected);
    let (id, object) = Index { entries, ..sample_index() }.encode(&Plain).unwrap();
    assert_eq!(modes(&Index::decode(id, &object, &Plain).unwrap().entries), expected);
}

#[test]
fn a_piece_is_read_from_a_whole_pack_and_from_its_range() {
    for sealer in SEALERS {
        let mut writer = PackWriter::new(sealer, 1).unwrap();
        for content in contents() {
            writer.add(&content).unwrap();
        }
        let (table, object) = writer.finish();
        let pack = Pack::open(table.pack, object.clone()).unwrap();
        for (piece, content) in table.pieces.iter().zip(contents()) {
            assert_eq!(pack.piece(piece, sealer).unwrap(), content);
            let range = usize::try_from(piece.range().start).unwrap()
                ..usize::try_from(piece.range().end).unwrap();
            assert_eq!(open_piece(piece.digest, &object[range], sealer).unwrap(), content);
        }
        assert_eq!(table.pieces.last().unwrap().range().end, object.len() as u64);
        // 64 KiB of one letter take next to nothing.
        assert!(object.len() < 200, "{}", object.len());
    }
}

#[test]
fn a_piece_is_a_chunk_at_most() {
    let mut writer = PackWriter::new(&Plain, 1).unwrap();
    writer.add(&vec![7; 1 << 20]).unwrap();
    let refused = writer.add(&vec![0; (1 << 20) + 1]).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Internal);
}

#[test]
fn equal_pieces_make_packs_of_different_names() {
    let pack = |drawn| {
        let mut writer = PackWriter::new(&Plain, drawn).unwrap();
        writer.add(b"same").unwrap();
        writer.finish().0.pack
    };
    assert_ne!(pack(1), pack(2));
}

#[test]
fn a_content_names_its_chunks_until_there_are_too_many() {
    let most = CHUNKS_NAMED_MAX << 20;
    assert!(!Content::names_leaves(most) && Content::names_leaves(most + 1));
    let sizes = sample_entries().into_iter().filter_map(|entry| match entry.state {
        EntryState::Living(living) => Some(living.content.size()).filter(|size| *size > 0),
        EntryState::Gone(_) => None,
    });
    assert_eq!(sizes.collect::<Vec<_>>(), [19, (1 << 20) + 1, (1 << 30) + 1]);
}

#[test]
fn a_full_pack_takes_no_more_and_stays_whole() {
    let mut writer = PackWriter::new(&Plain, 1).unwrap();
    // Bytes that do not compress.
    let mut content = vec![0; 1 << 20];
    blake3::Hasher::new().finalize_xof().fill(&mut content);
    let added = (0_u8..).take_while(|number| {
        content[0] = *number;
        writer.add(&content).is_ok()
    });
    assert_eq!(added.count(), 63);
    assert!(writer.bytes() <= 64 << 20);
    let refused = writer.add(&content).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::LimitExceeded);
    let (table, object) = writer.finish();
    let pack = Pack::open(table.pack, object).unwrap();
    assert_eq!(pack.piece(&table.pieces[62], &Plain).unwrap()[0], 62);
}

#[test]
fn the_longest_head_fits() {
    let commit = |seq| CommitId { seq, digest: Digest([0xff; 32]) };
    let last = 999_999_999_999;
    let head = Head {
        commit: commit(last),
        index: Some(IndexId { seq: last, digest: Digest([0xff; 32]) }),
        recent: (1..=HEAD_RECENT_MAX as u64).map(|back| commit(last - back)).collect(),
        id: u128::MAX,
        more: serde_json::Map::new(),
    };
    let object = head.encode(&Plain).unwrap();
    assert_eq!(Head::decode(&object, &Plain).unwrap(), head);
    let first = Head {
        commit: commit(1),
        index: None,
        recent: vec![],
        id: 0,
        more: serde_json::Map::new(),
    };
    assert_eq!(Head::decode(&first.encode(&Plain).unwrap(), &Plain).unwrap(), first);
}

proptest! {
    #[test]
    fn any_commit_reads_back(entries in any_entries(), message in "\\PC{0,50}", purged in any_digest()) {
        let (message, purged) = (message.into(), vec![purged]);
        let commit = Commit { message, entries, purged, ..sample_commit() };
        let (id, object) = commit.encode(&Plain).unwrap();
        prop_assert_eq!(Commit::decode(id, &object, &Plain).unwrap(), commit);
    }

    #[test]
    fn any_index_reads_back(entries in any_entries()) {
        let index = Index { entries, ..sample_index() };
        let (id, object) = index.encode(&Plain).unwrap();
        prop_assert_eq!(Index::decode(id, &object, &Plain).unwrap(), index);
    }

    #[test]
    fn any_piece_reads_back(contents in proptest::collection::vec(any::<Vec<u8>>(), 0..9)) {
        let mut writer = PackWriter::new(&Plain, 1).unwrap();
        for content in &contents {
            writer.add(content).unwrap();
        }
        let (table, object) = writer.finish();
        let pack = Pack::open(table.pack, object).unwrap();
        for (piece, content) in table.pieces.iter().zip(&contents) {
            prop_assert_eq!(&pack.piece(piece, &Plain).unwrap(), content);
        }
    }
}
