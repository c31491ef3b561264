//! What the form of a doc says: our own cases, and those of the laboratory where they are.

use std::{fs, path::Path};

use serde::Deserialize;

use crate::{
    rank::{form::Form, wanted::QuestionForm},
    text::codec::Reader,
};

/// The laboratory's values, seen from this package.
const GOLDEN: &str = "../../../shared/recall/rules/golden.json";
/// A share is kept in a byte.
const NEAR: f32 = 0.001;

#[derive(Deserialize)]
struct Golden {
    bonus: Vec<(String, String, f32)>,
    loan: Vec<(String, String, f32)>,
}

/// What a doc gains for a question.
fn check_bonus(question: &str, text: &str, expected: f32) {
    let bonus = QuestionForm::of(question, 0).bonus(Form::of(text, 0));
    assert!((bonus - expected).abs() < NEAR, "{question:?} of {text:?}: {bonus}, not {expected}");
}

/// What a doc lends to the one behind it, for each of its own worth.
fn check_loan(lender: &str, behind: &str, expected: f32) {
    let loan = Form::of(lender, 0).loan(Form::of(behind, 0));
    assert!((loan - expected).abs() < NEAR, "{lender:?} to {behind:?}: {loan}, not {expected}");
}

fn check(golden: &Golden) {
    assert!(!golden.bonus.is_empty() && !golden.loan.is_empty());
    golden.bonus.iter().for_each(|(question, text, bonus)| check_bonus(question, text, *bonus));
    golden.loan.iter().for_each(|(lender, behind, loan)| check_loan(lender, behind, *loan));
}

#[test]
fn the_rules_give_what_the_reference_gives() {
    check(&serde_json::from_str(include_str!("form.json")).expect("the file is as it was made"));
}

#[test]
fn the_rules_give_what_the_laboratory_measured_with() {
    #[derive(Deserialize)]
    struct Shared {
        bonus: Vec<Bonus>,
        loan: Vec<Loan>,
    }
    #[derive(Deserialize)]
    struct Bonus {
        question: String,
        text: String,
        #[serde(rename = "bonus")]
        sum: f32,
    }
    #[derive(Deserialize)]
    struct Loan {
        base: f32,
        lender: String,
        behind: String,
        shrink: f32,
        #[serde(rename = "loan")]
        sum: f32,
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(GOLDEN);
    let Ok(text) = fs::read_to_string(path) else { return };
    let shared: Shared = serde_json::from_str(&text).expect("the file is as it was made");
    let bonus = shared.bonus.into_iter().map(|one| (one.question, one.text, one.sum));
    let loan = shared.loan.into_iter();
    let loan = loan.map(|one| (one.lender, one.behind, one.sum / one.base / one.shrink));
    check(&Golden { bonus: bonus.collect(), loan: loan.collect() });
}

#[test]
fn a_language_has_words_of_its_own() {
    let asked = "Wann hat Lena den Tisch gekauft?";
    check_bonus(asked, "Lena: Den Tisch habe ich gestern gekauft.", 0.11);
    check_bonus(asked, "Lena: Der Tisch ist aus Holz.", 0.06);
    check_bonus("An welchem Tag kam Ben?", "Ben kam am Montag.", 0.05);
    check_bonus("Was war im März 2024?", "[3. März 2024] Der Umzug war teuer.", 0.08);
    // A question in one language is answered by a note in another.
    check_bonus("When did the rent go up?", "Die Miete ist seit Januar höher.", 0.05);
    // One without a table gains nothing and loses nothing.
    check_bonus("Когда Лена купила стол?", "Лена купила стол вчера.", 0.0);
    check_bonus("莉娜说了什么？", "莉娜： 你去哪里？ 我去北京。", 0.0);
}

#[test]
fn a_note_without_a_date_has_that_of_its_file() {
    let november = 1_794_000_000_000_000_000;
    let bonus =
        |text| QuestionForm::of("What broke in November 2026?", 0).bonus(Form::of(text, november));
    assert!((bonus("The lift broke.") - 0.08).abs() < NEAR);
    assert!(bonus("[2026-10-03] The lift broke.").abs() < NEAR, "its own date counts");
}

#[test]
fn a_label_may_be_bold() {
    check_bonus("Where did Ines go?", "**Ines:** To Porto.", 0.06);
    check_loan("**Ben:** Where did you go?", "**Ines:** To Porto.", 0.5);
}

#[test]
fn a_form_is_read_as_it_was_written() {
    let text = "[29.12.2023, 22:42] Omar: Yes, since last week! And you?";
    let form = Form::of(text, 0);
    let bytes = form.bytes();
    assert_eq!(Form::read(&mut Reader::new(&bytes)).unwrap(), form);
    assert!(Form::read(&mut Reader::new(&bytes[1..])).is_err());
    assert_eq!(size_of::<Form>(), 24);
}
