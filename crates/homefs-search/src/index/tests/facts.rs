//! What is known of files and their docs.

use homefs_core::time::Here;

use super::{embed, file, found, grep, index, known, nodes, text, vector_of};
use crate::{
    index::{Body, File, Handle, Ignored, Index, Source},
    text::{Query, Statistics},
};

#[test]
fn every_fact_finds_its_file() {
    let mut index = index();
    let facts = File {
        title: "Trading rules".into(),
        tags: vec!["finance".into()],
        modified: 1_794_700_800_000_000_000,
        ..file(1, "/memory/rsi.md")
    };
    index.put(facts, text("---\nauthor: Ada\n---\n# Exit\nRSI > 70, see [[stop loss]]"));
    index.put(file(2, "/other.md"), text("nothing of the kind"));
    for query in [
        "trading",
        "finance",
        "exit",
        "memory",
        "rsi",
        "ada",
        "november",
        "2026-11-15",
        "\"stop loss\"",
    ] {
        assert_eq!(nodes(&index, query), [1], "{query}");
    }
    let doc = index.doc(index.docs_of(1).start).unwrap();
    assert_eq!((doc.title, doc.lines), ("Exit", (4, 5)));
    assert_eq!(doc.bytes, 20..54);
    assert_eq!(index.links(1)[0].target, "stop loss");
    assert_eq!(index.links(2), []);
}

#[test]
fn files_without_text_are_found_by_their_facts() {
    let mut index = index();
    index.put(file(1, "/photo.png"), Body::Binary(b"\0PNG secret \xff"));
    index.put(file(2, "/huge.txt"), Body::Unread);
    index.put(file(3, "/empty.md"), text(""));
    index.put(file(4, "/front.md"), text("---\nstatus: draft\n---\n"));
    for (query, node) in [("photo", 1), ("huge", 2), ("empty", 3), ("front", 4), ("draft", 4)] {
        assert_eq!(nodes(&index, query), [node], "{query}");
    }
    assert_eq!(nodes(&index, "secret"), [0; 0]);
    assert_eq!(grep(&index, "secret"), [1, 2]);
    assert_eq!(grep(&index, "draft"), [2, 4]);
    assert_eq!((index.waiting_count(), index.doc_count()), (0, 4));
    assert!(index.vector(0).is_none());
}

#[test]
fn a_doc_keeps_its_vector_while_its_text_is_the_same() {
    let mut index = index();
    let long = format!("# One\n{}\n# Two\nlast words", "some words here ".repeat(40));
    index.put(file(1, "/a.md"), text(&long));
    embed(&mut index, 1);
    assert_eq!((index.doc_count(), index.waiting_count()), (2, 1));
    let before = known(&index);
    // Other facts.
    index.put(File { importance: 1.0, ..file(1, "/b.md") }, text(&long));
    assert_eq!(known(&index)[&1].docs, before[&1].docs);
    assert_eq!(nodes(&index, "path:b words"), [1, 1]);
    // Another text in the second doc.
    index.put(file(1, "/b.md"), text(&long.replace("last", "other")));
    let after = known(&index);
    assert_eq!(after[&1].docs[0], before[&1].docs[0]);
    assert_ne!(after[&1].docs[1].vector, before[&1].docs[1].vector);
    embed(&mut index, 9);
    assert_eq!((index.waiting_count(), index.static_vectors().len()), (0, 0));
    // Text that moved to a file's other end.
    let turned = known(&index);
    let (one, two) = long.split_at(long.find("# Two").unwrap());
    let filler = "and now for something else ".repeat(30);
    index
        .put(file(1, "/b.md"), text(&format!("{filler}\n\n{one}{}", two.replace("last", "other"))));
    assert_eq!(index.waiting_count(), 1);
    assert_eq!(known(&index)[&1].docs[1].vector, turned[&1].docs[0].vector);
}

#[test]
fn a_vector_that_comes_too_late_is_dropped() {
    let mut index = index();
    index.put(file(1, "/a"), text("first text"));
    let (doc, digest) = (0, index.doc(0).unwrap().digest);
    index.put(file(1, "/a"), text("second text"));
    index.embed(doc, digest, &vector_of(digest)).unwrap();
    index.embed(1, digest, &vector_of(digest)).unwrap();
    index.embed(99, digest, &vector_of(digest)).unwrap();
    assert_eq!(index.waiting(9), [1]);
    assert!(index.embed(1, digest, &[1.0]).is_err());
    index.remove(1);
    assert!(!index.remove(1));
    assert_eq!((index.waiting(9).len(), index.waiting_count(), index.doc_count()), (0, 0, 0));
    assert!(index.doc(1).is_none() && index.file(1).is_none());
}

