//! A collection as all who read it share it: what is kept of it, and what is asked for anew.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use homefs_core::{Clock, Error, ErrorCode, ErrorKind, Result, SystemClock};
use parking_lot::{Mutex, RwLock};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::cache::{Cache, Known};
use super::catalogue::{Catalogue, Page};
use super::client::{Client, CollectionId, Record};
use super::load::load;
use super::{ChromaAddress, ChromaSettings, pages, trimmed};

/// Most pages that one request asks for.
pub(super) const BATCH_PAGES_MAX: usize = 500;
/// Requests for pages that are under way at once.
const REQUESTS_MAX: usize = 4;
/// So long it is waited for pages that are there already, and may be old.
const PATIENCE: Duration = Duration::from_secs(5);
/// What is younger than this is not old, whatever the settings say: it was just brought near.
const AGE_MIN: Duration = Duration::from_secs(1);
/// So long they stay as they are after a server did not answer in that time.
const PUT_OFF: Duration = Duration::from_secs(10);
/// So long it is believed of a page that its parts make no whole.
const BELIEVED: Duration = Duration::from_secs(2);
/// Of so many pages that is remembered.
const BROKEN_MAX: usize = 10_000;

/// What all who read a collection share.
pub(super) struct Collection {
    pub(super) address: ChromaAddress,
    pub(super) settings: ChromaSettings,
    pub(super) client: Client,
    pub(super) cache: Cache,
    pub(super) catalogue: RwLock<Arc<Catalogue>>,
    // Held while the catalogue is made, so that two do not ask for the same.
    refreshing: Mutex<()>,
    // What was said when the server did not have the collection any more.
    vanished: Mutex<Option<Error>>,
    // How often a page was found with another content under the same state.
    revisions: AtomicU64,
    // Until when pages that may be old stay as they are.
    put_off: Mutex<Option<Instant>>,
    // What is wrong with pages that could not be put together, and when that was found.
    broken: Mutex<HashMap<String, (Instant, Error)>>,
}

/// What is at hand of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Near {
    /// All that there is to know: also that it cannot be put together.
    Known,
    /// A content that may be old.
    Old,
    Absent,
}

impl Collection {
    /// Takes a collection as it is known.
    pub(super) fn new(
        (address, settings): (ChromaAddress, ChromaSettings),
        (client, cache): (Client, Cache),
        catalogue: Catalogue,
    ) -> Self {
        Self {
            address,
            settings,
            client,
            cache,
            catalogue: RwLock::new(Arc::new(catalogue)),
            refreshing: Mutex::default(),
            vanished: Mutex::default(),
            revisions: AtomicU64::new(0),
            put_off: Mutex::default(),
            broken: Mutex::default(),
        }
    }

    /// Returns why the collection cannot be asked, if it could not when that was last tried.
    pub(super) fn trouble(&self) -> Option<Error> {
        self.client.trouble().or_else(|| self.vanished.lock().clone())
    }

    /// Counts the pages that were found with another content under the same state.
    pub(super) fn revisions(&self) -> u64 {
        self.revisions.load(Ordering::Relaxed)
    }

    /// Looks for the pages anew; returns whether any may have changed.
    pub(super) fn refresh(&self) -> Result<bool> {
        let _only_one = self.refreshing.lock();
        let mut new = self.look()?;
        let old = self.catalogue.read().clone();
        let is_same = (&new.version, &new.collection) == (&old.version, &old.collection);
        if is_same && old.names_editions() {
            return Ok(false);
        }
        new.generation = old.generation + 1;
        new.outdated = SystemClock.now();
        let new = self.take(new);
        // Whoever lists them is to hear how long they are now. What is not kept costs nothing.
        let kept: Vec<&Page> =
            new.pages().iter().filter(|page| self.near(&new, page) == Near::Old).collect();
        self.fetch_all(&new, &kept, self.client.last_moment())?;
        Ok(true)
    }

