//! Taking over what somebody wrote in the remote without homefs.
//!
//! It becomes a change of the agent `outside`, merged with what is here, and the next round pushes
//! it. The object stays as its author left it until then, and if it was not a copy, until its file
//! changes again: a bucket that is adopted is not rewritten.

use bytes::Bytes;
use homefs_core::limits::CHUNK_BYTES;
use homefs_core::{
    AgentId, ClientId, Digest, Error, ErrorKind, NodeId, Path, REMOTE_CONTENT_BYTES_MAX, Result,
    Tag, Timestamp, Version,
};
use homefs_store::chunks::{ChunkWriter, Pins};
use homefs_store::draft::Draft;
use homefs_store::guard::Permit;
use homefs_store::model::{Attrs, Kind};
use homefs_store::record::{Change, Content, Origin};
use homefs_store::space::Author;
use homefs_store::tree::{Answer, Halt, Tree, fail};

use super::AT_ONCE;
use crate::contents::Contents;
use crate::format::{self, OpenConflict, keys};
use crate::known::Import;
use crate::local;
use crate::merge::{Choice, MergedContent, beside_name, merge_content};
use crate::projection::Unprojected;
use crate::round::Pair;

/// What imports call themselves, so that a record of one is known again.
const CLIENT: ClientId = ClientId(u64::from_le_bytes(*b"homefs-o"));

/// An object that somebody else wrote.
pub(super) struct Edit {
    key: String,
    /// The file that the last known commit has at its key.
    node: Option<NodeId>,
    text: Text,
    /// The content that its author started from.
    base: Option<Digest>,
    /// What the object is known to show from here on.
    shows: Digest,
    tag: Tag,
    modified: Timestamp,
    /// Whether homefs wrote the object that somebody changed.
    is_copy: bool,
}

/// What an object holds.
pub(super) enum Text {
    Bytes(Bytes),
    /// Too much to be looked into.
    Stored(Content, Option<Pins>),
}

impl Edit {
    /// Takes an object apart from what homefs once added to it.
    pub(super) fn new(
        key: &str,
        node: Option<NodeId>,
        taken: Unprojected,
        base: Option<Digest>,
        (tag, modified): (Tag, Timestamp),
    ) -> Self {
        let shows = match &taken.written {
            // An edited copy is written again, with what then holds.
            Some(written) => written.checksum,
            None if taken.content.len() <= CHUNK_BYTES => Digest::of(&taken.content),
            None => Digest::HOLE,
        };
        let is_copy = taken.written.is_some();
        let text = Text::Bytes(taken.content);
        Self { key: key.to_owned(), node, text, base, shows, tag, modified, is_copy }
    }

    /// Takes an object that is too large to be merged.
    pub(super) fn stored(
        key: &str,
        node: Option<NodeId>,
        text: Text,
        (tag, modified): (Tag, Timestamp),
    ) -> Self {
        let (base, shows) = (None, Digest::HOLE);
        Self { key: key.to_owned(), node, text, base, shows, tag, modified, is_copy: false }
    }

    /// Returns what is remembered of it before it is taken over.
    fn import(&self, number: u64) -> Import {
        let text = match &self.text {
            Text::Bytes(bytes) if self.shows != Digest::HOLE => Some(bytes.clone()),
            _ => None,
        };
        let (shows, tag) = (self.shows, self.tag.clone());
        Import { key: self.key.as_str().into(), number, shows, tag, text }
    }

    /// Returns a digest that tells it from others with the same key.
    fn digest(&self) -> Digest {
        match &self.text {
            Text::Bytes(bytes) => Digest::of(bytes),
            Text::Stored(..) => Digest::of(self.tag.as_str().as_bytes()),
        }
    }
}

/// What became of an edit.
struct EditOutcome {
    is_change: bool,
    /// Whether there is a file at its key.
    is_at_key: bool,
    /// Whether its text is nothing that a file holds as it is.
    is_merged: bool,
}

