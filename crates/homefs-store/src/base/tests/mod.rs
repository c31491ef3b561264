//! The base on the real disk, in a temporary directory.

mod clock;
mod damage;
mod format;
mod model;
mod past;
mod succeed;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use homefs_core::{AgentId, ClientId, HostDisk, NodeId, Path, SpaceName, Timestamp, Version};
use tempfile::TempDir;

use super::{Base, Finding};
use crate::chunks::{Chunks, Sizes};
use crate::model::{Attrs, Grant, Kind, Quota, Right, Subject, Usage, Xattrs};
use crate::record::{Change, Content, Origin, Record};

const HOUR: Duration = Duration::from_hours(1);
const DAY: Duration = Duration::from_hours(24);
const SIZES: Sizes = Sizes { inline_bytes_max: 64, chunk_bytes: 64, leaf_chunks: 4 };

/// A base, and the records that were folded into it.
struct Rig {
    dir: TempDir,
    chunks: Arc<Chunks>,
    base: Base,
    version: u64,
    usage: Usage,
}

impl Rig {
    fn new() -> Self {
        let dir = TempDir::new().expect("a temporary directory can be made");
        let (chunks, base) = open(&dir);
        Self { dir, chunks, base, version: 0, usage: Usage::default() }
    }

    fn reopen(self) -> Self {
        let Self { dir, version, usage, chunks, base } = self;
        drop((chunks, base));
        let (chunks, base) = open(&dir);
        Self { dir, chunks, base, version, usage }
    }

    fn file(&self) -> PathBuf {
        self.dir.path().join("base.db")
    }

    fn record(&mut self, changes: Vec<Change>) -> Record {
        self.version += 1;
        Record {
            space: SpaceName::Home(agent("me")),
            version: Version(self.version),
            time: time(self.version),
            agent: agent("me"),
            origin: Some(Origin { client: ClientId(u64::MAX), number: self.version }),
            usage: self.usage,
            changes,
            more: crate::fields::Fields::default(),
        }
    }

    fn fold(&mut self, changes: Vec<Change>) {
        let record = self.record(changes);
        self.base.fold(&[record]).expect("the records make sense");
    }

    fn blob_count(&self) -> i64 {
        let inner = self.base.inner.lock();
        let inner = inner.as_ref().expect("the base is open");
        let count = inner.connection.query_row("SELECT count(*) FROM blobs", [], |row| row.get(0));
        count.expect("the base can be read")
    }

    fn findings(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        self.base.verify(&mut |finding| findings.push(finding)).expect("the base can be read");
        findings
    }
}

fn open(dir: &TempDir) -> (Arc<Chunks>, Base) {
    let chunks = Arc::new(Chunks::with_sizes(dir.path().join("chunks"), Arc::new(HostDisk), SIZES));
    let base = Base::open(dir.path(), Arc::clone(&chunks), time(0)).expect("the base opens");
    (chunks, base)
}

fn agent(name: &str) -> AgentId {
    AgentId::new(name).expect("a plain name")
}

/// The time of the record with this version: one is made each day, from 2026-11-01 on.
fn time(version: u64) -> Timestamp {
    Timestamp(1_793_491_200_000_000_000).after(DAY * u32::try_from(version).expect("few versions"))
}

fn path(text: &str) -> Path {
    Path::parse(text).expect("a plain path")
}

fn attrs(kind: Kind) -> Attrs {
    Attrs {
        kind,
        mode: 0o644,
        uid: 1000,
        gid: 100,
        links: 1,
        created: time(1),
        modified: time(1),
        changed: time(1),
        accessed: time(1),
        expires: None,
        target: "".into(),
        xattrs: Xattrs::new(),
    }
}

fn node(node: u128, kind: Kind) -> Change {
    Change::Node { node: NodeId(node), attrs: attrs(kind) }
}

fn entry(parent: NodeId, name: &str, node: Option<u128>) -> Change {
    Change::Entry { parent, name: name.into(), node: node.map(NodeId) }
}

fn content(node: u128, bytes: &[u8]) -> Change {
    let content = Content::Inline(Bytes::copy_from_slice(bytes));
    Change::Content { node: NodeId(node), content }
}

