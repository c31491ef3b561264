//! Whose vector a doc has, and which docs wait for another.

use std::collections::VecDeque;

use homefs_core::Result;

use super::record::DocRecord;
use crate::{
    embed::{Centre, Quantised, Query, StaticModel, VectorSet},
    rank::{meaning, rarity},
    text::Hit,
};

/// The name of the static model, and the length of its vectors.
const STATIC: (&str, usize) = ("static-256", 256);

/// Whose a vector is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The static model's, from the moment a doc is put.
    Static,
    /// The embedder's.
    Embedder,
    /// That of the embedder before.
    Former,
}

/// The vector that a doc has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct VectorSlot {
    pub(super) source: Source,
    pub(super) slot: u32,
}

impl VectorSlot {
    /// Whether its doc waits for the embedder's.
    pub(super) fn waits(self) -> bool {
        self.source != Source::Embedder
    }
}

/// Vectors of docs by one model.
pub struct DocVectors {
    name: Box<str>,
    set: VectorSet,
    // Invariant: one doc for each slot; that of a free slot means nothing.
    docs: Vec<u32>,
    free: Vec<u32>,
}

impl DocVectors {
    fn new(name: &str, dimensions: usize) -> Result<Self> {
        let set = VectorSet::new(dimensions)?;
        Ok(Self { name: name.into(), set, docs: Vec::new(), free: Vec::new() })
    }

    /// The name of the model.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The length of every vector.
    pub fn dimensions(&self) -> usize {
        self.set.dimensions()
    }

    /// What all its vectors have in common.
    pub(crate) fn centre(&self) -> &Centre {
        self.set.centre()
    }

    /// How many docs have a vector here.
    pub fn len(&self) -> usize {
        self.docs.len() - self.free.len()
    }

    /// Whether none has.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The docs with the best scores, best first: the dot product times what `weight` says of a
    /// doc; one whose weight is not positive is left out.
    pub fn search(
        &self,
        query: &Query,
        count: usize,
        weight: impl Fn(u32) -> f32,
    ) -> Result<Vec<Hit>> {
        self.search_admitted(query, count, weight, |_| true)
    }

    /// As [`Self::search`], among the docs that are admitted, which is asked only of a doc that
    /// would be among the best.
    pub(crate) fn search_admitted(
        &self,
        query: &Query,
        count: usize,
        weight: impl Fn(u32) -> f32,
        admits: impl Fn(u32) -> bool,
    ) -> Result<Vec<Hit>> {
        let doc = |slot: u32| self.docs[slot as usize];
        let (weight, admits) = (|slot| weight(doc(slot)), |slot| admits(doc(slot)));
        let hits = self.set.search_admitted(query, count, weight, admits)?;
        Ok(hits.into_iter().map(|hit| Hit { doc: doc(hit.slot), score: hit.score }).collect())
    }

    /// Bytes that a vector takes in a delta.
    pub(super) fn vector_bytes(&self) -> u64 {
        self.dimensions() as u64 + 4
    }

    pub(super) fn dot(&self, slot: u32, query: &Query) -> Option<f32> {
        self.set.dot(slot, query).ok().flatten()
    }

    pub(super) fn get(&self, slot: u32) -> Option<Quantised> {
        self.set.get(slot)
    }

    fn add(&mut self, doc: u32, vector: &Quantised) -> Result<u32> {
        let Some(slot) = self.free.pop() else {
            let slot = self.set.push(vector)?;
            self.docs.push(doc);
            return Ok(slot);
        };
        self.set.set(slot, vector)?;
        self.docs[slot as usize] = doc;
        Ok(slot)
    }

    fn remove(&mut self, slot: u32) {
        self.set.remove(slot);
        self.free.push(slot);
        if self.is_empty() {
            // Once all docs are embedded, the static vectors would be a third of the index.
            *self = Self::new(&self.name, self.dimensions()).expect("it was made so before");
        }
    }

    fn size_bytes(&self) -> usize {
        self.set.len() * (self.dimensions() + 8) + 4 * self.free.capacity()
    }
}

/// The vectors of all docs.
pub(super) struct Vectors {
    instant: DocVectors,
    embedder: DocVectors,
    former: Option<DocVectors>,
    /// Docs that wait, oldest first, and some that no longer do.
    queue: VecDeque<u32>,
    waiting: usize,
}

impl Vectors {
    /// No vectors yet.
    pub(super) fn new(embedder: &str, dimensions: usize) -> Result<Self> {
        Ok(Self {
            instant: DocVectors::new(STATIC.0, STATIC.1)?,
            embedder: DocVectors::new(embedder, dimensions)?,
            former: None,
            queue: VecDeque::new(),
            waiting: 0,
        })
    }

    pub(super) fn embedder(&self) -> &DocVectors {
        &self.embedder
    }

    pub(super) fn former(&self) -> Option<&DocVectors> {
        self.former.as_ref()
    }

    /// The vectors of one source.
    pub(super) fn of(&self, source: Source) -> &DocVectors {
        match source {
            Source::Static => &self.instant,
            Source::Embedder => &self.embedder,
            Source::Former => self.former.as_ref().expect("a doc has a vector of it"),
        }
    }

