//! Files that are like a file.

use std::cmp::Ordering;

use rustc_hash::FxHashMap;

use super::{Scope, shrink};
use crate::{
    docs::Link,
    embed::Query,
    index::{File, Index, Source},
};

/// Of a longer file, so many docs are compared.
const DOCS_MAX: usize = 32;
/// Docs that each doc brings from each scope.
const COUNT: usize = 64;
/// What a link between two files adds to their likeness, in either direction.
const LINK: f32 = 0.3;
/// What shared tags add: this by the share of them.
const TAGS: f32 = 0.2;

/// A file that is like another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Related {
    /// Which of the scopes it is in.
    pub scope: usize,
    /// Its node.
    pub node: u128,
    /// How like it is, above 0 and at most 1.
    pub score: f32,
}

/// Finds the files most like a file of a scope, best first; equal ones by scope and path.
///
/// Files are alike by the meaning of their docs, by links between them and by their tags.
pub fn related(scopes: &[Scope<'_>], scope: usize, node: u128, limit: usize) -> Vec<Related> {
    let Some(own) = scopes.get(scope) else { return Vec::new() };
    let Some(file) = own.index.file(node) else { return Vec::new() };
    let mut likenesses: FxHashMap<(usize, u128), f32> = FxHashMap::default();
    for doc in own.index.docs_of(node).take(DOCS_MAX) {
        add_likeness(scopes, own.index, doc, &mut likenesses);
    }
    for (at, other) in scopes.iter().enumerate() {
        for known in other.index.files().filter(|known| admits(other, known)) {
            let ties = tied(own.index, file, other.index, known, at == scope);
            if ties > 0.0 {
                *likenesses.entry((at, known.node)).or_default() += ties;
            }
        }
    }
    likenesses.remove(&(scope, node));
    let mut found: Vec<Related> = likenesses
        .into_iter()
        .map(|((scope, node), score)| Related { scope, node, score: score.min(1.0) })
        .collect();
    found.sort_unstable_by(|one, other| best_first(scopes, one, other));
    found.truncate(limit);
    found
}

/// Adds the files whose docs are like a doc, each by the most like of its docs.
fn add_likeness(
    scopes: &[Scope<'_>],
    index: &Index,
    doc: u32,
    likenesses: &mut FxHashMap<(usize, u128), f32>,
) {
    let Some((source, vector)) = index.vector(doc) else { return };
    let query = Query::from(&vector);
    for (at, scope) in scopes.iter().enumerate() {
        // Vectors of embedders before the last may be those of different models.
        let Some(vectors) = scope.index.vectors_of(source).filter(|_| source != Source::Former)
        else {
            continue;
        };
        let weight = |doc| match scope.index.file_of(doc) {
            Some(file) if admits(scope, file) => shrink(scope.index.weight(doc)),
            _ => 0.0,
        };
        for hit in vectors.search(&query, COUNT, weight).unwrap_or_default() {
            if let Some(file) = scope.index.file_of(hit.doc).filter(|_| hit.score > 0.0) {
                let score = likenesses.entry((at, file.node)).or_default();
                *score = score.max(hit.score);
            }
        }
    }
}

/// What links and tags say of two files.
fn tied(own: &Index, file: &File, index: &Index, other: &File, same_space: bool) -> f32 {
    let linked =
        same_space && (names(own.links(file.node), other) || names(index.links(other.node), file));
    let shared = file.tags.iter().filter(|tag| other.tags.contains(tag)).count();
    let all = file.tags.len() + other.tags.len() - shared;
    #[expect(clippy::cast_precision_loss, reason = "files have few tags")]
    let tags = shared as f32 / all.max(1) as f32;
    TAGS * tags + if linked { LINK } else { 0.0 }
}

/// Whether one of the links names a file: by its path, the end of it, or its name alone.
fn names(links: &[Link], file: &File) -> bool {
    let path = file.path.trim_start_matches('/');
    let bare = path.rsplit_once('.').map_or(path, |(bare, _)| bare);
    links.iter().filter(|link| !link.is_address()).any(|link| {
        let target = link.target.trim_start_matches(['.', '/']);
        !target.is_empty() && (ends_with(path, target) || ends_with(bare, target))
    })
}

/// Whether a path ends with whole parts that spell a target, case aside.
fn ends_with(path: &str, target: &str) -> bool {
    let Some(start) = path.len().checked_sub(target.len()) else { return false };
    let whole = start == 0 || path.as_bytes()[start - 1] == b'/';
    whole && path.as_bytes()[start..].eq_ignore_ascii_case(target.as_bytes())
}

fn admits(scope: &Scope<'_>, file: &File) -> bool {
    scope.admits.is_none_or(|admits| admits(file))
}

fn best_first(scopes: &[Scope<'_>], one: &Related, other: &Related) -> Ordering {
    let path = |one: &Related| scopes[one.scope].index.file(one.node).map(|file| &file.path);
    let best = other.score.total_cmp(&one.score);
    best.then_with(|| (one.scope, path(one)).cmp(&(other.scope, path(other))))
}
