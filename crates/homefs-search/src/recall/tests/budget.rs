//! The budget holds, whatever the text.

use proptest::prelude::*;

use super::*;

const BUDGETS: [usize; 7] = [0, 1, 5, 10, 20, 100, 10_000_000];

/// Texts of words, marks, space of every kind and characters from anywhere.
fn text() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => "[a-zA-Z']{1,12}",
        2 => "[ \t\r\n.!?,;:/#|*+>-]{1,4}",
        1 => "[0-9]{1,7}",
        1 => "(```|~~~|- |# |1\\. |\n\n|\u{a0}|\u{2028}|\r\n|'s|'LL|<\\|endoftext\\|>)",
        1 => "[一-龥。！？ひらがな]{1,6}",
        1 => "[🙂👩‍🚀é\u{301}ſ\u{200d}\u{0}\u{7}\u{1b}]{1,4}",
        1 => "\\PC{1,4}",
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(part, 0..60).prop_map(|parts| parts.concat())
}

use proptest::strategy::Strategy;

fn candidates() -> impl Strategy<Value = Vec<Candidate>> {
    let path = prop_oneof![3 => "/[a-z]{1,8}/[a-z0-9-]{1,12}\\.md", 1 => "/\\PC{0,9}", 1 => text()];
    let facts = (0.0_f32..1.0, any::<u16>(), any::<i64>(), any::<bool>());
    let one = (path, text(), facts);
    let candidate = one.prop_map(|(path, text, (relevance, version, modified, is_whole))| {
        Candidate { version: version.into(), modified, is_whole, ..note(&path, &text, relevance) }
    });
    prop::collection::vec(candidate, 0..8)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_text_never_exceeds_the_budget(candidates in candidates(), question in text()) {
        let counts = Counts::default();
        for tokenizer in Tokenizer::ALL.iter().copied() {
            for max_tokens in BUDGETS {
                let options = Options { tokenizer, ..options(max_tokens) };
                let recalled = recall(candidates.clone(), &options, &question, &counts);
                let counted = tokenizer.count(&recalled.text);
                prop_assert!(counted <= max_tokens);
                prop_assert!(recalled.tokens <= max_tokens);
                if tokenizer == Tokenizer::Approx {
                    // Its fractions are rounded up for each item.
                    prop_assert!(counted <= recalled.tokens);
                } else {
                    prop_assert_eq!(counted, recalled.tokens);
                }
                prop_assert_eq!(&recalled, &recall_once(&candidates, &options, &question));
            }
        }
    }

    #[test]
    fn the_tokens_of_the_text_are_the_sum_over_its_items(candidates in candidates()) {
        for tokenizer in [Tokenizer::O200k, Tokenizer::Cl100k] {
            let options = Options { tokenizer, ..options(1_000_000) };
            let recalled = recall_once(&candidates, &options, "");
            let sum: usize = recalled.items.iter().map(|item| item.tokens).sum();
            if recalled.items.is_empty() {
                continue;
            }
            prop_assert_eq!(tokenizer.count(&recalled.text), sum);
        }
    }

    #[test]
    fn what_is_quoted_stands_in_the_doc_on_its_lines(
        candidates in candidates(), question in text(), max_tokens in 0_usize..150,
    ) {
        let recalled = recall_once(&candidates, &options(max_tokens), &question);
        for item in &recalled.items {
            let of = |candidate: &&Candidate| {
                let Some(at) = candidate.text.find(&item.text) else { return false };
                let ends = |text: &str| u32::try_from(text.matches('\n').count()).unwrap();
                let first = 1 + ends(&candidate.text[..at]);
                // A sentence may stand in a doc more than once.
                candidate.path == item.path
                    && item.lines.1 - item.lines.0 == ends(&item.text)
                    && item.lines.0 >= first
                    && candidate.text.lines().count() >= item.lines.1 as usize
            };
            prop_assert!(candidates.iter().any(|candidate| of(&candidate)));
        }
        prop_assert!(recalled.items.is_sorted_by(|one, two| one.score >= two.score));
    }

    #[test]
    fn more_budget_keeps_the_best(candidates in candidates(), question in text()) {
        let mut had = None;
        for max_tokens in [5, 10, 15, 20, 40, 80, 160, 1_000, 100_000] {
            let recalled = recall_once(&candidates, &options(max_tokens), &question);
            let first = recalled.explained.first();
            let kept = |one: &&Explained| matches!(one.outcome, Outcome::Kept | Outcome::Excerpted);
            let kept = first.filter(kept).map(|one| one.path.clone());
            prop_assert!(had.is_none() || had == kept);
            had = kept;
        }
    }
}

#[test]
fn a_line_of_a_megabyte_harms_nothing() {
    let counts = Counts::default();
    for long in ["a".repeat(1 << 20), "中".repeat(1 << 18), "yes no ".repeat(150_000)] {
        let candidates = vec![note("/long.md", &long, 1.0), note("/short.md", "Short.", 0.4)];
        for tokenizer in Tokenizer::ALL.iter().copied() {
            let options = Options { tokenizer, ..options(200) };
            let recalled = recall(candidates.clone(), &options, "yes", &counts);
            assert_eq!(recalled.text, "- Short. ^483920 3d\n");
            assert_eq!(recalled.explained[0].outcome, Outcome::NoRoom);
        }
    }
}
