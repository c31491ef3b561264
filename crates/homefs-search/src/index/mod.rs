//! The index of one space: which files it has, what they say, and where.
//!
//! [`Index`] is given files and answers in docs. It lives in memory; its changes come out as
//! deltas, which its owner keeps and gives back later, so that a file is read once. A delta holds
//! what cannot be computed in a moment (words, vectors, filters) and nothing that can (postings,
//! tables), which makes it small, quick to check and quick to load.

mod delta;
mod handles;
mod load;
mod put;
mod reach;
mod record;
#[cfg(test)]
mod tests;
mod vectors;

use std::{collections::BTreeSet, ops::Range};

use homefs_core::{Error, ErrorKind, Result};
use rustc_hash::FxHashMap;

use crate::{
    docs::Link,
    embed::Quantised,
    rank::Order,
    text::{Arena, Need, TextIndex, Trigrams, small},
};
use handles::Handles;
pub use handles::{DIGITS as HANDLE_DIGITS, Handle, is_handle};
pub use put::digest;
use record::{DocRecord, FileRecord};
pub use vectors::{DocVectors, Source};
use vectors::{VectorSlot, Vectors};

/// What is known of a file beside its content.
#[derive(Debug, Clone, PartialEq)]
pub struct File {
    /// Its node.
    pub node: u128,
    /// The first node of the file that people know, which its handle follows from.
    pub lineage: u128,
    /// The version of its content and facts.
    pub version: u64,
    /// Where it is inside its space: `/a/b.md`.
    pub path: Box<str>,
    /// The title it was given, if any.
    pub title: Box<str>,
    /// Its tags.
    pub tags: Vec<Box<str>>,
    /// When it was made, in nanoseconds since 1970.
    pub created: i64,
    /// When it was last written, in nanoseconds since 1970.
    pub modified: i64,
    /// How much it matters, from 0 to 1; 0.5 if nobody said.
    pub importance: f32,
    /// Where it came from, if that was said.
    pub source: Box<str>,
    /// The file that it takes the place of, if that was said.
    pub supersedes: Option<Handle>,
    /// Whether it is a memory, or is left out of what is remembered.
    pub ignored: Ignored,
    /// The text of a file that says which others are ignored; of any other nothing.
    pub rules: Box<str>,
}

/// Whether a file is left out of what is remembered, and why.
///
/// One that is has words and no vectors: it is found only by who asks for all files, and how rare
/// a word is does not depend on it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Ignored {
    /// It is a memory.
    #[default]
    No,
    /// A rule about its path says so.
    ByRule,
    /// It is no text, and nobody said anything about it.
    ByContent,
}

