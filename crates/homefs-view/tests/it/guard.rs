//! What an agent may not see does not exist for it, whatever it asks.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use homefs_core::{AgentId, ClientId, ErrorKind, Path, Result, Version};
use homefs_view::{
    Cursor, Edit, GrepOptions, Moment, Origin, Quota, RecallOptions, RememberOptions, RenameMode,
    Right, SearchOptions, SetAttrs, SetMeta, Store, Subject, TimelineOptions, Tokenizer, View, Who,
    WriteOptions,
};

use crate::common::{agent, open, parents, path, view_of};

/// One way to ask a view about a path; the answer as text, to be searched for what must not be
/// told.
type Ask = fn(&View, &Path) -> Result<String>;

/// Whether a method changes anything.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Does {
    Look,
    Change,
}

fn told<T: std::fmt::Debug>(answer: Result<T>) -> Result<String> {
    answer.map(|answer| format!("{answer:?}"))
}

/// A place of the agent's own.
fn own(name: &str) -> Path {
    path(&format!("/own-{name}"))
}

/// Every public method of a view. The test below fails if one is missing.
const METHODS: &[(&str, Does, Ask)] = {
    use Does::{Change, Look};
    &[
        ("with_groups", Look, |view, path| {
            told(view.with_groups(&BTreeSet::new()).and_then(|view| view.read(path)))
        }),
        ("with_origin", Change, |view, path| {
            let origin = Origin { client: ClientId(7), number: 1 };
            told(view.with_origin(origin).write(path, b"x", &WriteOptions::default()))
        }),
        // It says of another space only that it would have to wait, whatever is there.
        ("plain", Look, |view, path| Ok(format!("{:?}", view.plain().read(path).ok()))),
        ("hasty", Look, |view, path| Ok(format!("{:?}", view.hasty().read(path).ok()))),
        ("with_groups", Look, |view, path| told(view.with_groups(&BTreeSet::new())?.read(path))),
        ("who", Look, |view, _| Ok(format!("{:?}", view.who()))),
        ("barrier", Look, |view, _| told(view.barrier())),
        // Without a remote it says so, to everybody alike.
        ("barrier_remote", Look, |view, _| {
            Ok(format!("{:?}", view.barrier_remote(Duration::ZERO)))
        }),
        ("pin", Look, |view, path| told(view.pin(path, true))),
        ("pins", Look, |view, _| told(view.pins())),
        ("read", Look, |view, path| told(view.read(path))),
        ("read_many", Look, |view, path| told(view.read_many(&[path.clone(), own("file")]))),
        ("read_at", Look, |view, path| told(view.read_at(path, 0, 10))),
        ("read_past", Look, |view, path| {
            told(view.read_past(path, Moment::Version(Version(u64::MAX >> 1)), 0, 10))
        }),
        ("attach_source", Change, |view, path| {
            told(view.attach_source(path, "file:///nowhere", &BTreeMap::new(), true))
        }),
        ("detach_source", Change, |view, path| told(view.detach_source(path))),
        ("sources", Look, |view, _| told(view.sources())),
        ("refresh_source", Change, |view, path| told(view.refresh_source(path))),
        ("source_changes", Look, |view, path| told(view.source_changes(path))),
        ("discard_source_changes", Change, |view, path| told(view.discard_source_changes(path))),
        ("write_back", Change, |view, path| told(view.write_back(path, false))),
        ("write", Change, |view, path| told(view.write(path, b"x", &WriteOptions::default()))),
        ("write", Change, |view, path| told(view.write(path, &[1; 70_000], &parents()))),
        ("write", Change, |view, path| told(view.write(&path.join("new")?, b"x", &parents()))),
        ("writer", Change, |view, path| {
            let mut writer = view.writer(path, &WriteOptions::default())?;
            writer.push(b"x")?;
            told(writer.finish())
        }),
        ("push", Look, |_, _| Ok(String::new())),
        ("finish", Look, |_, _| Ok(String::new())),
        ("append", Change, |view, path| told(view.append(path, b"x", &WriteOptions::default()))),
        ("append", Change, |view, path| told(view.append(path, &[1; 70_000], &parents()))),
        ("edit", Change, |view, path| {
            let edit = Edit::Insert { line: 0, text: "x".into() };
            told(view.edit(path, &edit, &WriteOptions::default()))
        }),
        ("write_at", Change, |view, path| told(view.write_at(path, 0, b"x"))),
        ("truncate", Change, |view, path| told(view.truncate(path, 0))),
        ("stat", Look, |view, path| told(view.stat(path))),
        ("meant", Look, |view, path| {
            let (own, below) = (own("^000000"), path.join("^000000")?);
            told(view.meant(&own).and_then(|at| Ok(at == own && view.meant(&below)? == below)))
        }),
        ("set_attrs", Change, |view, path| {
            told(view.set_attrs(path, &SetAttrs { mode: Some(0), ..SetAttrs::default() }))
        }),
        ("xattrs", Look, |view, path| told(view.xattrs(path))),
        ("meta", Look, |view, path| told(view.meta(path))),
        ("set_meta", Change, |view, path| told(view.set_meta(path, &SetMeta::one("tags", "x")))),
        ("probe", Look, |view, path| told(view.probe(path, ":recent"))),
        ("probe", Look, |view, path| {
            let (above, name) =
                (path.parent().unwrap_or_else(Path::root), path.name().unwrap_or(""));
            told(view.probe(&above, &format!("{name}:meta")))
        }),
        ("probe", Look, |view, _| told(view.probe(&Path::root(), ":tags"))),
        ("write_probe", Change, |view, path| {
            let (above, name) =
                (path.parent().unwrap_or_else(Path::root), path.name().unwrap_or(""));
            told(view.write_probe(&above, &format!("{name}:tags"), b"x"))
        }),
        ("read_link", Look, |view, path| told(view.read_link(path))),
        ("make_dir", Change, |view, path| told(view.make_dir(&path.join("new")?, false))),
        ("make_dir", Change, |view, path| told(view.make_dir(&path.join("new")?, true))),
        ("symlink", Change, |view, path| told(view.symlink("x", &path.join("new")?))),
        ("link", Change, |view, path| told(view.link(path, &own("link")))),
        ("link", Change, |view, path| told(view.link(&own("file"), &path.join("new")?))),
        ("link", Change, |view, path| told(view.link(path, &path.join("new")?))),
        ("remove", Change, |view, path| told(view.remove(path, false))),
        ("remove", Change, |view, path| told(view.remove(path, true))),
        ("rename", Change, |view, path| {
            told(view.rename(path, &own("moved"), RenameMode::Replace))
        }),
        ("rename", Change, |view, path| told(view.rename(&own("file"), path, RenameMode::Replace))),
        ("rename", Change, |view, path| {
            told(view.rename(path, &own("file"), RenameMode::Exchange))
        }),
        ("copy", Change, |view, path| told(view.copy(&own("file"), path, false))),
        ("copy", Look, |view, path| told(view.copy(path, &own("copied"), true))),
        ("list", Look, |view, path| told(view.list(path, None, 100))),
        ("list", Look, |view, _| told(view.list(&Path::root(), None, 100))),
        ("walk", Look, |view, path| told(view.walk(path, None, 100))),
        ("walk", Look, |view, _| told(view.walk(&Path::root(), None, 100))),
        ("find", Look, |view, path| told(view.find(path, "**", None, 100))),
        ("find", Look, |view, _| told(view.find(&Path::root(), "**/hidden*", None, 100))),
        ("grep", Look, |view, path| {
            let below = path.clone();
            told(view.grep("classified", &GrepOptions { below, ..GrepOptions::default() }))
        }),
        ("grep", Look, |view, _| told(view.grep("hidden|classified", &GrepOptions::default()))),
        ("log", Look, |view, path| told(view.log(path, None, 100))),
        ("diff", Look, |view, path| {
            told(view.diff(path, Moment::Version(Version(u64::MAX >> 1)), Moment::Now))
        }),
        ("restore", Change, |view, path| told(view.restore(path, Moment::Version(Version(9))))),
        ("trash", Look, |view, _| told(view.trash(None, 100))),
        ("untrash", Change, |view, path| told(view.untrash(&path.join("hidden-gone")?, None))),
        ("untrash", Change, |view, path| told(view.untrash(path, Some(&own("back"))))),
        ("empty_trash", Look, |view, _| told(view.empty_trash())),
        ("purge", Change, |view, path| told(view.purge(path))),
        ("purge_receipt", Look, |view, path| told(view.purge_receipt(path))),
        ("conflicts", Look, |view, _| told(view.conflicts())),
        ("resolve", Change, |view, _| told(view.resolve("0123456789abcdef", None))),
        ("cursor", Look, |view, _| told(view.cursor())),
        ("watch", Look, |view, path| {
            told(view.watch(path, &Cursor::default(), Duration::ZERO, 1000))
        }),
        ("watch", Look, |view, _| {
            told(view.watch(&Path::root(), &Cursor::default(), Duration::ZERO, 1000))
        }),
        ("grant", Change, |view, path| {
            let me = Subject::Agent(view.who().agent.clone());
            told(view.grant(path, &me, Right::Manage))
        }),
        ("revoke", Change, |view, path| told(view.revoke(path, &Subject::Agent(agent("owner"))))),
        ("grants", Look, |view, path| told(view.grants(path))),
        ("set_member", Change, |view, _| {
            told(view.set_member(&agent("team"), &view.who().agent.clone(), true))
        }),
        ("groups", Look, |view, _| told(view.groups())),
        ("spaces", Look, |view, _| told(view.spaces())),
        ("agents", Look, |view, _| told(view.agents())),
        ("search", Look, |view, path| {
            let below = path.clone();
            let options = SearchOptions { below, limit: 100, ..SearchOptions::default() };
            told(view.search("classified", &options))
        }),
        ("search", Look, |view, _| told(view.search("hidden", &SearchOptions::default()))),
        ("unseen", Look, |view, path| told(view.unseen(path))),
        ("related", Look, |view, path| told(view.related(path, 100))),
        ("related", Look, |view, _| told(view.related(&own("file"), 100))),
        ("recall", Look, |view, path| {
            let below = path.clone();
            told(view.recall("classified", &RecallOptions { below, ..RecallOptions::default() }))
        }),
        ("recall", Look, |view, _| told(view.recall("hidden", &RecallOptions::default()))),
        ("remember", Change, |view, _| {
            let space = Some("shared/lab".parse()?);
            told(view.remember("x", &RememberOptions { space, ..RememberOptions::default() }))
        }),
        ("forget", Change, |view, path| told(view.forget(path, false))),
        ("forget", Change, |view, path| told(view.forget(path, true))),
        ("links", Look, |view, path| told(view.links(path))),
        ("tags", Look, |view, path| told(view.tags(path))),
        ("tags", Look, |view, _| told(view.tags(&Path::root()))),
        ("timeline", Look, |view, path| {
            let below = path.clone();
            told(view.timeline(&TimelineOptions { after: None, before: None, limit: 100, below }))
        }),
        ("stale", Look, |view, path| told(view.stale(0, 100, path))),
        ("stale", Look, |view, _| told(view.stale(0, 100, &Path::root()))),
        ("context", Look, |view, _| told(view.context(2000, Tokenizer::Approx))),
        ("candidates", Look, |view, path| told(view.candidates(path, "classified", false))),
        ("candidates", Look, |view, _| told(view.candidates(&Path::root(), "hidden", true))),
        ("set_quota", Change, |view, path| told(view.set_quota(path, Quota::default()))),
    ]
};

