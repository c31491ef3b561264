//! What an agent should know at its start.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::Range;

use homefs_core::{NodeId, Path, Result};
use homefs_search::index::{Doc, File, Index};
use homefs_search::rank::Names as _;
use homefs_search::recall::{self, Candidate, Count, Directory};
use rustc_hash::FxHashMap;

use super::View;
use super::handles::{handle_of, indexed};
use super::recall::check_budget;
use super::scopes::{Searched, Which};
use super::timeline::Listed;
use crate::memory::{Standing, Strategy, Tokenizer};

/// The tag of files that are always part of it.
const PINNED: &str = "pinned";
/// How many files are looked at more closely, and how many docs of a pinned one.
const FILES_MAX: usize = 200;
const DOCS_MAX: usize = 50;
/// The time in which newness halves, in nanoseconds: 30 days.
const HALF_LIFE: f64 = 30.0 * 86_400e9;
/// How many titles of a directory are worth knowing.
const TITLES: usize = 3;

impl View {
    /// Returns what the agent should know at its start, within a budget: what is pinned, the best
    /// of the rest by importance and age, and what else there is.
    pub fn context(&self, max_tokens: usize, tokenizer: Tokenizer) -> Result<Standing> {
        check_budget(max_tokens)?;
        let searched = self.searched(&[], &Path::root(), Which::Memories)?;
        let options = recall::Options {
            max_tokens,
            strategy: Strategy::Balanced,
            min_score: 0.0,
            tokenizer,
            paths: false,
            now: self.store.ground.clock.now().0,
        };
        let (pinned, best, rest) = self.survey(&searched, &options);
        let parts = recall::Standing {
            pinned: self.candidates_of(&searched, pinned, DOCS_MAX)?,
            best: self.candidates_of(&searched, best, 1)?,
            rest,
        };
        let counts = &self.store.indexing.counts;
        let text = recall::standing(parts, &options, counts);
        Ok(Standing { tokens: tokenizer.count(&text), text })
    }

    /// Looks at every file once: which are pinned, which of the others are the best, and where
    /// there are how many.
    fn survey(
        &self,
        searched: &[Searched],
        options: &recall::Options,
    ) -> (Vec<Listed>, Vec<Listed>, Vec<Directory>) {
        let indexes: Vec<_> = searched.iter().map(Searched::index).collect();
        let (mut pinned, mut others) = (Vec::new(), Vec::new());
        let mut folders: FxHashMap<(usize, Cow<'_, str>), Folder<'_>> = FxHashMap::default();
        for (scope, (one, index)) in searched.iter().zip(&indexes).enumerate() {
            for file in index.files().filter(|file| one.admits(file)) {
                let worth = worth(file, options.now);
                let path = one.path_of(file);
                // It is gone meanwhile, or deeper than any path.
                if path.is_empty() {
                    continue;
                }
                let listed = (scope, NodeId(file.node));
                let found = Valued { worth, file, path: path.clone(), listed };
                folders.entry((scope, parent_of(&path))).or_default().add(&found);
                if file.tags.iter().any(|tag| **tag == *PINNED) {
                    pinned.push(found);
                } else {
                    others.push(found);
                }
            }
        }
        let best = |mut found: Vec<Valued<'_>>| {
            found.sort_unstable_by(Valued::order);
            found.truncate(FILES_MAX);
            found.into_iter().map(|found| found.listed).collect()
        };
        let mut folders: Vec<_> = folders.into_iter().collect();
        folders.sort_unstable_by(|(at, one), (other_at, other)| {
            other.worth.total_cmp(&one.worth).then_with(|| at.cmp(other_at))
        });
        let rest = folders.into_iter().filter_map(|((scope, parent), folder)| {
            let root = self.path_of(&searched[scope].space.name)?;
            let path = format!("{}{parent}", root.as_str().trim_end_matches('/'));
            Some(Directory {
                path: if path.is_empty() { "/".into() } else { path },
                files: folder.files,
                titles: folder.newest.iter().map(|found| title(&indexes[scope], found)).collect(),
            })
        });
        let rest = rest.collect();
        (best(pinned), best(others), rest)
    }

