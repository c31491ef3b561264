//! What changed, as bytes.
//!
//! A delta is: format, whether it follows another, embedder and former embedder, version; how many
//! words, docs and files were there before; numbers of files that were removed; words and places;
//! files, each with its docs and their vectors; vectors that older docs got; and where directories
//! are. Whoever reads one that follows nothing forgets what was before.

use homefs_core::Result;

use super::{
    DocVectors, Ignored, Index, Source,
    record::{DocRecord, FileRecord},
};
use crate::{
    docs::LinkKind,
    text::codec::{write_bytes, write_number},
};

/// The first byte of a delta that is laid out as described above.
pub(super) const FORMAT: u8 = 5;

/// What the deltas so far do not say.
#[derive(Default)]
pub(super) struct Since {
    /// Whether there is a delta to follow.
    pub(super) follows: bool,
    pub(super) first_word: u32,
    pub(super) first_doc: u32,
    pub(super) first_file: u32,
    pub(super) version: u64,
    /// Files from before that are no more.
    pub(super) removed: Vec<u32>,
    /// Docs that got the embedder's vector.
    pub(super) embedded: Vec<u32>,
    /// Directories that are new, moved or gone.
    pub(super) directories: Vec<u128>,
}

/// How much the deltas hold, and how much of it is no more, in bytes, nearly.
#[derive(Default)]
pub(super) struct Garbage {
    pub(super) total: u64,
    pub(super) dead: u64,
}

impl Index {
    /// What changed since the last delta, to be kept behind it; `None` if nothing did.
    ///
    /// The first one follows nothing.
    pub fn delta(&mut self) -> Option<Vec<u8>> {
        if !self.is_changed() {
            return None;
        }
        let bytes = self.write(&self.since, false);
        self.start_delta();
        Some(bytes)
    }

    /// Whether there is anything for a delta to say.
    pub fn is_changed(&self) -> bool {
        let since = &self.since;
        since.version != self.version
            || !since.removed.is_empty()
            || !since.embedded.is_empty()
            || !since.directories.is_empty()
            || since.first_file as usize != self.files.len()
    }

    /// All of it as one delta that follows nothing, without anything of removed docs: no word,
    /// place or vector.
    ///
    /// Words, docs and files have other numbers in it. What it says is followed by the deltas of
    /// the index that [`Self::of_whole`] makes of it, not by those of this one.
    pub fn whole(&self) -> Vec<u8> {
        self.write(&Since::default(), true)
    }

    /// The index that [`Self::whole`] wrote down.
    pub fn of_whole(whole: &[u8]) -> Result<Self> {
        let mut index = Self::new("", 1)?;
        index.apply(whole)?;
        Ok(index)
    }

    /// Share of what the deltas hold that is no more; `whole` gets rid of it.
    #[expect(clippy::cast_precision_loss, reason = "a share needs no more than a float holds")]
    pub fn garbage(&self) -> f32 {
        self.garbage.dead.min(self.garbage.total) as f32 / self.garbage.total.max(1) as f32
    }

    /// Begins to collect for the next delta.
    pub(super) fn start_delta(&mut self) {
        self.since = Since {
            follows: true,
            first_word: self.text.word_count(),
            first_doc: self.text.doc_end(),
            first_file: super::small(self.files.len()),
            version: self.version,
            ..Since::default()
        };
    }

    /// Writes what `since` does not know; `whole` leaves out what was removed.
    fn write(&self, since: &Since, whole: bool) -> Vec<u8> {
        let mut bytes = vec![FORMAT, u8::from(since.follows)];
        write_model(&mut bytes, Some(self.vectors.embedder()));
        write_model(&mut bytes, self.vectors.former());
        write_number(&mut bytes, self.version);
        for first in [since.first_word, since.first_doc, since.first_file] {
            write_number(&mut bytes, u64::from(first));
        }
        write_number(&mut bytes, since.removed.len() as u64);
        for number in &since.removed {
            write_number(&mut bytes, u64::from(*number));
        }
        let mut text = Vec::new();
        let docs = if whole {
            self.text.write_whole(&mut text);
            self.text.len()
        } else {
            self.text.write_from(since.first_word, since.first_doc, &mut text);
            (self.text.doc_end() - since.first_doc) as usize
        };
        write_number(&mut bytes, docs as u64);
        write_bytes(&mut bytes, &text);
        self.write_files(since, whole, &mut bytes);
        self.write_embedded(since, &mut bytes);
        let all = || self.directories.keys().copied().collect();
        let mut directories = if since.follows { since.directories.clone() } else { all() };
        directories.sort_unstable();
        directories.dedup();
        write_number(&mut bytes, directories.len() as u64);
        for node in directories {
            bytes.extend(node.to_le_bytes());
            // No directory has an empty path.
            let path = self.directories.get(&node).map_or("", |path| path);
            write_bytes(&mut bytes, path.as_bytes());
        }
        bytes
    }