#[test]
#[expect(clippy::disallowed_methods, reason = "the test reads the sources it is about")]
fn every_public_method_of_a_view_is_in_the_table() {
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/view");
    let (mut sources, mut left) = (String::new(), vec![here]);
    while let Some(place) = left.pop() {
        if place.is_dir() {
            left.extend(std::fs::read_dir(place).unwrap().map(|entry| entry.unwrap().path()));
        } else {
            sources += &std::fs::read_to_string(place).unwrap();
        }
    }
    let public = sources.lines().filter_map(|line| {
        let rest = line.trim_start().strip_prefix("pub fn ")?;
        rest.split(['(', '<']).next()
    });
    let public: BTreeSet<&str> = public.collect();
    let tried: BTreeSet<&str> = METHODS.iter().map(|(name, ..)| *name).collect();
    assert_eq!(public, tried);
}

/// The words that only who may read `hidden` may come to know.
const HIDDEN: [&str; 2] = ["hidden", "classified"];

/// A store with one shared space that `owner` manages.
pub(crate) fn lab() -> (tempfile::TempDir, Store, View) {
    let dir = tempfile::tempdir().expect("a directory");
    let store = open(dir.path());
    let owner = view_of(&store, "owner");
    owner.make_dir(&path("/shared/lab"), false).expect("the owner may");
    for (at, text) in [
        ("/shared/lab/open/a.md", "to be read"),
        ("/shared/lab/hidden/b.md", "classified"),
        ("/shared/lab/hidden/hidden-sub/c.md", "classified"),
        ("/shared/lab/hidden/hidden-gone", "classified"),
    ] {
        owner.write(&path(at), text.as_bytes(), &parents()).expect("the owner may");
    }
    owner.symlink("b.md", &path("/shared/lab/hidden/hidden-link")).expect("the owner may");
    owner.remove(&path("/shared/lab/hidden/hidden-gone"), false).expect("the owner may");
    owner.write(&path("/hidden-home"), b"classified", &parents()).expect("the owner may");
    (dir, store, owner)
}

