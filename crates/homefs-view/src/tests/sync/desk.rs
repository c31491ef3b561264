//! A machine in a test: a store with a home, and its end of a remote.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use homefs_core::{AgentId, Path, Result, SpaceName, Timestamp};
use homefs_sync::format::Plain;
use homefs_sync::known::RemoteTracking;
use homefs_sync::lending::Lending;
use homefs_sync::machine::Machine;
use homefs_sync::round::{Outcome, Pair};
use homefs_sync::status::Direction;
use homefs_testkit::{CrashDisk, MemoryServer, VirtualClock};
use parking_lot::Mutex;
use tempfile::TempDir;

use crate::{
    Components, Kind, MakeNode, RenameMode, SetAttrs, Settings, Special, Store, View, Who,
    WriteOptions, plain_mode,
};

/// One machine.
pub(super) struct Desk {
    number: u64,
    server: MemoryServer,
    pub(super) host: TempDir,
    pub(super) disk: CrashDisk,
    pub(super) clock: Arc<VirtualClock>,
    drawn: Arc<AtomicU64>,
    opened: u64,
    pub(super) store: Store,
    pub(super) view: View,
    pub(super) pair: Arc<Pair>,
}

/// How a program saves a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Save {
    /// It renames a new one over it.
    Over,
    /// It renames the old one to a backup, which stays.
    Backup,
    /// It renames the old one to a backup and removes that.
    Away,
}

/// A node as everybody should see it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Seen {
    kind: Kind,
    mode: u32,
    modified: Timestamp,
    pub(super) content: Vec<u8>,
    links: u32,
}

impl Desk {
    /// Sets up a machine; `number` tells it from others.
    pub(super) fn new(server: &MemoryServer, number: u64, clock: &Arc<VirtualClock>) -> Self {
        let host = room();
        fs::create_dir_all(host.path().join("spaces/agents/me")).expect("the host has room");
        let (disk, drawn) = (CrashDisk::new(), Arc::new(AtomicU64::new(0)));
        let (store, view, pair) = open(server, number, &host, &disk, clock, &drawn, 0);
        let (server, clock) = (server.clone(), clock.clone());
        Self { number, server, host, disk, clock, drawn, opened: 0, store, view, pair }
    }

    /// Kills the process and starts it again.
    pub(super) fn crash(&mut self) {
        self.disk.crash_process();
        self.pair.known.close();
        // What it tells of while it goes is that its disk is gone.
        self.store.close().ok();
        self.open_again();
    }

    fn open_again(&mut self) {
        self.opened += 1;
        let Self { number, server, host, disk, clock, drawn, opened, .. } = &*self;
        (self.store, self.view, self.pair) =
            open(server, *number, host, disk, clock, drawn, *opened);
    }

    /// Makes a machine whose store is a copy of this one's, as `cp -r` or a snapshot makes it.
    pub(super) fn copy(&self, number: u64) -> Self {
        let (host, disk) = self.copy_files();
        let (server, clock) = (self.server.clone(), self.clock.clone());
        let drawn = Arc::new(AtomicU64::new(0));
        let (store, view, pair) = open(&server, number, &host, &disk, &clock, &drawn, 0);
        Self { number, server, host, disk, clock, drawn, opened: 0, store, view, pair }
    }

    /// Returns a copy of the files that it has.
    pub(super) fn copy_files(&self) -> (TempDir, CrashDisk) {
        fn copy(from: &std::path::Path, to: &std::path::Path) {
            fs::create_dir_all(to).expect("the host has room");
            for entry in fs::read_dir(from).expect("it can be listed") {
                let entry = entry.expect("it can be listed");
                let to = to.join(entry.file_name());
                if entry.path().is_dir() {
                    copy(&entry.path(), &to);
                } else {
                    fs::copy(entry.path(), to).expect("the host has room");
                }
            }
        }
        let host = room();
        // Nothing moves in a base that is not folded.
        self.pair.space.base.still(|| copy(self.host.path(), host.path()));
        let disk = self.disk.copied(self.host.path(), host.path());
        (host, disk)
    }

