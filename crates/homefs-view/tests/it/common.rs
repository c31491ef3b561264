//! What most tests need.

use std::fs;
use std::path::Path as HostPath;

use homefs_core::{AgentId, Path};
use homefs_view::{Components, Settings, Store, View, Who, WriteOptions};

pub(crate) fn path(text: &str) -> Path {
    Path::parse(text).expect("a good path")
}

pub(crate) fn agent(name: &str) -> AgentId {
    AgentId::new(name).expect("a good name")
}

pub(crate) fn open(dir: &HostPath) -> Store {
    Store::open(dir, Settings::default(), Components::host()).expect("the store opens")
}

pub(crate) fn view_of(store: &Store, name: &str) -> View {
    let who = Who { agent: agent(name), operator: false, all: false };
    store.view(&who).expect("an agent has a home")
}

pub(crate) fn parents() -> WriteOptions {
    WriteOptions { parents: true, ..WriteOptions::default() }
}

/// Names the files below a directory that hold some bytes.
#[expect(clippy::disallowed_methods, reason = "the test looks at the raw files")]
pub(crate) fn files_with(dir: &HostPath, bytes: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).expect("a directory") {
        let entry = entry.expect("an entry").path();
        if entry.is_dir() {
            found.extend(files_with(&entry, bytes));
        } else if fs::read(&entry)
            .is_ok_and(|content| content.windows(bytes.len()).any(|window| window == bytes))
        {
            found.push(entry.display().to_string());
        }
    }
    found
}

/// Copies a directory with all that is in it.
#[expect(clippy::disallowed_methods, reason = "the tests copy the files of a store")]
pub(crate) fn copy_tree(from: &HostPath, to: &HostPath) {
    fs::create_dir_all(to).expect("a directory");
    for entry in fs::read_dir(from).expect("a directory").map(|entry| entry.expect("an entry")) {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_tree(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).expect("a copy");
        }
    }
}
