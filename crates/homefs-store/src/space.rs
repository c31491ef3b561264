//! One space: its overlay over its base, changed by records and nothing else.

use std::any::Any;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use homefs_core::limits::INLINE_BYTES_MAX;
use homefs_core::{AgentId, Error, ErrorKind, NodeId, Path, Result, SpaceName, Version};
use parking_lot::{Condvar, Mutex, RwLock};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::aside;
use crate::attached::{Attached, SourceDoor};
use crate::backlog::Backlog;
use crate::base::Base;
use crate::chunks::{Chunks, Pins};
use crate::draft::Draft;
use crate::fields::Fields;
use crate::ground::Ground;
use crate::guard::Permit;
use crate::index_file;
use crate::journal::{Effect, Position, is_no_room};
use crate::observers::{Audience, Touched};
use crate::reads::{Minutes, Reads};
use crate::record::{Change, Origin, Record};
use crate::tree::{Body, Halt, Overlay, Sources, Tree, Writer, fail};
use crate::used::Used;

/// On whose behalf, and for which request, a change is made.
#[derive(Clone, Debug)]
pub struct Author {
    /// Who asks.
    pub agent: AgentId,
    /// The request that this answers, if it may be repeated.
    pub origin: Option<Origin>,
    /// Who hears of the change.
    pub audience: Audience,
}

impl Author {
    /// Writes in the name of an agent, for no request.
    pub fn new(agent: AgentId) -> Self {
        Self { agent, origin: None, audience: Audience::Everybody }
    }
}

/// An acknowledged change: its version, and the journal position that a barrier must reach.
#[derive(Clone, Copy, Debug)]
pub struct Acknowledged {
    /// The version that it made.
    pub version: Version,
    /// Where it ends in the journal.
    pub position: Position,
}

/// The index of a space, which is made above it and lives as long.
pub trait Index: Any + Send + Sync {
    /// Leaves out nodes that are no files of the space any more, unless that cannot be told.
    fn retain_files(&self, space: &Space, nodes: &mut Minutes);
}

/// Most clients whose last request is kept in memory although the base knows it.
const CLIENTS_MAX: usize = 1024;

/// One open space.
pub struct Space {
    /// What it is called.
    pub name: SpaceName,
    /// Its folder on the host.
    pub dir: PathBuf,
    /// What all spaces of the store stand on.
    pub ground: Arc<Ground>,
    /// What opens sources.
    pub source_door: Arc<SourceDoor>,
    /// What has been folded.
    pub base: Arc<Base>,
    /// Large contents, in pieces.
    pub chunks: Arc<Chunks>,
    /// The present.
    pub tree: Overlay,
    /// The last version that the base has.
    pub folded: AtomicU64,
    /// Why the base takes no more records, if it does not.
    pub failed: OnceLock<Error>,
    /// Whether a crash may have left chunks that nothing names.
    pub(crate) unclean: AtomicBool,
    /// Stored contents that records name which the base does not have yet.
    pins: Mutex<VecDeque<(Version, Pins)>>,
    /// Files that somebody is settling, and the signal that one of them is done.
    pub(crate) settling: Mutex<FxHashSet<NodeId>>,
    /// Told when a file has been settled.
    pub settled: Condvar,
    /// Stored contents of nodes without a name, until no face holds the node.
    orphan_pins: Mutex<FxHashMap<NodeId, Vec<Pins>>>,
    /// Held while somebody begins to build upon a content, and alone while contents are given up.
    pub kept: RwLock<()>,
    /// Its index, once somebody has searched it.
    pub index: Mutex<Option<Arc<dyn Index>>>,
    /// When files were read last.
    pub reads: Reads,
    /// Whether anybody uses it.
    pub used: Used,
    /// The sources that are attached to it.
    pub attached: Attached,
}