    fn write_files(&self, since: &Since, whole: bool, bytes: &mut Vec<u8>) {
        let files = || (since.first_file..).zip(&self.files[since.first_file as usize..]);
        let count = if whole { self.file_count() } else { files().count() };
        write_number(bytes, count as u64);
        // Docs of a file that is no more still take numbers, except in a whole.
        let mut docs = since.first_doc;
        for (number, record) in files() {
            if let Some(record) = record {
                self.write_file(number, record, bytes);
                docs = record.docs.end;
            } else if !whole {
                let dead = self.docs[docs as usize..].iter();
                let dead = dead.take_while(|doc| doc.file == number).count();
                write_bytes(bytes, &[]);
                write_number(bytes, dead as u64);
                docs += super::small(dead);
            }
        }
    }

    fn write_file(&self, number: u32, record: &FileRecord, bytes: &mut Vec<u8>) {
        let FileRecord { file, docs, links } = record;
        write_bytes(bytes, self.trigrams.filter(number));
        write_number(bytes, docs.len() as u64);
        bytes.extend(file.node.to_le_bytes());
        bytes.extend(file.lineage.to_le_bytes());
        write_number(bytes, file.version);
        bytes.extend(file.created.to_le_bytes());
        bytes.extend(file.modified.to_le_bytes());
        bytes.extend(file.importance.to_le_bytes());
        let supersedes = file.supersedes.map(|handle| handle.to_string()).unwrap_or_default();
        write_bytes(bytes, supersedes.as_bytes());
        bytes.push(match file.ignored {
            Ignored::No => 0,
            Ignored::ByRule => 1,
            Ignored::ByContent => 2,
        });
        for text in [&file.path, &file.title, &file.source, &file.rules] {
            write_bytes(bytes, text.as_bytes());
        }
        write_number(bytes, file.tags.len() as u64);
        for tag in &file.tags {
            write_bytes(bytes, tag.as_bytes());
        }
        write_number(bytes, links.len() as u64);
        for link in links {
            let wiki = link.kind == LinkKind::Wiki;
            bytes.push(u8::from(wiki) | u8::from(link.heading.is_some()) << 1);
            write_bytes(bytes, link.target.as_bytes());
            if let Some(heading) = &link.heading {
                write_bytes(bytes, heading.as_bytes());
            }
        }
        for doc in docs.clone() {
            self.write_doc(doc, &self.docs[doc as usize], bytes);
        }
    }

    fn write_doc(&self, doc: u32, record: &DocRecord, bytes: &mut Vec<u8>) {
        for (first, last) in [record.bytes, record.lines] {
            write_number(bytes, u64::from(first));
            write_number(bytes, u64::from(last - first));
        }
        bytes.extend(record.weight.to_le_bytes());
        bytes.extend(record.digest.to_le_bytes());
        bytes.extend(record.form.bytes());
        write_bytes(bytes, self.titles.get(doc));
        bytes.push(match record.held.map(|held| held.source) {
            None => 0,
            Some(Source::Static) => 1,
            Some(Source::Embedder) => 2,
            Some(Source::Former) => 3,
        });
        self.write_vector(record, bytes);
    }

    fn write_vector(&self, record: &DocRecord, bytes: &mut Vec<u8>) {
        let Some(held) = record.held else { return };
        let vectors = self.vectors.of(held.source);
        if let Some(vector) = vectors.get(held.slot) {
            bytes.extend(vector.scale.to_le_bytes());
            bytes.extend(vector.codes.iter().map(|code| code.to_le_bytes()[0]));
        } else {
            bytes.resize(bytes.len() + 4 + vectors.dimensions(), 0);
        }
    }

    fn write_embedded(&self, since: &Since, bytes: &mut Vec<u8>) {
        let record = |doc: &u32| &self.docs[*doc as usize];
        let old = since.embedded.iter().filter(|doc| **doc < since.first_doc);
        let old: Vec<&u32> = old.filter(|doc| record(doc).held.is_some()).collect();
        write_number(bytes, old.len() as u64);
        for doc in old {
            write_number(bytes, u64::from(*doc));
            self.write_vector(record(doc), bytes);
        }
    }
}

/// Writes the name and the dimensions of a model, or an empty name.
fn write_model(bytes: &mut Vec<u8>, vectors: Option<&DocVectors>) {
    write_bytes(bytes, vectors.map_or(&[], |vectors| vectors.name().as_bytes()));
    write_number(bytes, vectors.map_or(0, |vectors| vectors.dimensions() as u64));
}
