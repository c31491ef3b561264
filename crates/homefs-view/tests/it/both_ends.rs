//! What has two paths needs rights at both, and a link counts as what it leads to.

use homefs_core::{ErrorKind, Path, Result};
use homefs_view::{RenameMode, Right, Store, Subject, View};

use crate::common::{agent, open, parents, path, view_of};

fn kind<T>(result: Result<T>) -> Option<ErrorKind> {
    result.err().map(|error| error.kind())
}

/// A space of which `pat` may read `read`, write `write` and see nothing else.
fn team(dir: &std::path::Path) -> (Store, View) {
    let store = open(dir);
    let boss = view_of(&store, "boss");
    boss.make_dir(&path("/shared/team"), false).expect("a space");
    for at in ["read/r.md", "write/w.md", "hidden/h.md", "hidden/gone.md"] {
        boss.write(&path(&format!("/shared/team/{at}")), at.as_bytes(), &parents())
            .expect("a write");
    }
    boss.remove(&path("/shared/team/hidden/gone.md"), false).expect("a removal");
    boss.symlink("../hidden", &path("/shared/team/write/in")).expect("a link");
    let pat = Subject::Agent(agent("pat"));
    boss.grant(&path("/shared/team/read"), &pat, Right::Read).expect("a grant");
    boss.grant(&path("/shared/team/write"), &pat, Right::Write).expect("a grant");
    let pat = view_of(&store, "pat");
    (store, pat)
}

#[test]
fn moving_copying_and_linking_need_rights_at_both_ends() {
    let dir = tempfile::tempdir().unwrap();
    let (_store, pat) = team(dir.path());
    pat.symlink("/shared/team/read", &path("/readable")).unwrap();
    let at = |text: &str| -> Path {
        let text = text.strip_prefix('~').map_or(format!("/shared/team/{text}"), String::from);
        path(&text)
    };
    let (hidden, denied) = (Some(ErrorKind::NotFound), Some(ErrorKind::Denied));
    for (from, to, moved, copied) in [
        ("hidden/h.md", "write/new", hidden, hidden),
        ("write/w.md", "hidden/new", hidden, hidden),
        ("write/w.md", "hidden/h.md", hidden, hidden),
        ("read/r.md", "write/new", denied, None),
        ("write/w.md", "read/r.md", denied, denied),
        ("write/w.md", "read/new", denied, denied),
        ("write/w.md", "new", hidden, hidden),
        ("write/w.md", "write/in/new", hidden, hidden),
        ("write/in/h.md", "write/new", hidden, hidden),
        ("~/readable/r.md", "write/new", denied, None),
        ("write/w.md", "~/readable/new", denied, denied),
    ] {
        let (from, to) = (at(from), at(to));
        for mode in [RenameMode::Replace, RenameMode::NoReplace, RenameMode::Exchange] {
            assert_eq!(kind(pat.rename(&from, &to, mode)), moved, "rename {from} to {to}");
        }
        assert_eq!(kind(pat.link(&from, &to)), moved, "link {from} to {to}");
        assert_eq!(kind(pat.copy(&from, &to, true)), copied, "copy {from} to {to}");
        drop(pat.remove(&at("write/new"), true));
    }
    let out_of_trash = pat.untrash(&at("hidden/gone.md"), Some(&at("write/new")));
    assert_eq!(kind(out_of_trash), hidden);
}

#[test]
fn contents_of_any_size_go_through_a_link_where_the_agent_may_write() {
    let dir = tempfile::tempdir().unwrap();
    let (_store, pat) = team(dir.path());
    pat.symlink("/shared/team/write", &path("/writable")).unwrap();
    pat.symlink("/shared/team/hidden/h.md", &path("/leak")).unwrap();
    for size in [1, 100_000] {
        let content = vec![7; size];
        for at in ["/leak", "/shared/team/write/in/h.md", "/shared/team/write/in/new/deep"] {
            let hidden = Some(ErrorKind::NotFound);
            assert_eq!(kind(pat.write(&path(at), &content, &parents())), hidden, "{at}");
            assert_eq!(kind(pat.append(&path(at), &content, &parents())), hidden, "{at}");
        }
        pat.write(&path("/writable/new/file"), &content, &parents()).unwrap();
        assert_eq!(pat.read(&path("/shared/team/write/new/file")).unwrap(), content);
    }
}

#[test]
fn the_home_of_another_agent_has_no_name() {
    let dir = tempfile::tempdir().unwrap();
    let (store, pat) = team(dir.path());
    let boss = view_of(&store, "boss");
    boss.write(&path("/mine.md"), b"boss", &parents()).unwrap();
    pat.symlink("/../agents/boss/mine.md", &path("/leak")).unwrap();
    for at in ["/agents/boss/mine.md", "/shared/agents/boss/mine.md", "/shared/boss", "/leak"] {
        assert_eq!(kind(pat.read(&path(at))), Some(ErrorKind::NotFound), "{at}");
    }
    // What is spelled like it is a file of one's own.
    pat.write(&path("/agents/boss/mine.md"), b"pat", &parents()).unwrap();
    assert_eq!(boss.read(&path("/mine.md")).unwrap(), "boss");
    let grant = boss.grant(&path("/mine.md"), &Subject::Agent(agent("pat")), Right::Read);
    assert_eq!(kind(grant), Some(ErrorKind::Unsupported));
}

#[test]
fn the_trash_is_emptied_where_the_agent_may_write() {
    let dir = tempfile::tempdir().unwrap();
    let (store, pat) = team(dir.path());
    pat.remove(&path("/shared/team/write/w.md"), false).unwrap();
    pat.write(&path("/own.md"), b"own", &parents()).unwrap();
    pat.remove(&path("/own.md"), false).unwrap();
    let ended = pat.empty_trash().unwrap();
    assert_eq!((ended.nodes, ended.bytes), (2, 13));
    assert!(pat.trash(None, 10).unwrap().items.is_empty());
    assert_eq!(kind(pat.untrash(&path("/own.md"), None)), Some(ErrorKind::NotFound));
    // What pat does not see stays for whoever does.
    let boss = view_of(&store, "boss");
    boss.untrash(&path("/shared/team/hidden/gone.md"), None).unwrap();
    assert_eq!(store.verify().unwrap(), []);
}
