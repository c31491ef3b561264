//! Searching what an agent may read.

use homefs_core::{Path, Result};
use homefs_search::recall;

use super::View;
use super::scopes::{DocHit, Searched, Which};
use crate::memory::{Hit, SearchOptions};

/// Most hits of one search.
const HITS_MAX: usize = 1000;
/// The length of a hit's excerpt in bytes, about.
const EXCERPT_BYTES: usize = 240;

impl View {
    /// Finds docs by words and meaning, the best first. Words, `"phrases"`, `prefix*`, `-word`,
    /// `tag:`, `path:`, `after:` and `before:` are understood; anything else is words.
    pub fn search(&self, query: &str, options: &SearchOptions) -> Result<Vec<Hit>> {
        let which = if options.all { Which::All } else { Which::Memories };
        let searched = self.asked(&options.spaces, &options.below, which)?;
        let limit = options.limit.min(HITS_MAX);
        let sighted = self.sight(&searched, query, options.kind, false, limit)?;
        let quoting = recall::Quoting::new(query);
        sighted.into_iter().map(|one| hit(&searched[one.scope], one, &quoting)).collect()
    }

    /// Finds the files that are most like a file.
    pub fn related(&self, path: &Path, limit: usize) -> Result<Vec<Hit>> {
        let stat = self.stat(path)?;
        let searched = self.searched(&[], &Path::root(), Which::Memories)?;
        let Some(own) = searched.iter().position(|one| one.space.name == stat.space) else {
            return Ok(Vec::new());
        };
        let sighted = self.sight_related(&searched, own, stat.node, limit.min(HITS_MAX))?;
        let quoting = recall::Quoting::new("");
        sighted.into_iter().map(|one| hit(&searched[one.scope], one, &quoting)).collect()
    }
}

impl View {
    /// Counts the files at and below a path that a search looks for by their names only, since
    /// their contents are not here yet.
    pub fn unseen(&self, below: &Path) -> Result<u64> {
        Ok(unseen_of(&self.asked(&[], below, Which::Memories)?))
    }
}

/// Counts what was searched by its name only.
pub(super) fn unseen_of(searched: &[Searched]) -> u64 {
    searched.iter().map(Searched::unseen).sum()
}

/// Completes a hit with what its file says.
fn hit(searched: &Searched, sighted: DocHit, quoting: &recall::Quoting) -> Result<Hit> {
    let DocHit { hit, node, version, path, bytes, lines, title, modified, .. } = sighted;
    let text = searched.read(node, bytes)?;
    Ok(Hit {
        path,
        version,
        lines,
        title,
        score: hit.score,
        text_score: hit.text,
        vector_score: hit.vector,
        excerpt: quoting.quote(&text, EXCERPT_BYTES),
        modified,
    })
}
