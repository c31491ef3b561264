//! A machine in a test: a store with a home, and its end of a remote.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;

use homefs_core::{AgentId, Clock, HostDisk, Path, Result, SpaceName, Timestamp};
use homefs_testkit::{MemoryRemote, MemoryServer, VirtualClock};
use tempfile::TempDir;

use crate::sync::format::{MachineId, Plain};
use crate::sync::known::Known;
use crate::sync::round::{Machine, Outcome, Pair};
use crate::{Components, Kind, Settings, Store, View, Who, WriteOptions};

/// One machine.
pub(super) struct Desk {
    dir: TempDir,
    pub(super) store: Store,
    pub(super) view: View,
    known: Known,
    machine: Machine,
    pub(super) remote: MemoryRemote,
    agent: AgentId,
    drawn: Cell<u128>,
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
        let dir = TempDir::new().expect("the host has room");
        let clock: Arc<dyn Clock> = clock.clone();
        let components = Components { clock, disk: Arc::new(HostDisk), seed: 1000 + number };
        let settings = Settings { flush_interval_ms: 3_600_000, ..Settings::default() };
        let store = Store::open(dir.path(), settings, components).expect("a new store opens");
        let agent = AgentId::new("me").expect("a good name");
        let who = Who { agent: agent.clone(), operator: false, all: false };
        let view = store.view(&who).expect("an agent has a home");
        let known = Known::open(dir.path()).expect("the host has room");
        let name = format!("machine-{number}");
        let remote = server.remote(name.clone());
        let machine = Machine { id: MachineId(number), name: name.into() };
        let drawn = Cell::new(u128::from(number) << 64);
        Self { dir, store, view, known, machine, remote, agent, drawn }
    }

    /// Makes one round.
    pub(super) fn round(&self) -> Result<Outcome> {
        let name = SpaceName::Home(self.agent.clone());
        let space = self.store.inner().spaces.get(&name)?;
        let draw = || {
            self.drawn.set(self.drawn.get() + 1);
            self.drawn.get()
        };
        let pair = Pair {
            space: &space,
            fold: &self.store.inner().fold,
            remote: &self.remote,
            known: &self.known,
            sealer: &Plain,
            machine: &self.machine,
            agent: &self.agent,
            draw: &draw,
        };
        pair.round()
    }

    /// Forgets what is known of the remote, as a new disk would.
    pub(super) fn forget(&mut self) {
        let fresh = self.dir.path().join("again");
        std::fs::create_dir_all(&fresh).expect("the host has room");
        self.known = Known::open(&fresh).expect("the host has room");
    }

    pub(super) fn write(&self, path: &str, content: &str) {
        let options = WriteOptions { parents: true, ..WriteOptions::default() };
        self.view.write(&at(path), content.as_bytes(), &options).expect("it can be written");
    }

    pub(super) fn read(&self, path: &str) -> String {
        let bytes = self.view.read(&at(path)).expect("it is there");
        String::from_utf8(bytes.to_vec()).expect("it is text")
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
            let (kind, mode, links) = (stat.kind, stat.mode, stat.links);
            (found.path, Seen { kind, mode, modified, content, links })
        });
        nodes.collect()
    }
}

pub(super) fn at(text: &str) -> Path {
    Path::parse(text).expect("a good path")
}
