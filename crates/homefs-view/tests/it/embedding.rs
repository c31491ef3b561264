//! Whose texts get their vectors when.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use homefs_core::{Embedder, Error, ErrorKind, Result, Role};
use homefs_view::{SearchOptions, Store, View};
use parking_lot::Mutex;

use crate::common::{open, parents, path, view_of};

/// As many texts as are embedded at once.
const BATCH: usize = 32;
/// Longer than anything here takes.
const LONG: Duration = Duration::from_mins(1);

/// An embedder that tells what it is given, begins when it may, and refuses some texts.
struct Told {
    given: Mutex<Sender<Vec<String>>>,
    may_begin: Mutex<Receiver<()>>,
}

impl Embedder for Told {
    fn name(&self) -> &'static str {
        "told"
    }

    fn dimensions(&self) -> Result<usize> {
        Ok(2)
    }

    fn embed(&self, text: &str, _: Role) -> Result<Vec<f32>> {
        if text.contains("refused") {
            return Err(Error::new(ErrorKind::Invalid, format!("cannot embed {text}")));
        }
        Ok(vec![1.0, 0.0])
    }

    fn embed_many(&self, texts: &[&str], role: Role) -> Result<Vec<Vec<f32>>> {
        let given = texts.iter().map(|text| (*text).to_owned()).collect();
        self.given.lock().send(given).expect("the test waits");
        // Nobody sends any more once all may be embedded.
        self.may_begin.lock().recv_timeout(LONG).ok();
        texts.iter().map(|text| self.embed(text, role)).collect()
    }
}

/// A store whose embedder waits until it is let go.
struct Desk {
    store: Store,
    given: Receiver<Vec<String>>,
    let_go: Option<Sender<()>>,
    _dir: tempfile::TempDir,
}

impl Desk {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        let store = open(dir.path());
        let ((given, told), (let_go, may_begin)) = (channel(), channel());
        let (given, may_begin) = (Mutex::new(given), Mutex::new(may_begin));
        store.start_indexing(Arc::new(Told { given, may_begin })).expect("it starts");
        Self { store, given: told, let_go: Some(let_go), _dir: dir }
    }

    /// Lets an agent write notes, which then wait for their vectors.
    fn write(&self, agent: &str, count: usize, text: &str) -> View {
        let view = view_of(&self.store, agent);
        for number in 0..count {
            let path = path(&format!("/{number}.md"));
            view.write(&path, format!("{text} {number}").as_bytes(), &parents()).expect("it may");
        }
        view.search(text, &SearchOptions::default()).expect("it may");
        view
    }

    /// Returns the next texts that the embedder is given.
    fn next(&self) -> Vec<String> {
        self.given.recv_timeout(LONG).expect("there is more to embed")
    }
}

#[test]
fn what_one_home_has_to_embed_holds_up_no_other() {
    let mut desk = Desk::new();
    desk.write("ann", 10 * BATCH, "hidden");
    // The embedder is at the first of them when another home comes.
    assert!(desk.next()[0].starts_with("hidden"));
    desk.write("bob", 1, "small");
    desk.let_go = None;
    let before = (0..10 * BATCH).take_while(|_| !desk.next()[0].starts_with("small")).count();
    assert!(before <= 2, "{before} batches of another home came first");
}

#[test]
fn a_text_that_the_embedder_refuses_holds_up_no_other_home_and_is_told_to_nobody() {
    let mut desk = Desk::new();
    let ann = desk.write("ann", 1, "refused");
    assert!(desk.next()[0].starts_with("refused"));
    let bob = desk.write("bob", 1, "small");
    desk.let_go = None;
    while !desk.next()[0].starts_with("small") {}
    for view in [ann, bob] {
        let failure = view.status().expect("it may").embedder_failure;
        assert!(failure.is_none_or(|failure| !failure.contains("refused")));
    }
}