    /// Goes on from files that it had before, as a machine does whose disk was put back.
    pub(super) fn roll_back(&mut self, (host, disk): (TempDir, CrashDisk)) {
        self.disk.crash_process();
        self.pair.known.close();
        self.store.close().ok();
        (self.host, self.disk) = (host, disk);
        self.open_again();
    }

    /// Returns the bytes of every file that it has.
    pub(super) fn files(&self) -> Vec<Vec<u8>> {
        fn read(dir: &std::path::Path, files: &mut Vec<Vec<u8>>) {
            for entry in fs::read_dir(dir).expect("it can be listed") {
                let path = entry.expect("it can be listed").path();
                if path.is_dir() {
                    read(&path, files);
                } else {
                    // A file may go while others are read.
                    files.extend(fs::read(&path));
                }
            }
        }
        let mut files: Vec<_> = self.disk.files().into_values().collect();
        read(self.host.path(), &mut files);
        files
    }

    /// Returns the file of what it knows of the remote.
    pub(super) fn known_file(&self) -> std::path::PathBuf {
        self.host.path().join("remote.db")
    }

    /// Returns what the server calls it.
    pub(super) fn name(&self) -> String {
        name(self.number)
    }

    /// Makes one round.
    pub(super) fn round(&self) -> Result<Outcome> {
        self.pair.round(Direction::Both)
    }

    /// Returns what an operator sees of it.
    pub(super) fn operator(&self) -> View {
        let who = Who { operator: true, ..self.view.who().clone() };
        self.store.view(&who).expect("an operator sees every home")
    }

    /// Makes a device.
    pub(super) fn make_device(&self, path: &Path) -> Result<()> {
        let nodes = self.operator().nodes();
        let (parent, name) = (path.parent().expect("not the root"), path.name().expect("the same"));
        let mut above = nodes.root();
        for name in parent.names() {
            above = nodes.lookup(&above, name)?.0;
        }
        let kind = Kind::Special(Special::Character(0x0103));
        let make = MakeNode { kind, mode: 0o666, uid: 0, gid: 0, target: "" };
        nodes.make(&above, name, &make).map(drop)
    }

    /// Gives a node a mode, as an operator.
    pub(super) fn chmod(&self, path: &Path, mode: u32) -> Result<()> {
        let set = SetAttrs { mode: Some(mode), ..SetAttrs::default() };
        self.operator().set_attrs(path, &set).map(drop)
    }

    /// Writes the readable copies that are due, slice by slice; returns how many are due still.
    pub(super) fn write_copies(&self, before: Timestamp) -> Result<u64> {
        while !self.pair.write_copies(before)? {}
        self.pair.known.copies_due()
    }

    /// Forgets what is known of the remote, as a new disk would.
    pub(super) fn forget(&self) {
        self.pair.known.forget().expect("the host has room");
    }

    pub(super) fn write(&self, path: &str, content: &str) {
        let options = WriteOptions { parents: true, ..WriteOptions::default() };
        self.view.write(&at(path), content.as_bytes(), &options).expect("it can be written");
    }

    /// Adds a line to a file as programs do that save it by making a new one: over the old one, or
    /// after they renamed that to a backup, which they may remove.
    pub(super) fn save(&self, path: &Path, line: &str, way: Save) -> Result<()> {
        let (view, options) = (&self.view, WriteOptions::default());
        let text = [&view.read(path)?, line.as_bytes()].concat();
        let beside = |end: &str| Path::parse(&format!("{path}{end}")).expect("a good path");
        if way == Save::Over {
            view.write(&beside(".tmp"), &text, &options)?;
            view.rename(&beside(".tmp"), path, RenameMode::Replace)?;
            return Ok(());
        }
        view.rename(path, &beside("~"), RenameMode::Replace)?;
        view.write(path, &text, &options)?;
        if way == Save::Away {
            view.remove(&beside("~"), false)?;
        }
        Ok(())
    }

