//! Which sources are attached, and how they are opened.
//!
//! An attachment is of this machine and of whoever runs homefs here: it is a file beside the base,
//! neither an attribute that an agent could set nor a record that another machine could send.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Once, OnceLock, Weak};
use std::time::Duration;

use homefs_core::{
    AgentId, Clock, Error, ErrorKind, NodeId, Path, Result, Source, SourceTarget, SpaceName,
};
use parking_lot::{Mutex, RwLock};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::revalidation::Revalidation;

use crate::space::Space;
use crate::spaces::Spaces;
use crate::tree::{Answer, Halt, Root};

/// The name of the file in the folder of its space.
pub(crate) const ATTACHED: &str = "attached.json";
/// For so many sets of groups it is kept what they see of a source.
const SEEN_MAX: usize = 64;

/// A source as it is attached, which holds no secrets; here a `Source` is what answers.
pub use homefs_wire::records::Source as Attachment;

/// Tells whether a source shows anything at and below a path, or is above it.
pub fn concerns(source: &Attachment, below: &Path) -> bool {
    source.path.starts_with(below) || below.starts_with(&source.path)
}

/// Says which sources a search at and below a path leaves out, since their files are in no index.
pub fn unsearched(sources: &[Attachment], below: &Path) -> Option<String> {
    let places = sources.iter().filter(|source| concerns(source, below));
    let places: Vec<&str> = places.map(|source| source.path.as_str()).collect();
    let places = (!places.is_empty()).then(|| places.join(", "))?;
    Some(format!("not searched: what is attached at {places}; grep finds its lines"))
}

/// Opens sources by their addresses.
pub trait OpenSource: Send + Sync {
    /// Refuses an address that nobody may attach, or only an operator.
    ///
    /// # Errors
    ///
    /// `Denied`.
    fn check_allowed(&self, _address: &str, _by_operator: bool) -> Result<()> {
        Ok(())
    }

    /// Opens a source. `place` names the attachment, for what is kept of the source on disk.
    fn open(
        &self,
        address: &str,
        settings: &BTreeMap<String, String>,
        place: &str,
    ) -> Result<Arc<dyn Source>>;

    /// Opens a source to be changed, if it takes changes.
    fn open_target(&self, address: &str) -> Result<Arc<dyn SourceTarget>> {
        let message = format!("{address} takes no changes: only folders do");
        Err(Error::new(ErrorKind::Unsupported, message))
    }

    /// Lets go of what is kept on disk of a source that is detached.
    fn forget(&self, _place: &str) {}
}

/// What a store needs to open sources.
#[derive(Default)]
pub struct SourceDoor {
    opener: RwLock<Option<Arc<dyn OpenSource>>>,
    /// Who knows the groups of agents.
    spaces: OnceLock<Weak<Spaces>>,
    /// When what a source shows is asked for again.
    pub revalidation: Revalidation,
}

impl SourceDoor {
    /// Sets what opens sources from now on.
    pub fn set_opener(&self, opener: Arc<dyn OpenSource>) {
        *self.opener.write() = Some(opener);
    }

    /// Sets whose sources are opened, and how old what is known of one may be; the first stay.
    pub fn set_spaces(&self, spaces: &Arc<Spaces>, age_max: Duration, clock: &Arc<dyn Clock>) {
        self.spaces.set(Arc::downgrade(spaces)).ok();
        self.revalidation.set_spaces(spaces, age_max, clock);
    }

    /// Returns what opens sources, or says that nothing does.
    pub fn opener(&self) -> Result<Arc<dyn OpenSource>> {
        self.opener.read().clone().ok_or_else(|| {
            let message = "this program does not open sources";
            Error::new(ErrorKind::Unsupported, message)
        })
    }

    /// Returns the groups that an agent is in.
    fn groups(&self, agent: &AgentId) -> Result<BTreeSet<String>> {
        match self.spaces.get().map(Weak::upgrade) {
            Some(Some(spaces)) => spaces.groups_of(agent),
            Some(None) => Err(Error::new(ErrorKind::Closed, "the store is closed")),
            None => Ok(BTreeSet::new()),
        }
    }
}

/// An attachment as it is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AttachmentRecord {
    /// The directory it is attached to.
    #[serde(with = "hex_node")]
    pub node: NodeId,
    /// Drawn for each attachment, so that ids of its nodes are of no other.
    pub seed: u64,
    /// What the source is called.
    pub address: String,
    /// What opening it needs to know.
    pub settings: BTreeMap<String, String>,
    /// Whether it takes no changes.
    pub read_only: bool,
    /// Whether members of groups may see more of it than others.
    pub has_groups: bool,
}

