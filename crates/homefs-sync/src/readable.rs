//! Readable copies: files that people read stand in the remote as they read them, Markdown and
//! text with frontmatter, all others as they are.
//!
//! A copy is written after the commit that has its content, and can be written again from it at
//! any time. What is known of copies is a hint only; the remote decides, in the step that writes,
//! whether a copy still is what it was. One that is not is looked at: a copy that no hand has
//! changed may be replaced, everything else came from outside and is taken over first.
//!
//! A removal has no condition, so an edit in the moment between the look and the removal is lost
//! with the copy. Nothing that the history has is ever lost with one.

mod files;
mod import;
mod outside;
mod patterns;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path as HostPath;

use bytes::Bytes;
use homefs_core::{
    AgentId, Condition, Digest, Error, ErrorKind, NodeId, RemoteAnswer, RemoteRequest, Result, Tag,
    Timestamp,
};
use homefs_store::meta;

use self::files::{File, Files};
use self::import::Edit;
pub use self::patterns::Patterns;
use self::patterns::has_frontmatter;
use crate::contents::Contents;
use crate::format::{CommitId, Readable, keys};
use crate::known::RemoteTracking;
use crate::projection::{Frontmatter, Unprojected, project, unproject};
use crate::round::{Pair, put};
use crate::status::Direction;

/// Requests of one batch.
const AT_ONCE: usize = 32;
/// Most copies that are written, or removed, before others have their turn.
const SLICE: usize = 128;

/// The copies as last known, by key: the digest of the text that each shows, and its state. An
/// empty tag says that there is none, since the file is not text.
type Copies = BTreeMap<String, (Digest, Tag)>;

impl Pair {
    /// Writes a slice of the readable copies that have been due since `before` at the latest, and
    /// tells whether that were all that can be written now.
    pub fn write_copies(&self, before: Timestamp) -> Result<bool> {
        let due = self.known.due(before)?;
        if due.is_empty() {
            return Ok(true);
        }
        self.finish_imports()?;
        // What came from outside stands nowhere but in the copies until it is pushed.
        if self.is_outside_ahead()? {
            return Ok(true);
        }
        let files = self.readable_files(|node| due.contains_key(&node))?;
        // Read after the files: a copy may name a later commit than its text needs, but no
        // earlier one, or another machine would take it for older than it is.
        let Some(head) = self.head()? else { return Ok(true) };
        Writing::new(self, head.commit, &files)?.run(&due)
    }

    /// Collects the files of the last known commit; some nodes have changed.
    fn readable_files(&self, is_changed: impl Fn(NodeId) -> bool) -> Result<Files> {
        let patterns = Patterns::new(&self.space.ground.settings.readable)?;
        Files::new(&self.known, patterns, is_changed)
    }

    /// Tells whether something that came from outside is not pushed yet.
    fn is_outside_ahead(&self) -> Result<bool> {
        self.fold.catch_up(&self.space.name)?;
        let changes = self.space.base.changes_since(self.known.agreed()?.cursor, usize::MAX)?;
        Ok(changes.iter().any(|change| change.agent.as_str() == AgentId::OUTSIDE))
    }

    fn copies(&self) -> Result<Copies> {
        let copies = self.known.readable(false)?.into_iter();
        Ok(copies.filter_map(|row| Some((row.key.into(), row.copy?))).collect())
    }
}

/// Makes every copy of the space in a directory due again, if it has a remote: the next owner that
/// is attached to it writes them.
pub fn rebuild_copies(dir: &HostPath) -> Result<()> {
    let Some(known) = RemoteTracking::open_existing(dir)? else { return Ok(()) };
    let files = Files::new(&known, Patterns::new("")?, |_| false)?;
    let nodes: Vec<NodeId> = files.nodes().into_iter().collect();
    known.make_due(&nodes, Timestamp(0))
}

/// What an object at the key of a copy is.
enum CopyObject {
    /// A copy as homefs wrote it, at this commit.
    Copy { shows: Digest, seq: u64 },
    /// Something that somebody else wrote, and what it started from.
    Edit { taken: Unprojected, base: Option<Digest> },
}

