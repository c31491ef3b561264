//! A tree of read-only files that others keep, as a seam: a folder of the host, a bucket, or the
//! pages of a collection.
//!
//! Calls block and every answer is bounded, so that a tree of any size can be attached and is read
//! only where somebody looks. Nothing here writes: what an agent changes stays in its home.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use crate::{Error, Path, Result, Tag, Timestamp};

/// Most bytes that one read returns; longer ranges are read in steps.
pub const SOURCE_READ_BYTES_MAX: usize = 8 * 1024 * 1024;

/// How deep directories of a source are shown. All those on the way to a path are asked for again
/// when they are a second old: in deeper ones, the first would be too old before the last is asked.
pub const SOURCE_DIRECTORIES_MAX: usize = 256;

/// A tree of read-only files.
///
/// Paths are below the source's own root. A link is shown and never followed: it is resolved in
/// the home where the source is attached, so that no source leads out of it.
pub trait Source: Send + Sync {
    /// Returns what the path names.
    fn stat(&self, path: &Path) -> Result<SourceNode>;

    /// Lists a directory, one page, each name once. `after` is what the page before said is
    /// [`SourcePage::next`].
    fn list(&self, dir: &Path, after: Option<&str>) -> Result<SourcePage>;

    /// Reads a file from `offset`: `len` bytes, or [`SOURCE_READ_BYTES_MAX`], or what is there
    /// before the end; nothing from the end on.
    fn read(&self, path: &Path, offset: u64, len: usize) -> Result<Bytes>;

    /// Shows what members of these groups may see, and nothing else, in listings, reads and
    /// queries. A source that knows no groups shows everything.
    fn seen_by(self: Arc<Self>, groups: &BTreeSet<String>) -> Arc<dyn Source>;

    /// Shows everything there is, for who decides by [`Source::seen_by`] what to show to whom.
    fn whole(self: Arc<Self>) -> Arc<dyn Source>;

    /// Tells whether members of groups may see more than others. For such a source
    /// [`Source::stat`] and [`Source::list`] ask nobody: they are a part of every decision.
    fn has_groups(&self) -> bool {
        false
    }

    /// Returns the files that may have a line which this regular expression, in the syntax of the
    /// crate `regex`, matches; `None` if that could be any file. It never leaves out a file that
    /// has one, so it must not be asked for the lines that do *not* match.
    fn candidates(&self, _regex: &str) -> Result<Option<Vec<Path>>> {
        Ok(None)
    }

    /// Brings these files near, in as few calls as the source can, so that reading them is quick.
    /// A file that cannot be read is told of when it is read.
    fn prefetch(&self, _paths: &[Path]) -> Result<()> {
        Ok(())
    }

    /// As [`Source::prefetch`], for who reads these files one after another and is likely to go on
    /// with those that follow: the source may bring some of them near too.
    fn prefetch_on(&self, paths: &[Path]) -> Result<()> {
        self.prefetch(paths)
    }

    /// Looks for what has changed at the source; returns whether anything may have.
    fn refresh(&self) -> Result<bool> {
        Ok(true)
    }

    /// Looks whether it still shows the same to the same, if that was last known longer ago than
    /// this; returns whether it does not.
    fn revalidate(&self, _age_max: Duration) -> Result<bool> {
        Ok(false)
    }

    /// Returns why it did not answer when it was last asked; nothing if it did, or was not asked.
    fn trouble(&self) -> Option<Error> {
        None
    }

    /// Returns the state of the whole tree, if the source names it: another one after a change.
    fn version(&self) -> Option<Tag> {
        None
    }

    /// Returns the address as a person would write it, never with secrets.
    fn describe(&self) -> String;
}

/// A source that takes changes back: what was done over it in a home is done to it.
pub trait SourceTarget: Send + Sync {
    /// Removes what is at a path, with everything below it; nothing there is fine.
    fn remove(&self, path: &Path) -> Result<()>;

    /// Makes a directory; one that is there is fine.
    fn make_dir(&self, path: &Path) -> Result<()>;

    /// Makes a link with this target, in the place of a file or link.
    fn link(&self, path: &Path, target: &str) -> Result<()>;

    /// Makes a file whose content `next` gives part by part, until a part is empty, in the place of
    /// a file or link. It is seen whole or not at all.
    fn write(&self, path: &Path, next: &mut dyn FnMut() -> Result<Bytes>) -> Result<()>;
}

/// What a path of a source names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceNode {
    /// What kind of node it is.
    pub kind: SourceKind,
    /// The length of a file; `None` if only reading it would tell.
    pub size_bytes: Option<u64>,
    /// When it was changed, by the source's clock.
    pub modified: Option<Timestamp>,
    /// Its state: another one after a change.
    pub tag: Option<Tag>,
}

impl SourceNode {
    /// Makes a directory of which nothing else is known.
    pub fn directory() -> Self {
        Self { kind: SourceKind::Directory, size_bytes: None, modified: None, tag: None }
    }
}

/// The kinds of nodes that a source shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourceKind {
    /// A file.
    File,
    /// A directory.
    Directory,
    /// A link, with its target as written.
    Link {
        /// The target.
        target: String,
    },
}

/// One page of a directory.
#[derive(Clone, Debug, Default)]
pub struct SourcePage {
    /// Names and what they name, at most [`PAGE_ENTRIES_MAX`](crate::limits::PAGE_ENTRIES_MAX).
    pub entries: Vec<(String, SourceNode)>,
    /// What the source has and cannot show, such as a name that is not UTF-8, and why.
    pub unshown: Vec<Error>,
    /// Where the next page starts, if there is one; it means nothing to anybody else.
    pub next: Option<String>,
}

impl dyn Source + '_ {
    /// Lists a whole directory, in the order of the names' bytes.
    pub fn list_all(&self, dir: &Path) -> Result<SourcePage> {
        let mut all = SourcePage::default();
        let mut after = None;
        loop {
            let page = self.list(dir, after.as_deref())?;
            all.entries.extend(page.entries);
            all.unshown.extend(page.unshown);
            after = page.next;
            if after.is_none() {
                all.entries.sort_unstable_by(|a, b| a.0.cmp(&b.0));
                return Ok(all);
            }
        }
    }

    /// Reads a whole file of at most `size_bytes_max` bytes; a longer one is `LimitExceeded`.
    pub fn read_all(&self, path: &Path, size_bytes_max: usize) -> Result<Bytes> {
        let mut content = Vec::new();
        loop {
            let part = self.read(path, content.len() as u64, SOURCE_READ_BYTES_MAX)?;
            if content.len() + part.len() > size_bytes_max {
                let message = format!("the file has more than {size_bytes_max} bytes");
                return Err(Error::new(crate::ErrorKind::LimitExceeded, message).with_path(path));
            }
            // Most files are one part, which is then not copied.
            if content.is_empty() && part.len() < SOURCE_READ_BYTES_MAX {
                return Ok(part);
            }
            content.extend_from_slice(&part);
            if part.len() < SOURCE_READ_BYTES_MAX {
                return Ok(content.into());
            }
        }
    }
}
