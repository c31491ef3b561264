//! Finding what somebody changed in the remote without homefs.

use std::collections::BTreeMap;
use std::time::Duration;

use homefs_core::{
    ErrorKind, Path, REMOTE_CONTENT_BYTES_MAX, RemoteAnswer, RemoteObject, RemoteRequest, Result,
    Tag,
};
use homefs_store::chunks::ChunkWriter;
use homefs_store::draft::RESERVED_NAMES;

use super::files::Files;
use super::import::{Edit, Text};
use super::{AT_ONCE, Copies, CopyObject, Writing};
use crate::format::{Readable, keys};
use crate::projection::unproject;
use crate::round::{Pair, page};
use crate::status::Direction;

/// What the keys of homefs itself begin with, and what comes after them all.
const OURS: &str = ".homefs/";
const AFTER_OURS: &str = ".homefs/~";
/// How the key of another space's HEAD ends.
const OTHER_HEAD: &str = "/.homefs/HEAD";
/// Whoever pushed a file writes its copy; after this it may have died.
const OVERDUE: Duration = Duration::from_mins(5);
/// A larger object is stored while it is read, so much at a time.
const PART_BYTES: u64 = 8 << 20;

impl Pair {
    /// Looks for what somebody changed in the remote without homefs, and takes it over. Returns
    /// how many files changed here.
    ///
    /// A copy that is missing, or that its machine owes for long, becomes due. Objects that cannot
    /// be files are left alone, and so is an exact copy of a copy: it may be of a file that was
    /// removed. In a space without HEAD everything is taken over: so a bucket is adopted.
    pub fn import_outside(&self) -> Result<usize> {
        self.finish_imports()?;
        let objects = self.list_outside()?;
        let copies = self.copies()?;
        let is_news = |object: &&RemoteObject| {
            copies.get(&object.key).is_none_or(|(_, tag)| *tag != object.tag)
        };
        let news: Vec<&RemoteObject> = objects.values().filter(is_news).collect();
        let mut files = self.readable_files(|_| false)?;
        let mut head = self.head()?.map(|head| head.commit);
        let mut changed = 0;
        for objects in news.chunks(AT_ONCE) {
            let answers = self.read(objects);
            // A copy is written after its commit: whatever homefs wrote is known after a pull. Those
            // with frontmatter tell it themselves.
            if head.is_some() && objects.iter().any(|object| files.is_plain(&object.key)) {
                let pulled = self.round(Direction::Pull)?.pulled;
                if pulled > 0 {
                    files = self.readable_files(|_| false)?;
                    head = self.head()?.map(|head| head.commit);
                }
                changed += pulled;
            }
            let mut look = Look {
                pair: self,
                files: &files,
                copies: &copies,
                head: head.map(|head| head.seq),
                noted: Vec::new(),
                edits: Vec::new(),
            };
            for (object, answer) in objects.iter().zip(answers) {
                if let Some((text, tag)) = answer? {
                    look.at(object, text, tag)?;
                }
            }
            self.known.note_copies(&look.noted)?;
            changed += self.import(look.edits)?;
        }
        if let Some(head) = head {
            self.find_overdue(&objects, &files)?;
            // What was just taken over is in no commit, and so looks as if its file were gone. And
            // whoever owes copies needs to know where those were that moved.
            if self.is_outside_ahead()? || self.known.copies_due()? > 0 {
                return Ok(changed);
            }
            let mut writing = Writing::new(self, head, &files)?;
            let left = writing.left();
            writing.remove(&left)?;
            changed += self.import(writing.edits)?;
            writing.failure.map_or(Ok(()), Err)?;
        }
        Ok(changed)
    }

    /// Lists the objects that may be files of the space.
    fn list_outside(&self) -> Result<BTreeMap<String, RemoteObject>> {
        let (mut found, mut others) = (BTreeMap::new(), Vec::new());
        let mut after: Option<String> = None;
        loop {
            let (objects, more) = page(&*self.remote, "", after)?;
            let last = objects.last().map(|object| object.key.clone());
            for object in objects {
                others.extend(object.key.strip_suffix(OTHER_HEAD).map(|other| format!("{other}/")));
                if can_be_file(&object.key) {
                    found.insert(object.key.clone(), object);
                }
            }
            let Some(last) = last.filter(|_| more) else { break };
            after = Some(if last.starts_with(OURS) { AFTER_OURS.to_owned() } else { last });
        }
        // A home that is at the prefix of a remote may have other spaces below it.
        found.retain(|key, _| !others.iter().any(|other| key.starts_with(other)));
        Ok(found)
    }

