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
    let path = own.path_of(file);
    let mut likenesses: FxHashMap<(usize, u128), f32> = FxHashMap::default();
    for doc in own.index.docs_of(node).take(DOCS_MAX) {
        add_likeness(scopes, own.index, doc, &mut likenesses);
    }
    for (at, other) in scopes.iter().enumerate() {
        for known in other.index.files() {
            let ties = tied(own.index, (file, &path), other, known, at == scope);
            if ties > 0.0 && admits(other, known) {
                *likenesses.entry((at, known.node)).or_default() += ties;
            }
        }
    }
    likenesses.remove(&(scope, node));
    let mut found: Vec<Related> = likenesses
        .into_iter()
        .map(|((scope, node), score)| Related { scope, node, score: score.min(1.0) })
        .collect();
    found.sort_unstable_by(best_first);
    let mut before = 0;
    for equal in found.chunk_by_mut(|one, other| best_first(one, other).is_eq()) {
        if equal.len() > 1 && before < limit {
            equal.sort_by_cached_key(|one| path_in(scopes, one));
        }
        before += equal.len();
    }
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
        let weight = |doc| shrink(scope.index.weight(doc));
        let is_admitted = |doc| scope.index.file_of(doc).is_some_and(|file| admits(scope, file));
        let hits = vectors.search_admitted(&query, COUNT, weight, is_admitted);
        for hit in hits.unwrap_or_default() {
            if let Some(file) = scope.index.file_of(hit.doc).filter(|_| hit.score > 0.0) {
                let score = likenesses.entry((at, file.node)).or_default();
                *score = score.max(hit.score);
            }
        }
    }
}

/// What links and tags say of two files. Links lead to a file by where it is for who asks.
fn tied(
    own: &Index,
    (file, path): (&File, &str),
    scope: &Scope<'_>,
    other: &File,
    same_space: bool,
) -> f32 {
    let links = own.links(file.node);
    let linked = same_space
        && (names(scope.index.links(other.node), path)
            // To be asked where it is may take long, and most files have no links.
            || (!links.is_empty() && names(links, &scope.path_of(other))));
    let shared = file.tags.iter().filter(|tag| other.tags.contains(tag)).count();
    let all = file.tags.len() + other.tags.len() - shared;
    #[expect(clippy::cast_precision_loss, reason = "files have few tags")]
    let tags = shared as f32 / all.max(1) as f32;
    TAGS * tags + if linked { LINK } else { 0.0 }
}

/// Whether one of the links names a file: by its path, the end of it, or its name alone.
fn names(links: &[Link], path: &str) -> bool {
    let path = path.trim_start_matches('/');
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

/// The order but for the paths of equal ones, which are asked for only where there are some.
fn best_first(one: &Related, other: &Related) -> Ordering {
    other.score.total_cmp(&one.score).then_with(|| one.scope.cmp(&other.scope))
}

fn path_in(scopes: &[Scope<'_>], one: &Related) -> Option<String> {
    let scope = &scopes[one.scope];
    Some(scope.path_of(scope.index.file(one.node)?).into_owned())
}