#[test]
fn another_embedder_takes_over_doc_by_doc() {
    let mut index = index();
    for node in 0..3 {
        index.put(file(node, "/a"), text(&format!("text number {node}")));
    }
    embed(&mut index, 2);
    index.set_embedder("other", 3).unwrap();
    assert_eq!((index.embedder(), index.former_embedder()), ("other", Some("test")));
    assert_eq!(index.waiting(9), [0, 1, 2]);
    let sources = |index: &Index| {
        (0..3).map(|doc| index.vector(doc).map(|vector| vector.0)).collect::<Vec<_>>()
    };
    let expected = [Some(Source::Former), Some(Source::Former), Some(Source::Static)];
    assert_eq!(sources(&index), expected);
    embed(&mut index, 1);
    let mut reopened = super::index();
    reopened.apply(&index.delta().unwrap()).unwrap();
    assert_eq!(known(&index), known(&reopened));
    assert_eq!((reopened.embedder(), reopened.former_embedder()), ("other", Some("test")));
    // The embedder before the last is forgotten; a put makes a static vector again.
    index.set_embedder("third", 2).unwrap();
    assert_eq!(sources(&index), [Some(Source::Former), None, Some(Source::Static)]);
    index.put(file(1, "/a"), text("text number 1"));
    assert_eq!(index.vector(3).unwrap().0, Source::Static);
    embed(&mut index, 9);
    assert_eq!((index.former_embedder(), index.waiting_count()), (None, 0));
}

#[test]
fn the_static_model_as_embedder_leaves_nothing_to_wait_for() {
    let mut index = Index::new("static-256", 256).unwrap();
    index.put(file(1, "/a"), text("some words"));
    assert_eq!(index.waiting_count(), 0);
    assert!(index.doc(0).unwrap().is_embedded);
    // Under another embedder they are what every doc has until its turn.
    index.set_embedder("test", 4).unwrap();
    assert_eq!((index.waiting_count(), index.former_embedder()), (1, None));
    assert_eq!(index.vector(0).unwrap().0, Source::Static);
}

#[test]
fn odd_facts_travel() {
    let mut index = index();
    let odd = File {
        importance: f32::NAN,
        created: i64::MIN,
        modified: i64::MAX,
        version: u64::MAX,
        tags: vec!["".into(), "ü\0".into()],
        source: "\n".into(),
        supersedes: Some(Handle::of(7, 9)),
        ignored: Ignored::ByContent,
        rules: "*\n!/a\0\r\n".into(),
        ..file(u128::MAX, "")
    };
    index.put(odd, text("# [[a#b|c]] [d](<e f>) \0 \u{feff}"));
    index.set_version(7);
    let mut reopened = super::index();
    reopened.apply(&index.delta().unwrap()).unwrap();
    assert_eq!(known(&index), known(&reopened));
    assert_eq!(reopened.version(), 7);
    assert!(index.delta().is_none() && reopened.delta().is_none());
    assert_eq!(found(&index, "a"), found(&reopened, "a"));
}

/// What a search for some words goes by.
fn statistics(index: &Index, query: &str) -> (u64, u64, Vec<u64>) {
    let query = Query::parse(query, &Here::default());
    let gathered = Statistics::gather([index.text()], &query);
    let frequencies = query.clauses().map(|clause| gathered.frequencies[clause]).collect();
    (gathered.documents, gathered.length_total, frequencies)
}

#[test]
fn an_ignored_file_is_found_has_no_vector_and_does_not_count() {
    let words = "falcon wings \"falcon wings\" wing*";
    let body = "falcon wings of a bird";
    let mut index = index();
    index.put(file(1, "/a.md"), text(body));
    let alone = statistics(&index, words);
    assert_eq!(alone.0, 1);
    let ignored = |node| File { ignored: Ignored::ByRule, ..file(node, "/lib/falcon.md") };
    for node in 2..40 {
        index.put(ignored(node), text(body));
    }
    assert_eq!(statistics(&index, words), alone);
    assert_eq!((index.ignored_count(), nodes(&index, "falcon").len()), (38, 39));
    assert_eq!(grep(&index, "falcon").len(), 39);
    assert!(index.vector(index.docs_of(2).start).is_none());
    assert_eq!(index.waiting_count(), 1);
    // The same from the file, and after each way out of it.
    let mut reopened = super::index();
    reopened.apply(&index.delta().unwrap()).unwrap();
    assert_eq!((known(&reopened), reopened.ignored_count()), (known(&index), 38));
    assert_eq!(statistics(&reopened, words), alone);
    index.remove(3);
    index.put(file(2, "/lib/falcon.md"), text(body));
    assert_eq!((index.ignored_count(), index.waiting_count()), (36, 2));
    assert_eq!(statistics(&index, words).0, 2);
    index.put(ignored(2), text(body));
    reopened.apply(&index.delta().unwrap()).unwrap();
    for one in [&index, &reopened, &Index::of_whole(&index.whole()).unwrap()] {
        assert_eq!((statistics(one, words), one.ignored_count()), (alone.clone(), 37));
    }
}

#[test]
fn what_takes_the_place_of_a_file_is_known_while_it_is_there() {
    let of = |index: &Index, lineage: u128| -> Vec<u128> {
        index.superseding(lineage).map(|file| file.node).collect()
    };
    let mut index = index();
    let instead =
        |node, digits| File { supersedes: Some(Handle::of(1, digits)), ..file(node, "/new.md") };
    index.put(file(1, "/old.md"), text("old"));
    index.put(instead(2, 12), text("new"));
    index.put(instead(3, 6), text("newer"));
    let mut reopened = super::index();
    reopened.apply(&index.delta().unwrap()).unwrap();
    for one in [&index, &reopened] {
        let mut found = of(one, 1);
        found.sort_unstable();
        assert_eq!((found, of(one, 2)), (vec![2, 3], vec![]));
    }
    index.remove(3);
    index.put(file(2, "/new.md"), text("new"));
    assert_eq!(of(&index, 1), [0; 0]);
}
