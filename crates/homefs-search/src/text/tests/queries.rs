//! The query language.

use homefs_core::Timestamp;
use homefs_core::time::Here;

use crate::text::{Clause, Conditions, Facts, Fields, Query, Statistics, TextIndex};

fn parse(text: &str) -> Query {
    Query::parse(text, &Here::default())
}

fn time(text: &str) -> Option<Timestamp> {
    homefs_core::time::time(text, &Here::default()).ok()
}

fn term(text: &str) -> Clause {
    Clause::Term(text.into())
}

fn found(texts: &[&str], query: &str) -> Vec<u32> {
    let mut index = TextIndex::default();
    for body in texts {
        index.push(Fields { body, ..Fields::default() });
    }
    let query = parse(query);
    let hits = index.search(&query, &Statistics::gather([&index], &query), 10, |_| true);
    let mut docs: Vec<u32> = hits.iter().map(|hit| hit.doc).collect();
    docs.sort_unstable();
    docs
}

#[test]
fn every_operator_is_read() {
    let query = parse(
        r#"When to SELL run* "stop loss" -draft -"old plan" tag:trading -tag:#x path:"/my notes" after:2026-01 before:2027"#,
    );
    assert_eq!(query.ranked, [Clause::Prefix("run".into()), term("sell")]);
    assert_eq!(query.required, [Clause::Phrase(vec!["stop".into(), "loss".into()])]);
    let phrase = Clause::Phrase(vec!["old".into(), "plan".into()]);
    assert_eq!(query.excluded, [term("draft"), phrase]);
    let conditions = Conditions {
        tags: vec![("trading".into(), true), ("x".into(), false)],
        paths: vec![("/my notes".into(), true)],
        after: time("2026-01-01"),
        before: time("2027-01-01"),
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
        assert!(parse(text).ranked.len() <= 1024);
        assert!(Query::plain(text).conditions.is_empty());
    }
    assert!(parse("\" - * \0").is_empty());
    assert_eq!(parse("after:friday").ranked, [term("fridai")]);
    assert_eq!(parse("-5").ranked, [term("5")]);
    assert_eq!(parse("a AND (cat OR NOT dog)").ranked, [term("cat"), term("dog")]);
}

#[test]
fn stop_words_rank_only_when_alone() {
    assert_eq!(parse("to be or not to be").ranked.len(), 4);
    assert_eq!(parse("who is caroline").ranked, [term("carolin")]);
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
    let query = parse("tag:a");
    let hits = index.search(&query, &Statistics::default(), 2, |doc| doc != 0);
    assert_eq!(hits.iter().map(|hit| hit.doc).collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn conditions_admit_by_tag_path_and_time() {
    let facts = Facts {
        path: "/memory/trading/rsi.md",
        tags: &["Trading", "rule"],
        modified: time("2026-05-08T12:00").unwrap(),
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
        ("after:2026-05-08T12:00Z before:2026-05-08T12:01Z", true),
        ("before:2026-05-08T12:00Z", false),
        ("after:\"2h ago\" -before:now", true),
        ("after:soon before:12", true),
    ];
    for (query, admitted) in cases {
        assert_eq!(parse(query).conditions.admit(facts), admitted, "{query}");
    }
}
