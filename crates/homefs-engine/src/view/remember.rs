//! Keeping memories, and letting them go.

use bytes::Bytes;
use homefs_core::limits::INLINE_BYTES_MAX;
use homefs_core::{Error, ErrorKind, NodeId, Path, Result, SpaceName, Version};
use homefs_search::{rank, recall};

use super::View;
use crate::draft::Draft;
use crate::guard::Permit;
use crate::memory::{Alike, Forgotten, RememberOptions, Remembered};
use crate::meta::SetMeta;
use crate::model::{Durability, Kind, Right, WriteOptions};
use crate::record::Content;
use crate::space::Space;
use crate::tree::{Halt, Tree};

/// Where memories go in a space.
const FOLDER: &str = "memories";
/// The longest name that is made of a text, in bytes.
const SLUG_BYTES_MAX: usize = 32;
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
        let folder = self.path_in_view(&space, &Path::root()).ok_or_else(crate::tree::not_found)?;
        let folder = folder.join(FOLDER)?;
        let like = match options.alike {
            Some(_) => self.find_alike(text, &space)?,
            None => None,
        };
        match (options.alike, like) {
            (Some(Alike::Merge), Some(path)) => self.merge_into(path, text, options),
            (Some(Alike::Link), Some(path)) => {
                let name = path.name().unwrap_or_default();
                let linked = format!("{}\n\n[[{}]]", text.trim_end(), name.trim_end_matches(".md"));
                let kept = self.keep(&folder, &linked, options)?;
                Ok(Remembered { alike: Some(path), ..kept })
            }
            _ => self.keep(&folder, text, options),
        }
    }

    /// Makes the file of a memory.
    fn keep(&self, folder: &Path, text: &str, options: &RememberOptions) -> Result<Remembered> {
        let slug = slug(options.title.as_deref().unwrap_or(text));
        let meta = options.meta();
        let mut content = text.to_owned();
        if !content.ends_with('\n') {
            content.push('\n');
        }
        let content = Bytes::from(content);
        // Looked for at the folder, so that a link in its place leads on.
        let (done, path) = self.at(folder, Right::Write, |place, permit| {
            let mut name = None;
            let done = place.space.change(&self.author, permit, |tree, draft| {
                let parent = draft.directories(tree, &place.path)?;
                let free = free_name(tree, draft, parent, &slug)?;
                let mut attrs = draft.attrs(Kind::File, None);
                meta.apply(&mut attrs, draft.time)?;
                let node = draft.make(parent, &free, attrs.clone())?;
                draft.push_content(node, Content::Inline(content.clone()), Some(attrs));
                name = Some(free);
                Ok(())
            })?;
            let inner = match name {
                Some(name) => place.path.join(&name)?,
                // The request was answered before.
                None => self.made_by(&place.space, permit, done.version)?,
            };
            let path = self.path_in_view(&place.space.name, &inner);
            Ok((done, path.ok_or_else(crate::tree::not_found)?))
        })?;
        let version = self.finish(done, Durability::Memory)?;
        Ok(Remembered { path, version, alike: None })
    }

    /// Returns where the file is that a change made.
    fn made_by(&self, space: &Space, permit: Permit, version: Version) -> Result<Path, Halt> {
        self.store.fold.catch_up(&space.name)?;
        let before = Version(version.0.saturating_sub(1));
        let rows = space.base.changes_since(before, usize::MAX)?;
        let made = rows.iter().find(|row| row.version >= version && row.kind == Kind::File);
        let made = made.ok_or_else(crate::tree::not_found)?.node;
        space.look(permit, |tree| tree.path_of(made))
    }

    /// Finds a memory of a space that says nearly the same.
    fn find_alike(&self, text: &str, space: &SpaceName) -> Result<Option<Path>> {
        let searched = self.searched(std::slice::from_ref(space), &Path::root())?;
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
    fn merge_into(&self, path: Path, text: &str, options: &RememberOptions) -> Result<Remembered> {
        let old = String::from_utf8_lossy(&self.read(&path)?).into_owned();
        let is_known =
            |line: &str| old.lines().any(|known| recall::says_the_same(known.trim(), line.trim()));
        let mut added = String::new();
        for line in text.lines().filter(|line| !is_known(line)) {
            added.push_str(line);
            added.push('\n');
        }
        let mut set = options.meta();
        set.add_tags.clone_from(&options.tags);
        set.values.remove("tags");
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

/// Returns a name that nothing in a directory has.
fn free_name(tree: &Tree, draft: &Draft<'_>, parent: NodeId, slug: &str) -> Result<String, Halt> {
    // A directory that this very record makes has no names yet.
    let is_free = |name: &str| -> Result<bool, Halt> {
        if !tree.nodes.contains_key(&parent) {
            return Ok(true);
        }
        Ok(!tree.names(parent)?.contains_key(name))
    };
    let plain = format!("{slug}.md");
    if is_free(&plain)? {
        return Ok(plain);
    }
    // The time is enough to tell them apart, nearly always.
    for more in 0_i64.. {
        let name = format!("{slug}-{:x}.md", (draft.time.0 / 1000).wrapping_add(more));
        if is_free(&name)? {
            return Ok(name);
        }
    }
    Err(crate::tree::fail(ErrorKind::AlreadyExists, "every name is taken"))
}

/// Makes a name of the first words of a text.
fn slug(text: &str) -> String {
    let mut slug = String::new();
    for word in text.split(|letter: char| !letter.is_alphanumeric()).filter(|w| !w.is_empty()) {
        let word = word.to_lowercase();
        if slug.len() + word.len() + 1 > SLUG_BYTES_MAX {
            break;
        }
        if !slug.is_empty() {
            slug.push('-');
        }
        slug.push_str(&word);
    }
    if slug.is_empty() { "memory".into() } else { slug }
}