impl Space {
    /// Opens a space in its directory; `backlog` are its records in the journal.
    pub fn open(
        ground: Arc<Ground>,
        source_door: Arc<SourceDoor>,
        dir: &std::path::Path,
        name: SpaceName,
        backlog: &Backlog,
    ) -> Result<Self> {
        aside::refuse(dir, &*ground.disk)?;
        let chunks = Arc::new(Chunks::new(dir.join("chunks"), ground.disk.clone()));
        ground.sync_with_journal(&chunks);
        let base = Arc::new(Base::open(dir, chunks.clone(), ground.clock.now())?);
        chunks.keep_for(&base);
        let folded = base.folded()?;
        let root = base.node(NodeId::ROOT)?.ok_or_else(|| {
            Error::new(ErrorKind::Corrupt, "the space has no root").with_path_text(name.to_string())
        })?;
        let grants = base.grants()?;
        let chunk_bytes = chunks.chunk_bytes();
        let clock = ground.clock.clone();
        let (version, usage, quota) = (folded.version, folded.usage, folded.quota);
        let mut tree = Tree::new(root, version, usage, quota, grants, chunk_bytes, clock);
        tree.begin(base.expiring()?, base.put_away()?, Sources::new(base.hidden()?));
        let space = Self {
            name,
            dir: dir.to_owned(),
            ground: ground.clone(),
            source_door,
            base,
            chunks,
            tree: Overlay::new(tree, ground),
            folded: AtomicU64::new(folded.version.0),
            failed: OnceLock::new(),
            unclean: AtomicBool::new(!backlog.is_empty()),
            pins: Mutex::default(),
            settling: Mutex::default(),
            settled: Condvar::new(),
            orphan_pins: Mutex::default(),
            kept: RwLock::new(()),
            index: Mutex::default(),
            reads: Reads::default(),
            used: Used::default(),
            attached: Attached::default(),
        };
        space.take_up(backlog, folded.version)?;
        // Only now: what is replayed does not ask sources.
        space.know_sources()?;
        Ok(space)
    }

    /// Looks at the tree, fetching from the base what is not in memory.
    pub fn look<T>(
        &self,
        permit: Permit,
        mut look: impl FnMut(&Tree) -> Result<T, Halt>,
    ) -> Result<T, Halt> {
        self.used.note(permit);
        loop {
            let tree = self.tree.read();
            match look(&tree) {
                Err(halt) => {
                    drop(tree);
                    self.fetch_for(permit, halt)?;
                }
                Ok(found) => return Ok(found),
            }
        }
    }