impl Pair {
    /// Takes over what came from outside; returns how many files changed here.
    pub(super) fn import(&self, edits: Vec<Edit>) -> Result<usize> {
        let (mut changed, mut failure) = (0, None);
        let mut edits = edits.into_iter();
        loop {
            let some: Vec<Edit> = edits.by_ref().take(AT_ONCE).collect();
            if some.is_empty() {
                return failure.map_or(Ok(changed), Err);
            }
            match self.import_some(some) {
                Ok(count) => changed += count,
                Err(error) => drop(failure.get_or_insert(error)),
            }
        }
    }

    /// Takes over so few that their changes have numbers.
    fn import_some(&self, edits: Vec<Edit>) -> Result<usize> {
        self.settle()?;
        let version = self.space.base.folded()?.version;
        let imports: Vec<Import> = edits
            .iter()
            .zip(0..)
            .map(|(edit, place)| edit.import(number(version, place)))
            .collect();
        // Before anything is changed: to take a text over once more could write its words again.
        self.known.begin_imports(&imports)?;
        let (mut changed, mut noted, mut failure) = (0, Vec::new(), None);
        for (mut edit, import) in edits.into_iter().zip(imports) {
            match self.take_over(&mut edit, import.number) {
                Ok(taken) => {
                    changed += usize::from(taken.is_change);
                    let is_kept = taken.is_merged || edit.is_copy;
                    // What has another name here would be taken for one that was removed.
                    if taken.is_at_key {
                        let text = import.text.clone().filter(|_| is_kept);
                        noted.push(Import { text, ..import });
                    } else {
                        self.known.forget_import(&import.key)?;
                    }
                }
                Err(error) => {
                    self.known.forget_import(&import.key)?;
                    // Somebody writes here: it is found again.
                    if error.kind() != ErrorKind::Conflict {
                        failure.get_or_insert(error);
                    }
                }
            }
        }
        self.end_imports(&noted)?;
        failure.map_or(Ok(changed), Err)
    }

    /// Notes what had been taken over when the process died, and forgets what had not.
    pub(super) fn finish_imports(&self) -> Result<()> {
        let mut noted = Vec::new();
        for import in self.known.imports()? {
            let path = keys::path_of(&import.key);
            let is_at_key = path.map_or(Ok(None), |path| self.file_at(&path))?.is_some();
            if is_at_key && self.was_made(import.number)? {
                noted.push(import);
            } else {
                self.known.forget_import(&import.key)?;
            }
        }
        if noted.is_empty() { Ok(()) } else { self.end_imports(&noted) }
    }

    /// Tells whether the change of this number was made.
    fn was_made(&self, number: u64) -> Result<bool> {
        let author =
            Author { origin: Some(origin(number)), ..Author::new(AgentId::new(AgentId::OUTSIDE)?) };
        let answered = self.space.answered(&author, Permit::follower());
        match answered.or_error(&self.space.name) {
            Ok(answered) => Ok(answered.is_some()),
            // One after it was made, and what fails is forgotten before the next begins.
            Err(error) if error.kind() == ErrorKind::Conflict => Ok(true),
            Err(error) => Err(error),
        }
    }

    fn end_imports(&self, taken: &[Import]) -> Result<()> {
        // Power loss must not take what is known to have been taken over.
        let journal = &self.space.ground.journal;
        journal.barrier(journal.end())?;
        self.known.end_imports(taken)
    }

