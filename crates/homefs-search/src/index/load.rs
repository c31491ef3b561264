//! Deltas back in, whatever their bytes are.

use homefs_core::Result;

use super::{
    File, Handle, Ignored, Index, Source,
    delta::FORMAT,
    record::{DocRecord, FileRecord},
    small,
};
use crate::{
    docs::{Link, LinkKind},
    embed::Quantised,
    rank::Form,
    text::codec::{Reader, corrupt},
};

/// A text section of more bytes is worth a thread of its own.
const THREAD_BYTES_MIN: usize = 1 << 20;

impl Index {
    /// Takes a delta in; they come in the order they were made. Anything odd is `Corrupt`, and the
    /// index is empty then.
    pub fn apply(&mut self, delta: &[u8]) -> Result<()> {
        let (name, dimensions) = (self.embedder().to_owned(), self.vectors().dimensions());
        let read = self.read(delta);
        if read.is_err() {
            *self = Self::new(&name, dimensions)?;
        }
        // A model that no set of vectors takes is damage too.
        read.map_err(|error| corrupt().with_source(error))
    }

    fn read(&mut self, delta: &[u8]) -> Result<()> {
        let mut bytes = Reader::new(delta);
        let [format, follows] = bytes.array()?;
        let embedder = (bytes.text()?, bytes.small()? as usize);
        let former = (bytes.text()?, bytes.small()? as usize);
        if format != FORMAT || follows > 1 {
            return Err(corrupt());
        }
        if follows == 0 {
            *self = Self::new(embedder.0, embedder.1)?;
            if !former.0.is_empty() {
                self.vectors.set_former(former.0, former.1)?;
            }
        }
        self.version = bytes.number()?;
        let first_doc = self.text.doc_end();
        let counts = [self.text.word_count(), first_doc, small(self.files.len())];
        let before = [bytes.small()?, bytes.small()?, bytes.small()?];
        let own = (self.embedder(), self.vectors().dimensions());
        if own != embedder || counts != before {
            return Err(corrupt());
        }
        for _ in 0..bytes.count()? {
            let number = bytes.small()?;
            self.read_removed(number)?;
        }
        let docs = bytes.count()?;
        let text = Reader::new(bytes.bytes()?);
        let first_file = small(self.files.len());
        for doc in self.read_parts(text, &mut bytes, docs)? {
            self.text.remove(doc);
        }
        (first_file..small(self.files.len())).for_each(|number| self.note(number));
        self.read_embedded(&mut bytes, first_doc)?;
        for _ in 0..bytes.count()? {
            let node = u128::from_le_bytes(bytes.array()?);
            let path = bytes.text()?;
            self.set_directory(node, Some(path).filter(|path| !path.is_empty()));
        }
        self.garbage.total += delta.len() as u64;
        self.start_delta();
        if bytes.is_empty() { Ok(()) } else { Err(corrupt()) }
    }

    fn read_removed(&mut self, number: u32) -> Result<()> {
        let record = self.files.get(number as usize).ok_or_else(corrupt)?;
        let node = record.as_ref().ok_or_else(corrupt)?.file.node;
        self.numbers.remove(&node);
        self.garbage.dead += self.cost(number);
        for (_, _, held) in self.take_number(number) {
            self.vectors.drop(held);
        }
        Ok(())
    }

    /// Reads the words and the files, side by side if they are many, and returns the docs of files
    /// that are no more.
    fn read_parts(
        &mut self,
        text: Reader<'_>,
        bytes: &mut Reader<'_>,
        docs: usize,
    ) -> Result<Vec<u32>> {
        let mut index = std::mem::take(&mut self.text);
        let (words, files) = if text.len() < THREAD_BYTES_MIN {
            (index.read(text, docs), self.read_files(bytes, docs))
        } else {
            std::thread::scope(|scope| {
                let words = scope.spawn(|| index.read(text, docs));
                let files = self.read_files(bytes, docs);
                (words.join().unwrap_or_else(|_| Err(corrupt())), files)
            })
        };
        self.text = index;
        words.and(files)
    }