/// Everything in the space, with versions, to see that nothing changed.
fn snapshot(owner: &View) -> String {
    let tree = owner.walk(&path("/shared/lab"), None, 1000).expect("the owner may");
    format!(
        "{tree:?} {:?} {:?}",
        owner.trash(None, 1000).expect("the owner may"),
        owner.grants(&path("/shared/lab"))
    )
}

/// Tries every method on a hidden path: it is not there, and nothing tells that it is.
fn check_hidden(owner: &View, view: &View, hidden: &str, words: &[&str]) {
    let before = snapshot(owner);
    view.write(&own("file"), b"own", &parents()).expect("the owner may");
    for (name, _, ask) in METHODS {
        let hidden = path(hidden);
        let who = &view.who().agent;
        match ask(view, &hidden) {
            Ok(answer) => {
                for word in words {
                    assert!(
                        !answer.contains(word),
                        "{name} of {hidden} tells {who} of {word}: {answer}"
                    );
                }
            }
            Err(error) => {
                let kind = error.kind();
                let fine = matches!(kind, ErrorKind::NotFound | ErrorKind::Denied);
                assert!(fine, "{name} of {hidden} by {who}: {kind:?} {error}");
                let path = [error.path(), Some(error.message())];
                let tells = path.into_iter().flatten().any(|text| text.contains("classified"));
                assert!(!tells, "{name} of {hidden} by {who}: {error}");
            }
        }
        assert_eq!(snapshot(owner), before, "{name} of {hidden} by {who}");
        view.remove(&own("copied"), true).ok();
    }
}

