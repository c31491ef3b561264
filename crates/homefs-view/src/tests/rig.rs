//! A store on a disk that crashes, beside the model that it must agree with.
#![expect(
    clippy::disallowed_methods,
    reason = "a base is a host file, and the test plays its disk"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use homefs_core::{AgentId, Clock as _, ErrorKind, Path, Result, SpaceName, Timestamp, Version};
use homefs_testkit::{Clash, CrashDisk, Expect, Model, Operation, Seen, SeenBody, VirtualClock};
use tempfile::TempDir;

use crate::{
    Components, Durability, Edit, Kind, Moment, RenameMode, SetAttrs, Settings, Store, View, Who,
    WriteOptions,
};

/// Longer than any page that a store gives, so that nothing is left out.
const ALL: usize = 10_000;

/// One store and its model.
pub(super) struct Rig {
    host: TempDir,
    disk: CrashDisk,
    clock: Arc<VirtualClock>,
    settings: Settings,
    opened: u64,
    store: Option<Store>,
    view: View,
    model: Model,
    /// The model after each change since the last barrier; the first is what the barrier kept.
    since_barrier: Vec<Model>,
}

impl Rig {
    /// Starts with an empty store.
    pub(super) fn new(settings: Settings) -> Self {
        let host = TempDir::new().expect("the host has room");
        fs::create_dir_all(host.path().join("spaces/agents/me")).expect("the host has room");
        let disk = CrashDisk::new();
        let clock = Arc::new(VirtualClock::new(Timestamp(1_000_000_000_000)));
        let (store, view) = open(&host, &disk, &clock, &settings, 1).expect("a new store opens");
        let since_barrier = vec![Model::default()];
        let (store, model) = (Some(store), Model::default());
        Self { host, disk, clock, settings, opened: 1, store, view, model, since_barrier }
    }

    /// Does one operation to both, and tells where they do not agree.
    pub(super) fn step(&mut self, operation: &Operation) -> Result<(), String> {
        self.clock.advance(Duration::from_millis(1));
        match operation {
            Operation::Barrier => {
                self.view.barrier().map_err(|error| error.to_string())?;
                self.since_barrier = vec![self.model.clone()];
                Ok(())
            }
            Operation::Quiet => {
                self.clock.advance(Duration::from_secs(2));
                Ok(())
            }
            Operation::Reopen => {
                let closed = self.store.take().expect("a store is open").close();
                closed.map_err(|error| format!("close: {error}"))?;
                self.since_barrier = vec![self.model.clone()];
                self.reopen()?;
                self.check()
            }
            Operation::CrashProcess => {
                self.disk.crash_process();
                drop(self.store.take());
                if self.opened.is_multiple_of(2) {
                    // Somebody opens the store and closes it without a look at any space.
                    self.opened += 1;
                    let store = open_store(
                        &self.host,
                        &self.disk,
                        &self.clock,
                        &self.settings,
                        self.opened,
                    );
                    let closed = store.and_then(|store| store.close());
                    closed.map_err(|error| format!("open and close: {error}"))?;
                }
                self.reopen()?;
                self.check()
            }
            Operation::CrashPower(seed) => self.lose_power(*seed),
            change => self.change(change),
        }
    }

    fn change(&mut self, operation: &Operation) -> Result<(), String> {
        let answer = self.ask(operation);
        let version = answer.as_ref().map_or(0, |version| version.0);
        let expected = self.model.apply(operation, version, self.clock.now());
        match (&answer, expected) {
            (Ok(_), Ok(())) => {}
            (Err(error), Err(kind)) if error.kind() == kind => return Ok(()),
            (Err(error), expected) => {
                let kind = error.kind();
                return Err(format!("the model says {expected:?}, the store {kind:?}: {error}"));
            }
            (Ok(_), expected) => return Err(format!("the model says {expected:?}, the store Ok")),
        }
        self.since_barrier.push(self.model.clone());
        if let Operation::Write { path, durable, .. } = operation {
            if *durable {
                self.since_barrier.drain(..self.since_barrier.len() - 1);
            }
            let stat = self.view.stat(path).map_err(|error| error.to_string())?;
            if stat.kind == Kind::File && stat.version.0 != version {
                return Err(format!("answered version {version}, stat has {}", stat.version));
            }
        }
        Ok(())
    }

