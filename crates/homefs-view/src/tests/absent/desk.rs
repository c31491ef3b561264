//! A store on a disk that crashes, and a lender whose remote is a map.
#![expect(clippy::disallowed_methods, reason = "a base is a host file, and the test damages it")]

use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use bytes::Bytes;
use homefs_core::{
    AgentId, Digest, Error, ErrorKind, HostDisk, NodeId, Path, Result, Timestamp, Version,
};
use homefs_store::chunks::Pins;
use homefs_store::guard::Permit;
use homefs_store::lender::Lender;
use homefs_store::model::Kind;
use homefs_store::record::{Change, Content};
use homefs_store::space::{Author, Space};
use homefs_testkit::{CrashDisk, VirtualClock};
use parking_lot::{Condvar, Mutex};
use rustc_hash::FxHashMap;
use tempfile::TempDir;

use super::super::rig::home;
use crate::{Components, Finding, Settings, Store, View, Who, WriteOptions, repair, restore_store};

/// When a pulled content was written.
pub(super) const WRITTEN: Timestamp = Timestamp(77_000_000_000);

/// A content of three chunks, no two alike.
pub(super) fn large() -> Vec<u8> {
    (0..(2 << 20) + 500_000u32).map(|at| (at / 1000 % 251) as u8 + 1).collect()
}

pub(super) fn at(text: &str) -> Path {
    Path::parse(text).expect("a good path")
}

pub(super) fn author() -> Author {
    Author::new(AgentId::new("me").expect("a good name"))
}

/// What the remote has.
#[derive(Default)]
pub(super) struct Shelf {
    pieces: Mutex<FxHashMap<Digest, Bytes>>,
    fetched: Mutex<usize>,
    signal: Condvar,
    brings_all: Mutex<bool>,
    gate: Mutex<Option<mpsc::Receiver<()>>>,
}

impl Shelf {
    pub(super) fn add(&self, bytes: Bytes) {
        self.pieces.lock().insert(Digest::of(&bytes), bytes);
    }

    pub(super) fn spoil(&self, digest: Digest) {
        self.pieces.lock().insert(digest, Bytes::from_static(b"something else"));
    }

    /// Gives everything with whatever is asked for.
    pub(super) fn bring_all(&self) {
        *self.brings_all.lock() = true;
    }

    /// Lets the next fetch wait until what is returned is dropped.
    pub(super) fn shut(&self) -> mpsc::Sender<()> {
        let (open, gate) = mpsc::channel();
        *self.gate.lock() = Some(gate);
        *self.fetched.lock() = 0;
        open
    }

    pub(super) fn wait_for_fetch(&self) {
        let mut fetched = self.fetched.lock();
        self.signal.wait_while(&mut fetched, |fetched| *fetched == 0);
    }

    /// How often it was asked, since it was last shut.
    pub(super) fn count(&self) -> usize {
        *self.fetched.lock()
    }
}

impl Lender for Shelf {
    fn fetch(&self, digest: Digest) -> Result<Vec<(Digest, Bytes)>> {
        *self.fetched.lock() += 1;
        self.signal.notify_all();
        if let Some(gate) = self.gate.lock().take() {
            gate.recv().expect_err("it is opened by dropping the other end");
        }
        let pieces = self.pieces.lock();
        let lacks = || Error::new(ErrorKind::NotFound, "the remote does not have it");
        let found = pieces.get(&digest).ok_or_else(lacks)?;
        if *self.brings_all.lock() {
            return Ok(pieces.iter().map(|(digest, bytes)| (*digest, bytes.clone())).collect());
        }
        Ok(vec![(digest, found.clone())])
    }

    fn has(&self, digest: Digest) -> bool {
        self.pieces.lock().contains_key(&digest)
    }
}

/// One store, its home's lender, and what it needs to be opened again.
pub(super) struct Desk {
    host: TempDir,
    disk: CrashDisk,
    crashes: bool,
    clock: Arc<VirtualClock>,
    opened: u64,
    store: Option<(Store, View)>,
    pub(super) shelf: Arc<Shelf>,
}

impl Desk {
    /// Opens a store on a disk that crashes.
    pub(super) fn new() -> Self {
        Self::on(true)
    }

    /// Opens a store whose files are all on the host, as its base always is.
    pub(super) fn on_host() -> Self {
        Self::on(false)
    }

    fn on(crashes: bool) -> Self {
        let host = TempDir::new().expect("the host has room");
        if crashes {
            fs::create_dir_all(host.path().join("spaces/agents/me")).expect("the host has room");
        }
        let clock = Arc::new(VirtualClock::new(Timestamp(1_000_000_000_000)));
        let (disk, shelf) = (CrashDisk::new(), Arc::new(Shelf::default()));
        let mut opening = Self { host, disk, crashes, clock, opened: 0, store: None, shelf };
        opening.open();
        opening
    }

    /// Opens the store, without a lender; nothing is synced or folded unasked.
    pub(super) fn open(&mut self) {
        self.opened += 1;
        let settings = Settings { flush_interval_ms: 3_600_000, ..Settings::default() };
        let store = Store::open(self.host.path(), settings, self.components());
        let store = store.expect("the store opens");
        let agent = AgentId::new("me").expect("a good name");
        let view = store.view(&Who { agent, operator: false, all: false });
        self.store = Some((store, view.expect("an agent has a home")));
    }

    pub(super) fn close(&mut self) {
        let (store, _) = self.store.take().expect("a store is open");
        store.close().expect("the store closes");
    }

