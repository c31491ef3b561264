//! Bytes that homefs did not write, or not so: refused, without a panic and without much memory.

use homefs_core::{ErrorKind, Result};

use super::super::envelope::{Body, compress, compressor, header};
use super::*;

/// An object with this body, and its digest: what somebody who knows the format can write.
fn forge(magic: [u8; 8], plain: &[u8]) -> (Digest, Vec<u8>) {
    let frame = compress(&mut compressor(1).unwrap(), plain).unwrap();
    let object = [&header(magic)[..], &frame].concat();
    (Digest::of(&object), object)
}

fn decode_commit(object: &[u8]) -> Result<Commit> {
    Commit::decode(CommitId { seq: 12, digest: Digest::of(object) }, object, &Plain)
}

fn decode_index(object: &[u8]) -> Result<Index> {
    Index::decode(IndexId { seq: 12, digest: Digest::of(object) }, object, &Plain)
}

/// Every way in which `bytes` are cut short or have one bit turned.
fn damaged(bytes: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let cut = (0..bytes.len()).map(|len| bytes[..len].to_vec());
    let turned = (0..bytes.len() * 8).map(|bit| {
        let mut bytes = bytes.to_vec();
        bytes[bit / 8] ^= 1 << (bit % 8);
        bytes
    });
    cut.chain(turned)
}

fn expect_corrupt<T>(decoded: Result<T>) {
    assert_eq!(decoded.err().map(|error| error.kind()), Some(ErrorKind::Corrupt));
}

#[test]
fn damage_is_found() {
    let (id, object) = sample_commit().encode(&Plain).unwrap();
    damaged(&object).for_each(|object| expect_corrupt(Commit::decode(id, &object, &Plain)));
    let (id, object) = sample_index().encode(&Plain).unwrap();
    damaged(&object).for_each(|object| expect_corrupt(Index::decode(id, &object, &Plain)));
    let (table, object) = sample_pack();
    damaged(&object).for_each(|object| expect_corrupt(Pack::open(table.pack, object.into())));
    for content in contents() {
        let mut writer = PackWriter::new(&Plain, 0).unwrap();
        let digest = writer.add(&content).unwrap();
        let (table, pack) = writer.finish();
        for object in damaged(&pack[table.pieces[0].offset as usize..]) {
            // A bit of a frame may mean nothing; what is read is right or refused.
            match open_piece(digest, &object, &Plain) {
                Ok(opened) => assert_eq!(opened, content),
                Err(error) => assert_eq!(error.kind(), ErrorKind::Corrupt),
            }
        }
    }
}

#[test]
fn damage_under_a_name_that_fits_is_survived() {
    let (_, object) = sample_commit().encode(&Plain).unwrap();
    damaged(&object).for_each(|object| drop(decode_commit(&object)));
    let plain = postcard::to_stdvec(&sample_commit()).unwrap();
    damaged(&plain).for_each(|plain| drop(decode_commit(&forge(Commit::MAGIC, &plain).1)));
    let plain = postcard::to_stdvec(&sample_index()).unwrap();
    damaged(&plain).for_each(|plain| drop(decode_index(&forge(Index::MAGIC, &plain).1)));
    let head = sample_head().encode(&Plain).unwrap();
    damaged(&head).for_each(|head| drop(Head::decode(&head, &Plain)));
}

#[test]
fn a_newer_format_is_refused_as_such() {
    let newer = |object: &[u8]| {
        let mut object = object.to_vec();
        object[8] = 3;
        object
    };
    let refused = decode_commit(&newer(&sample_commit().encode(&Plain).unwrap().1)).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Unsupported);
    assert!(refused.message().contains("format 3"), "{refused}");
    let pack = newer(&sample_pack().1);
    let refused = Pack::open(PackId(Digest::of(&pack)), pack.into()).err().unwrap();
    assert_eq!(refused.kind(), ErrorKind::Unsupported);
    let head = br#"{"format":3,"anything":[]}"#;
    assert_eq!(Head::decode(head, &Plain).unwrap_err().kind(), ErrorKind::Unsupported);
}