    fn read_files(&mut self, bytes: &mut Reader<'_>, docs: usize) -> Result<Vec<u32>> {
        let (first_file, end) = (self.files.len(), self.docs.len() + docs);
        let (mut dead, mut vector) = (Vec::new(), Quantised::new(&[]));
        let files = bytes.count()?;
        self.files.reserve(files);
        self.numbers.reserve(files);
        self.docs.reserve(docs);
        for number in small(self.files.len())..small(self.files.len() + files) {
            let filter = bytes.bytes()?;
            let first = small(self.docs.len());
            let last = first.checked_add(bytes.small()?).ok_or_else(corrupt)?;
            if last as usize > end {
                return Err(corrupt());
            }
            if filter.is_empty() {
                self.trigrams.push_unknown();
                self.files.push(None);
                dead.extend(first..last);
                for _ in first..last {
                    self.docs.push(DocRecord { file: number, ..DocRecord::default() });
                    self.titles.push(b"");
                }
                continue;
            }
            self.trigrams.push_filter(filter)?;
            let file = read_file(bytes)?;
            let links = (0..bytes.count()?).map(|_| read_link(bytes)).collect::<Result<_>>()?;
            if self.numbers.insert(file.node, number).is_some() {
                return Err(corrupt());
            }
            for _ in first..last {
                self.read_doc(number, bytes, &mut vector)?;
            }
            self.files.push(Some(FileRecord { file, docs: first..last, links }));
        }
        let known = self.files[first_file..].iter().flatten();
        self.order.extend(known.map(|record| (&record.file, &record.docs)));
        let numbered = (small(first_file)..).zip(&self.files[first_file..]);
        let numbered = numbered.filter_map(|(at, record)| Some((&record.as_ref()?.file, at)));
        self.handles.extend(numbered);
        if self.docs.len() == end { Ok(dead) } else { Err(corrupt()) }
    }

    fn read_doc(
        &mut self,
        file: u32,
        bytes: &mut Reader<'_>,
        vector: &mut Quantised,
    ) -> Result<()> {
        let doc = small(self.docs.len());
        let mut span = || -> Result<(u32, u32)> {
            let first = bytes.small()?;
            Ok((first, first.checked_add(bytes.small()?).ok_or_else(corrupt)?))
        };
        let (span, lines) = (span()?, span()?);
        let weight = bytes.float()?;
        let digest = u64::from_le_bytes(bytes.array()?);
        let form = Form::read(bytes)?;
        self.titles.push(bytes.text()?.as_bytes());
        let source = match bytes.array()? {
            [0] => None,
            [1] => Some(Source::Static),
            [2] => Some(Source::Embedder),
            [3] if self.vectors.former().is_some() => Some(Source::Former),
            _ => return Err(corrupt()),
        };
        let held = match source {
            None => None,
            Some(source) => {
                self.read_vector(source, bytes, vector)?;
                Some(self.vectors.hold(source, doc, vector)?)
            }
        };
        self.docs.push(DocRecord { file, bytes: span, lines, weight, digest, form, held });
        Ok(())
    }

    /// Reads a vector into one that was read before, which saves an allocation for each.
    fn read_vector(
        &self,
        source: Source,
        bytes: &mut Reader<'_>,
        vector: &mut Quantised,
    ) -> Result<()> {
        vector.scale = bytes.float()?;
        let codes = bytes.take(self.vectors.of(source).dimensions())?;
        if vector.codes.len() != codes.len() {
            vector.codes = vec![0; codes.len()].into();
        }
        for (to, code) in vector.codes.iter_mut().zip(codes) {
            *to = i8::from_le_bytes([*code]);
        }
        Ok(())
    }

    fn read_embedded(&mut self, bytes: &mut Reader<'_>, end: u32) -> Result<()> {
        let mut vector = Quantised::new(&[]);
        for _ in 0..bytes.count()? {
            let doc = bytes.small()?;
            self.read_vector(Source::Embedder, bytes, &mut vector)?;
            let record = self.docs.get(doc as usize).filter(|_| doc < end).ok_or_else(corrupt)?;
            let held = record.held.filter(|held| held.waits()).ok_or_else(corrupt)?;
            self.hold_embedded(doc, held, &vector)?;
        }
        Ok(())
    }
}

fn read_file(bytes: &mut Reader<'_>) -> Result<File> {
    Ok(File {
        node: u128::from_le_bytes(bytes.array()?),
        lineage: u128::from_le_bytes(bytes.array()?),
        version: bytes.number()?,
        created: i64::from_le_bytes(bytes.array()?),
        modified: i64::from_le_bytes(bytes.array()?),
        importance: bytes.float()?,
        supersedes: match bytes.text()? {
            "" => None,
            handle => Some(Handle::parse(handle).ok_or_else(corrupt)?),
        },
        ignored: match bytes.array()? {
            [0] => Ignored::No,
            [1] => Ignored::ByRule,
            [2] => Ignored::ByContent,
            _ => return Err(corrupt()),
        },
        path: bytes.text()?.into(),
        title: bytes.text()?.into(),
        source: bytes.text()?.into(),
        rules: bytes.text()?.into(),
        tags: (0..bytes.count()?).map(|_| Ok(bytes.text()?.into())).collect::<Result<_>>()?,
    })
}

fn read_link(bytes: &mut Reader<'_>) -> Result<Link> {
    let [marks] = bytes.array()?;
    if marks > 3 {
        return Err(corrupt());
    }
    let kind = if marks & 1 == 1 { LinkKind::Wiki } else { LinkKind::Markdown };
    let target = bytes.text()?.to_owned();
    let heading = if marks & 2 == 2 { Some(bytes.text()?.to_owned()) } else { None };
    Ok(Link { kind, target, heading })
}
