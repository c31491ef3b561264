//! Keeping memories, and letting them go.

mod place;

use homefs_core::limits::INLINE_BYTES_MAX;
use homefs_core::{Error, ErrorKind, NodeId, Path, Result, SpaceName, Version};
use homefs_search::index::Handle;
use homefs_search::{rank, recall};
use homefs_store::draft::Draft;
use homefs_store::guard::Permit;
use homefs_store::meta::SetMeta;
use homefs_store::model::{Attrs, Durability, Kind, Right, WriteOptions};
use homefs_store::record::{Change, Content};
use homefs_store::space::Space;
use homefs_store::tree::{Halt, Tree, fail};

use super::View;
use super::scopes::Which;
use crate::indexing::SUPERSEDES;
use crate::memory::{Alike, Forgotten, RememberOptions, Remembered};
use place::{Found, Own, Wanted};

/// Where memories go in a space.
const FOLDER: &str = "memories";
/// How many memories are compared with a new one.
const COMPARED: usize = 8;

impl View {
    /// Keeps a text as a file of its own, with what is known about it.
    pub fn remember(&self, text: &str, options: &RememberOptions) -> Result<Remembered> {
        if text.trim().is_empty() {
            return Err(Error::new(ErrorKind::Invalid, "there is nothing to remember"));
        }
        if text.len() >= INLINE_BYTES_MAX {
            let message = format!(
                "a memory has less than {INLINE_BYTES_MAX} bytes: write longer texts as files"
            );
            return Err(Error::new(ErrorKind::LimitExceeded, message));
        }
        let home = || self.home.as_ref().map(|home| home.name.clone());
        let space = options.space.clone().or_else(home).ok_or_else(|| {
            Error::new(ErrorKind::Invalid, "which space is to remember it? name one")
        })?;
        let folder = self.path_in_view(&space, &Path::root()).ok_or_else(homefs_core::not_found)?;
        let folder = folder.join(FOLDER)?;
        let like = match options.alike {
            Some(_) => self.find_alike(text, &space)?,
            None => None,
        };
        let superseded =
            options.supersedes.as_ref().map(|path| self.superseded(path)).transpose()?;
        let noted = Noted { options, superseded };
        match (options.alike, like) {
            (Some(Alike::Merge), Some(path)) => self.merge_into(path, text, &noted),
            (Some(Alike::Link), Some(path)) => {
                let name = path.name().unwrap_or_default();
                let linked = format!("{}\n\n[[{}]]", text.trim_end(), name.trim_end_matches(".md"));
                let kept = self.keep(&folder, &linked, &noted)?;
                Ok(Remembered { alike: Some(path), ..kept })
            }
            _ => self.keep(&folder, text, &noted),
        }
    }

    /// Makes the file of a memory, or makes anew the one that there is.
    fn keep(&self, folder: &Path, text: &str, noted: &Noted<'_>) -> Result<Remembered> {
        let wanted = Wanted::new(text, noted.options, &self.author.agent);
        let meta = noted.meta();
        let mut own = Own::default();
        // Looked for at the folder, so that a link in its place leads on.
        let (done, path) = self.at(folder, Right::Write, |place, permit| {
            let (done, name) = loop {
                let mut found = None;
                let done = place.space.change(&self.author, permit, |tree, draft| {
                    let parent = draft.directories(tree, &place.path)?;
                    let found = found.insert(wanted.find(tree, parent, &own)?);
                    match found {
                        Found::Nothing(name) => draft_new(draft, parent, name, &wanted, &meta),
                        Found::Same(_, node) => draft_again(tree, draft, *node, None, noted),
                        Found::Titled(_, node) => {
                            draft_again(tree, draft, *node, Some(&wanted), noted)
                        }
                        Found::Unknown(..) => Err(fail(ErrorKind::Internal, "whose is it?")),
                    }
                });
                match found {
                    Some(Found::Unknown(node, version)) => {
                        let is_own = self.wrote_last(&place.space, node)?;
                        own.insert((node, version), is_own);
                    }
                    Some(Found::Nothing(name) | Found::Same(name, _) | Found::Titled(name, _)) => {
                        break (done?, Some(name));
                    }
                    None => break (done?, None),
                }
            };
            let inner = match name {
                Some(name) => place.path.join(&name)?,
                // The request was answered before.
                None => self.made_by(&place.space, permit, done.version)?,
            };
            let path = self.path_in_view(&place.space.name, &inner);
            Ok((done, path.ok_or_else(homefs_core::not_found)?))
        })?;
        let version = self.finish(done, Durability::Memory)?;
        Ok(Remembered { path, version, alike: None })
    }

