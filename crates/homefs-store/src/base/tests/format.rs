//! The format of the file.

use std::sync::Arc;

use homefs_core::{Digest, ErrorKind, HostDisk, NodeId, Timestamp, Version};
use rusqlite::Connection;
use tempfile::TempDir;

use super::super::{Base, Elsewhere, salvage};
use super::{Rig, agent, open, time};
use crate::chunks::Chunks;
use crate::model::{Kind, Usage};
use crate::record::{Change, Content};

#[test]
fn a_newer_format_is_refused_by_name_and_number() {
    let rig = Rig::new();
    let file = rig.file();
    let Rig { dir, base, .. } = rig;
    drop(base);
    let connection = Connection::open(&file).unwrap();
    connection.pragma_update(None, "user_version", 9).unwrap();
    drop(connection);
    let chunks = Arc::new(Chunks::new(dir.path().join("chunks"), Arc::new(HostDisk)));
    let Err(error) = Base::open(dir.path(), chunks, time(0)) else { panic!("it opened") };
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.message().contains("format 9") && error.message().contains("format 8"));
    assert!(error.path().unwrap().ends_with("base.db"));
}

/// Makes a base as a format was first written, from its `.dump` with the two numbers of the header.
fn of_dump(dump: &str) -> TempDir {
    let dir = TempDir::new().expect("a temporary directory can be made");
    let connection = Connection::open(dir.path().join("base.db")).expect("it can be made");
    connection.execute_batch(dump).expect("it is a dump");
    dir
}

fn format_2() -> TempDir {
    of_dump(include_str!("../../../tests/golden/base-2.sql"))
}

fn format_4() -> TempDir {
    of_dump(include_str!("../../../tests/golden/base-4.sql"))
}

fn rig(dir: TempDir) -> Rig {
    let (chunks, base) = open(&dir);
    Rig { dir, chunks, base, version: 4, usage: Usage { bytes: 5, nodes: 2 } }
}

#[test]
fn format_2_as_first_written_opens() {
    let rig = rig(format_2());
    assert_eq!(rig.findings(), []);
    let folded = rig.base.folded().unwrap();
    assert_eq!((folded.version, folded.usage), (Version(4), Usage { bytes: 5, nodes: 2 }));
    let mut names: Vec<_> =
        rig.base.children(NodeId::ROOT).unwrap().into_iter().map(|(name, _)| name).collect();
    names.sort();
    assert_eq!(names, ["notes".into(), "todo.md".into()] as [Box<str>; 2]);
    assert_eq!(rig.base.trash(None, 10).unwrap()[0].path.as_str(), "/notes/old.md");
    assert_eq!(rig.base.editions(NodeId(3), None, 10).unwrap().len(), 2);
    assert_eq!(rig.base.grants().unwrap().len(), 1);
    assert_eq!(
        rig.base.node(NodeId(3)).unwrap().unwrap().attrs.expires,
        Some(Timestamp(5_000_000_000))
    );
}

#[test]
fn format_2_takes_what_is_new_in_format_3() {
    let mut rig = rig(format_2());
    let content = Content::Blob { digest: Digest::of(b"there"), size: 5 };
    let (written, machine) = (time(3), Some("laptop".into()));
    let pulled =
        Change::Pulled { node: NodeId(3), content, time: written, agent: agent("pat"), machine };
    rig.fold(vec![pulled, Change::Purge { node: NodeId(4) }]);
    rig.base.checkpoint().unwrap();
    let rig = rig.reopen();
    assert_eq!(rig.findings(), []);
    assert_eq!(rig.base.blob(Digest::of(b"there")).unwrap(), None);
    assert_eq!(rig.base.absent().unwrap(), [Digest::of(b"there")]);
    assert_eq!(rig.base.purged_since(Version(4)).unwrap(), [Digest::of(b"old")]);
    let machines: Vec<_> = rig.base.editions(NodeId(3), None, 9).unwrap();
    let machines: Vec<_> = machines.into_iter().map(|edition| edition.machine).collect();
    assert_eq!(machines, [Some("laptop".into()), None, None]);
}

#[test]
fn format_2_can_be_saved_from_damage() {
    let (dir, fresh) = (format_2(), Rig::new());
    let saved =
        salvage(&dir.path().join("base.db"), &fresh.base, &[], &Elsewhere::nothing()).unwrap();
    assert_eq!((&*saved.saved, &saved.lost[..]), ("2 of 2 nodes saved, 0 lost", &[][..]));
    assert_eq!(fresh.findings(), []);
    assert_eq!(fresh.base.editions(NodeId(3), None, 10).unwrap().len(), 2);
}

#[test]
fn older_formats_take_what_is_new_in_format_5() {
    for dir in [format_2(), format_4()] {
        let mut rig = rig(dir);
        assert_eq!(rig.base.lineage(NodeId(3)).unwrap(), NodeId(3));
        let made = Change::Node { node: NodeId(5), attrs: super::attrs(Kind::File) };
        let name = super::entry(NodeId::ROOT, "new.md", Some(5));
        rig.usage = Usage { bytes: 5, nodes: 3 };
        rig.fold(vec![made, name, Change::Succeed { node: NodeId(5), old: NodeId(3) }]);
        rig.base.checkpoint().unwrap();
        let rig = rig.reopen();
        assert_eq!(rig.base.lineage(NodeId(5)).unwrap(), NodeId(3));
        assert_eq!(rig.base.of_lineage(NodeId(3)).unwrap(), Some(NodeId(5)));
        assert_eq!(rig.findings(), []);
    }
}

#[test]
fn older_formats_take_what_is_new_in_format_7() {
    for dir in [format_2(), format_4()] {
        let mut rig = rig(dir);
        rig.usage = Usage { bytes: 5, nodes: 2 };
        let backup = super::entry(NodeId::ROOT, "todo.md~", Some(3));
        rig.fold(vec![super::entry(NodeId::ROOT, "todo.md", None), backup]);
        let rig = rig.reopen();
        let put_away = rig.base.put_away().unwrap();
        let names: Vec<_> = put_away.iter().map(|away| (&*away.name, away.node)).collect();
        assert_eq!(names, [("todo.md", NodeId(3))]);
        assert_eq!(rig.findings(), []);
    }
}

#[test]
fn format_4_takes_what_is_new_in_format_8() {
    let mut rig = rig(format_4());
    let hide = |name: &str| Change::Hide { parent: NodeId::ROOT, name: name.into(), hidden: true };
    rig.fold(vec![hide("later.md")]);
    let rig = rig.reopen();
    let hidden = rig.base.hidden().unwrap();
    let since: Vec<_> = hidden.iter().map(|(_, name, time)| (&**name, time.0 != 0)).collect();
    assert_eq!(since, [("gone.md", false), ("later.md", true)], "nobody knows of the first");
}

#[test]
fn format_4_can_be_saved_from_damage() {
    let (dir, fresh) = (format_4(), Rig::new());
    let saved =
        salvage(&dir.path().join("base.db"), &fresh.base, &[], &Elsewhere::nothing()).unwrap();
    assert_eq!((&*saved.saved, &saved.lost[..]), ("2 of 2 nodes saved, 0 lost", &[][..]));
    assert_eq!(fresh.findings(), []);
    assert_eq!(fresh.base.hidden().unwrap().len(), 1);
}
