//! Contents of files in a space: reading them wherever they are, range writes, and settling.

use std::ops::ControlFlow::{Break, Continue};

use bytes::Bytes;
use homefs_core::limits::FILE_BYTES_MAX;
use homefs_core::{Error, ErrorCode, ErrorKind, NodeId, Path, Result, Timestamp, Version};

use crate::chunks::{Pins, overwrite, read_range};
use crate::draft::{Draft, not_content};
use crate::guard::Permit;
use crate::model::Kind;
use crate::observers::Audience;
use crate::record::{Change, Content};
use crate::space::{Acknowledged, Author, Space};
use crate::staged::Staged;
use crate::tree::{Answer, Body, Halt, Node, SourcedFile, Tree, fail};

/// Most bytes of one range write in one record.
const PATCH_BYTES_MAX: usize = 1 << 20;

/// Where a range write goes.
#[derive(Clone, Copy, Debug)]
pub enum At {
    /// To this place.
    Offset(u64),
    /// To the end, wherever that is by then.
    End,
}

/// A file's content at one moment, to be read without holding the tree.
pub enum ContentSnapshot {
    /// Settled, wherever it is kept.
    Settled(Content),
    /// Not settled yet.
    Staged(Box<Staged>),
    /// With a source.
    Sourced(SourcedFile),
}

impl ContentSnapshot {
    /// Takes hold of the content of a file.
    pub fn of(tree: &Tree, node: NodeId) -> Result<(Self, Version), Halt> {
        Self::of_known(tree, node, tree.node(node)?)
    }

    /// As [`ContentSnapshot::of`], of a node that was looked up.
    fn of_known(tree: &Tree, node: NodeId, known: &Node) -> Result<(Self, Version), Halt> {
        let held = match &known.body {
            Body::Directory(_) => return Err(fail(ErrorKind::IsADirectory, "is a directory")),
            Body::Link => return Err(fail(ErrorKind::Invalid, "is a symbolic link")),
            Body::Special => return Err(not_content()),
            Body::InBase(_) => return Err(Halt::Content(node)),
            Body::Settled(content) => Self::Settled(content.clone()),
            // Made ready for a range write that did not come about.
            Body::Staged(staged) if !tree.is_staged(node) => Self::Settled(staged.under.clone()),
            Body::Staged(staged) => Self::Staged(staged.clone()),
            Body::Sourced(_) => Self::Sourced(tree.sourced_file(node)?),
        };
        Ok((held, known.content_version))
    }

    /// Returns the length in bytes.
    pub fn size(&self) -> u64 {
        match self {
            Self::Settled(content) => content.size(),
            Self::Staged(staged) => staged.size,
            Self::Sourced(file) => file.size,
        }
    }
}

impl Space {
    /// Reads a range of a file; what lies beyond its end is left out.
    pub fn read(
        &self,
        permit: Permit,
        find: impl Fn(&Tree) -> Result<NodeId, Halt>,
        offset: u64,
        len: usize,
    ) -> Result<Bytes, Halt> {
        let minute = permit.is_counted().then(|| self.minute());
        let mut tries = 0;
        loop {
            let found = self.look(permit, |tree| {
                let node = find(tree)?;
                let known = tree.node(node)?;
                let found = match &known.body {
                    // Most reads end here, so they take hold of nothing but their bytes.
                    Body::Settled(Content::Inline(bytes)) => Break(slice(bytes, offset, len)),
                    _ => Continue((node, ContentSnapshot::of_known(tree, node, known)?)),
                };
                if let Some(minute) = minute {
                    self.reads.note(node, known, minute);
                }
                Ok(found)
            })?;
            let (node, (held, seen)) = match found {
                Break(bytes) => return Ok(bytes),
                Continue(found) => found,
            };
            permit.may_wait()?;
            match self.read_held(&held, offset, len) {
                Ok(bytes) => {
                    if let ContentSnapshot::Settled(Content::Blob { size, .. }) = held
                        && bytes.len() as u64 == size
                    {
                        self.keep_content(node, seen, &bytes);
                        self.relieve_memory();
                    }
                    return Ok(bytes);
                }
                // The content may have been replaced, and let go, since the tree was looked at.
                Err(error) if error.kind() == ErrorKind::Corrupt && tries < 3 => tries += 1,
                Err(error) => return Err(Halt::Fail(error)),
            }
        }
    }

