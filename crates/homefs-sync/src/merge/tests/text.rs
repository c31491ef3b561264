//! Texts: what is promised of words, lines, line ends and repeated merges.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::config;
use crate::merge::pieces;
use crate::merge::text::{Grain, MergedText, merge_text};

fn merge(base: &str, head: &str, pushed: &str) -> MergedText {
    merge_text(Grain::Word, base, head, pushed)
}

#[test]
fn both_authors_words_survive() {
    for (base, head, pushed, expected) in [
        // Different lines, also next to each other.
        ("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n", "A\nb\nC\n"),
        ("- [ ] a\n- [ ] b\n", "- [x] a\n- [ ] b\n", "- [ ] a\n- [x] b\n", "- [x] a\n- [x] b\n"),
        // Different words of one line.
        ("the cat sat here\n", "the dog sat here\n", "the cat sat there\n", "the dog sat there\n"),
        ("(a, b)\n", "(a1, b)\n", "(a, b2)\n", "(a1, b2)\n"),
        // The same word: HEAD's first, and two words, not one.
        (
            "the cat sat here\n",
            "the dog sat here\n",
            "the bird sat here\n",
            "the dog bird sat here\n",
        ),
        (
            "on Monday at noon\n",
            "on Tuesday at noon\n",
            "on Thursday at noon\n",
            "on Tuesday Thursday at noon\n",
        ),
        ("cat sat here\n", "dog sat here\n", "bird sat here\n", "dog bird sat here\n"),
        // Two appends do not interleave.
        ("x\n", "x\nh1\nh2\n", "x\np1\np2\n", "x\nh1\nh2\np1\np2\n"),
        ("x", "x\nh1", "x\np1", "x\nh1\np1"),
        ("", "h", "p", "h\np"),
        ("x\r\n", "x\r\nh1\r\n", "x\r\np1", "x\r\nh1\r\np1"),
        // The same change is made once.
        ("x\n", "x\nsame\n", "x\nsame\n", "x\nsame\n"),
        ("x\n", "x\nsame\nh\n", "x\nsame\n", "x\nsame\nh\n"),
        // What one side removed is gone, unless the other side changed it.
        ("a b c d\n", "a c d\n", "a b c e\n", "a c e\n"),
        ("a\nb\nc\n", "a\nc\n", "a\nB\nc\n", "a\nB\nc\n"),
        // A rewritten paragraph stays whole beside the other.
        (
            "one two three\n",
            "four five six\n",
            "seven eight nine\n",
            "four five six\nseven eight nine\n",
        ),
        // A line end goes where two lines would become one.
        ("x\ny\n", "x\nh", "x\ny\nz\n", "x\nh\nz\n"),
        ("漢字", "漢字か", "新漢字", "新漢字か"),
    ] {
        let merged = merge(base, head, pushed);
        assert_eq!(merged.text, expected, "{base:?} {head:?} {pushed:?}");
    }
}

#[test]
fn an_overlap_is_told() {
    assert!(!merge("a\nb\n", "A\nb\n", "a\nB\n").overlapped);
    assert!(!merge("a\n", "b\n", "b\n").overlapped);
    assert!(merge("a\n", "b\n", "c\n").overlapped);
    assert!(!merge("a\n", "a\nb\n", "a\nc\n").overlapped);
    assert!(!merge("a b c d e f\n", "A b c d e f\n", "a b c d e F\n").overlapped);
}

#[test]
fn a_large_text_is_merged_by_lines() {
    let lines: Vec<String> = (0..30_000).map(|number| format!("line {number} here\n")).collect();
    let base = lines.concat();
    let head = base.replace("line 7 here", "Line 7 here");
    let pushed = base.replace("line 7 here", "line 7 there") + "end\n";
    let merged = merge(&base, &head, &pushed);
    assert!(merged.text.contains("\nLine 7 here\nline 7 there\nline 8 here\n"));
    assert!(merged.text.ends_with("\nend\n"));
}

/// One change of a text that is a list of words and line ends.
#[derive(Clone, Debug)]
enum Change {
    Insert(usize, usize),
    Remove(usize, usize),
    Replace(usize),
    Append(usize),
    Move(usize, usize),
}

fn change() -> impl Strategy<Value = Change> {
    let (at, count) = (0..1000_usize, 1..4_usize);
    prop_oneof![
        (at.clone(), count.clone()).prop_map(|(at, count)| Change::Insert(at, count)),
        (at.clone(), count.clone()).prop_map(|(at, count)| Change::Remove(at, count)),
        at.clone().prop_map(Change::Replace),
        count.prop_map(Change::Append),
        (at.clone(), at).prop_map(|(from, to)| Change::Move(from, to)),
    ]
}

/// Changes a text; every word that comes new is unlike all others.
fn changed(base: &[String], changes: &[Change], author: &str) -> Vec<String> {
    let mut parts = base.to_vec();
    let mut count = 0;
    let mut fresh = |end: &str| {
        count += 1;
        format!("{author}{count}{end}")
    };
    for change in changes {
        let len = parts.len();
        match *change {
            Change::Insert(at, count) => {
                let at = at % (len + 1);
                parts.splice(at..at, (0..count).map(|_| fresh(" ")).collect::<Vec<_>>());
            }
            Change::Remove(at, count) if len > 0 => {
                let at = at % len;
                parts.drain(at..len.min(at + count));
            }
            Change::Replace(at) if len > 0 => parts[at % len] = fresh(" "),
            Change::Append(count) => parts.extend((0..count).map(|_| fresh("\n"))),
            Change::Move(from, to) if len > 0 => {
                let part = parts.remove(from % len);
                parts.insert(to % len, part);
            }
            _ => {}
        }
    }
    parts
}