#[test]
fn an_agent_without_grants_finds_nothing() {
    let (_dir, store, owner) = lab();
    let stranger = view_of(&store, "stranger");
    for hidden in [
        "/shared/lab",
        "/shared/lab/open",
        "/shared/lab/open/a.md",
        "/shared/lab/hidden/b.md",
        "/shared/lab/hidden/hidden-sub",
        "/shared/lab/hidden/hidden-link",
        "/shared/lab/hidden/hidden-gone",
        "/shared/lab/not-there",
        "/shared/none",
    ] {
        check_hidden(&owner, &stranger, hidden, &["lab", "hidden", "classified", "owner"]);
    }
    for at in ["/shared", "/shared/lab", "/shared/lab/open/a.md"] {
        assert_eq!(stranger.stat(&path(at)).unwrap_err().kind(), ErrorKind::NotFound, "{at}");
        assert_eq!(
            stranger.list(&path(at), None, 9).unwrap_err().kind(),
            ErrorKind::NotFound,
            "{at}"
        );
    }
    assert_eq!(stranger.spaces().unwrap().len(), 1);
    // What is hidden and what is not there look the same.
    let hidden = stranger.read(&path("/shared/lab/open/a.md")).unwrap_err();
    let missing = stranger.read(&path("/shared/none/open/a.md")).unwrap_err();
    assert_eq!(hidden.message(), missing.message());
}