    /// Shows another catalogue from now on.
    fn take(&self, new: Catalogue) -> Arc<Catalogue> {
        self.cache.set_catalogue(&new);
        self.broken.lock().clear();
        *self.put_off.lock() = None;
        let new = Arc::new(new);
        *self.catalogue.write() = Arc::clone(&new);
        new
    }

    /// Looks for the pages anew, and who may see them, if that was done longer ago than this;
    /// returns whether that is different. Pages that do
    /// not name their state stay as they are kept until they are old.
    pub(super) fn revalidate(&self, age_max: Duration) -> Result<bool> {
        let _only_one = self.refreshing.lock();
        let old = self.catalogue.read().clone();
        // A clock that was set back tells nothing.
        if SystemClock.now().apart(old.looked) < age_max {
            return Ok(false);
        }
        let mut new = self.look()?;
        let is_same = new.shows_as(&old);
        new.generation = old.generation + u64::from(!is_same);
        // Made anew it may say anything under the same names.
        let is_another = new.collection != old.collection;
        new.outdated = if is_another { SystemClock.now() } else { old.outdated };
        if is_same {
            self.cache.keep_catalogue(&new);
            *self.catalogue.write() = Arc::new(new);
        } else {
            self.take(new);
        }
        Ok(!is_same)
    }

    /// Returns what is at hand of a page.
    fn near(&self, catalogue: &Catalogue, page: &Page) -> Near {
        match self.cache.known(page) {
            _ if self.trouble_of(page).is_some() => Near::Known,
            None => Near::Absent,
            Some(known) if self.is_fresh(catalogue, page, known) => Near::Known,
            Some(_) => Near::Old,
        }
    }

    /// Tells whether what is kept of a page holds without looking.
    fn is_fresh(&self, catalogue: &Catalogue, page: &Page, known: Known) -> bool {
        // A clock that was set back tells nothing.
        let is_young =
            || SystemClock.now().apart(known.fetched) < self.settings.age_max.max(AGE_MIN);
        page.edition.is_some() || (known.fetched >= catalogue.outdated && is_young())
    }

    /// Tells whether a page is to be fetched before it is read.
    pub(super) fn is_wanted(&self, catalogue: &Catalogue, page: &Page) -> bool {
        match self.near(catalogue, page) {
            Near::Known => false,
            Near::Old => self.may_look(),
            Near::Absent => true,
        }
    }

    /// Tells whether it is worth asking for pages that are there already.
    fn may_look(&self) -> bool {
        let put_off = self.put_off.lock().is_some_and(|until| Instant::now() < until);
        !put_off && self.client.trouble().is_none()
    }

    /// Returns what is wrong with a page, if that was just found.
    fn trouble_of(&self, page: &Page) -> Option<Error> {
        let broken = self.broken.lock();
        let (found, error) = broken.get(&page.path)?;
        (found.elapsed() < BELIEVED).then(|| error.clone())
    }

    /// Returns a page as it is kept, or as it is fetched if it is not, or is old.
    pub(super) fn page(&self, catalogue: &Catalogue, page: &Page) -> Result<Bytes> {
        if let Some(error) = self.trouble_of(page) {
            return Err(error);
        }
        let kept = self.cache.page(page);
        let Some((known, content)) = kept else {
            return self.fetch_one(catalogue, page, self.client.last_moment());
        };
        if self.is_fresh(catalogue, page, known) || !self.may_look() {
            return Ok(content);
        }
        match self.fetch_one(catalogue, page, self.patience()) {
            Err(error) if error.kind() == ErrorKind::Unavailable => {
                self.put_off(&error);
                Ok(content)
            }
            fetched => fetched,
        }
    }

    /// Returns until when it is waited for pages that are there already.
    fn patience(&self) -> Instant {
        (Instant::now() + PATIENCE).min(self.client.last_moment())
    }

    /// Leaves pages that may be old as they are for a while, because the server does not answer.
    fn put_off(&self, error: &Error) {
        if error.code() != Some(ErrorCode::NotWhole) {
            *self.put_off.lock() = Some(Instant::now() + PUT_OFF);
        }
    }

