//! Files of sources that cannot be read hinder nobody, and are told; many that can come together.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use bytes::Bytes;
use homefs_core::{
    AgentId, Error, ErrorKind, Path, Result, Source, SourceKind, SourceNode, SourcePage,
};
use parking_lot::Mutex;
use tempfile::{TempDir, tempdir};

use super::{path, put};
use crate::{
    Components, GrepOptions, GrepPlace, OpenSource, RecallOptions, Settings, Store, View, Who,
};

/// Pages in memory, whose lengths only reading tells. It counts what is asked of it.
#[derive(Default)]
struct Shelf {
    pages: Mutex<BTreeMap<String, Result<String, ErrorKind>>>,
    is_away: AtomicBool,
    /// What was brought near, and how often somebody had to ask for more.
    near: Mutex<BTreeSet<Path>>,
    requests: AtomicUsize,
}

impl Shelf {
    fn put(&self, name: &str, page: Result<&str, ErrorKind>) {
        self.pages.lock().insert(name.to_owned(), page.map(str::to_owned));
    }

    fn set_away(&self, is_away: bool) {
        self.is_away.store(is_away, Ordering::SeqCst);
    }

    fn check_there(&self) -> Result<()> {
        if self.is_away.load(Ordering::SeqCst) {
            return Err(Error::new(ErrorKind::Unavailable, "nobody answers"));
        }
        Ok(())
    }

    fn ask(&self) -> Result<()> {
        self.requests.fetch_add(1, Ordering::SeqCst);
        self.check_there()
    }
}

/// A shelf as it is opened: all share the pages.
struct OpenShelf(Arc<Shelf>);

impl Source for OpenShelf {
    fn stat(&self, path: &Path) -> Result<SourceNode> {
        self.0.check_there()?;
        let Some(name) = path.name() else { return Ok(SourceNode::directory()) };
        let none = || Error::new(ErrorKind::NotFound, "no such page");
        self.0.pages.lock().get(name).ok_or_else(none)?;
        Ok(SourceNode { kind: SourceKind::File, size_bytes: None, modified: None, tag: None })
    }

    fn list(&self, dir: &Path, _after: Option<&str>) -> Result<SourcePage> {
        self.0.check_there()?;
        let names: Vec<String> = self.0.pages.lock().keys().cloned().collect();
        let entry = |name: String| Ok((name.clone(), self.stat(&dir.join(&name)?)?));
        let entries = names.into_iter().map(entry).collect::<Result<_>>()?;
        Ok(SourcePage { entries, ..SourcePage::default() })
    }

    fn read(&self, path: &Path, offset: u64, len: usize) -> Result<Bytes> {
        if !self.0.near.lock().contains(path) {
            self.0.ask()?;
        }
        let page = self.0.pages.lock().get(path.name().unwrap_or_default()).cloned();
        let page = page.ok_or_else(|| Error::new(ErrorKind::NotFound, "no such page"))?;
        let page = page.map_err(|kind| Error::new(kind, "the page is bad"))?;
        let start = usize::try_from(offset).map_or(page.len(), |at| at.min(page.len()));
        let end = page.len().min(start.saturating_add(len));
        Ok(Bytes::copy_from_slice(&page.as_bytes()[start..end]))
    }

    fn seen_by(self: Arc<Self>, _groups: &BTreeSet<String>) -> Arc<dyn Source> {
        self
    }

    fn whole(self: Arc<Self>) -> Arc<dyn Source> {
        self
    }

    fn prefetch(&self, paths: &[Path]) -> Result<()> {
        let near = self.0.near.lock().clone();
        if paths.iter().all(|path| near.contains(path)) {
            return Ok(());
        }
        self.0.ask()?;
        self.0.near.lock().extend(paths.iter().cloned());
        Ok(())
    }

    fn describe(&self) -> String {
        "shelf".to_owned()
    }
}

struct Shelves(Arc<Shelf>);