    pub(super) fn read(&self, path: &str) -> String {
        let bytes = self.view.read(&at(path)).expect("it is there");
        String::from_utf8(bytes.to_vec()).expect("it is text")
    }

    /// Returns the contents of all files but backups, as one text.
    pub(super) fn words(&self) -> String {
        let files = self.tree().into_iter().filter(|(path, _)| !path.as_str().ends_with('~'));
        let all: Vec<u8> = files.flat_map(|(_, seen)| seen.content).collect();
        String::from_utf8_lossy(&all).into_owned()
    }

    /// Returns everything there is.
    pub(super) fn tree(&self) -> BTreeMap<Path, Seen> {
        let found = self.view.walk(&Path::root(), None, 10_000).expect("it can be walked").items;
        let nodes = found.into_iter().map(|found| {
            let content = match found.stat.kind {
                Kind::File => self.view.read(&found.path).expect("it is there").to_vec(),
                Kind::Link => self.view.read_link(&found.path).expect("it is there").into_bytes(),
                _ => Vec::new(),
            };
            let stat = found.stat;
            let modified = if stat.kind == Kind::Directory { Timestamp(0) } else { stat.modified };
            // What is special is of this machine alone.
            let (kind, mode, links) = (stat.kind.plain(), plain_mode(stat.mode), stat.links);
            (found.path, Seen { kind, mode, modified, content, links })
        });
        nodes.collect()
    }
}

/// Returns a directory for a store, in memory where that can be: what is tried here is not whether
/// the host's disk syncs, and it takes most of the time.
fn room() -> TempDir {
    TempDir::new_in("/dev/shm").or_else(|_| TempDir::new()).expect("the host has room")
}

fn name(number: u64) -> String {
    format!("machine-{number}")
}

fn open(
    server: &MemoryServer,
    number: u64,
    host: &TempDir,
    disk: &CrashDisk,
    clock: &Arc<VirtualClock>,
    drawn: &Arc<AtomicU64>,
    opened: u64,
) -> (Store, View, Arc<Pair>) {
    let seed = 1000 * number + opened;
    let components = Components { clock: clock.clone(), disk: disk.process(), seed };
    // What is in one folder is readable, whatever it is.
    let readable = "*.md *.markdown *.mdx *.txt /raw/*".to_owned();
    let settings = Settings { flush_interval_ms: 3_600_000, readable, ..Settings::default() };
    let store = Store::open(host.path(), settings, components).expect("the store opens");
    let agent = AgentId::new("me").expect("a good name");
    let who = Who { agent: agent.clone(), operator: false, all: false };
    let view = store.view(&who).expect("an agent has a home");
    let drawn = drawn.clone();
    let draw = move || {
        let drawn = drawn.fetch_add(1, Ordering::Relaxed);
        (u128::from(number) << 64) | u128::from(drawn)
    };
    let inner = store.inner();
    let (dir, disk) = (host.path(), &inner.ground.disk);
    let machine = Machine::of_store(dir, disk, &name(number), number).expect("the host has room");
    let pair = Arc::new(Pair {
        space: inner.spaces.get(&SpaceName::Home(agent.clone())).expect("it is there"),
        fold: inner.fold.clone(),
        remote: Arc::new(server.remote(name(number))),
        known: Arc::new(RemoteTracking::open(host.path()).expect("the host has room")),
        sealer: Arc::new(Plain),
        machine: Arc::new(machine),
        agent,
        draw: Arc::new(draw),
        turn: Mutex::default(),
    });
    pair.space.chunks.set_lender(Some(Arc::new(Lending::new(&pair))));
    (store, view, pair)
}

pub(super) fn at(text: &str) -> Path {
    Path::parse(text).expect("a good path")
}
