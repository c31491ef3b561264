//! Files in and out.

use std::{borrow::Cow, fmt::Write as _};

use super::{
    Body, File, Ignored, Index, VectorSlot,
    record::{DocRecord, FileRecord},
    small,
    vectors::instant,
};
use crate::{
    docs::{links, split},
    rank::{FORM_BYTES, Form},
    text::{Day, Fields},
};

impl Index {
    /// Puts a file in place of what was known of it. Docs whose text is the same keep their
    /// vectors.
    pub fn put(&mut self, mut file: File, body: Body<'_>) {
        // A delta takes numbers only.
        file.importance = if file.importance.is_finite() { file.importance } else { 0.5 };
        let mut kept = self.take(file.node);
        let number = small(self.files.len());
        let first = small(self.docs.len());
        let links = self.put_body(&file, number, body, &mut kept);
        for (_, _, held) in kept {
            self.vectors.drop(held);
        }
        self.numbers.insert(file.node, number);
        let docs = first..small(self.docs.len());
        self.order.insert(&file, &docs);
        self.handles.insert(&file, number);
        self.files.push(Some(FileRecord { file, docs, links }));
        self.note(number);
        self.garbage.total += self.cost(number);
    }

    /// Takes a file out; whether it was there.
    pub fn remove(&mut self, node: u128) -> bool {
        let known = self.numbers.contains_key(&node);
        for (_, _, held) in self.take(node) {
            self.vectors.drop(held);
        }
        known
    }

    /// Takes a file out and returns what its docs had: digest, weight and vector, by digest.
    fn take(&mut self, node: u128) -> Vec<SavedVector> {
        let Some(number) = self.numbers.remove(&node) else {
            return Vec::new();
        };
        self.garbage.dead += self.cost(number);
        if number < self.since.first_file {
            self.since.removed.push(number);
        }
        self.take_number(number)
    }

    /// As [`Self::take`], of a file by its number.
    pub(super) fn take_number(&mut self, number: u32) -> Vec<SavedVector> {
        let record = self.files[number as usize].take();
        if let Some(record) = &record {
            self.order.remove(&record.file, &record.docs);
            self.handles.remove(&record.file, number);
            self.ignored -= usize::from(record.file.ignored != Ignored::No);
            if let Some(old) = record.file.supersedes {
                self.superseding.remove(&(old, number));
            }
        }
        let mut kept = Vec::new();
        for doc in record.map_or(0..0, |record| record.docs) {
            self.text.remove(doc);
            let record = &mut self.docs[doc as usize];
            if let Some(held) = record.held.take() {
                self.vectors.detach(held);
                kept.push((record.digest, record.weight, held));
            }
        }
        kept.sort_unstable_by_key(|(digest, ..)| *digest);
        kept
    }

    /// Adds the docs and the filter of a file, and returns its links.
    fn put_body(
        &mut self,
        file: &File,
        number: u32,
        body: Body<'_>,
        kept: &mut Vec<SavedVector>,
    ) -> Box<[crate::docs::Link]> {
        let facts = Facts::of(file);
        let content = match body {
            Body::Text(content) | Body::Binary(content) => {
                self.trigrams.push(content);
                content
            }
            Body::Beginning(content) => {
                self.trigrams.push_unknown();
                content
            }
            Body::Unread => {
                self.trigrams.push_unknown();
                &[]
            }
        };
        let (Body::Text(_) | Body::Beginning(_)) = body else {
            self.put_nameless(&facts, number, "");
            return Box::default();
        };
        let note = split(content);
        let front = String::from_utf8_lossy(&content[note.frontmatter.clone()]);
        if note.docs.is_empty() {
            self.put_nameless(&facts, number, &front);
        }
        let mut front = Some(front.into_owned()).filter(|front| !front.is_empty());
        for doc in &note.docs {
            let (text, title) = (doc.text(content), doc.title());
            let whole = front.take().map(|front| front + &text);
            let titles = facts.titles(&title);
            self.text.push(facts.fields(&titles, whole.as_deref().unwrap_or(&text)));
            self.titles.push(title.as_bytes());
            let digest = digest(&text);
            let (weight, held) = match file.ignored {
                Ignored::No => {
                    let (weight, held) = self.vector_of(&text, digest, kept);
                    (weight, Some(held))
                }
                Ignored::ByRule | Ignored::ByContent => (0.0, None),
            };
            self.docs.push(DocRecord {
                file: number,
                bytes: (small(doc.bytes.start), small(doc.bytes.end)),
                lines: doc.lines,
                weight,
                digest,
                form: Form::of(&text, file.modified),
                held,
            });
        }
        links(&String::from_utf8_lossy(content)).into()
    }