    /// Reads a range of a content that was taken hold of.
    pub fn read_held(&self, held: &ContentSnapshot, offset: u64, len: usize) -> Result<Bytes> {
        match held {
            ContentSnapshot::Settled(content) => self.read_content(content, offset, len),
            ContentSnapshot::Sourced(file) => self.read_sourced(file, offset, len),
            ContentSnapshot::Staged(staged) => {
                staged.read(self.chunks.chunk_bytes(), offset, len, &|offset, len| {
                    self.read_content(&staged.under, offset, len)
                })
            }
        }
    }

    /// Reads a range of a settled content.
    pub fn read_content(&self, content: &Content, offset: u64, len: usize) -> Result<Bytes> {
        match content {
            Content::Inline(bytes) => Ok(slice(bytes, offset, len)),
            Content::Blob { digest, .. } => Ok(slice(&self.read_blob(*digest)?, offset, len)),
            Content::Chunked { size, leaves } => {
                let read = read_range(&self.chunks, *size, leaves, offset, len);
                read.map_err(|error| self.absent_or(error, *size, leaves))
            }
        }
    }

    /// Writes bytes, and returns where; the content is not settled afterwards.
    pub fn patch(
        &self,
        author: &Author,
        permit: Permit,
        find: impl Fn(&Tree) -> Result<NodeId, Halt>,
        at: At,
        bytes: &[u8],
    ) -> Result<(Acknowledged, u64), Halt> {
        // Each part fits into a record; a reader may see the parts arrive one by one, as with
        // any file system. Only the last part answers the request: before it, a repeat must
        // write all parts again, which changes nothing; after it, it must not write any, since
        // others may have written there.
        if let Some(done) = self.answered(author, permit)? {
            return Ok((done, 0));
        }
        // Before the change: what comes after it would not be about it.
        self.relieve_staging()?;
        let quiet = Author { origin: None, ..author.clone() };
        let mut rest = bytes;
        let mut at = at;
        loop {
            let (part, later) = rest.split_at(rest.len().min(PATCH_BYTES_MAX));
            let author = if later.is_empty() { author } else { &quiet };
            let part = Bytes::copy_from_slice(part);
            let mut end = 0;
            let done = self.change(author, permit, |tree, draft| {
                let (node, size) = file(tree, find(tree)?)?;
                let start = match at {
                    At::Offset(offset) => offset,
                    At::End => size,
                };
                end = start.saturating_add(part.len() as u64);
                check_size(end)?;
                // As POSIX has it, writing nothing does not make a file longer.
                let size = if part.is_empty() { size } else { size.max(end) };
                draft.push(Change::Patch { node, offset: start, bytes: part.clone(), size });
                tree.ready(&draft.changes)
            })?;
            if later.is_empty() {
                return Ok((done, end - bytes.len() as u64));
            }
            rest = later;
            // Parts of one append stay together: what others append comes after them.
            at = At::Offset(end);
        }
    }

    /// Fills a range with zeros, as far as `size` reaches, and gives the file that length; the
    /// content is not settled afterwards.
    pub fn zero(
        &self,
        author: &Author,
        permit: Permit,
        node: NodeId,
        range: (u64, u64),
        size: impl Fn(u64) -> u64,
    ) -> Result<Acknowledged, Halt> {
        self.change(author, permit, |tree, draft| {
            let (node, now) = file(tree, tree.successor(node))?;
            let size = size(now);
            check_size(size)?;
            let offset = range.0.min(size);
            let len = range.1.min(size - offset);
            draft.push(Change::Zero { node, offset, len, size });
            tree.ready(&draft.changes)
        })
    }

    /// Gives a file another length; the content is not settled afterwards.
    pub fn truncate(
        &self,
        author: &Author,
        permit: Permit,
        path: &Path,
        size: u64,
    ) -> Result<Acknowledged, Halt> {
        check_size(size)?;
        // Where the path leads nowhere, the change itself says so.
        if size == 0
            && let Ok(node) = self.look(permit, |tree| tree.find(path, true))
        {
            self.keep_what_is_cut(permit, node)?;
        }
        self.change(author, permit, |tree, draft| {
            let (node, _) = file(tree, tree.find(path, true)?)?;
            draft.push(Change::Patch { node, offset: size, bytes: Bytes::new(), size });
            tree.ready(&draft.changes)
        })
    }

