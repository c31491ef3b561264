//! Samples and generators of the remote format; the tests stand in the files beside.

pub(crate) mod golden;
mod hostile;
mod round_trip;
mod spelling;

use bytes::Bytes;
use homefs_core::{AgentId, Digest, NodeId, Path, Tag, Timestamp, Version};
use homefs_store::fields::Fields;
use homefs_store::model::{Grant, Kind, Quota, Right, Special, Subject, Xattrs};
use proptest::prelude::*;

use super::entry::CHUNKS_NAMED_MAX;
use super::ids::IndexId;
use super::sealer::Purpose;
use super::*;
use crate::merge::Choice;
use crate::traits::Traits;

/// A digest that differs from those of other numbers.
fn digest(number: u64) -> Digest {
    Digest::of(&number.to_le_bytes())
}

fn time(seconds: i64) -> Timestamp {
    Timestamp((1_769_860_800 + seconds) * 1_000_000_000)
}

fn agent(name: &str) -> AgentId {
    AgentId::new(name).unwrap()
}

/// The contents of the sample pack.
fn contents() -> [Bytes; 3] {
    [
        "# Notes\n\nBuy NVDA.\n".into(),
        Bytes::from(vec![b'x'; 65_536]),
        Bytes::from_static(b"\0\xff"),
    ]
}

/// A pack with [`contents`].
fn sample_pack() -> (PackTable, Bytes) {
    let mut writer = PackWriter::new(&Plain, 5).unwrap();
    for content in contents() {
        assert_eq!(writer.add(&content).unwrap(), Digest::of(&content));
    }
    writer.finish()
}

/// What is noted of a file.
fn traits() -> Traits {
    Traits {
        kind: Kind::File,
        mode: 0o644,
        created: time(0),
        modified: time(1),
        changed: time(2),
        expires: None,
        target: "".into(),
        xattrs: Xattrs::new(),
    }
}

/// A file in the root.
fn living(name: &str) -> Living {
    Living {
        traits: traits(),
        links: vec![Link { parent: NodeId::ROOT, name: name.into() }],
        content: Content::Empty,
        lineage: None,
    }
}

fn entry(node: u128, living: Living) -> Entry {
    Entry {
        node: NodeId(node),
        agent: agent("akashi"),
        machine: MachineId(7),
        version: Version(3),
        state: EntryState::Living(Box::new(living)),
        more: Fields::default(),
    }
}

/// One entry of each sort, all living.
fn sample_entries() -> Vec<Entry> {
    let directory = Traits { kind: Kind::Directory, mode: 0o755, ..traits() };
    let directory = Living { traits: directory, ..living("notes") };
    let root = Living { links: vec![], ..directory.clone() };
    let first = &contents()[0];
    let note = Living {
        traits: Traits {
            expires: Some(time(3600)),
            xattrs: [("user.homefs.tags".into(), "nvda,risk".into())].into(),
            ..traits()
        },
        links: vec![
            Link { parent: NodeId::ROOT, name: "também.md".into() },
            Link { parent: NodeId(2), name: "todo.md".into() },
        ],
        content: Content::Small { digest: Digest::of(first), size: 19 },
        ..living("")
    };
    let pieces = vec![digest(1), Digest::HOLE];
    let film = Living { content: Content::Chunked { size: 1_048_577, pieces }, ..living("film") };
    let pieces = vec![digest(2), Digest::HOLE];
    let disk = Content::Chunked { size: (1 << 30) + 1, pieces };
    let disk = Living { content: disk, ..living("disk") };
    let link = Traits { kind: Kind::Link, target: "notes/todo.md".into(), ..traits() };
    let link = Living { traits: link, ..living("link") };
    // It is a block device in the objects of both formats, and comes as a file.
    let device = living("device");
    let saved = Living { lineage: Some(NodeId(98)), ..living("saved") };
    let all = [root, directory, note, film, disk, link, device, saved];
    let mut entries: Vec<_> =
        all.into_iter().zip(1..).map(|(living, node)| entry(node, living)).collect();
    entries[2].more = sample_fields();
    entries
}

/// A field that nobody knows.
fn sample_fields() -> Fields {
    Fields([(900, Bytes::from_static(b"later"))].into())
}

fn sample_commit() -> Commit {
    let mut entries = sample_entries();
    entries.push(Entry { state: EntryState::Gone(time(5)), ..entry(99, living("")) });
    Commit {
        seq: 12,
        parents: vec![CommitId { seq: 11, digest: digest(11) }],
        author: Author {
            machine: MachineId(u64::MAX),
            machine_name: "laptop".into(),
            agent: agent("me"),
            incarnation: 0x1234,
        },
        message: "two notes".into(),
        time: time(10),
        entries,
        packs: vec![sample_pack().0],
        dropped: vec![PackId(digest(41))],
        purged: vec![digest(40)],
        readable: vec![Readable { key: "gone.md".into(), copy: None }, sample_readable()],
        access: Some(sample_access()),
        conflicts: vec![Noted::Found(Box::new(sample_conflict())), Noted::Resolved(3)],
        more: sample_fields(),
    }
}

