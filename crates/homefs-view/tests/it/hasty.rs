//! Views that answer from memory or not at all.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use homefs_core::{Error, ErrorKind, Path, Result, Source, SourceKind, SourceNode, SourcePage};
use homefs_view::{OpenSource, Who};

use crate::common::{agent, open, parents, path, view_of};

fn waits<T>(answer: Result<T>) -> bool {
    answer.is_err_and(|error| error.kind() == ErrorKind::Unavailable)
}

#[test]
fn a_hasty_view_does_at_once_or_not_at_all() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let view = view_of(&store, "me");
    view.write(&path("/notes/a"), b"1", &parents()).unwrap();
    view.write(&path("/notes/large"), &vec![7; 200_000], &parents()).unwrap();
    view.symlink("notes/a", &path("/link")).unwrap();
    view.make_dir(&path("/shared/m"), true).unwrap();
    store.close().unwrap();

    let store = open(dir.path());
    let view = view_of(&store, "me");
    let (hasty, note) = (view.hasty(), path("/notes/a"));
    assert!(waits(hasty.stat(&note)) && waits(hasty.read_at(&note, 0, 10)));
    assert!(waits(hasty.append(&note, b"2", &parents())));
    assert_eq!(&view.read(&note).unwrap()[..], b"1", "what was refused was not done");
    assert_eq!(&hasty.read(&note).unwrap()[..], b"1");
    assert_eq!(&hasty.read(&path("/link")).unwrap()[..], b"1", "a link is no reason to wait");
    assert_eq!(hasty.stat(&note).unwrap().size, 1);
    hasty.append(&note, b"2", &parents()).unwrap();
    hasty.write(&path("/notes/b"), b"new", &parents()).unwrap();
    assert_eq!(&view.read(&note).unwrap()[..], b"12");
    assert_eq!(hasty.stat(&path("/notes/c")).unwrap_err().kind(), ErrorKind::NotFound);

    let large = path("/notes/large");
    assert_eq!(view.read(&large).unwrap().len(), 200_000);
    assert!(waits(hasty.read_at(&large, 0, 10)), "chunks are on the disk");
    assert!(waits(hasty.stat(&path("/shared/m"))), "another space may have to be opened");
}

/// A collection with one page, which counts how often it is asked for anything.
#[derive(Clone, Default)]
struct Asked(Arc<AtomicUsize>);

impl Asked {
    fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

impl Source for Asked {
    fn stat(&self, path: &Path) -> Result<SourceNode> {
        self.0.fetch_add(1, Ordering::SeqCst);
        match path.as_str() {
            "/" => Ok(SourceNode::directory()),
            "/page" => Ok(SourceNode {
                kind: SourceKind::File,
                size_bytes: Some(4),
                modified: None,
                tag: None,
            }),
            _ => Err(Error::new(ErrorKind::NotFound, "no such page")),
        }
    }

    fn list(&self, dir: &Path, _after: Option<&str>) -> Result<SourcePage> {
        let page = self.stat(&dir.join("page")?)?;
        Ok(SourcePage { entries: vec![("page".to_owned(), page)], ..SourcePage::default() })
    }

    fn read(&self, _path: &Path, offset: u64, _len: usize) -> Result<Bytes> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Ok(Bytes::from_static(b"page").slice(usize::try_from(offset).unwrap_or(4).min(4)..))
    }

    fn seen_by(self: Arc<Self>, _groups: &BTreeSet<String>) -> Arc<dyn Source> {
        self
    }

    fn whole(self: Arc<Self>) -> Arc<dyn Source> {
        self
    }

    fn has_groups(&self) -> bool {
        true
    }

    fn describe(&self) -> String {
        "a page".to_owned()
    }
}

impl OpenSource for Asked {
    fn open(
        &self,
        _address: &str,
        _settings: &BTreeMap<String, String>,
        _place: &str,
    ) -> Result<Arc<dyn Source>> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Ok(Arc::new(self.clone()))
    }
}

#[test]
fn a_hasty_view_of_a_session_with_groups_asks_no_source() {
    let (dir, asked) = (tempfile::tempdir().unwrap(), Asked::default());
    let store = open(dir.path());
    let operator = store.view(&Who { agent: agent("op"), operator: true, all: false }).unwrap();
    operator.set_member(&agent("billing"), &agent("me"), true).unwrap();
    let view = view_of(&store, "me");
    let (note, page) = (path("/note"), path("/docs/page"));
    view.write(&note, b"1", &parents()).unwrap();
    let groups = BTreeSet::from([agent("billing")]);
    let hasty = |view: &homefs_view::View| view.with_groups(&groups).unwrap().hasty();
    assert_eq!(&hasty(&view).read(&note).unwrap()[..], b"1", "nothing is hidden in this home");
    store.set_source_opener(Arc::new(asked.clone()));
    view.attach_source(&path("/docs"), "pages", &BTreeMap::new(), true).unwrap();
    assert_eq!(&view.with_groups(&groups).unwrap().read(&page).unwrap()[..], b"page");
    store.close().unwrap();

    let store = open(dir.path());
    store.set_source_opener(Arc::new(asked.clone()));
    let view = view_of(&store, "me");
    // Its names are known, and whom they are for is not.
    view.list(&path("/docs"), None, 10).unwrap();
    let (hasty, before) = (hasty(&view), asked.count());
    assert!(waits(hasty.stat(&page)) && waits(hasty.read_at(&page, 0, 10)));
    assert!(waits(hasty.append(&page, b"2", &parents())));
    assert_eq!(asked.count(), before);
    assert_eq!(&view.with_groups(&groups).unwrap().read(&page).unwrap()[..], b"page");
}