    fn ask(&self, operation: &Operation) -> Result<Version> {
        let view = &self.view;
        let parents = |parents| WriteOptions { parents, ..WriteOptions::default() };
        match operation {
            Operation::Write { path, content, expect, create_only, parents, durable } => {
                let durability = if *durable { Durability::Journal } else { Durability::Memory };
                let (create_only, parents) = (*create_only, *parents);
                loop {
                    let if_version = self.expected(path, *expect);
                    let rest = WriteOptions::default();
                    let options =
                        WriteOptions { if_version, create_only, parents, durability, ..rest };
                    match view.write(path, &content.bytes(), &options) {
                        // Settling in the background is a change too.
                        Err(error)
                            if *expect == Expect::Present
                                && error.kind() == ErrorKind::Conflict
                                && if_version != self.expected(path, *expect) => {}
                        answer => return answer,
                    }
                }
            }
            Operation::Append { path, content, parents: make } => {
                view.append(path, &content.bytes(), &parents(*make))
            }
            Operation::Replace { path, old, new } => {
                let edit = Edit::Replace { old: old.clone(), new: new.clone() };
                view.edit(path, &edit, &parents(false))
            }
            Operation::Insert { path, line, text } => {
                let edit = Edit::Insert { line: *line, text: text.clone() };
                view.edit(path, &edit, &parents(false))
            }
            Operation::WriteAt { path, offset, content } => {
                view.write_at(path, *offset, &content.bytes())
            }
            Operation::Truncate { path, size } => view.truncate(path, *size),
            Operation::MakeDir { path, parents } => view.make_dir(path, *parents),
            Operation::Symlink { target, path } => view.symlink(target, path),
            Operation::Link { existing, new } => view.link(existing, new),
            Operation::Remove { path, recursive } => view.remove(path, *recursive),
            Operation::Rename { from, to, clash } => view.rename(from, to, rename_mode(*clash)),
            Operation::Copy { from, to, recursive } => view.copy(from, to, *recursive),
            Operation::SetAttrs { path, mode, xattr } => {
                let xattrs = xattr.iter().map(|(name, value)| {
                    (name.as_str().into(), value.clone().map(bytes::Bytes::from))
                });
                let (mode, xattrs) = (*mode, xattrs.collect());
                view.set_attrs(path, &SetAttrs { mode, xattrs, ..SetAttrs::default() })
            }
            Operation::Restore { path, back } => {
                let history = self.model.history(path);
                let version = history.iter().rev().nth(*back).map_or(0, |(version, _)| *version);
                view.restore(path, Moment::Version(Version(version)))
            }
            Operation::Untrash { path, to } => view.untrash(path, to.as_ref()),
            _ => unreachable!("the caller does what is no change of the space"),
        }
    }

    /// The version to expect of the file at a path; none where a link hides which file it is.
    fn expected(&self, path: &Path, expect: Expect) -> Option<Version> {
        match expect {
            Expect::Anything => None,
            Expect::Nothing => Some(Version(0)),
            Expect::Stale => Some(Version(u64::MAX)),
            Expect::Present => match self.view.stat(path) {
                Ok(stat) if stat.kind == Kind::Link => None,
                Ok(stat) => Some(stat.version),
                Err(_) => Some(Version(0)),
            },
        }
    }

