//! No question about memories is answered from what an agent may not read.

use std::sync::Arc;

use homefs_core::{Path, Result, Timestamp};
use homefs_testkit::VirtualClock;
use homefs_view::{
    Components, RecallOptions, Right, SearchKind, SearchOptions, SetMeta, Settings, Store, Subject,
    TimelineOptions, Tokenizer, View,
};

use crate::common::{agent, parents, path, view_of};

/// Words of hidden files only.
const SECRETS: [&str; 4] = ["falcon", "hidden", "classified", "vault"];

/// Every way to ask for memories, and the answer as text.
fn ask_all(view: &View) -> Vec<(String, Result<String>)> {
    let mut answers = Vec::new();
    let mut told = |what: String, answer: Result<String>| answers.push((what, answer));
    for word in ["falcon", "tag:vault", "path:hidden", "fal*", "\"classified falcon\"", "the note"]
    {
        for kind in [SearchKind::Hybrid, SearchKind::Text, SearchKind::Vector] {
            let options = SearchOptions { kind, limit: 100, ..SearchOptions::default() };
            told(format!("search {word} {kind:?}"), debug(view.search(word, &options)));
        }
        told(format!("recall {word}"), debug(view.recall(word, &RecallOptions::default())));
        let encoded = word.replace(' ', "+");
        for probe in [":search?q=", ":recall?explain=1&q="] {
            let at = path(&format!("/{probe}{encoded}"));
            told(at.to_string(), view.read(&at).map(|text| String::from_utf8_lossy(&text).into()));
        }
    }
    for probe in
        [":timeline", ":stale?days=0", ":context", ":tags", "own.md:related", "own.md:links"]
    {
        let at = path(&format!("/{probe}"));
        told(at.to_string(), view.read(&at).map(|text| String::from_utf8_lossy(&text).into()));
    }
    let timeline = TimelineOptions { after: None, before: None, limit: 100, below: Path::root() };
    told("timeline".into(), debug(view.timeline(&timeline)));
    told("stale".into(), debug(view.stale(0, 100, &Path::root())));
    told("context".into(), debug(view.context(5000, Tokenizer::Approx)));
    told("tags".into(), debug(view.tags(&Path::root())));
    told("related".into(), debug(view.related(&path("/own.md"), 100)));
    told("links".into(), debug(view.links(&path("/own.md"))));
    answers
}

fn debug<T: std::fmt::Debug>(answer: Result<T>) -> Result<String> {
    answer.map(|answer| format!("{answer:?}"))
}

fn write(view: &View, at: &str, text: &str) {
    view.write(&path(at), text.as_bytes(), &parents()).expect("it may");
}

/// A store with an owner's home, a shared space, and an agent with a note of its own.
fn lab() -> (tempfile::TempDir, Store, View, View) {
    let dir = tempfile::tempdir().expect("a directory");
    // It stands still, so that a slow machine does not change how recent something is.
    let clock = Arc::new(VirtualClock::new(Timestamp(1_769_860_800 * 1_000_000_000)));
    let components = Components { clock, ..Components::host() };
    let store = Store::open(dir.path(), Settings::default(), components).expect("it opens");
    let (owner, reader) = (view_of(&store, "owner"), view_of(&store, "reader"));
    owner.make_dir(&path("/shared/lab"), false).expect("the owner may");
    hide(&owner, 0);
    write(&owner, "/shared/lab/open/plan.md", "The plan for the garden and the note about it");
    write(&reader, "/own.md", "A note about the garden, see [[secret-0]] and [[plan]]");
    (dir, store, owner, reader)
}

/// Writes something that the reader may not know of.
fn hide(owner: &View, number: u64) {
    for at in [format!("/secret-{number}.md"), format!("/shared/lab/hidden/secret-{number}.md")] {
        write(
            owner,
            &at,
            "The classified falcon flies at night over the garden, note [[own]] [[plan]]",
        );
        owner.set_meta(&path(&at), &SetMeta::one("tags", "vault,pinned")).expect("the owner may");
    }
}

#[track_caller]
fn check_silent(view: &View) {
    for (what, answer) in ask_all(view) {
        let text = answer.expect(&what);
        // The question itself, and what the agent's own note says, may be repeated.
        let text = text.replace("secret-0", "");
        for secret in SECRETS {
            assert!(!text.contains(secret), "{what} tells of {secret}: {text}");
        }
    }
}

fn searches(store: &Store, space: &str) -> Option<u64> {
    let found = store.status().indexes.into_iter().find(|index| index.space.to_string() == space);
    found.map(|index| index.searches)
}

#[test]
fn an_agent_without_grants_finds_nothing_and_opens_no_other_index() {
    let (_dir, store, _owner, reader) = lab();
    check_silent(&reader);
    assert!(searches(&store, "agents/reader").is_some_and(|count| count > 0));
    // Not even to look that there is nothing.
    assert_eq!(searches(&store, "agents/owner"), None);
    assert_eq!(searches(&store, "shared/lab"), None);
}