    /// Reads objects, large ones into chunks; one that is gone, or changes meanwhile, is `None`.
    fn read(&self, objects: &[&RemoteObject]) -> Vec<Result<Option<(Text, Tag)>>> {
        let is_large = |object: &RemoteObject| object.size_bytes > REMOTE_CONTENT_BYTES_MAX as u64;
        let small = objects.iter().filter(|object| !is_large(object));
        let get = |object: &&RemoteObject| RemoteRequest::Get {
            key: object.key.clone(),
            range: None,
            unless: None,
        };
        let mut answers = self.remote.run(small.map(get).collect()).into_iter();
        let read = |object: &&RemoteObject| {
            if is_large(object) {
                return self.read_large(object);
            }
            match answers.next() {
                Some(Ok(RemoteAnswer::Object { content, tag, .. })) => {
                    Ok(Some((Text::Bytes(content), tag)))
                }
                Some(Err(error)) if error.kind() != ErrorKind::NotFound => Err(error),
                _ => Ok(None),
            }
        };
        objects.iter().map(read).collect()
    }

    fn read_large(&self, object: &RemoteObject) -> Result<Option<(Text, Tag)>> {
        let mut writer = ChunkWriter::new(&self.space.chunks);
        let mut start = 0;
        while start < object.size_bytes {
            let end = object.size_bytes.min(start + PART_BYTES);
            let (key, range) = (object.key.clone(), Some(start..end));
            match self.remote.run_one(RemoteRequest::Get { key, range, unless: None }) {
                Ok(RemoteAnswer::Object { content, tag, .. }) if tag == object.tag => {
                    writer.push(&content)?;
                }
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                _ => return Ok(None),
            }
            start = end;
        }
        let (content, pins) = writer.finish()?;
        Ok(Some((Text::Stored(content, Some(pins)), object.tag.clone())))
    }

    /// Makes copies due that should be there and are not.
    fn find_overdue(&self, objects: &BTreeMap<String, RemoteObject>, files: &Files) -> Result<()> {
        let copies = self.copies()?;
        let before = self.space.ground.clock.now().before(OVERDUE);
        let (mut due, mut gone) = (Vec::new(), Vec::new());
        for (key, file) in files.all() {
            let copy = copies.get(key);
            let was_there = copy.is_some_and(|(_, tag)| !tag.as_str().is_empty());
            let is_gone = was_there && !objects.contains_key(key);
            if is_gone {
                gone.push(Readable { key: key.into(), copy: None });
            }
            let shows = copy.filter(|_| !is_gone).map(|(shows, _)| *shows);
            // Whoever pushed a file may be about to write its copy, but not for the second time.
            let is_overdue = is_gone || file.living.traits.changed <= before;
            if file.text.is_some() && shows != file.text && is_overdue {
                due.push(file.entry.node);
            }
        }
        self.known.note_copies(&gone)?;
        self.known.make_due(&due, before)
    }
}

/// Tells whether the object at a key may be a file of the space.
fn can_be_file(key: &str) -> bool {
    let is_free =
        |path: Path| path.names().next().is_some_and(|first| !RESERVED_NAMES.contains(&first));
    keys::path_of(key).is_some_and(is_free)
}

/// A look at objects that are not as they were known.
struct Look<'f> {
    pair: &'f Pair,
    files: &'f Files,
    copies: &'f Copies,
    /// The number of the last known commit.
    head: Option<u64>,
    noted: Vec<Readable>,
    edits: Vec<Edit>,
}

impl Look<'_> {
    fn at(&mut self, object: &RemoteObject, text: Text, tag: Tag) -> Result<()> {
        let key = object.key.as_str();
        let file = self.files.get(key);
        let node = file.map(|file| file.entry.node);
        let seen = (tag, object.modified);
        let bytes = match text {
            Text::Bytes(bytes) => bytes,
            stored @ Text::Stored(..) => {
                self.edits.push(Edit::stored(key, node, stored, seen));
                return Ok(());
            }
        };
        let Some(head) = self.head else {
            self.edits.push(Edit::new(key, node, unproject(&bytes), None, seen));
            return Ok(());
        };
        match self.pair.find(self.files, key, &bytes, self.copies.get(key))? {
            // One of a later commit will be looked at when that is known.
            CopyObject::Copy { shows, seq } if seq <= head && file.is_some() => {
                self.noted.push(Readable { key: key.into(), copy: Some((shows, seen.0)) });
            }
            CopyObject::Copy { .. } => {}
            CopyObject::Edit { taken, base } => {
                self.edits.push(Edit::new(key, node, taken, base, seen));
            }
        }
        Ok(())
    }
}