    fn lose_power(&mut self, seed: u64) -> Result<(), String> {
        let store = self.store.take().expect("a store is open");
        let home = home(&store);
        let files = [self.base_file(""), self.base_file("-wal")];
        // At worst, power loss leaves of a base what was checkpointed. Disk and base stop at
        // one moment: while the base is still, the fold cannot let the journal go.
        let kept = home.base.still(|| {
            let kept = fs::read(&files[0]).expect("the base is there");
            self.disk.crash_power(seed);
            kept
        });
        drop((home, store));
        fs::write(&files[0], kept).expect("the host has room");
        fs::remove_file(&files[1]).ok();
        let survived = self.survived()?;
        self.reopen()?;
        let durable = self.since_barrier[0].version();
        if survived.0 < durable {
            return Err(format!("version {durable} had a barrier, {survived} survived"));
        }
        let prefix = self.since_barrier.iter().rev().find(|model| model.version() <= survived.0);
        self.model = prefix.expect("the barrier's own model is not newer").clone();
        self.since_barrier = vec![self.model.clone()];
        self.check().map_err(|error| format!("after version {survived}: {error}"))
    }

    /// Tells the version that the store has when it opens. What settles by itself soon after makes
    /// versions too, which no operation of the model has.
    fn survived(&mut self) -> Result<Version, String> {
        let (settle_ms, staging_bytes_max) = (1_000_000_000, u64::MAX);
        let settings = Settings { staging_bytes_max, settle_ms, ..self.settings.clone() };
        self.opened += 1;
        let store = open_store(&self.host, &self.disk, &self.clock, &settings, self.opened);
        let store = store.map_err(|error| format!("open after power loss: {error:?}"))?;
        let survived = home_version(&store);
        // Closed, it would settle.
        self.disk.crash_process();
        drop(store);
        Ok(survived)
    }

    fn base_file(&self, suffix: &str) -> PathBuf {
        self.host.path().join(format!("spaces/agents/me/base.db{suffix}"))
    }

    fn reopen(&mut self) -> Result<(), String> {
        // What was put away before counts no more: a store that opens need not know of it.
        self.clock.advance(Duration::from_secs(11));
        self.opened += 1;
        let opened = open(&self.host, &self.disk, &self.clock, &self.settings, self.opened);
        let (store, view) = opened.map_err(|error| format!("open again: {error:?}"))?;
        (self.store, self.view) = (Some(store), view);
        Ok(())
    }

    /// Compares everything that can be seen without the past.
    pub(super) fn check(&self) -> Result<(), String> {
        let (expected, found) = (self.model.tree(), observe(&self.view)?);
        if expected != found {
            let paths = expected.keys().chain(found.keys());
            let paths: std::collections::BTreeSet<_> = paths.collect();
            let differs = paths.into_iter().find(|path| expected.get(path) != found.get(path));
            let path = differs.expect("the maps differ somewhere");
            let (expected, found) = (expected.get(path), found.get(path));
            return Err(format!("{path}: the model has {expected:?}, the store {found:?}"));
        }
        let spaces = self.view.spaces().map_err(|error| error.to_string())?;
        let usage = spaces.first().map(|space| (space.usage.bytes, space.usage.nodes));
        if usage != Some(self.model.usage()) {
            return Err(format!("the model uses {:?}, the store {usage:?}", self.model.usage()));
        }
        Ok(())
    }

    /// Compares everything, the past included, and lets the store check itself.
    pub(super) fn check_past(&self) -> Result<(), String> {
        self.check()?;
        for (path, seen) in self.model.tree() {
            if let SeenBody::File(present) = seen.body {
                self.check_log(&path, &present).map_err(|error| format!("{path}: {error}"))?;
            }
        }
        let page = self.view.trash(None, ALL).map_err(|error| error.to_string())?;
        let mut found: Vec<_> =
            page.items.into_iter().map(|trashed| (trashed.path, trashed.version.0)).collect();
        let mut expected = self.model.trash();
        found.sort();
        expected.sort();
        if found != expected {
            return Err(format!("the trash of the model is {expected:?}, of the store {found:?}"));
        }
        let findings = self.store.as_ref().expect("a store is open").verify();
        let findings = findings.map_err(|error| error.to_string())?;
        if findings.is_empty() { Ok(()) } else { Err(format!("verify finds {findings:?}")) }
    }

