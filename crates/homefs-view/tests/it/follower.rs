//! Stores that follow a remote by themselves, and what happens when it is out of reach.

use std::sync::Arc;
use std::time::Duration;

use homefs_core::{
    AgentId, ErrorKind, Path, Remote, RemoteAnswer, RemoteCounters, RemoteRequest, Result,
    SpaceName,
};
use homefs_search::embed::BuiltIn;
use homefs_testkit::{Fault, FaultKind, MemoryRemote, MemoryServer, RemoteOperation, VirtualClock};
use homefs_view::{
    AttachOptions, Components, Direction, Durability, RecallOptions, SearchKind, SearchOptions,
    Settings, SpaceSync, Store, SyncOptions, View, WriteOptions,
};
use parking_lot::{Condvar, Mutex};
use tempfile::TempDir;

use crate::common::{agent, parents, path, view_of};

/// Longer than anything takes that works.
const LONG: Duration = Duration::from_mins(1);

/// A machine with a store, attached to a server under its name.
struct Machine {
    // Closed before its directory goes.
    store: Store,
    view: View,
    _dir: TempDir,
}

impl Machine {
    /// One whose clock stands still: nothing happens that nobody asks for.
    fn still(server: &MemoryServer, name: &str) -> Self {
        let components =
            Components { clock: Arc::new(VirtualClock::default()), ..Components::host() };
        Self::with(Arc::new(server.remote(name)), name, None, components)
    }

    /// One that follows its remote by itself.
    fn alive(remote: Arc<dyn Remote>, name: &str) -> Self {
        Self::with(remote, name, None, Components::host())
    }

    fn with(
        remote: Arc<dyn Remote>,
        name: &str,
        home_at_prefix: Option<AgentId>,
        components: Components,
    ) -> Self {
        Self::set(remote, name, home_at_prefix, components, Settings::default())
    }

    fn set(
        remote: Arc<dyn Remote>,
        name: &str,
        home_at_prefix: Option<AgentId>,
        components: Components,
        settings: Settings,
    ) -> Self {
        let dir = TempDir::new().expect("the host has room");
        let store = Store::open(dir.path(), settings, components).expect("a new store opens");
        let options = AttachOptions { machine_name: name.into(), home_at_prefix };
        store.attach(remote, &options).expect("none is attached");
        let view = view_of(&store, "me");
        Self { store, view, _dir: dir }
    }

    fn write(&self, at: &str, content: &str) {
        self.view.write(&path(at), content.as_bytes(), &parents()).expect("it can be written");
    }

    fn read(&self, at: &str) -> String {
        let bytes = self.view.read(&path(at)).expect("it is there");
        String::from_utf8(bytes.to_vec()).expect("it is text")
    }

    fn sync(&self) {
        self.store.sync(&SyncOptions::default()).expect("the remote answers");
    }

    fn home(&self) -> SpaceSync {
        let spaces = self.store.status().remote.and_then(|remote| remote.status);
        let spaces = spaces.expect("one is attached").spaces;
        spaces.into_iter().find(|sync| sync.space == home()).expect("it is followed")
    }
}

fn home() -> SpaceName {
    "agents/me".parse().expect("a good name")
}

/// A remote that can be stopped, and tells when it is asked.
struct Gate {
    remote: MemoryRemote,
    state: Mutex<Passing>,
    moved: Condvar,
}

#[derive(Default)]
struct Passing {
    shut: bool,
    waiting: usize,
    /// HEADs and readable copies that were put.
    heads: usize,
    copies: usize,
}

impl Gate {
    fn new(server: &MemoryServer, name: &str) -> Arc<Self> {
        let (state, moved) = (Mutex::default(), Condvar::new());
        Arc::new(Self { remote: server.remote(name), state, moved })
    }

    fn wait_until(&self, holds: impl Fn(&Passing) -> bool) {
        let mut state = self.state.lock();
        let timed_out = self.moved.wait_while_for(&mut state, |state| !holds(state), LONG);
        assert!(!timed_out.timed_out(), "it never happened");
    }

