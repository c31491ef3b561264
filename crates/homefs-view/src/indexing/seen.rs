//! What an index sees of a node.

use bytes::Bytes;
use homefs_core::{Digest, ErrorKind, NodeId, Result, SpaceName};
use homefs_search::index::{Body, File, Handle, Ignored};
use homefs_store::contents::ContentSnapshot;
use homefs_store::guard::Permit;
use homefs_store::meta;
use homefs_store::model::Kind;
use homefs_store::record::Content;
use homefs_store::space::Space;
use homefs_store::tree::{Answer, Halt, Tree};
use rustc_hash::FxHashSet;

/// What is read of one file; what lies behind it is found by name only.
const TEXT_BYTES_MAX: usize = 8 << 20;
/// The key under which a memory names, by its handle, the one that it takes the place of.
pub(crate) const SUPERSEDES: &str = "supersedes";
/// A NUL among the first bytes tells that a content is no text.
const SNIFFED_BYTES: usize = 8 << 10;

/// A node as it is now.
pub(super) enum NodeSnapshot {
    /// It is not there, or nothing that is indexed.
    Gone,
    /// A directory, and where it is; nowhere if it is deeper than any path.
    Directory(Option<String>),
    /// A file.
    File(SeenFile),
}

/// A file, and what could be read of it without asking a remote.
pub(super) struct SeenFile {
    /// What is known of it, but for what follows from other files.
    pub(super) file: Box<File>,
    /// All of its names if it has several, in the order of paths.
    pub(super) names: Vec<Box<str>>,
    pub(super) read: Read,
}

/// What was read of a file.
pub(super) enum Read {
    /// All of it.
    Whole(Bytes),
    /// Its beginning.
    Beginning(Bytes),
    /// Nothing: only the remote has it, and it is so long.
    Absent(u64),
}

impl Read {
    /// Returns it as the index takes it.
    pub(super) fn body(&self) -> Body<'_> {
        match self {
            Self::Whole(bytes) if self.is_binary() => Body::Binary(bytes),
            Self::Whole(bytes) => Body::Text(bytes),
            Self::Beginning(bytes) if !self.is_binary() => Body::Beginning(bytes),
            Self::Beginning(_) | Self::Absent(_) => Body::Unread,
        }
    }

    /// Tells whether it is known to be no text.
    pub(super) fn is_binary(&self) -> bool {
        match self {
            Self::Whole(bytes) | Self::Beginning(bytes) => {
                bytes[..bytes.len().min(SNIFFED_BYTES)].contains(&0)
            }
            Self::Absent(_) => false,
        }
    }
}

/// Looks at a node for the index.
pub(super) fn see(space: &Space, node: NodeId) -> Result<NodeSnapshot> {
    let is_shared = matches!(space.name, SpaceName::Shared(_));
    let mut asked = FxHashSet::default();
    let mut tries = 0;
    loop {
        if !space.know(node).or_error(&space.name)? {
            return Ok(NodeSnapshot::Gone);
        }
        let looked =
            match space.look(Permit::follower(), |tree| look(tree, node, is_shared, &mut asked)) {
                // Removed since it was known.
                Err(_) if space.tree.read().named(node).is_none() => return Ok(NodeSnapshot::Gone),
                // One node that cannot be looked at must not keep the others from being found.
                Err(Halt::Fail(error))
                    if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::Invalid) =>
                {
                    return Ok(NodeSnapshot::Gone);
                }
                looked => looked.or_error(&space.name)?,
            };
        let (file, names, held) = match looked {
            Looked::Gone => return Ok(NodeSnapshot::Gone),
            Looked::Directory(path) => return Ok(NodeSnapshot::Directory(path)),
            Looked::File(file, names, held) => (file, names, held),
        };
        let read = match read_here(space, &held, TEXT_BYTES_MAX) {
            Ok(Some(bytes)) if held.size() > bytes.len() as u64 => Read::Beginning(bytes),
            Ok(Some(bytes)) => Read::Whole(bytes),
            Ok(None) => Read::Absent(held.size()),
            // The content may have been replaced, and let go, since the tree was looked at.
            Err(_) if tries < 3 => {
                tries += 1;
                continue;
            }
            Err(error) => {
                // One damaged file must not keep the others from being found.
                tracing::warn!(space = %space.name, path = %file.path, %error, "not searched");
                Read::Absent(held.size())
            }
        };
        return Ok(NodeSnapshot::File(SeenFile { file, names, read }));
    }
}

