//! Files with several names in shared spaces, and nodes that cannot be looked at: what is told of
//! them, and what is looked at for it.

use homefs_core::{AgentId, NodeId, Path, SpaceName};
use homefs_search::index::Body;
use homefs_search::rank;
use tempfile::{TempDir, tempdir};

use super::scopes::Which;
use super::timeline::in_order;
use crate::indexing::SpaceIndex;
use crate::{
    Components, RenameMode, Right, SearchOptions, Settings, Store, Subject, TimelineOptions,
    Tokenizer, View, Who, WriteOptions,
};

fn path(text: &str) -> Path {
    Path::parse(text).expect("a good path")
}

fn view(store: &Store, agent: &str) -> View {
    let agent = AgentId::new(agent).expect("a good name");
    store.view(&Who { agent, operator: false, all: false }).expect("an agent has a home")
}

fn write(view: &View, at: &str, text: &str) {
    let options = WriteOptions { parents: true, ..WriteOptions::default() };
    view.write(&path(at), text.as_bytes(), &options).expect("it may");
}

fn open(dir: &TempDir) -> Store {
    Store::open(dir.path(), Settings::default(), Components::host()).expect("it opens")
}

/// More files than are ever among the best by their meaning.
const FILES: usize = 300;

/// A store with a shared space, of which `eve` may read two folders and write to one; `ann`
/// manages it.
fn lab() -> (TempDir, Store, View, View) {
    let dir = tempdir().expect("a directory");
    let store = open(&dir);
    let (ann, eve) = (view(&store, "ann"), view(&store, "eve"));
    ann.make_dir(&path("/shared/lab"), false).expect("ann may");
    for (name, right) in [("open", Right::Read), ("desk", Right::Write), ("hidden", Right::Read)] {
        ann.make_dir(&path(&format!("/shared/lab/{name}")), false).expect("ann may");
        let who =
            Subject::Agent(AgentId::new(if name == "hidden" { "max" } else { "eve" }).unwrap());
        ann.grant(&path(&format!("/shared/lab/{name}")), &who, right).expect("ann may");
    }
    (dir, store, ann, eve)
}

fn link(view: &View, from: &str, to: &str) {
    view.link(&path(from), &path(to)).expect("it may");
}

fn found(view: &View, query: &str, below: &str) -> Vec<String> {
    let options = SearchOptions { below: path(below), limit: 100, ..SearchOptions::default() };
    let hits = view.search(query, &options).expect("a search");
    hits.into_iter().map(|hit| hit.path.to_string()).collect()
}

#[test]
fn only_what_may_be_shown_is_asked_for_its_names() {
    let (_dir, _store, ann, eve) = lab();
    for number in 0..FILES {
        let at = format!("/shared/lab/open/{number}");
        write(&ann, &at, if number == 0 { "the lantern" } else { "a copper kettle" });
        link(&ann, &at, &format!("/shared/lab/hidden/{number}"));
    }
    let looked = |view: &View, query: &str, kind: rank::Kind, below: &str| {
        let searched =
            view.searched(&[], &path(below), Which::Memories).expect("the space is searched");
        let hits = view.sight(&searched, query, kind, false, 5).expect("a search");
        (hits.len(), searched.iter().map(|one| one.places.borrow().len()).sum::<usize>())
    };
    let (lab, open) = ("/shared/lab", "/shared/lab/open");
    let (_, count) = looked(&ann, "copper lantern", rank::Kind::Text, lab);
    assert_eq!(count, 0, "who reads all of it needs no names");
    // Of the best it is asked what is beside them.
    let (_, count) = looked(&ann, "copper lantern", rank::Kind::Hybrid, lab);
    assert!((1..FILES / 2).contains(&count), "{count} of {FILES}");
    assert_eq!(looked(&eve, "unknown", rank::Kind::Text, lab), (0, 0));
    assert_eq!(looked(&eve, "lantern", rank::Kind::Text, lab), (1, 1));
    assert_eq!(looked(&eve, "lantern", rank::Kind::Text, open), (1, 1));
    assert_eq!(looked(&ann, "lantern path:/open", rank::Kind::Text, lab), (0, 1));
    // Everything means something; no more is asked for than may be among the best.
    let (_, count) = looked(&eve, "lantern", rank::Kind::Hybrid, lab);
    assert!((1..FILES / 2).contains(&count), "{count} of {FILES}");
    // A list asks for as many as it shows.
    let searched = eve.searched(&[], &path(lab), Which::Memories).expect("the space is searched");
    let index = searched[0].index();
    let files: Vec<_> = index.files().map(|file| (file.modified, (0, NodeId(file.node)))).collect();
    drop(index);
    assert_eq!(in_order(&searched, &files).take(3).count(), 3);
    assert_eq!(searched[0].places.borrow().len(), 3);
}