#[test]
fn a_grant_of_a_part_shows_nothing_beside_it() {
    let (_dir, store, owner) = lab();
    let reader = view_of(&store, "reader");
    let subject = Subject::Agent(agent("reader"));
    owner.grant(&path("/shared/lab/open"), &subject, Right::Write).unwrap();
    for hidden in [
        "/shared/lab/hidden",
        "/shared/lab/hidden/b.md",
        "/shared/lab/hidden/hidden-sub/c.md",
        "/shared/lab/hidden/hidden-link",
        "/shared/lab/hidden/hidden-gone",
    ] {
        check_hidden(&owner, &reader, hidden, &HIDDEN);
    }
    let info = reader.spaces().unwrap().into_iter().find(|info| info.path == path("/shared/lab"));
    let info = info.unwrap();
    assert_eq!((info.usage.nodes, info.usage.bytes, info.right), (0, 0, None));
    // Neither does moving, linking or copying lead in or out.
    let (open, hidden) = (path("/shared/lab/open/a.md"), path("/shared/lab/hidden/b.md"));
    let (new_open, new_hidden) = (path("/shared/lab/open/n"), path("/shared/lab/hidden/n"));
    for answer in [
        reader.rename(&open, &new_hidden, RenameMode::Replace),
        reader.rename(&hidden, &new_open, RenameMode::Replace),
        reader.rename(&open, &hidden, RenameMode::Exchange),
        reader.link(&open, &new_hidden),
        reader.link(&hidden, &new_open),
        reader.copy(&open, &new_hidden, false),
        reader.copy(&hidden, &new_open, false),
        reader.untrash(&path("/shared/lab/hidden/hidden-gone"), Some(&new_open)),
    ] {
        assert_eq!(answer.unwrap_err().kind(), ErrorKind::NotFound);
    }
}

#[test]
fn a_right_to_read_changes_nothing() {
    let (_dir, store, owner) = lab();
    let reader = view_of(&store, "reader");
    owner.grant(&path("/shared/lab"), &Subject::Agent(agent("reader")), Right::Read).unwrap();
    let before = snapshot(&owner);
    reader.write(&own("file"), b"own", &parents()).unwrap();
    for at in ["/shared/lab", "/shared/lab/open", "/shared/lab/open/a.md", "/shared/lab/hidden"] {
        for (name, does, ask) in METHODS {
            if *does == Does::Change {
                let kind = ask(&reader, &path(at)).map_err(|error| error.kind());
                let fine = matches!(
                    kind,
                    Err(ErrorKind::Denied | ErrorKind::NotFound | ErrorKind::NotADirectory)
                );
                assert!(fine, "{name} at {at}: {kind:?}");
            }
            assert_eq!(snapshot(&owner), before, "{name} at {at}");
        }
    }
    assert_eq!(&reader.read(&path("/shared/lab/hidden/b.md")).unwrap()[..], b"classified");
}

