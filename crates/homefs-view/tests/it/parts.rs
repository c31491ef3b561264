//! What an agent is told that sees a part of a shared space: what would be so without the rest.

use homefs_core::{ErrorKind, Version};
use homefs_view::{Moment, Quota, Right, SearchOptions, SetAttrs, Store, Subject, View, Who};

use crate::common::{agent, open, parents, path, view_of};
use crate::guard::lab;

#[test]
fn a_directory_on_the_way_to_a_grant_tells_nothing_of_what_is_beside_it() {
    let (_dir, store, owner) = lab();
    let reader = view_of(&store, "reader");
    let sub = path("/shared/lab/hidden/hidden-sub");
    owner.grant(&sub, &Subject::Agent(agent("reader")), Right::Read).unwrap();
    let seen = |view: &View| {
        let ways = ["/shared/lab", "/shared/lab/hidden"].map(|at| view.stat(&path(at)).unwrap());
        let listed = ["/shared", "/shared/lab", "/shared/lab/hidden"];
        let listed = listed.map(|at| view.list(&path(at), None, 9).unwrap());
        let nodes = view.nodes();
        let (shared, _) = nodes.lookup(&nodes.root(), "shared").unwrap();
        let (lab, stat) = nodes.lookup(&shared, "lab").unwrap();
        let (hidden, way) = nodes.lookup(&lab, "hidden").unwrap();
        let told = [nodes.stat(&hidden).unwrap(), nodes.parent(&hidden).unwrap(), stat, way];
        format!("{ways:?} {listed:?} {told:?} {:?}", nodes.list(&lab).unwrap())
    };
    let (before, all) = (seen(&reader), seen(&owner));
    owner.write(&path("/shared/lab/hidden/new.md"), b"x", &parents()).unwrap();
    owner.make_dir(&path("/shared/lab/other"), false).unwrap();
    let set = SetAttrs { mode: Some(0o700), ..SetAttrs::default() };
    owner.set_attrs(&path("/shared/lab/hidden"), &set).unwrap();
    assert_eq!(seen(&reader), before);
    assert_ne!(seen(&owner), all);
    // What is in the way of a way is not there.
    let blocked = path("/shared/lab/blocked/sub");
    owner.grant(&blocked, &Subject::Agent(agent("reader")), Right::Read).unwrap();
    owner.write(&path("/shared/lab/blocked"), b"classified", &parents()).unwrap();
    assert_eq!(seen(&reader), before);
    let answer = reader.stat(&path("/shared/lab/blocked"));
    assert_eq!(answer.unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
fn names_that_an_agent_may_not_see_are_not_counted() {
    let (dir, store, owner) = lab();
    let subject = Subject::Agent(agent("reader"));
    owner.grant(&path("/shared/lab/open"), &subject, Right::Write).unwrap();
    let (file, other) = (path("/shared/lab/open/a.md"), path("/shared/lab/open/b.md"));
    for name in ["1", "2"] {
        owner.link(&file, &path(&format!("/shared/lab/hidden/{name}"))).unwrap();
    }
    let check = |store: &Store, expected: u32| {
        let reader = view_of(store, "reader");
        assert_eq!(reader.stat(&file).unwrap().links, expected);
        let listed = reader.list(&path("/shared/lab/open"), None, 9).unwrap();
        assert!(listed.items.iter().all(|entry| entry.stat.links == expected), "{listed:?}");
        let nodes = reader.nodes();
        let way = ["shared", "lab", "open", "a.md"];
        let node = way.iter().fold(nodes.root(), |at, name| nodes.lookup(&at, name).unwrap().0);
        assert_eq!(nodes.stat(&node).unwrap().links, expected);
        assert!(nodes.path(&node).unwrap().starts_with(&path("/shared/lab/open")));
        let hits = reader.search("to be read", &SearchOptions::default()).unwrap();
        assert!(hits.iter().all(|hit| hit.path.starts_with(&path("/shared/lab/open"))));
    };
    check(&store, 1);
    view_of(&store, "reader").link(&file, &other).unwrap();
    check(&store, 2);
    assert_eq!(owner.stat(&file).unwrap().links, 4);
    drop((owner, store));
    // Nor when memory does not know all of them.
    check(&open(dir.path()), 2);
}

#[test]
fn totals_of_a_space_are_told_to_who_sees_all_of_it() {
    let (_dir, store, owner) = lab();
    let (part, all) = (view_of(&store, "part"), view_of(&store, "all"));
    for (name, at) in [("part", "/shared/lab/open"), ("all", "/shared/lab")] {
        owner.grant(&path(at), &Subject::Agent(agent(name)), Right::Write).unwrap();
    }
    let operator = store.view(&Who { agent: agent("owner"), operator: true, all: false }).unwrap();
    let file = path("/shared/lab/open/a.md");
    let version = |view: &View| {
        let read = view.read_past(&file, Moment::Version(Version(9000)), 0, 100);
        read.map_err(|error| error.message().to_owned())
    };
    assert!(version(&all).unwrap_err().contains("the last is "));
    assert_eq!(&version(&part).unwrap()[..], b"to be read");
    for quota in [Quota { bytes: Some(41), nodes: None }, Quota { bytes: None, nodes: Some(3) }] {
        operator.set_quota(&path("/shared/lab"), quota).unwrap();
        let grow = |view: &View| {
            let grown = view.write(&path("/shared/lab/open/new.md"), &[7; 1000], &parents());
            let error = grown.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::LimitExceeded);
            error.message().to_owned()
        };
        let is_digit = |letter: char| letter.is_ascii_digit();
        assert!(grow(&all).contains(is_digit) && !grow(&part).contains(is_digit));
    }
}