    /// Settles what a file holds before all of it is cut off: so a save begins, and what was saved
    /// before is a version, however soon that comes.
    pub fn keep_what_is_cut(&self, permit: Permit, node: NodeId) -> Result<()> {
        if self.tree.read().is_staging_some(node) {
            permit.may_wait()?;
            self.settle(node)?;
        }
        Ok(())
    }

    /// Makes a file ready for range writes: begins its unsettled content, and puts the image of
    /// one chunk into memory, where it can be changed in part.
    pub(super) fn fetch_image(&self, node: NodeId, index: Option<u64>) -> Result<(), Halt> {
        let (held, seen) = self.look(Permit::follower(), |tree| ContentSnapshot::of(tree, node))?;
        let staged = match held {
            // Whoever writes comes next.
            ContentSnapshot::Settled(content) => Box::new(Staged::new(content, self.name.keeper())),
            ContentSnapshot::Staged(staged) => staged,
            ContentSnapshot::Sourced(_) => return self.take_over(node),
        };
        let chunk = self.chunks.chunk_bytes();
        let read = index.map(|index| {
            let start = index.saturating_mul(chunk);
            let shows = staged.under_size.saturating_sub(start).min(chunk);
            let len = usize::try_from(shows).expect("a chunk fits into memory");
            self.read_to_keep(&staged.under, start, len)
        });
        let (image, _kept) = read.transpose()?.unwrap_or_default();
        let image = index.filter(|_| !image.is_empty()).map(|index| (index, image.to_vec()));
        self.tree.memory().stage(node, seen, staged, image);
        Ok(())
    }

    /// Settles early when unsettled contents hold too much memory: the fold does it, and who
    /// writes faster than that waits for it.
    fn relieve_staging(&self) -> Result<()> {
        let staged = self.staging_bytes();
        if staged > self.ground.settings.staging_bytes_max {
            self.settle_due(None)?;
        } else if self.is_staging_much() {
            self.ground.journal.wake();
        }
        Ok(())
    }

    /// Tells whether unsettled contents hold so much memory that they should settle soon.
    pub(crate) fn is_staging_much(&self) -> bool {
        self.staging_bytes() > self.ground.settings.staging_bytes_max / 4
    }

    /// Returns how much memory unsettled contents hold.
    pub fn staging_bytes(&self) -> u64 {
        self.tree.read().staging_bytes()
    }

    /// Returns the position after which the journal must keep everything for this space.
    pub fn held_position(&self) -> Option<crate::journal::Position> {
        self.tree.read().held_position()
    }

    /// Settles every file that was last touched before `before`; all of them without it.
    pub fn settle_due(&self, before: Option<Timestamp>) -> Result<()> {
        let due: Vec<NodeId> = self.tree.read().staged_before(before);
        due.into_iter().try_for_each(|node| self.settle(node))
    }

