//! Days that texts tell of, and that questions ask for.

use homefs_core::{
    Timestamp,
    time::{Here, TimeZone},
};

use super::{file, index};
use crate::{
    index::{Body, Index},
    rank::{FLOOR, Question, Scope, form::Form, moments::Telling, search, wanted::QuestionForm},
    text::Day,
};

/// A Wednesday.
const TODAY: (i64, i64, i64) = (2026, 5, 13);
const DAY: i64 = 86_400_000_000_000;

fn today() -> i64 {
    Day::of_civil(TODAY.0, TODAY.1, TODAY.2).0
}

/// The days of a text, each as the first and the last.
fn days(text: &str) -> String {
    let text = text.to_lowercase();
    let telling = Telling::of(&text);
    let days = telling.days(today()).map(|told| {
        let [first, last] = [told.span.first, told.span.last].map(|day| Day(day.into()));
        if first == last { first.to_string() } else { format!("{first}..{last}") }
    });
    days.collect::<Vec<_>>().join(" ")
}

#[test]
fn days_are_read_from_where_they_are_told() {
    for (text, expected) in [
        ("I went there yesterday.", "2026-05-12"),
        ("We leave tomorrow!", "2026-05-14"),
        ("It broke last night", "2026-05-12"),
        ("The fair was last week", "2026-05-04..2026-05-10"),
        ("We hiked last weekend", "2026-05-09..2026-05-10"),
        ("this month is calm", "2026-05-01..2026-05-31"),
        ("next month we move", "2026-06-01..2026-06-30"),
        ("last year was wet", "2025-01-01..2025-12-31"),
        ("since last Friday", "2026-05-08"),
        ("next Wednesday", "2026-05-20"),
        ("last summer we were in Porto", "2025-06-01..2025-08-31"),
        ("last winter", "2025-12-01..2026-02-28"),
        ("in the summer of 2024", "2024-06-01..2024-08-31"),
        ("two weeks ago", "2026-04-26..2026-05-02"),
        ("3 days ago we met", "2026-05-10"),
        ("a couple of months ago", "2026-03-01..2026-03-31"),
        ("four years ago", "2022-01-01..2022-12-31"),
        ("the last three days", "2026-05-10..2026-05-13"),
        ("on 3 May", "2026-05-03"),
        ("on the 3rd of May 2024", "2024-05-03"),
        ("March 9th, 2025", "2025-03-09"),
        ("in March", "2026-03-01..2026-03-31"),
        ("in December", "2025-12-01..2025-12-31"),
        ("last June", "2025-06-01..2025-06-30"),
        ("in March 2024", "2024-03-01..2024-03-31"),
        ("in 2023", "2023-01-01..2023-12-31"),
        ("due 2026-06-30, paid 2026-07", "2026-06-30 2026-07-01..2026-07-31"),
        ("am 29.12.2023", "2023-12-29"),
        ("Gestern war es kalt", "2026-05-12"),
        ("vor zwei Wochen", "2026-04-26..2026-05-02"),
        ("letzten Sommer", "2025-06-01..2025-08-31"),
        // What only looks like it.
        ("I may go, you might not", ""),
        ("This may take long", ""),
        ("It has 2023 rows and lasted", ""),
        ("version 1.2.3 at 10.0.0.1", ""),
        ("the last page of this book", ""),
        ("a week of rain", ""),
        ("вчера было холодно", ""),
    ] {
        assert_eq!(days(text), expected, "{text}");
    }
}

#[test]
fn a_question_gets_what_is_from_its_days_or_tells_of_them() {
    let written = |ago: i64| (today() - ago) * DAY + DAY / 2;
    let share = |question: &str, text: &str, ago: i64| {
        QuestionForm::of(question, today()).share_of_days(Form::of(text, written(ago)))
    };
    for (question, text, ago, expected) in [
        ("What did I do last week?", "Repaired the bicycle.", 6, 1.0),
        ("What did I do last week?", "Repaired the bicycle.", 1, 0.0),
        ("What did I do last week?", "Repaired it last week.", 2, 1.0),
        ("What did I do last week?", "Will repair it next month.", 6, 0.5),
        ("What did I do last week?", "A wet year, this year.", 0, 7.0 / 365.0),
        ("What happened in May?", "The fair was on 3 May.", 40, 1.0),
        ("What happened in May 2026?", "The fair was on 3 May.", 40, 1.0),
        ("What happened in May 2025?", "The fair was on 3 May.", 40, 0.0),
        ("What was on 3 May?", "The fair was on 3 May.", 40, 1.0),
        ("What was on 3 May?", "The fair was on 4 May.", 40, 0.0),
        ("What was on 2026-05-03?", "[3 May 2026] Ann: The fair!", 0, 1.0),
        ("What was two days ago?", "[12 May 2026] Ann: I swam yesterday.", 0, 1.0),
        ("Where do I live?", "I moved last week.", 2, 0.0),
    ] {
        let found = share(question, text, ago);
        assert!((found - expected).abs() < 0.01, "{question} {text}: {found}");
    }
}

/// What is found first for a question that is asked today, if it is known.
fn first(index: &Index, question: &str) -> Option<String> {
    let here = Here { now: Timestamp(today() * DAY + DAY / 2), zone: TimeZone::UTC };
    let question =
        Question { text: question, plain: true, here: Some(&here), ..Question::default() };
    let hits = search(&[Scope::whole(index)], &question, 10);
    let hit = hits.first().filter(|hit| hit.score >= FLOOR)?;
    Some(index.doc(hit.doc).expect("it was found").file.path.to_string())
}

#[test]
fn what_was_done_on_days_is_found_by_them_alone() {
    let mut index = index();
    let notes = [
        ("/bike.md", "Repaired the bicycle with Ben", 7),
        ("/tax.md", "Handed in the tax return", 30),
        ("/boat.md", "Painted the boat, two months ago by now", 20),
        ("/roof.md", "The roof leaks above the kitchen", 120),
        ("/choir.md", "Sang with the choir yesterday", 1),
    ];
    for (node, (path, text, ago)) in (1..).zip(notes) {
        let minute = (today() - ago) * 24 * 60 + 720;
        index.put(file(node, path, minute), Body::Text(text.as_bytes()));
    }
    for (question, expected) in [
        ("what did I do last week?", Some("/bike.md")),
        ("what did I do on 11 May?", Some("/choir.md")),
        ("what happened on 13 April?", Some("/tax.md")),
        ("what did I do in February 2026?", Some("/boat.md")),
        ("what did I do last year?", None),
    ] {
        assert_eq!(first(&index, question).as_deref(), expected, "{question}");
    }
}