/// Reads the beginning of a content if it is on this machine.
fn read_here(space: &Space, held: &ContentSnapshot, most: usize) -> Result<Option<Bytes>> {
    match held {
        ContentSnapshot::Settled(Content::Inline(bytes)) => Ok(Some(bytes.clone())),
        ContentSnapshot::Settled(Content::Blob { digest, .. }) => space.base.blob(*digest),
        ContentSnapshot::Settled(content @ Content::Chunked { size, leaves }) => {
            let step = usize::try_from(space.chunks.chunk_bytes()).unwrap_or(most);
            for offset in (0..(*size).min(most as u64)).step_by(step) {
                let chunk = space.chunks.chunk_at(*size, leaves, offset)?;
                if chunk != Digest::HOLE && space.chunks.get_here(chunk).is_err() {
                    return Ok(None);
                }
            }
            space.read_content(content, 0, most).map(Some)
        }
        ContentSnapshot::Staged(staged) => {
            let len = usize::try_from(staged.size).unwrap_or(most).min(most);
            let read = staged.read(space.chunks.chunk_bytes(), 0, len, &|offset, len| {
                space.read_content(&staged.under, offset, len)
            });
            read.map(Some)
        }
        ContentSnapshot::Sourced(_) => Ok(None),
    }
}

/// A node, with what leads to its content.
enum Looked {
    Gone,
    Directory(Option<String>),
    File(Box<File>, Vec<Box<str>>, ContentSnapshot),
}

fn look(
    tree: &Tree,
    node: NodeId,
    is_shared: bool,
    asked: &mut FxHashSet<NodeId>,
) -> Result<Looked, Halt> {
    let known = tree.node(node)?;
    let is_own = tree.named(node).is_some() && !tree.sources().has(node);
    let is_there = is_own && !tree.is_expired(node);
    match known.attrs.kind {
        Kind::File if is_there => {}
        Kind::Directory if is_there => {
            let path = tree.formed_path_of(node)?;
            return Ok(Looked::Directory(path.map(|path| path.as_str().to_owned())));
        }
        _ => return Ok(Looked::Gone),
    }
    let attrs = &known.attrs;
    let mut names: Vec<Box<str>> = Vec::new();
    if attrs.links > 1 {
        let all = tree.all_paths_of(node, asked)?;
        names.extend(all.into_iter().map(|path| path.as_str().into()));
        names.sort_unstable();
    }
    let path = match attrs.links {
        // Of several names some may be hidden from who searches: none is searched for.
        2.. if is_shared => Some("".into()),
        // The first, so that it is the same whichever names memory knows.
        2.. => names.first().cloned(),
        _ => tree.formed_path_of(node)?.map(|path| path.as_str().into()),
    };
    // Deeper than any path, it is found by nobody, and read by nobody either.
    let Some(path) = path else { return Ok(Looked::Gone) };
    #[expect(clippy::cast_possible_truncation, reason = "a number from 0 to 1")]
    let importance = meta::importance(&attrs.xattrs).map_or(0.5, |importance| importance as f32);
    let file = File {
        node: node.0,
        // Who takes it in knows the lineage.
        lineage: node.0,
        version: known.version.0,
        path,
        title: meta::title(&attrs.xattrs).unwrap_or_default().into(),
        tags: meta::tags(&attrs.xattrs).into_iter().map(Into::into).collect(),
        created: attrs.created.0,
        modified: attrs.modified.0,
        importance,
        source: meta::source(&attrs.xattrs).unwrap_or_default().into(),
        supersedes: meta::noted(&attrs.xattrs, SUPERSEDES)
            .and_then(|handle| Handle::parse(&handle)),
        // Who takes it in knows the rules.
        ignored: Ignored::No,
        rules: "".into(),
    };
    Ok(Looked::File(Box::new(file), names, ContentSnapshot::of(tree, node)?.0))
}
