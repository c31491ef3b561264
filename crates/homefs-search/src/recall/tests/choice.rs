//! What is in the text, and in which order.

use super::*;

#[test]
fn the_best_comes_first_with_its_citation_and_age() {
    let text = "Exit above RSI 70.\n\n- never hold\n- over night\n";
    let candidates = [
        note("/memory/tea.md", "Green tea, no sugar.", 0.2),
        Candidate { modified: NOW - 200 * DAY, ..note("/memory/rsi.md", text, 0.9) },
    ];
    let recalled = recall_once(&candidates, &options(200), "when to exit");
    let expected = "- Exit above RSI 70.\n\n  - never hold\n  - over night (/memory/rsi.md@7#1-4 6mo)\n\
                    - Green tea, no sugar. (/memory/tea.md@7#1 3d)\n";
    assert_eq!(recalled.text, expected);
    assert_eq!(recalled.items[0].lines, (1, 4));
    assert_eq!(recalled.items[0].age, 200 * DAY);
}

#[test]
fn ages_are_in_their_largest_unit() {
    let second = 1_000_000_000;
    let cases = [
        (-DAY, "now"),
        (59 * second, "now"),
        (60 * second, "1m"),
        (2 * 3_600 * second, "2h"),
        (3 * DAY, "3d"),
        (59 * DAY, "59d"),
        (150 * DAY, "5mo"),
        (800 * DAY, "2y"),
    ];
    for (age, written) in cases {
        let candidate = Candidate { modified: NOW - age, ..note("/a.md", "A.", 1.0) };
        let text = recall_once(&[candidate], &options(100), "").text;
        assert_eq!(text, format!("- A. (/a.md@7#1 {written})\n"));
    }
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
    let candidates = [note("/code.md", &fence, 1.0), note("/tea.md", "Green tea.", 0.1)];
    let recalled = recall_once(&candidates, &options(50), "value");
    assert_eq!(recalled.text, "- Green tea. (/tea.md@7#1 3d)\n");
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
        assert_eq!(recalled.items.len(), 3, "{strategy:?}");
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
fn a_file_without_text_is_quoted_by_its_title() {
    let image = Candidate { title: "A map\n of Kyoto ".into(), ..note("/map.png", " \n", 0.5) };
    let nothing = note("/nothing.bin", "", 0.4);
    let recalled = recall_once(&[image, nothing], &options(100), "map");
    assert_eq!(recalled.text, "- A map\n   of Kyoto (/map.png@7#1 3d)\n");
    assert_eq!(recalled.explained[1].outcome, Outcome::Empty);
}