#[test]
fn a_head_that_cannot_be_is_refused() {
    let head = String::from_utf8(sample_head().encode(&Plain).unwrap().into()).unwrap();
    let check = |from: &str, to: &str, kind: ErrorKind| {
        assert!(head.contains(from), "{from}");
        let refused = Head::decode(head.replace(from, to).as_bytes(), &Plain);
        assert_eq!(refused.map_err(|error| error.kind()), Err(kind), "{to}");
    };
    check("plain", "secret", ErrorKind::Unsupported);
    check("\"format\":2", "\"format\":0", ErrorKind::Corrupt);
    check("\"format\":2", "\"format\":1", ErrorKind::Corrupt);
    check("\"seq\":12", "\"seq\":0", ErrorKind::Corrupt);
    check("\"seq\":12", "\"seq\":2", ErrorKind::Corrupt);
    check("\"seq\":12", "\"seq\":8", ErrorKind::Corrupt);
    check("\"seq\":12", "\"seq\":1000000000000", ErrorKind::Corrupt);
    check("\"seq\":12", "\"seq\":-1", ErrorKind::Corrupt);
    check("\"seq\":9", "\"seq\":13", ErrorKind::Corrupt);
    check("\"id\":\"0", "\"id\":\"+", ErrorKind::Corrupt);
    check("\"id\":\"0", "\"id\":\"", ErrorKind::Corrupt);
    check(&digest(12).to_string(), &digest(12).to_string().to_uppercase(), ErrorKind::Corrupt);
    check(&digest(11).to_string(), "é", ErrorKind::Corrupt);
    check("}\n", &format!("}}{}", " ".repeat(4096)), ErrorKind::Corrupt);
}

#[test]
fn entries_that_cannot_be_are_refused() {
    let file = || living("a");
    let link = |parent, name: &str| Link { parent: NodeId(parent), name: name.into() };
    let small = |size| Content::Small { digest: digest(1), size };
    let chunked = |size, count| Content::Chunked { size, pieces: vec![digest(1); count] };
    let noted = |traits: Traits| Living { traits, ..file() };
    let directory = || noted(Traits { kind: Kind::Directory, ..traits() });
    let cases = [
        noted(Traits { mode: 0o10000, ..traits() }),
        Living { links: vec![], ..file() },
        Living { links: vec![link(2, "b"), link(2, "a")], ..file() },
        Living { links: vec![link(2, "a"), link(2, "a")], ..file() },
        Living { links: vec![link(2, "a"), link(3, "a")], ..directory() },
        Living { links: vec![link(2, "a/b")], ..file() },
        Living { links: vec![link(2, "..")], ..file() },
        Living { links: vec![link(1, ".homefs")], ..file() },
        Living { links: vec![link(1, "shared")], ..file() },
        noted(Traits { target: "x".into(), ..traits() }),
        noted(Traits { kind: Kind::Link, ..traits() }),
        noted(Traits { kind: Kind::Link, target: "x\0".into(), ..traits() }),
        noted(Traits { kind: Kind::Link, target: "x".repeat(4097).into(), ..traits() }),
        noted(Traits { expires: Some(time(0)), ..directory().traits }),
        Living { lineage: Some(NodeId(9)), ..directory() },
        Living { content: small(1), ..directory() },
        Living { content: small(0), ..file() },
        Living { content: small(65_537), ..file() },
        Living { content: chunked(0, 0), ..file() },
        Living { content: chunked(1 << 20, 2), ..file() },
        Living { content: chunked(33 << 20, 33), ..file() },
        Living { content: chunked(u64::MAX, 1), ..file() },
        noted(Traits { xattrs: [("trusted.x".into(), "".into())].into(), ..traits() }),
        noted(Traits { xattrs: [("user.x".into(), vec![0; 4097].into())].into(), ..traits() }),
    ];
    for living in cases {
        let commit = Commit { entries: vec![entry(5, living.clone())], ..sample_commit() };
        let (_, object) = forge(Commit::MAGIC, &postcard::to_stdvec(&commit).unwrap());
        expect_corrupt(decode_commit(&object));
        let refused = commit.encode(&Plain).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Internal, "{living:?}");
    }
}

