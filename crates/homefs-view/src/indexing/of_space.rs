//! The index of one space: kept up with the tree, embedded, and written down.

use std::mem;
use std::sync::atomic::{AtomicU64, Ordering};

use homefs_core::{Embedder, ErrorKind, NodeId, Result, Role, SpaceName, Version};
use homefs_search::embed::BuiltIn;
use homefs_search::index::{self, Index};
use homefs_search::rank;
use homefs_store::fold::Fold;
use homefs_store::guard::Permit;
use homefs_store::indexed::TakenChanges;
use homefs_store::reads::Minutes;
use homefs_store::space::{self, Space};
use homefs_store::tree::Answer;
use parking_lot::{Mutex, RwLock};
use rustc_hash::{FxHashMap, FxHashSet};

use super::absent::Absent;
use super::file::IndexFile;
use super::ignored::Rules;
use super::seen::{NodeSnapshot, Read, SeenFile, see};

/// A file is written as a whole again when this share of it says nothing any more.
const GARBAGE_MAX: f32 = 0.25;

/// The index of one open space.
///
/// Its locks are taken in this order: file, work, index; then the tree's, which nobody holds while
/// taking one of these.
pub(crate) struct SpaceIndex {
    /// What is searched.
    pub(crate) index: RwLock<Index>,
    /// Held while somebody brings the index up to the tree.
    work: Mutex<Work>,
    /// Files whose contents are not on this machine.
    pub(super) absent: Absent,
    /// `None` once the index is closed.
    file: Mutex<Option<IndexFile>>,
    /// How many searches have looked into it.
    pub(crate) searches: AtomicU64,
}

#[derive(Default)]
struct Work {
    /// Whether the file holds something that was purged.
    must_rewrite: bool,
    /// Whether the file lacks something that could not be written.
    is_behind: bool,
    /// Nodes whose lineage must be asked for when they are looked at.
    lineages: FxHashSet<NodeId>,
    /// Which files are no memories; nothing until the first node is looked at.
    rules: Option<Rules>,
    /// Nodes that never were before, so that it need not be asked for.
    fresh: FxHashSet<NodeId>,
    /// Nodes that were looked at since a rewrite of the file began, while there is one.
    meanwhile: Option<FxHashSet<NodeId>>,
}

impl SpaceIndex {
    /// Opens the index of a space, or begins it, and learns what changed since it was written.
    pub(super) fn open(space: &Space, fold: &Fold) -> Result<Self> {
        // First: from here on the tree tells what changes.
        space.set_indexed(true);
        let opened = Self::read(space, fold);
        if opened.is_err() {
            space.set_indexed(false);
        }
        opened
    }

    fn read(space: &Space, fold: &Fold) -> Result<Self> {
        // Whatever the embedder is, the static model is here at once.
        let fresh = || Index::new(BuiltIn::Static.name(), BuiltIn::Static.dimensions()?);
        let mut index = fresh()?;
        let disk = space.ground.disk.clone();
        let (file, taken) = IndexFile::open(disk, &space.dir, |frame| index.apply(frame))?;
        if let Err(error) = taken {
            tracing::warn!(space = %space.name, %error, "the index is made again");
            index = fresh()?;
        }
        fold.catch_up(&space.name)?;
        if index.version() > space.base.folded()?.version.0 {
            // Of another past of this space, as after a repair.
            index = fresh()?;
        }
        let changed = space.base.changes_since(Version(index.version()), usize::MAX)?;
        // What only the remote had when the file was written may be here by now, or is unseen still.
        let is_unread = |file: &&index::File| {
            let mut docs = index.docs_of(file.node).filter_map(|doc| index.doc(doc));
            docs.all(|doc| doc.bytes.is_empty())
        };
        let unread: Vec<NodeId> = match space.chunks.lender() {
            Some(_) => index.files().filter(is_unread).map(|file| NodeId(file.node)).collect(),
            None => Vec::new(),
        };
        // An index of an earlier homefs has one of the names, which may be hidden from who searches.
        let mut named = Vec::new();
        if let SpaceName::Shared(_) = space.name {
            named = space.base.linked()?;
            named.retain(|node| index.file(node.0).is_some_and(|file| !file.path.is_empty()));
        }
        let gone_on = gone_on_unseen(&index, space)?;
        let lineages = changed.iter().map(|row| row.node).chain(gone_on);
        space.begin_index(lineages, unread.into_iter().chain(named));
        Ok(Self {
            index: RwLock::new(index),
            work: Mutex::default(),
            absent: Absent::new(space.ground.settings.index_fetch_bytes_max),
            file: Mutex::new(Some(file)),
            searches: AtomicU64::new(0),
        })
    }

    /// Returns the files whose contents are not here, so that only their names are searched.
    pub(crate) fn unseen(&self) -> Vec<NodeId> {
        self.absent.nodes()
    }

