//! Tokens are counted as others count them.

use proptest::prelude::{ProptestConfig, prop_assert_eq, proptest};

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

/// The vocabularies, and the crate that the tables are made of.
fn vocabularies() -> [(Tokenizer, &'static tiktoken::CoreBpe); 2] {
    let named = |name| tiktoken::get_encoding(name).expect("a dependency has it");
    [(Tokenizer::O200k, named("o200k_base")), (Tokenizer::Cl100k, named("cl100k_base"))]
}

#[test]
fn the_tables_are_those_of_the_vocabularies() {
    let tables: [&[u8]; 2] = [
        include_bytes!("../../../models/tokens/o200k_base.table"),
        include_bytes!("../../../models/tokens/cl100k_base.table"),
    ];
    for ((_, encoding), expected) in vocabularies().into_iter().zip(tables) {
        let count = u32::try_from(encoding.vocab_size()).expect("the ranks are small");
        let tokens: Vec<Vec<u8>> = (0..count).map(|rank| encoding.decode(&[rank])).collect();
        assert!(token_table(&tokens).is_some_and(|made| made == expected), "make the tables anew");
    }
}

#[test]
fn long_runs_are_counted_as_others_count_them() {
    let runs = ["a", "ab", " ", "\n", "=", "-_", "é", "数", "🙂", "7", "\u{301}", "x\u{301}"];
    for (tokenizer, encoding) in vocabularies() {
        for run in runs {
            for count in [1, 2, 3, 15, 31, 63, 64, 65, 200, 3000] {
                let text = run.repeat(count);
                assert_eq!(tokenizer.count(&text), encoding.count(&text), "{count} × {run:?}");
            }
        }
        for text in [include_str!("../packing.rs"), include_str!("../../text/words.rs")] {
            assert_eq!(tokenizer.count(text), encoding.count(text));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_text_is_counted_as_others_count_it(
        odd in "[a-cA-C01 '/\\r\\n\\tsStTrReEvVlLdDmMſéÉßǅʰªת\u{301}\u{5b0}数あ²Ⅷ٣🙂\u{200d}\u{a0}\u{3000}\u{85}!?_.—’]{0,40}",
        any in "\\PC{0,40}",
    ) {
        for (tokenizer, encoding) in vocabularies() {
            for text in [&odd, &any] {
                prop_assert_eq!(tokenizer.count(text), encoding.count(text), "{:?}", text);
            }
        }
    }
}
