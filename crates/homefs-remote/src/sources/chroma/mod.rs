//! A collection of Chroma as a source: its pages are files, put together from their chunks.
//!
//! Which pages there are is asked once and kept on disk, so that listing never waits for the
//! network; a page is fetched when it is first read, and kept as well. One that does not name its
//! state is fetched again when it is old, and stays as it is kept while the server is away.
//! [`Source::refresh`] looks anew. `chunk` is Chroma's word here: a part of a page, with a record of its own.

mod address;
mod answer;
mod cache;
mod catalogue;
pub(crate) mod client;
mod collection;
mod filter;
mod load;
mod pages;
pub(crate) mod path_tree;
mod room;

use std::collections::{BTreeSet, HashMap};
use std::path::Path as HostPath;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use homefs_core::limits::PAGE_ENTRIES_MAX;
use homefs_core::{
    Disk, Error, ErrorKind, Path, Result, SOURCE_READ_BYTES_MAX, Source, SourceKind, SourceNode,
    SourcePage, Tag,
};
use parking_lot::Mutex;
use serde_json::json;

pub use address::ChromaAddress;
use cache::Cache;
use catalogue::{Child, Page, Visible};
use client::Client;
use collection::{BATCH_PAGES_MAX, Collection};
use load::{load, origin};
pub(crate) use pages::EDITION;

use crate::Environment;

/// Who reads so many pages together is likely to read on.
const READING_ON_MIN: usize = 16;

/// How a collection is read.
#[derive(Clone, Debug)]
pub struct ChromaSettings {
    /// The metadata keys that may name a record's page, the first that a record has being the one.
    pub page_keys: Vec<String>,
    /// The metadata key that numbers the chunks of a page, from 0 or 1.
    pub index_key: String,
    /// What stands between the chunks of a page.
    pub separator: String,
    /// What is added to the names of pages, such as `.mdx`.
    pub suffix: String,
    /// How long a call may take, all tries together.
    pub deadline: Duration,
    /// Most bytes of pages that are kept on disk.
    pub cache_bytes_max: u64,
    /// How old a page that does not name its state may be when it is read.
    pub age_max: Duration,
}

impl Default for ChromaSettings {
    fn default() -> Self {
        Self {
            page_keys: ["path", "page_slug", "source", "file_path"].map(str::to_owned).to_vec(),
            index_key: "chunk_index".to_owned(),
            separator: String::new(),
            suffix: String::new(),
            deadline: Duration::from_secs(30),
            cache_bytes_max: 256 * 1024 * 1024,
            age_max: Duration::from_mins(1),
        }
    }
}

/// A collection, as members of some groups see it.
pub struct ChromaSource {
    collection: Arc<Collection>,
    // `None` shows everything.
    groups: Option<BTreeSet<String>>,
    // Made anew when the catalogue is another one.
    visible: Mutex<Arc<Visible>>,
}

impl ChromaSource {
    /// Opens a collection as everybody may see it; [`Source::seen_by`] shows more.
    ///
    /// Nothing is asked of the server if `cache_dir`, which belongs to this source alone, has the
    /// pages' names from before.
    pub fn open(
        address: &ChromaAddress,
        settings: &ChromaSettings,
        disk: Arc<dyn Disk>,
        cache_dir: &HostPath,
        environment: &Environment,
    ) -> Result<Self> {
        let client = Client::open(address, settings.deadline, environment)?;
        let cache = Cache::new(disk, cache_dir, settings.cache_bytes_max);
        let catalogue = if let Some(kept) = cache.catalogue(&origin(address, settings)) {
            kept
        } else {
            let catalogue = load(&client, address, settings, true)?;
            cache.set_catalogue(&catalogue);
            catalogue
        };
        let known = (address.clone(), settings.clone());
        let collection = Collection::new(known, (client, cache), catalogue);
        Ok(Self::of(Arc::new(collection), Some(BTreeSet::new())))
    }

    /// Shows a collection to members of these groups, or all of it.
    fn of(collection: Arc<Collection>, groups: Option<BTreeSet<String>>) -> Self {
        let visible = Visible::new(collection.catalogue.read().clone(), groups.as_ref());
        Self { collection, groups, visible: Mutex::new(Arc::new(visible)) }
    }

    /// Returns what there is to see at present.
    fn visible(&self) -> Arc<Visible> {
        let catalogue = self.collection.catalogue.read().clone();
        let mut visible = self.visible.lock();
        if !Arc::ptr_eq(&visible.catalogue, &catalogue) {
            *visible = Arc::new(Visible::new(catalogue, self.groups.as_ref()));
        }
        Arc::clone(&visible)
    }

    /// Returns those pages of these paths that are to be fetched.
    fn wanted<'v>(&self, visible: &'v Visible, paths: &[Path]) -> Vec<&'v Page> {
        let pages = paths.iter().filter_map(|path| match visible.find(path) {
            Some(Child::Page(page)) => Some(page),
            _ => None,
        });
        pages.filter(|page| self.collection.is_wanted(&visible.catalogue, page)).collect()
    }

    /// Shows a page.
    fn node(&self, child: &Child<'_>) -> SourceNode {
        match child {
            Child::Directory => SourceNode::directory(),
            Child::Page(page) => {
                let known = match page.size_bytes {
                    Some(_) => None,
                    None => self.collection.cache.known(page),
                };
                let state = page.state();
                let tag = match known.map_or(0, |known| known.revision) {
                    0 => state,
                    revision => format!("{state}/{revision:x}"),
                };
                SourceNode {
                    kind: SourceKind::File,
                    size_bytes: page.size_bytes.or(known.map(|known| known.size_bytes)),
                    modified: None,
                    tag: Some(Tag::new(tag)),
                }
            }
        }
    }
}

