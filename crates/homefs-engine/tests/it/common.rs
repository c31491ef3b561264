//! What most tests need.

use homefs_core::{AgentId, Path};
use homefs_engine::{Components, Settings, Store, View, Who, WriteOptions};

pub(crate) fn path(text: &str) -> Path {
    Path::parse(text).expect("a good path")
}

pub(crate) fn agent(name: &str) -> AgentId {
    AgentId::new(name).expect("a good name")
}

pub(crate) fn open(dir: &std::path::Path) -> Store {
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
pub(crate) fn files_with(dir: &std::path::Path, bytes: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).expect("a directory") {
        let entry = entry.expect("an entry").path();
        if entry.is_dir() {
            found.extend(files_with(&entry, bytes));
        } else if std::fs::read(&entry)
            .is_ok_and(|content| content.windows(bytes.len()).any(|window| window == bytes))
        {
            found.push(entry.display().to_string());
        }
    }
    found
}
