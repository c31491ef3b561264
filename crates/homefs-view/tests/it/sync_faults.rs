//! Two machines and a real bucket whose server fails in every way and in every place: whatever a
//! sync tells of it, afterwards both agree, and have everything once.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use homefs_core::{Clock, Error, ErrorKind, Path, Result, SystemClock};
use homefs_remote::{Bucket, Environment, RemoteAddress};
use homefs_testkit::{Fault, FaultKind, RemoteOperation, S3Server, VirtualClock};
use homefs_view::{AttachOptions, Components, Kind, Settings, Store, SyncOptions, View};
use tempfile::TempDir;

use crate::common::{parents, path, view_of};

/// Longer than anything takes that works.
const LONG: Duration = Duration::from_mins(1);
/// How long a sync goes on that will not succeed.
const SHORT: Duration = Duration::from_millis(100);
/// How often it is begun anew on a machine so busy that nothing comes of it in that time.
const COPYING_TRIES: usize = 20;
/// What a server in this process does not answer so soon, it never answers.
const DEADLINE: Duration = Duration::from_millis(300);

/// A machine with a store, attached to a server's bucket.
pub(crate) struct Machine {
    // Closed before its directory goes.
    pub(crate) store: Store,
    pub(crate) view: View,
    remote: Arc<Bucket>,
    name: String,
    _dir: TempDir,
}

impl Machine {
    /// One whose clock stands still: nothing happens that nobody asks for.
    pub(crate) fn still(server: &S3Server, name: &str) -> Self {
        Self::within(server, name, RemoteAddress::DEADLINE)
    }

    /// As [`Self::still`], with other patience.
    fn within(server: &S3Server, name: &str, deadline: Duration) -> Self {
        Self::with(server, name, Arc::new(VirtualClock::default()), deadline)
    }

    /// One that follows its remote by itself.
    pub(crate) fn alive(server: &S3Server, name: &str) -> Self {
        Self::with(server, name, Arc::new(SystemClock), DEADLINE)
    }

    fn with(server: &S3Server, name: &str, clock: Arc<dyn Clock>, deadline: Duration) -> Self {
        let dir = TempDir::new().expect("the host has room");
        Self::of(dir, server, name, clock, deadline)
    }

    /// As [`Self::still`], with a store that is there already.
    pub(crate) fn still_in(dir: TempDir, server: &S3Server, name: &str) -> Self {
        let clock = Arc::new(VirtualClock::default());
        Self::of(dir, server, name, clock, RemoteAddress::DEADLINE)
    }

    fn of(
        dir: TempDir,
        server: &S3Server,
        name: &str,
        clock: Arc<dyn Clock>,
        deadline: Duration,
    ) -> Self {
        let components = Components { clock, ..Components::host() };
        let store =
            Store::open(dir.path(), Settings::default(), components).expect("a new store opens");
        let view = view_of(&store, "me");
        let text = format!("s3://{}/p", server.bucket());
        let address: RemoteAddress = text.parse().expect("a good address");
        let mut address = address.with_endpoint(server.endpoint());
        address.deadline = deadline;
        let key = [
            ("AWS_ACCESS_KEY_ID", S3Server::ACCESS_KEY),
            ("AWS_SECRET_ACCESS_KEY", S3Server::SECRET_KEY),
        ];
        let environment: Environment = key.into_iter().collect();
        let remote = Bucket::open_in(&address, &environment).expect("nothing is sent yet");
        let machine = Self { store, view, remote: Arc::new(remote), name: name.into(), _dir: dir };
        machine.attach();
        machine
    }

    pub(crate) fn attach(&self) {
        let options = AttachOptions { machine_name: self.name.clone(), home_at_prefix: None };
        self.store.attach(self.remote.clone(), &options).expect("none is attached");
    }

    pub(crate) fn write(&self, at: &str, content: impl AsRef<[u8]>) {
        self.view.write(&path(at), content.as_ref(), &parents()).expect("it can be written");
    }

