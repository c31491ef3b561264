//! Deltas as bytes: damaged ones, and what they must not hold.

use homefs_core::ErrorKind;
use proptest::prelude::*;

use super::{embed, file, found, grep, index, known, nodes, text};
use crate::index::{Body, File, Index};

/// An index with all that a delta can hold, its whole and a delta that follows.
fn deltas() -> (Vec<u8>, Vec<u8>) {
    let mut index = index();
    for node in 0..4 {
        let (title, tags) = ("A title".into(), vec!["tag".into()]);
        let body = format!("# Heading {node}\nstudies of [[links#here]] and [more](links.md)");
        index.put(File { title, tags, ..file(node, "/some/path.md") }, text(&body));
    }
    index.put(file(8, "/binary"), Body::Binary(b"\0\x01\x02"));
    embed(&mut index, 2);
    index.set_embedder("next", 3).unwrap();
    embed(&mut index, 1);
    let whole = index.whole();
    index = Index::of_whole(&whole).unwrap();
    embed(&mut index, 1);
    index.remove(1);
    index.put(file(2, "/other"), text("other words"));
    index.put(file(9, "/short-lived"), text("short lived"));
    index.remove(9);
    index.put(file(10, "/last"), text("last words"));
    (whole, index.delta().unwrap())
}

/// Uses an index in every way, so that anything odd in it would panic.
fn exercise(mut index: Index) {
    known(&index);
    for query in ["study", "\"other words\"", "l*", "heading -links"] {
        found(&index, query);
    }
    grep(&index, "studies");
    embed(&mut index, 2);
    index.put(file(2, "/again"), text("studies"));
    index.remove(3);
    index.delta();
    index.whole();
    assert!(index.size_bytes() < 1 << 20);
}

fn check_damaged(whole: &[u8], delta: &[u8]) {
    let mut index = index();
    for bytes in [whole, delta] {
        if let Err(error) = index.apply(bytes) {
            assert_eq!(error.kind(), ErrorKind::Corrupt);
            assert_eq!((index.file_count(), index.doc_count()), (0, 0));
            return;
        }
    }
    exercise(index);
}

#[test]
fn whole_deltas_apply_and_cut_ones_do_not() {
    let (whole, delta) = deltas();
    let mut index = index();
    index.apply(&whole).unwrap();
    index.apply(&delta).unwrap();
    assert_eq!(nodes(&index, "other"), [2]);
    assert_eq!(index.file_count(), 5);
    // Once more does not follow.
    assert_eq!(index.apply(&delta).unwrap_err().kind(), ErrorKind::Corrupt);
    for end in 0..whole.len() {
        let mut index = super::index();
        assert_eq!(index.apply(&whole[..end]).unwrap_err().kind(), ErrorKind::Corrupt);
    }
    for end in 0..delta.len() {
        let mut index = super::index();
        index.apply(&whole).unwrap();
        assert_eq!(index.apply(&delta[..end]).unwrap_err().kind(), ErrorKind::Corrupt);
    }
    exercise(index);
}

#[test]
fn every_flipped_byte_is_borne() {
    let (whole, delta) = deltas();
    for (length, of_whole) in [(whole.len(), true), (delta.len(), false)] {
        for at in 0..length {
            let (mut whole, mut delta) = (whole.clone(), delta.clone());
            let damaged = if of_whole { &mut whole } else { &mut delta };
            damaged[at] ^= [0x01, 0x80, 0xff][at % 3];
            check_damaged(&whole, &delta);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn anything_is_borne(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        at in any::<prop::sample::Index>(),
    ) {
        let (whole, delta) = deltas();
        let mut damaged = whole.clone();
        let start = at.index(whole.len());
        damaged.splice(start..(start + bytes.len()).min(whole.len()), bytes.iter().copied());
        check_damaged(&damaged, &delta);
        check_damaged(&bytes, &bytes);
    }
}

#[test]
fn a_whole_holds_nothing_of_what_was_removed() {
    let mut index = index();
    let has = |bytes: &[u8], word: &str| bytes.windows(word.len()).any(|w| w == word.as_bytes());
    index.put(file(1, "/kept.md"), text("ordinary words remain"));
    let body = text("# Hushed\nthe studied secretword [[whispered]] words");
    index.put(File { tags: vec!["covert".into()], ..file(2, "/hidden.md") }, body);
    let hidden = ["secretword", "studi", "hush", "hidden", "whisper", "covert"];
    let before = index.whole();
    assert!(hidden.iter().all(|word| has(&before, word)));
    embed(&mut index, 9);
    let size = index.size_bytes();
    assert!(index.remove(2) && index.garbage() > 0.3);
    let after = index.whole();
    index = Index::of_whole(&after).unwrap();
    assert!(hidden.iter().all(|word| !has(&after, word)));
    assert!(["ordinari", "remain", "kept"].iter().all(|word| has(&after, word)));
    assert!(index.size_bytes() < size && index.garbage() == 0.0);
    assert_eq!(nodes(&index, "words"), [1]);
    // The same as if it had never been there.
    let mut fresh = super::index();
    fresh.put(file(1, "/kept.md"), text("ordinary words remain"));
    embed(&mut fresh, 9);
    assert_eq!(fresh.whole(), after);
}
