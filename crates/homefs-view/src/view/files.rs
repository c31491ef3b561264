//! Files of a view: reading, writing, attributes.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use homefs_core::limits::{INLINE_BYTES_MAX, READ_MANY_BYTES_MAX};
use homefs_core::{Error, ErrorCode, ErrorKind, NodeId, Path, Result, Version, not_found};
use homefs_store::chunks::{ChunkWriter, Pins, overwrite};
use homefs_store::contents::{At, ContentSnapshot, check_size};
use homefs_store::draft::{Draft, not_content};
use homefs_store::guard::Permit;
use homefs_store::meta::{apply_xattr, shown_xattrs};
use homefs_store::model::{Attrs, Durability, Kind, Right, SetAttrs, Stat, WriteOptions, Xattrs};
use homefs_store::record::{Change, Content};
use homefs_store::shown::Shown;
use homefs_store::space::Acknowledged;
use homefs_store::tree::{Body, Halt, Tree, fail};

use super::View;
use super::place::Place;

/// The longest file that is read or edited as a whole.
pub(super) const WHOLE_BYTES_MAX: u64 = 256 << 20;

/// After this time no further file is read in the same call: contents that come from elsewhere take
/// long, and who reads them may want to stop.
const READ_MANY_TIME_MAX: Duration = Duration::from_millis(10);

/// Reads so many bytes, if that is not more than is read at once.
pub(super) fn read_at_once(
    path: &Path,
    len: usize,
    read: impl FnOnce(usize) -> Result<Bytes>,
) -> Result<Bytes> {
    let most = usize::try_from(WHOLE_BYTES_MAX).unwrap_or(usize::MAX);
    // One more tells that there is more.
    let bytes = read(len.min(most + 1))?;
    if bytes.len() > most {
        let message = format!("is longer than {WHOLE_BYTES_MAX} bytes, read it in parts");
        let error = Error::new(ErrorKind::LimitExceeded, message);
        return Err(error.with_code(ErrorCode::FileTooLarge).with_path(path));
    }
    Ok(bytes)
}

impl View {
    /// Reads a whole file.
    pub fn read(&self, path: &Path) -> Result<Bytes> {
        self.read_at(path, 0, usize::MAX)
    }

    /// Reads a range of a file; what lies beyond its end is left out.
    ///
    /// # Errors
    /// `LimitExceeded` if there are more bytes than are read at once, of which a file that was
    /// never written may have any number.
    pub fn read_at(&self, path: &Path, offset: u64, len: usize) -> Result<Bytes> {
        read_at_once(path, len, |len| self.read_some(path, offset, len))
    }

    /// Reads small files one after another, as many as fit into one answer. It ends before the first
    /// that does not fit, or is not small, or cannot be read: who wants that one reads it alone, and
    /// hears why.
    pub fn read_many(&self, paths: &[Path]) -> Result<Vec<Bytes>> {
        let mut room = READ_MANY_BYTES_MAX;
        self.bring_near(paths);
        // What was waited for together is read without waiting, however long that took.
        let clock = &self.store.ground.clock;
        let end = clock.steady().after(READ_MANY_TIME_MAX);
        let mut contents = Vec::new();
        for path in paths {
            let most = room.min(INLINE_BYTES_MAX);
            // One byte more tells that there are more.
            match self.read_some(path, 0, most + 1) {
                Ok(content) if content.len() <= most => {
                    room -= content.len();
                    contents.push(content);
                }
                Ok(_) | Err(_) => break,
            }
            if clock.steady() > end {
                break;
            }
        }
        Ok(contents)
    }

    fn read_some(&self, path: &Path, offset: u64, len: usize) -> Result<Bytes> {
        let read = self.at(path, Right::Read, |place, permit| {
            place.space.read(permit, |tree| tree.find(&place.path, true), offset, len)
        });
        self.or_probe(path, read, |probed| {
            let start = usize::try_from(offset).unwrap_or(usize::MAX).min(probed.content.len());
            probed.content.slice(start..start.saturating_add(len).min(probed.content.len()))
        })
    }

    /// Writes a whole file.
    pub fn write(&self, path: &Path, content: &[u8], options: &WriteOptions) -> Result<Version> {
        let (view, path) = self.to_make(path)?;
        view.write_meant(&path, content, options)
    }