    /// Asks for records of the collection that the catalogue is of.
    fn get(&self, catalogue: &Catalogue, query: &Value, until: Instant) -> Result<Vec<Record>> {
        let id = CollectionId(catalogue.collection.clone());
        self.client.get_until(&id, query, until).map_err(|error| self.gone(error))
    }

    /// As [`Collection::get`], record by record, so that not all of them are kept.
    pub(super) fn each(
        &self,
        catalogue: &Catalogue,
        query: &Value,
        until: Instant,
        take: impl FnMut(Record) -> Result<()>,
    ) -> Result<()> {
        let id = CollectionId(catalogue.collection.clone());
        self.client.each(&id, query, until, take).map_err(|error| self.gone(error))
    }

    /// Says of a collection that is not found what became of it.
    fn gone(&self, error: Error) -> Error {
        if error.kind() != ErrorKind::NotFound {
            return error;
        }
        let message = "the collection is gone, or was made anew: refresh the source";
        let error = Error::new(ErrorKind::Unavailable, message);
        *self.vanished.lock() = Some(error.clone());
        error
    }

    /// Asks which pages there are now.
    fn look(&self) -> Result<Catalogue> {
        let found = load(&self.client, &self.address, &self.settings, false);
        *self.vanished.lock() = match &found {
            Err(error) if error.kind() == ErrorKind::NotFound => Some(error.clone()),
            _ => None,
        };
        found
    }

    /// Fetches pages before they are read. Those that are there already stay if the server is away.
    pub(super) fn bring_near(&self, catalogue: &Catalogue, pages: &[&Page]) -> Result<()> {
        let is_old = |page: &&Page| self.near(catalogue, page) == Near::Old;
        let (old, absent): (Vec<&Page>, Vec<&Page>) = pages.iter().copied().partition(is_old);
        self.fetch_all(catalogue, &absent, self.client.last_moment())?;
        match self.fetch_all(catalogue, &old, self.patience()) {
            Err(error) if error.kind() == ErrorKind::Unavailable => {
                self.put_off(&error);
                Ok(())
            }
            fetched => fetched,
        }
    }

    /// Fetches pages and keeps them, some requests at a time.
    fn fetch_all(&self, catalogue: &Catalogue, pages: &[&Page], until: Instant) -> Result<()> {
        let batches: Vec<&[&Page]> = pages.chunks(BATCH_PAGES_MAX).collect();
        for round in batches.chunks(REQUESTS_MAX) {
            // What is wrong with a single page is told to whoever reads it.
            let fetch = &|batch: &[&Page]| self.fetch(catalogue, batch, until).map(drop);
            thread::scope(|scope| {
                let (first, others) = round.split_first().expect("a round has a batch");
                let others: Vec<_> =
                    others.iter().map(|batch| scope.spawn(move || fetch(batch))).collect();
                let mut fetched = fetch(first);
                for other in others {
                    let panicked = |_| Err(Error::new(ErrorKind::Internal, "a request panicked"));
                    fetched = fetched.and(other.join().unwrap_or_else(panicked));
                }
                fetched
            })?;
        }
        Ok(())
    }

    /// Fetches a page and keeps it.
    fn fetch_one(&self, catalogue: &Catalogue, page: &Page, until: Instant) -> Result<Bytes> {
        let none = || Err(Error::new(ErrorKind::Internal, "no page came"));
        self.fetch(catalogue, &[page], until)?.pop().unwrap_or_else(none)
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
            let content = pages::assemble(chunks, &self.settings);
            let content = content.inspect_err(|error| self.note_broken(page, error))?;
            if self.cache.set_page(page, &content) {
                self.revisions.fetch_add(1, Ordering::Relaxed);
            }
            Ok(content)
        });
        Ok(fetched.collect())
    }

    /// Notes what is wrong with a page, so that it is not fetched again by all who read it at once.
    fn note_broken(&self, page: &Page, error: &Error) {
        if error.kind() == ErrorKind::Corrupt {
            let mut broken = self.broken.lock();
            if broken.len() >= BROKEN_MAX {
                broken.clear();
            }
            broken.insert(page.path.clone(), (Instant::now(), error.clone()));
        }
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
