//! A page that is made private is gone within the time that the settings allow.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use homefs_core::{
    AgentId, Clock, Error, ErrorKind, Path, Result, Source, SourceKind, SourceNode, SourcePage,
    SystemClock,
};
use parking_lot::Mutex;
use tempfile::tempdir;

use super::path;
use crate::OpenSource;
use crate::{Components, Settings, Store, View, Who};

/// One page, as the server has it and as it was last known.
#[derive(Clone, Default)]
struct Pages {
    is_private: Arc<Mutex<bool>>,
    known_private: Arc<Mutex<bool>>,
    /// Held while the source that is stuck does not answer.
    stuck: Arc<Mutex<()>>,
    is_stuck: bool,
    sees_all: bool,
    /// Held while what the server says is on its way.
    on_the_way: Arc<Mutex<()>>,
    /// How often the server was asked.
    asked: Arc<AtomicUsize>,
}

impl Pages {
    fn is_seen(&self) -> bool {
        self.sees_all || !*self.known_private.lock()
    }
}

impl Source for Pages {
    fn stat(&self, path: &Path) -> Result<SourceNode> {
        match path.as_str() {
            "/" => Ok(SourceNode::directory()),
            "/page" if self.is_seen() => Ok(SourceNode {
                kind: SourceKind::File,
                size_bytes: Some(6),
                modified: None,
                tag: None,
            }),
            _ => Err(Error::new(ErrorKind::NotFound, "no such page")),
        }
    }

    fn list(&self, dir: &Path, _after: Option<&str>) -> Result<SourcePage> {
        let page = dir.join("page")?;
        let entries = self.stat(&page).map(|node| ("page".to_owned(), node)).into_iter().collect();
        Ok(SourcePage { entries, ..SourcePage::default() })
    }

    fn read(&self, path: &Path, offset: u64, _len: usize) -> Result<Bytes> {
        self.stat(path)?;
        Ok(Bytes::from_static(b"secret").slice(usize::try_from(offset).unwrap_or(6).min(6)..))
    }

    fn seen_by(self: Arc<Self>, _groups: &BTreeSet<String>) -> Arc<dyn Source> {
        Arc::new(Self { sees_all: false, ..(*self).clone() })
    }

    fn whole(self: Arc<Self>) -> Arc<dyn Source> {
        Arc::new(Self { sees_all: true, ..(*self).clone() })
    }

    fn has_groups(&self) -> bool {
        true
    }

    fn revalidate(&self, _age_max: Duration) -> Result<bool> {
        if self.is_stuck {
            drop(self.stuck.lock());
            return Ok(false);
        }
        let now = *self.is_private.lock();
        self.asked.fetch_add(1, Ordering::SeqCst);
        drop(self.on_the_way.lock());
        let before = std::mem::replace(&mut *self.known_private.lock(), now);
        Ok(now != before)
    }

    fn describe(&self) -> String {
        "pages".to_owned()
    }
}

impl OpenSource for Pages {
    fn open(
        &self,
        address: &str,
        _settings: &BTreeMap<String, String>,
        _place: &str,
    ) -> Result<Arc<dyn Source>> {
        let is_stuck = address == "stuck";
        let known_private = if is_stuck { Arc::default() } else { Arc::clone(&self.known_private) };
        Ok(Arc::new(Self { known_private, is_stuck, ..self.clone() }))
    }
}

fn open(dir: &std::path::Path, pages: &Pages, source_age_max_seconds: u64) -> Store {
    let settings = Settings { source_age_max_seconds, ..Settings::default() };
    let store = Store::open(dir, settings, Components::host()).expect("the store opens");
    store.set_source_opener(Arc::new(pages.clone()));
    store
}

fn view(store: &Store) -> View {
    let agent = AgentId::new("ann").expect("a name");
    store.view(&Who { agent, operator: false, all: false }).expect("an agent has a home")
}

/// Attaches the page to a home and to a shared space, and reads it.
fn attach(view: &View) {
    view.make_dir(&path("/shared/team"), false).expect("a space");
    for place in ["/docs", "/shared/team/docs"] {
        view.attach_source(&path(place), "pages", &BTreeMap::new(), true).expect("attached");
        assert!(sees(view, place));
    }
}

fn sees(view: &View, place: &str) -> bool {
    view.read(&path(&format!("{place}/page"))).is_ok()
}

/// Waits until an agent sees the page nowhere.
fn wait_until_hidden(view: &View) {
    let begun = SystemClock.steady();
    while sees(view, "/docs") || sees(view, "/shared/team/docs") {
        assert!(
            SystemClock.steady().since(begun) < Duration::from_secs(20),
            "the page is still there"
        );
        thread::yield_now();
    }
}

