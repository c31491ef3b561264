//! Handles of files that are saved while the fold is behind.

use homefs_core::{AgentId, Path};
use tempfile::{TempDir, tempdir};

use crate::{Components, RecallOptions, RenameMode, Settings, Store, View, Who, WriteOptions};

fn path(text: &str) -> Path {
    Path::parse(text).expect("a good path")
}

fn open(dir: &TempDir) -> (Store, View) {
    let store = Store::open(dir.path(), Settings::default(), Components::host());
    let store = store.expect("the store opens");
    let who = Who { agent: AgentId::new("me").expect("a name"), operator: false, all: false };
    let view = store.view(&who).expect("an agent has a home");
    (store, view)
}

fn write(view: &View, at: &str, text: &str) {
    view.write(&path(at), text.as_bytes(), &WriteOptions::default()).expect("written");
}

/// Saves a file as editors do: the new one is another node, of the same lineage.
fn save(view: &View, text: &str) {
    write(view, "/new", text);
    view.rename(&path("/new"), &path("/tea.md"), RenameMode::Replace).expect("renamed");
}

/// The handle by which the file is cited, as a path.
fn cited(view: &View) -> Path {
    let recalled = view.recall("what does Ann drink?", &RecallOptions::default());
    let best = recalled.expect("a recall").memories.into_iter().next().expect("it is known");
    path(&format!("/{}", best.handle))
}

fn text(view: &View, at: &Path) -> String {
    String::from_utf8_lossy(&view.read(at).expect("it is there")).into_owned()
}

#[test]
fn a_handle_stays_though_the_store_closes_before_the_index_hears_of_the_save() {
    let dir = tempdir().expect("a directory");
    let (store, view) = open(&dir);
    write(&view, "/tea.md", "Ann drinks green tea, never coffee\n");
    let handle = cited(&view);
    let told_at_once = {
        // The index looks before the fold, and not again.
        let _paused = store.inner().fold.pause();
        save(&view, "Ann drinks black tea\n");
        cited(&view)
    };
    assert_ne!(told_at_once, handle);
    drop((view, store));
    let (store, view) = open(&dir);
    assert_eq!(cited(&view), handle);
    for at in [&handle, &told_at_once] {
        assert_eq!(text(&view, at), "Ann drinks black tea\n", "{at}");
    }
    // It is what the index's file says from now on.
    save(&view, "Ann drinks no tea\n");
    drop((view, store));
    let (store, view) = open(&dir);
    assert_eq!(text(&view, &handle), "Ann drinks no tea\n");
    assert_eq!(store.verify_indexes().expect("it can be checked"), []);
}
