//! Probes through a view: what they answer, take and hide.

use std::sync::Arc;
use std::time::Duration;

use homefs_core::{ErrorKind, HostDisk, Path, Timestamp};
use homefs_testkit::VirtualClock;
use homefs_view::{
    Components, Kind, MakeNode, RenameMode, Right, SetMeta, Settings, Store, Subject, View,
    WriteOptions,
};

use crate::common::{agent, parents, path, view_of};

/// A store whose clock stands still, with a few files.
fn desk() -> (tempfile::TempDir, Arc<VirtualClock>, Store, View) {
    let dir = tempfile::tempdir().expect("a directory");
    let clock = Arc::new(VirtualClock::new(Timestamp(1_769_860_800 * 1_000_000_000)));
    let components = Components { clock: clock.clone(), disk: Arc::new(HostDisk), seed: 1 };
    let store = Store::open(dir.path(), Settings::default(), components).expect("it opens");
    let me = view_of(&store, "me");
    for (at, text) in [("/a.md", "one\n"), ("/notes/b.md", "bee\n"), ("/a.md", "two\n")] {
        me.write(&path(at), text.as_bytes(), &parents()).expect("a write");
        clock.advance(Duration::from_secs(1));
    }
    (dir, clock, store, me)
}

#[track_caller]
fn check(view: &View, at: &str, expected: &str) {
    let found = view.read(&path(at)).expect("the probe answers");
    assert_eq!(String::from_utf8_lossy(&found), expected, "{at}");
    assert_eq!(view.stat(&path(at)).expect("it is there").size, expected.len() as u64);
}

#[track_caller]
fn refused(view: &View, at: &str, kind: ErrorKind) {
    assert_eq!(view.read(&path(at)).map_err(|error| error.kind()), Err(kind), "{at}");
    assert_eq!(view.stat(&path(at)).map_err(|error| error.kind()), Err(kind), "{at}");
}

#[test]
fn probes_answer_what_can_be_seen() {
    let (_dir, _clock, _store, me) = desk();
    me.set_meta(&path("/a.md"), &SetMeta::one("tags", "x y")).unwrap();
    me.set_meta(&path("/notes/b.md"), &SetMeta::one("tags", "y")).unwrap();
    me.write(&path("/notes/pipe|name.md"), b"", &parents()).unwrap();
    check(
        &me,
        "/:recent,limit=2",
        "| modified | bytes | path |\n| --- | --- | --- |\n\
         | 2026-01-31T12:00:03Z | 0 | /notes/pipe\\|name.md |\n\
         | 2026-01-31T12:00:02Z | 4 | /a.md |\n",
    );
    check(
        &me,
        "/notes/:recent?b.&format=json",
        "[{\"bytes\":4,\"modified\":\"2026-01-31T12:00:01Z\",\"path\":\"/notes/b.md\"}]\n",
    );
    check(
        &me,
        "/:stats",
        "| what | count |\n| --- | --- |\n| files | 3 |\n| directories | 1 |\n| links | 0 |\n\
         | special files | 0 |\n| bytes | 8 |\n| files that expire | 0 |\n",
    );
    check(&me, "/:tags", "| tag | count |\n| --- | --- |\n| x | 1 |\n| y | 2 |\n");
    check(&me, "/:tags?x", "| path | tags |\n| --- | --- |\n| /a.md | x,y |\n");
    check(
        &me,
        "/a.md:history",
        "| version | time | agent | bytes |\n| --- | --- | --- | --- |\n\
         | 3 | 2026-01-31T12:00:02Z | me | 4 |\n| 1 | 2026-01-31T12:00:00Z | me | 4 |\n",
    );
    let diff = "--- /a.md (version 1)\n+++ /a.md (now)\n@@ -1 +1 @@\n-one\n+two\n";
    check(&me, "/a.md:diff", diff);
    check(&me, "/a.md:diff?from=1&to=now", diff);
    check(&me, "/a.md:diff?from=3", "");
    let since = diff.replace("version 1", "at 1769860801 s");
    check(&me, "/a.md:diff?from=2s+ago&to=now", &since);
    check(&me, "/a.md:diff,from=2026-01-31T12:00:01Z,to=v3", &since.replace("now", "version 3"));
    let rows = |at: &str| me.read(&path(at)).unwrap().split(|byte| *byte == b'\n').count() - 3;
    for (limits, expected) in [("after=1s+ago", 2), ("before=1s+ago", 1), ("after=yesterday", 3)] {
        assert_eq!(rows(&format!("/:timeline?{limits}")), expected, "{limits}");
    }
    let help = String::from_utf8(me.read(&path("/:help")).unwrap().into()).unwrap();
    for word in [":recent", "NAME:tags", "FILE:diff", "notes.md:tags?"] {
        assert!(help.contains(word), "{help}");
    }
    // The bytes of a part are those of the whole.
    assert_eq!(&me.read_at(&path("/a.md:tags"), 2, 10).unwrap()[..], b"y\n");
    assert_eq!(&me.read_at(&path("/a.md:tags"), 9, 10).unwrap()[..], b"");
}

