//! What is no memory: what ignore rules name, and what is no text.

use homefs_core::Path;
use homefs_search::embed::BuiltIn;
use homefs_view::{
    Outcome, RecallOptions, RenameMode, Right, SearchKind, SearchOptions, Subject, TimelineOptions,
    Tokenizer, View,
};

use crate::common::{agent, open, parents, path, view_of};

fn write(view: &View, at: &str, text: &str) {
    view.write(&path(at), text.as_bytes(), &parents()).expect("it may");
}

/// Returns what a search for a word finds, in the order of paths.
fn found(view: &View, word: &str, all: bool) -> Vec<String> {
    let kind = SearchKind::Text;
    let options = SearchOptions { kind, all, limit: 1000, ..SearchOptions::default() };
    let hits = view.search(word, &options).expect("a search").into_iter();
    let mut found: Vec<String> = hits.map(|hit| hit.path.as_str().to_owned()).collect();
    found.sort();
    found
}

#[test]
fn a_repository_in_a_home_brings_no_memories() {
    let dir = tempfile::tempdir().expect("a directory");
    let store = open(dir.path());
    let me = view_of(&store, "me");
    write(&me, "/notes/birds.md", "The falcon nests on the tower");
    let before = found(&me, "falcon", false);
    for at in [
        "/.git/hooks/pre-push.sample",
        "/node_modules/falcon/README.md",
        "/target/doc/falcon.md",
        "/Cargo.lock",
    ] {
        write(&me, at, "The falcon nests on the tower, says a hook of falcon");
    }
    write(&me, "/falcon.bin", "falcon \0");
    assert_eq!(found(&me, "falcon", false), before);
    assert_eq!(found(&me, "falcon", true).len(), 6);
    let explain = RecallOptions { explain: true, ..RecallOptions::default() };
    let recalled = me.recall("where does the falcon nest?", &explain).expect("a recall");
    assert_eq!(recalled.memories.len(), 1, "{}", recalled.text);
    let left_out = recalled.explained.iter().filter(|one| one.outcome == Outcome::Ignored);
    let left_out: Vec<&str> = left_out.map(|one| one.path.as_str()).collect();
    assert_eq!(left_out.len(), 5, "{left_out:?}");
    assert!(left_out.contains(&"/.git/hooks/pre-push.sample"), "{left_out:?}");
    let told = me.recall("where does the falcon nest?", &RecallOptions::default()).unwrap();
    assert!(told.explained.iter().all(|one| one.outcome != Outcome::Ignored));
    let context = me.context(2000, Tokenizer::O200k).unwrap().text;
    assert!(context.contains("tower") && !context.contains("hook"), "{context}");
    let listed = |noted: Vec<homefs_view::Noted>| -> Vec<String> {
        noted.into_iter().map(|noted| noted.path.as_str().to_owned()).collect()
    };
    let all = TimelineOptions { after: None, before: None, limit: 100, below: Path::root() };
    assert_eq!(listed(me.timeline(&all).unwrap()), ["/notes/birds.md"]);
    assert_eq!(listed(me.stale(0, 100, &Path::root()).unwrap()).len(), 1);
    write(&me, "/notes/more.md", "A falcon nests on another tower");
    let related = me.related(&path("/notes/birds.md"), 10).unwrap();
    assert_eq!(related.len(), 1, "{related:?}");
    // Whoever reads for lines reads all of them.
    let candidates = me.candidates(&Path::root(), "hook of falcon", false).unwrap();
    assert!(candidates.is_none_or(|all| all.contains(&path("/.git/hooks/pre-push.sample"))));
    assert_eq!(store.verify_indexes().unwrap(), []);
}

