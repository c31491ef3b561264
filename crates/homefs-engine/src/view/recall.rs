//! Recalling the memories that matter, within a budget.

use homefs_core::{Path, Result, Timestamp, Version};
use homefs_search::{rank, recall};

use super::View;
use super::scopes::{Searched, Sighted};
use super::search::unseen_of;
use crate::memory::{RecallOptions, Recalled, Recollection};

/// How many docs are looked at more closely, at least and at most, and for how many tokens of the
/// budget there is one. Mostly that is more than fits; if not, more are looked at.
const CANDIDATES_MIN: usize = 16;
const CANDIDATES_MAX: usize = 200;
const TOKENS_PER_CANDIDATE: usize = 32;

impl View {
    /// Returns the memories that answer a question best and fit the budget, as text to be quoted.
    pub fn recall(&self, question: &str, options: &RecallOptions) -> Result<Recalled> {
        let searched = self.searched(&options.spaces, &options.below)?;
        let now = self.store.ground.clock.now().0;
        let limit = options.max_tokens / TOKENS_PER_CANDIDATE;
        let mut limit = limit.clamp(CANDIDATES_MIN, CANDIDATES_MAX);
        let packed = loop {
            let found = self.sight(&searched, question, rank::Kind::Hybrid, true, limit)?;
            let was_cut = found.len() >= limit && limit < CANDIDATES_MAX;
            let packed = self.pack(&searched, found, question, options, now)?;
            if !was_cut || packed.tokens > options.max_tokens / 4 * 3 {
                break packed;
            }
            limit = CANDIDATES_MAX;
        };
        for memory in &packed.items {
            // Who is told what a file says has read it; that it is gone meanwhile is no matter.
            drop(Path::parse(&memory.path).and_then(|path| self.note_read(&path)));
        }
        let memories = packed.items.into_iter().map(|memory| {
            Ok(Recollection {
                path: Path::parse(&memory.path)?,
                version: Version(memory.version),
                lines: memory.lines,
                text: memory.text,
                score: memory.score,
                modified: Timestamp(now.saturating_sub(memory.age)),
                tokens: memory.tokens,
            })
        });
        Ok(Recalled {
            memories: memories.collect::<Result<_>>()?,
            text: packed.text,
            tokens: packed.tokens,
            explained: packed.explained,
            unseen: unseen_of(&searched),
        })
    }

    /// Packs what was found into the budget.
    fn pack(
        &self,
        searched: &[Searched],
        found: Vec<Sighted>,
        question: &str,
        options: &RecallOptions,
        now: i64,
    ) -> Result<recall::Recalled> {
        let candidates = found.into_iter().map(|one| candidate(&searched[one.scope], one));
        let candidates = candidates.collect::<Result<Vec<_>>>()?;
        let options = recall::Options {
            max_tokens: options.max_tokens,
            strategy: options.strategy,
            min_score: options.min_score,
            tokenizer: options.tokenizer,
            now,
        };
        Ok(recall::recall(candidates, &options, question, &self.store.indexing.counts))
    }
}

/// Completes a doc with what its file says.
fn candidate(searched: &Searched, sighted: Sighted) -> Result<recall::Candidate> {
    Ok(recall::Candidate {
        path: sighted.path.as_str().to_owned(),
        version: sighted.version.0,
        lines: sighted.lines,
        text: searched.read(sighted.node, sighted.bytes)?,
        title: sighted.title,
        relevance: sighted.hit.score,
        importance: sighted.importance,
        modified: sighted.modified.0,
        vector: sighted.vector,
        digest: sighted.digest,
    })
}