    fn take_over(&self, edit: &mut Edit, number: u64) -> Result<EditOutcome> {
        let path = keys::path_of(&edit.key)
            .ok_or_else(|| Error::new(ErrorKind::Internal, "an object cannot be a file"))?;
        let seen = self.space.base.folded()?.version;
        let node = match edit.node {
            Some(node) if self.space.base.node(node)?.is_some() => Some(node),
            _ => self.file_at(&path)?,
        };
        let Some(node) = node else { return self.make(&path, edit, None, number) };
        let Some(here) = local::living(&self.space, node)? else {
            return self.make(&path, edit, None, number);
        };
        let beside = Some((node, here.content.clone()));
        let Text::Bytes(text) = &edit.text else { return self.make(&path, edit, beside, number) };
        if here.content.size() > REMOTE_CONTENT_BYTES_MAX as u64 {
            return self.make(&path, edit, beside, number);
        }
        let bytes = Contents::new(self, []).bytes(&here.content)?;
        let base = edit.base.map_or(Ok(None), |base| self.base(&edit.key, base))?;
        let name = path.name().unwrap_or_default();
        match merge_content(name, base.as_deref(), &bytes, text) {
            MergedContent::Beside { .. } => self.make(&path, edit, beside, number),
            MergedContent::One { bytes: merged, .. } if merged == *bytes => {
                let is_merged = merged != *text;
                Ok(EditOutcome { is_change: false, is_at_key: true, is_merged })
            }
            MergedContent::One { bytes: merged, noted } => {
                let (content, pins) = self.store(&merged)?;
                let pushed = self.named(&content)?;
                self.space.load_names(node).or_error(&self.space.name)?;
                self.change(number, pins, |tree, draft| {
                    if tree.named(node).is_none_or(|known| known.version > seen) {
                        return Err(fail(ErrorKind::Conflict, "changed here meanwhile"));
                    }
                    draft.push_content(node, content.clone(), None);
                    Ok(())
                })?;
                if noted {
                    // The author's own text is in no commit; what became of it is.
                    self.found(node, Choice::Overlap, here.content, pushed)?;
                }
                let is_merged = merged != *text;
                Ok(EditOutcome { is_change: true, is_at_key: true, is_merged })
            }
        }
    }

    /// Makes a new file, beside the one that has its name if there is one.
    fn make(
        &self,
        path: &Path,
        edit: &mut Edit,
        beside: Option<(NodeId, format::Content)>,
        number: u64,
    ) -> Result<EditOutcome> {
        let digest = edit.digest();
        let (content, pins) = match &mut edit.text {
            Text::Bytes(bytes) => self.store(bytes)?,
            Text::Stored(content, pins) => (content.clone(), pins.take()),
        };
        let ground = &self.space.ground;
        let (node, pushed) = (ground.new_node(ground.clock.now()), self.named(&content)?);
        let (mut is_change, mut is_at_key) = (false, false);
        self.change(number, pins, |tree, draft| {
            let place = Destination::find(tree, path, digest, beside.is_some())?;
            is_change = place.is_some();
            is_at_key = place.as_ref().is_some_and(|place| Some(&*place.name) == path.name());
            let Some(place) = place else { return Ok(()) };
            let parent = place.directories(draft)?;
            let attrs = Attrs { modified: edit.modified, ..draft.attrs(Kind::File, None) };
            draft.push(Change::Make { node, attrs: attrs.clone() });
            draft.bind(parent, &place.name, Some(node));
            draft.push_content(node, content.clone(), Some(attrs));
            Ok(())
        })?;
        if let Some((rival, head)) = beside {
            is_at_key = true;
            if is_change {
                self.found(rival, Choice::Beside(node), head, pushed)?;
            }
        }
        Ok(EditOutcome { is_change, is_at_key, is_merged: false })
    }

    /// Returns the file that is at a path here.
    fn file_at(&self, path: &Path) -> Result<Option<NodeId>> {
        let found = self.space.look(Permit::follower(), |tree| {
            let node = tree.find(path, false)?;
            let is_file = tree.node(node)?.attrs.kind == Kind::File;
            Ok(is_file.then_some(node))
        });
        match found {
            // A link or a file on the way: there is none.
            Err(Halt::Link { .. }) => Ok(None),
            found => found
                .or_none(&self.space.name, |error| is_nothing(error.kind()))
                .map(Option::flatten),
        }
    }

    /// Returns what an author started from, if it can be had.
    fn base(&self, key: &str, digest: Digest) -> Result<Option<Bytes>> {
        if let Some(text) = self.known.outside(key, digest)? {
            return Ok(Some(text));
        }
        match self.texts([digest].into_iter()) {
            Ok(mut texts) => Ok(texts.remove(&digest)),
            Err(error) if error.kind() == ErrorKind::Unavailable => Err(error),
            Err(_) => Ok(None),
        }
    }

    fn store(&self, bytes: &[u8]) -> Result<(Content, Option<Pins>)> {
        let mut writer = ChunkWriter::new(&self.space.chunks);
        writer.push(bytes)?;
        writer.finish().map(|(content, pins)| (content, Some(pins)))
    }