    pub(crate) fn read(&self, at: &str) -> String {
        let bytes = self.view.read(&path(at)).expect("it is there");
        String::from_utf8(bytes.to_vec()).expect("it is text")
    }

    /// Syncs once.
    pub(crate) fn try_sync(&self) -> Result<()> {
        self.store.sync(&SyncOptions::default()).map(drop)
    }

    /// Syncs, and writes the readable copies.
    pub(crate) fn sync_with_copies(&self, wait: Duration) -> Result<()> {
        self.store
            .sync(&SyncOptions { wait: Some(wait), copies: true, ..SyncOptions::default() })
            .map(drop)
    }

    /// Syncs all there is with a remote that is well.
    #[track_caller]
    pub(crate) fn sync(&self) {
        self.sync_with_copies(LONG).expect("the remote answers");
    }

    /// Returns every file with its content.
    pub(crate) fn files(&self) -> Result<BTreeMap<Path, Vec<u8>>> {
        let found = self.view.walk(&Path::root(), None, 10_000)?.items.into_iter();
        let files = found.filter(|found| found.stat.kind == Kind::File);
        files.map(|found| Ok((found.path.clone(), self.view.read(&found.path)?.to_vec()))).collect()
    }
}

/// A fault, and the kinds of errors that a sync may tell of it.
struct Case {
    fault: fn(FaultKind) -> Fault,
    kind: FaultKind,
    kinds: &'static [ErrorKind],
}

use ErrorKind::{Conflict, Corrupt, Denied, Invalid, NotFound, Unavailable};

/// What can happen to a request.
const CASES: &[Case] = &[
    Case { fault: Fault::before, kind: FaultKind::Status(503), kinds: &[Unavailable] },
    Case { fault: Fault::after, kind: FaultKind::Status(500), kinds: &[Unavailable] },
    Case { fault: Fault::before, kind: FaultKind::Status(403), kinds: &[Denied] },
    // Of a put it means that there is no bucket; HEAD and packs are never missing.
    Case {
        fault: Fault::before,
        kind: FaultKind::Status(404),
        kinds: &[Invalid, NotFound, Corrupt],
    },
    Case {
        fault: Fault::before,
        kind: FaultKind::Status(412),
        kinds: &[Unavailable, Conflict, Invalid],
    },
    Case { fault: Fault::before, kind: FaultKind::Status(409), kinds: &[Unavailable, Conflict] },
    Case { fault: Fault::before, kind: FaultKind::Timeout, kinds: &[Unavailable] },
    Case { fault: Fault::before, kind: FaultKind::Reset, kinds: &[Unavailable] },
    Case { fault: Fault::after, kind: FaultKind::Reset, kinds: &[Unavailable] },
    Case { fault: Fault::after, kind: FaultKind::Truncate, kinds: &[Unavailable] },
    Case { fault: Fault::after, kind: FaultKind::Slow(Duration::from_millis(20)), kinds: &[] },
];

/// The requests that a sync makes, by what their keys begin with.
const PLACES: &[(RemoteOperation, &str)] = &[
    (RemoteOperation::Get, ".homefs/HEAD"),
    (RemoteOperation::Put, ".homefs/HEAD"),
    (RemoteOperation::Get, ".homefs/commits/"),
    (RemoteOperation::Put, ".homefs/commits/"),
    (RemoteOperation::Get, ".homefs/index/"),
    (RemoteOperation::Put, ".homefs/index/"),
    (RemoteOperation::Get, ".homefs/packs/"),
    (RemoteOperation::Put, ".homefs/packs/"),
    (RemoteOperation::List, ".homefs/packs/"),
    (RemoteOperation::Delete, ".homefs/packs/"),
    (RemoteOperation::Get, "notes/"),
    (RemoteOperation::Put, "notes/"),
    (RemoteOperation::Delete, "notes/"),
    (RemoteOperation::List, ""),
];