    fn write_meant(&self, path: &Path, content: &[u8], options: &WriteOptions) -> Result<Version> {
        if let Some(version) = self.write_if_probe(path, content, options)? {
            return Ok(version);
        }
        self.refuse_mistyped(path, options)?;
        if content.len() > INLINE_BYTES_MAX {
            let mut writer = self.writer(path, options)?;
            writer.push(content)?;
            return writer.finish();
        }
        // Copied where it is used: sharing one copy would cost an allocation and counting.
        let content = || Content::Inline(Bytes::copy_from_slice(content));
        let done =
            self.at(path, Right::Write, |place, permit| self.put(place, permit, content, options))?;
        self.finish(done, options.durability)
    }

    /// Gives a file a content, making the file if need be.
    pub(super) fn put(
        &self,
        place: &Place<'_>,
        permit: Permit,
        content: impl Fn() -> Content,
        options: &WriteOptions,
    ) -> Result<Acknowledged, Halt> {
        place.space.change(&self.author, permit, |tree, draft| {
            let node = target(tree, draft, &place.path, options)?;
            let attrs = options.modified.map(|modified| {
                let known = tree.named(node).map(|known| &known.attrs);
                let attrs = known.or_else(|| draft.drafted(node)).cloned();
                let attrs = attrs.unwrap_or_else(|| draft.attrs(Kind::File, options.mode));
                Attrs { modified, changed: draft.time, ..attrs }
            });
            draft.push_content(node, content(), attrs);
            Ok(())
        })
    }

    /// Adds bytes to the end of a file, making it if need be.
    pub fn append(&self, path: &Path, content: &[u8], options: &WriteOptions) -> Result<Version> {
        let (view, path) = self.to_make(path)?;
        view.refuse_probe(&path, options)?;
        view.refuse_mistyped(&path, options)?;
        let done = view.at(&path, Right::Write, |place, permit| {
            if content.len() > INLINE_BYTES_MAX {
                return self.append_large(place, permit, content, options);
            }
            place.space.change(&self.author, permit, |tree, draft| {
                append_small(tree, draft, &place.path, content, options)
            })
        })?;
        self.finish(done, options.durability)
    }

    /// Appends more than fits into a record, as one change all the same.
    fn append_large(
        &self,
        place: &Place<'_>,
        permit: Permit,
        content: &[u8],
        options: &WriteOptions,
    ) -> Result<Acknowledged, Halt> {
        let space = &place.space;
        loop {
            // Asked each time: else a refused request would be taken for a lost race.
            if let Some(done) = space.answered(&self.author, permit)? {
                return Ok(done);
            }
            let seen = space.look(permit, |tree| match tree.find(&place.path, true) {
                Ok(node) => Ok((ContentSnapshot::of(tree, node)?.0, tree.node(node)?.version)),
                Err(Halt::Fail(error)) if error.kind() == ErrorKind::NotFound => {
                    Ok((ContentSnapshot::Settled(Content::Inline(Bytes::new())), Version(0)))
                }
                Err(halt) => Err(halt),
            });
            let (held, version) = seen?;
            let chunk = space.chunks.chunk_bytes();
            let start = held.size() / chunk * chunk;
            let tail = usize::try_from(held.size() - start).map_err(|_| too_large())?;
            let mut bytes = space.read_held(&held, start, tail)?.to_vec();
            bytes.extend_from_slice(content);
            let size = start.saturating_add(bytes.len() as u64);
            check_size(size)?;
            let chunk_len = usize::try_from(chunk).map_err(|_| too_large())?;
            let images = (start / chunk..)
                .zip(bytes.chunks(chunk_len).map(|part| Arc::new(part.to_vec())))
                .collect();
            let under = match held {
                ContentSnapshot::Settled(content @ Content::Chunked { .. }) => content,
                // Less than a chunk: all of it is in the images.
                ContentSnapshot::Settled(_) => Content::Inline(Bytes::new()),
                ContentSnapshot::Sourced(_) => {
                    let node = space.look(permit, |tree| tree.find(&place.path, true))?;
                    space.take_over(node)?;
                    continue;
                }
                ContentSnapshot::Staged(_) => {
                    let node = space.look(permit, |tree| tree.find(&place.path, true))?;
                    space.settle(node)?;
                    continue;
                }
            };
            self.store.ground.journal.check_room()?;
            let (content, pins) = overwrite(&space.chunks, &under, images, size)?;
            let mut options = options.clone();
            options.if_version = options.if_version.or(Some(version));
            let retry = options.if_version == Some(version);
            match self.put(place, permit, || content.clone(), &options) {
                Ok(done) => {
                    space.hold(done.version, pins);
                    return Ok(done);
                }
                Err(Halt::Fail(error)) if retry && error.kind() == ErrorKind::Conflict => {}
                Err(halt) => return Err(halt),
            }
        }
    }

