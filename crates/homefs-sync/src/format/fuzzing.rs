//! What fuzz targets call: objects as a bucket may have them.

use homefs_core::Digest;

use super::envelope::{self, Body, compress, compressor, header};
use super::{Commit, Head, Index, Pack, PackId, PackTable, Piece, Plain, open_piece, pack};

/// Reads HEAD, a commit or an index: the first byte says which, and whether what follows is the
/// object or the body that is packed into it.
///
/// # Panics
///
/// If what it asserts does not hold.
pub fn commit(data: &[u8]) {
    let Some((kind, data)) = data.split_first() else { return };
    match kind % 5 {
        0 => {
            if let Ok(head) = Head::decode(data, &Plain) {
                // What is too long to be written is not made shorter by reading it.
                if let Ok(again) = head.encode(&Plain) {
                    assert_eq!(Head::decode(&again, &Plain).ok(), Some(head), "it reads back");
                }
            }
        }
        1 => object::<Commit>(data),
        2 => object::<Index>(data),
        3 => body::<Commit>(data),
        _ => body::<Index>(data),
    }
}

fn body<B: Body + PartialEq + std::fmt::Debug>(plain: &[u8]) {
    let mut compressor = compressor(1).expect("there is memory");
    let frame = compress(&mut compressor, plain).expect("anything can be compressed");
    object::<B>(&[&header(B::MAGIC)[..], &frame].concat());
}

fn object<B: Body + PartialEq + std::fmt::Debug>(object: &[u8]) {
    let Ok(body) = envelope::decode::<B>(Digest::of(object), object, &Plain) else { return };
    let (digest, again) = envelope::encode(&body, &Plain).expect("what was read can be written");
    let read = envelope::decode::<B>(digest, &again, &Plain).ok();
    assert_eq!(read, Some(body), "it reads back");
}

/// Opens a pack, and the pieces that its first bytes tell of.
///
/// # Panics
///
/// If what it asserts does not hold.
pub fn pack(data: &[u8]) {
    let id = PackId(Digest::of(data));
    drop(open_piece(id.0, data, &Plain));
    let Ok(opened) = Pack::open(id, data.to_vec().into()) else { return };
    let numbers = data.as_chunks::<8>().0.iter().map(|number| {
        let (offset, len) = number.split_at(4);
        let number = |bytes: &[u8]| bytes.iter().fold(0, |sum, byte| sum << 8 | u32::from(*byte));
        Piece { digest: id.0, offset: number(offset), len: number(len) }
    });
    let table = PackTable { pack: id, pieces: numbers.collect() };
    pack::check(std::slice::from_ref(&table)).ok();
    for piece in &table.pieces {
        drop(opened.piece(piece, &Plain));
    }
    // The one that begins where the first one does, and ends with the pack.
    let start = u32::try_from(pack::START).expect("it is small");
    let len = u32::try_from(data.len().saturating_sub(pack::START)).unwrap_or(u32::MAX);
    drop(opened.piece(&Piece { digest: id.0, offset: start, len }, &Plain));
}