#[test]
#[expect(clippy::disallowed_methods, reason = "a longer run is asked for by the environment")]
fn every_fault_in_every_place_heals() {
    let is_extended = std::env::var("HOMEFS_EXTENDED").is_ok_and(|value| value == "1");
    std::thread::scope(|scope| {
        for (number, case) in CASES.iter().enumerate() {
            // Every other place is enough of each fault, unless there is time.
            let skipped = if is_extended { 0 } else { number % 2 };
            let step = if is_extended { 1 } else { 2 };
            let places = PLACES.iter().skip(skipped).step_by(step);
            scope.spawn(move || World::new(case).suffer(case, places));
        }
    });
}

/// Two machines, and what both should have.
struct World {
    server: S3Server,
    deadline: Duration,
    a: Machine,
    b: Machine,
    expected: BTreeMap<Path, Vec<u8>>,
    /// Lines of the note that both write, those of `b` from last to first.
    lines: [Vec<String>; 2],
}

impl World {
    fn new(case: &Case) -> Self {
        let server = S3Server::start().expect("a port is free");
        let deadline =
            if case.kind == FaultKind::Timeout { DEADLINE } else { RemoteAddress::DEADLINE };
        let machine = |name| Machine::within(&server, name, deadline);
        let (a, b) = (machine("a"), machine("b"));
        let expected = BTreeMap::from([(path("/notes/seed.md"), b"9".into())]);
        let world = Self { server, deadline, a, b, expected, lines: Default::default() };
        world.a.write("/notes/note.md", "middle\n");
        // So many commits that a new machine begins with an index.
        for number in 0..10 {
            world.a.write("/notes/seed.md", number.to_string());
            world.a.try_sync().expect("the server is well");
        }
        world.b.sync();
        world
    }