/// Returns a base and two changed forms of it.
fn edited() -> impl Strategy<Value = (String, String, String)> {
    let part = prop_oneof![
        6 => "[a-e]{1,2} ",
        2 => "[a-e]{1,2}\n",
        1 => Just("\n".to_owned()),
        1 => Just("- [ ] ".to_owned()),
        1 => Just(", ".to_owned()),
    ];
    let changes = || prop::collection::vec(change(), 0..5);
    (prop::collection::vec(part, 0..40), changes(), changes()).prop_map(|(base, head, pushed)| {
        let head = changed(&base, &head, "h");
        let pushed = changed(&base, &pushed, "p");
        (base.concat(), head.concat(), pushed.concat())
    })
}

/// Returns a page of notes and two changed forms of it: lines are unlike each other, and a side
/// changes, adds or removes a few of them.
fn pages() -> impl Strategy<Value = (String, String, String)> {
    let edits = || prop::collection::vec((0..4_u8, 0..100_usize), 0..4);
    (4..20_usize, edits(), edits()).prop_map(|(len, head, pushed)| {
        let line = |number: usize| format!("- note{number} is about topic{number}\n");
        let base: Vec<String> = (0..len).map(line).collect();
        let changed = |edits: &[(u8, usize)], author: &str| {
            let mut lines = base.clone();
            for (number, (what, at)) in edits.iter().enumerate() {
                let at = at % lines.len();
                match what {
                    0 => lines[at] = lines[at].replace("about", &format!("about {author}{number}")),
                    1 => lines.insert(at, format!("{author}{number} wrote this line\n")),
                    2 => lines.push(format!("{author}{number} appended this line\n")),
                    _ => {
                        lines[at] =
                            lines[at].replace("- note", &format!("- {author}{number} note"));
                    }
                }
            }
            lines.concat()
        };
        (base.concat(), changed(&head, "head"), changed(&pushed, "pushed"))
    })
}

fn words_of(text: &str) -> Vec<&str> {
    pieces::words(text).into_iter().map(|word| word.text).collect()
}

/// Returns the words that an author wrote, as often as they stand in the text.
fn written(text: &str, author: char) -> Vec<&str> {
    let own = |word: &&str| word.starts_with(author);
    let mut words: Vec<&str> = words_of(text).into_iter().filter(own).collect();
    words.sort_unstable();
    words
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn an_unchanged_side_gives_the_other((base, head, pushed) in edited()) {
        prop_assert_eq!(&merge(&base, &head, &base).text, &head);
        prop_assert_eq!(&merge(&base, &base, &pushed).text, &pushed);
        prop_assert_eq!(&merge(&base, &head, &head).text, &head);
    }

    #[test]
    fn every_written_word_is_there_once((base, head, pushed) in edited()) {
        let merged = merge(&base, &head, &pushed).text;
        prop_assert_eq!(written(&merged, 'h'), written(&head, 'h'), "{:?}", merged);
        prop_assert_eq!(written(&merged, 'p'), written(&pushed, 'p'), "{:?}", merged);
    }

    #[test]
    fn merging_again_adds_nothing((base, head, pushed) in pages()) {
        let merged = merge(&base, &head, &pushed).text;
        for (head, pushed) in [(&merged, &pushed), (&merged, &head), (&head, &merged)] {
            prop_assert_eq!(&merge(&base, head, pushed).text, &merged);
        }
    }

    #[test]
    fn two_appends_do_not_interleave(
        (base, _, _) in edited(),
        head in "[h]{1,3}(\n[h]{1,3}){0,4}\n?",
        pushed in "[p]{1,3}(\n[p]{1,3}){0,4}\n?",
    ) {
        let base = format!("{base}\n");
        let merged = merge(&base, &format!("{base}{head}"), &format!("{base}{pushed}")).text;
        let between = if head.ends_with('\n') { "" } else { "\n" };
        prop_assert_eq!(merged, format!("{base}{head}{between}{pushed}"));
    }

    #[test]
    fn any_texts_merge(base in any::<String>(), head in any::<String>(), pushed in any::<String>()) {
        let merged = merge(&base, &head, &pushed);
        prop_assert_eq!(&merged, &merge(&base, &head, &pushed));
        let there: BTreeSet<&str> = words_of(&merged.text).into_iter().collect();
        let old: BTreeSet<&str> = words_of(&base).into_iter().collect();
        for word in words_of(&head).into_iter().chain(words_of(&pushed)) {
            prop_assert!(there.contains(word) || old.contains(word), "{:?} in {:?}", word, merged);
        }
    }

    #[test]
    fn short_texts_merge(texts in prop::array::uniform3("[ab\r\n ,]{0,12}")) {
        let [base, head, pushed] = texts.each_ref().map(String::as_str);
        prop_assert_eq!(merge(base, head, base).text, head);
        prop_assert_eq!(merge(base, base, pushed).text, pushed);
        merge(base, head, pushed);
    }

    #[test]
    fn line_ends_stay((base, head, pushed) in edited()) {
        let [base, head, pushed] = [base, head, pushed].map(|text| text.replace('\n', "\r\n"));
        let merged = merge(&base, &head, &pushed).text;
        if base.contains('\n') && head.contains('\n') {
            prop_assert!(!merged.replace("\r\n", "").contains('\n'), "{:?}", merged);
        }
    }
}
