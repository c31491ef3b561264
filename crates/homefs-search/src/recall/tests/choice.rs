//! What is in the text, and in which order.

use super::*;

#[test]
fn the_best_comes_first_with_its_citation_and_age() {
    let text = "Exit above RSI 70.\n\n- never hold\n- over night\n";
    let candidates = [
        note("/memory/tea.md", "Green tea, no sugar.", 0.4),
        Candidate { modified: NOW - 200 * DAY, ..note("/memory/rsi.md", text, 0.9) },
    ];
    let recalled = recall_once(&candidates, &options(200), "when to exit");
    let expected = "- Exit above RSI 70.\n\n  - never hold\n  - over night ^483920 2024-03-18\n\
                    - Green tea, no sugar. ^483920 3d\n";
    assert_eq!(recalled.text, expected);
    assert_eq!(recalled.items[0].lines, (1, 4));
    assert_eq!(recalled.items[0].age, 200 * DAY);
}

#[test]
fn a_day_is_told_where_it_tells_more_than_an_age() {
    let hour = DAY / 24;
    let cases = [
        (-DAY, ""),
        (hour - 1, ""),
        (2 * hour, " 2h"),
        (6 * DAY, " 6d"),
        (7 * DAY, " 2024-09-27"),
        (800 * DAY, " 2022-07-27"),
    ];
    for (age, written) in cases {
        let candidate = Candidate { modified: NOW - age, ..note("/a.md", "A.", 1.0) };
        let text = recall_once(&[candidate], &options(100), "").text;
        assert_eq!(text, format!("- A. ^483920{written}\n"));
    }
    // A text that begins with a date says it itself.
    let dated = note("/a.md", "[3 May 2023] Ann: Green tea.", 1.0);
    let text = recall_once(&[dated], &options(100), "").text;
    assert_eq!(text, "- [3 May 2023] Ann: Green tea. ^483920\n");
}

#[test]
fn lines_are_told_where_the_file_says_more() {
    let part = Candidate { is_whole: false, lines: (4, 5), ..note("/a.md", "One.\nTwo.", 1.0) };
    let text = recall_once(std::slice::from_ref(&part), &options(100), "").text;
    assert_eq!(text, "- One.\n  Two. ^483920#4-5 3d\n");
    let paths = Options { paths: true, ..options(100) };
    let text = recall_once(&[part], &paths, "").text;
    assert_eq!(text, "- One.\n  Two. (/a.md@7#4-5 3d)\n");
    let whole = recall_once(&[note("/a.md", "One.\n", 1.0)], &paths, "").text;
    assert_eq!(whole, "- One. (/a.md@7 3d)\n");
}

#[test]
fn a_long_doc_gives_the_sentences_that_answer() {
    let filler = "Nothing of interest happened on that long and quiet day. ".repeat(30);
    let text = format!("{filler}\nThe parser crashed on tabs. We fixed it.\n{filler}");
    let recalled = recall_once(&[note("/log.md", &text, 1.0)], &options(60), "why parser crash?");
    assert_eq!(recalled.explained[0].outcome, Outcome::Excerpted);
    assert!(recalled.items[0].text.contains("The parser crashed on tabs."));
    assert!(recalled.items[0].text.ends_with('.'));
    // With room for all of it, all of it is there.
    let recalled = recall_once(&[note("/log.md", &text, 1.0)], &options(5_000), "parser");
    assert_eq!(recalled.explained[0].outcome, Outcome::Kept);
    assert_eq!(recalled.items[0].text, text.trim());
}

#[test]
fn one_long_doc_does_not_drive_out_the_others() {
    let long = "The parser reads one line after the other. ".repeat(60);
    let mut candidates = vec![note("/long.md", &long, 1.0)];
    for number in 0..8 {
        let text = format!("Parser rule {number}: keep going.");
        candidates.push(note(&format!("/rule-{number}.md"), &text, 0.5));
    }
    let recalled = recall_once(&candidates, &options(400), "parser");
    assert_eq!(recalled.items.len(), 9);
    assert_eq!(recalled.items[0].path, "/long.md");
}

#[test]
fn what_has_no_room_is_passed_over_for_what_has() {
    let fence = format!("```\n{}```\n", "let value = compute(value);\n".repeat(200));
    let candidates = [note("/code.md", &fence, 1.0), note("/tea.md", "Green tea.", 0.4)];
    let recalled = recall_once(&candidates, &options(50), "value");
    assert_eq!(recalled.text, "- Green tea. ^483920 3d\n");
    assert_eq!(recalled.explained[0].outcome, Outcome::NoRoom);
}

#[test]
fn importance_and_recency_move_but_never_hide() {
    let low = Candidate { importance: 0.0, modified: 0, ..note("/low.md", "Low.", 0.9) };
    let high = Candidate { importance: 1.0, modified: NOW, ..note("/high.md", "High.", 0.5) };
    let broken = Candidate { importance: f32::NAN, ..note("/broken.md", "Broken.", f32::NAN) };
    for (strategy, first) in [
        (Strategy::Balanced, "/high.md"),
        (Strategy::Relevance, "/low.md"),
        (Strategy::Importance, "/high.md"),
        (Strategy::Recency, "/high.md"),
    ] {
        let options = Options { strategy, ..options(100) };
        let candidates = [low.clone(), high.clone(), broken.clone()];
        let recalled = recall_once(&candidates, &options, "");
        // What is relevant to no number is not relevant.
        assert_eq!(recalled.items.len(), 2, "{strategy:?}");
        assert_eq!(recalled.items[0].path, first, "{strategy:?}");
    }
}