    /// Writes bytes at an offset; settles into a version after a while of quiet.
    pub fn write_at(&self, path: &Path, offset: u64, content: &[u8]) -> Result<Version> {
        let done = self.at(path, Right::Write, |place, permit| {
            let find = |tree: &Tree| tree.find(&place.path, true);
            let written =
                place.space.patch(&self.author, permit, find, At::Offset(offset), content);
            Ok(written?.0)
        })?;
        self.finish(done, Durability::Memory)
    }

    /// Gives a file another length; settles into a version after a while of quiet.
    pub fn truncate(&self, path: &Path, size: u64) -> Result<Version> {
        let done = self.at(path, Right::Write, |place, permit| {
            place.space.truncate(&self.author, permit, &place.path, size)
        })?;
        self.finish(done, Durability::Memory)
    }

    /// Tells what is known of a node without reading it; a link is not followed.
    pub fn stat(&self, path: &Path) -> Result<Stat> {
        let known = self.known(path);
        self.or_probe(path, known, |probed| self.probe_stat(&probed))
    }

    /// As [`View::stat`], of what really is there.
    pub(super) fn known(&self, path: &Path) -> Result<Stat> {
        let (view, path) = self.meant_once(path)?;
        if let Some(stat) = view.stat_virtual(&path)? {
            return Ok(stat);
        }
        view.look_at(&path, |place, permit| {
            let mut shown = Shown::new(&place.reach, &place.space);
            place.space.look(permit, |tree| {
                let node = tree.find(&place.path, false)?;
                tree.check_measured(node)?;
                Ok(shown.stat(tree, node, &place.path)?.ok_or_else(not_found)?)
            })
        })
    }

    /// Returns the extended attributes of a node.
    pub fn xattrs(&self, path: &Path) -> Result<Xattrs> {
        let xattrs = self.at(path, Right::Read, |place, permit| {
            place.space.look(permit, |tree| {
                let node = tree.find(&place.path, false)?;
                Ok(shown_xattrs(&tree.node(node)?.attrs))
            })
        });
        self.or_probe(path, xattrs, |_| Xattrs::new())
    }

    /// Returns where a symbolic link points.
    pub fn read_link(&self, path: &Path) -> Result<String> {
        self.at(path, Right::Read, |place, permit| {
            place.space.look(permit, |tree| {
                let node = tree.find(&place.path, false)?;
                let known = tree.node(node)?;
                match known.attrs.kind {
                    Kind::Link => Ok(known.attrs.target.clone().into()),
                    _ => Err(fail(ErrorKind::Invalid, "is not a symbolic link")),
                }
            })
        })
    }

    /// Sets attributes of a node.
    pub fn set_attrs(&self, path: &Path, set: &SetAttrs) -> Result<Version> {
        let done = self.at(path, Right::Write, |place, permit| {
            place.space.change(&self.author, permit, |tree, draft| {
                let node = tree.find(&place.path, false)?;
                let mut attrs = tree.node(node)?.attrs.clone();
                attrs.mode = set.mode.map_or(attrs.mode, |mode| mode & 0o7777);
                attrs.uid = set.uid.unwrap_or(attrs.uid);
                attrs.gid = set.gid.unwrap_or(attrs.gid);
                attrs.modified = set.modified.unwrap_or(attrs.modified);
                attrs.accessed = set.accessed.unwrap_or(attrs.accessed);
                for (name, value) in &set.xattrs {
                    apply_xattr(&mut attrs, name, value.as_deref(), draft.time)?;
                }
                attrs.changed = draft.time;
                draft.push(Change::Node { node, attrs });
                Ok(())
            })
        })?;
        self.finish(done, Durability::Memory)
    }