#[test]
fn the_way_to_a_grant_shows_only_that_way() {
    let (_dir, store, owner) = lab();
    let reader = view_of(&store, "reader");
    let sub = path("/shared/lab/hidden/hidden-sub");
    owner.grant(&sub, &Subject::Agent(agent("reader")), Right::Read).unwrap();
    let names = |at: &str| -> Vec<String> {
        let page = reader.list(&path(at), None, 100).unwrap();
        page.items.into_iter().map(|entry| entry.name.into()).collect()
    };
    assert_eq!(names("/shared"), ["lab"]);
    assert_eq!(names("/shared/lab"), ["hidden"]);
    assert_eq!(names("/shared/lab/hidden"), ["hidden-sub"]);
    assert_eq!(names("/shared/lab/hidden/hidden-sub"), ["c.md"]);
    let found = reader.walk(&path("/shared"), None, 100).unwrap().items;
    assert_eq!(found.len(), 4);
    for (name, does, ask) in METHODS {
        if *does == Does::Change {
            let before = snapshot(&owner);
            let answer = ask(&reader, &path("/shared/lab/hidden"));
            assert!(answer.is_err(), "{name}: {answer:?}");
            assert_eq!(snapshot(&owner), before, "{name}");
        }
    }
    let copied = own("copied");
    reader.copy(&path("/shared/lab"), &copied, true).unwrap();
    assert_eq!(reader.walk(&copied, None, 100).unwrap().items.len(), 3);
}

#[test]
fn links_do_not_lead_where_the_agent_may_not_go() {
    let (_dir, store, owner) = lab();
    let reader = view_of(&store, "reader");
    owner.grant(&path("/shared/lab/open"), &Subject::Agent(agent("reader")), Right::Write).unwrap();
    for (target, at) in [
        ("/shared/lab/hidden/b.md", "/file-link"),
        ("/shared/lab/hidden", "/dir-link"),
        ("../hidden/b.md", "/shared/lab/open/file-link"),
        ("../hidden", "/shared/lab/open/dir-link"),
    ] {
        reader.symlink(target, &path(at)).unwrap();
        let through = if at.contains("dir") { format!("{at}/b.md") } else { at.into() };
        let through = path(&through);
        for answer in [
            reader.read(&through).map(drop),
            reader.write(&through, b"x", &parents()).map(drop),
            reader.log(&through, None, 9).map(drop),
            reader.write_at(&through, 0, b"x").map(drop),
        ] {
            assert_eq!(answer.unwrap_err().kind(), ErrorKind::NotFound, "{at}");
        }
    }
    // A link that who may read it made leads nobody else there either.
    owner.symlink("../hidden/b.md", &path("/shared/lab/open/owners-link")).unwrap();
    let answer = reader.read(&path("/shared/lab/open/owners-link"));
    assert_eq!(answer.unwrap_err().kind(), ErrorKind::NotFound);
    let before = &b"classified"[..];
    assert_eq!(&owner.read(&path("/shared/lab/open/owners-link")).unwrap()[..], before);
}

#[test]
fn watching_tells_only_of_what_may_be_read() {
    let (_dir, store, owner) = lab();
    let reader = view_of(&store, "reader");
    owner.grant(&path("/shared/lab/open"), &Subject::Agent(agent("reader")), Right::Read).unwrap();
    let cursor = reader.cursor().unwrap();
    owner.write(&path("/shared/lab/hidden/d.md"), b"classified", &parents()).unwrap();
    let (open, hidden) = (path("/shared/lab/open/a.md"), path("/shared/lab/hidden/moved.md"));
    owner.rename(&open, &hidden, RenameMode::Replace).unwrap();
    owner
        .rename(
            &path("/shared/lab/hidden/d.md"),
            &path("/shared/lab/open/d.md"),
            RenameMode::Replace,
        )
        .unwrap();
    let watched = reader.watch(&Path::root(), &cursor, Duration::ZERO, 100).unwrap();
    let text = format!("{watched:?}");
    assert!(!text.contains("hidden"), "{text}");
    assert!(
        text.contains("/shared/lab/open/a.md") && text.contains("/shared/lab/open/d.md"),
        "{text}"
    );
}

