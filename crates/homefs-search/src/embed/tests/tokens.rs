//! How texts are cut into pieces.

use std::borrow::Cow;
use std::ops::ControlFlow;

use crate::embed::StaticModel;
use crate::embed::vocabulary::Vocabulary;
use crate::embed::wordpiece::tokenize;

/// Cuts a text by a small vocabulary; a word it cannot make up is `?`.
fn check(text: &str, expected: &str) {
    let pieces = "[UNK]\nun\n##aff\n##able\naffable\n!\n漢\n字\ncafe\n##e\n—\nнаи\n##в\n";
    let vocabulary = Vocabulary::parse(Cow::Borrowed(pieces), 13).expect("it is well formed");
    let mut found = Vec::new();
    let _ = tokenize(&vocabulary, text, |token| {
        found.push(token.map_or("?", |token| vocabulary.piece(token)));
        ControlFlow::Continue(())
    });
    assert_eq!(found.join(" "), expected, "{text:?}");
}

#[test]
fn words_are_cut_into_the_longest_pieces() {
    check("unaffable affable", "un ##aff ##able affable");
    check("UnAffable!!", "un ##aff ##able ! !");
    check("unfit un", "? un");
    check("##able able", "? ? ? ?");
}

#[test]
fn accents_controls_and_scripts_are_folded() {
    check("Café cafe\u{301}e caf\u{0}e", "cafe cafe ##e cafe");
    check("un\u{200B}aff\tun\u{A0}un", "un ##aff un un");
    check("漢字un—un", "漢 字 un — un");
    check("НАЙВ", "наи ##в");
    check("наив", "наи ##в");
    check("🦀", "?");
}

#[test]
fn a_word_of_over_a_hundred_characters_is_unknown() {
    check(&format!("cafe{}", "é".repeat(96)), &format!("cafe{}", " ##e".repeat(96)));
    check(&format!("cafe{}", "é".repeat(97)), "?");
}

#[test]
fn every_piece_of_the_vocabulary_is_found() {
    let model = StaticModel::built_in();
    let mut missed = 0;
    for token in 0..u32::try_from(model.token_count()).expect("it is small") {
        let piece = model.piece(token);
        let mut found = Vec::new();
        model.tokens(piece, |token| found.push(token));
        missed += usize::from(!piece.starts_with("##") && found != [token]);
    }
    // Some pieces hold what the tokenizer itself never leaves in a word.
    assert!(missed < 60, "{missed} pieces are not found");
}