/// The content of a file.
#[derive(Debug, Clone, Copy)]
pub enum Body<'a> {
    /// Text, which is split into docs.
    Text(&'a [u8]),
    /// Bytes that are no text: found by name and tags, and by grep.
    Binary(&'a [u8]),
    /// The beginning of a longer text: split into docs, and always a candidate of grep.
    Beginning(&'a [u8]),
    /// Too large or not here: found by name and tags, and always a candidate of grep.
    Unread,
}

/// A span of a file.
#[derive(Debug, Clone)]
pub struct Doc<'a> {
    /// Its file.
    pub file: &'a File,
    /// Its bytes in the file; none if the file has no text.
    pub bytes: Range<u32>,
    /// Its first and last line, counted from 1; zeros if the file has no text.
    pub lines: (u32, u32),
    /// The headings it stands under.
    pub title: &'a str,
    /// The summed rarity of its tokens, which shrinks docs that say little.
    pub weight: f32,
    /// A digest of its text.
    pub digest: u64,
    /// Whether its vector is the embedder's.
    pub is_embedded: bool,
}

/// The files of a space by what they say.
///
/// A doc has its number until the file is put again; a vector never comes for another text,
/// because [`Self::embed`] names the one it is for.
pub struct Index {
    text: TextIndex,
    // Invariant: one filter for each file number, and one title for each doc.
    trigrams: Trigrams,
    titles: Arena,
    /// Files by number; a file has a new number at each put.
    files: Vec<Option<FileRecord>>,
    numbers: FxHashMap<u128, u32>,
    /// Where directories are, so that a move of one is seen.
    directories: FxHashMap<u128, Box<str>>,
    docs: Vec<DocRecord>,
    vectors: Vectors,
    order: Order,
    handles: Handles,
    /// Files that take the place of others, by the handles of those.
    superseding: BTreeSet<(Handle, u32)>,
    /// How many files are ignored.
    ignored: usize,
    version: u64,
    since: delta::Since,
    garbage: delta::Garbage,
}

impl Index {
    /// An empty index, whose docs get their vectors from an embedder.
    pub fn new(embedder: &str, dimensions: usize) -> Result<Self> {
        Ok(Self {
            text: TextIndex::default(),
            trigrams: Trigrams::default(),
            titles: Arena::default(),
            files: Vec::new(),
            numbers: FxHashMap::default(),
            directories: FxHashMap::default(),
            docs: Vec::new(),
            vectors: Vectors::new(embedder, dimensions)?,
            order: Order::default(),
            handles: Handles::default(),
            superseding: BTreeSet::new(),
            ignored: 0,
            version: 0,
            since: delta::Since::default(),
            garbage: delta::Garbage::default(),
        })
    }

    /// What is known of a file.
    pub fn file(&self, node: u128) -> Option<&File> {
        Some(&self.record(node)?.file)
    }

    /// All files, in the order they were last put.
    pub fn files(&self) -> impl Iterator<Item = &File> {
        self.files.iter().flatten().map(|record| &record.file)
    }

    /// The files that a handle may mean.
    pub fn files_of(&self, handle: Handle) -> impl Iterator<Item = &File> {
        let records = self.handles.find(handle).filter_map(|at| self.files[at as usize].as_ref());
        records.map(|record| &record.file)
    }

    /// The files that take the place of one of a lineage.
    pub fn superseding(&self, lineage: u128) -> impl Iterator<Item = &File> {
        let handles = HANDLE_DIGITS.map(|digits| Handle::of(lineage, digits)).into_iter();
        let numbers = handles.flat_map(|handle| {
            self.superseding.range((handle, 0)..=(handle, u32::MAX)).map(|(_, number)| *number)
        });
        numbers.filter_map(|number| Some(&self.files[number as usize].as_ref()?.file))
    }

    /// How many files there are.
    pub fn file_count(&self) -> usize {
        self.numbers.len()
    }

    /// How many of the files are ignored.
    pub fn ignored_count(&self) -> usize {
        self.ignored
    }

    /// How many docs there are; a file has one at least.
    pub fn doc_count(&self) -> usize {
        self.text.len()
    }

    /// The docs of a file, in order.
    pub fn docs_of(&self, node: u128) -> Range<u32> {
        self.record(node).map_or(0..0, |record| record.docs.clone())
    }

    /// Notes what a new file says of itself and others: of one that is ignored the docs count for
    /// nothing.
    fn note(&mut self, number: u32) {
        let Some(record) = &self.files[number as usize] else { return };
        if let Some(old) = record.file.supersedes {
            self.superseding.insert((old, number));
        }
        if record.file.ignored != Ignored::No {
            self.ignored += 1;
            for doc in record.docs.clone() {
                self.text.set_aside(doc);
            }
        }
    }

    /// A doc by its number.
    pub fn doc(&self, doc: u32) -> Option<Doc<'_>> {
        let record = self.docs.get(doc as usize)?;
        let file = self.files[record.file as usize].as_ref()?;
        Some(Doc {
            file: &file.file,
            bytes: record.bytes.0..record.bytes.1,
            lines: record.lines,
            title: std::str::from_utf8(self.titles.get(doc)).unwrap_or_default(),
            weight: record.weight,
            digest: record.digest,
            is_embedded: record.held.is_some_and(|held| held.source == Source::Embedder),
        })
    }

    /// Notes where a directory is, or that it is nowhere; whether that is news.
    pub fn set_directory(&mut self, node: u128, path: Option<&str>) -> bool {
        let before = match path {
            Some(path) if self.directories.get(&node).is_some_and(|known| **known == *path) => {
                return false;
            }
            Some(path) => self.directories.insert(node, path.into()),
            None => self.directories.remove(&node),
        };
        let is_news = path.is_some() || before.is_some();
        if is_news {
            self.since.directories.push(node);
        }
        is_news
    }

    /// What a file links to, in order.
    pub fn links(&self, node: u128) -> &[Link] {
        self.record(node).map_or(&[], |record| &record.links)
    }

    /// The files that grep must read, ascending.
    pub fn candidates(&self, need: &Need) -> Vec<u128> {
        let files = self.trigrams.candidates(need);
        let mut nodes: Vec<u128> = files
            .filter_map(|number| Some(self.files[number as usize].as_ref()?.file.node))
            .collect();
        nodes.sort_unstable();
        nodes
    }

    /// The name of the embedder.
    pub fn embedder(&self) -> &str {
        self.vectors.embedder().name()
    }

    /// The name of the embedder before, while some docs still have its vectors.
    pub fn former_embedder(&self) -> Option<&str> {
        self.vectors.former().map(DocVectors::name)
    }

    /// Gives the docs another embedder. All wait for it; the vectors they have serve until then,
    /// except those of an embedder before the last.
    pub fn set_embedder(&mut self, embedder: &str, dimensions: usize) -> Result<()> {
        if embedder == self.embedder() && dimensions == self.vectors.embedder().dimensions() {
            return Ok(());
        }
        self.vectors.change(embedder, dimensions, &mut self.docs)?;
        // A delta cannot say this, and it is rare enough to write all again.
        self.since = delta::Since::default();
        self.garbage.dead = self.garbage.total;
        self.garbage.total *= 2;
        Ok(())
    }

    /// Docs that wait for the embedder, oldest first.
    pub fn waiting(&self, limit: usize) -> Vec<u32> {
        self.vectors.waiting(&self.docs).take(limit).collect()
    }

    /// How many docs wait for the embedder.
    pub fn waiting_count(&self) -> usize {
        self.vectors.waiting_count()
    }

    /// Gives a doc the embedder's vector; one for a text that is no longer there is dropped.
    pub fn embed(&mut self, doc: u32, digest: u64, vector: &[f32]) -> Result<()> {
        let dimensions = self.vectors.embedder().dimensions();
        if vector.len() != dimensions {
            let message = format!(
                "{} gave a vector of {} dimensions instead of {dimensions}",
                self.embedder(),
                vector.len(),
            );
            return Err(Error::new(ErrorKind::Invalid, message));
        }
        let record = self.docs.get(doc as usize).filter(|record| record.digest == digest);
        let Some(held) = record.and_then(|record| record.held).filter(|held| held.waits()) else {
            return Ok(());
        };
        self.hold_embedded(doc, held, &Quantised::new(vector))?;
        self.since.embedded.push(doc);
        Ok(())
    }

    /// The vector of a doc, and whose it is.
    pub fn vector(&self, doc: u32) -> Option<(Source, Quantised)> {
        let held = self.docs.get(doc as usize)?.held?;
        Some((held.source, self.vectors.of(held.source).get(held.slot)?))
    }

    /// The vectors of docs that still wait for the embedder.
    pub fn static_vectors(&self) -> &DocVectors {
        self.vectors.of(Source::Static)
    }

    /// The vectors by the embedder.
    pub fn vectors(&self) -> &DocVectors {
        self.vectors.embedder()
    }

    /// The vectors by the embedder before, of docs that still wait for the present one.
    pub fn former_vectors(&self) -> Option<&DocVectors> {
        self.vectors.former()
    }

    /// The words of all docs.
    pub fn text(&self) -> &TextIndex {
        &self.text
    }

    /// Up to which version of the space this is, as its owner noted.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Notes up to which version of the space this is; the next delta says so.
    pub fn set_version(&mut self, version: u64) {
        self.version = version;
    }

    /// Bytes of memory, nearly.
    pub fn size_bytes(&self) -> usize {
        self.text.size_bytes()
            + self.trigrams.size_bytes()
            + self.titles.size_bytes()
            + self.files.capacity() * size_of::<Option<FileRecord>>()
            + self.files.iter().flatten().map(FileRecord::heap_bytes).sum::<usize>()
            + self.numbers.capacity() * (size_of::<(u128, u32)>() + 1)
            + self.docs.capacity() * size_of::<DocRecord>()
            + self.vectors.size_bytes()
            + self.order.size_bytes()
            + self.handles.size_bytes()
    }

    /// Gives a doc the embedder's vector in place of the one it has.
    fn hold_embedded(&mut self, doc: u32, held: VectorSlot, vector: &Quantised) -> Result<()> {
        self.garbage.dead += self.vectors.of(held.source).vector_bytes();
        self.garbage.total += self.vectors.embedder().vector_bytes();
        self.vectors.release(held);
        self.docs[doc as usize].held = Some(self.vectors.hold(Source::Embedder, doc, vector)?);
        self.vectors.skip_embedded(&self.docs);
        Ok(())
    }

    fn record(&self, node: u128) -> Option<&FileRecord> {
        self.files[*self.numbers.get(&node)? as usize].as_ref()
    }
}