impl OpenSource for Shelves {
    fn open(
        &self,
        _address: &str,
        _settings: &BTreeMap<String, String>,
        _place: &str,
    ) -> Result<Arc<dyn Source>> {
        Ok(Arc::new(OpenShelf(Arc::clone(&self.0))))
    }
}

/// A home with a shelf attached at `/docs`.
struct Room {
    shelf: Arc<Shelf>,
    store: Store,
    _dir: TempDir,
}

impl Room {
    fn new(shelf: Shelf) -> Self {
        let (dir, shelf) = (tempdir().unwrap(), Arc::new(shelf));
        let store = Store::open(dir.path(), Settings::default(), Components::host());
        let store = store.expect("the store opens");
        store.set_source_opener(Arc::new(Shelves(Arc::clone(&shelf))));
        let room = Self { shelf, store, _dir: dir };
        let settings = BTreeMap::new();
        room.view().attach_source(&path("/docs"), "shelf", &settings, false).expect("attached");
        room
    }

    fn view(&self) -> View {
        let who = Who { agent: AgentId::new("me").expect("a name"), operator: false, all: false };
        self.store.view(&who).expect("an agent has a home")
    }

    fn trouble(&self) -> Option<String> {
        self.view().sources().expect("they are known")[0].trouble.clone()
    }
}

/// Searches for falcons page by page; returns where they are, and what could not be read.
fn falcons(view: &View, below: &str, limit: usize) -> (Vec<String>, u64, Option<String>) {
    let below = path(below);
    let mut options = GrepOptions { below, limit, ..GrepOptions::default() };
    let (mut lines, mut unread, mut first) = (Vec::new(), 0, None);
    loop {
        let found = view.grep("falcon", &options).expect("it answers");
        lines.extend(found.lines.iter().map(|line| line.path.to_string()));
        unread += found.unread;
        first = first.or(found.first_unread.map(|path| path.to_string()));
        match found.next {
            Some(GrepPlace { path, line }) => options.since = Some(GrepPlace { path, line }),
            None => return (lines, unread, first),
        }
    }
}

fn shelf_with_bad_pages() -> Shelf {
    let shelf = Shelf::default();
    shelf.put("a", Ok("a falcon\n"));
    shelf.put("b", Err(ErrorKind::Corrupt));
    shelf.put("c", Err(ErrorKind::Unavailable));
    shelf.put("d", Ok("a falcon\n"));
    shelf
}

#[test]
fn a_search_leaves_out_pages_that_cannot_be_read_and_counts_them() {
    let room = Room::new(shelf_with_bad_pages());
    put(&room.view(), "/own.md", "my falcon\n");
    for limit in [1000, 1] {
        let (lines, unread, first) = falcons(&room.view(), "/", limit);
        assert_eq!(lines, ["/docs/a", "/docs/d", "/own.md"]);
        assert_eq!((unread, first.as_deref()), (2, Some("/docs/b")), "limit {limit}");
    }
    // Who names a page is told what is wrong with it.
    let options = GrepOptions { below: path("/docs/b"), ..GrepOptions::default() };
    assert_eq!(room.view().grep("falcon", &options).unwrap_err().kind(), ErrorKind::Corrupt);
}

#[test]
fn a_search_goes_round_a_source_that_does_not_answer_and_tells_it() {
    let room = Room::new(shelf_with_bad_pages());
    put(&room.view(), "/own.md", "my falcon\n");
    room.shelf.set_away(true);
    let refreshed = room.view().refresh_source(&path("/docs")).unwrap_err();
    assert_eq!(refreshed.kind(), ErrorKind::Unavailable);
    for limit in [1000, 1] {
        let (lines, unread, first) = falcons(&room.view(), "/", limit);
        assert_eq!((lines, unread, first), (vec!["/own.md".into()], 1, Some("/docs".into())));
    }
    let options = GrepOptions { below: path("/docs"), ..GrepOptions::default() };
    assert_eq!(room.view().grep("falcon", &options).unwrap_err().kind(), ErrorKind::Unavailable);
}

