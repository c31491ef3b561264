//! Every operation gives the same here and by socket.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path as HostPath;
use std::sync::Arc;
use std::time::Duration;

use homefs_api::{Client, ClientOptions, OPERATIONS, RemoteConfig, Request, Response};
use homefs_core::{AgentId, Clock, Disk, HostDisk, Timestamp, Version};
use homefs_view::{
    Components, Cursor, Edit, GrepOptions, Moment, Quota, RecallOptions, RememberOptions,
    RenameMode, Right, SearchKind, SearchOptions, SetAttrs, SetMeta, Settings, Subject,
    SyncOptions, TimelineOptions, Tokenizer, Who, WriteOptions,
};
use tempfile::tempdir;

use crate::{me, path};

/// A clock that stands still, so that two stores can be compared.
struct Still;

impl Clock for Still {
    fn now(&self) -> Timestamp {
        Timestamp(1_700_000_000_000_000_000)
    }
}

/// Opens the store below a directory, beside which is room for other things.
fn open(dir: &HostPath) -> Client {
    let components = Components { clock: Arc::new(Still), disk: Arc::new(HostDisk), seed: 7 };
    let who = Who { operator: true, ..me() };
    let mut options = ClientOptions::new(dir.join("store"), who);
    (options.components, options.settings) = (components, Settings::default());
    Client::open(options).expect("the store opens")
}

#[test]
fn every_operation_gives_the_same_here_and_by_socket() {
    let here_dir = tempdir().unwrap();
    let here = open(here_dir.path());
    let there_dir = tempdir().unwrap();
    let (owner, there) = (open(there_dir.path()), open(there_dir.path()));
    assert!(here.view_here().is_some() && there.view_here().is_none());
    let mut succeeded = BTreeSet::new();
    let cursors = [here.cursor().unwrap(), there.cursor().unwrap()];
    for (request, expected) in script(&cursors[0]) {
        let [here_answer, there_answer] =
            [(&here, here_dir.path(), &cursors[0]), (&there, there_dir.path(), &cursors[1])]
                .map(|(client, dir, since)| show(client, dir, since, request.clone()));
        assert_eq!(here_answer, there_answer, "{request:?}");
        assert_eq!(here_answer.starts_with("Ok"), expected, "{request:?} gives {here_answer}");
        if expected {
            succeeded.insert(request.operation().name);
        }
    }
    let mut all: BTreeSet<_> = OPERATIONS.iter().map(|operation| operation.name).collect();
    // It takes two machines to have a conflict.
    all.remove("resolve");
    assert_eq!(succeeded, all);
    drop(owner);
}

/// Shows an answer without what is different in two stores.
fn show(client: &Client, dir: &HostPath, since: &Cursor, request: Request) -> String {
    let request = match request {
        Request::Watch { path, wait, limit, .. } => {
            Request::Watch { path, since: since.clone(), wait, limit }
        }
        Request::Backup { .. } => Request::Backup { to: dir.join("backup") },
        Request::RemoteAdd { config } => {
            let remote = dir.join("remote");
            HostDisk.create_dir_all(&remote).expect("the directory is there");
            let address = format!("file://{}", remote.display());
            Request::RemoteAdd { config: RemoteConfig { address, ..config } }
        }
        Request::AttachSource { path, settings, read_only, .. } => {
            let folder = dir.join("folder");
            HostDisk.create_dir_all(&folder).expect("the directory is there");
            let address = folder.display().to_string();
            Request::AttachSource { path, address, settings, read_only }
        }
        other => other,
    };
    match client.request(request) {
        Ok(Response::Status(_)) => "Ok(Status)".into(),
        Ok(Response::Cursor(_)) => "Ok(Cursor)".into(),
        Ok(Response::Watch(watched)) => format!("Ok({:?})", watched.events),
        // Scores depend on how far the embedder has come.
        Ok(Response::Recall(recalled)) => format!("Ok({})", recalled.text),
        Ok(Response::Related(hits)) => format!("Ok({} hits)", hits.len()),
        Ok(answer) => format!("Ok({answer:?})").replace(&dir.display().to_string(), "DIR"),
        Err(error) => {
            format!("Err({:?}, {error})", error.kind()).replace(&dir.display().to_string(), "DIR")
        }
    }
}

