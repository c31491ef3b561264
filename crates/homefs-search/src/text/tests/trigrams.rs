//! The trigram filter.

use proptest::prelude::*;

use crate::text::{Need, Trigrams};

#[test]
fn a_regex_needs_its_literals() {
    let nothing = ["", "ab", "a.b.c", "(abc)?", "abc|d", "[abc]+", "(", "(?-u:\\x84\\xAAabc)"];
    for pattern in nothing {
        assert!(Need::of_regex(pattern, false).asks_nothing(), "{pattern}");
    }
    let mut files = Trigrams::default();
    for content in ["fn main() {}", "struct Foo;", "Kelvin \u{212a}elvin", "é"] {
        files.push(content.as_bytes());
    }
    let cases: [(&str, bool, &[u32]); 9] = [
        (r"fn\s+main", false, &[0]),
        ("^struct$|main", false, &[0, 1]),
        ("(main){2}", false, &[0]),
        ("FOO", true, &[1]),
        ("kelvin", true, &[2]),
        ("(?i)kelvin", false, &[2]),
        (r"\bstruct\b.*Foo", false, &[1]),
        ("absent", false, &[]),
        ("é", false, &[0, 1, 2, 3]),
    ];
    for (pattern, fold, expected) in cases {
        let found: Vec<u32> = files.candidates(&Need::of_regex(pattern, fold)).collect();
        assert_eq!(found, expected, "{pattern}");
    }
    assert_eq!(files.push_unknown(), 4);
    assert!(files.candidates(&Need::of_literal("absent", false)).eq([4]));
}

proptest! {
    #[test]
    fn no_file_with_the_literal_is_missed(
        contents in prop::collection::vec("[a-cA-CkK\u{212a}é \n.]{0,200}", 1..8),
        literal in "[a-ckK\u{212a}é.]{0,6}",
        fold: bool,
    ) {
        let mut files = Trigrams::default();
        for content in &contents {
            files.push(content.as_bytes());
        }
        let found: Vec<u32> = files.candidates(&Need::of_literal(&literal, fold)).collect();
        let lower = |text: &str| if fold { text.to_lowercase() } else { text.to_owned() };
        for (file, content) in (0..).zip(&contents) {
            if lower(content).contains(&lower(&literal)) {
                prop_assert!(found.contains(&file));
            }
        }
    }

    #[test]
    fn bytes_of_any_kind_are_taken(
        content in prop::collection::vec(any::<u8>(), 0..9000),
        at in any::<prop::sample::Index>(),
    ) {
        let mut files = Trigrams::default();
        files.push(&content);
        let text: String = String::from_utf8_lossy(&content).into_owned();
        if let Some(part) = text.split('\u{fffd}').nth(at.index(text.matches('\u{fffd}').count() + 1)) {
            prop_assert!(files.candidates(&Need::of_literal(part, false)).eq([0]));
        }
    }
}
