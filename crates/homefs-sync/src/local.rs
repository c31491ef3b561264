//! This machine's side: what changed in a space, as entries, and entries made true in it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use homefs_core::{Error, ErrorKind, NodeId, Result, Version};
use homefs_store::chunks::Pins;
use homefs_store::draft::Draft;
use homefs_store::guard::Permit;
use homefs_store::model::{Attrs, Kind};
use homefs_store::record::{Change, Content, Origin};
use homefs_store::space::{Author, Space};
use homefs_store::special::SPECIAL_BITS;
use homefs_store::tree::{Answer, Halt, Tree, fail};

use crate::format::{self, Access, Entry, EntryState, Link, Living, MachineId};
use crate::known::RemoteTracking;
use crate::round::Pair;
use crate::traits::Traits;

/// What a space has that the last known commit has not.
pub(crate) struct Ahead {
    /// The space's version up to which this is all.
    pub version: Version,
    pub entries: BTreeMap<NodeId, Entry>,
    /// Nodes that cannot be told of, since what they hold is lost.
    pub lost: BTreeSet<NodeId>,
    /// Those of the entries that name a content which is neither here nor there: the space holds
    /// an older one, which is nobody's change.
    pub missing: BTreeSet<NodeId>,
}

/// Collects what changed in a space since the cursor and differs from what the remote has. The
/// base must have everything: the caller has settled and folded.
pub(crate) fn ahead(
    space: &Space,
    known: &RemoteTracking,
    cursor: Version,
    machine: MachineId,
) -> Result<Ahead> {
    let version = space.base.folded()?.version;
    let (mut entries, mut lost) = (BTreeMap::new(), BTreeSet::new());
    let (kept, mut missing) = (known.missing()?, BTreeSet::new());
    // What was left out is looked at again, however long ago it changed.
    let withheld = known.withheld()?;
    let mut since = cursor;
    for node in &withheld {
        let row = space.base.node(*node)?;
        since = row.map_or(since, |row| since.min(Version(row.version.0.saturating_sub(1))));
    }
    for row in space.base.changes_since(since, usize::MAX)? {
        if row.version <= cursor && !withheld.contains(&row.node) {
            continue;
        }
        let before = known.entry(row.node)?;
        let mut living = match living(space, row.node) {
            Err(error) if error.kind() == ErrorKind::Corrupt => {
                lost.insert(row.node);
                continue;
            }
            living => living?,
        };
        if let (Some(living), Some(kept)) = (&mut living, kept.get(&row.node))
            && let Some(EntryState::Living(told)) = before.as_ref().map(|before| &before.state)
            && kept.holds(&told.content, &living.content)
        {
            living.content = told.content.clone();
            missing.insert(row.node);
        }
        let entry = Entry {
            node: row.node,
            agent: row.agent,
            machine,
            version: row.version,
            state: match living {
                Some(living) => EntryState::Living(Box::new(living)),
                None => EntryState::Gone(row.time),
            },
            more: before.as_ref().map(|before| before.more.clone()).unwrap_or_default(),
        };
        let is_news = match (&entry.state, &before) {
            (EntryState::Gone(_), None) => false,
            (_, Some(before)) => !is_same(before, &entry),
            (EntryState::Living(_), None) => true,
        };
        if is_news {
            entries.insert(entry.node, entry);
        }
    }
    Ok(Ahead { version, entries, lost, missing })
}

/// Returns a node that lives in the base, as an entry has it.
pub(super) fn living(space: &Space, node: NodeId) -> Result<Option<Living>> {
    let Some(row) = space.base.node(node)? else { return Ok(None) };
    let names = space.base.parents(node)?.into_iter();
    let mut links: Vec<_> = names.map(|(parent, name)| Link { parent, name }).collect();
    links.sort_unstable();
    let content = named(space, &row.content)?;
    let traits = Traits::of(row.attrs);
    let lineage = Some(space.base.lineage(node)?).filter(|lineage| *lineage != node);
    Ok(Some(Living { traits, links, content, lineage }))
}

/// Returns a content of the base as entries name it.
fn named(space: &Space, content: &Content) -> Result<format::Content> {
    Ok(match content {
        Content::Chunked { size, leaves } => {
            let pieces = if format::Content::names_leaves(*size) {
                leaves.clone()
            } else {
                let count = space.chunks.chunk_count(*size);
                let mut chunks = Vec::new();
                for (index, &leaf) in leaves.iter().enumerate() {
                    chunks.extend(space.chunks.leaf(leaf, space.chunks.leaf_len(count, index))?);
                }
                chunks
            };
            format::Content::Chunked { size: *size, pieces }
        }
        Content::Blob { digest, size } => {
            let size = u32::try_from(*size).map_err(|_| too_long())?;
            format::Content::Small { digest: *digest, size }
        }
        Content::Inline(_) => format::Content::Empty,
    })
}