    /// Tells whether the agent is the one who last wrote a file.
    fn wrote_last(&self, space: &Space, node: NodeId) -> Result<bool, Halt> {
        self.store.fold.catch_up(&space.name)?;
        let last = space.base.editions(node, None, 1)?;
        Ok(last.first().is_some_and(|last| last.agent == self.author.agent))
    }

    /// Finds the memory that a new one takes the place of.
    fn superseded(&self, path: &Path) -> Result<(NodeId, Handle)> {
        let stat = self.stat(path)?;
        if stat.kind != Kind::File {
            let message = "is no memory, so that none takes its place";
            return Err(Error::new(ErrorKind::Invalid, message).with_path(path));
        }
        let searched =
            self.searched(std::slice::from_ref(&stat.space), &Path::root(), Which::All)?;
        let lineage = searched.iter().find_map(|one| Some(one.index().file(stat.node.0)?.lineage));
        Ok((stat.node, Handle::of(lineage.unwrap_or(stat.node.0), u32::MAX)))
    }

    /// Returns where the file is that a change made.
    fn made_by(&self, space: &Space, permit: Permit, version: Version) -> Result<Path, Halt> {
        self.store.fold.catch_up(&space.name)?;
        let before = Version(version.0.saturating_sub(1));
        let rows = space.base.changes_since(before, usize::MAX)?;
        let made = rows.iter().find(|row| row.version >= version && row.kind == Kind::File);
        let made = made.ok_or_else(homefs_core::not_found)?.node;
        space.look(permit, |tree| tree.path_of(made))
    }

    /// Finds a memory of a space that says nearly the same.
    fn find_alike(&self, text: &str, space: &SpaceName) -> Result<Option<Path>> {
        let searched =
            self.searched(std::slice::from_ref(space), &Path::root(), Which::Memories)?;
        let found = self.sight(&searched, text, rank::Kind::Hybrid, true, COMPARED)?;
        for one in found {
            let Some(searched) = searched.get(one.scope) else { continue };
            if recall::says_the_same(text, &searched.read(one.node, one.bytes)?) {
                return Ok(Some(one.path));
            }
        }
        Ok(None)
    }

    /// Lets an old memory take up what a new one says beside it.
    fn merge_into(&self, path: Path, text: &str, noted: &Noted<'_>) -> Result<Remembered> {
        let options = noted.options;
        let old = String::from_utf8_lossy(&self.read(&path)?).into_owned();
        let is_known =
            |line: &str| old.lines().any(|known| recall::says_the_same(known.trim(), line.trim()));
        let mut added = String::new();
        for line in text.lines().filter(|line| !is_known(line)) {
            added.push_str(line);
            added.push('\n');
        }
        let mut set = noted.meta_again(self.stat(&path)?.node);
        if options.ttl.is_none() {
            set.values.remove("ttl");
        }
        let importance = self.meta(&path)?.importance;
        if importance >= options.importance {
            set.values.remove("importance");
        }
        let quiet = self.without_origin();
        let noted = quiet.set_meta(&path, &set)?;
        let version = if added.trim().is_empty() {
            noted
        } else {
            let gap = if old.is_empty() || old.ends_with('\n') { "" } else { "\n" };
            self.append(&path, format!("{gap}{added}").as_bytes(), &WriteOptions::default())?
        };
        Ok(Remembered { path: path.clone(), version, alike: Some(path) })
    }

    /// Lets a memory go: to the trash, or for good.
    pub fn forget(&self, path: &Path, purge: bool) -> Result<Forgotten> {
        let (view, path) = self.meant_once(path)?;
        view.forget_meant(&path, purge)
    }