    fn of_mut(&mut self, source: Source) -> &mut DocVectors {
        match source {
            Source::Static => &mut self.instant,
            Source::Embedder => &mut self.embedder,
            Source::Former => self.former.as_mut().expect("a doc has a vector of it"),
        }
    }

    /// Makes place for vectors of the embedder before.
    pub(super) fn set_former(&mut self, name: &str, dimensions: usize) -> Result<()> {
        self.former = Some(DocVectors::new(name, dimensions)?);
        Ok(())
    }

    /// Keeps a vector for a doc.
    pub(super) fn hold(
        &mut self,
        source: Source,
        doc: u32,
        vector: &Quantised,
    ) -> Result<VectorSlot> {
        let slot = self.of_mut(source).add(doc, vector)?;
        let held = VectorSlot { source, slot };
        self.note(doc, held);
        Ok(held)
    }

    /// Whose the vector is that a doc gets at once.
    pub(super) fn source_at_once(&self) -> Source {
        let own = (self.embedder.name(), self.embedder.dimensions());
        if own == STATIC { Source::Embedder } else { Source::Static }
    }

    /// Whether a vector went with a former embedder; see [`Self::change`].
    pub(super) fn is_lost(&self, held: VectorSlot) -> bool {
        held.source == Source::Static && self.instant.get(held.slot).is_none()
    }

    /// Gives a vector that one doc had to another with the same text.
    pub(super) fn pass(&mut self, held: VectorSlot, doc: u32) {
        self.of_mut(held.source).docs[held.slot as usize] = doc;
        self.note(doc, held);
    }

    /// Takes a vector from its doc, which is no more.
    pub(super) fn detach(&mut self, held: VectorSlot) {
        self.waiting -= usize::from(held.waits());
    }

    /// Drops a vector.
    pub(super) fn drop(&mut self, held: VectorSlot) {
        self.of_mut(held.source).remove(held.slot);
        if self.former.as_ref().is_some_and(DocVectors::is_empty) {
            self.former = None;
        }
    }

    /// Takes a vector from its doc and drops it.
    pub(super) fn release(&mut self, held: VectorSlot) {
        self.detach(held);
        self.drop(held);
    }

    fn note(&mut self, doc: u32, held: VectorSlot) {
        if held.waits() {
            self.queue.push_back(doc);
            self.waiting += 1;
        }
    }

    /// The docs that wait, oldest first.
    pub(super) fn waiting<'a>(&'a self, docs: &'a [DocRecord]) -> impl Iterator<Item = u32> + 'a {
        self.queue.iter().copied().filter(|doc| waits(docs, *doc))
    }

    pub(super) fn waiting_count(&self) -> usize {
        self.waiting
    }

    /// Forgets docs at the head of the queue that no longer wait.
    pub(super) fn skip_embedded(&mut self, docs: &[DocRecord]) {
        while self.queue.front().is_some_and(|doc| !waits(docs, *doc)) {
            self.queue.pop_front();
        }
    }

    /// Makes another embedder the present one.
    pub(super) fn change(
        &mut self,
        embedder: &str,
        dimensions: usize,
        docs: &mut [DocRecord],
    ) -> Result<()> {
        let fresh = DocVectors::new(embedder, dimensions)?;
        let was_static = self.source_at_once() == Source::Embedder && self.instant.is_empty();
        let before = std::mem::replace(&mut self.embedder, fresh);
        if was_static {
            self.instant = before;
            self.former = None;
        } else {
            self.former = Some(before).filter(|before| !before.is_empty());
        }
        self.queue.clear();
        self.waiting = 0;
        for (doc, record) in (0..).zip(docs) {
            let Some(held) = &mut record.held else { continue };
            held.source = match held.source {
                Source::Static => Source::Static,
                Source::Embedder if was_static => Source::Static,
                Source::Embedder => Source::Former,
                // The vector is gone: an empty static one holds its place in the queue.
                Source::Former => {
                    let empty = Quantised::new(&[0.0; STATIC.1]);
                    held.slot = self.instant.add(doc, &empty)?;
                    Source::Static
                }
            };
            self.queue.push_back(doc);
            self.waiting += 1;
        }
        Ok(())
    }

    pub(super) fn size_bytes(&self) -> usize {
        self.instant.size_bytes()
            + self.embedder.size_bytes()
            + self.former.as_ref().map_or(0, DocVectors::size_bytes)
            + 4 * self.queue.capacity()
    }
}

fn waits(docs: &[DocRecord], doc: u32) -> bool {
    docs[doc as usize].held.is_some_and(VectorSlot::waits)
}

/// The static vector of a text, and its weight.
pub(super) fn instant(text: &str) -> (Quantised, f32) {
    let mut weight = 0.0;
    let vector = StaticModel::built_in().embed_weighted(meaning(text), |token| {
        weight += rarity(token);
        1.0
    });
    (Quantised::new(&vector), weight)
}
