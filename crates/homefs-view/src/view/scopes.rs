//! What of the spaces an agent's questions may look into.

use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;

use homefs_core::{
    Embedder, Error, ErrorKind, NodeId, Path, Result, SpaceName, Timestamp, Version,
};
use homefs_search::embed::{BuiltIn, Quantised};
use homefs_search::index::{File, Ignored, Index};
use homefs_search::rank::{self, Names, Question, Scope};
use homefs_store::guard::Reach;
use homefs_store::shown::Shown;
use homefs_store::space::Space;
use homefs_store::tree::{Answer, Tree};
use parking_lot::RwLockReadGuard;
use rustc_hash::FxHashMap;

use super::View;
use super::newer::Newer;
use super::place::{Spot, Virtual};
use crate::indexing::SpaceIndex;

/// One space that is searched: its index is current, and says nothing without [`Searched::admits`].
pub(super) struct Searched {
    pub(super) space: Arc<Space>,
    pub(super) reach: Reach,
    index: Arc<SpaceIndex>,
    /// Only what is at or below this is asked for.
    pub(super) below: Path,
    /// Only these are asked for.
    which: Which,
    /// Where files are of which the index tells no path, as far as that was asked: in a shared space,
    /// those that have several names. Most searches ask of few of them.
    pub(super) places: RefCell<FxHashMap<u128, Option<Path>>>,
}

/// Which files are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    /// Memories: all that no rule ignores.
    Memories,
    /// Those that are ignored, alone.
    Ignored,
    /// All.
    All,
}

/// A doc that was found, and may be read.
pub(super) struct DocHit {
    /// Which of the searched spaces it is in.
    pub(super) scope: usize,
    pub(super) hit: rank::Hit,
    pub(super) node: NodeId,
    pub(super) version: Version,
    /// Where the file is in the view.
    pub(super) path: Path,
    pub(super) bytes: Range<u32>,
    pub(super) lines: (u32, u32),
    /// Whether it is all that its file says.
    pub(super) is_whole: bool,
    pub(super) title: String,
    pub(super) importance: f32,
    pub(super) modified: Timestamp,
    pub(super) digest: u64,
    pub(super) vector: Option<Quantised>,
    /// What has taken the place of its file.
    pub(super) newer: Option<Newer>,
}

impl Searched {
    /// Returns the index to look into.
    pub(super) fn index(&self) -> RwLockReadGuard<'_, Index> {
        self.index.index.read()
    }

    /// Tells whether a file may be shown, and is asked for.
    pub(super) fn admits(&self, file: &File) -> bool {
        let is_ignored = file.ignored != Ignored::No;
        match self.which {
            Which::Memories if is_ignored => false,
            Which::Ignored if !is_ignored => false,
            _ => self.admits_place(file),
        }
    }

    /// Tells whether a file may be shown, and is where files are asked for.
    fn admits_place(&self, file: &File) -> bool {
        if self.is_everywhere() {
            return true;
        }
        if file.path.is_empty() {
            return self.path_unless_told(file.node).is_some();
        }
        let Ok(path) = Path::parse(&file.path) else { return false };
        path.starts_with(&self.below) && self.reach.right_at(&path).is_some()
    }

    /// Tells whether a file may be shown, whether or not it is asked for.
    pub(super) fn sees(&self, file: &File) -> bool {
        let at = |path: &Path| self.reach.right_at(path).is_some();
        match &*file.path {
            _ if self.reach.reads_all() => true,
            "" => self.admits_place(file),
            path => Path::parse(path).is_ok_and(|path| at(&path)),
        }
    }

    /// Tells whether everything in the space may be read, and is where files are asked for.
    fn is_everywhere(&self) -> bool {
        self.below.is_root() && self.reach.reads_all()
    }

    /// Tells whether every file of an index is admitted.
    fn is_all(&self, index: &Index) -> bool {
        let is_which = match self.which {
            Which::All => true,
            Which::Memories => index.ignored_count() == 0,
            Which::Ignored => false,
        };
        is_which && self.is_everywhere()
    }

    /// Returns where a file is of which the index tells no path, if it is asked for and may be read.
    fn path_unless_told(&self, node: u128) -> Option<Path> {
        if let Some(known) = self.places.borrow().get(&node) {
            return known.clone();
        }
        // What cannot be looked at is not there; that it cannot is told by who looks at it alone.
        let path = self.place_of(NodeId(node)).ok().flatten();
        self.places.borrow_mut().insert(node, path.clone());
        path
    }

    /// Counts the files that are searched by their names only.
    pub(super) fn unseen(&self) -> u64 {
        let (nodes, index) = (self.index.unseen(), self.index());
        let is_admitted = |node: &&NodeId| index.file(node.0).is_some_and(|file| self.admits(file));
        nodes.iter().filter(is_admitted).count() as u64
    }

    /// Returns where a node is, if it is there, asked for and may be read: the index is believed in
    /// nothing that it could have missed. Of several names it is the first, so that it is the same
    /// whichever names memory knows.
    pub(super) fn place_of(&self, node: NodeId) -> Result<Option<Path>> {
        // One that is damaged must not keep the others from being found.
        let known = self.space.know(node).or_none(&self.space.name, is_of_one)?;
        if known != Some(true) {
            return Ok(None);
        }
        let mut shown = Shown::new(&self.reach, &self.space);
        let find = |tree: &Tree| Ok((shown.readable(tree, node)?, tree.is_expired(node)));
        let permit = self.reach.permit_look(&Path::root())?;
        match self.space.look(permit, find).or_none(&self.space.name, |_| true)? {
            Some((paths, false)) => {
                Ok(paths.into_iter().filter(|path| path.starts_with(&self.below)).min())
            }
            Some((_, true)) | None => Ok(None),
        }
    }

    /// Notes that the agent has read a file, which [`Searched::place_of`] let pass, in another way
    /// than by opening it. By its node: its directory may be large, and need not be looked into.
    pub(super) fn note_read(&self, node: NodeId) -> Result<()> {
        let minute = self.space.minute();
        let permit = self.reach.permit_look(&Path::root())?;
        let noted = |tree: &Tree| {
            self.space.reads.note(node, tree.node(node)?, minute);
            Ok(())
        };
        self.space.look(permit, noted).or_error(&self.space.name)
    }

    /// Reads a part of a file that [`Searched::place_of`] let pass; nothing of one that is not here
    /// and cannot be fetched, is damaged, or was removed since.
    pub(super) fn read(&self, node: NodeId, bytes: Range<u32>) -> Result<String> {
        if bytes.is_empty() {
            return Ok(String::new());
        }
        // Whoever searches looks into more files than anybody gets to read.
        let permit = self.reach.permit_look(&Path::root())?.uncounted();
        let len = (bytes.end - bytes.start) as usize;
        let read = self.space.read(permit, |_| Ok(node), bytes.start.into(), len);
        match read.or_error(&self.space.name) {
            Err(error) if error.kind() == ErrorKind::Unavailable || is_of_one(&error) => {
                Ok(String::new())
            }
            read => Ok(String::from_utf8_lossy(&read?).into_owned()),
        }
    }
}