fn too_long() -> Error {
    Error::new(ErrorKind::Corrupt, "a small content is longer than it can be")
}

/// Tells whether two entries mean the same, whoever made them when.
pub(crate) fn is_same(one: &Entry, other: &Entry) -> bool {
    match (&one.state, &other.state) {
        (EntryState::Gone(_), EntryState::Gone(_)) => true,
        (EntryState::Living(one), EntryState::Living(other)) => {
            let Living { traits, links, content, lineage } = &**one;
            let is_named_alike = *links == other.links && *lineage == other.lineage;
            let is_noted_alike = traits.undated() == other.traits.undated();
            is_named_alike && is_noted_alike && *content == other.content
        }
        _ => false,
    }
}

/// Returns access to the space, as a commit has it. The base must have everything.
pub fn access(space: &Space) -> Result<Access> {
    let mut grants = space.base.grants()?;
    grants.sort_unstable();
    Ok(Access { grants, quota: space.base.folded()?.quota })
}

/// A content that an entry names, made ready in the space.
pub struct Ready {
    /// The content.
    pub content: Content,
    /// What keeps it until the record that names it is folded.
    pub pins: Option<Pins>,
    /// Whether a merge made it here, so that the remote lacks it.
    pub is_made: bool,
}

/// What is to become true in a space.
#[derive(Default)]
pub struct IncomingChange<'e> {
    /// What is to be true.
    pub entries: Vec<&'e Entry>,
    /// Their contents, as far as they are here.
    pub contents: BTreeMap<NodeId, Ready>,
    /// Rules of access that come or go, and the bounds.
    pub access: Vec<Change>,
    /// What people call the machines that the entries come from.
    pub machines: BTreeMap<MachineId, Box<str>>,
    /// Whether none of the nodes can be here.
    pub is_new: bool,
    /// Names the change, if it is to be known again.
    pub origin: Option<Origin>,
}

/// Makes something true in a space, in one change, unless somebody changed one of the nodes since
/// version `seen`: then nothing happens and it is a `Conflict`.
pub fn apply(pair: &Pair, wanted: IncomingChange<'_>, seen: Version) -> Result<()> {
    let space = &pair.space;
    let IncomingChange { entries, mut contents, access, machines, is_new, origin } = wanted;
    for entry in entries.iter().filter(|_| !is_new) {
        load(space, entry.node).or_error(&space.name)?;
    }
    let own = pair.machine.id();
    let name_of = |machine: MachineId| -> Option<Arc<str>> {
        let name = machines.get(&machine).filter(|_| machine != own)?;
        Some(Arc::from(&**name))
    };
    let agent = entries.last().map_or(&pair.agent, |last| &last.agent);
    let author = Author { origin, ..Author::new(agent.clone()) };
    let saves = saves(space, &entries, is_new)?;
    let done = space.change_now(&author, Permit::outside(), |tree, draft| {
        for entry in &entries {
            let is_newer = tree.named(entry.node).is_some_and(|known| known.version > seen);
            if is_newer || tree.is_staged(entry.node) {
                return Err(fail(ErrorKind::Conflict, "changed here meanwhile"));
            }
        }
        draft.changes.extend(access.iter().cloned());
        draft_entries(tree, draft, &entries, &contents, &name_of)?;
        draft.changes.extend(saves.iter().cloned());
        tree.ready(&draft.changes)
    });
    let done = done.or_error(&space.name)?;
    for ready in contents.values_mut() {
        if let Some(pins) = ready.pins.take() {
            space.hold(done.version, pins);
        }
    }
    Ok(())
}

/// Brings a node that exists, and every directory that names it, into memory.
fn load(space: &Space, node: NodeId) -> Result<(), Halt> {
    if node != NodeId::ROOT && space.base.node(node)?.is_some() {
        space.load_names(node)?;
    }
    Ok(())
}

