//! Memories that take the place of others.
//!
//! A memory names the one that it takes the place of by its handle. Who does not see the new one is
//! told of the old one as before.

use std::cmp::Reverse;
use std::ops::Deref;

use homefs_core::{NodeId, Path, Result};
use homefs_search::index::{File, Index};
use homefs_search::rank;

use super::View;
use super::scopes::{DocHit, Searched};

/// What has taken the place of a file.
pub(super) struct Newer {
    /// Which of the searched spaces it is in.
    scope: usize,
    node: NodeId,
    /// Where it is in the view.
    pub(super) path: Path,
}

impl View {
    /// Returns what has taken the place of a file, the newest if there are several.
    pub(super) fn newer_of<I: Deref<Target = Index>>(
        &self,
        searched: &[Searched],
        indexes: &[I],
        file: &File,
    ) -> Result<Option<Newer>> {
        let mut found: Vec<(usize, &File)> = Vec::new();
        for (scope, (one, index)) in searched.iter().zip(indexes).enumerate() {
            // A file that was saved by making a new one may be named by either.
            let named = [file.lineage, file.node].into_iter().flat_map(|id| index.superseding(id));
            let newer = named.filter(|newer| newer.node != file.node && one.admits(newer));
            found.extend(newer.map(|newer| (scope, newer)));
        }
        found.sort_by_key(|(scope, newer)| (Reverse(newer.modified), *scope, newer.node));
        for (scope, newer) in found {
            let (one, node) = (&searched[scope], NodeId(newer.node));
            let path = one.place_of(node)?;
            let path = path.and_then(|path| self.path_in_view(&one.space.name, &path));
            if let Some(path) = path {
                return Ok(Some(Newer { scope, node, path }));
            }
        }
        Ok(None)
    }

    /// Adds what has taken the place of something that was found, and lets it score no less than
    /// that, so that nobody is told the old alone.
    pub(super) fn with_newer(
        &self,
        searched: &[Searched],
        mut found: Vec<DocHit>,
    ) -> Result<Vec<DocHit>> {
        let mut at = 0;
        while let Some(one) = found.get(at) {
            at += 1;
            let Some(&Newer { scope, node, .. }) = one.newer.as_ref() else { continue };
            let score = one.hit.score;
            let known =
                found.iter().enumerate().filter(|(_, hit)| (hit.scope, hit.node) == (scope, node));
            let best = known.max_by(|one, two| one.1.hit.score.total_cmp(&two.1.hit.score));
            match best.map(|(at, hit)| (at, hit.hit.score)) {
                Some((_, known)) if known >= score => {}
                Some((best, _)) => {
                    found[best].hit.score = score;
                    // It may be older than another itself.
                    at = at.min(best);
                }
                None => found.extend(self.sight_file(searched, scope, node, score)?),
            }
        }
        Ok(found)
    }

    /// Returns the beginning of a file as if it had been found.
    fn sight_file(
        &self,
        searched: &[Searched],
        scope: usize,
        node: NodeId,
        worth: f32,
    ) -> Result<Vec<DocHit>> {
        let indexes: Vec<_> = searched.iter().map(Searched::index).collect();
        let first = indexes[scope].docs_of(node.0).next();
        let hit = |doc| rank::Hit { scope, doc, score: worth, text: 0.0, vector: worth };
        self.confirm(searched, &indexes, first.map(hit).into_iter().collect())
    }
}