impl View {
    /// As [`View::searched`], of what somebody named: a path or space that is not there is an error,
    /// and links to the path are followed.
    pub(super) fn asked(
        &self,
        spaces: &[SpaceName],
        below: &Path,
        which: Which,
    ) -> Result<Vec<Searched>> {
        let (view, meant) = self.meant_once(below)?;
        let (at, _) = view.real_place(&meant)?;
        let searched = self.searched(spaces, &at, which)?;
        for name in spaces {
            if searched.iter().any(|one| one.space.name == *name) {
                continue;
            }
            let is_hidden = self.seen_spaces_that(|seen| Ok(seen == name))?.is_empty();
            let message = if is_hidden {
                format!("there is no space {name}")
            } else {
                format!("nothing of the space {name} is there")
            };
            return Err(Error::new(ErrorKind::NotFound, message).with_path(below));
        }
        Ok(searched)
    }

    /// Returns what is searched for this agent at and below a path, each index current. No other
    /// index is touched.
    pub(super) fn searched(
        &self,
        spaces: &[SpaceName],
        below: &Path,
        which: Which,
    ) -> Result<Vec<Searched>> {
        self.store.check_open()?;
        let mut chosen = Vec::new();
        match self.locate(below)? {
            Spot::In(place) if !below.is_root() => {
                if !place.reach.is_nothing() {
                    let (space, reach, path) = (place.space, place.reach, place.path);
                    chosen.push((space.into_owned(), reach, path.into_owned()));
                }
            }
            spot => {
                let folder = match spot {
                    Spot::Virtual(folder @ (Virtual::Homes | Virtual::Shared)) => folder.path(),
                    _ => Path::root(),
                };
                for (_, space, reach) in self.seen_spaces()? {
                    let is_below = |root: Path| root.starts_with(&folder);
                    if self.path_in_view(&space.name, &Path::root()).is_some_and(is_below) {
                        chosen.push((space, reach, Path::root()));
                    }
                }
            }
        }
        chosen.retain(|(space, _, _)| spaces.is_empty() || spaces.contains(&space.name));
        let searched = chosen.into_iter().map(|(space, reach, below)| {
            let one = self.searched_in(space, reach)?;
            one.index.count_search();
            Ok(Searched { below, which, ..one })
        });
        searched.collect()
    }

    /// Returns a space with its index, which is current.
    pub(super) fn searched_in(&self, space: Arc<Space>, reach: Reach) -> Result<Searched> {
        let index = self.store.indexing.current(&space)?;
        let (below, which) = (Path::root(), Which::All);
        Ok(Searched { space, reach, index, below, which, places: RefCell::default() })
    }

