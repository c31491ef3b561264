//! Conditions hold for every kind of search.

use super::{file, index, paths};
use crate::{
    index::{Body, Index},
    rank::{Kind, words},
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

#[test]
fn operators_have_no_meaning() {
    let query = "sell rule* \"stop loss\" -draft tag:trading -tag:old after:2026-01 path:/a x:y";
    assert_eq!(words(query, false), "sell rule stop loss x:y");
    assert_eq!(words("tag:a -b", true), "tag:a -b");
    assert_eq!(words("", false), "");
}