    /// Brings the index up to everything that was acknowledged before the call.
    pub(crate) fn catch_up(&self, space: &Space) -> Result<()> {
        self.advance(space, usize::MAX).map(drop)
    }

    /// Looks at so many changed nodes at most; tells whether there are more. Whoever is in no hurry
    /// looks at few at a time, because a search waits meanwhile.
    pub(super) fn advance(&self, space: &Space, most: usize) -> Result<bool> {
        // Whoever holds it may be at a change that this caller must see.
        let mut work = self.work.lock();
        // One lock after the other: a search holds the index while it asks the tree.
        let indexed = self.index.read().version();
        let is_current = {
            let tree = space.tree.read();
            tree.unindexed().is_none_or(|changed| changed.nodes.is_empty())
                && tree.version().0 == indexed
        };
        if is_current {
            return Ok(false);
        }
        let TakenChanges { version, changed, has_more } = space.take_unindexed(most);
        work.must_rewrite |= changed.erased;
        work.lineages.extend(changed.lineages);
        work.fresh.extend(changed.fresh);
        let is_all = take_all(&self.index, space, (&mut work, &self.absent), changed.nodes)?;
        if !has_more && is_all {
            self.index.write().set_version(version.0);
        }
        // What could not be looked at now is not worth another round at once.
        Ok(has_more && is_all)
    }

    /// Lets the docs have vectors by an embedder from now on.
    pub(super) fn use_embedder(&self, name: &str, dimensions: usize) -> Result<()> {
        if self.index.read().embedder() == name {
            return Ok(());
        }
        self.index.write().set_embedder(name, dimensions)
    }

    /// Embeds some of the docs that wait; returns how many there were.
    pub(super) fn embed_some(
        &self,
        space: &Space,
        embedder: &dyn Embedder,
        most: usize,
    ) -> Result<usize> {
        let waiting: Vec<(u32, NodeId, std::ops::Range<usize>)> = {
            let index = self.index.read();
            let docs = index.waiting(most).into_iter();
            docs.filter_map(|doc| {
                let known = index.doc(doc)?;
                let range = known.bytes.start as usize..known.bytes.end as usize;
                Some((doc, NodeId(known.file.node), range))
            })
            .collect()
        };
        if waiting.is_empty() {
            return Ok(0);
        }
        let mut texts = Vec::with_capacity(waiting.len());
        for (doc, node, range) in waiting {
            let seen = match see(space, node) {
                // One that is damaged has no text, and keeps no others from getting their vectors.
                Err(error) if error.kind() == ErrorKind::Corrupt => NodeSnapshot::Gone,
                seen => seen?,
            };
            let content = match seen {
                NodeSnapshot::File(SeenFile {
                    read: Read::Whole(bytes) | Read::Beginning(bytes),
                    ..
                }) => bytes,
                _ => bytes::Bytes::new(),
            };
            match content.get(range) {
                Some(text) => texts.push((doc, String::from_utf8_lossy(text).into_owned())),
                // It has changed meanwhile, so it will be looked at again.
                None => space.note_unindexed([node]),
            }
        }
        let borrowed: Vec<&str> = texts.iter().map(|(_, text)| rank::meaning(text)).collect();
        let vectors = embedder.embed_many(&borrowed, Role::Memory)?;
        let mut index = self.index.write();
        if index.embedder() != embedder.name() {
            // It was given another one meanwhile, for whose vectors these docs wait.
            return Ok(texts.len());
        }
        // One that is no vector of this embedder's leaves its doc waiting, and holds up no other.
        let mut failed = None;
        for ((doc, text), vector) in texts.iter().zip(&vectors) {
            if let Err(error) = index.embed(*doc, index::digest(text), vector) {
                failed.get_or_insert(error);
            }
        }
        failed.map_or(Ok(texts.len()), Err)
    }

    /// Writes down what changed. Everything that the index has seen must survive power loss by
    /// now: else the file could be ahead of what the space becomes.
    pub(super) fn save(&self, space: &Space) -> Result<()> {
        let mut file = self.file.lock();
        let Some(file) = file.as_mut() else { return Ok(()) };
        if space.ground.journal.is_read_only() {
            return Ok(());
        }
        let (must_erase, is_behind) = {
            let mut work = self.work.lock();
            (mem::take(&mut work.must_rewrite), mem::take(&mut work.is_behind))
        };
        if space.ground.journal.is_out_of_room() {
            // The index follows from the files, which need what room there is.
            let erased = if must_erase { file.erase() } else { Ok(()) };
            let mut work = self.work.lock();
            work.is_behind |= is_behind || must_erase;
            work.must_rewrite |= erased.is_err();
            return erased;
        }
        let is_wasteful = self.index.read().garbage() > GARBAGE_MAX;
        if (must_erase || is_behind || is_wasteful)
            && let Err(error) = self.rewrite(space, file, must_erase)
        {
            let mut work = self.work.lock();
            work.meanwhile = None;
            work.is_behind = true;
            if must_erase && !file.is_there() {
                // What was purged is gone with the file, which is made again later.
                tracing::warn!(space = %space.name, %error, "the index has no file");
                return Ok(());
            }
            work.must_rewrite |= must_erase;
            return Err(error);
        }
        let work = self.work.lock();
        space.ground.journal.barrier(space.ground.journal.end())?;
        let delta = self.index.write().delta();
        drop(work);
        let saved = delta.map_or(Ok(()), |delta| file.append(&delta));
        // The next part would stand where this one is missing.
        self.work.lock().is_behind |= saved.is_err();
        saved
    }