#[test]
fn grants_add_and_revoking_takes_effect_at_once() {
    let (_dir, store, owner) = lab();
    let (reader, writer) = (view_of(&store, "reader"), view_of(&store, "writer"));
    let (open, note) = (path("/shared/lab/open"), path("/shared/lab/open/a.md"));
    let (read, write) = (Subject::Agent(agent("reader")), Subject::Agent(agent("writer")));
    owner.grant(&open, &write, Right::Write).unwrap();
    writer.write(&note, b"written", &WriteOptions::default()).unwrap();
    assert_eq!(&writer.read(&note).unwrap()[..], b"written");
    // Who only writes cannot pass it on.
    assert_eq!(writer.grant(&open, &read, Right::Read).unwrap_err().kind(), ErrorKind::Denied);
    owner.grant(&open, &read, Right::Read).unwrap();
    assert!(reader.read(&note).is_ok());
    owner.revoke(&open, &read).unwrap();
    assert_eq!(reader.read(&note).unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(reader.stat(&path("/shared")).unwrap_err().kind(), ErrorKind::NotFound);
    // A group's grant reaches its members, as long as they are members.
    let operator = store.view(&Who { agent: agent("op"), operator: true, all: false }).unwrap();
    owner.grant(&open, &Subject::Group(agent("team")), Right::Read).unwrap();
    assert!(reader.read(&note).is_err());
    operator.set_member(&agent("team"), &agent("reader"), true).unwrap();
    assert!(reader.read(&note).is_ok());
    assert_eq!(operator.groups().unwrap()[&agent("team")], [agent("reader")]);
    operator.set_member(&agent("team"), &agent("reader"), false).unwrap();
    assert_eq!(reader.read(&note).unwrap_err().kind(), ErrorKind::NotFound);
    // Home is nobody else's.
    let home = owner.grant(&path("/hidden-home"), &read, Right::Read);
    assert_eq!(home.unwrap_err().kind(), ErrorKind::Unsupported);
}

#[test]
fn a_session_speaks_for_a_group_as_long_as_its_agent_may() {
    let (_dir, store, owner) = lab();
    let operator = store.view(&Who { agent: agent("op"), operator: true, all: false }).unwrap();
    let billing = agent("billing");
    owner.grant(&path("/shared/lab/open"), &Subject::Group(billing.clone()), Right::Read).unwrap();
    let (note, groups) = (path("/shared/lab/open/a.md"), BTreeSet::from([billing.clone()]));
    let gone = |view: &View| {
        assert_eq!(view.read(&note).unwrap_err().kind(), ErrorKind::NotFound);
        assert_eq!(view.list(&path("/shared"), None, 9).unwrap_err().kind(), ErrorKind::NotFound);
    };
    // A member opens one for its own group; members of `claimants` for any.
    for named in [billing, agent(homefs_view::CLAIMANTS)] {
        let ann = view_of(&store, "ann");
        assert_eq!(ann.with_groups(&groups).map(drop).unwrap_err().kind(), ErrorKind::Denied);
        operator.set_member(&named, &agent("ann"), true).unwrap();
        let session = ann.with_groups(&groups).unwrap();
        assert_eq!(&session.read(&note).unwrap()[..], b"to be read");
        gone(&ann.with_groups(&BTreeSet::new()).unwrap());
        operator.set_member(&named, &agent("ann"), false).unwrap();
        gone(&session);
        operator.set_member(&named, &agent("ann"), true).unwrap();
        assert!(session.read(&note).is_ok(), "who comes back sees it again");
        operator.set_member(&named, &agent("ann"), false).unwrap();
    }
}

#[test]
fn a_session_with_groups_holds_no_right_of_the_operator_who_opens_it() {
    let (_dir, store, owner) = lab();
    let operator = Who { agent: agent("op"), operator: true, all: false };
    let billing = Subject::Group(agent("billing"));
    let (open, lab) = (path("/shared/lab/open"), path("/shared/lab"));
    owner.grant(&open, &billing, Right::Write).unwrap();
    let groups = BTreeSet::from([agent("billing")]);
    let session = store.view(&operator).unwrap().with_groups(&groups).unwrap();
    // It may do what the group may.
    let note = path("/shared/lab/open/a.md");
    session.write(&note, b"written", &WriteOptions::default()).unwrap();
    assert_eq!(&session.read(&note).unwrap()[..], b"written");
    // And nothing beside that, neither in shared spaces nor to the store.
    let hidden = path("/shared/lab/hidden/b.md");
    assert_eq!(session.read(&hidden).unwrap_err().kind(), ErrorKind::NotFound);
    let spaces: Vec<Option<Right>> =
        session.spaces().unwrap().into_iter().map(|space| space.right).collect();
    assert_eq!(spaces, [Some(Right::Manage), None], "its home, and a part of the lab");
    for refused in [
        session.grant(&open, &Subject::Agent(agent("op")), Right::Read).map(drop),
        session.set_quota(&lab, Quota::default()).map(drop),
        session.set_member(&agent("team"), &agent("op"), true),
        session.groups().map(drop),
    ] {
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::Denied);
    }
    assert_eq!(session.agents().unwrap(), [agent("op")]);
    assert!(!session.who().operator);
    session.write(&path("/tool"), b"", &parents()).unwrap();
    let special = SetAttrs { mode: Some(0o4755), ..SetAttrs::default() };
    session.set_attrs(&path("/tool"), &special).unwrap();
    assert_eq!(session.stat(&path("/tool")).unwrap().mode, 0o755);
    // Who is in the groups sees no other homes.
    let all = store.view(&Who { all: true, ..operator }).unwrap();
    assert_eq!(all.with_groups(&groups).map(drop).unwrap_err().kind(), ErrorKind::Denied);
}