    fn shut(&self, shut: bool) {
        self.state.lock().shut = shut;
        self.moved.notify_all();
    }
}

impl Remote for Gate {
    fn run(&self, requests: Vec<RemoteRequest>) -> Vec<Result<RemoteAnswer>> {
        let mut state = self.state.lock();
        state.waiting += 1;
        self.moved.notify_all();
        self.moved.wait_while(&mut state, |state| state.shut);
        state.waiting -= 1;
        drop(state);
        let puts = |end: &str| {
            let is_one = |request: &&RemoteRequest| matches!(request, RemoteRequest::Put { key, .. } if key.ends_with(end));
            requests.iter().filter(is_one).count()
        };
        let (heads, copies) = (puts(".homefs/HEAD"), puts(".md"));
        let answers = self.remote.run(requests);
        let mut state = self.state.lock();
        (state.heads, state.copies) = (state.heads + heads, state.copies + copies);
        drop(state);
        self.moved.notify_all();
        answers
    }

    fn describe(&self) -> String {
        self.remote.describe()
    }

    fn counters(&self) -> RemoteCounters {
        self.remote.counters()
    }
}

#[test]
fn what_is_written_on_one_machine_is_read_on_another() {
    let server = MemoryServer::new();
    let (a, b) = (Machine::still(&server, "a"), Machine::still(&server, "b"));
    a.write("/notes/one.md", "first");
    a.sync();
    let synced = b.store.sync(&SyncOptions::default()).unwrap();
    assert_eq!(synced.len(), 1);
    assert_eq!((synced[0].commit, synced[0].pushed), (1, 0));
    assert!(synced[0].pulled > 0);
    assert_eq!(b.read("/notes/one.md"), "first");
    b.write("/notes/one.md", "second");
    b.sync();
    a.sync();
    assert_eq!(a.read("/notes/one.md"), "second");
    let stand = a.home();
    assert_eq!((stand.commit, stand.ahead, stand.failure), (2, 0, None));
    assert!(stand.agreed.is_some() && stand.waiting_since.is_none());
}

#[test]
fn a_change_is_pushed_and_pulled_without_anybody_asking() {
    let server = MemoryServer::new();
    let gate = Gate::new(&server, "a");
    let a = Machine::alive(gate.clone(), "a");
    let b = Machine::alive(Arc::new(server.remote("b")), "b");
    a.write("/n.md", "by itself");
    gate.wait_until(|passing| passing.heads == 1);
    let mut cursor = b.view.cursor().unwrap();
    while b.view.stat(&path("/n.md")).is_err() {
        cursor = b.view.watch(&Path::root(), &cursor, LONG, 10).unwrap().cursor;
    }
    assert_eq!(b.read("/n.md"), "by itself");
}

#[test]
fn a_short_command_does_not_touch_the_network() {
    let server = MemoryServer::new();
    let a = Machine::still(&server, "a");
    a.write("/n.md", "kept here");
    a.store.close().unwrap();
    assert_eq!(server.log(), []);
}

#[test]
fn local_work_goes_on_while_the_remote_is_out_of_reach() {
    let server = MemoryServer::new();
    let a = Machine::still(&server, "a");
    server.disconnect("a");
    a.write("/n.md", "offline");
    let error = a.store.sync(&SyncOptions::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    let error = a.view.barrier_remote(Duration::ZERO).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(error.to_string().contains("safe here"), "{error}");
    a.write("/n.md", "still offline");
    assert_eq!(a.read("/n.md"), "still offline");
    let stand = a.home();
    assert!(stand.ahead > 0 && stand.failure.is_some() && stand.retry_at.is_some());
    server.connect("a");
    a.view.barrier_remote(LONG).unwrap();
    let stand = a.home();
    assert_eq!((stand.ahead, stand.failure, stand.retry_at), (0, None, None));
    let b = Machine::still(&server, "b");
    b.sync();
    assert_eq!(b.read("/n.md"), "still offline");
}

#[test]
fn who_waits_goes_on_through_an_outage() {
    let server = MemoryServer::new();
    let a = Machine::alive(Arc::new(server.remote("a")), "a");
    server.disconnect("a");
    a.write("/n.md", "x");
    let impatient = SyncOptions { wait: Some(Duration::from_millis(1)), ..SyncOptions::default() };
    assert_eq!(a.store.sync(&impatient).unwrap_err().kind(), ErrorKind::Unavailable);
    let patient = SyncOptions { wait: Some(LONG), ..SyncOptions::default() };
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| a.store.sync(&patient).unwrap());
        server.connect("a");
        assert_eq!(waiting.join().unwrap()[0].commit, 1);
    });
}

