//! Anything may be asked.

use super::{index, put};
use crate::rank::{Kind, Question, Scope, related, search};

#[test]
fn no_query_fails() {
    let mut index = index();
    put(&mut index, "/a.md", "the train to Porto was cancelled 🚂");
    put(&mut index, "/b.md", "");
    put(&mut index, "/c.md", "\0\0 NUL and \u{202e} marks");
    let long = "train tag: \"porto -a* ".repeat(5000);
    let queries = [
        "",
        " ",
        "the of and",
        "\0",
        "a\0b",
        "🚂",
        "\"",
        "\"\"",
        "-",
        "*",
        "tag:",
        "-tag:x",
        "AND OR NOT",
        "NEAR(a b, 3)",
        "title:(x OR y)^2",
        "train AND (",
        "a:b:c",
        "\u{301}",
        "列車",
        &long,
    ];
    let odd = [f32::NAN; 192];
    let vectors: [Option<&[f32]>; 5] =
        [None, Some(&[]), Some(&[1.0; 7]), Some(&[0.0; 192]), Some(&odd)];
    for text in queries {
        for vector in vectors {
            for kind in [Kind::Hybrid, Kind::Text, Kind::Vector] {
                for plain in [false, true] {
                    let question = Question {
                        text,
                        kind,
                        plain,
                        vector,
                        former: vector,
                        ..Question::default()
                    };
                    let scopes = [Scope::whole(&index)];
                    let hits = search(&scopes, &question, 5);
                    assert!(hits.iter().all(|hit| hit.score.is_finite()), "{text:.20}");
                    assert!(search(&[], &question, 5).is_empty());
                    assert!(search(&scopes, &question, 0).is_empty());
                }
            }
        }
    }
}

#[test]
fn stop_words_and_emoji_are_found() {
    let mut index = index();
    put(&mut index, "/a.md", "to be or not to be");
    put(&mut index, "/b.md", "choo 🚂");
    assert_eq!(super::paths(&index, "to be", Kind::Text), ["/a.md"]);
    assert_eq!(super::paths(&index, "🚂", Kind::Hybrid), ["/b.md"]);
}

#[test]
fn nothing_is_related_to_what_is_not_there() {
    let index = index();
    assert!(related(&[Scope::whole(&index)], 0, 7, 5).is_empty());
    assert!(related(&[], 0, 7, 5).is_empty());
}