#[test]
fn a_page_made_private_is_gone_when_it_is_too_old() {
    let (dir, pages) = (tempdir().unwrap(), Pages::default());
    let store = open(dir.path(), &pages, 1);
    attach(&view(&store));
    // Sources are looked at by a process that showed something of them to a session.
    let view = view(&store);
    assert!(sees(&view, "/docs"));
    *pages.is_private.lock() = true;
    wait_until_hidden(&view);
}

#[test]
fn a_page_made_private_is_gone_when_a_session_begins() {
    let (dir, pages) = (tempdir().unwrap(), Pages::default());
    let store = open(dir.path(), &pages, 1_000_000);
    attach(&view(&store));
    let before = view(&store);
    assert!(sees(&before, "/docs"));
    *pages.is_private.lock() = true;
    assert!(sees(&before, "/docs"), "nobody has looked yet");
    let session = view(&store);
    for view in [&session, &before] {
        assert!(!sees(view, "/docs") && !sees(view, "/shared/team/docs"));
    }
}

/// Waits until something is so, but not for long if it never is.
fn wait_until(most: Duration, is_so: impl Fn() -> bool) {
    let begun = SystemClock.steady();
    while !is_so() && SystemClock.steady().since(begun) < most {
        thread::yield_now();
    }
}

/// Begins two sessions, the second while a source answers for the first; the page is made private
/// before the first or between the two. Tells what each sees of it.
fn two_sessions(is_private_first: bool) -> [bool; 2] {
    let (dir, pages) = (tempdir().unwrap(), Pages::default());
    let store = open(dir.path(), &pages, 1_000_000);
    attach(&view(&store));
    let before = view(&store);
    assert!(sees(&before, "/docs"));
    *pages.is_private.lock() = is_private_first;
    let on_the_way = pages.on_the_way.lock();
    let asked = pages.asked.load(Ordering::SeqCst);
    let revalidation = &store.inner().spaces.source_door.revalidation;
    let (sessions, _) = revalidation.sessions();
    thread::scope(|scope| {
        let begin = || {
            scope.spawn(|| {
                let view = view(&store);
                sees(&view, "/docs") || sees(&view, "/shared/team/docs")
            })
        };
        let first = begin();
        // The page is attached twice.
        wait_until(Duration::from_secs(10), || pages.asked.load(Ordering::SeqCst) >= asked + 2);
        *pages.is_private.lock() = true;
        let second = begin();
        wait_until(Duration::from_secs(10), || {
            revalidation.sessions() >= (sessions + 2, sessions + 2)
        });
        // They would go on now if they did not wait for the answer.
        wait_until(Duration::from_millis(200), || first.is_finished() && second.is_finished());
        drop(on_the_way);
        [first, second].map(|session| session.join().expect("it sees or not"))
    })
}

#[test]
fn a_session_that_begins_ends_no_wait_of_another() {
    assert_eq!(two_sessions(true), [false, false]);
}

#[test]
fn an_answer_from_before_a_session_is_not_enough_for_it() {
    let [_, second] = two_sessions(false);
    assert!(!second);
}

#[test]
fn a_source_that_does_not_answer_keeps_nobody_waiting() {
    let (dir, pages) = (tempdir().unwrap(), Pages::default());
    let store = open(dir.path(), &pages, 2);
    let first = view(&store);
    attach(&first);
    first.attach_source(&path("/stuck"), "stuck", &BTreeMap::new(), true).expect("attached");
    let answers = pages.stuck.lock();
    let begun = SystemClock.steady();
    let session = view(&store);
    assert!(sees(&session, "/stuck"), "it is shown as it was");
    *pages.is_private.lock() = true;
    // Neither does it keep another source from being asked in time.
    wait_until_hidden(&session);
    let last = view(&store);
    assert!(!sees(&last, "/docs"));
    assert!(SystemClock.steady().since(begun) < Duration::from_secs(15));
    drop(answers);
}

#[test]
fn a_new_process_shows_nothing_that_only_an_earlier_one_knew() {
    let (dir, pages) = (tempdir().unwrap(), Pages::default());
    let store = open(dir.path(), &pages, 60);
    attach(&view(&store));
    store.close().expect("it closes");
    *pages.is_private.lock() = true;
    let store = open(dir.path(), &pages, 60);
    let view = view(&store);
    assert!(!sees(&view, "/docs") && !sees(&view, "/shared/team/docs"));
    assert!(view.list(&path("/docs"), None, 10).unwrap().items.is_empty());
}