    /// Returns the best docs, best first, each in a file that may be read.
    pub(super) fn sight(
        &self,
        searched: &[Searched],
        text: &str,
        kind: rank::Kind,
        is_plain: bool,
        limit: usize,
    ) -> Result<Vec<DocHit>> {
        let indexes: Vec<_> = searched.iter().map(Searched::index).collect();
        let words = rank::words(text, is_plain);
        let vector_by = |name: Option<&str>| match kind {
            rank::Kind::Text => None,
            _ => self.store.indexing.embed_query(name?, &words),
        };
        // Static vectors are compared without this, and an empty index has none to compare.
        let embedders = indexes.iter().filter(|index| !index.vectors().is_empty());
        let vector = vector_by(embedders.map(|index| index.embedder()).find(is_not_static));
        let former = vector_by(indexes.iter().find_map(|index| index.former_embedder()));
        let filters = filters(searched);
        let scopes = scopes(searched, &indexes, &filters);
        let here = self.here();
        let question = Question {
            text,
            kind,
            plain: is_plain,
            here: Some(&here),
            vector: vector.as_deref(),
            former: former.as_deref(),
        };
        let hits = rank::search(&scopes, &question, limit);
        self.confirm(searched, &indexes, hits)
    }

    /// Returns the files that are most like a file of one of the spaces.
    pub(super) fn sight_related(
        &self,
        searched: &[Searched],
        scope: usize,
        node: NodeId,
        limit: usize,
    ) -> Result<Vec<DocHit>> {
        let indexes: Vec<_> = searched.iter().map(Searched::index).collect();
        let filters = filters(searched);
        let scopes = scopes(searched, &indexes, &filters);
        let hits = rank::related(&scopes, scope, node.0, limit).into_iter().filter_map(|like| {
            let doc = indexes[like.scope].docs_of(like.node).next()?;
            let rank::Related { scope, score, .. } = like;
            Some(rank::Hit { scope, doc, score, text: 0.0, vector: score })
        });
        self.confirm(searched, &indexes, hits.collect())
    }

    /// Leaves out what is not there, or may not be read, whatever an index says.
    pub(super) fn confirm(
        &self,
        searched: &[Searched],
        indexes: &[RwLockReadGuard<'_, Index>],
        hits: Vec<rank::Hit>,
    ) -> Result<Vec<DocHit>> {
        let mut sighted = Vec::with_capacity(hits.len());
        for hit in hits {
            let (scope, one) = (hit.scope, &searched[hit.scope]);
            let Some(doc) = indexes[scope].doc(hit.doc) else { continue };
            let node = NodeId(doc.file.node);
            if let Some(inner) = one.place_of(node)?
                && let Some(path) = self.path_in_view(&one.space.name, &inner)
            {
                let title = if doc.title.is_empty() { &doc.file.title } else { doc.title };
                sighted.push(DocHit {
                    scope,
                    node,
                    version: Version(doc.file.version),
                    path,
                    is_whole: indexes[scope].docs_of(node.0).len() == 1,
                    title: title.to_owned(),
                    bytes: doc.bytes,
                    lines: doc.lines,
                    importance: doc.file.importance,
                    modified: Timestamp(doc.file.modified),
                    digest: doc.digest,
                    vector: indexes[scope].vector(hit.doc).map(|(_, vector)| vector),
                    newer: self.newer_of(searched, indexes, doc.file)?,
                    hit,
                });
            }
        }
        Ok(sighted)
    }
}

impl Names for Searched {
    /// Where a file that is admitted is in its space; nowhere if it is gone meanwhile.
    fn path_of<'a>(&self, file: &'a File) -> Cow<'a, str> {
        if !file.path.is_empty() {
            return Cow::Borrowed(&file.path);
        }
        let path = self.path_unless_told(file.node);
        Cow::Owned(path.map(|path| path.as_str().to_owned()).unwrap_or_default())
    }
}

/// Tells whether an error is about one node, and not about all there is.
fn is_of_one(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::Invalid | ErrorKind::Corrupt)
}

/// Tells whether a question needs a vector of its own to be compared with those of an embedder.
fn is_not_static(name: &&str) -> bool {
    *name != BuiltIn::Static.name()
}

type Filter<'a> = Box<dyn Fn(&File) -> bool + 'a>;

fn filters(searched: &[Searched]) -> Vec<Filter<'_>> {
    searched.iter().map(|one| Box::new(|file: &File| one.admits(file)) as Filter<'_>).collect()
}

fn scopes<'a>(
    searched: &'a [Searched],
    indexes: &'a [RwLockReadGuard<'_, Index>],
    filters: &'a [Filter<'a>],
) -> Vec<Scope<'a>> {
    let scope = |((one, index), filter): (
        (&'a Searched, &'a RwLockReadGuard<'_, Index>),
        &'a Filter<'a>,
    )| {
        let admits: Option<&dyn Fn(&File) -> bool> =
            if one.is_all(index) { None } else { Some(&**filter) };
        Scope { index, admits, names: Some(one), counts: one.reach.reads_all() }
    };
    searched.iter().zip(indexes).zip(filters).map(scope).collect()
}
