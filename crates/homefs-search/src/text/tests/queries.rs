//! The query language.

use crate::text::{Clause, Conditions, Day, Facts, Fields, Query, Statistics, TextIndex};

fn term(text: &str) -> Clause {
    Clause::Term(text.into())
}

fn found(texts: &[&str], query: &str) -> Vec<u32> {
    let mut index = TextIndex::default();
    for body in texts {
        index.push(Fields { body, ..Fields::default() });
    }
    let query = Query::parse(query);
    let hits = index.search(&query, &Statistics::gather([&index], &query), 10, |_| true);
    let mut docs: Vec<u32> = hits.iter().map(|hit| hit.doc).collect();
    docs.sort_unstable();
    docs
}

#[test]
fn every_operator_is_read() {
    let query = Query::parse(
        r#"When to SELL run* "stop loss" -draft -"old plan" tag:trading -tag:#x path:"/my notes" after:2026-01 before:2027"#,
    );
    assert_eq!(query.ranked, [Clause::Prefix("run".into()), term("sell")]);
    assert_eq!(query.required, [Clause::Phrase(vec!["stop".into(), "loss".into()])]);
    let phrase = Clause::Phrase(vec!["old".into(), "plan".into()]);
    assert_eq!(query.excluded, [term("draft"), phrase]);
    let conditions = Conditions {
        tags: vec![("trading".into(), true), ("x".into(), false)],
        paths: vec![("/my notes".into(), true)],
        after: Day::parse("2026-01-01"),
        before: Day::parse("2027-01-01"),
    };
    assert_eq!(query.conditions, conditions);
}

#[test]
fn anything_is_a_query() {
    let long = "word\" -( ".repeat(12_000);
    let odd = [
        "",
        " ",
        "\"",
        "\"\"",
        "-",
        "--",
        "*",
        "-*",
        "tag:",
        "after:yesterday",
        "a AND (b OR NOT c)",
        "NEAR(a b, 5)",
        "col : x",
        "'; DROP TABLE",
        "\0\0",
        "🚀",
        "-🚀",
        "🚀*",
        "\u{fffd}",
        "^x",
        "\"unclosed phrase",
        "-\"unclosed",
        "tag:\"unclosed x",
        "{a b}:c",
        "-5 --flag -> x",
        &long,
    ];
    for text in odd {
        let texts = ["a b c x", "🚀 launch", "flag"];
        found(&texts, text);
        assert!(Query::parse(text).ranked.len() <= 1024);
        assert!(Query::plain(text).conditions.is_empty());
    }
    assert!(Query::parse("\" - * \0").is_empty());
    assert_eq!(Query::parse("after:yesterday").ranked, [term("yesterdai")]);
    assert_eq!(Query::parse("-5").ranked, [term("5")]);
    assert_eq!(Query::parse("a AND (cat OR NOT dog)").ranked, [term("cat"), term("dog")]);
}

#[test]
fn stop_words_rank_only_when_alone() {
    assert_eq!(Query::parse("to be or not to be").ranked.len(), 4);
    assert_eq!(Query::parse("who is caroline").ranked, [term("carolin")]);
    let texts = ["to be or not to be", "not to be or", "nothing"];
    assert_eq!(found(&texts, "\"to be or not to be\""), [0]);
    assert_eq!(found(&texts, "not to be"), [0, 1]);
}

#[test]
fn operators_choose_docs() {
    let texts = ["running shoes", "a stop loss", "loss of the stop", "snake_case code", "機械学習"];
    let cases: [(&str, &[u32]); 14] = [
        ("runs", &[0]),
        ("\"stop loss\"", &[1]),
        ("\"loss of the stop\"", &[2]),
        ("loss -of", &[1]),
        ("loss -\"stop loss\"", &[2]),
        ("runn*", &[0]),
        ("sh*", &[0]),
        ("snake_case", &[3]),
        ("case", &[3]),
        ("\"snake case\"", &[3]),
        ("学習", &[4]),
        ("学", &[4]),
        ("-loss", &[0, 3, 4]),
        ("nothing here", &[]),
    ];
    for (query, docs) in cases {
        assert_eq!(found(&texts, query), docs, "{query}");
    }
}

#[test]
fn conditions_alone_find_all_that_the_filter_admits() {
    let mut index = TextIndex::default();
    for _ in 0..5 {
        index.push(Fields { body: "x", ..Fields::default() });
    }
    let query = Query::parse("tag:a");
    let hits = index.search(&query, &Statistics::default(), 2, |doc| doc != 0);
    assert_eq!(hits.iter().map(|hit| hit.doc).collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn conditions_admit_by_tag_path_and_day() {
    let facts = Facts {
        path: "/memory/trading/rsi.md",
        tags: &["Trading", "rule"],
        day: Day::parse("2026-05-08").unwrap(),
    };
    let cases = [
        ("tag:trading", true),
        ("tag:trad", false),
        ("-tag:draft tag:rule", true),
        ("path:/memory", true),
        ("path:/mem", false),
        ("path:rsi", true),
        ("-path:/memory/", false),
        ("after:2026-05-08", true),
        ("after:2026-05-09", false),
        ("before:2026-05-08", false),
        ("before:2026-06 after:2026", true),
    ];
    for (query, admitted) in cases {
        assert_eq!(Query::parse(query).conditions.admit(facts), admitted, "{query}");
    }
}

#[test]
fn days_are_counted_from_1970() {
    let day = |text| Day::parse(text).map(|day| day.0);
    assert_eq!(day("1970-01-01"), Some(0));
    assert_eq!(day("2000-03-01"), Some(11_017));
    assert_eq!(day("2024-02-29"), Some(19_782));
    assert_eq!(day("2026"), Some(20_454));
    assert_eq!(Day::from_millis(-1), Day(-1));
    for odd in ["", "26", "2026-1", "2026-13", "2026-01-32", "2026-01-01-01", "+202", "２０２６"]
    {
        assert_eq!(day(odd), None, "{odd}");
    }
}