    fn suffer<'p>(
        mut self,
        case: &Case,
        places: impl Iterator<Item = &'p (RemoteOperation, &'p str)>,
    ) {
        for (round, (operation, place)) in places.enumerate() {
            self.edit(round);
            let place = format!("p/agents/me/{place}");
            let named = format!("{:?} of {operation:?} {place}", case.kind);
            // Once, and so often that trying again at once does not help.
            let times = if round % 2 == 0 { 1 } else { 3 };
            self.server.fail((case.fault)(case.kind).on(*operation).below(&*place).times(times));
            self.server.clear_log();
            for error in self.sync_in_trouble(*operation, &place) {
                assert!(case.kinds.contains(&error.kind()), "{named}: {error:?}");
            }
            assert!(self.was_asked(*operation, &place), "{named}: never asked for");
            self.server.heal();
            self.check(&named);
        }
    }

    /// Changes something of every kind on both machines.
    fn edit(&mut self, round: usize) {
        let Self { a, b, expected, lines, .. } = self;
        let line = |machine: &str| format!("{machine} in round {round}\n");
        a.view
            .append(&path("/notes/note.md"), line("a").as_bytes(), &parents())
            .expect("it is there");
        let note = line("b") + &b.read("/notes/note.md");
        b.write("/notes/note.md", note);
        lines[0].push(line("a"));
        lines[1].push(line("b"));
        let mut wrote = |machine: &Machine, at: String, content: Vec<u8>| {
            machine.write(&at, &content);
            expected.insert(path(&at), content);
        };
        wrote(a, format!("/notes/{round}.md"), line("new").into_bytes());
        // Too long for one piece, and unlike any other.
        let large = line("large").repeat(10_000).into_bytes();
        wrote(b, format!("/large-{round}"), large);
        let secret = line("secret").into_bytes();
        wrote(a, format!("/secret-{round}"), secret);
        if let Some(last) = round.checked_sub(1) {
            for gone in [format!("/notes/{last}.md"), format!("/large-{last}")] {
                a.view.remove(&path(&gone), false).expect("it is there");
                expected.remove(&path(&gone));
            }
            a.view.purge(&path(&format!("/secret-{last}"))).expect("it is there");
            expected.remove(&path(&format!("/secret-{last}")));
        }
        let ends = lines[1].iter().rev().map(String::as_str).chain(["middle\n"]);
        let note: String = ends.chain(lines[0].iter().map(String::as_str)).collect();
        expected.insert(path("/notes/note.md"), note.into_bytes());
    }

    /// Does all that syncs do, on both machines and on a new one, and returns what fails.
    fn sync_in_trouble(&self, operation: RemoteOperation, place: &str) -> Vec<Error> {
        let Self { a, b, .. } = self;
        let mut done = Vec::new();
        if operation == RemoteOperation::List && place.ends_with("packs/") {
            // Whether a pack is there must be asked only if nobody heard of it.
            self.server.fail(Fault::after(FaultKind::Status(503)).on(RemoteOperation::Put));
            a.try_sync().expect_err("an answer was lost");
        }
        if place.ends_with("index/") {
            // HEAD names so many commits without one.
            for number in 0..9 {
                a.write("/notes/seed.md", number.to_string());
                done.push(a.try_sync());
            }
            a.write("/notes/seed.md", "9");
        }
        done.extend([a.try_sync(), b.try_sync(), a.try_sync()]);
        // A sync that writes copies goes on through failures, until its time is over; on a busy
        // machine it may be over before anything failed, or was even asked for.
        let tries = if place.contains("/notes/") { COPYING_TRIES } else { 0 };
        for _ in 0..tries {
            let copied = [a, b].map(|machine| machine.sync_with_copies(SHORT));
            let is_late = |error: &Error| error.kind() == Unavailable;
            done.extend(copied.into_iter().filter(|copied| !copied.as_ref().is_err_and(is_late)));
            if self.was_asked(operation, place) {
                break;
            }
        }
        if operation == RemoteOperation::Get {
            let fresh = Machine::within(&self.server, "fresh", self.deadline);
            let synced = fresh.try_sync();
            if synced.is_ok() {
                done.push(fresh.files().map(drop));
            }
            done.push(synced);
        }
        done.into_iter().filter_map(Result::err).collect()
    }

    /// Tells whether the server was asked for something in a place.
    fn was_asked(&self, operation: RemoteOperation, place: &str) -> bool {
        let log = self.server.log();
        log.iter().any(|asked| asked.operation == operation && asked.key.starts_with(place))
    }

    /// Checks that everybody has everything once.
    fn check(&self, named: &str) {
        // Whoever missed a content looks for it again when nothing else is new, which on a busy
        // machine may be a round later.
        for machine in [&self.a, &self.b, &self.a, &self.b, &self.a] {
            machine.sync();
        }
        for machine in [&self.a, &self.b] {
            let files = machine.files().expect("the server is well");
            let paths = |files: &BTreeMap<Path, Vec<u8>>| {
                files.keys().map(ToString::to_string).collect::<Vec<_>>()
            };
            assert_eq!(paths(&files), paths(&self.expected), "{named}");
            for (at, content) in &self.expected {
                let text = |bytes: &[u8]| {
                    String::from_utf8_lossy(&bytes[..bytes.len().min(2_000)]).into_owned()
                };
                assert!(files[at] == *content, "{named}: {at}: {}", text(&files[at]));
            }
            assert_eq!(machine.view.conflicts().expect("they can be listed"), [], "{named}");
            let remote = machine.store.status().remote.and_then(|remote| remote.status);
            let remote = remote.expect("it is attached");
            assert_eq!(remote.spaces[0].failure, None, "{named}");
            assert_eq!((remote.spaces[0].ahead, remote.spaces[0].copies_due), (0, 0), "{named}");
        }
        let shown: Vec<String> = self.server.objects().into_keys().collect();
        let copies = shown.iter().filter_map(|key| key.strip_prefix("p/agents/me/notes/"));
        let notes = self.expected.keys().filter(|at| at.to_string().starts_with("/notes/"));
        assert_eq!(copies.count(), notes.count(), "{named}: {shown:?}");
    }
}