    fn forget_meant(&self, path: &Path, purge: bool) -> Result<Forgotten> {
        let mut receipt = Forgotten {
            path: path.clone(),
            nodes: 0,
            bytes: 0,
            erased_from: Vec::new(),
            in_trash_until: None,
            remote: None,
        };
        if !purge {
            let stat = self.stat(path)?;
            self.remove(path, true)?;
            (receipt.nodes, receipt.bytes) = (1, stat.size);
            let kept = self.store.ground.settings.retention().trash_age_max;
            receipt.in_trash_until = Some(self.store.ground.clock.now().after(kept));
            return Ok(receipt);
        }
        let purged = self.purge(path)?;
        (receipt.nodes, receipt.bytes) = (purged.nodes, purged.bytes);
        let places = ["tree", "history", "trash", "journal", "index"];
        receipt.erased_from = places.map(str::to_owned).to_vec();
        receipt.remote = self.purge_receipt(path)?;
        Ok(receipt)
    }
}

impl RememberOptions {
    /// Returns what is noted about the memory.
    fn meta(&self) -> SetMeta {
        let mut set = SetMeta::default();
        let mut put = |key: &str, value: Option<String>| {
            if let Some(value) = value {
                set.values.insert(key.to_owned(), Some(value));
            }
        };
        put("importance", self.importance.map(|importance| importance.to_string()));
        put("tags", (!self.tags.is_empty()).then(|| self.tags.join(",")));
        put("ttl", self.ttl.clone());
        put("source", self.source.clone());
        put("title", self.title.clone());
        set
    }
}

/// What is noted about a memory.
struct Noted<'a> {
    options: &'a RememberOptions,
    /// The file that it takes the place of, and its handle.
    superseded: Option<(NodeId, Handle)>,
}

impl Noted<'_> {
    /// Returns it for a new file.
    fn meta(&self) -> SetMeta {
        let mut set = self.options.meta();
        if let Some((_, handle)) = self.superseded {
            set.values.insert(SUPERSEDES.to_owned(), Some(handle.to_string()));
        }
        set
    }

    /// Returns it for a file that there is: tags are added, and it lives as long as is said now.
    fn meta_again(&self, node: NodeId) -> SetMeta {
        let mut set = self.meta();
        set.add_tags.clone_from(&self.options.tags);
        set.values.remove("tags");
        set.values.insert("ttl".to_owned(), self.options.ttl.clone());
        if self.superseded.is_some_and(|(old, _)| old == node) {
            set.values.remove(SUPERSEDES);
        }
        set
    }
}

/// Drafts the file of a memory.
fn draft_new(
    draft: &mut Draft<'_>,
    parent: NodeId,
    name: &str,
    wanted: &Wanted,
    meta: &SetMeta,
) -> Result<(), Halt> {
    let mut attrs = draft.attrs(Kind::File, None);
    meta.apply(&mut attrs, draft.time)?;
    check_lives(&attrs, draft)?;
    let node = draft.make(parent, name, attrs.clone())?;
    draft.push_content(node, Content::Inline(wanted.content.clone()), Some(attrs));
    Ok(())
}

/// Drafts that a memory is as new as now, and perhaps says something else.
fn draft_again(
    tree: &Tree,
    draft: &mut Draft<'_>,
    node: NodeId,
    wanted: Option<&Wanted>,
    noted: &Noted<'_>,
) -> Result<(), Halt> {
    let mut attrs = tree.node(node)?.attrs.clone();
    noted.meta_again(node).apply(&mut attrs, draft.time)?;
    (attrs.modified, attrs.changed) = (draft.time, draft.time);
    check_lives(&attrs, draft)?;
    match wanted {
        Some(wanted) => {
            draft.push_content(node, Content::Inline(wanted.content.clone()), Some(attrs));
        }
        None => draft.push(Change::Node { node, attrs }),
    }
    Ok(())
}

/// Refuses a memory that would be gone before anybody could recall it.
fn check_lives(attrs: &Attrs, draft: &Draft<'_>) -> Result<(), Halt> {
    if attrs.expires.is_some_and(|expires| expires <= draft.time) {
        let message = "would be forgotten at once: its time to live is over already";
        return Err(fail(ErrorKind::Invalid, message));
    }
    Ok(())
}