    /// Adds the only doc of a file without text, which is found by its facts.
    fn put_nameless(&mut self, facts: &Facts<'_>, file: u32, front: &str) {
        self.text.push(facts.fields(&facts.file.title, front));
        self.titles.push(b"");
        self.docs.push(DocRecord { file, ..DocRecord::default() });
    }

    /// The weight and vector of the next doc: what the same text had, or made anew.
    fn vector_of(
        &mut self,
        text: &str,
        digest: u64,
        kept: &mut Vec<SavedVector>,
    ) -> (f32, VectorSlot) {
        let doc = small(self.docs.len());
        if let Ok(at) = kept.binary_search_by_key(&digest, |(digest, ..)| *digest)
            && !self.vectors.is_lost(kept[at].2)
        {
            let (_, weight, held) = kept.remove(at);
            self.vectors.pass(held, doc);
            return (weight, held);
        }
        let (vector, weight) = instant(text);
        let held = self.vectors.hold(self.vectors.source_at_once(), doc, &vector);
        (weight, held.expect("docs are fewer than a set has slots"))
    }

    /// Bytes that a file takes in a delta, nearly.
    pub(super) fn cost(&self, number: u32) -> u64 {
        let Some(record) = &self.files[number as usize] else {
            return 0;
        };
        let docs = record.docs.clone().map(|doc| {
            let held = self.docs[doc as usize].held;
            let vector = held.map_or(0, |held| self.vectors.of(held.source).vector_bytes());
            (self.text.places_bytes(doc) + self.titles.get(doc).len() + FORM_BYTES + 24) as u64
                + vector
        });
        docs.sum::<u64>() + (record.heap_bytes() + self.trigrams.filter(number).len() + 48) as u64
    }
}

/// Digest, weight and vector of a doc that was taken out.
type SavedVector = (u64, f32, VectorSlot);

/// The facts of a file as texts of its docs.
struct Facts<'a> {
    file: &'a File,
    tags: String,
    dates: String,
}

impl<'a> Facts<'a> {
    fn of(file: &'a File) -> Self {
        let mut dates = String::new();
        if file.modified > 0 {
            let day = Day::of(file.modified);
            let _ = write!(dates, "{day} {}", day.month());
        }
        Self { file, tags: file.tags.join(" "), dates }
    }

    /// The title of the file and the headings of a doc.
    fn titles<'b>(&'b self, headings: &'b str) -> Cow<'b, str> {
        match (&*self.file.title, headings) {
            (title, "") => Cow::Borrowed(title),
            ("", headings) => Cow::Borrowed(headings),
            (title, headings) => Cow::Owned(format!("{title} {headings}")),
        }
    }

    fn fields<'b>(&'b self, title: &'b str, body: &'b str) -> Fields<'b> {
        Fields { title, path: &self.file.path, tags: &self.tags, dates: &self.dates, body }
    }
}

/// The digest of a doc's text.
pub fn digest(text: &str) -> u64 {
    let mut digest = [0; 8];
    blake3::Hasher::new().update(text.as_bytes()).finalize_xof().fill(&mut digest);
    u64::from_le_bytes(digest)
}