#[test]
fn who_waits_hears_at_once_of_what_will_not_pass() {
    let server = MemoryServer::new();
    let a = Machine::still(&server, "a");
    a.sync();
    let denied = || Fault::before(FaultKind::Status(403)).until_healed();
    server.fail(denied().on(RemoteOperation::Put));
    a.write("/n.md", "x");
    let patient = SyncOptions { wait: Some(LONG), ..SyncOptions::default() };
    assert_eq!(a.store.sync(&patient).unwrap_err().kind(), ErrorKind::Denied);
    assert_eq!(a.view.barrier_remote(LONG).unwrap_err().kind(), ErrorKind::Denied);
    // What failed before does not count.
    server.heal();
    a.view.barrier_remote(LONG).unwrap();
    assert_eq!(a.home().failure, None);
}

/// A remote that this machine only reads.
struct Shown(MemoryRemote);

impl Remote for Shown {
    fn run(&self, requests: Vec<RemoteRequest>) -> Vec<Result<RemoteAnswer>> {
        for request in &requests {
            let reads = matches!(request, RemoteRequest::Get { .. } | RemoteRequest::List { .. });
            assert!(reads, "it is only read: {request:?}");
        }
        self.0.run(requests)
    }

    fn describe(&self) -> String {
        self.0.describe()
    }

    fn counters(&self) -> RemoteCounters {
        self.0.counters()
    }

    fn is_read_only(&self) -> bool {
        true
    }
}

#[test]
fn who_only_reads_hears_of_everything_and_sends_nothing() {
    let server = MemoryServer::new();
    let a = Machine::still(&server, "a");
    a.write("/n.md", "first");
    a.sync();
    let clock = Arc::new(VirtualClock::default());
    let components = Components { clock, ..Components::host() };
    let b = Machine::with(Arc::new(Shown(server.remote("b"))), "b", None, components);
    b.sync();
    assert_eq!(b.read("/n.md"), "first");
    // What is written here keeps nothing from coming, and is merged with it.
    b.write("/mine.md", "here");
    a.write("/n.md", "second");
    a.sync();
    let copies = SyncOptions { copies: true, ..SyncOptions::default() };
    assert_eq!(b.store.sync(&copies).unwrap()[0].pushed, 0);
    assert_eq!((b.read("/n.md"), b.read("/mine.md")), ("second".into(), "here".into()));
    let push = SyncOptions { direction: Direction::Push, ..SyncOptions::default() };
    for refused in [b.store.sync(&push).map(drop), b.view.barrier_remote(LONG)] {
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::ReadOnly);
    }
    let stand = b.home();
    assert_eq!((stand.failure, stand.copies_due), (None, 0), "copies are for others to write");
}

#[test]
fn closing_does_not_wait_for_a_request_that_hangs() {
    let server = MemoryServer::new();
    let gate = Gate::new(&server, "a");
    gate.shut(true);
    let a = Machine::alive(gate.clone(), "a");
    a.write("/n.md", "x");
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| a.view.barrier_remote(LONG).unwrap_err());
        gate.wait_until(|passing| passing.waiting > 0);
        a.store.close().unwrap();
        assert_eq!(waiting.join().unwrap().kind(), ErrorKind::Closed);
    });
    gate.shut(false);
}

