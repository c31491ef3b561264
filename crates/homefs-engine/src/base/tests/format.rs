//! The format of the file.

use std::sync::Arc;

use homefs_core::{ErrorKind, HostDisk, NodeId, Version};
use rusqlite::Connection;
use tempfile::TempDir;

use super::super::Base;
use super::{Rig, open, time};
use crate::chunks::Chunks;
use crate::model::Usage;

#[test]
fn a_newer_format_is_refused_by_name_and_number() {
    let rig = Rig::new();
    let file = rig.file();
    let Rig { dir, base, .. } = rig;
    drop(base);
    let connection = Connection::open(&file).unwrap();
    connection.pragma_update(None, "user_version", 3).unwrap();
    drop(connection);
    let chunks = Arc::new(Chunks::new(dir.path().join("chunks"), Arc::new(HostDisk)));
    let Err(error) = Base::open(dir.path(), chunks, time(0)) else { panic!("it opened") };
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.message().contains("format 3") && error.message().contains("format 2"));
    assert!(error.path().unwrap().ends_with("base.db"));
}

/// Opens a base as format 2 was first written: `tests/golden/base-2.sql` is its `.dump`, with the
/// two numbers of the header.
#[test]
fn format_2_as_first_written_opens() {
    let dir = TempDir::new().unwrap();
    let connection = Connection::open(dir.path().join("base.db")).unwrap();
    connection.execute_batch(include_str!("../../../tests/golden/base-2.sql")).unwrap();
    drop(connection);
    let (chunks, base) = open(&dir);
    let rig = Rig { dir, chunks, base, version: 4, usage: Usage::default() };
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
    assert_eq!(rig.base.node(NodeId(3)).unwrap().unwrap().attrs.expires, Some(time(5)));
}
