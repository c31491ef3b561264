//! What is kept on disk of a collection, so that it is asked for once.
//!
//! A file is its digest and then its content, because nothing is synced: after a power loss, what
//! does not fit its digest is fetched again. What cannot be kept is no failure either. What is known
//! of a page is its file's name: a digest of its path and state, its length, when it was fetched, and
//! which of its contents under this state it is.

use std::collections::{HashMap, HashSet};
use std::path::{Path as HostPath, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use homefs_core::{Clock, Digest, Disk, SystemClock, Timestamp};
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
    kept: Mutex<Option<PageFiles>>,
    recent: Mutex<Recent>,
}

/// The pages on disk.
#[derive(Default)]
struct PageFiles {
    pages: HashMap<String, Known>,
    bytes: u64,
}

/// The pages in memory.
#[derive(Default)]
struct Recent {
    pages: HashMap<String, (Known, Bytes)>,
    bytes: usize,
}

/// What is known of a page that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) size_bytes: u64,
    pub(super) fetched: Timestamp,
    /// Other than 0 if it was found with another content under the same state.
    pub(super) revision: u64,
}

impl Known {
    /// Returns the name of the file of a page that is called so.
    fn file(&self, name: &str) -> String {
        format!("{name}-{}-{}-{:x}", self.size_bytes, self.fetched.0.max(0), self.revision)
    }

    /// Reads the name of a file. An earlier homefs did not say when it was fetched.
    fn of_file(file: &str) -> Option<(String, Self)> {
        let mut parts = file.split('-');
        let (name, size_bytes) = (parts.next()?, parts.next()?.parse().ok()?);
        let fetched = parts.next().map_or(Some(0), |text| text.parse().ok())?;
        let revision = parts.next().map_or(Some(0), |text| u64::from_str_radix(text, 16).ok())?;
        Some((name.to_owned(), Self { size_bytes, fetched: Timestamp(fetched), revision }))
    }
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
        let mut recent = self.recent.lock();
        if self.is_empty() && recent.pages.is_empty() {
            return;
        }
        let names: HashSet<String> = catalogue.pages().iter().map(name_of).collect();
        self.drop_pages(|name| names.contains(name));
        recent.pages.retain(|name, _| names.contains(name));
        recent.bytes = recent.pages.values().map(|(_, content)| content.len()).sum();
    }

    /// Returns what is known of a page, if it is kept.
    pub(super) fn known(&self, page: &Page) -> Option<Known> {
        let recent = self.recent.lock();
        if recent.pages.is_empty() && self.is_empty() {
            return None;
        }
        let name = name_of(page);
        let known = self.with_kept(|kept| kept.pages.get(&name).copied());
        known.or_else(|| recent.pages.get(&name).map(|(known, _)| *known))
    }

    /// Returns a page that is kept, and what is known of it.
    pub(super) fn page(&self, page: &Page) -> Option<(Known, Bytes)> {
        let name = name_of(page);
        if let Some(found) = self.recent.lock().pages.get(&name) {
            return Some(found.clone());
        }
        let known = self.with_kept(|kept| kept.pages.get(&name).copied())?;
        let content = self.read(&self.dir.join(PAGES).join(known.file(&name)));
        match &content {
            Some(content) => self.remember(name, known, content),
            None => self.drop_pages(|kept| *kept != name),
        }
        content.map(|content| (known, content))
    }

    /// Keeps a page as it was fetched now; if there is no room, others go. Tells whether it was kept
    /// with another content.
    pub(super) fn set_page(&self, page: &Page, content: &Bytes) -> bool {
        let name = name_of(page);
        let before = self.page(page);
        let is_other = before.as_ref().is_some_and(|(_, before)| before != content);
        let revision = match &before {
            _ if is_other => revision_of(content),
            Some((known, _)) => known.revision,
            None => 0,
        };
        let (size_bytes, fetched) = (content.len() as u64, SystemClock.now());
        let known = Known { size_bytes, fetched, revision };
        self.remember(name.clone(), known, content);
        if size_bytes > self.pages_bytes_max / 2 {
            return is_other;
        }
        let pages = self.dir.join(PAGES);
        let old = self.with_kept(|kept| {
            let old = kept.pages.remove(&name);
            kept.bytes -= old.map_or(0, |old| old.size_bytes);
            old.map(|old| pages.join(old.file(&name)))
        });
        let place = known.file(&name);
        let is_kept = match old {
            Some(old) if !is_other => self.disk.rename(&old, &pages.join(&place)).is_ok(),
            Some(old) => {
                // One that cannot be removed is found by the next process, and dropped when it is
                // the older of two.
                let _removed = self.disk.remove(&old);
                false
            }
            None => false,
        };
        let is_full = self.with_kept(|kept| kept.bytes + size_bytes > self.pages_bytes_max);
        if is_full {
            // Names are digests, so this is a half of the pages, whichever they are.
            self.drop_pages(|name| name.as_str() >= "8");
        }
        if is_kept || self.write(&pages, &place, content) {
            self.with_kept(|kept| {
                kept.pages.insert(name, known);
                kept.bytes += size_bytes;
            });
        }
        is_other
    }

    /// Tells whether no page is kept on disk.
    fn is_empty(&self) -> bool {
        self.with_kept(|kept| kept.pages.is_empty())
    }

    /// Keeps a page in memory.
    fn remember(&self, name: String, known: Known, content: &Bytes) {
        let mut recent = self.recent.lock();
        if recent.bytes + content.len() > RECENT_BYTES_MAX {
            *recent = Recent::default();
        }
        if content.len() <= RECENT_BYTES_MAX {
            let before = recent.pages.insert(name, (known, content.clone()));
            recent.bytes -= before.map_or(0, |(_, before)| before.len());
            recent.bytes += content.len();
        }
    }

    /// Removes all pages but these from the disk.
    fn drop_pages(&self, stays: impl Fn(&String) -> bool) {
        let pages = self.dir.join(PAGES);
        self.with_kept(|kept| {
            kept.pages.retain(|name, known| {
                let stays = stays(name);
                if !stays {
                    kept.bytes -= known.size_bytes;
                    // One that cannot be removed is found and tried again by the next process.
                    let _removed = self.disk.remove(&pages.join(known.file(name)));
                }
                stays
            });
        });
    }

    /// Works with the list of what is kept, which is made of the names of the files.
    fn with_kept<T>(&self, work: impl FnOnce(&mut PageFiles) -> T) -> T {
        let mut kept = self.kept.lock();
        let kept = kept.get_or_insert_with(|| {
            let pages = self.dir.join(PAGES);
            let files = self.disk.list(&pages).unwrap_or_default();
            let mut found = HashMap::<String, Known>::new();
            for file in &files {
                let Some((name, known)) = Known::of_file(file) else { continue };
                let is_older = |other: &Known| other.fetched > known.fetched;
                if known.file(&name) != *file || found.get(&name).is_some_and(is_older) {
                    let _removed = self.disk.remove(&pages.join(file));
                } else if let Some(older) = found.insert(name.clone(), known) {
                    let _removed = self.disk.remove(&pages.join(older.file(&name)));
                }
            }
            let bytes = found.values().map(|known| known.size_bytes).sum();
            PageFiles { pages: found, bytes }
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
fn name_of(page: &Page) -> String {
    Digest::of(format!("{}\0{}", page.path, page.state()).as_bytes()).to_string()[..32].to_owned()
}

/// Returns what stands for a content, and is not 0.
fn revision_of(content: &Bytes) -> u64 {
    let mut short = [0; 8];
    short.copy_from_slice(&Digest::of(content).0[..8]);
    u64::from_be_bytes(short).max(1)
}
