//! Recalling the memories that matter, within a budget.

use homefs_core::{Error, ErrorKind, NodeId, Path, Result, Timestamp, Version};
use homefs_search::{rank, recall};
use rustc_hash::FxHashMap;

use super::View;
use super::handles::{handle_of, indexed};
use super::scopes::{DocHit, Searched, Which};
use super::search::unseen_of;
use crate::memory::{Explained, Outcome, RecallOptions, Recalled, Recollection};

/// How many docs are looked at more closely, at least and at most, and for how many tokens of the
/// budget there is one. Mostly that is more than fits; if not, more are looked at.
const CANDIDATES_MIN: usize = 16;
const CANDIDATES_MAX: usize = 200;
const TOKENS_PER_CANDIDATE: usize = 32;

impl View {
    /// Returns the memories that answer a question best and fit the budget, as text to be quoted.
    pub fn recall(&self, question: &str, options: &RecallOptions) -> Result<Recalled> {
        check_budget(options.max_tokens)?;
        let searched = self.asked(&options.spaces, &options.below, Which::Memories)?;
        let beside = self.seen_beside(&searched)?;
        let now = self.store.ground.clock.now().0;
        let limit = options.max_tokens / TOKENS_PER_CANDIDATE;
        let mut limit = limit.clamp(CANDIDATES_MIN, CANDIDATES_MAX);
        let (packed, files) = loop {
            let found = self.sight(&searched, question, rank::Kind::Hybrid, true, limit)?;
            let was_cut = found.len() >= limit && limit < CANDIDATES_MAX;
            let found = self.with_newer(&searched, found)?;
            let files = files_by_path(&found);
            let packed = self.pack((&searched, &beside), found, question, options, now)?;
            if !was_cut || packed.tokens > options.max_tokens / 4 * 3 {
                break (packed, files);
            }
            limit = CANDIDATES_MAX;
        };
        let mut explained = packed.explained;
        if options.explain {
            explained.extend(self.ignored(question, options)?);
        }
        for (scope, node) in packed.items.iter().filter_map(|memory| files.get(&memory.path)) {
            // Who is told what a file says has read it; that it is gone meanwhile is no matter.
            searched[*scope].note_read(*node).ok();
        }
        let memories = packed.items.into_iter().map(|memory| {
            Ok(Recollection {
                path: Path::parse(&memory.path)?,
                handle: memory.handle,
                version: Version(memory.version),
                lines: memory.lines,
                text: memory.text,
                score: memory.score,
                modified: Timestamp(now.saturating_sub(memory.age)),
                older: memory.older,
                tokens: memory.tokens,
            })
        });
        Ok(Recalled {
            memories: memories.collect::<Result<_>>()?,
            text: packed.text,
            tokens: packed.tokens,
            explained,
            unseen: unseen_of(&searched),
            unsearched: self.unsearched(&options.below)?,
        })
    }

    /// Tells which files have the words of a question and are ignored.
    fn ignored(&self, question: &str, options: &RecallOptions) -> Result<Vec<Explained>> {
        let searched = self.asked(&options.spaces, &options.below, Which::Ignored)?;
        let found = self.sight(&searched, question, rank::Kind::Text, true, CANDIDATES_MIN)?;
        let explained = found.into_iter().map(|one| Explained {
            path: one.path.as_str().to_owned(),
            lines: one.lines,
            relevance: 0.0,
            importance: 1.0,
            recency: 1.0,
            score: 0.0,
            tokens: 0,
            outcome: Outcome::Ignored,
            duplicate_of: None,
        });
        Ok(explained.collect())
    }

    /// Packs what was found into the budget.
    fn pack(
        &self,
        (searched, beside): (&[Searched], &[Searched]),
        found: Vec<DocHit>,
        question: &str,
        options: &RecallOptions,
        now: i64,
    ) -> Result<recall::Recalled> {
        let handles: Vec<Option<String>> = {
            let seen = indexed(searched.iter().chain(beside));
            let file = |one: &DocHit| seen[one.scope].1.file(one.node.0);
            found.iter().map(|one| file(one).map(|file| handle_of(&seen, file))).collect()
        };
        // What is in no index any more was removed meanwhile.
        let known = found.into_iter().zip(handles).filter_map(|(one, handle)| Some((one, handle?)));
        let candidates = known.map(|(one, handle)| candidate(&searched[one.scope], one, handle));
        let candidates = candidates.collect::<Result<Vec<_>>>()?;
        let options = recall::Options {
            max_tokens: options.max_tokens,
            strategy: options.strategy,
            min_score: options.min_score,
            tokenizer: options.tokenizer,
            paths: options.paths,
            now,
        };
        Ok(recall::recall(candidates, &options, question, &self.store.indexing.counts))
    }
}

/// Refuses a budget into which nothing can fit.
pub(super) fn check_budget(max_tokens: usize) -> Result<()> {
    if max_tokens > 0 {
        return Ok(());
    }
    let message = "a budget of no tokens has room for nothing: allow at least one";
    Err(Error::new(ErrorKind::Invalid, message))
}

/// Which file each path means of those that were found, and in which of the searched spaces.
fn files_by_path(found: &[DocHit]) -> FxHashMap<String, (usize, NodeId)> {
    found.iter().map(|one| (one.path.as_str().to_owned(), (one.scope, one.node))).collect()
}

/// Completes a doc with what its file says.
fn candidate(searched: &Searched, sighted: DocHit, handle: String) -> Result<recall::Candidate> {
    Ok(recall::Candidate {
        path: sighted.path.as_str().to_owned(),
        handle,
        version: sighted.version.0,
        lines: sighted.lines,
        is_whole: sighted.is_whole,
        text: searched.read(sighted.node, sighted.bytes)?,
        title: sighted.title,
        relevance: sighted.hit.score,
        importance: sighted.importance,
        modified: sighted.modified.0,
        vector: sighted.vector,
        newer: sighted.newer.map(|newer| newer.path.as_str().to_owned()),
        digest: sighted.digest,
    })
}
