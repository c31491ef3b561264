//! What is kept on disk of a collection, so that it is asked for once.
//!
//! A file is its digest and then its content, because nothing is synced: after a power loss, what
//! does not fit its digest is fetched again. What cannot be kept is no failure either.

use std::collections::{HashMap, HashSet};
use std::path::{Path as HostPath, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use homefs_core::{Digest, Disk};
use parking_lot::Mutex;

use super::catalogue::{Catalogue, Page};

/// Where the catalogue is.
const TREE: &str = "tree";
/// Where the pages are, one file each.
const PAGES: &str = "pages";
/// What the names of files that are being written end with.
const DRAFT: &str = ".draft";
/// Most bytes of pages that are kept in memory.
const RECENT_BYTES_MAX: usize = 16 * 1024 * 1024;

/// The files that are kept of a collection.
pub(super) struct Cache {
    disk: Arc<dyn Disk>,
    dir: PathBuf,
    pages_bytes_max: u64,
    // Read from the names of the files when a page is first asked for.
    kept: Mutex<Option<Kept>>,
    recent: Mutex<Recent>,
}

/// The pages on disk: their names and lengths.
#[derive(Default)]
struct Kept {
    sizes: HashMap<String, u64>,
    bytes: u64,
}

/// The pages in memory.
#[derive(Default)]
struct Recent {
    pages: HashMap<String, Bytes>,
    bytes: usize,
}

impl Cache {
    /// Takes a directory, which need not be there.
    pub(super) fn new(disk: Arc<dyn Disk>, dir: &HostPath, pages_bytes_max: u64) -> Self {
        let dir = dir.to_owned();
        Self { disk, dir, pages_bytes_max, kept: Mutex::default(), recent: Mutex::default() }
    }

    /// Returns the catalogue of this origin, if it is kept and whole.
    pub(super) fn catalogue(&self, origin: &str) -> Option<Catalogue> {
        let content = self.read(&self.dir.join(TREE))?;
        let catalogue: Catalogue = postcard::from_bytes(&content).ok()?;
        (catalogue.origin == origin).then_some(catalogue)
    }

    /// Keeps a catalogue that has the same pages in the same states.
    pub(super) fn keep_catalogue(&self, catalogue: &Catalogue) {
        if let Ok(content) = postcard::to_stdvec(catalogue) {
            self.write(&self.dir, TREE, &content);
        }
    }

    /// Keeps a catalogue, and drops pages that it does not have in that state.
    pub(super) fn set_catalogue(&self, catalogue: &Catalogue) {
        self.keep_catalogue(catalogue);
        if !self.is_empty() {
            let names: HashSet<String> =
                catalogue.pages().iter().map(|page| name_of(catalogue, page)).collect();
            self.drop_pages(|name| names.contains(name));
        }
        *self.recent.lock() = Recent::default();
    }

    /// Returns the length of a page that is kept.
    pub(super) fn size_of(&self, catalogue: &Catalogue, page: &Page) -> Option<u64> {
        if self.is_empty() {
            return None;
        }
        let name = name_of(catalogue, page);
        self.with_kept(|kept| kept.sizes.get(&name).copied())
    }

    /// Returns a page that is kept.
    pub(super) fn page(&self, catalogue: &Catalogue, page: &Page) -> Option<Bytes> {
        let name = name_of(catalogue, page);
        if let Some(content) = self.recent.lock().pages.get(&name) {
            return Some(content.clone());
        }
        let size = self.with_kept(|kept| kept.sizes.get(&name).copied())?;
        let content = self.read(&self.dir.join(PAGES).join(format!("{name}-{size}")));
        match &content {
            Some(content) => self.remember(name, content),
            None => self.drop_pages(|kept| *kept != name),
        }
        content
    }

    /// Keeps a page; if there is no room, others go.
    pub(super) fn set_page(&self, catalogue: &Catalogue, page: &Page, content: &Bytes) {
        let name = name_of(catalogue, page);
        let size = content.len() as u64;
        self.remember(name.clone(), content);
        if size > self.pages_bytes_max / 2 {
            return;
        }
        let is_full = self.with_kept(|kept| kept.bytes + size > self.pages_bytes_max);
        if is_full {
            // Names are digests, so this is a half of the pages, whichever they are.
            self.drop_pages(|name| name.as_str() >= "8");
        }
        if self.write(&self.dir.join(PAGES), &format!("{name}-{size}"), content) {
            self.with_kept(|kept| {
                let before = kept.sizes.insert(name, size).unwrap_or_default();
                kept.bytes = kept.bytes - before + size;
            });
        }
    }

    /// Tells whether no page is kept on disk.
    fn is_empty(&self) -> bool {
        self.with_kept(|kept| kept.sizes.is_empty())
    }

    /// Keeps a page in memory.
    fn remember(&self, name: String, content: &Bytes) {
        let mut recent = self.recent.lock();
        if recent.bytes + content.len() > RECENT_BYTES_MAX {
            *recent = Recent::default();
        }
        if content.len() <= RECENT_BYTES_MAX && recent.pages.insert(name, content.clone()).is_none()
        {
            recent.bytes += content.len();
        }
    }

    /// Removes all pages but these from the disk.
    fn drop_pages(&self, stays: impl Fn(&String) -> bool) {
        let pages = self.dir.join(PAGES);
        self.with_kept(|kept| {
            kept.sizes.retain(|name, size| {
                let stays = stays(name);
                if !stays {
                    kept.bytes -= *size;
                    // One that cannot be removed is found and tried again by the next process.
                    let _removed = self.disk.remove(&pages.join(format!("{name}-{size}")));
                }
                stays
            });
        });
    }

    /// Works with the list of what is kept, which is made of the names of the files.
    fn with_kept<T>(&self, work: impl FnOnce(&mut Kept) -> T) -> T {
        let mut kept = self.kept.lock();
        let kept = kept.get_or_insert_with(|| {
            let names = self.disk.list(&self.dir.join(PAGES)).unwrap_or_default();
            let size_of = |name: &String| -> Option<(String, u64)> {
                let (digest, size) = name.split_once('-')?;
                Some((digest.to_owned(), size.parse().ok()?))
            };
            let sizes: HashMap<_, _> = names.iter().filter_map(size_of).collect();
            let bytes = sizes.values().sum();
            Kept { sizes, bytes }
        });
        work(kept)
    }

    /// Reads a file that is whole.
    fn read(&self, place: &HostPath) -> Option<Bytes> {
        let content = Bytes::from(self.disk.read(place).ok()?);
        let (digest, content) = (content.get(..32)?.to_vec(), content.slice(32..));
        (Digest::of(&content).0 == *digest).then_some(content)
    }

    /// Writes a file, and says whether it did.
    fn write(&self, dir: &HostPath, name: &str, content: &[u8]) -> bool {
        let (draft, place) = (dir.join(format!("{name}{DRAFT}")), dir.join(name));
        let write = || {
            self.disk.create_dir_all(dir)?;
            if self.disk.exists(&draft)? {
                self.disk.remove(&draft)?;
            }
            let file = self.disk.create(&draft)?;
            file.write_at(0, &Digest::of(content).0)?;
            file.write_at(32, content)?;
            self.disk.rename(&draft, &place)
        };
        write().is_ok()
    }
}

/// Returns the name under which a page is kept in this state.
fn name_of(catalogue: &Catalogue, page: &Page) -> String {
    Digest::of(format!("{}\0{}", page.path, catalogue.state_of(page)).as_bytes()).to_string()[..32]
        .to_owned()
}