#[test]
fn a_score_below_the_minimum_is_dropped_and_explained() {
    let candidates = [note("/good.md", "Good.", 0.8), note("/bad.md", "Bad.", 0.1)];
    let options = Options { min_score: 0.5, ..options(100) };
    let recalled = recall_once(&candidates, &options, "");
    assert_eq!(recalled.items.len(), 1);
    assert_eq!(recalled.explained[1].outcome, Outcome::BelowMinimum);
    let first = &recalled.explained[0];
    let product = first.relevance * first.importance * first.recency;
    assert!((first.score - product).abs() < 1e-6 && first.tokens == recalled.tokens);
}

#[test]
fn the_minimum_is_of_relevance_whatever_the_age_and_importance() {
    let old = Candidate { importance: 0.0, modified: 0, ..note("/old.md", "Old.", 0.6) };
    let new = Candidate { importance: 1.0, modified: NOW, ..note("/new.md", "New.", 0.4) };
    for strategy in Strategy::ALL {
        let options = Options { min_score: 0.5, strategy: *strategy, ..options(100) };
        let recalled = recall_once(&[old.clone(), new.clone()], &options, "");
        let kept: Vec<&str> = recalled.items.iter().map(|item| &*item.path).collect();
        assert_eq!(kept, ["/old.md"], "{strategy}");
    }
}

#[test]
fn a_sentence_that_answers_is_cut_before_another_is_taken() {
    let before = "the reader of tabs and blanks and other marks ".repeat(12);
    let behind = " with many more words that say how it came about".repeat(12);
    let text = format!("Nothing new.\n\nOnce {before}crashed on saffron{behind}.\n\nAll well.");
    let recalled = recall_once(&[note("/log.md", &text, 1.0)], &options(40), "saffron crash?");
    assert_eq!(recalled.explained[0].outcome, Outcome::Excerpted);
    let item = &recalled.items[0];
    assert!(item.text.contains("crashed on saffron") && text.contains(&item.text), "{item:?}");
    assert!(recalled.text.starts_with("- …") && recalled.text.contains("… ^"), "{recalled:?}");
    assert_eq!(item.lines, (3, 3));
    assert!(recalled.tokens <= 40);
    // What is long and has no spaces is cut too.
    let text = format!("{}藏红花{}。", "今天".repeat(400), "明天".repeat(400));
    let recalled = recall_once(&[note("/log.md", &text, 1.0)], &options(60), "藏红花");
    assert!(recalled.text.contains("藏红花"), "{recalled:?}");
}

#[test]
fn a_rare_word_weighs_more_than_common_ones() {
    let common = "The parser of the project reads the project's files. ".repeat(20);
    let text = format!("{common}\n\nThe zebra sleeps.\n\n{common}");
    let question = "where does the zebra of the parser project sleep?";
    let recalled = recall_once(&[note("/log.md", &text, 1.0)], &options(30), question);
    assert!(recalled.items[0].text.contains("The zebra sleeps."), "{recalled:?}");
}

#[test]
fn what_is_no_answer_is_left_out_and_nothing_known_is_said() {
    let least = crate::rank::FLOOR;
    let candidates = [note("/tea.md", "Green tea.", least), note("/rsi.md", "Sell.", least / 6.0)];
    let recalled = recall_once(&candidates, &options(100), "");
    assert_eq!(recalled.text, "- Green tea. ^483920 3d\n");
    assert_eq!(recalled.explained[1].outcome, Outcome::NoAnswer);
    let candidates = [note("/tea.md", "Green tea.", least - 0.01)];
    let recalled = recall_once(&candidates, &options(100), "");
    assert_eq!((recalled.text.as_str(), recalled.items.len()), ("nothing known about this\n", 0));
    assert_eq!(recalled.explained[0].outcome, Outcome::NoAnswer);
    // What an answer has no room for is known all the same.
    let candidates = [note("/tea.md", &"Green tea, ".repeat(50), 1.0)];
    assert_eq!(recall_once(&candidates, &options(12), "").text, "");
}

#[test]
fn a_file_without_text_is_quoted_by_its_title() {
    let image = Candidate { title: "A map\n of Kyoto ".into(), ..note("/map.png", " \n", 0.5) };
    let nothing = note("/nothing.bin", "", 0.4);
    let recalled = recall_once(&[image, nothing], &options(100), "map");
    assert_eq!(recalled.text, "- A map\n   of Kyoto ^483920 3d\n");
    assert_eq!(recalled.explained[1].outcome, Outcome::Empty);
}

#[test]
fn what_something_newer_takes_the_place_of_stands_behind_it_and_says_so() {
    let instead = |path: &str, newer: &str, relevance| Candidate {
        newer: Some(newer.to_owned()),
        ..note(path, &format!("The rent is {relevance} euros."), relevance)
    };
    let candidates = [
        instead("/a.md", "/b.md", 0.9),
        note("/c.md", "The rent is due.", 0.5),
        instead("/b.md", "/c.md", 0.8),
        note("/d.md", "The rent is for the flat.", 0.7),
    ];
    let recalled = recall_once(&candidates, &options(500), "rent");
    let told: Vec<_> = recalled.items.iter().map(|one| (&*one.path, one.older)).collect();
    assert_eq!(
        told,
        [("/d.md", false), ("/c.md", false), ("/b.md", true), ("/a.md", true)],
        "{}",
        recalled.text
    );
    assert!(recalled.text.contains("- The rent is 0.9 euros. (older) ^483920 3d\n"));
    assert_eq!(recalled.text.matches("(older)").count(), 2);
    // Whatever was said about what, there is an answer.
    let circle = [instead("/a.md", "/b.md", 0.9), instead("/b.md", "/a.md", 0.8)];
    assert_eq!(recall_once(&circle, &options(500), "rent").items.len(), 2);
}