#[test]
fn a_file_is_told_by_the_first_name_that_was_asked_for() {
    let (dir, store, ann, eve) = lab();
    write(&ann, "/shared/lab/hidden/a", "the lantern");
    for name in ["open/z", "open/b", "desk/y", "desk/c"] {
        link(&ann, "/shared/lab/hidden/a", &format!("/shared/lab/{name}"));
    }
    let check = |eve: &View| {
        for (below, expected) in [
            ("/shared/lab", "/shared/lab/desk/c"),
            ("/shared/lab/open", "/shared/lab/open/b"),
            ("/shared/lab/desk", "/shared/lab/desk/c"),
            ("/shared/lab/desk/y", "/shared/lab/desk/y"),
        ] {
            assert_eq!(found(eve, "lantern", below), [expected], "{below}");
        }
        assert_eq!(found(eve, "lantern path:/desk", "/shared/lab").len(), 1);
        assert_eq!(found(eve, "lantern path:/hidden", "/shared/lab").len(), 0);
        assert_eq!(found(eve, "lantern -path:/desk", "/shared/lab").len(), 0);
    };
    check(&eve);
    store.close().expect("it closes");
    let store = open(&dir);
    check(&view(&store, "eve"));
}

#[test]
fn an_index_of_an_earlier_homefs_tells_no_hidden_name() {
    let (dir, store, ann, eve) = lab();
    write(&ann, "/shared/lab/hidden/zanzibar", "the lantern");
    link(&ann, "/shared/lab/hidden/zanzibar", "/shared/lab/open/kept");
    assert_eq!(found(&eve, "lantern", "/"), ["/shared/lab/open/kept"]);
    // It had the first name that there was.
    let name = SpaceName::Shared("lab".into());
    let space = store.inner().spaces.get(&name).expect("it is there");
    let open_index = SpaceIndex::opened(&space).expect("it was searched");
    let node = ann.stat(&path("/shared/lab/open/kept")).expect("it is there").node;
    {
        let mut index = open_index.index.write();
        let mut file = index.file(node.0).expect("it is indexed").clone();
        file.path = "/hidden/zanzibar".into();
        index.put(file, Body::Text(b"the lantern"));
    }
    assert_eq!(found(&ann, "path:zanzibar", "/shared/lab").len(), 1, "it is as it was");
    drop((space, open_index));
    store.close().expect("it closes");
    let store = open(&dir);
    assert!(found(&view(&store, "eve"), "zanzibar", "/").is_empty());
    assert_eq!(found(&view(&store, "eve"), "lantern", "/"), ["/shared/lab/open/kept"]);
}

/// Makes a directory below which paths are as long as they can be.
fn deep(view: &View, at: &str) {
    let mut below = at.to_owned();
    while below.len() < 3700 {
        below = format!("{below}/{}", "d".repeat(200));
    }
    write(view, &format!("{below}/deepest.md"), "the deepest lantern");
    link(view, &format!("{below}/deepest.md"), &format!("{below}/other.md"));
}

#[test]
fn what_is_deeper_than_any_path_is_left_out_and_nothing_else() {
    let (_dir, store, ann, eve) = lab();
    write(&ann, "/shared/lab/open/note.md", "a lantern for everybody");
    deep(&eve, "/shared/lab/desk/x");
    let long = format!("/shared/lab/desk/{}/{}", "l".repeat(250), "l".repeat(250));
    eve.make_dir(&path(&long), true).expect("eve may write here");
    assert_eq!(found(&ann, "lantern", "/").len(), 2);
    let moved = path(&format!("{long}/x"));
    eve.rename(&path("/shared/lab/desk/x"), &moved, RenameMode::Replace).expect("eve may");
    for who in [&ann, &eve] {
        assert_eq!(found(who, "lantern", "/"), ["/shared/lab/open/note.md"]);
        assert_eq!(found(who, "deepest", "/"), Vec::<String>::new());
        who.context(500, Tokenizer::Approx).expect("an answer");
        let timeline =
            TimelineOptions { after: None, before: None, limit: 10, below: Path::root() };
        assert_eq!(who.timeline(&timeline).expect("an answer").len(), 1);
        who.stale(0, 10, &Path::root()).expect("an answer");
        who.related(&path("/shared/lab/open/note.md"), 5).expect("an answer");
    }
    assert_eq!(store.verify_indexes().expect("a check"), []);
    // It is found again where it has a path.
    eve.rename(&moved, &path("/shared/lab/desk/x"), RenameMode::Replace).expect("eve may");
    assert_eq!(found(&ann, "deepest", "/").len(), 1);
    assert_eq!(store.verify_indexes().expect("a check"), []);
}