#[test]
fn a_view_makes_no_change_that_waits_for_the_remote() {
    let server = MemoryServer::new();
    let a = Machine::still(&server, "a");
    let (note, long) = (path("/n.md"), vec![1; 100_000]);
    let options = WriteOptions { durability: Durability::Remote, ..WriteOptions::default() };
    for content in [&b"short"[..], &long] {
        for refused in
            [a.view.write(&note, content, &options), a.view.append(&note, content, &options)]
        {
            assert_eq!(refused.unwrap_err().kind(), ErrorKind::Unsupported);
        }
    }
    assert_eq!(a.view.stat(&note).unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
fn the_barrier_of_the_remote_returns_when_head_has_what_was_written() {
    let server = MemoryServer::new();
    let a = Machine::still(&server, "a");
    a.write("/n.md", "far away");
    a.view.barrier_remote(LONG).unwrap();
    assert!(server.objects().contains_key("agents/me/.homefs/HEAD"));
    let b = Machine::still(&server, "b");
    b.sync();
    assert_eq!(b.read("/n.md"), "far away");
}

#[test]
fn spaces_of_the_remote_are_found() {
    let server = MemoryServer::new();
    // Files of others, which are no spaces.
    server.put("agents/readme.txt", "x");
    server.put("agents/not a space/x", "x");
    server.put("agents/empty/notes.md", "x");
    let a = Machine::still(&server, "a");
    for name in ["me", "me-2", "me0", "other"] {
        let view = view_of(&a.store, name);
        // A readable copy with such a name is listed before HEAD.
        view.write(&path("/!first"), b"x", &WriteOptions::default()).unwrap();
    }
    a.sync();
    let b = Machine::still(&server, "b");
    let names: Vec<String> =
        b.store.remote_spaces().unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(names, ["agents/me", "agents/me-2", "agents/me0", "agents/other"]);
    // The home of an agent that never was here stays there.
    assert_eq!(b.store.sync(&SyncOptions::default()).unwrap().len(), 1);
    let other = view_of(&b.store, "other");
    assert_eq!(b.store.sync(&SyncOptions::default()).unwrap().len(), 2);
    assert!(other.stat(&path("/!first")).is_ok());
}

#[test]
fn an_adopted_remote_has_one_home_at_its_prefix() {
    let server = MemoryServer::new();
    let me = agent("me");
    let a = Machine::with(Arc::new(server.remote("a")), "a", Some(me), Components::host());
    a.write("/n.md", "x");
    let other = view_of(&a.store, "other");
    other.write(&path("/secret"), b"x", &WriteOptions::default()).unwrap();
    a.sync();
    a.view.barrier_remote(LONG).unwrap();
    assert!(server.objects().contains_key(".homefs/HEAD"));
    assert!(!server.objects().keys().any(|key| key.starts_with("agents")));
    assert_eq!(a.store.remote_spaces().unwrap(), [home()]);
    let options =
        SyncOptions { space: Some("agents/other".parse().unwrap()), ..SyncOptions::default() };
    assert_eq!(a.store.sync(&options).unwrap_err().kind(), ErrorKind::Unsupported);
}

#[test]
fn everything_is_fetched_before_the_remote_is_let_go() {
    let server = MemoryServer::new();
    let a = Machine::still(&server, "a");
    let large = "0123456789".repeat(300_000);
    a.write("/large", &large);
    for number in 0..20 {
        a.write(&format!("/{number}"), &format!("{number} ").repeat(1000));
    }
    a.sync();
    let b = Machine::still(&server, "b");
    b.sync();
    b.store.fetch_all(None).unwrap();
    assert_eq!(b.store.fetch_all(None).unwrap(), 0);
    b.store.detach().unwrap();
    assert_eq!(b.read("/large"), large);
    assert_eq!(b.read("/7"), "7 ".repeat(1000));
    assert!(b.store.status().remote.is_none());
    b.store.detach().unwrap();
}

#[test]
fn another_remote_gets_everything_again() {
    let (first, second) = (MemoryServer::new(), MemoryServer::new());
    let a = Machine::still(&first, "a");
    a.write("/n.md", "moved");
    a.sync();
    a.store.detach().unwrap();
    let options = AttachOptions { machine_name: "a".into(), home_at_prefix: None };
    a.store.attach(Arc::new(second.remote("a")), &options).unwrap();
    let again = a.store.attach(Arc::new(second.remote("a")), &options);
    assert_eq!(again.unwrap_err().kind(), ErrorKind::AlreadyExists);
    a.sync();
    let b = Machine::still(&second, "b");
    b.sync();
    assert_eq!(b.read("/n.md"), "moved");
}

#[test]
fn what_is_pinned_is_fetched_and_listed() {
    let server = MemoryServer::new();
    let a = Machine::still(&server, "a");
    a.write("/keep/large", &"0123456789".repeat(300_000));
    a.sync();
    let b = Machine::still(&server, "b");
    b.sync();
    b.view.pin(&path("/keep"), true).unwrap();
    assert_eq!(b.view.pins().unwrap(), [path("/keep")]);
    // A round fetches what is pinned, and this one begins after the pin.
    b.sync();
    assert_eq!(b.store.fetch_all(None).unwrap(), 0);
    b.view.pin(&path("/keep"), false).unwrap();
    assert_eq!(b.view.pins().unwrap(), []);
}

#[test]
fn one_way_is_one_way() {
    let server = MemoryServer::new();
    let (a, b) = (Machine::still(&server, "a"), Machine::still(&server, "b"));
    a.write("/a", "a");
    a.sync();
    b.write("/b", "b");
    let pull = SyncOptions { direction: Direction::Pull, ..SyncOptions::default() };
    let synced = b.store.sync(&pull).unwrap();
    assert_eq!(synced[0].pushed, 0);
    assert_eq!(b.read("/a"), "a");
}

#[test]
fn who_waits_gets_the_readable_copies_and_what_was_written_into_them() {
    let server = MemoryServer::new();
    let a = Machine::still(&server, "a");
    a.write("/n.md", "# by homefs\n");
    let wait = SyncOptions { wait: Some(LONG), copies: true, ..SyncOptions::default() };
    a.store.sync(&wait).unwrap();
    assert_eq!(a.home().copies_due, 0);
    let copy = server.objects()["agents/me/n.md"].clone();
    assert!(String::from_utf8_lossy(&copy).contains("# by homefs"));
    server.put("agents/me/outside.md", "# by hand\n");
    let pull = SyncOptions { direction: Direction::Pull, ..SyncOptions::default() };
    a.store.sync(&pull).unwrap();
    assert_eq!(a.read("/outside.md"), "# by hand\n");
}

#[test]
fn copies_are_written_without_anybody_asking() {
    let server = MemoryServer::new();
    let gate = Gate::new(&server, "a");
    let a = Machine::alive(gate.clone(), "a");
    a.write("/n.md", "text");
    gate.wait_until(|passing| passing.copies > 0);
    assert!(server.objects().contains_key("agents/me/n.md"));
}

#[test]
fn a_new_machine_recalls_what_it_has_not_read_yet() {
    let server = MemoryServer::default();
    let first = Machine::still(&server, "first");
    // So many commits that a new machine begins with an index, which has no contents.
    for number in 0..20 {
        first.write(&format!("/notes/{number}.md"), &format!("the password hint is word{number}"));
        first.sync();
    }
    let second = Machine::alive(Arc::new(server.remote("second")), "second");
    second.store.start_indexing(Arc::new(BuiltIn::Static)).expect("it starts");
    second.sync();
    let options = SearchOptions { kind: SearchKind::Text, ..SearchOptions::default() };
    let hits = second.view.search("word17", &options).expect("a search");
    let paths: Vec<&str> = hits.iter().map(|hit| hit.path.as_str()).collect();
    assert_eq!(paths, ["/notes/17.md"]);
}

#[test]
fn a_search_goes_on_with_what_is_here_when_the_remote_does_not_answer() {
    let server = MemoryServer::default();
    let first = Machine::still(&server, "first");
    first.write("/there.md", "something far away");
    first.sync();
    for number in 0..20 {
        first.write("/other.md", &number.to_string());
        first.sync();
    }
    let second = Machine::alive(Arc::new(server.remote("second")), "second");
    second.sync();
    second.write("/here.md", "something near");
    second.store.detach().expect("it lets go");
    second.store.start_indexing(Arc::new(BuiltIn::Static)).expect("it starts");
    let options = SearchOptions { kind: SearchKind::Text, ..SearchOptions::default() };
    let hits = second.view.search("something", &options).expect("a search");
    assert_eq!(hits.iter().map(|hit| hit.path.as_str()).collect::<Vec<_>>(), ["/here.md"]);
    let hits = second.view.search("path:there", &options).expect("a search");
    assert_eq!(hits.iter().map(|hit| hit.path.as_str()).collect::<Vec<_>>(), ["/there.md"]);
}

#[test]
fn a_search_fetches_no_more_than_is_allowed_and_says_what_it_has_not_seen() {
    let server = MemoryServer::default();
    let first = Machine::still(&server, "first");
    for number in 0..20 {
        let text = format!("the password hint is word{number} {}", "x ".repeat(4_000));
        first.write(&format!("/notes/{number}.md"), &text);
        first.sync();
    }
    first.write("/large.md", &format!("wordlarge {}", "y ".repeat(100_000)));
    first.sync();
    let remote = Arc::new(server.remote("second"));
    // So much that two notes fit.
    let settings = Settings { index_fetch_bytes_max: 20_000, ..Settings::default() };
    let second = Machine::set(remote, "second", None, Components::host(), settings);
    second.store.start_indexing(Arc::new(BuiltIn::Static)).expect("it starts");
    second.sync();
    let found = |word: &str| {
        let options = SearchOptions { kind: SearchKind::Text, ..SearchOptions::default() };
        second.view.search(word, &options).expect("a search").len()
    };
    let unseen = || second.view.unseen(&Path::root()).expect("it counts");
    let seen: usize = (0..20).map(|number| found(&format!("word{number}"))).sum();
    assert_eq!(seen, 2);
    assert_eq!(unseen(), 19);
    let recalled = second.view.recall("the hint", &RecallOptions::default()).expect("a recall");
    assert_eq!(recalled.unseen, 19);
    assert_eq!(second.view.unseen(&path("/large.md")).expect("it counts"), 1);
    // What somebody reads is found from then on.
    second.read("/large.md");
    assert_eq!(found("wordlarge"), 1);
    assert_eq!(unseen(), 18);
    second.view.pin(&path("/notes"), true).expect("it is there");
    second.sync();
    assert_eq!(found("hint"), 10);
    assert_eq!(unseen(), 0);
}

#[test]
fn a_new_machine_gets_its_home_by_a_sync() {
    let server = MemoryServer::new();
    let a = Machine::still(&server, "a");
    a.write("/n.md", "mine");
    a.sync();
    for direction in [Direction::Both, Direction::Pull, Direction::Push] {
        let dir = TempDir::new().expect("the host has room");
        let components =
            Components { clock: Arc::new(VirtualClock::default()), ..Components::host() };
        let store = Store::open(dir.path(), Settings::default(), components).expect("it opens");
        let options = AttachOptions { machine_name: "b".into(), home_at_prefix: None };
        store.attach(Arc::new(server.remote("b")), &options).expect("none is attached");
        // Nobody has opened the home, so nothing is here.
        let options = SyncOptions { direction, agent: Some(agent("me")), ..SyncOptions::default() };
        let synced = store.sync(&options).expect("the remote answers");
        assert_eq!(synced.iter().map(|synced| &synced.space).collect::<Vec<_>>(), [&home()]);
        assert!(synced[0].pulled > 0 && synced[0].pushed == 0, "{synced:?}");
        let view = view_of(&store, "me");
        assert_eq!(view.read(&path("/n.md")).expect("it is there"), &b"mine"[..]);
    }
}
