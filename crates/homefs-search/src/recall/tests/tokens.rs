//! Tokens are counted as others count them.

use super::*;

#[test]
fn counts_are_those_of_the_vocabularies() {
    let cases = [
        ("", 0, 0),
        ("hello world", 2, 2),
        ("<|endoftext|>", 7, 7),
        ("The deploy key rotates every 90 days.", 9, 9),
        ("今日は晴れ。", 4, 7),
        ("🙂", 1, 2),
        ("a\r\n\r\n  b\t\t1234567", 9, 9),
        ("It's DON'T/x\n/y", 5, 7),
    ];
    for (text, o200k, cl100k) in cases {
        assert_eq!(Tokenizer::O200k.count(text), o200k, "{text}");
        assert_eq!(Tokenizer::Cl100k.count(text), cl100k, "{text}");
    }
}

#[test]
fn names_are_read_as_they_are_written() {
    for tokenizer in Tokenizer::ALL.iter().copied() {
        assert_eq!(tokenizer.word().parse::<Tokenizer>().unwrap(), tokenizer);
    }
    for strategy in Strategy::ALL.iter().copied() {
        assert_eq!(strategy.word().parse::<Strategy>().unwrap(), strategy);
    }
    assert!("gpt2".parse::<Tokenizer>().is_err() && "".parse::<Strategy>().is_err());
}

#[test]
fn the_estimate_is_a_little_too_high() {
    let texts = [
        include_str!("../mod.rs"),
        include_str!("../packing.rs"),
        include_str!("../../../../../docs/glossary.md"),
        include_str!("../../../../../docs/semantics.md"),
    ];
    for text in texts {
        let exact = Tokenizer::Cl100k.count(text);
        let ratio = Tokenizer::Approx.count(text) as f64 / exact as f64;
        assert!((1.0..1.35).contains(&ratio), "{ratio}");
    }
}

#[test]
fn a_table_of_counts_is_bounded_and_right() {
    let counts = Counts::default();
    for number in 0..40_000 {
        let text = format!("{number}");
        let expected = text.len().div_ceil(3);
        assert_eq!(counts.count(Tokenizer::O200k, &text), expected);
        assert_eq!(counts.count(Tokenizer::O200k, &text), expected);
    }
    assert!(counts.len() <= 32 << 10);
}