/// The attachments of a space, and those of their sources that are open.
pub struct Attached {
    /// Held while one is attached or detached. The others are never held while the tree is locked
    /// or a source is asked: the guard needs them with the tree locked.
    pub changing: Mutex<()>,
    kept: Mutex<Arc<[AttachmentRecord]>>,
    open: Mutex<FxHashMap<NodeId, OpenAttachment>>,
    /// Why those do not answer that did not when they were last asked.
    pub(super) troubles: Mutex<FxHashMap<NodeId, Error>>,
    /// Most spaces have none that shows more to members of groups.
    has_groups: AtomicBool,
    /// Whether this process has looked if they still show what an earlier one knew.
    pub looked: Once,
}

impl Default for Attached {
    fn default() -> Self {
        Self {
            changing: Mutex::default(),
            kept: Mutex::default(),
            open: Mutex::default(),
            troubles: Mutex::default(),
            has_groups: AtomicBool::default(),
            looked: Once::new(),
        }
    }
}

/// An open source, and how members of groups see it.
struct OpenAttachment {
    whole: Arc<dyn Source>,
    seen: HashMap<BTreeSet<String>, Arc<dyn Source>>,
}

impl Attached {
    /// Returns the attachments.
    pub fn kept(&self) -> Arc<[AttachmentRecord]> {
        self.kept.lock().clone()
    }

    /// Takes what is attached, as it was kept.
    pub fn set_kept(&self, kept: Vec<AttachmentRecord>) {
        let has_groups = kept.iter().any(|kept| kept.has_groups);
        *self.kept.lock() = kept.into();
        self.has_groups.store(has_groups, Ordering::Release);
    }

    /// Returns a source if it is open: all of it.
    pub(super) fn opened(&self, root: NodeId) -> Option<Arc<dyn Source>> {
        self.open.lock().get(&root).map(|opened| Arc::clone(&opened.whole))
    }

    /// Tells whether any of the sources shows more to members of groups than to others.
    pub fn has_groups(&self) -> bool {
        self.has_groups.load(Ordering::Acquire)
    }

    /// Returns the directories whose sources show more to members of groups.
    pub(crate) fn roots_with_groups(&self) -> Vec<NodeId> {
        if !self.has_groups() {
            return Vec::new();
        }
        self.kept().iter().filter(|kept| kept.has_groups).map(|kept| kept.node).collect()
    }
}

impl Space {
    /// Takes up the attachments that were made before.
    pub(crate) fn know_sources(&self) -> Result<()> {
        let path = self.attached_path();
        let disk = &self.ground.disk;
        let failed = |cause| Error::io("read which sources are attached", cause);
        if !disk.exists(&path).map_err(failed)? {
            return Ok(());
        }
        let content = disk.read(&path).map_err(failed)?;
        let kept: Vec<AttachmentRecord> = serde_json::from_slice(&content).map_err(|cause| {
            Error::new(ErrorKind::Corrupt, "the list of attached sources is not readable")
                .with_source(cause)
                .with_path_text(path.to_string_lossy())
        })?;
        for attachment in &kept {
            // One whose directory is gone shows nothing.
            if self.know(attachment.node).or_error(&self.name)? {
                self.attach(attachment);
            }
        }
        self.attached.set_kept(kept);
        Ok(())
    }

    /// Keeps the attachments.
    pub fn keep_attachments(&self, kept: &[AttachmentRecord]) -> Result<()> {
        let content = serde_json::to_vec_pretty(kept)
            .map_err(|cause| Error::new(ErrorKind::Internal, "unwritable").with_source(cause))?;
        self.ground.disk.replace(&self.attached_path(), &content).map_err(|cause| {
            Error::io("write which sources are attached", cause)
                .with_path_text(self.attached_path().to_string_lossy())
        })
    }

    fn attached_path(&self) -> PathBuf {
        self.dir.join(ATTACHED)
    }

    /// Returns the source that is attached to a directory, as the space has it.
    ///
    /// A home shows what its agent's groups may see. A shared space has everything, since its
    /// overlay is one for all, and its guard decides who sees what.
    pub fn source(&self, root: NodeId) -> Result<Arc<dyn Source>> {
        let (whole, seen) = self.source_as(root, &self.groups()?)?;
        Ok(if let SpaceName::Home(_) = self.name { seen } else { whole })
    }