    /// Cuts a stream into a content in the chunks of a place's space.
    pub(super) fn chunk_writer(
        &self,
        path: &Path,
    ) -> Result<(Arc<homefs_store::space::Space>, ChunkWriter)> {
        self.at(path, Right::Write, |place, permit| {
            // A link may lead into another space, and chunks belong to one.
            place.space.pass_links(permit, &place.path)?;
            self.store.ground.journal.check_room()?;
            Ok((Arc::clone(&place.space), ChunkWriter::new(&place.space.chunks)))
        })
    }

    /// Puts a content that was stored as chunks.
    pub(super) fn put_stored(
        &self,
        place: &Place<'_>,
        permit: Permit,
        content: &Content,
        pins: &mut Option<Pins>,
        options: &WriteOptions,
    ) -> Result<Acknowledged, Halt> {
        let done = self.put(place, permit, || content.clone(), options)?;
        if let Some(pins) = pins.take() {
            place.space.hold(done.version, pins);
        }
        Ok(done)
    }
}

/// Finds the file that is to be written, or drafts it, after checking what the caller expects.
fn target(
    tree: &Tree,
    draft: &mut Draft<'_>,
    path: &Path,
    options: &WriteOptions,
) -> Result<NodeId, Halt> {
    if options.durability == Durability::Remote {
        let message = "a view does not wait for the remote: ask for the barrier after the change";
        return Err(fail(ErrorKind::Unsupported, message));
    }
    let slot = draft.slot(tree, path, options.parents)?;
    let known = slot.node.map(|node| tree.node(node)).transpose()?;
    match known.map(|known| known.attrs.kind) {
        Some(Kind::Directory) => return Err(fail(ErrorKind::IsADirectory, "is a directory")),
        Some(Kind::Special(_)) => return Err(not_content()),
        _ => {}
    }
    check_expected(known.map(|known| known.version), options)?;
    if let Some(node) = slot.node {
        return Ok(node);
    }
    let attrs = draft.attrs(Kind::File, options.mode);
    draft.make_file(tree, slot.parent, slot.name, attrs)
}

fn check_expected(version: Option<Version>, options: &WriteOptions) -> Result<(), Halt> {
    if options.create_only && version.is_some() {
        return Err(fail(ErrorKind::AlreadyExists, "exists already"));
    }
    match (options.if_version, version) {
        (Some(expected), now) if expected != now.unwrap_or_default() => {
            let is =
                now.map_or("it does not exist".into(), |now| format!("it is at version {now}"));
            Err(fail(ErrorKind::Conflict, format!("expected version {expected}, but {is}")))
        }
        _ => Ok(()),
    }
}

fn append_small(
    tree: &Tree,
    draft: &mut Draft<'_>,
    path: &Path,
    added: &[u8],
    options: &WriteOptions,
) -> Result<(), Halt> {
    let node = target(tree, draft, path, options)?;
    let old = match tree.named(node).map(|known| (&known.body, known.size())) {
        None => Bytes::new(),
        Some((Body::Settled(Content::Inline(old)), _)) if fits(old.len() as u64, added) => {
            old.clone()
        }
        Some((Body::InBase(size) | Body::Settled(Content::Blob { size, .. }), _))
            if fits(*size, added) =>
        {
            return Err(Halt::Bytes(node));
        }
        // A large file is appended to in place; it settles when the appending pauses.
        Some((_, size)) => {
            let bytes = Bytes::copy_from_slice(added);
            let end = size.saturating_add(added.len() as u64);
            check_size(end)?;
            draft.push(Change::Patch { node, offset: size, bytes, size: end });
            return tree.ready(&draft.changes);
        }
    };
    let content = Content::Inline([&old[..], added].concat().into());
    draft.push_content(node, content, None);
    Ok(())
}

fn fits(size: u64, added: &[u8]) -> bool {
    size + added.len() as u64 <= INLINE_BYTES_MAX as u64
}

pub(super) fn too_large() -> Error {
    Error::new(ErrorKind::LimitExceeded, "does not fit into memory")
}