#[test]
fn a_search_asks_for_many_pages_together() {
    let shelf = Shelf::default();
    for number in 0..1000 {
        shelf.put(&format!("page{number}"), Ok("a falcon\n"));
    }
    let room = Room::new(shelf);
    assert_eq!(falcons(&room.view(), "/docs", 1000).0.len(), 1000);
    let requests = room.shelf.requests.load(Ordering::SeqCst);
    // 4, 8, 16 and 32 pages, and then 64 at a time.
    assert!(requests <= 30, "{requests} requests for 1000 pages");
}

#[test]
fn a_source_that_does_not_answer_is_in_trouble_until_it_does() {
    let shelf = Shelf::default();
    shelf.put("a", Ok("a falcon\n"));
    shelf.put("b", Err(ErrorKind::Corrupt));
    let room = Room::new(shelf);
    assert_eq!(room.trouble(), None);
    room.view().read(&path("/docs/b")).unwrap_err();
    assert_eq!(room.trouble(), None, "one bad page is no trouble of the source");
    room.shelf.set_away(true);
    // By reading, by listing, by looking for what has changed.
    room.view().read(&path("/docs/a")).unwrap_err();
    assert_eq!(room.trouble().as_deref(), Some("nobody answers"));
    room.shelf.set_away(false);
    assert_eq!(room.view().read(&path("/docs/a")).unwrap(), "a falcon\n");
    assert_eq!(room.trouble(), None);
    room.shelf.set_away(true);
    room.view().refresh_source(&path("/docs")).unwrap_err();
    assert_eq!(room.trouble().as_deref(), Some("nobody answers"));
    room.shelf.set_away(false);
    room.view().list(&path("/docs"), None, 10).unwrap();
    assert_eq!(room.trouble(), None);
}

#[test]
fn a_source_that_cannot_tell_does_not_cost_the_home_its_index() {
    let shelf = shelf_with_bad_pages();
    let room = Room::new(shelf);
    let view = room.view();
    for number in 0..100 {
        put(&view, &format!("/notes/{number}.md"), "a sparrow\n");
    }
    put(&view, "/own.md", "my falcon\n");
    put(&view, "/docs/mine", "a falcon of mine\n");
    let candidates = |below: &str| {
        let found = view.candidates(&path(below), "falcon", false).expect("it answers");
        let found = found.expect("the index has the home's own");
        found.iter().map(ToString::to_string).collect::<BTreeSet<_>>()
    };
    let of_source = ["/docs/a", "/docs/b", "/docs/c", "/docs/d", "/docs/mine"];
    let all: BTreeSet<String> =
        of_source.iter().copied().chain(["/own.md"]).map(str::to_owned).collect();
    assert_eq!(candidates("/"), all);
    assert_eq!(candidates("/docs"), of_source.map(str::to_owned).into());
    assert_eq!(candidates("/notes"), BTreeSet::new());
    let found = ["/docs/a", "/docs/d", "/docs/mine", "/own.md"].map(str::to_owned);
    assert_eq!(falcons(&view, "/", 1000).0, found);
    room.shelf.set_away(true);
    view.refresh_source(&path("/docs")).unwrap_err();
    assert_eq!(view.candidates(&Path::root(), "falcon", false).unwrap(), None);
    assert_eq!(candidates("/notes"), BTreeSet::new());
}

#[test]
fn a_recall_names_the_sources_that_it_did_not_search() {
    let room = Room::new(shelf_with_bad_pages());
    put(&room.view(), "/memories/own.md", "The falcon nests in May.\n");
    for (below, unsearched) in
        [("/", vec![path("/docs")]), ("/docs/a", vec![path("/docs")]), ("/memories", Vec::new())]
    {
        let options = RecallOptions { below: path(below), ..RecallOptions::default() };
        let recalled = room.view().recall("when does the falcon nest?", &options).unwrap();
        assert_eq!(recalled.unsearched, unsearched, "{below}");
    }
}