impl Pair {
    /// Tells what an object at a key is; `copy` is what is known to have stood there.
    fn find(
        &self,
        files: &Files,
        key: &str,
        object: &Bytes,
        copy: Option<&(Digest, Tag)>,
    ) -> Result<CopyObject> {
        let (file, shown) = (files.get(key), copy.map(|(shows, _)| *shows));
        if files.is_plain(key) {
            return self.find_plain(object, file.and_then(|file| file.text), shown);
        }
        let taken = unproject(object);
        let own =
            taken.written.as_ref().filter(|written| match (&written.frontmatter.path, file) {
                (_, None) => true,
                // It says where homefs wrote it, whichever file was there.
                (Some(path), Some(_)) => Some(path) == keys::path_of(key).as_ref(),
                // One of an older homefs: the copy of another file was put here by hand.
                (None, Some(file)) => file.living.traits.created == written.frontmatter.created,
            });
        Ok(match own {
            Some(own) if !taken.is_edited() => {
                CopyObject::Copy { shows: own.checksum, seq: own.frontmatter.commit.seq }
            }
            Some(own) => CopyObject::Edit { base: Some(own.checksum), taken },
            None => CopyObject::Edit { base: shown, taken },
        })
    }

    /// Tells what an object is that says nothing of itself: homefs wrote it if some commit has its
    /// content. But where the newest text has been seen, homefs never puts an older one.
    fn find_plain(
        &self,
        object: &Bytes,
        text: Option<Digest>,
        shown: Option<Digest>,
    ) -> Result<CopyObject> {
        let digest = Digest::of(object);
        let was_newest = text.is_some() && shown == text;
        if text == Some(digest) || (!was_newest && self.known.has(digest)?) {
            return Ok(CopyObject::Copy { shows: digest, seq: 0 });
        }
        let taken = Unprojected { content: object.clone(), written: None };
        Ok(CopyObject::Edit { taken, base: shown })
    }
}

/// A copy that is to be written.
struct Task<'f> {
    key: &'f str,
    file: File<'f>,
    text: Digest,
}

/// Copies on their way.
struct Writing<'p> {
    pair: &'p Pair,
    head: CommitId,
    files: &'p Files,
    copies: Copies,
    /// News of copies that are not noted yet.
    noted: Vec<Readable>,
    /// Nodes whose copy is not what it should be.
    open: BTreeSet<NodeId>,
    edits: Vec<Edit>,
    /// The first failure.
    failure: Option<Error>,
}

impl<'p> Writing<'p> {
    fn new(pair: &'p Pair, head: CommitId, files: &'p Files) -> Result<Self> {
        let copies = pair.copies()?;
        let (noted, open) = (Vec::new(), BTreeSet::new());
        Ok(Self { pair, head, files, copies, noted, open, edits: Vec::new(), failure: None })
    }

    /// Writes a slice, and tells whether that were all.
    fn run(mut self, due: &BTreeMap<NodeId, Timestamp>) -> Result<bool> {
        let mut left = self.left();
        let mut tasks = self.tasks(due, &mut left);
        let later: BTreeSet<NodeId> = tasks
            .split_off(tasks.len().min(SLICE))
            .iter()
            .map(|task| task.file.entry.node)
            .collect();
        for tasks in tasks.chunks(AT_ONCE) {
            self.write(tasks, &mut left)?;
            self.note()?;
        }
        let mut is_all = later.is_empty();
        if is_all {
            // Only now: where a copy was tells which one follows its directory.
            is_all = left.len() <= SLICE;
            self.remove(&left.into_iter().take(SLICE).collect())?;
        }
        self.pair.import(std::mem::take(&mut self.edits))?;
        let served: BTreeSet<NodeId> = tasks.iter().map(|task| task.file.entry.node).collect();
        let late: Vec<NodeId> =
            self.open.iter().copied().filter(|node| !due.contains_key(node)).collect();
        self.pair.known.make_due(&late, Timestamp(0))?;
        // What is to be removed belongs to nodes that have no copy now.
        let is_whole = is_all && self.failure.is_none();
        let is_done = |node: &NodeId| {
            let is_open = self.open.contains(node) || later.contains(node);
            !is_open && (is_whole || served.contains(node))
        };
        let done = due.iter().filter(|(node, _)| is_done(node));
        self.pair.known.make_done(done.map(|(node, since)| (*node, *since)))?;
        self.failure.map_or(Ok(is_all), Err)
    }

    /// Returns the keys of copies that no file has any more.
    fn left(&self) -> BTreeSet<String> {
        let is_left = |key: &&String| self.files.get(key).is_none();
        self.copies.keys().filter(is_left).cloned().collect()
    }

    /// Returns the known state of a copy.
    fn tag(&self, key: &str) -> Option<&Tag> {
        self.copies.get(key).map(|(_, tag)| tag).filter(|tag| !tag.as_str().is_empty())
    }