    fn check_log(&self, path: &Path, present: &[u8]) -> Result<(), String> {
        let log = self.view.log(path, None, ALL).map_err(|error| error.to_string())?;
        let past = |version| {
            let moment = Moment::Version(version);
            self.view.read_past(path, moment, 0, usize::MAX).map_err(|error| error.to_string())
        };
        let newest = log.first().ok_or("has no history")?;
        if past(newest.version)? != present {
            return Err(format!("the newest version {} is not the present", newest.version));
        }
        for (version, content) in self.model.history(path).iter().rev().take(4) {
            let Some(edition) = log.iter().find(|edition| edition.version.0 == *version) else {
                // A save of a file that was not settled says its content once more, after that.
                let mut later = log.iter().filter(|edition| edition.version.0 > *version);
                if later.any(|edition| past(edition.version).is_ok_and(|past| past == content[..]))
                {
                    continue;
                }
                return Err(format!("version {version} is not in {log:?}"));
            };
            if edition.size != content.len() as u64 || past(edition.version)? != content[..] {
                return Err(format!("version {version} is not what was written"));
            }
        }
        Ok(())
    }
}

/// Opens the store of `me` on a disk that crashes; its bases are on the host.
pub(super) fn open(
    host: &TempDir,
    disk: &CrashDisk,
    clock: &Arc<VirtualClock>,
    settings: &Settings,
    seed: u64,
) -> Result<(Store, View)> {
    let store = open_store(host, disk, clock, settings, seed)?;
    let view = store.view(&me())?;
    Ok((store, view))
}

/// Opens a store, and none of its spaces.
pub(super) fn open_store(
    host: &TempDir,
    disk: &CrashDisk,
    clock: &Arc<VirtualClock>,
    settings: &Settings,
    seed: u64,
) -> Result<Store> {
    let components = Components { clock: clock.clone(), disk: disk.process(), seed };
    Store::open(host.path(), settings.clone(), components)
}

/// Who works in the tests.
pub(super) fn me() -> Who {
    Who { agent: AgentId::new("me").expect("a good name"), operator: false, all: false }
}

/// The home of `me`.
pub(super) fn home(store: &Store) -> Arc<homefs_store::space::Space> {
    let name = SpaceName::Home(AgentId::new("me").expect("a good name"));
    store.inner().spaces.get(&name).expect("the view has it open")
}

fn home_version(store: &Store) -> Version {
    home(store).tree.read().version()
}

/// Everything below the root of a view, read in small pages.
fn observe(view: &View) -> Result<BTreeMap<Path, Seen>, String> {
    let told = |error: homefs_core::Error| error.to_string();
    let mut seen = BTreeMap::new();
    let mut after = None;
    loop {
        let page = view.walk(&Path::root(), after.as_deref(), 7).map_err(told)?;
        for found in page.items {
            let body = match found.stat.kind {
                Kind::Directory => SeenBody::Directory,
                Kind::Link => SeenBody::Link(view.read_link(&found.path).map_err(told)?),
                Kind::File => {
                    SeenBody::File(Arc::new(view.read(&found.path).map_err(told)?.into()))
                }
                Kind::Special(_) => return Err(format!("{} was never made", found.path)),
            };
            if let SeenBody::File(bytes) = &body
                && bytes.len() as u64 != found.stat.size
            {
                return Err(format!(
                    "{}: {} bytes, stat says {}",
                    found.path,
                    bytes.len(),
                    found.stat.size
                ));
            }
            let xattrs = view.xattrs(&found.path).map_err(told)?.into_iter();
            let xattrs = xattrs.map(|(name, value)| (name.into(), value.into())).collect();
            let (mode, links) = (found.stat.mode, found.stat.links);
            if seen.insert(found.path.clone(), Seen { mode, links, xattrs, body }).is_some() {
                return Err(format!("{} is listed twice", found.path));
            }
        }
        match page.next {
            Some(next) => after = Some(next),
            None => return Ok(seen),
        }
    }
}

fn rename_mode(clash: Clash) -> RenameMode {
    match clash {
        Clash::Replace => RenameMode::Replace,
        Clash::Fail => RenameMode::NoReplace,
        Clash::Exchange => RenameMode::Exchange,
    }
}