    /// Returns the source that is attached to a directory: all of it, and as members of these
    /// groups see it.
    pub(crate) fn source_as(
        &self,
        root: NodeId,
        groups: &BTreeSet<String>,
    ) -> Result<(Arc<dyn Source>, Arc<dyn Source>)> {
        if let Some(opened) = self.attached.open.lock().get_mut(&root) {
            return Ok(opened.seen_by(groups));
        }
        let opened = self.heard_of_all(root, self.open_source(&self.kept_at(root)?));
        let whole = opened?.whole();
        let mut opened = OpenAttachment { whole, seen: HashMap::new() };
        let found = opened.seen_by(groups);
        self.attached.open.lock().insert(root, opened);
        Ok(found)
    }

    /// Keeps a source open that is attached to a directory.
    pub fn keep_open(&self, root: NodeId, source: Arc<dyn Source>) {
        let opened = OpenAttachment { whole: source.whole(), seen: HashMap::new() };
        self.attached.open.lock().insert(root, opened);
    }

    fn kept_at(&self, root: NodeId) -> Result<AttachmentRecord> {
        let kept = self.attached.kept();
        let gone = || Error::new(ErrorKind::Unavailable, "the source is no longer attached");
        kept.iter().find(|kept| kept.node == root).cloned().ok_or_else(gone)
    }

    /// Opens a source; what is missing here is said to be missing, not the path that leads to it.
    pub fn open_source(&self, kept: &AttachmentRecord) -> Result<Arc<dyn Source>> {
        let opener = self.source_door.opener()?;
        let source = opener.open(&kept.address, &kept.settings, &kept.place());
        source.map_err(|error| match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => {
                let message = format!("the source {} is not here", kept.address);
                Error::new(ErrorKind::Unavailable, message).with_source(error)
            }
            _ => error,
        })
    }

    /// Opens the source that is attached to a directory, to be changed.
    pub fn source_target(&self, root: NodeId) -> Result<Arc<dyn SourceTarget>> {
        self.source_door.opener()?.open_target(&self.kept_at(root)?.address)
    }

    /// Lets go of a source that is attached no longer.
    pub fn close_source(&self, kept: &AttachmentRecord) {
        self.attached.open.lock().remove(&kept.node);
        self.attached.troubles.lock().remove(&kept.node);
        if let Ok(opener) = self.source_door.opener() {
            opener.forget(&kept.place());
        }
    }

    /// Returns the groups that whose home it is is in; a shared space is in none.
    pub fn groups(&self) -> Result<BTreeSet<String>> {
        match &self.name {
            SpaceName::Home(agent) => self.source_door.groups(agent),
            SpaceName::Shared(_) => Ok(BTreeSet::new()),
        }
    }

    /// Shows the source of an attachment that is kept.
    pub fn attach(&self, kept: &AttachmentRecord) {
        self.tree.memory().attach(kept.node, kept.root());
    }

    /// Shows nothing of the source any more that is attached to a directory.
    pub fn detach(&self, directory: NodeId) {
        self.tree.memory().detach(directory, self.ground.clock.now());
    }

    /// Lists the attachments, with paths inside the space.
    pub fn attachments(&self) -> Vec<Attachment> {
        let tree = self.tree.read();
        let kept = self.attached.kept();
        let shown = kept.iter().cloned().filter_map(|kept| {
            let path: Result<Path, Halt> = tree.path_of(kept.node);
            let AttachmentRecord { node, address: source, settings, read_only, .. } = kept;
            let trouble = self.trouble(node);
            Some(Attachment { path: path.ok()?, source, settings, read_only, trouble })
        });
        shown.collect()
    }
}

impl OpenAttachment {
    /// Returns all of it, and as members of these groups see it.
    fn seen_by(&mut self, groups: &BTreeSet<String>) -> (Arc<dyn Source>, Arc<dyn Source>) {
        if let Some(seen) = self.seen.get(groups) {
            return (Arc::clone(&self.whole), Arc::clone(seen));
        }
        if self.seen.len() >= SEEN_MAX {
            self.seen.clear();
        }
        let seen = Arc::clone(&self.whole).seen_by(groups);
        self.seen.insert(groups.clone(), Arc::clone(&seen));
        (Arc::clone(&self.whole), seen)
    }
}

impl AttachmentRecord {
    /// Names the attachment, for what is kept of the source on disk.
    fn place(&self) -> String {
        format!("{:016x}", self.seed)
    }

    /// Returns what the tree knows of it.
    pub fn root(&self) -> Root {
        Root { seed: self.seed, read_only: self.read_only }
    }
}

/// A node's id as people see it.
mod hex_node {
    use homefs_core::NodeId;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(node: &NodeId, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&format_args!("{:032x}", node.0))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<NodeId, D::Error> {
        let text = String::deserialize(from)?;
        u128::from_str_radix(&text, 16).map(NodeId).map_err(serde::de::Error::custom)
    }
}