/// Every operation at least once with success, and some that fail.
#[expect(clippy::too_many_lines, reason = "it is data")]
pub(crate) fn script(since: &Cursor) -> Vec<(Request, bool)> {
    let options = WriteOptions::default();
    let (a, b, d) = (path("/a.md"), path("/b.md"), path("/d"));
    let (shared, docs) = (path("/shared/market"), path("/docs"));
    let friend = AgentId::new("friend").expect("the name is good");
    let group = AgentId::new("group").expect("the name is good");
    let subject = Subject::Agent(friend.clone());
    let write = |path: &_, text: &str| Request::Write {
        path: Clone::clone(path),
        content: text.to_owned().into(),
        options: options.clone(),
    };
    vec![
        (write(&a, "one\n"), true),
        (write(&path("/missing/a"), "one\n"), false),
        (
            Request::Append { path: a.clone(), content: "two\n".into(), options: options.clone() },
            true,
        ),
        (
            Request::Edit {
                path: a.clone(),
                edit: Edit::Replace { old: "two".into(), new: "2".into() },
                options: options.clone(),
            },
            true,
        ),
        (
            Request::Edit {
                path: a.clone(),
                edit: Edit::ReplaceAll { old: "\n".into(), new: "\n\n".into() },
                options: options.clone(),
            },
            true,
        ),
        (Request::Read { path: a.clone() }, true),
        (Request::Grep { pattern: "o.e".into(), options: GrepOptions::default() }, true),
        (Request::Grep { pattern: "(".into(), options: GrepOptions::default() }, false),
        (Request::Read { path: b.clone() }, false),
        (Request::Meant { path: a.clone() }, true),
        (Request::Meant { path: path("/^999999") }, true),
        (Request::ReadMany { paths: vec![a.clone(), a.clone(), b.clone(), a.clone()] }, true),
        (Request::ReadAt { path: a.clone(), offset: 2, len: 3 }, true),
        (
            Request::ReadPast {
                path: a.clone(),
                moment: Moment::Version(Version(1)),
                offset: 0,
                len: 100,
            },
            true,
        ),
        (Request::Log { path: a.clone(), before: None, limit: 10 }, true),
        (
            Request::Diff { path: a.clone(), from: Moment::Version(Version(1)), to: Moment::Now },
            true,
        ),
        (Request::Restore { path: a.clone(), moment: Moment::Version(Version(1)) }, true),
        (Request::WriteAt { path: a.clone(), offset: 2, content: "x".into() }, true),
        (Request::Truncate { path: a.clone(), size: 2 }, true),
        (Request::Stat { path: a.clone() }, true),
        (
            Request::SetAttrs {
                path: a.clone(),
                attrs: SetAttrs {
                    mode: Some(0o600),
                    xattrs: BTreeMap::from([("user.x".into(), Some("y".into()))]),
                    ..SetAttrs::default()
                },
            },
            true,
        ),
        (Request::Xattrs { path: a.clone() }, true),
        (Request::SetMeta { path: a.clone(), set: SetMeta::one("importance", "0.5") }, true),
        (Request::SetMeta { path: a.clone(), set: SetMeta::one("importance", "5") }, false),
        (Request::Meta { path: a.clone() }, true),
        (Request::Read { path: path("/a.md:meta") }, true),
        (Request::MakeDir { path: d.clone(), parents: false }, true),
        (Request::MakeDir { path: d.clone(), parents: false }, false),
        (Request::Symlink { target: "a.md".into(), path: path("/l") }, true),
        (Request::ReadLink { path: path("/l") }, true),
        (Request::Link { existing: a.clone(), new: path("/d/a") }, true),
        (Request::Rename { from: a.clone(), to: b.clone(), mode: RenameMode::NoReplace }, true),
        (Request::Copy { from: d.clone(), to: path("/e"), recursive: true }, true),
        (Request::List { path: path("/"), after: None, limit: 2 }, true),
        (Request::Walk { path: path("/"), after: None, limit: 100 }, true),
        (Request::Find { path: path("/"), glob: "*.md".into(), after: None, limit: 9 }, true),
        (Request::Remove { path: d.clone(), recursive: false }, false),
        (Request::Remove { path: d.clone(), recursive: true }, true),
        (Request::Trash { after: None, limit: 10 }, true),
        (Request::Untrash { path: d.clone(), to: Some(path("/f")) }, true),
        (Request::Purge { path: path("/e") }, true),
        (Request::EmptyTrash {}, true),
        (
            Request::Remember {
                text: "Sell above 70. See [[b]].".into(),
                options: RememberOptions { tags: vec!["rsi".into()], ..Default::default() },
            },
            true,
        ),
        (Request::Remember { text: " ".into(), options: RememberOptions::default() }, false),
        (
            Request::Search {
                query: "sell".into(),
                options: SearchOptions { kind: SearchKind::Text, ..Default::default() },
            },
            true,
        ),
        (Request::Recall { question: "sell".into(), options: RecallOptions::default() }, true),
        (Request::Related { path: b.clone(), limit: 5 }, true),
        (Request::Related { path: path("/missing"), limit: 5 }, false),
        (Request::Links { path: b.clone() }, true),
        (Request::Tags { path: path("/") }, true),
        (
            Request::Timeline {
                options: TimelineOptions { after: None, before: None, limit: 9, below: path("/") },
            },
            true,
        ),
        (Request::Stale { days: 90, limit: 9, below: path("/") }, true),
        (Request::Unseen { below: path("/") }, true),
        (Request::Context { max_tokens: 200, tokenizer: Tokenizer::Approx }, true),
        (Request::VerifyIndexes {}, true),
        (Request::Candidates { below: path("/"), pattern: "sell".into(), fold_case: true }, true),
        (Request::AbandonedScripts {}, true),
        (
            Request::AttachSource {
                path: docs.clone(),
                address: "replaced".into(),
                settings: BTreeMap::new(),
                read_only: false,
            },
            true,
        ),
        (Request::Sources {}, true),
        (write(&path("/docs/new.md"), "new"), true),
        (Request::SourceChanges { path: docs.clone() }, true),
        (Request::WriteBack { path: docs.clone(), overwrite: false }, true),
        (Request::RefreshSource { path: docs.clone() }, true),
        (Request::Read { path: path("/docs/new.md") }, true),
        (Request::DiscardSourceChanges { path: docs.clone() }, true),
        (Request::DetachSource { path: docs.clone() }, true),
        (Request::DetachSource { path: docs }, false),
        (Request::Forget { path: path("/memories/sell-above-70-see-b.md"), purge: false }, true),
        (Request::Forget { path: path("/memories/sell-above-70-see-b.md"), purge: false }, false),
        (Request::Cursor {}, true),
        (
            Request::Watch {
                path: path("/"),
                since: since.clone(),
                wait: Duration::ZERO,
                limit: 100,
            },
            true,
        ),
        (Request::MakeDir { path: shared.clone(), parents: false }, true),
        (
            Request::Grant { path: shared.clone(), subject: subject.clone(), right: Right::Read },
            true,
        ),
        (Request::Grants { path: shared.clone() }, true),
        (Request::Revoke { path: shared.clone(), subject }, true),
        (Request::SetMember { group, agent: friend, member: true }, true),
        (Request::Groups {}, true),
        (Request::Spaces {}, true),
        (Request::Agents {}, true),
        (
            Request::SetQuota {
                path: shared.clone(),
                quota: Quota { bytes: Some(1000), nodes: None },
            },
            true,
        ),
        (Request::Barrier {}, true),
        (Request::Status {}, true),
        (Request::Verify {}, true),
        (Request::Backup { to: "replaced".into() }, true),
        (Request::Sync { options: SyncOptions::default() }, false),
        (Request::RemoteCheck {}, false),
        (Request::RemoteAdd { config: RemoteConfig::default() }, true),
        (Request::RemoteAdd { config: RemoteConfig::default() }, false),
        (Request::Remote {}, true),
        (Request::RemoteCheck {}, true),
        (Request::Sync { options: SyncOptions::default() }, true),
        (Request::RemoteSpaces {}, true),
        (Request::BarrierRemote { wait: Duration::from_secs(10) }, true),
        (Request::Pin { path: b.clone(), pinned: true }, true),
        (Request::Pin { path: path("/missing"), pinned: true }, false),
        (Request::Pins {}, true),
        (Request::Gc { dry_run: true }, true),
        (Request::Mend {}, true),
        (Request::Conflicts {}, true),
        (Request::Resolve { which: "1".into(), take: None }, false),
        (Request::PurgeReceipt { path: b.clone() }, true),
        (Request::RemoteRemove { force: false }, true),
        (Request::RemoteRemove { force: false }, false),
    ]
}