#[test]
fn what_was_folded_is_there_after_reopening() {
    let mut rig = Rig::new();
    let root = rig.base.node(NodeId::ROOT).unwrap().unwrap();
    assert_eq!((root.attrs.kind, root.attrs.mode), (Kind::Directory, 0o755));
    let mut linked = attrs(Kind::File);
    linked.links = 2;
    linked.xattrs.insert("user.tag".into(), Bytes::from_static(b"x"));
    rig.usage = Usage { bytes: 5, nodes: 2 };
    let quota = Quota { bytes: Some(1 << 30), nodes: None };
    let grant =
        Grant { subject: Subject::Group(agent("team")), prefix: path("/a"), right: Right::Write };
    rig.fold(vec![
        node(2, Kind::Directory),
        entry(NodeId::ROOT, "a", Some(2)),
        Change::Node { node: NodeId(3), attrs: linked.clone() },
        entry(NodeId(2), "é.md", Some(3)),
        entry(NodeId::ROOT, "b", Some(3)),
        content(3, b"hello"),
        Change::Node { node: NodeId(3), attrs: linked.clone() },
        Change::Quota { quota },
        Change::Grant { grant: grant.clone(), holds: true },
    ]);
    rig.base.checkpoint().unwrap();
    let rig = rig.reopen();

    let folded = rig.base.folded().unwrap();
    assert_eq!(folded.version, Version(1));
    assert_eq!((folded.usage, folded.quota), (rig.usage, quota));
    let file = rig.base.node(NodeId(3)).unwrap().unwrap();
    assert_eq!((&file.attrs, file.content_version), (&linked, Version(1)));
    let Content::Blob { digest, size: 5 } = file.content else { panic!("{:?}", file.content) };
    assert_eq!(&rig.base.blob(digest).unwrap().unwrap()[..], b"hello");
    assert_eq!(rig.base.children(NodeId(2)).unwrap(), [("é.md".into(), file)]);
    let mut parents = rig.base.parents(NodeId(3)).unwrap();
    parents.sort();
    assert_eq!(parents, [(NodeId::ROOT, "b".into()), (NodeId(2), "é.md".into())]);
    assert_eq!(rig.base.grants().unwrap(), [grant]);
    assert_eq!(rig.base.client_last(ClientId(u64::MAX)).unwrap(), Some((1, Version(1))));
    assert_eq!(rig.base.client_last(ClientId(1)).unwrap(), None);
    assert_eq!(rig.findings(), []);
}

#[test]
fn a_record_is_folded_once_and_a_patch_not_at_all() {
    let mut rig = Rig::new();
    rig.usage = Usage { bytes: 1, nodes: 1 };
    let made =
        rig.record(vec![node(2, Kind::File), entry(NodeId::ROOT, "a", Some(2)), content(2, b"1")]);
    let patch = Change::Patch { node: NodeId(2), offset: 0, bytes: "2".into(), size: 1 };
    let patched = rig.record(vec![patch]);
    let batch = [made, patched];
    rig.base.fold(&batch[..1]).unwrap();
    rig.base.fold(&batch).unwrap();
    rig.base.fold(&batch).unwrap();
    assert_eq!(rig.base.folded().unwrap().version, Version(2));
    assert_eq!(rig.base.node(NodeId(2)).unwrap().unwrap().version, Version(1));
    assert_eq!(rig.base.editions(NodeId(2), None, 10).unwrap().len(), 1);
    assert_eq!(rig.findings(), []);
}

#[test]
fn a_name_changes_the_times_of_its_directory() {
    let mut rig = Rig::new();
    rig.fold(vec![node(2, Kind::File), entry(NodeId::ROOT, "a", Some(2))]);
    rig.fold(vec![entry(NodeId::ROOT, "a", None), entry(NodeId::ROOT, "b", Some(2))]);
    let root = rig.base.node(NodeId::ROOT).unwrap().unwrap();
    assert_eq!((root.attrs.modified, root.attrs.changed), (time(2), time(2)));
    assert_eq!(root.version, Version(2));
    let names = rig.base.children(NodeId::ROOT).unwrap();
    assert_eq!(names.iter().map(|(name, _)| &**name).collect::<Vec<_>>(), ["b"]);
}
