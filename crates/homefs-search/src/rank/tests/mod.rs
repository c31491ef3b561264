//! Tests of ranking.

mod bad_input;
mod conditions;
mod form;
mod known;
mod moments;
mod neighbours;
mod quality;
mod related;
mod scopes;

use crate::{
    index::{Body, File, Ignored, Index},
    rank::{Hit, Kind, Question, Scope, search},
};

/// An index whose embedder never comes, so that all vectors are static.
fn index() -> Index {
    Index::new("encoder-192", 192).expect("the length is supported")
}

/// The facts of a file that was made and written at a minute.
fn file(node: u128, path: &str, minute: i64) -> File {
    File {
        node,
        lineage: node,
        version: 1,
        path: path.into(),
        title: "".into(),
        tags: Vec::new(),
        created: minute * 60_000_000_000,
        modified: minute * 60_000_000_000,
        importance: 0.5,
        source: "".into(),
        supersedes: None,
        ignored: Ignored::No,
        rules: "".into(),
    }
}

fn put(index: &mut Index, path: &str, text: &str) {
    let node = index.file_count() as u128 + 1;
    // Days apart, so that the notes are no neighbours.
    let minute = 10_000 * i64::try_from(node).expect("few");
    index.put(file(node, path, minute), Body::Text(text.as_bytes()));
}

fn plain(text: &str) -> Question<'_> {
    Question { text, plain: true, ..Question::default() }
}

/// The paths that one index gives for a query.
fn paths(index: &Index, text: &str, kind: Kind) -> Vec<String> {
    let scopes = [Scope::whole(index)];
    let hits = search(&scopes, &Question { text, kind, ..Question::default() }, 10);
    hits.iter().map(|hit| path(&scopes, hit)).collect()
}

fn path(scopes: &[Scope<'_>], hit: &Hit) -> String {
    let doc = scopes[hit.scope].index.doc(hit.doc).expect("a hit is a doc");
    doc.file.path.to_string()
}
