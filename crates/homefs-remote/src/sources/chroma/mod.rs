//! A collection of Chroma as a source: its pages are files, put together from their chunks.
//!
//! Which pages there are is asked once and kept on disk, so that listing never waits for the
//! network; a page is fetched when it is first read, and kept as well. [`Source::refresh`] looks
//! anew. `chunk` is Chroma's word here: a part of a page, with a record of its own.

mod address;
mod answer;
mod cache;
mod catalogue;
pub(crate) mod client;
mod filter;
mod load;
mod pages;
pub(crate) mod path_tree;

use std::collections::{BTreeSet, HashMap};
use std::path::Path as HostPath;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use homefs_core::limits::PAGE_ENTRIES_MAX;
use homefs_core::{
    Clock, Disk, Error, ErrorKind, Path, Result, SOURCE_READ_BYTES_MAX, Source, SourceKind,
    SourceNode, SourcePage, SystemClock, Tag,
};
use parking_lot::{Mutex, RwLock};
use serde_json::{Value, json};
use tokio::time::Instant;

pub use address::ChromaAddress;
use cache::Cache;
use catalogue::{Catalogue, Child, Page, Visible};
use client::{Client, CollectionId, Record};
use load::{load, origin};
pub(crate) use pages::EDITION;

use crate::Environment;

/// Most pages that one request asks for.
const BATCH_PAGES_MAX: usize = 500;

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

/// What all who read a collection share.
struct Collection {
    address: ChromaAddress,
    settings: ChromaSettings,
    client: Client,
    cache: Cache,
    catalogue: RwLock<Arc<Catalogue>>,
    // Held while the catalogue is made, so that two do not ask for the same.
    refreshing: Mutex<()>,
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
            let catalogue = load(&client, address, settings)?;
            cache.set_catalogue(&catalogue);
            catalogue
        };
        let collection = Collection {
            address: address.clone(),
            settings: settings.clone(),
            client,
            cache,
            catalogue: RwLock::new(Arc::new(catalogue)),
            refreshing: Mutex::default(),
        };
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

    /// Shows a page.
    fn node(&self, visible: &Visible, child: &Child<'_>) -> SourceNode {
        match child {
            Child::Directory => SourceNode::directory(),
            Child::Page(page) => {
                let kept = || self.collection.cache.size_of(&visible.catalogue, page);
                SourceNode {
                    kind: SourceKind::File,
                    size_bytes: page.size_bytes.or_else(kept),
                    modified: None,
                    tag: Some(Tag::new(visible.catalogue.state_of(page))),
                }
            }
        }
    }
}

impl Source for ChromaSource {
    fn stat(&self, path: &Path) -> Result<SourceNode> {
        let visible = self.visible();
        let child = visible.find(path).ok_or_else(|| not_found(path))?;
        Ok(self.node(&visible, &child))
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
            page.entries.push(((*name).to_owned(), self.node(&visible, child)));
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
        let kept = self.collection.cache.page(&visible.catalogue, page);
        let content = if let Some(content) = kept {
            Ok(content)
        } else {
            let until = self.collection.client.last_moment();
            let mut fetched = self.collection.fetch(&visible.catalogue, &[page], until)?;
            let none = || Err(Error::new(ErrorKind::Internal, "no page came"));
            fetched.pop().unwrap_or_else(none)
        };
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
        let is_cut_at_lines = separator.is_empty() && visible.catalogue.whole_lines;
        let separator = if is_cut_at_lines { "\n" } else { separator };
        let Some(condition) = filter::condition(regex, separator) else { return Ok(None) };
        let by_slug: HashMap<&str, &Page> =
            visible.pages().map(|page| (trimmed(&page.slug), page)).collect();
        let mut found = BTreeSet::new();
        let all: Vec<&Page> = visible.pages().collect();
        // Who sees everything needs no other condition; the others ask for what they may see.
        let parts: Vec<&[&Page]> =
            if visible.is_whole() { vec![&[]] } else { all.chunks(2 * BATCH_PAGES_MAX).collect() };
        let until = collection.client.last_moment();
        for part in parts {
            let mut query = json!({ "where_document": condition, "include": ["metadatas"] });
            if !part.is_empty() {
                query["where"] = collection.of_pages(part);
            }
            for record in collection.get(&visible.catalogue, &query, until)? {
                let slug = pages::slug_of(&record.metadata, &collection.settings);
                found.extend(
                    slug.and_then(|slug| by_slug.get(trimmed(slug))).map(|page| &page.path),
                );
            }
        }
        found.into_iter().map(|path| Path::parse(path)).collect::<Result<_>>().map(Some)
    }

    fn prefetch(&self, paths: &[Path]) -> Result<()> {
        let visible = self.visible();
        let is_absent =
            |page: &&Page| self.collection.cache.page(&visible.catalogue, page).is_none();
        let pages = paths.iter().filter_map(|path| match visible.find(path) {
            Some(Child::Page(page)) => Some(page),
            _ => None,
        });
        let pages: Vec<&Page> = pages.filter(is_absent).collect();
        let until = self.collection.client.last_moment();
        for batch in pages.chunks(BATCH_PAGES_MAX) {
            // What is wrong with a single page is told to whoever reads it.
            let _pages = self.collection.fetch(&visible.catalogue, batch, until)?;
        }
        Ok(())
    }

