//! What must not be parted.

use crate::recall::sentences::sentences;

fn check(text: &str, expected: &[&str]) {
    let found: Vec<&str> = sentences(text).into_iter().map(|part| &text[part]).collect();
    assert_eq!(found, expected);
}

#[test]
fn paragraphs_part_into_sentences() {
    check("One. Two!  Three?\nStill (three).", &["One.", "Two!", "Three?", "Still (three)."]);
    check("He said \"no.\" Then left.", &["He said \"no.\"", "Then left."]);
    check(
        "See e.g. Dr. J. Smith vs. Bob at 3.14 p.m. today.",
        &["See e.g. Dr. J. Smith vs. Bob at 3.14 p.m. today."],
    );
    check("Wait... what? Yes", &["Wait... what?", "Yes"]);
    check(
        "今日は晴れ。明日は雨！「はい。」終わり",
        &["今日は晴れ。", "明日は雨！", "「はい。」", "終わり"],
    );
    check("one\ntwo\n\nthree", &["one\ntwo", "three"]);
    check(" \n\t", &[]);
}

#[test]
fn what_has_a_form_of_its_own_is_whole() {
    check("# A. B\nText. More.\n", &["# A. B", "Text.", "More."]);
    check("- a. b\n  c\n- d\n\n1. e\n2) f", &["- a. b\n  c", "- d", "1. e", "2) f"]);
    check("| a | b. C |\n| - | - |", &["| a | b. C |", "| - | - |"]);
    check("x\n```rust\na. B\n\n# c\n```\ny", &["x", "```rust\na. B\n\n# c\n```", "y"]);
    check("~~~~\n```\n~~~\nA. B", &["~~~~\n```\n~~~\nA. B"]);
}
