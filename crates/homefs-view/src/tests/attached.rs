//! Sources through views, compared with plain trees.

mod access;
mod model;
mod revalidation;
mod unread;
mod use_cases;

use std::collections::BTreeMap;
use std::path::{Path as HostPath, PathBuf};
use std::sync::Arc;

use homefs_core::{AgentId, Path, Result, Source};
use homefs_remote::FolderSource;
use tempfile::TempDir;

use crate::{Components, OpenSource, Settings, Store, View, Who, WriteOptions};

/// Opens folders of the host.
struct Folders;

impl OpenSource for Folders {
    fn open(
        &self,
        address: &str,
        _settings: &BTreeMap<String, String>,
        _place: &str,
    ) -> Result<Arc<dyn Source>> {
        Ok(Arc::new(FolderSource::open(HostPath::new(address))?))
    }
}

/// A store, and a folder that can be attached.
struct Desk {
    host: TempDir,
    store: Option<Store>,
}

impl Desk {
    fn new() -> Self {
        let host = TempDir::new().expect("the host has room");
        make_dir(&host.path().join("folder"));
        let mut desk = Self { host, store: None };
        desk.open();
        desk
    }

    fn open(&mut self) {
        let dir = self.host.path().join("store");
        let store = Store::open(&dir, Settings::default(), Components::host());
        let store = store.expect("the store opens");
        store.set_source_opener(Arc::new(Folders));
        self.store = Some(store);
    }

    fn reopen(&mut self) {
        self.store.take().expect("a store is open").close().expect("it closes");
        self.open();
    }

    fn view(&self) -> View {
        let who = Who { agent: AgentId::new("me").expect("a name"), operator: false, all: false };
        self.store.as_ref().expect("a store is open").view(&who).expect("an agent has a home")
    }

    fn folder(&self, below: &str) -> PathBuf {
        self.host.path().join("folder").join(below)
    }

    /// Puts a file into the folder.
    fn put(&self, below: &str, content: &str) {
        let place = self.folder(below);
        make_dir(place.parent().expect("it is in the folder"));
        write(&place, content.as_bytes());
    }

    fn attach(&self, at: &str, read_only: bool) {
        let folder = self.folder("");
        let address = folder.to_str().expect("the path is text");
        let settings = BTreeMap::new();
        self.view().attach_source(&path(at), address, &settings, read_only).expect("attached");
    }
}

fn path(text: &str) -> Path {
    Path::parse(text).expect("a good path")
}

fn text(view: &View, at: &str) -> String {
    String::from_utf8(view.read(&path(at)).expect(at).to_vec()).expect("text")
}

fn names(view: &View, at: &str) -> Vec<String> {
    let page = view.list(&path(at), None, 1000).expect(at);
    page.items.into_iter().map(|entry| entry.name.into()).collect()
}

fn put(view: &View, at: &str, content: &str) {
    let options = WriteOptions { parents: true, ..WriteOptions::default() };
    view.write(&path(at), content.as_bytes(), &options).expect(at);
}

#[expect(clippy::disallowed_methods, reason = "the folder is the host's, not the store's")]
fn make_dir(place: &HostPath) {
    std::fs::create_dir_all(place).expect("the host has room");
}

#[expect(clippy::disallowed_methods, reason = "the folder is the host's, not the store's")]
fn write(place: &HostPath, content: &[u8]) {
    std::fs::write(place, content).expect("the host has room");
}

/// Returns everything below a folder of the host: names, contents and when they were changed.
#[expect(clippy::disallowed_methods, reason = "the folder is the host's, not the store's")]
fn picture(folder: &HostPath) -> BTreeMap<PathBuf, (Vec<u8>, std::time::SystemTime)> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let place = entry.expect("an entry").path();
        let modified = place.symlink_metadata().expect("it is there").modified().expect("a time");
        if place.is_symlink() {
            let target = std::fs::read_link(&place).expect("a link");
            found.insert(place, (target.to_string_lossy().into_owned().into_bytes(), modified));
        } else if place.is_dir() {
            found.insert(place.clone(), (Vec::new(), modified));
            found.extend(picture(&place));
        } else {
            found.insert(place.clone(), (std::fs::read(&place).expect("a file"), modified));
        }
    }
    found
}