#[test]
fn an_index_that_others_use_is_not_touched_for_who_may_not_read() {
    let (_dir, store, owner, reader) = lab();
    owner.search("falcon", &SearchOptions::default()).unwrap();
    let before = (searches(&store, "agents/owner"), searches(&store, "shared/lab"));
    assert_eq!(before, (Some(1), Some(1)));
    check_silent(&reader);
    assert_eq!((searches(&store, "agents/owner"), searches(&store, "shared/lab")), before);
}

#[test]
fn what_is_hidden_changes_no_score_count_or_order() {
    let (_dir, store, owner, reader) = lab();
    owner.grant(&path("/shared/lab/open"), &Subject::Agent(agent("reader")), Right::Read).unwrap();
    let before = ask_all(&reader);
    let seen = before.iter().any(|(_, answer)| answer.as_ref().unwrap().contains("plan.md"));
    assert!(seen, "{before:?}");
    for number in 1..40 {
        hide(&owner, number);
    }
    for ((what, before), (_, after)) in before.iter().zip(ask_all(&reader)) {
        assert_eq!(before.as_ref().unwrap(), &after.unwrap(), "{what}");
    }
    check_silent(&reader);
    drop(store);
}

#[test]
fn a_hidden_name_changes_no_score_of_others() {
    let (_dir, _store, owner, reader) = lab();
    owner.grant(&path("/shared/lab/open"), &Subject::Agent(agent("reader")), Right::Read).unwrap();
    // Subject by subject, so that neighbours are alike and lend to one another.
    let subjects = [
        ["tomatoes in the greenhouse", "compost for the beds", "pruning the pear tree", "a fork"],
        ["a violin sonata", "an orchestra tunes", "a cello on the radio", "a fork, too"],
        ["kernel panic", "the server rebooted", "a driver crashed", "a fork of a process"],
        ["mortgage rates", "the bank approved the loan", "interest on savings", "a fork as well"],
    ];
    for (number, text) in subjects.iter().flatten().enumerate() {
        write(&owner, &format!("/shared/lab/open/{number:02}.md"), text);
    }
    write(&owner, "/shared/lab/open/from.md", "It leads to [[03]].");
    let ask = || {
        let recall = reader.recall("pruning the pear tree", &RecallOptions::default()).unwrap();
        let related = reader.related(&path("/shared/lab/open/from.md"), 100).unwrap();
        let related: Vec<_> = related.into_iter().map(|hit| (hit.path, hit.score)).collect();
        // Its time and its version tell of its other name.
        let is_other = |path: &str| !path.ends_with("/03.md");
        let told = recall.explained.into_iter().map(|one| (one.path, one.relevance));
        let told: Vec<_> = told.filter(|(path, _)| is_other(path)).collect();
        (told, related)
    };
    let before = ask();
    let hidden = path("/shared/lab/hidden/other.md");
    owner.link(&path("/shared/lab/open/03.md"), &hidden).unwrap();
    assert_eq!(ask(), before);
    owner.remove(&hidden, false).unwrap();
    assert_eq!(ask(), before);
}

#[test]
fn a_grant_shows_a_part_and_revoking_hides_it_at_once() {
    let (_dir, store, owner, reader) = lab();
    let subject = Subject::Agent(agent("reader"));
    let found = |word: &str| -> Vec<String> {
        let hits = reader.search(word, &SearchOptions::default()).unwrap();
        hits.iter().map(|hit| hit.path.to_string()).collect()
    };
    let plan = "/shared/lab/open/plan.md";
    assert_eq!(found("plan"), Vec::<String>::from(["/own.md".into()]));
    owner.grant(&path("/shared/lab/open"), &subject, Right::Read).unwrap();
    assert!(found("plan").contains(&plan.to_owned()));
    check_silent(&reader);
    let links = reader.links(&path("/own.md")).unwrap();
    assert_eq!(
        links.to.iter().map(|link| link.path.clone()).collect::<Vec<_>>(),
        [None, Some(path(plan))]
    );
    // What moves out of the part is hidden, what moves in is shown.
    let (inside, outside) = (path("/shared/lab/open/moved"), path("/shared/lab/hidden"));
    owner.rename(&outside, &inside, homefs_view::RenameMode::Replace).unwrap();
    assert_eq!(found("falcon"), ["/shared/lab/open/moved/secret-0.md"]);
    owner.rename(&inside, &outside, homefs_view::RenameMode::Replace).unwrap();
    check_silent(&reader);
    owner.revoke(&path("/shared/lab/open"), &subject).unwrap();
    assert_eq!(found("plan"), Vec::<String>::from(["/own.md".into()]));
    assert_eq!(reader.links(&path("/own.md")).unwrap().to[1].path, None);
    for (what, answer) in ask_all(&reader) {
        assert!(!answer.unwrap().contains("plan.md"), "{what}");
    }
    drop(store);
}