    /// Collects the copies to be written; those that are to go are added to `left`.
    fn tasks(
        &self,
        due: &BTreeMap<NodeId, Timestamp>,
        left: &mut BTreeSet<String>,
    ) -> Vec<Task<'p>> {
        let former: BTreeSet<Digest> =
            left.iter().filter_map(|key| Some(self.copies.get(key)?.0)).collect();
        let mut tasks = Vec::new();
        for (key, file) in self.files.all() {
            let copy = self.copies.get(key);
            let is_due = due.contains_key(&file.entry.node);
            match file.text {
                None if is_due => {
                    // A longer one was never a copy: it came from outside.
                    let is_copy = self.files.is_readable(key)
                        && copy.is_some_and(|copy| copy.0 != Digest::HOLE);
                    left.extend(is_copy.then(|| key.to_owned()));
                }
                None => {}
                Some(text) => {
                    let shows = copy.map(|copy| copy.0);
                    // What came from outside stands there as its author wrote it.
                    let stays =
                        file.entry.agent.as_str() == AgentId::OUTSIDE && shows == Some(text);
                    // A copy follows the directory that it is in.
                    let follows = file.is_below && shows.is_none() && former.contains(&text);
                    if (is_due && !stays) || follows {
                        tasks.push(Task { key, file, text });
                    }
                }
            }
        }
        tasks
    }

    fn write(&mut self, tasks: &[Task<'p>], left: &mut BTreeSet<String>) -> Result<()> {
        let texts = tasks.iter().map(|task| task.text);
        let texts = self.pair.texts(texts)?;
        let mut sent = Vec::new();
        for task in tasks {
            let Some(text) = texts.get(&task.text) else { continue };
            let object = if has_frontmatter(task.key) {
                project(text, &self.frontmatter(task))
            } else {
                Some(text.clone())
            };
            match (object, self.copies.get(task.key)) {
                (Some(object), _) => sent.push((task, object)),
                (None, Some((shows, _))) if *shows == task.text => {}
                (None, Some(_)) => drop(left.insert(task.key.to_owned())),
                (None, None) => self.wrote(task, Tag::new("")),
            }
        }
        let puts = sent.iter().map(|(task, object)| {
            let condition = self.tag(task.key).cloned();
            let condition = condition.map_or(Condition::Absent, Condition::Unchanged);
            put(task.key.into(), object.clone(), condition)
        });
        let answers = self.pair.remote.run(puts.collect());
        let mut changed = Vec::new();
        for ((task, object), answer) in sent.into_iter().zip(answers) {
            match answer {
                Err(error) if error.kind() == ErrorKind::Conflict => changed.push((task, object)),
                answer => self.answered(task, answer),
            }
        }
        self.look(changed)
    }

    /// Looks at copies that are not as they were known, and writes those that may be replaced.
    fn look(&mut self, changed: Vec<(&Task<'p>, Bytes)>) -> Result<()> {
        let get = |(task, _): &(&Task<'_>, Bytes)| RemoteRequest::Get {
            key: task.key.into(),
            range: None,
            unless: None,
        };
        let answers = self.pair.remote.run(changed.iter().map(get).collect());
        let mut again = Vec::new();
        for ((task, object), answer) in changed.into_iter().zip(answers) {
            let (content, tag, modified) = match answer {
                Ok(RemoteAnswer::Object { content, tag, modified }) => (content, tag, modified),
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    again.push((task, put(task.key.into(), object, Condition::Absent)));
                    continue;
                }
                answer => {
                    self.answered(task, answer);
                    continue;
                }
            };
            let found = self.find(task, &content)?;
            match found {
                // Whoever knows a later commit knows better.
                CopyObject::Copy { seq, .. } if seq > self.head.seq => {}
                CopyObject::Copy { .. } if content == object => self.wrote(task, tag),
                CopyObject::Copy { .. } => {
                    again.push((task, put(task.key.into(), object, Condition::Unchanged(tag))));
                }
                CopyObject::Edit { taken, base } => {
                    self.open.insert(task.file.entry.node);
                    let node = Some(task.file.entry.node);
                    self.edits.push(Edit::new(task.key, node, taken, base, (tag, modified)));
                }
            }
        }
        let (tasks, puts): (Vec<_>, Vec<_>) = again.into_iter().unzip();
        for (task, answer) in tasks.into_iter().zip(self.pair.remote.run(puts)) {
            match answer {
                // Somebody writes there: later.
                Err(error) if error.kind() == ErrorKind::Conflict => {
                    self.open.insert(task.file.entry.node);
                }
                answer => self.answered(task, answer),
            }
        }
        Ok(())
    }

    /// Tells what stands where a copy is to be written.
    fn find(&self, task: &Task<'_>, object: &Bytes) -> Result<CopyObject> {
        let found = self.pair.find(self.files, task.key, object, self.copies.get(task.key))?;
        let (shows, known) = (Digest::of(object), &self.pair.known);
        let is_edit = matches!(found, CopyObject::Edit { .. });
        if !is_edit || !self.files.is_plain(task.key) || known.has(shows)? {
            return Ok(found);
        }
        // A copy is written after its commit: whatever homefs put there is known after a pull, and
        // is newer than this machine was.
        self.pair.round(Direction::Pull)?;
        Ok(if known.has(shows)? { CopyObject::Copy { shows, seq: u64::MAX } } else { found })
    }

    /// Removes copies that no file has any more.
    fn remove(&mut self, keys: &BTreeSet<String>) -> Result<()> {
        for keys in keys.iter().collect::<Vec<_>>().chunks(AT_ONCE) {
            let get = |key: &&String| {
                let unless = self.tag(key).cloned();
                RemoteRequest::Get { key: (*key).clone(), range: None, unless }
            };
            let answers = self.pair.remote.run(keys.iter().map(get).collect());
            let mut gone = Vec::new();
            for (key, answer) in keys.iter().zip(answers) {
                match answer {
                    Ok(RemoteAnswer::Object { content, tag, modified }) => {
                        match self.pair.find(self.files, key, &content, self.copies.get(*key))? {
                            // It is a copy of a file that this machine does not know yet.
                            CopyObject::Copy { seq, .. } if seq > self.head.seq => {}
                            CopyObject::Copy { .. } => gone.push(*key),
                            CopyObject::Edit { taken, base } => {
                                let seen = (tag, modified);
                                self.edits.push(Edit::new(key, None, taken, base, seen));
                            }
                        }
                    }
                    Ok(_) => gone.push(*key),
                    Err(error) if error.kind() == ErrorKind::NotFound => {
                        self.noted.push(Readable { key: key.as_str().into(), copy: None });
                    }
                    Err(error) => drop(self.failure.get_or_insert(error)),
                }
            }
            let delete = |key: &&String| RemoteRequest::Delete { key: (*key).clone() };
            let answers = self.pair.remote.run(gone.iter().map(delete).collect());
            for (key, answer) in gone.into_iter().zip(answers) {
                match answer {
                    Ok(_) => self.noted.push(Readable { key: key.as_str().into(), copy: None }),
                    Err(error) => drop(self.failure.get_or_insert(error)),
                }
            }
            self.note()?;
        }
        Ok(())
    }

    fn answered(&mut self, task: &Task<'_>, answer: Result<RemoteAnswer>) {
        let error = match answer {
            Ok(RemoteAnswer::Stored { tag }) => return self.wrote(task, tag),
            Ok(_) => Error::new(ErrorKind::Internal, "a request was answered by something else"),
            Err(error) => error,
        };
        self.open.insert(task.file.entry.node);
        self.failure.get_or_insert(error);
    }

    fn wrote(&mut self, task: &Task<'_>, tag: Tag) {
        self.noted.push(Readable { key: task.key.into(), copy: Some((task.text, tag)) });
    }

    fn note(&mut self) -> Result<()> {
        self.pair.known.note_copies(&std::mem::take(&mut self.noted))
    }

    fn frontmatter(&self, task: &Task<'_>) -> Frontmatter {
        let file = task.file;
        let xattrs = &file.living.traits.xattrs;
        Frontmatter {
            agent: file.entry.agent.clone(),
            commit: self.head,
            created: file.living.traits.created,
            importance: meta::importance(xattrs),
            modified: file.living.traits.modified,
            path: keys::path_of(task.key),
            tags: meta::tags(xattrs),
            version: file.entry.version,
        }
    }
}

impl Pair {
    /// Returns contents that are one piece each.
    fn texts(&self, digests: impl Iterator<Item = Digest>) -> Result<BTreeMap<Digest, Bytes>> {
        let empty = Digest::of(b"");
        let stored = digests.filter(|digest| *digest != empty).collect();
        let mut texts = Contents::new(self, []).fetch(stored)?;
        texts.insert(empty, Bytes::new());
        Ok(texts)
    }
}
