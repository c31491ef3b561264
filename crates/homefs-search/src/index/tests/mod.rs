//! Tests of the index.

mod bytes;
mod facts;
mod model;

use std::collections::BTreeMap;

use homefs_core::time::Here;

use super::{Body, File, Ignored, Index, Source};
use crate::{
    docs::Link,
    text::{Need, Query, Statistics},
};

/// The dimensions of the embedder of these tests.
const DIMENSIONS: usize = 4;

fn index() -> Index {
    Index::new("test", DIMENSIONS).expect("four dimensions")
}

fn file(node: u128, path: &str) -> File {
    File {
        node,
        lineage: node,
        version: 1,
        path: path.into(),
        title: "".into(),
        tags: Vec::new(),
        created: 0,
        modified: 0,
        importance: 0.5,
        source: "".into(),
        supersedes: None,
        ignored: Ignored::No,
        rules: "".into(),
    }
}

/// What the embedder of these tests makes of a text.
fn vector_of(digest: u64) -> Vec<f32> {
    digest.to_le_bytes()[..DIMENSIONS].iter().map(|byte| f32::from(*byte) + 1.0).collect()
}

/// Embeds some of the docs that wait.
fn embed(index: &mut Index, limit: usize) {
    for doc in index.waiting(limit) {
        let digest = index.doc(doc).expect("it waits").digest;
        let vector: Vec<f32> = vector_of(digest);
        index.embed(doc, digest, &vector[..index.vectors().dimensions()]).expect("it fits");
    }
}

/// All that an index says of a file.
#[derive(Debug, PartialEq)]
struct Known {
    file: File,
    links: Vec<Link>,
    docs: Vec<KnownDoc>,
}

/// All that an index says of a doc.
#[derive(Debug, PartialEq)]
struct KnownDoc {
    span: (u32, u32),
    lines: (u32, u32),
    title: String,
    weight: f32,
    digest: u64,
    vector: Option<(Source, Vec<i8>, f32)>,
}

fn known(index: &Index) -> BTreeMap<u128, Known> {
    let doc = |doc: u32| {
        let found = index.doc(doc).expect("a doc of a file");
        let vector = index.vector(doc);
        assert_eq!(found.is_embedded, vector.as_ref().is_some_and(|v| v.0 == Source::Embedder));
        KnownDoc {
            span: (found.bytes.start, found.bytes.end),
            lines: found.lines,
            title: found.title.to_owned(),
            weight: found.weight,
            digest: found.digest,
            vector: vector.map(|(source, v)| (source, v.codes.into_vec(), v.scale)),
        }
    };
    let known = index.files().map(|file| {
        assert_eq!(index.file(file.node), Some(file));
        let docs = index.docs_of(file.node).map(doc).collect();
        let links = index.links(file.node).to_vec();
        (file.node, Known { file: file.clone(), links, docs })
    });
    let known: BTreeMap<_, _> = known.collect();
    assert_eq!(known.len(), index.file_count());
    assert_eq!(known.values().map(|file| file.docs.len()).sum::<usize>(), index.doc_count());
    known
}

/// The docs that a query finds, each as node, place in its file and score.
fn found(index: &Index, query: &str) -> Vec<(u128, u32, f32)> {
    let query = Query::parse(query, &Here::default());
    let statistics = Statistics::gather([index.text()], &query);
    let hits = index.text().search(&query, &statistics, usize::MAX, |_| true);
    let place = |doc: u32| {
        let node = index.doc(doc).expect("a hit is a doc").file.node;
        (node, doc - index.docs_of(node).start)
    };
    let mut hits: Vec<_> =
        hits.iter().map(|hit| (place(hit.doc).0, place(hit.doc).1, hit.score)).collect();
    hits.sort_by_key(|(node, place, _)| (*node, *place));
    hits
}

/// The nodes that a query finds.
fn nodes(index: &Index, query: &str) -> Vec<u128> {
    found(index, query).iter().map(|hit| hit.0).collect()
}

fn grep(index: &Index, literal: &str) -> Vec<u128> {
    index.candidates(&Need::of_literal(literal, false))
}

fn text(text: &str) -> Body<'_> {
    Body::Text(text.as_bytes())
}