#[test]
fn a_probe_is_no_node() {
    let (_dir, _clock, _store, me) = desk();
    let before = me.walk(&Path::root(), None, 100).unwrap();
    for at in ["/:stats", "/a.md:meta", "/a.md:tags"] {
        let stat = me.stat(&path(at)).unwrap();
        assert_eq!((stat.kind, stat.version.0), (Kind::File, 0));
        me.read(&path(at)).unwrap();
    }
    // Looking at one changes nothing, and it is never listed.
    assert_eq!(me.walk(&Path::root(), None, 100).unwrap(), before);
    for at in
        ["/none:tags", "/none/:stats", "/a.md:none", "/notes:history", "/:meta", "/a.md:stats"]
    {
        refused(&me, at, ErrorKind::NotFound);
    }
    for at in ["/:recent?limit=0", "/:recent?limit=x", "/:recent?x=1", "/:stats?format=xml"] {
        refused(&me, at, ErrorKind::Invalid);
    }
    let note = path("/a.md:tags");
    assert_eq!(me.remove(&note, false).unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(me.append(&note, b"x", &parents()).unwrap_err().kind(), ErrorKind::Unsupported);
    assert_eq!(me.write(&path("/:stats"), b"x", &parents()).unwrap_err().kind(), ErrorKind::Denied);
    assert_eq!(me.walk(&Path::root(), None, 100).unwrap(), before);
}

#[test]
fn what_is_written_to_a_probe_is_noted() {
    let (_dir, _clock, _store, me) = desk();
    let write = |at: &str, text: &str| me.write(&path(at), text.as_bytes(), &parents());
    write("/a.md:tags", "trading,#nvda\n").unwrap();
    check(&me, "/a.md:tags", "nvda\ntrading\n");
    write("/a.md:ttl", "7d\n").unwrap();
    check(&me, "/a.md:ttl", "2026-02-07T12:00:03Z\n");
    write("/a.md:ttl", "never\n").unwrap();
    check(&me, "/a.md:ttl", "never\n");
    write("/a.md:meta", "importance: 0.5\n\ntitle: A: b\nmood: calm\n").unwrap();
    let meta = "importance: 0.5\ntags: nvda,trading\nttl:\nsource:\ntitle: A: b\nmood: calm\n";
    check(&me, "/a.md:meta", meta);
    // What was read can be written again.
    let version = me.stat(&path("/a.md")).unwrap().version;
    assert_eq!(write("/a.md:meta", meta).unwrap(), version);
    write("/a.md:meta", "mood:\ntags:\n").unwrap();
    check(&me, "/a.md:meta", "importance: 0.5\ntags:\nttl:\nsource:\ntitle: A: b\n");
    write("/notes:tags", "folder").unwrap();
    check(&me, "/notes:tags", "folder\n");
    for (at, text) in [("/a.md:meta", "no colon"), ("/a.md:ttl", "soon"), ("/a.md:tags", "a\0b")] {
        assert_eq!(write(at, text).unwrap_err().kind(), ErrorKind::Invalid, "{at}");
    }
    assert_eq!(&me.read(&path("/a.md")).unwrap()[..], b"two\n");
}

#[test]
fn a_mistyped_probe_is_not_made_a_file() {
    let (_dir, _clock, _store, me) = desk();
    let before = me.walk(&Path::root(), None, 100).unwrap();
    for (at, near) in [
        ("/a.md:tagz", "a.md:tags"),
        ("/a.md:tag", "a.md:tags"),
        ("/a.md:mtea", "a.md:meta"),
        ("/a.md:histroy", "a.md:history"),
        ("/notes:tgas", "notes:tags"),
        ("/notes/:recnt", ":recent"),
    ] {
        for error in [
            me.write(&path(at), b"x", &parents()).unwrap_err(),
            me.append(&path(at), b"x", &parents()).unwrap_err(),
        ] {
            assert_eq!(error.kind(), ErrorKind::Invalid, "{at}");
            assert!(error.to_string().contains(&format!("did you mean {near}?")), "{error}");
        }
    }
    let nodes = me.nodes();
    let make = MakeNode { kind: Kind::File, mode: 0o600, uid: 0, gid: 0, target: "" };
    let refused = nodes.make(&nodes.root(), "a.md:tagz", &make);
    assert_eq!(refused.map(drop).unwrap_err().kind(), ErrorKind::Invalid);
    assert_eq!(me.walk(&Path::root(), None, 100).unwrap(), before);
    // What is near to nothing, or to a probe of nothing, is a name; and so is what was wanted new.
    for name in ["12:30:00.md", "a:b", "a.md:word", ":x", "x:", "none:tagz", "notes:histroy"] {
        me.write(&path(&format!("/{name}")), b"x", &parents()).unwrap();
        nodes.make(&nodes.root(), &format!("{name}2"), &make).unwrap();
    }
    let create = WriteOptions { create_only: true, ..WriteOptions::default() };
    me.write(&path("/a.md:tagz"), b"real", &create).unwrap();
    me.write(&path("/a.md:tagz"), b"again", &parents()).unwrap();
}

#[test]
fn a_real_file_comes_before_a_probe_and_both_can_be_reached() {
    let (_dir, _clock, _store, me) = desk();
    me.write(&path("/a.md:tags"), b"noted", &parents()).unwrap();
    let create = WriteOptions { create_only: true, ..WriteOptions::default() };
    me.write(&path("/a.md:tags"), b"real", &create).unwrap();
    check(&me, "/a.md:tags", "real");
    check(&me, "/a.md:tags?", "noted\n");
    me.write(&path("/a.md:tags"), b"still real", &parents()).unwrap();
    me.write(&path("/a.md:tags,"), b"noted again", &parents()).unwrap();
    check(&me, "/a.md:tags", "still real");
    check(&me, "/a.md:tags,", "again\nnoted\n");
    me.rename(&path("/a.md:tags"), &path("/a.md:meta"), RenameMode::Replace).unwrap();
    check(&me, "/a.md:meta", "still real");
    check(&me, "/a.md:tags", "again\nnoted\n");
    // Where no node is before it, the name is free for a file.
    me.write(&path("/free:tags"), b"a file", &parents()).unwrap();
    check(&me, "/free:tags", "a file");
}

#[test]
fn a_probe_tells_nothing_that_is_hidden() {
    let (_dir, _clock, store, me) = desk();
    me.make_dir(&path("/shared/lab"), false).unwrap();
    for at in ["/shared/lab/open/seen.md", "/shared/lab/hidden/secret.md"] {
        me.write(&path(at), b"text", &parents()).unwrap();
        let tag = SetMeta::one("tags", at.rsplit('/').next().unwrap());
        me.set_meta(&path(at), &tag).unwrap();
    }
    let reader = view_of(&store, "reader");
    let subject = Subject::Agent(agent("reader"));
    me.grant(&path("/shared/lab/open"), &subject, Right::Read).unwrap();
    for at in ["/:recent", "/:tags", "/:tags?secret.md", "/shared/lab/:recent", "/shared/lab/:tags"]
    {
        let text = reader.read(&path(at)).unwrap();
        assert!(!String::from_utf8_lossy(&text).contains("/secret"), "{at}");
        assert!(!String::from_utf8_lossy(&text).contains("| secret"), "{at}");
    }
    let stats = reader.read(&path("/shared/:stats")).unwrap();
    assert!(String::from_utf8_lossy(&stats).contains("| files | 1 |"), "{stats:?}");
    for at in ["/shared/lab/hidden/secret.md:meta", "/shared/lab/hidden/:stats"] {
        refused(&reader, at, ErrorKind::NotFound);
    }
    let tags = path("/shared/lab/open/seen.md:tags");
    assert_eq!(&reader.read(&tags).unwrap()[..], b"seen.md\n");
    assert_eq!(reader.write(&tags, b"x", &parents()).unwrap_err().kind(), ErrorKind::Denied);
    let hidden = path("/shared/lab/hidden/secret.md:tags");
    assert_eq!(reader.write(&hidden, b"x", &parents()).unwrap_err().kind(), ErrorKind::NotFound);
}