#[test]
fn an_operator_sees_all_and_nobody_else_every_space() {
    let (_dir, store, _owner) = lab();
    let all = Who { agent: agent("op"), operator: true, all: true };
    let operator = store.view(&all).unwrap();
    for at in ["/agents/owner/hidden-home", "/shared/lab/hidden/b.md"] {
        assert_eq!(&operator.read(&path(at)).unwrap()[..], b"classified");
    }
    let refused = store.view(&Who { operator: false, ..all });
    assert_eq!(refused.map(drop).unwrap_err().kind(), ErrorKind::Denied);
    let agents: Vec<AgentId> = operator.agents().unwrap();
    assert!(agents.contains(&agent("owner")), "{agents:?}");
    assert_eq!(view_of(&store, "stranger").agents().unwrap(), [agent("stranger")]);
}

#[track_caller]
fn full(answer: &Result<Version>) {
    let kind = answer.as_ref().map_err(homefs_core::Error::kind);
    assert_eq!(kind, Err(ErrorKind::LimitExceeded), "{answer:?}");
}

#[test]
fn a_quota_bounds_what_lives_and_shrinking_is_always_possible() {
    let (_dir, store, owner) = lab();
    let operator = store.view(&Who { agent: agent("op"), operator: true, all: false }).unwrap();
    let lab = path("/shared/lab");
    let note = path("/shared/lab/open/a.md");
    let quota = Quota { bytes: Some(100), nodes: Some(8) };
    assert_eq!(owner.set_quota(&lab, quota).unwrap_err().kind(), ErrorKind::Denied);
    operator.set_quota(&lab, quota).unwrap();
    full(&owner.write(&note, &[1; 200], &parents()));
    full(&owner.write(&note, &vec![1; 100_000], &parents()));
    full(&owner.append(&note, &[1; 200], &parents()));
    full(&owner.write_at(&note, 200, b"x"));
    full(&owner.truncate(&note, 200));
    full(&owner.copy(&lab.join("hidden").unwrap(), &lab.join("copy").unwrap(), true));
    full(&owner.write(&path("/shared/lab/1/2/3/4"), b"", &parents()));
    // A range write that was refused leaves the file as it was, also for a long append.
    full(&owner.append(&note, &vec![1; 100_000], &parents()));
    assert_eq!(&owner.read(&note).unwrap()[..], b"to be read");
    operator.set_quota(&lab, Quota { bytes: Some(1), nodes: Some(1) }).unwrap();
    owner.write(&note, b"less", &parents()).unwrap();
    owner.remove(&path("/shared/lab/hidden"), true).unwrap();
    operator.set_quota(&lab, Quota::default()).unwrap();
    owner.append(&note, &vec![1; 100_000], &parents()).unwrap();
    assert_eq!(owner.read(&note).unwrap().len(), 100_004);
}
