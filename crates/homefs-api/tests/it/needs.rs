//! Who may ask for what is about all homes, or about the host.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path as HostPath;

use homefs_api::{Client, ClientOptions, Needs, OPERATIONS, RemoteConfig, Request};
use homefs_core::{AgentId, Disk, ErrorKind, HostDisk, SpaceName};
use homefs_view::{Right, SearchOptions, Subject, SyncOptions, Who, WriteOptions};
use tempfile::tempdir;

use crate::same::script;
use crate::{me, path};

fn open_as(dir: &HostPath, agent: &str, operator: bool) -> Client {
    let agent = AgentId::new(agent).expect("the name is good");
    let who = Who { agent, operator, ..me() };
    Client::open(ClientOptions::new(dir.join("store"), who)).expect("the store opens")
}

#[test]
fn what_needs_an_operator_is_refused_to_agents_here_and_by_socket() {
    let dir = tempdir().unwrap();
    let (here, there) = (open_as(dir.path(), "me", false), open_as(dir.path(), "you", false));
    assert!(here.view_here().is_some() && there.view_here().is_none());
    let mut refused = BTreeSet::new();
    for (request, _) in script(&here.cursor().unwrap()) {
        let operation = request.operation();
        if operation.needs != Needs::Operator {
            continue;
        }
        for client in [&here, &there] {
            let error = client.request(request.clone()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Denied, "{}: {error}", operation.name);
        }
        refused.insert(operation.name);
    }
    let operators = OPERATIONS.iter().filter(|operation| operation.needs == Needs::Operator);
    assert_eq!(refused, operators.map(|operation| operation.name).collect());
    assert!(here.backup(&dir.path().join("copy")).is_err(), "the method asks too");
}

#[test]
fn what_needs_a_manager_is_refused_to_who_may_only_write() {
    let dir = tempdir().unwrap();
    let owner = open_as(dir.path(), "me", true);
    let shared = path("/shared/market");
    owner.make_dir(&shared, true).unwrap();
    let friend = Subject::Agent(AgentId::new("friend").unwrap());
    owner.grant(&shared, &friend, Right::Write).unwrap();
    let client = open_as(dir.path(), "friend", false);
    let (address, settings) = ("s3://bucket/prefix".to_owned(), BTreeMap::new());
    let requests = [
        Request::Grant { path: shared.clone(), subject: friend.clone(), right: Right::Manage },
        Request::Revoke { path: shared.clone(), subject: friend },
        Request::AttachSource {
            path: path("/shared/market/docs"),
            address,
            settings,
            read_only: true,
        },
        Request::DetachSource { path: shared },
    ];
    for request in &requests {
        let error = client.request(request.clone()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Denied, "{request:?}: {error}");
    }
    let managers = OPERATIONS.iter().filter(|operation| operation.needs == Needs::Manage);
    let tried = requests.iter().map(|request| request.operation().name);
    assert_eq!(tried.collect::<BTreeSet<_>>(), managers.map(|operation| operation.name).collect());
}

#[test]
fn an_agent_attaches_folders_only_where_it_is_allowed_and_nobody_the_store() {
    let dir = tempdir().unwrap();
    let (secret, open) = (dir.path().join("secret"), dir.path().join("open/docs"));
    for folder in [&secret, &open] {
        HostDisk.create_dir_all(folder).unwrap();
    }
    let mut options = ClientOptions::new(dir.path().join("store"), me());
    options.settings.source_roots = dir.path().join("open").display().to_string();
    let agent = Client::open(options).unwrap();
    let operator = open_as(dir.path(), "me", true);
    let attach = |client: &Client, at: &str, folder: &HostPath| {
        let address = folder.display().to_string();
        client.attach_source(&path(at), &address, &BTreeMap::new(), true)
    };
    let denied = |outcome: homefs_core::Result<()>| {
        assert_eq!(outcome.unwrap_err().kind(), ErrorKind::Denied);
    };
    denied(attach(&agent, "/a", &secret));
    denied(attach(&agent, "/a", &dir.path().join("open/../secret")));
    std::os::unix::fs::symlink(&secret, open.join("way")).unwrap();
    denied(attach(&agent, "/a", &open.join("way")));
    attach(&agent, "/a", &open).unwrap();
    attach(&operator, "/b", &secret).unwrap();
    for store in [dir.path().join("store"), dir.path().join("store/journal"), dir.path().into()] {
        denied(attach(&operator, "/c", &store));
    }
}

#[test]
fn an_agent_hears_nothing_of_other_homes() {
    let dir = tempdir().unwrap();
    let operator = open_as(dir.path(), "me", true);
    let bucket = dir.path().join("bucket");
    HostDisk.create_dir_all(&bucket).unwrap();
    let address = format!("file://{}", bucket.display());
    operator.remote_add(&RemoteConfig { address, ..RemoteConfig::default() }).unwrap();
    let (ann, bob) = (open_as(dir.path(), "ann", false), open_as(dir.path(), "bob", false));
    for client in [&operator, &ann, &bob] {
        client.write(&path("/a.md"), b"words", &WriteOptions::default()).unwrap();
        client.search("words", &SearchOptions::default()).unwrap();
    }
    let homes = |spaces: Vec<SpaceName>| -> Vec<String> {
        spaces.into_iter().map(|space| space.to_string()).collect()
    };
    let synced = |client: &Client, options: &SyncOptions| {
        client.sync(options).map(|all| homes(all.into_iter().map(|one| one.space).collect()))
    };
    let all = SyncOptions::default();
    assert_eq!(synced(&ann, &all).unwrap(), ["agents/ann"]);
    let other = SyncOptions { space: Some("agents/bob".parse().unwrap()), ..all.clone() };
    assert_eq!(synced(&ann, &other).unwrap_err().kind(), ErrorKind::Denied);
    assert_eq!(synced(&operator, &all).unwrap().len(), 3);
    let status = ann.status().unwrap();
    assert!(status.load.is_none());
    assert_eq!(
        homes(status.indexes.into_iter().map(|index| index.space).collect()),
        ["agents/ann"]
    );
    let remote = status.remote.unwrap().status.unwrap();
    assert!(remote.requests.is_none());
    assert_eq!((remote.sent_bytes, remote.received_bytes), (None, None));
    assert_eq!(homes(remote.spaces.into_iter().map(|one| one.space).collect()), ["agents/ann"]);
    let status = operator.status().unwrap();
    assert!(status.load.is_some() && status.indexes.len() == 3);
    assert_eq!(status.remote.unwrap().status.unwrap().spaces.len(), 3);
}

#[test]
fn names_that_homefs_records_changes_under_are_no_agents() {
    let dir = tempdir().unwrap();
    let _owner = open_as(dir.path(), "me", false);
    for name in ["homefs", "outside"] {
        let who = Who { agent: AgentId::new(name).unwrap(), ..me() };
        let opened = Client::open(ClientOptions::new(dir.path().join("store"), who));
        assert_eq!(opened.err().unwrap().kind(), ErrorKind::Invalid, "{name}");
    }
}