    pub(super) fn reopen(&mut self) {
        self.close();
        self.open();
    }

    pub(super) fn crash(&mut self) {
        self.crash_with(|_| {});
    }

    /// Lets something happen to the files of a process that died.
    pub(super) fn crash_with(&mut self, happens: impl FnOnce(&Self)) {
        self.disk.crash_process();
        self.store = None;
        happens(self);
        self.open();
    }

    /// As the rig does it: of the base stays what was checkpointed.
    pub(super) fn lose_power(&mut self, seed: u64) {
        let space = self.space();
        let kept = space.base.still(|| {
            let kept = fs::read(self.base_file()).expect("the base is there");
            self.disk.crash_power(seed);
            kept
        });
        drop(space);
        self.store = None;
        fs::write(self.base_file(), kept).expect("the host has room");
        fs::remove_file(self.base_file().with_extension("db-wal")).ok();
        self.open();
    }

    pub(super) fn view(&self) -> &View {
        &self.store.as_ref().expect("a store is open").1
    }

    fn store(&self) -> &Store {
        &self.store.as_ref().expect("a store is open").0
    }

    pub(super) fn space(&self) -> Arc<Space> {
        home(self.store())
    }

    pub(super) fn lend(&self) {
        self.space().chunks.set_lender(Some(self.shelf.clone()));
    }

    pub(super) fn fold(&self) {
        self.store().inner().fold.checkpoint().expect("the fold works");
    }

    pub(super) fn version(&self) -> Version {
        self.space().tree.read().version()
    }

    pub(super) fn node(&self, path: &str) -> NodeId {
        self.view().stat(&at(path)).expect("it is there").node
    }

    pub(super) fn findings(&self) -> Vec<Finding> {
        self.store().verify().expect("the store can be read")
    }

    /// Writes a file here, and lets the base have it.
    pub(super) fn write(&self, name: &str, bytes: &[u8]) {
        self.clock.advance(Duration::from_millis(1));
        let path = at(&format!("/{name}"));
        self.view().write(&path, bytes, &WriteOptions::default()).expect("a write");
        self.fold();
    }

    /// Makes a file whose content only the remote has.
    pub(super) fn pull(&self, name: &str, bytes: &[u8]) {
        let space = self.space();
        let mut pins = Pins::new(&space.chunks);
        let size = bytes.len() as u64;
        let content = if bytes.len() <= 64 << 10 {
            pins.add(Digest::of(bytes));
            self.shelf.add(Bytes::copy_from_slice(bytes));
            Content::Blob { digest: Digest::of(bytes), size }
        } else {
            let cut = bytes.chunks(1 << 20);
            cut.clone().for_each(|chunk| self.shelf.add(Bytes::copy_from_slice(chunk)));
            let leaf: Vec<u8> = cut.flat_map(|chunk| Digest::of(chunk).0).collect();
            let leaf = space.chunks.put(&leaf, &mut pins).expect("the disk has room");
            Content::Chunked { size, leaves: vec![leaf] }
        };
        let done = space.change_now(&author(), Permit::follower(), |tree, draft| {
            tree.names(NodeId::ROOT)?;
            let attrs = draft.attrs(Kind::File, None);
            let node = draft.make(NodeId::ROOT, name, attrs)?;
            let (content, machine) = (content.clone(), Some("laptop".into()));
            let agent = AgentId::new("pat")?;
            draft.push(Change::Pulled { node, content, time: WRITTEN, agent, machine });
            Ok(())
        });
        space.hold(done.expect("a change").version, pins);
    }

    pub(super) fn damage_chunk(&self, digest: Digest) {
        let path = self.chunk_file(digest);
        self.disk.plant(&path, b"damaged");
    }

    fn chunk_file(&self, digest: Digest) -> PathBuf {
        let name = digest.to_string();
        self.host.path().join("spaces/agents/me/chunks").join(&name[..2]).join(&name)
    }

    /// Changes a small content in the file of the base; the store is closed.
    pub(super) fn damage_blob(&self, digest: Digest) {
        let connection = rusqlite::Connection::open(self.base_file()).expect("the base opens");
        let sql = "UPDATE blobs SET bytes = x'00' WHERE digest = ?1";
        assert_eq!(connection.execute(sql, [digest.0]).expect("it can be changed"), 1);
    }

    /// Makes the rows of the base, which is closed, disagree with each other.
    pub(super) fn damage_rows(&self) {
        let connection = rusqlite::Connection::open(self.base_file()).expect("the base opens");
        let changed = connection.execute("UPDATE meta SET nodes = nodes + 1", []);
        assert_eq!(changed.expect("it can be changed"), 1);
    }

    fn base_file(&self) -> PathBuf {
        self.host.path().join("spaces/agents/me/base.db")
    }

    fn components(&self) -> Components {
        let disk = if self.crashes { self.disk.process() } else { Arc::new(HostDisk) };
        Components { clock: self.clock.clone(), disk, seed: self.opened }
    }

    /// Repairs the store, which is closed.
    pub(super) fn repair(&self) -> Vec<Finding> {
        repair(self.host.path(), &self.components()).expect("it can be repaired")
    }

    /// Goes on in a store made of a backup of this one.
    pub(super) fn back_up_and_restore(&mut self) {
        let (backup, host) = (TempDir::new().expect("room"), TempDir::new().expect("room"));
        self.store().backup(backup.path()).expect("it can be copied");
        self.close();
        restore_store(backup.path(), host.path(), &self.components()).expect("it can be restored");
        self.host = host;
        self.open();
    }
}