    /// Reads the first docs of files.
    fn candidates_of(
        &self,
        searched: &[Searched],
        files: Vec<Listed>,
        docs_max: usize,
    ) -> Result<Vec<Candidate>> {
        let mut candidates = Vec::new();
        for (scope, node) in files {
            let one = &searched[scope];
            let Some(inner) = one.place_of(node)? else { continue };
            let Some(path) = self.path_in_view(&one.space.name, &inner) else { continue };
            let docs: Vec<_> = {
                let seen = indexed(searched);
                let index = &seen[scope].1;
                let is_whole = index.docs_of(node.0).len() == 1;
                let newer = match index.file(node.0) {
                    Some(file) => {
                        let indexes: Vec<&Index> = seen.iter().map(|(_, index)| &**index).collect();
                        self.newer_of(searched, &indexes, file)?
                    }
                    None => None,
                };
                let newer = newer.map(|newer| newer.path.as_str().to_owned());
                let docs = index.docs_of(node.0).filter_map(|doc| index.doc(doc));
                // What has no text says nothing but its name, which the list of the rest may say.
                let docs = docs.filter(|doc| !doc.bytes.is_empty()).take(docs_max);
                let handle = |doc: &Doc<'_>| handle_of(&seen, doc.file);
                let cited = |doc: Doc<'_>| {
                    let (found, bytes) = candidate(&doc, path.as_str());
                    (
                        Candidate { handle: handle(&doc), is_whole, newer: newer.clone(), ..found },
                        bytes,
                    )
                };
                docs.map(cited).collect()
            };
            for (mut candidate, bytes) in docs {
                candidate.text = one.read(node, bytes)?;
                candidates.push(candidate);
            }
        }
        Ok(candidates)
    }
}

/// Returns what a file is worth by its importance and age, to choose those that are looked at.
#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "a weight")]
fn worth(file: &File, now: i64) -> f32 {
    let age = now.saturating_sub(file.modified).max(0) as f64;
    (0.75 + 0.5 * file.importance) * (0.85 + 0.3 * (-age / HALF_LIFE).exp2() as f32)
}

/// A file with what it is worth.
#[derive(Clone)]
struct Valued<'a> {
    worth: f32,
    file: &'a File,
    /// Where it is in its space, as far as the agent knows.
    path: Cow<'a, str>,
    listed: Listed,
}

impl Valued<'_> {
    /// The better one first.
    fn order(&self, other: &Self) -> Ordering {
        let place = (self.listed.0, &self.path);
        other.worth.total_cmp(&self.worth).then_with(|| place.cmp(&(other.listed.0, &other.path)))
    }
}

/// What is told of a directory.
#[derive(Default)]
struct Folder<'a> {
    files: usize,
    /// What its best file is worth.
    worth: f32,
    /// Its newest files, the newest first.
    newest: Vec<Valued<'a>>,
}

impl<'a> Folder<'a> {
    fn add(&mut self, found: &Valued<'a>) {
        self.files += 1;
        self.worth = self.worth.max(found.worth);
        let is_newer = |known: &&Valued<'_>| {
            (known.file.modified, &found.path) > (found.file.modified, &known.path)
        };
        let at = self.newest.iter().take_while(|known| is_newer(known)).count();
        if at < TITLES {
            self.newest.insert(at, found.clone());
            self.newest.truncate(TITLES);
        }
    }
}

/// Returns the directory of a path.
fn parent_of<'a>(path: &Cow<'a, str>) -> Cow<'a, str> {
    let end = path.rfind('/').unwrap_or(0);
    match path {
        Cow::Borrowed(path) => Cow::Borrowed(&path[..end]),
        Cow::Owned(path) => Cow::Owned(path[..end].to_owned()),
    }
}

/// Returns what a file is called, without reading it.
fn title(index: &Index, found: &Valued<'_>) -> String {
    let file = found.file;
    if !file.title.is_empty() {
        return file.title.as_ref().into();
    }
    let first = index.docs_of(file.node).next().and_then(|doc| index.doc(doc));
    match first {
        Some(doc) if !doc.title.is_empty() => doc.title.to_owned(),
        _ => found.path.rsplit('/').next().unwrap_or_default().trim_end_matches(".md").to_owned(),
    }
}

/// Returns a doc without its text, and where that is.
fn candidate(doc: &Doc<'_>, path: &str) -> (Candidate, Range<u32>) {
    let candidate = Candidate {
        path: path.to_owned(),
        handle: String::new(),
        is_whole: false,
        version: doc.file.version,
        lines: doc.lines,
        text: String::new(),
        title: if doc.title.is_empty() { doc.file.title.as_ref() } else { doc.title }.to_owned(),
        relevance: 1.0,
        importance: doc.file.importance,
        modified: doc.file.modified,
        vector: None,
        digest: doc.digest,
        newer: None,
    };
    (candidate, doc.bytes.clone())
}