    /// Returns a content of this space as commits name it.
    fn named(&self, content: &Content) -> Result<format::Content> {
        let small = |digest, size: u64| match u32::try_from(size) {
            Ok(size) if size > 0 => format::Content::Small { digest, size },
            _ => format::Content::Empty,
        };
        Ok(match content {
            Content::Inline(bytes) => small(Digest::of(bytes), bytes.len() as u64),
            Content::Blob { digest, size } => small(*digest, *size),
            Content::Chunked { size, leaves } => {
                let pieces = if format::Content::names_leaves(*size) {
                    leaves.clone()
                } else {
                    let chunks = self.space.chunks.cut(*size, leaves)?;
                    chunks.into_iter().map(|(chunk, _)| chunk).collect()
                };
                format::Content::Chunked { size: *size, pieces }
            }
        })
    }

    fn change(
        &self,
        number: u64,
        pins: Option<Pins>,
        build: impl FnMut(&Tree, &mut Draft<'_>) -> Result<(), Halt>,
    ) -> Result<()> {
        let author =
            Author { origin: Some(origin(number)), ..Author::new(AgentId::new(AgentId::OUTSIDE)?) };
        let done = self.space.change(&author, Permit::outside(), build);
        let done = done.or_error(&self.space.name)?;
        if let Some(pins) = pins {
            self.space.hold(done.version, pins);
        }
        Ok(())
    }

    /// Notes a conflict. Both contents are here by now, or no push could send them.
    fn found(
        &self,
        node: NodeId,
        choice: Choice,
        head: format::Content,
        pushed: format::Content,
    ) -> Result<()> {
        let text = format!("{node} {choice:?} {head:?} {pushed:?}");
        let digest = Digest::of(text.as_bytes()).0;
        let first = digest.first_chunk().expect("a digest is longer than a number");
        let number = u64::from_le_bytes(*first);
        let (machine, time) = (self.machine.id(), self.space.ground.clock.now());
        self.known.found(&[OpenConflict { number, node, choice, head, pushed, machine, time }])
    }
}

/// Returns the number of a change that is made when the space has a version, one of several. Each is
/// higher than all before: a later version, or a later place at the same one.
fn number(version: Version, place: u64) -> u64 {
    (version.0 + 1) * AT_ONCE as u64 + place
}

/// Names the change that takes something over.
fn origin(number: u64) -> Origin {
    Origin { client: CLIENT, number }
}

fn is_nothing(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// Where a new file goes.
struct Destination<'p> {
    /// The directory that is there.
    parent: NodeId,
    /// Those that are not.
    missing: Vec<&'p str>,
    name: String,
}

impl<'p> Destination<'p> {
    /// Finds the place for a file at a path; what has its name, or the name of a directory above
    /// it, gives it another. `None` if that was done before.
    fn find(
        tree: &Tree,
        path: &'p Path,
        digest: Digest,
        mut is_beside: bool,
    ) -> Result<Option<Self>, Halt> {
        let mut names: Vec<&str> = path.names().collect();
        let last = names.pop().unwrap_or_default();
        let (mut parent, mut missing) = (NodeId::ROOT, Vec::new());
        for name in names {
            let child = if missing.is_empty() { tree.child(parent, name)? } else { None };
            match child {
                None => missing.push(name),
                Some(child) if tree.node(child)?.attrs.kind == Kind::Directory => parent = child,
                Some(_) => {
                    is_beside = true;
                    break;
                }
            }
        }
        let is_free = |name: &str| -> Result<bool, Halt> {
            Ok(!missing.is_empty() || tree.child(parent, name)?.is_none())
        };
        let mut name = last.to_owned();
        if is_beside || !is_free(last)? {
            name = beside_name(last, digest);
            if !is_free(&name)? {
                return Ok(None);
            }
        }
        Ok(Some(Self { parent, missing, name }))
    }

    /// Makes the directories that are missing.
    fn directories(&self, draft: &mut Draft<'_>) -> Result<NodeId, Halt> {
        self.missing.iter().try_fold(self.parent, |parent, name| {
            let attrs = draft.attrs(Kind::Directory, None);
            draft.make(parent, name, attrs)
        })
    }
}