#[test]
fn commits_that_cannot_be_are_refused() {
    let sample = sample_commit;
    let parent = |seq| CommitId { seq, digest: digest(1) };
    let piece = |offset, len| Piece { digest: digest(1), offset, len };
    let table = |pieces| vec![PackTable { pack: PackId(digest(1)), pieces }];
    let two = |node| vec![entry(node, living("a")), entry(5, living("b"))];
    let gone = Entry { state: EntryState::Gone(time(0)), ..entry(1, living("")) };
    let author = Author { machine_name: "a\nb".into(), ..sample().author };
    let cases = [
        Commit { seq: 0, parents: vec![], ..sample() },
        Commit { parents: vec![], ..sample() },
        Commit { seq: 1, parents: vec![parent(0)], ..sample() },
        Commit { parents: vec![parent(11), parent(12)], ..sample() },
        Commit { parents: vec![parent(12)], ..sample() },
        Commit { parents: vec![parent(u64::MAX)], ..sample() },
        Commit { parents: vec![parent(11); 3], ..sample() },
        Commit { message: "x".repeat(4097).into(), ..sample() },
        Commit { author, ..sample() },
        Commit { entries: two(5), ..sample() },
        Commit { entries: two(6), ..sample() },
        Commit { entries: vec![gone], ..sample() },
        Commit { packs: table(vec![piece(11, 1)]), ..sample() },
        Commit { packs: table(vec![piece(12, 0)]), ..sample() },
        Commit { packs: table(vec![piece(12, 2), piece(13, 1)]), ..sample() },
        Commit { packs: table(vec![piece(u32::MAX, u32::MAX)]), ..sample() },
    ];
    for commit in cases {
        let (digest, object) = forge(Commit::MAGIC, &postcard::to_stdvec(&commit).unwrap());
        expect_corrupt(Commit::decode(CommitId { seq: commit.seq, digest }, &object, &Plain));
    }
    let (id, object) = sample().encode(&Plain).unwrap();
    expect_corrupt(Commit::decode(CommitId { seq: 11, ..id }, &object, &Plain));
    let (id, object) = sample_index().encode(&Plain).unwrap();
    expect_corrupt(Index::decode(IndexId { seq: 11, ..id }, &object, &Plain));
    expect_corrupt(decode_commit(&object));
    let index = Index { entries: sample().entries, ..sample_index() };
    let (_, object) = forge(Index::MAGIC, &postcard::to_stdvec(&index).unwrap());
    expect_corrupt(decode_index(&object));
}

#[test]
fn a_piece_outside_its_pack_is_refused() {
    let (table, object) = sample_pack();
    let pack = Pack::open(table.pack, object).unwrap();
    for (offset, len) in [(1 << 20, 1), (12, u32::MAX), (u32::MAX, u32::MAX), (12, 0), (0, 12)] {
        expect_corrupt(pack.piece(&Piece { offset, len, ..table.pieces[0] }, &Plain));
    }
}

#[test]
fn what_would_grow_too_much_is_refused_before_it_does() {
    let zeros = vec![0; (1 << 20) + 1];
    let frame = compress(&mut compressor(1).unwrap(), &zeros).unwrap();
    assert!(frame.len() < 200);
    expect_corrupt(open_piece(Digest::of(&zeros), &frame, &Plain));
    // Frames that declare more than they hold, or nothing at all, and one that follows another.
    let content = b"content";
    let whole = compress(&mut compressor(1).unwrap(), content).unwrap();
    let open = |frame: &[u8]| open_piece(Digest::of(content), frame, &Plain);
    assert_eq!(open(&whole).unwrap(), &content[..]);
    expect_corrupt(open(&[&whole[..], &whole[..]].concat()));
    expect_corrupt(open(&[&whole[..], b"x"].concat()));
    let mut declares_more = whole.clone();
    declares_more[5] = 200;
    expect_corrupt(open(&declares_more));
    let huge = [0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];
    expect_corrupt(open(&[&huge[..], &[1, 0, 0]].concat()));
    expect_corrupt(open(&[]));
    // A list that claims more elements than there are bytes.
    let mut claims = postcard::to_stdvec(&12_u64).unwrap();
    claims.extend([0xff; 9]);
    claims.push(0x01);
    expect_corrupt(decode_commit(&forge(Commit::MAGIC, &claims).1));
}

proptest! {
    #[test]
    fn any_bytes_are_survived(bytes in any::<Vec<u8>>()) {
        expect_corrupt(decode_commit(&bytes));
        expect_corrupt(decode_index(&bytes));
        expect_corrupt(Head::decode(&bytes, &Plain));
        expect_corrupt(open_piece(digest(1), &bytes, &Plain));
        expect_corrupt(Pack::open(PackId(digest(1)), bytes.clone().into()));
        drop(decode_commit(&forge(Commit::MAGIC, &bytes).1));
        drop(decode_index(&forge(Index::MAGIC, &bytes).1));
    }

    #[test]
    fn a_changed_body_is_refused_or_reads_back(at in any::<prop::sample::Index>(), new in any::<[u8; 3]>()) {
        let mut plain = postcard::to_stdvec(&sample_commit()).unwrap();
        let at = at.index(plain.len());
        plain.splice(at..(at + 2).min(plain.len()), new);
        if let Ok(commit) = decode_commit(&forge(Commit::MAGIC, &plain).1) {
            let (id, object) = commit.encode(&Plain).unwrap();
            prop_assert_eq!(Commit::decode(id, &object, &Plain).unwrap(), commit);
        }
    }
}