    /// Writes the file without what says nothing any more, and takes the index that it then is.
    ///
    /// That takes long, so that searches and changes go on meanwhile. Nodes that are looked at
    /// until the end are looked at again for the new index.
    fn rewrite(&self, space: &Space, file: &mut IndexFile, must_erase: bool) -> Result<()> {
        self.work.lock().meanwhile = Some(FxHashSet::default());
        let whole = self.index.read().whole();
        space.ground.journal.barrier(space.ground.journal.end())?;
        let fresh = RwLock::new(Index::of_whole(&whole)?);
        file.replace(&whole, must_erase)?;
        let mut work = self.work.lock();
        let meanwhile = work.meanwhile.take().unwrap_or_default();
        // What the index before was told of them, this one does not know.
        work.lineages.extend(&meanwhile);
        if let Err(error) = take_all(&fresh, space, (&mut work, &self.absent), meanwhile) {
            // They are looked at again; the file is what it is now.
            tracing::warn!(space = %space.name, %error, "the index lags");
        }
        let mut fresh = fresh.into_inner();
        let before = {
            let mut index = self.index.write();
            // It may have been given another embedder meanwhile.
            fresh.set_embedder(index.embedder(), index.vectors().dimensions())?;
            fresh.set_version(index.version());
            mem::replace(&mut *index, fresh)
        };
        drop(work);
        // To free so much takes a while too.
        drop(before);
        Ok(())
    }

    /// Writes down what changed for the last time.
    pub(super) fn close(&self, space: &Space) -> Result<()> {
        let saved = self.save(space);
        *self.file.lock() = None;
        saved
    }

    /// Returns the length of the file in bytes.
    pub(super) fn file_bytes(&self) -> u64 {
        self.file.lock().as_ref().map_or(0, IndexFile::len)
    }

    /// Notes that a search looks into it.
    pub(crate) fn count_search(&self) {
        self.searches.fetch_add(1, Ordering::Relaxed);
    }
}

/// Returns the files of which an index says another lineage than the base. The fold knows who goes
/// on as whom, and the index may have looked before it did, and been written down.
fn gone_on_unseen(index: &Index, space: &Space) -> Result<Vec<NodeId>> {
    let lineages: FxHashMap<NodeId, NodeId> = space.base.lineages()?.into_iter().collect();
    let is_other = |file: &&index::File| {
        let node = NodeId(file.node);
        lineages.get(&node).unwrap_or(&node).0 != file.lineage
    };
    Ok(index.files().filter(is_other).map(|file| NodeId(file.node)).collect())
}

/// What is noted while nodes are looked at.
type Notes<'a> = (&'a mut Work, &'a Absent);

/// Looks at nodes again, and at what must be looked at because of them; those that are left when
/// one fails stay to be looked at. So do those that are damaged, which keep no others from being
/// found; tells whether there are none.
fn take_all(
    index: &RwLock<Index>,
    space: &Space,
    (work, absent): Notes<'_>,
    nodes: FxHashSet<NodeId>,
) -> Result<bool> {
    let mut damaged = Vec::new();
    let mut left: Vec<NodeId> = nodes.into_iter().collect();
    // In an order that does not follow from what else has changed.
    left.sort_unstable();
    while let Some(&node) = left.last() {
        match take(index, space, (work, absent), node) {
            Ok(below) => {
                left.pop();
                left.extend(below);
            }
            Err(error) if error.kind() == ErrorKind::Corrupt => {
                tracing::warn!(space = %space.name, %node, %error, "not searched");
                left.pop();
                damaged.push(node);
            }
            Err(error) => {
                space.note_unindexed(left.into_iter().chain(damaged));
                return Err(error);
            }
        }
    }
    let is_all = damaged.is_empty();
    if !is_all {
        space.note_unindexed(damaged);
    }
    Ok(is_all)
}