    /// Makes one change: `build` looks at the tree and drafts what is to be recorded.
    pub fn change(
        &self,
        author: &Author,
        permit: Permit,
        mut build: impl FnMut(&Tree, &mut Draft<'_>) -> Result<(), Halt>,
    ) -> Result<Acknowledged, Halt> {
        if self.ground.journal.is_full() {
            permit.may_wait()?;
        }
        // Waiting for the fold must not happen under the lock: the fold needs it too.
        self.ground.journal.admit()?;
        loop {
            let releases = self.ground.journal.releases();
            match self.make_change(author, permit, None, &mut build) {
                // What is folded needs less room than what is not.
                Err(Halt::Fail(error)) if is_no_room(&error) => {
                    permit.may_wait()?;
                    if !self.ground.journal.wait_for_room(releases) {
                        return Err(Halt::Fail(error));
                    }
                }
                done => return done,
            }
        }
    }

    /// Makes one change however full the journal or the disk is: for the fold, for which all others
    /// wait.
    pub fn change_now(
        &self,
        author: &Author,
        permit: Permit,
        build: impl FnMut(&Tree, &mut Draft<'_>) -> Result<(), Halt>,
    ) -> Result<Acknowledged, Halt> {
        self.make_change(author, permit, Some(Effect::Frees), build)
    }

    fn make_change(
        &self,
        author: &Author,
        permit: Permit,
        effect: Option<Effect>,
        mut build: impl FnMut(&Tree, &mut Draft<'_>) -> Result<(), Halt>,
    ) -> Result<Acknowledged, Halt> {
        if !permit.writes() {
            return Err(fail(ErrorKind::Internal, "a change needs a permit to write"));
        }
        self.used.note(permit);
        let mut draft = Draft::new(&self.ground);
        loop {
            let tree = self.tree.writer();
            draft.changes.clear();
            let drafted = match author.origin.map_or(Ok(None), |origin| tree.answered(origin)) {
                Ok(Some(version)) => {
                    let position = self.ground.journal.end();
                    return Ok(Acknowledged { version, position });
                }
                Ok(None) => build(&tree, &mut draft),
                Err(halt) => Err(halt),
            };
            let drafted = drafted.and_then(|()| tree.check_free(&draft.changes));
            let drafted = drafted.and_then(|()| tree.own_changed(&mut draft, permit));
            match drafted.and_then(|()| tree.confine(&mut draft, permit)) {
                Ok(()) => return self.record(tree, author, permit, effect, draft),
                Err(halt) => {
                    drop(tree);
                    self.fetch_for(permit, halt)?;
                }
            }
        }
    }

    /// Returns what already answered the author's request. Changes that take several steps, or
    /// depend on what they change, ask before they begin.
    pub fn answered(&self, author: &Author, permit: Permit) -> Result<Option<Acknowledged>, Halt> {
        let Some(origin) = author.origin else { return Ok(None) };
        let version = self.look(permit, |tree| tree.answered(origin))?;
        let position = self.ground.journal.end();
        Ok(version.map(|version| Acknowledged { version, position }))
    }

    /// Halts at a link on the way to a path; whether anything is there is for the caller to see.
    pub fn pass_links(&self, permit: Permit, path: &Path) -> Result<(), Halt> {
        match self.look(permit, |tree| tree.slot(path, true).map(drop)) {
            Err(Halt::Fail(_)) => Ok(()),
            passed => passed,
        }
    }

    fn record(
        &self,
        mut tree: Writer<'_>,
        author: &Author,
        permit: Permit,
        effect: Option<Effect>,
        draft: Draft<'_>,
    ) -> Result<Acknowledged, Halt> {
        let Draft { time, changes, .. } = draft;
        if changes.is_empty() {
            let position = self.ground.journal.end();
            return Ok(Acknowledged { version: tree.version(), position });
        }
        if let Some(error) = self.failed.get() {
            return Err(Halt::Fail(error.clone()));
        }
        if tree.is_of_orphan(&changes) {
            tree.apply_to_orphan(changes, time, &author.agent);
            let position = self.ground.journal.end();
            return Ok(Acknowledged { version: tree.version(), position });
        }
        let usage = tree.usage_after(&changes);
        if permit.is_bounded() {
            tree.check_quota(usage, permit.sees_all())?;
            tree.check_drawn(&changes)?;
        }
        let version = tree.version().next();
        let record = Record {
            space: self.name.clone(),
            version,
            time,
            agent: author.agent.clone(),
            origin: author.origin,
            usage,
            changes,
            more: Fields::default(),
        };
        let effect = effect.unwrap_or_else(|| record.effect());
        let position = self.ground.journal.append(effect, |buffer| record.encode(buffer))?;
        let is_erasing =
            |change: &Change| matches!(change, Change::Purge { .. } | Change::Erase { .. });
        let erases = record.changes.iter().any(is_erasing);
        let purged = |change: &Change| match change {
            Change::Purge { node } => Some(*node),
            _ => None,
        };
        let purged: Vec<NodeId> = record.changes.iter().filter_map(purged).collect();
        let observed = author.audience != Audience::Nobody && self.ground.observers.is_observed();
        let touched = observed.then(|| Touched::of(&self.name, &tree, &record.changes));
        // Only what comes from elsewhere replaces a file without the knowledge of who has it open.
        let removed = if permit.is_bounded() { Vec::new() } else { removed(&record.changes) };
        tree.apply(record, position);
        tree.note_successors(&removed);
        drop(tree);
        if let Some(touched) = touched {
            self.ground.observers.tell(&self.name, &touched, author.audience);
        }
        if erases {
            self.erase_index()?;
            self.forget_reads(&purged)?;
        }
        Ok(Acknowledged { version, position })
    }

    /// Lets nothing of what is purged stay in the index or its file.
    fn erase_index(&self) -> Result<()> {
        if let Some(unindexed) = self.tree.memory().unindexed_mut() {
            unindexed.erased = true;
            return Ok(());
        }
        index_file::remove(&*self.ground.disk, &self.dir)
    }

    /// As [`Self::fetch`], for whoever is permitted to wait.
    fn fetch_for(&self, permit: Permit, halt: Halt) -> Result<(), Halt> {
        if !matches!(halt, Halt::Link { .. } | Halt::Fail(_)) {
            permit.may_wait()?;
        }
        self.fetch(halt)
    }

    /// Reads from the base what a look or a change found missing.
    pub(super) fn fetch(&self, halt: Halt) -> Result<(), Halt> {
        match halt {
            Halt::Names(directory) => {
                let rows = self.base.children(directory)?;
                self.tree.memory().keep_names(directory, rows);
            }
            Halt::Node(node) => {
                let row = self.base.node(node)?.ok_or_else(|| self.missing(node))?;
                let mut names = self.base.parents(node)?.into_iter();
                let (parent, name) = names.next().ok_or_else(|| self.missing(node))?;
                self.tree.memory().keep(parent, name.into(), row);
            }
            Halt::Name(node) => self.find_name(node)?,
            Halt::Content(node) => {
                let row = self.base.node(node)?.ok_or_else(|| self.missing(node))?;
                self.tree.memory().keep_reference(row);
            }
            Halt::Bytes(node) => {
                // The base may not know yet which content the file has, though it has the content.
                let named = self.tree.read().named(node).and_then(|known| match &known.body {
                    Body::Settled(content) => Some((content.clone(), known.content_version)),
                    _ => None,
                });
                let (content, seen) = if let Some(named) = named {
                    named
                } else {
                    let row = self.base.node(node)?.ok_or_else(|| self.missing(node))?;
                    (row.content, row.content_version)
                };
                let bytes = self.read_content(&content, 0, INLINE_BYTES_MAX)?;
                self.keep_content(node, seen, &bytes);
            }
            Halt::Stage(node) => self.fetch_image(node, None)?,
            Halt::Image(node, index) => self.fetch_image(node, Some(index))?,
            Halt::Settle(node) => self.settle(node)?,
            Halt::Client(client) => {
                let last = self.base.client_last(client)?.unwrap_or((0, Version(0)));
                self.tree.memory().keep_client(client, last);
            }
            Halt::Listing(directory) => self.list_source(directory)?,
            Halt::Measure(node) => self.measure(node)?,
            Halt::TakeOver(node) => self.take_over(node)?,
            Halt::Expired(node) => self.expire(node)?,
            Halt::Link { .. } | Halt::Fail(_) => return Err(halt),
        }
        Ok(())
    }

    fn missing(&self, node: NodeId) -> Error {
        Error::new(ErrorKind::Corrupt, format!("node {node} is missing from the base"))
            .with_path_text(self.name.to_string())
    }

    /// Keeps stored contents until the record that names them is folded.
    pub fn hold(&self, version: Version, pins: Pins) {
        let mut held = self.pins.lock();
        // Under the lock: a fold that is told after this sees the entry, one before it is seen.
        if version.0 > self.folded.load(Ordering::Acquire) {
            held.push_back((version, pins));
        }
    }

    /// Keeps the stored content of a node without a name as long as the node.
    pub(crate) fn hold_for_orphan(&self, node: NodeId, pins: Pins) {
        self.orphan_pins.lock().entry(node).or_default().push(pins);
    }

    /// Gives back holds of a face on a node.
    pub fn release_node(&self, node: NodeId, count: u64) {
        let mut tree = self.tree.memory();
        tree.release(node, count);
        let is_forgotten = !tree.is_orphan(node);
        drop(tree);
        if is_forgotten {
            self.orphan_pins.lock().remove(&node);
        }
    }

    /// Notes that the base has everything up to a version.
    pub(crate) fn note_folded(&self, version: Version) {
        self.folded.store(version.0, Ordering::Release);
        self.pins.lock().retain(|(held, _)| *held > version);
        // The base knows the last requests of clients that it has folded.
        self.tree.memory().forget_clients(CLIENTS_MAX, version);
    }

    /// Tells whether nothing lives in it.
    pub fn is_empty(&self) -> bool {
        self.tree.read().usage().nodes == 0
    }

    /// Tells whether the base has everything and nothing is unsettled.
    pub(crate) fn is_folded(&self) -> bool {
        let tree = self.tree.read();
        tree.staged().len() == 0 && tree.version().0 <= self.folded.load(Ordering::Acquire)
    }

    /// Gives back memory of contents that the base has.
    pub(crate) fn give_back(&self, wanted: u64) {
        let folded = Version(self.folded.load(Ordering::Acquire));
        self.tree.memory().give_back(wanted, folded);
    }

    /// Keeps a content that was read from the base, if the file still has it.
    pub(super) fn keep_content(&self, node: NodeId, seen: Version, bytes: &Bytes) {
        self.tree.memory().keep_content(node, seen, bytes);
    }

    /// Gives memory back where reading has filled it. Not to be called for a content that a
    /// change waits for: what is too long to be kept would be fetched for ever.
    pub(super) fn relieve_memory(&self) {
        let most = self.ground.settings.memory_bytes_max;
        let now = self.ground.resident_bytes.load(Ordering::Relaxed);
        if now > most {
            // A little more than needed, so that not every read has to give back.
            self.give_back(now - most + most / 16);
        }
    }
}

/// Returns the nodes that changes remove, and where each was.
fn removed(changes: &[Change]) -> Vec<(NodeId, Path)> {
    let removed = |change: &Change| match change {
        Change::Remove { node, path } => Some((*node, path.clone())),
        _ => None,
    };
    changes.iter().filter_map(removed).collect()
}