#[test]
fn what_is_ignored_changes_no_score() {
    let dir = tempfile::tempdir().expect("a directory");
    let store = open(dir.path());
    let me = view_of(&store, "me");
    write(&me, "/a.md", "The falcon nests on the tower of the old brewery");
    write(&me, "/b.md", "The brewery opens at nine, and the tower is closed");
    let scores = || -> Vec<(String, f32)> {
        let hits = me.search("falcon on the tower", &SearchOptions::default()).unwrap();
        hits.into_iter().map(|hit| (hit.path.as_str().to_owned(), hit.score)).collect()
    };
    let before = scores();
    assert_eq!(before.len(), 2);
    for number in 0..50 {
        write(&me, &format!("/vendor/node_modules/{number}.md"), "tower falcon falcon tower");
    }
    assert_eq!(scores(), before);
}

#[test]
fn an_ignored_file_waits_for_no_vector() {
    let dir = tempfile::tempdir().expect("a directory");
    let store = open(dir.path());
    store.start_indexing(std::sync::Arc::new(BuiltIn::Static)).unwrap();
    let me = view_of(&store, "me");
    write(&me, "/node_modules/a.md", "The falcon nests on the tower");
    assert_eq!(found(&me, "falcon", true).len(), 1);
    let vector = SearchOptions { kind: SearchKind::Vector, all: true, ..SearchOptions::default() };
    assert_eq!(me.search("falcon", &vector).unwrap().len(), 0);
    write(&me, "/.homefsignore", "!node_modules/");
    assert_eq!(me.search("falcon", &vector).unwrap().len(), 1);
}

#[test]
fn rules_hold_as_soon_as_they_are_written_moved_or_removed() {
    let dir = tempfile::tempdir().expect("a directory");
    let store = open(dir.path());
    let me = view_of(&store, "me");
    let notes = ["/a/drafts/x.md", "/a/x.log", "/a/y.md", "/b/drafts/x.md", "/b/x.log"];
    for at in notes {
        write(&me, at, "falcon");
    }
    let step = |what: &str, expected: &[&str]| {
        assert_eq!(found(&me, "falcon", false), expected, "{what}");
        assert_eq!(store.verify_indexes().unwrap(), [], "{what}");
    };
    step("no rules", &notes);
    write(&me, "/a/.gitignore", "drafts/\n*.log\n");
    step("rules of a folder", &["/a/y.md", "/b/drafts/x.md", "/b/x.log"]);
    write(&me, "/.homefsignore", "*.log\n");
    step("rules above", &["/a/y.md", "/b/drafts/x.md"]);
    write(&me, "/a/.homefsignore", "!x.log\n");
    step("rules beside", &["/a/x.log", "/a/y.md", "/b/drafts/x.md"]);
    me.rename(&path("/a/.gitignore"), &path("/b/.gitignore"), RenameMode::Replace).unwrap();
    step("rules that were moved", &["/a/drafts/x.md", "/a/x.log", "/a/y.md"]);
    me.rename(&path("/a"), &path("/b/a"), RenameMode::Replace).unwrap();
    step("a folder below them", &["/b/a/x.log", "/b/a/y.md"]);
    me.rename(&path("/b/.gitignore"), &path("/b/rules"), RenameMode::Replace).unwrap();
    step("no rules any more", &["/b/a/drafts/x.md", "/b/a/x.log", "/b/a/y.md", "/b/drafts/x.md"]);
    me.remove(&path("/.homefsignore"), true).unwrap();
    step(
        "none above",
        &["/b/a/drafts/x.md", "/b/a/x.log", "/b/a/y.md", "/b/drafts/x.md", "/b/x.log"],
    );
    write(&me, "/.gitignore", "/b\n");
    step("all", &[]);
    store.close().unwrap();
    let store = open(dir.path());
    let me = view_of(&store, "me");
    assert_eq!(found(&me, "falcon", false), Vec::<String>::new());
    write(&me, "/.gitignore", "/b/a\n");
    assert_eq!(found(&me, "falcon", false), ["/b/drafts/x.md", "/b/x.log"]);
    assert_eq!(store.verify_indexes().unwrap(), []);
}

