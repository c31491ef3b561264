//! Conditions hold for every kind of search.

use std::borrow::Cow;

use super::{file, index, paths};
use crate::{
    index::{Body, File, Index},
    rank::{Kind, Names, Question, Scope, search, words},
};

const KINDS: [Kind; 3] = [Kind::Hybrid, Kind::Text, Kind::Vector];

/// Three notes on the same, a day each: the first of 1970 and those after.
fn notes() -> Index {
    let mut index = index();
    let notes = [
        ("/trade/sell.md", "sell when the price falls", "trading"),
        ("/trade/buy.md", "buy when the price falls, a draft", "trading"),
        ("/flat/house.md", "sell the house when the price is right", "home"),
    ];
    for (node, (path, text, tag)) in (1..).zip(notes) {
        let day = i64::try_from(node).expect("few") - 1;
        let mut file = file(node, path, day * 24 * 60);
        file.tags = vec![tag.into()];
        index.put(file, Body::Text(text.as_bytes()));
    }
    index
}

#[test]
fn conditions_filter_every_kind() {
    let index = notes();
    for kind in KINDS {
        let found = |query: &str| {
            let mut found = paths(&index, query, kind);
            found.sort();
            found
        };
        assert_eq!(found("price tag:home"), ["/flat/house.md"], "{kind:?}");
        assert_eq!(found("price -tag:home").len(), 2, "{kind:?}");
        assert_eq!(found("price path:/trade"), ["/trade/buy.md", "/trade/sell.md"], "{kind:?}");
        assert_eq!(found("price -draft -house"), ["/trade/sell.md"], "{kind:?}");
        assert_eq!(found("price after:1970-01-03"), ["/flat/house.md"], "{kind:?}");
        assert_eq!(found("price before:1970-01-02"), ["/trade/sell.md"], "{kind:?}");
        assert_eq!(found("\"sell the house\" price"), ["/flat/house.md"], "{kind:?}");
        assert!(found("price tag:none").is_empty(), "{kind:?}");
    }
}

#[test]
fn conditions_alone_list_what_meets_them() {
    let index = notes();
    for kind in KINDS {
        assert_eq!(paths(&index, "tag:trading", kind), ["/trade/sell.md", "/trade/buy.md"]);
        assert_eq!(paths(&index, "-draft", kind), ["/trade/sell.md", "/flat/house.md"]);
    }
}

/// Who asks knows a name that the index does not tell.
struct Known;

impl Names for Known {
    fn path_of<'a>(&self, file: &'a File) -> Cow<'a, str> {
        if file.path.is_empty() { "/trade/linked.md".into() } else { Cow::Borrowed(&file.path) }
    }
}

#[test]
fn conditions_on_paths_are_of_those_that_who_asks_knows() {
    let mut index = notes();
    index.put(file(9, "", 0), Body::Text(b"the price of links"));
    let scopes = [Scope { names: Some(&Known), ..Scope::whole(&index) }];
    for kind in KINDS {
        let found = |text: &str| {
            let question = Question { text, kind, ..Question::default() };
            let hits = search(&scopes, &question, 10);
            hits.iter().any(|hit| super::path(&scopes, hit).is_empty())
        };
        assert!(found("price path:/trade") && found("price path:linked"), "{kind:?}");
        assert!(!found("price -path:/trade") && !found("price path:/flat"), "{kind:?}");
    }
}

#[test]
fn operators_have_no_meaning() {
    let query = "sell rule* \"stop loss\" -draft tag:trading -tag:old after:2026-01 path:/a x:y";
    assert_eq!(words(query, false), "sell rule stop loss x:y");
    assert_eq!(words("tag:a -b", true), "tag:a -b");
    assert_eq!(words("", false), "");
}