    fn refresh(&self) -> Result<bool> {
        self.collection.refresh()
    }

    fn revalidate(&self, age_max: Duration) -> Result<bool> {
        self.collection.revalidate(age_max)
    }

    fn version(&self) -> Option<Tag> {
        let catalogue = self.collection.catalogue.read();
        Some(Tag::new(format!("{}/{}", catalogue.version, catalogue.generation)))
    }

    fn describe(&self) -> String {
        self.collection.address.to_string()
    }
}

impl Collection {
    /// Looks for the pages anew; returns whether any may have changed.
    fn refresh(&self) -> Result<bool> {
        let _only_one = self.refreshing.lock();
        let mut new = load(&self.client, &self.address, &self.settings)?;
        let old = self.catalogue.read().clone();
        let is_same = (&new.version, &new.collection) == (&old.version, &old.collection);
        if is_same && old.names_editions() {
            return Ok(false);
        }
        new.generation = old.generation + 1;
        self.cache.set_catalogue(&new);
        *self.catalogue.write() = Arc::new(new);
        Ok(true)
    }

    /// Looks for the pages anew, and who may see them, if that was done longer ago than this;
    /// returns whether that is different. Pages that do not name their state stay as they are kept.
    fn revalidate(&self, age_max: Duration) -> Result<bool> {
        let _only_one = self.refreshing.lock();
        let old = self.catalogue.read().clone();
        // A clock that was set back tells nothing.
        if SystemClock.now().apart(old.looked) < age_max {
            return Ok(false);
        }
        let mut new = load(&self.client, &self.address, &self.settings)?;
        let is_same = new.shows_as(&old);
        new.generation = old.generation + u64::from(!is_same);
        if is_same {
            self.cache.keep_catalogue(&new);
        } else {
            self.cache.set_catalogue(&new);
        }
        *self.catalogue.write() = Arc::new(new);
        Ok(!is_same)
    }

    /// Asks for records of the collection that the catalogue is of.
    fn get(&self, catalogue: &Catalogue, query: &Value, until: Instant) -> Result<Vec<Record>> {
        let id = CollectionId(catalogue.collection.clone());
        self.client.get_until(&id, query, until).map_err(|error| match error.kind() {
            ErrorKind::NotFound => {
                let message = "the collection is gone, or was made anew: refresh the source";
                Error::new(ErrorKind::Unavailable, message)
            }
            _ => error,
        })
    }

    /// Fetches pages in one request, or in more if they are too long for one, and keeps them.
    fn fetch(
        &self,
        catalogue: &Catalogue,
        batch: &[&Page],
        until: Instant,
    ) -> Result<Vec<Result<Bytes>>> {
        let query = json!({ "where": self.of_pages(batch), "include": ["documents", "metadatas"] });
        let records = match self.get(catalogue, &query, until) {
            Err(error)
                if error.kind() == ErrorKind::LimitExceeded
                    && batch.len() > 1
                    && Instant::now() < until =>
            {
                let (first, second) = batch.split_at(batch.len() / 2);
                let mut fetched = self.fetch(catalogue, first, until)?;
                fetched.extend(self.fetch(catalogue, second, until)?);
                return Ok(fetched);
            }
            records => records?,
        };
        let mut chunks: HashMap<String, Vec<_>> = HashMap::new();
        for record in records {
            // A record may be found by one key and belong to another page by a stronger one.
            if let Some(slug) = pages::slug_of(&record.metadata, &self.settings) {
                chunks.entry(trimmed(slug).to_owned()).or_default().push(record);
            }
        }
        let fetched = batch.iter().map(|page| {
            let chunks = chunks.remove(trimmed(&page.slug)).unwrap_or_default();
            let content = pages::assemble(chunks, &self.settings)?;
            self.cache.set_page(catalogue, page, &content);
            Ok(content)
        });
        Ok(fetched.collect())
    }

    /// Returns the condition on metadata that the records of these pages meet.
    fn of_pages(&self, pages: &[&Page]) -> Value {
        let mut slugs = BTreeSet::new();
        for page in pages {
            let plain = trimmed(&page.slug);
            slugs.extend([page.slug.clone(), plain.to_owned(), format!("/{plain}")]);
        }
        let of_key = |key: &String| json!({ key: { "$in": slugs } });
        let mut terms: Vec<Value> = self.settings.page_keys.iter().map(of_key).collect();
        if terms.len() == 1 { terms.remove(0) } else { json!({ "$or": terms }) }
    }
}

/// Returns the name of a page as it is compared: with or without slashes around is the same.
fn trimmed(slug: &str) -> &str {
    slug.trim_matches('/')
}

fn not_found(path: &Path) -> Error {
    Error::new(ErrorKind::NotFound, "no such file or directory").with_path(path)
}