/// Looks at a node again; returns what else must be looked at because of it.
fn take(
    index: &RwLock<Index>,
    space: &Space,
    (work, absent): Notes<'_>,
    node: NodeId,
) -> Result<Vec<NodeId>> {
    let seen = see(space, node)?;
    if let Some(meanwhile) = &mut work.meanwhile {
        meanwhile.insert(node);
    }
    absent.note(
        node,
        match &seen {
            NodeSnapshot::File(SeenFile { read: Read::Absent(size), .. }) => Some(*size),
            _ => None,
        },
    );
    // One that the index does not know may have been a file before: it may come out of the trash.
    let is_unsure = work.lineages.contains(&node)
        || (!work.fresh.contains(&node) && index.read().file(node.0).is_none());
    let lineage = match seen {
        NodeSnapshot::File(..) if is_unsure => Some(space.base.lineage(node)?.0),
        _ => None,
    };
    let mut known = index.write();
    let rules = work.rules.get_or_insert_with(|| Rules::of(&known));
    let mut below = Vec::new();
    match seen {
        NodeSnapshot::Gone => {
            below = rules.note(&known, node.0, None);
            known.remove(node.0);
            known.set_directory(node.0, None);
        }
        NodeSnapshot::Directory(path) => {
            // Whatever is below has another path too.
            if known.set_directory(node.0, path.as_deref()) {
                drop(known);
                let names = names_in(space, node);
                if names.is_err() {
                    // It is looked at again, and must be news then too.
                    index.write().set_directory(node.0, None);
                }
                return names;
            }
        }
        NodeSnapshot::File(mut seen) => {
            if let Some(lineage) = lineage.or_else(|| Some(known.file(node.0)?.lineage)) {
                seen.file.lineage = lineage;
            }
            below = rules.take(&known, &mut seen);
            known.put(*seen.file, seen.read.body());
        }
    }
    work.lineages.remove(&node);
    work.fresh.remove(&node);
    Ok(below)
}

/// Returns the nodes in a directory.
pub(super) fn names_in(space: &Space, directory: NodeId) -> Result<Vec<NodeId>> {
    let names = space.look(Permit::follower(), |tree| tree.own_nodes(directory));
    match names {
        // Removed meanwhile: its nodes are told one by one.
        Err(_) if space.tree.read().named(directory).is_none() => Ok(Vec::new()),
        names => names.or_error(&space.name),
    }
}

impl space::Index for SpaceIndex {
    fn retain_files(&self, space: &Space, nodes: &mut Minutes) {
        if self.catch_up(space).is_ok() {
            let index = self.index.read();
            nodes.retain(|node, _| index.file(node.0).is_some());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use homefs_core::{AgentId, Path};

    use super::*;
    use crate::{Components, Settings, Store, Who, WriteOptions};

    /// An embedder of two dimensions, which errs about some texts, while another takes its place.
    struct Slow {
        index: Arc<SpaceIndex>,
        successor: Option<&'static str>,
    }

    impl Embedder for Slow {
        fn name(&self) -> &'static str {
            "slow"
        }

        fn dimensions(&self) -> Result<usize> {
            Ok(2)
        }

        fn embed(&self, text: &str, _: Role) -> Result<Vec<f32>> {
            if let Some(successor) = self.successor {
                self.index.use_embedder(successor, 3)?;
            }
            Ok(if text.contains("odd") { vec![1.0; 5] } else { vec![1.0, 0.0] })
        }
    }

    #[test]
    fn a_vector_of_an_embedder_that_is_gone_or_of_another_length_is_not_kept() {
        let dir = tempfile::tempdir().expect("a directory");
        let store = Store::open(dir.path(), Settings::default(), Components::host());
        let store = store.expect("it opens");
        let agent = AgentId::new("me").expect("a good name");
        let view = store.view(&Who { agent, operator: false, all: false }).expect("a home");
        for (name, text) in [("/a.md", "odd"), ("/b.md", "even"), ("/c.md", "even too")] {
            let path = Path::parse(name).expect("a good path");
            view.write(&path, text.as_bytes(), &WriteOptions::default()).expect("it may");
        }
        let space = view.home.as_ref().expect("it has one");
        let index = view.store.indexing.current(space).expect("it is kept up");
        let waiting = || index.index.read().waiting_count();
        index.use_embedder("slow", 2).expect("it may");
        assert_eq!(waiting(), 3);
        let gone = Slow { index: index.clone(), successor: Some("next") };
        assert_eq!(index.embed_some(space, &gone, 9).expect("no failure"), 3);
        assert_eq!((waiting(), index.index.read().embedder()), (3, "next"));
        // What is a vector is kept, whatever else is in the same batch.
        index.use_embedder("slow", 2).expect("it may");
        let odd = Slow { index: index.clone(), successor: None };
        let error = index.embed_some(space, &odd, 9).expect_err("one is too long");
        assert!(error.to_string().contains("5 dimensions"), "{error}");
        assert_eq!(waiting(), 1);
    }
}