fn draft_entries(
    tree: &Tree,
    draft: &mut Draft<'_>,
    entries: &[&Entry],
    contents: &BTreeMap<NodeId, Ready>,
    name_of: &dyn Fn(MachineId) -> Option<Arc<str>>,
) -> Result<(), Halt> {
    let mut settled = Vec::new();
    let mut parents = BTreeSet::new();
    for entry in entries {
        if let EntryState::Living(living) = &entry.state {
            let attrs = attrs(tree, draft, entry.node, living);
            let is_new = tree.named(entry.node).is_none();
            let node = entry.node;
            if is_new {
                draft.push(Change::Make { node, attrs: attrs.clone() });
            }
            // Nothing else in the record changes the times of a new file that comes as it is.
            let is_made = contents.get(&node).is_some_and(|ready| ready.is_made);
            if !is_new || is_made || living.traits.kind == Kind::Directory {
                settled.push(Change::Node { node, attrs });
            }
        }
    }
    // All names go before any comes: two nodes may change places.
    for entry in entries {
        for (parent, name) in names_now(tree, entry.node) {
            if !wants(entry, parent, &name) {
                parents.insert(parent);
                draft.bind(parent, &name, None);
            }
        }
    }
    for entry in entries {
        let EntryState::Living(living) = &entry.state else { continue };
        let now: BTreeSet<_> = names_now(tree, entry.node).into_iter().collect();
        for Link { parent, name } in &living.links {
            if now.is_empty() || !now.contains(&(*parent, Arc::from(&**name))) {
                parents.insert(*parent);
                draft.bind(*parent, name, Some(entry.node));
            }
        }
        if let Some(ready) = contents.get(&entry.node) {
            let (node, content) = (entry.node, ready.content.clone());
            draft.push(if ready.is_made {
                Change::Content { node, content }
            } else {
                let (time, agent) = (living.traits.modified, entry.agent.clone());
                Change::Pulled { node, content, time, agent, machine: name_of(entry.machine) }
            });
        }
    }
    for entry in entries {
        if let EntryState::Gone(_) = &entry.state
            && tree.named(entry.node).is_some()
        {
            let path = tree.path_of(entry.node)?;
            draft.push(Change::Remove { node: entry.node, path });
        }
    }
    // Last, because names and contents set times of their own. A directory that no entry tells of
    // keeps its own: whoever only takes over has nothing to tell.
    let told: BTreeSet<NodeId> = entries.iter().map(|entry| entry.node).collect();
    for parent in parents.difference(&told).copied() {
        if let Some(known) = tree.named(parent) {
            settled.push(Change::Node { node: parent, attrs: known.attrs.clone() });
        }
    }
    for change in settled {
        draft.push(change);
    }
    Ok(())
}

/// Returns which nodes go on as others, so that each has the lineage that its entry says.
///
/// Lineages are only ever swapped, and a node that is not here has its own.
fn saves(space: &Space, entries: &[&Entry], is_new: bool) -> Result<Vec<Change>> {
    let (mut saves, mut swapped) = (Vec::new(), BTreeMap::new());
    let mut files = Vec::new();
    for entry in entries {
        let is_file =
            matches!(&entry.state, EntryState::Living(living) if living.traits.kind == Kind::File);
        if is_file && !(is_new && entry.lineage() == entry.node) {
            files.push((space.base.node(entry.node)?.is_some(), entry.node, entry.lineage()));
        }
    }
    // New nodes first: the history goes from what is here to what comes.
    files.sort_unstable();
    for (_, node, wanted) in files {
        let has = |node| match swapped.get(&node) {
            Some(lineage) => Ok(*lineage),
            None => space.base.lineage(node),
        };
        let now = has(node)?;
        if now == wanted {
            continue;
        }
        let holder = swapped.iter().find(|(_, lineage)| **lineage == wanted);
        let old = match holder {
            Some((old, _)) => *old,
            None => space.base.of_lineage(wanted)?.unwrap_or(wanted),
        };
        saves.push(Change::Succeed { node, old });
        swapped.extend([(node, wanted), (old, now)]);
    }
    Ok(saves)
}

fn wants(entry: &Entry, parent: NodeId, name: &str) -> bool {
    match &entry.state {
        EntryState::Living(living) => {
            living.links.iter().any(|link| link.parent == parent && *link.name == *name)
        }
        EntryState::Gone(_) => false,
    }
}

fn names_now(tree: &Tree, node: NodeId) -> Vec<(NodeId, Arc<str>)> {
    let Some(known) = tree.named(node) else { return Vec::new() };
    let mut names = known.other_names.clone();
    if node != NodeId::ROOT && !known.name.is_empty() {
        names.push((known.parent, known.name.clone()));
    }
    names
}

/// Returns the attributes that an entry gives a node; who owns it on the host and what is special
/// about it is decided here.
fn attrs(tree: &Tree, draft: &Draft<'_>, node: NodeId, living: &Living) -> Attrs {
    let told = living.traits.clone().attrs();
    let known = tree.named(node).map(|known| known.attrs.clone());
    let own = known.unwrap_or_else(|| draft.attrs(told.kind, Some(told.mode)));
    let mode = told.mode | own.mode & SPECIAL_BITS;
    let kind = if own.kind.plain() == told.kind { own.kind } else { told.kind };
    let links = u32::try_from(living.links.len().max(1)).unwrap_or(u32::MAX);
    let Attrs { uid, gid, accessed, .. } = own;
    Attrs { kind, mode, uid, gid, links, accessed, ..told }
}

/// Tells whether a file of the space has this content, or had it before.
pub(crate) fn had(space: &Space, node: NodeId, content: &format::Content) -> Result<bool> {
    for past in space.base.contents_of(node)? {
        if named(space, &past)? == *content {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Tells whether a node of this kind holds bytes.
pub(crate) fn has_content(kind: Kind) -> bool {
    kind == Kind::File
}