impl Source for ChromaSource {
    fn stat(&self, path: &Path) -> Result<SourceNode> {
        let visible = self.visible();
        let child = visible.find(path).ok_or_else(|| not_found(path))?;
        Ok(self.node(&child))
    }

    fn list(&self, dir: &Path, after: Option<&str>) -> Result<SourcePage> {
        let visible = self.visible();
        match visible.find(dir) {
            None => return Err(not_found(dir)),
            Some(Child::Page(_)) => {
                return Err(Error::new(ErrorKind::NotADirectory, "not a directory").with_path(dir));
            }
            Some(Child::Directory) => {}
        }
        let children = visible.children(dir);
        let mut rest = children.iter().filter(|(name, _)| after.is_none_or(|after| **name > after));
        let mut page = SourcePage::default();
        for (name, child) in rest.by_ref().take(PAGE_ENTRIES_MAX) {
            page.entries.push(((*name).to_owned(), self.node(child)));
        }
        if rest.next().is_some() {
            page.next = page.entries.last().map(|(name, _)| name.clone());
        }
        if dir.is_root() && after.is_none() {
            page.unshown = visible.unshown();
        }
        Ok(page)
    }

    fn read(&self, path: &Path, offset: u64, len: usize) -> Result<Bytes> {
        let visible = self.visible();
        let page = match visible.find(path) {
            None => return Err(not_found(path)),
            Some(Child::Directory) => {
                let message = "cannot read a directory as a file";
                return Err(Error::new(ErrorKind::IsADirectory, message).with_path(path));
            }
            Some(Child::Page(page)) => page,
        };
        let content = self.collection.page(&visible.catalogue, page);
        let content = content.map_err(|error| error.with_path(path))?;
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(content.len());
        let end = start.saturating_add(len.min(SOURCE_READ_BYTES_MAX)).min(content.len());
        Ok(content.slice(start..end))
    }

    fn seen_by(self: Arc<Self>, groups: &BTreeSet<String>) -> Arc<dyn Source> {
        Arc::new(Self::of(Arc::clone(&self.collection), Some(groups.clone())))
    }

    fn whole(self: Arc<Self>) -> Arc<dyn Source> {
        Arc::new(Self::of(Arc::clone(&self.collection), None))
    }

    fn has_groups(&self) -> bool {
        true
    }

    fn candidates(&self, regex: &str) -> Result<Option<Vec<Path>>> {
        let collection = &self.collection;
        let visible = self.visible();
        let separator = &*collection.settings.separator;
        // Whatever joins those that are joined: chunks may overlap, and then nothing is between them.
        let is_of_lines = separator.chars().all(|letter| letter == '\n');
        let separator = if is_of_lines && visible.catalogue.whole_lines {
            "\n"
        } else if is_of_lines {
            ""
        } else {
            separator
        };
        let Some(condition) = filter::condition(regex, separator) else { return Ok(None) };
        let by_slug: HashMap<&str, &Page> =
            visible.pages().map(|page| (trimmed(&page.slug), page)).collect();
        let mut found = BTreeSet::new();
        // Of all pages, also those that may not be seen, which are left out here: naming the others
        // makes a request of hundreds of kilobytes, which takes the server twenty times as long.
        let query = json!({ "where_document": condition, "include": ["metadatas"] });
        let until = collection.client.last_moment();
        collection.each(&visible.catalogue, &query, until, |record| {
            let slug = pages::slug_of(&record.metadata, &collection.settings);
            found.extend(slug.and_then(|slug| by_slug.get(trimmed(slug))).map(|page| &page.path));
            Ok(())
        })?;
        found.into_iter().map(|path| Path::parse(path)).collect::<Result<_>>().map(Some)
    }

    fn prefetch(&self, paths: &[Path]) -> Result<()> {
        let visible = self.visible();
        let pages = self.wanted(&visible, paths);
        self.collection.bring_near(&visible.catalogue, &pages)
    }

    fn prefetch_on(&self, paths: &[Path]) -> Result<()> {
        let visible = self.visible();
        let mut pages = self.wanted(&visible, paths);
        let last = pages.last().filter(|_| paths.len() >= READING_ON_MIN).copied();
        if let Some(last) = last {
            // Those of its directory, since who reads on reads those first.
            let name = last.path.rfind('/').map_or(0, |slash| slash + 1);
            let next = visible.pages_after(&last.path);
            let next = next.take_while(|page| page.path.starts_with(&last.path[..name]));
            let room = BATCH_PAGES_MAX.saturating_sub(pages.len());
            let is_wanted = |page: &&Page| self.collection.is_wanted(&visible.catalogue, page);
            pages.extend(next.filter(is_wanted).take(room));
        }
        self.collection.bring_near(&visible.catalogue, &pages)
    }

    fn refresh(&self) -> Result<bool> {
        self.collection.refresh()
    }

    fn revalidate(&self, age_max: Duration) -> Result<bool> {
        self.collection.revalidate(age_max)
    }

    fn trouble(&self) -> Option<Error> {
        self.collection.trouble()
    }

    fn version(&self) -> Option<Tag> {
        let catalogue = self.collection.catalogue.read();
        let revisions = self.collection.revisions();
        Some(Tag::new(format!("{}/{}/{revisions}", catalogue.version, catalogue.generation)))
    }

    fn describe(&self) -> String {
        self.collection.address.to_string()
    }
}

/// Returns the name of a page as it is compared: with or without slashes around is the same.
fn trimmed(slug: &str) -> &str {
    slug.trim_matches('/')
}

fn not_found(path: &Path) -> Error {
    homefs_core::not_found().with_path(path)
}