fn sample_readable() -> Readable {
    Readable { key: "notes/todo.md".into(), copy: Some((digest(50), Tag::new("\"etag\""))) }
}

fn sample_access() -> Access {
    let subject = Subject::Agent(agent("akashi"));
    let grants = vec![Grant { subject, prefix: Path::root(), right: Right::Write }];
    Access { grants, quota: Quota { bytes: Some(1 << 30), nodes: None } }
}

fn sample_conflict() -> OpenConflict {
    OpenConflict {
        number: 77,
        node: NodeId(3),
        choice: Choice::Beside(NodeId(9)),
        head: Content::Small { digest: digest(60), size: 3 },
        pushed: Content::Empty,
        machine: MachineId(7),
        time: time(11),
    }
}

fn sample_index() -> Index {
    Index {
        commit: CommitId { seq: 12, digest: digest(12) },
        entries: sample_entries(),
        packs: vec![sample_pack().0],
        unused: vec![(digest(42), time(12))],
        purged: vec![digest(40)],
        last_purge: 11,
        readable: vec![sample_readable()],
        access: sample_access(),
        conflicts: vec![sample_conflict()],
        machines: [(7, "desk", 11), (u64::MAX, "laptop", 12)]
            .map(|(id, name, seq)| {
                let last = vec![CommitId { seq, digest: digest(seq) }];
                (MachineId(id), MachineSeen { name: name.into(), seq, last })
            })
            .into(),
        more: sample_fields(),
    }
}

fn sample_head() -> Head {
    Head {
        commit: CommitId { seq: 12, digest: digest(12) },
        index: Some(IndexId { seq: 9, digest: digest(100) }),
        recent: [11, 10].map(|seq| CommitId { seq, digest: digest(seq) }).into(),
        id: 0x0123_4567_89ab_cdef_0123_4567_89ab_cdef,
        more: sample_more(),
    }
}

/// Every field of HEAD that has its place, though nobody uses it yet, and one that nobody knows.
fn sample_more() -> serde_json::Map<String, serde_json::Value> {
    let more = serde_json::json!({
        "owner": {"node": "n1", "epoch": 3},
        "key": 2,
        "floor": {"space": "agents/planner", "commit": CommitId { seq: 4, digest: digest(4) }.to_string()},
        "checkpoint": {"size": 17, "root": digest(17).to_string()},
        "signature": {"machine": "0000000000000007", "bytes": "c2ln"},
        "later": true,
    });
    more.as_object().expect("it is one").clone()
}

fn any_digest() -> impl Strategy<Value = Digest> {
    any::<[u8; 32]>().prop_map(Digest)
}

fn any_time() -> impl Strategy<Value = Timestamp> {
    any::<i64>().prop_map(Timestamp)
}

fn any_content() -> impl Strategy<Value = Content> {
    let small = (any_digest(), 1..=65_536_u32);
    let chunked = (65_537..4_u64 << 40, any_digest()).prop_map(|(size, digest)| {
        let chunks = size.div_ceil(1 << 20);
        let count = if chunks <= CHUNKS_NAMED_MAX { chunks } else { chunks.div_ceil(1024) };
        Content::Chunked { size, pieces: vec![digest; usize::try_from(count).unwrap()] }
    });
    prop_oneof![
        Just(Content::Empty),
        small.prop_map(|(digest, size)| Content::Small { digest, size }),
        chunked,
    ]
}

fn any_file() -> impl Strategy<Value = Living> {
    let name = "[^/\0.]{1,40}".prop_filter("reserved", |name| name != "shared");
    let links = proptest::collection::btree_set((any::<u128>(), name), 1..4);
    let xattrs = proptest::collection::btree_map("user\\.[a-z]{1,9}", any::<Vec<u8>>(), 0..3);
    let times = (any_time(), any_time(), any_time(), proptest::option::of(any_time()));
    (links, xattrs, times, 0..=0o777_u32, any_content()).prop_map(
        |(links, xattrs, (created, modified, changed, expires), mode, content)| {
            let link =
                |(parent, name): (u128, String)| Link { parent: NodeId(parent), name: name.into() };
            let xattr = |(name, value): (String, Vec<u8>)| (name.into(), value.into());
            Living {
                links: links.into_iter().map(link).collect(),
                traits: Traits {
                    xattrs: xattrs.into_iter().map(xattr).collect(),
                    created,
                    modified,
                    changed,
                    expires,
                    mode,
                    ..traits()
                },
                content,
                ..living("")
            }
        },
    )
}

fn any_entries() -> impl Strategy<Value = Vec<Entry>> {
    let who = ("[a-z]{1,9}", any::<u64>(), any::<u64>());
    let entry =
        (2..=u128::MAX, who, any_file()).prop_map(|(node, (name, machine, version), file)| Entry {
            agent: agent(&name),
            machine: MachineId(machine),
            version: Version(version),
            ..entry(node, file)
        });
    proptest::collection::vec(entry, 0..6).prop_map(|mut entries| {
        entries.sort_by_key(|entry| entry.node);
        entries.dedup_by_key(|entry| entry.node);
        entries
    })
}