    /// Makes one change that moves a node; `slots` finds what is moved and what is there. Both are
    /// settled first, so that every face leaves the same history: what is written aside and then
    /// moved into place is a version, after what it replaces.
    pub fn rename(
        &self,
        author: &Author,
        permit: Permit,
        slots: impl FnMut(&Tree) -> Result<(Option<NodeId>, Option<NodeId>), Halt>,
        build: impl FnMut(&Tree, &mut Draft<'_>) -> Result<(), Halt>,
    ) -> Result<Acknowledged, Halt> {
        // Where one of the names leads nowhere, the change itself says so.
        if let Ok((moved, replaced)) = self.look(permit, slots) {
            for node in [replaced, moved].into_iter().flatten() {
                if self.tree.read().is_staged(node) {
                    permit.may_wait()?;
                    self.settle(node)?;
                }
            }
        }
        self.change(author, permit, build)
    }

    /// Makes the content of a file settled: a version of its history.
    pub fn settle(&self, node: NodeId) -> Result<()> {
        // One at a time: two would store the same chunks.
        let mut settling = self.settling.lock();
        self.settled.wait_while(&mut settling, |settling| settling.contains(&node));
        settling.insert(node);
        drop(settling);
        // It was acknowledged, so that room is kept for it.
        let done = self.ground.journal.with_reserve(|| self.settle_alone(node));
        self.settling.lock().remove(&node);
        self.settled.notify_all();
        done
    }

    fn settle_alone(&self, node: NodeId) -> Result<()> {
        for attempt in 0.. {
            let found = self.look(Permit::follower(), |tree| {
                // What is unsettled is in memory; a node that is not was removed meanwhile.
                let Ok(known) = tree.node(node) else { return Ok(None) };
                Ok(match &known.body {
                    Body::Staged(staged) if tree.is_staged(node) => {
                        Some((staged.clone(), known.version))
                    }
                    _ => None,
                })
            });
            let Some((staged, seen)) = found.or_error(&self.name)? else {
                return Ok(());
            };
            let (content, pins) = self.settled_content(&staged)?;
            let mut pins = Some(pins);
            // What can be seen stays as it is.
            let agent = staged.agent.clone();
            let author = Author { audience: Audience::Nobody, ..Author::new(agent) };
            let (mut settled, mut orphan) = (false, false);
            let done = self.change_now(&author, Permit::follower(), |tree, draft| {
                settled = true;
                let Ok(known) = tree.node(node) else { return Ok(()) };
                orphan = tree.is_orphan(node);
                let content = match &known.body {
                    _ if known.version == seen => content.clone(),
                    // Somebody writes faster than chunks can be made: make them wait once.
                    Body::Staged(staged) if attempt >= 3 => {
                        let (content, fresh) = self.settled_content(staged)?;
                        pins = Some(fresh);
                        content
                    }
                    Body::Staged(_) => {
                        settled = false;
                        return Ok(());
                    }
                    _ => return Ok(()),
                };
                draft.push(Change::Content { node, content });
                // Settling is not a modification: the time of the last write stays.
                draft.push(Change::Node { node, attrs: known.attrs.clone() });
                Ok(())
            });
            let done = done.or_error(&self.name)?;
            if settled {
                match pins {
                    Some(pins) if orphan => self.hold_for_orphan(node, pins),
                    Some(pins) => self.hold(done.version, pins),
                    None => {}
                }
                return Ok(());
            }
        }
        Ok(())
    }

    fn settled_content(&self, staged: &Staged) -> Result<(Content, Pins)> {
        let images = staged.images.clone();
        // Every chunk that is changed has an image, so nothing is read that may be absent.
        let under = match &staged.under {
            // What was cut off once must not show again where the file grew later.
            Content::Chunked { .. } if staged.under_size < staged.under.size() => {
                let (cut, _pins) =
                    overwrite(&self.chunks, &staged.under, images.clone(), staged.under_size)?;
                return overwrite(&self.chunks, &cut, images, staged.size);
            }
            Content::Chunked { .. } => staged.under.clone(),
            _ if images.contains_key(&0) => Content::Inline(Bytes::new()),
            small => {
                let shows = usize::try_from(staged.under_size).unwrap_or(usize::MAX);
                Content::Inline(self.read_content(small, 0, shows)?)
            }
        };
        overwrite(&self.chunks, &under, images, staged.size)
    }
}

/// Returns a node that must be a file, and its length.
pub fn file(tree: &Tree, node: NodeId) -> Result<(NodeId, u64), Halt> {
    let known = tree.node(node)?;
    match known.attrs.kind {
        Kind::File => Ok((node, known.size())),
        Kind::Special(_) => Err(not_content()),
        _ => Err(fail(ErrorKind::IsADirectory, "is a directory")),
    }
}

/// Refuses a length that no file can have.
pub fn check_size(size: u64) -> Result<(), Halt> {
    if size > FILE_BYTES_MAX {
        let message = format!("a file cannot be longer than {FILE_BYTES_MAX} bytes");
        let error = Error::new(ErrorKind::Invalid, message);
        return Err(Halt::Fail(error.with_code(ErrorCode::FileTooLarge)));
    }
    Ok(())
}

/// Returns a range of bytes, shorter where they end.
fn slice(bytes: &Bytes, offset: u64, len: usize) -> Bytes {
    let start = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
    bytes.slice(start..start.saturating_add(len).min(bytes.len()))
}