#[test]
fn a_file_is_ignored_if_each_of_its_names_is() {
    let dir = tempfile::tempdir().expect("a directory");
    let store = open(dir.path());
    let me = view_of(&store, "me");
    write(&me, "/.cache/a.md", "falcon");
    write(&me, "/.cache/b.md", "falcon");
    me.link(&path("/.cache/a.md"), &path("/.cache/c.md")).unwrap();
    me.link(&path("/.cache/b.md"), &path("/notes.md")).unwrap();
    assert_eq!(found(&me, "falcon", false).len(), 1);
    assert_eq!(found(&me, "falcon", true).len(), 2);
    me.remove(&path("/notes.md"), true).unwrap();
    assert_eq!(found(&me, "falcon", false), Vec::<String>::new());
}

#[test]
fn rules_hold_for_whoever_asks_and_are_told_to_nobody() {
    let dir = tempfile::tempdir().expect("a directory");
    let store = open(dir.path());
    let (ann, bob) = (view_of(&store, "ann"), view_of(&store, "bob"));
    ann.make_dir(&path("/shared/lab"), false).expect("it may");
    write(&ann, "/shared/lab/.homefsignore", "drafts/\n# zanzibar\n");
    write(&ann, "/shared/lab/open/drafts/x.md", "falcon one");
    write(&ann, "/shared/lab/open/y.md", "falcon two");
    let subject = Subject::Agent(agent("bob"));
    ann.grant(&path("/shared/lab/open"), &subject, Right::Read).expect("it may");
    assert_eq!(found(&bob, "falcon", false), ["/shared/lab/open/y.md"]);
    assert_eq!(found(&bob, "falcon", true).len(), 2);
    let explain = RecallOptions { explain: true, ..RecallOptions::default() };
    let told = format!("{:?}", bob.recall("falcon one zanzibar", &explain).expect("a recall"));
    assert!(told.contains("drafts/x.md") && !told.contains("homefsignore"), "{told}");
    assert_eq!(found(&bob, "zanzibar", true), Vec::<String>::new());
}

/// Rules, notes and moves at random; what the index knows is what one made anew knows.
#[test]
fn an_index_agrees_with_one_made_anew_whatever_became_of_rules() {
    let dir = tempfile::tempdir().expect("a directory");
    let store = open(dir.path());
    let me = view_of(&store, "me");
    let mut random = 11_u64;
    let mut draw = |below: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        usize::try_from((random >> 33) % below).expect("a small number")
    };
    let folders = ["", "/a", "/b", "/a/a", "/a/b", "/b/a", "/.c"];
    let names = [".gitignore", ".homefsignore", "x.md", "y.log", "z", "x.md"];
    let lines =
        ["*.md", "!*.md", "a/", "/a", "!a/", "*", "!*", "b/*.log", "!.c/", "z", "**/a/x.md"];
    for number in 0..150 {
        let mut place = || path(&format!("{}/{}", folders[draw(7)], names[draw(6)]));
        let (at, other) = (place(), place());
        let text = format!("falcon\n{}\n{}\n", lines[draw(11)], lines[draw(11)]);
        let done = match draw(8) {
            0..=3 => me.write(&at, text.as_bytes(), &parents()).map(drop),
            4 => me.rename(&at, &other, RenameMode::Replace).map(drop),
            5 => me.remove(&at, true).map(drop),
            6 => {
                let (from, to) = (path(folders[draw(6) + 1]), path(folders[draw(6) + 1]));
                me.rename(&from, &to, RenameMode::Replace).map(drop)
            }
            _ => me.link(&at, &other).map(drop),
        };
        let context = format!("step {number}: {at} and {other}: {:?}", done.map_err(|e| e.kind()));
        if number % 3 == 0 {
            let memories = found(&me, "falcon", false);
            assert!(memories.len() <= found(&me, "falcon", true).len(), "{context}");
            assert_eq!(store.verify_indexes().unwrap(), [], "{context}");
        }
    }
}
