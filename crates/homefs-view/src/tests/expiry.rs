//! Files with a time to live, in a store and in a naive model.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use homefs_core::{Clock, Error, ErrorKind, Path, Result, Timestamp};
use homefs_testkit::{CrashDisk, VirtualClock};
use proptest::prelude::*;
use tempfile::TempDir;

use super::rig::{home, open};
use crate::{RenameMode, SetMeta, Settings, Stat, Store, View, WriteOptions};
use homefs_testkit::cases;

/// One thing that happens; names are numbers into [`NAMES`].
#[derive(Clone, Debug)]
enum Step {
    Write(usize, u8),
    /// `None` is never.
    Ttl(usize, Option<u64>),
    Link(usize, usize),
    Rename(usize, usize),
    Remove(usize),
    RemoveDirectory,
    Advance(u64),
    /// The clock is wrong by so many days, and right again.
    Jump(i64),
    Sweep,
    Reopen,
    Crash,
}

/// Few: a case waits for the disk.
const CASES: u32 = 32;
const NAMES: [&str; 4] = ["/a", "/b", "/d/a", "/d/b"];

fn step() -> impl Strategy<Value = Step> {
    let name = || 0..NAMES.len();
    prop_oneof![
        4 => (name(), any::<u8>()).prop_map(|(name, byte)| Step::Write(name, byte)),
        4 => (name(), prop::option::weighted(0.8, 0..4u64)).prop_map(|(name, ttl)| Step::Ttl(name, ttl)),
        2 => (name(), name()).prop_map(|(from, to)| Step::Link(from, to)),
        1 => (name(), name()).prop_map(|(from, to)| Step::Rename(from, to)),
        1 => name().prop_map(Step::Remove),
        1 => Just(Step::RemoveDirectory),
        4 => (1..3u64).prop_map(Step::Advance),
        2 => prop_oneof![-20_000..-2i64, 2..20_000i64].prop_map(Step::Jump),
        1 => Just(Step::Sweep),
        1 => Just(Step::Reopen),
        1 => Just(Step::Crash),
    ]
}

/// What should be there: names, and the files that they mean.
#[derive(Default)]
struct Model {
    names: BTreeMap<usize, usize>,
    files: Vec<(u8, Option<Timestamp>)>,
    directory: bool,
}

impl Model {
    fn expire(&mut self, now: Timestamp) {
        let files = &self.files;
        self.names.retain(|_, file| files[*file].1.is_none_or(|expires| expires > now));
    }

    /// Does a step, or says how it must fail.
    fn apply(&mut self, step: &Step, now: Timestamp) -> Result<(), ErrorKind> {
        let there = |names: &BTreeMap<usize, usize>, name: &usize| {
            names.get(name).copied().ok_or(ErrorKind::NotFound)
        };
        match step {
            Step::Write(name, byte) => {
                self.directory |= NAMES[*name].starts_with("/d");
                let file = self.names.entry(*name).or_insert(self.files.len());
                if *file == self.files.len() {
                    self.files.push((*byte, None));
                }
                self.files[*file].0 = *byte;
            }
            Step::Ttl(name, ttl) => {
                let file = there(&self.names, name)?;
                let after =
                    |ttl: u64| Timestamp(now.0 + i64::try_from(ttl).unwrap() * 1_000_000_000);
                self.files[file].1 = ttl.map(after);
            }
            Step::Link(from, to) | Step::Rename(from, to) => {
                let file = there(&self.names, from)?;
                if NAMES[*to].starts_with("/d") && !self.directory {
                    return Err(ErrorKind::NotFound);
                }
                let other = self.names.get(to).copied();
                if let Step::Link(..) = step {
                    if other.is_some() {
                        return Err(ErrorKind::AlreadyExists);
                    }
                } else if other != Some(file) {
                    self.names.remove(from);
                }
                self.names.insert(*to, file);
            }
            Step::Remove(name) => {
                there(&self.names, name)?;
                self.names.remove(name);
            }
            Step::RemoveDirectory => {
                if !self.directory {
                    return Err(ErrorKind::NotFound);
                }
                if self.names.keys().any(|name| NAMES[*name].starts_with("/d")) {
                    return Err(ErrorKind::NotEmpty);
                }
                self.directory = false;
            }
            Step::Advance(_) | Step::Jump(_) | Step::Sweep | Step::Reopen | Step::Crash => {}
        }
        self.expire(now);
        Ok(())
    }
}

struct Rig {
    host: TempDir,
    disk: CrashDisk,
    clock: Arc<VirtualClock>,
    opened: u64,
    store: Store,
    view: View,
    model: Model,
}

impl Rig {
    #[expect(clippy::disallowed_methods, reason = "a base is a host file")]
    fn new() -> Self {
        let host = TempDir::new().expect("the host has room");
        std::fs::create_dir_all(host.path().join("spaces/agents/me")).expect("the host has room");
        let (disk, clock) =
            (CrashDisk::new(), Arc::new(VirtualClock::new(Timestamp(1_793_491_200_000_000_000))));
        let (store, view) = open(&host, &disk, &clock, &Settings::default(), 1).expect("it opens");
        Self { host, disk, clock, opened: 1, store, view, model: Model::default() }
    }

    fn reopen(&mut self) -> Result<()> {
        self.opened += 1;
        let settings = Settings::default();
        (self.store, self.view) =
            open(&self.host, &self.disk, &self.clock, &settings, self.opened)?;
        Ok(())
    }

    fn ask(&mut self, step: &Step) -> Result<()> {
        let view = &self.view;
        match step {
            Step::Write(name, byte) => {
                let options = WriteOptions { parents: true, ..WriteOptions::default() };
                view.write(&path(NAMES[*name]), &[*byte], &options).map(drop)
            }
            Step::Ttl(name, ttl) => {
                let value = ttl.map_or("never".into(), |ttl| format!("{ttl}s"));
                view.set_meta(&path(NAMES[*name]), &SetMeta::one("ttl", &value)).map(drop)
            }
            Step::Link(from, to) => view.link(&path(NAMES[*from]), &path(NAMES[*to])).map(drop),
            Step::Rename(from, to) => {
                let (from, to) = (path(NAMES[*from]), path(NAMES[*to]));
                view.rename(&from, &to, RenameMode::Replace).map(drop)
            }
            Step::Remove(name) => view.remove(&path(NAMES[*name]), false).map(drop),
            Step::RemoveDirectory => view.remove(&path("/d"), false).map(drop),
            Step::Advance(seconds) => {
                self.clock.advance(Duration::from_secs(*seconds));
                Ok(())
            }
            Step::Jump(days) => {
                let right = self.clock.now();
                self.clock.set(Timestamp(right.0 + days * 86_400_000_000_000));
                let swept = home(&self.store).sweep();
                let shown = self.view.walk(&Path::root(), None, 100)?.items;
                let is_hidden = |stat: &Stat| stat.expires.is_some() && *days > 0;
                assert!(!shown.iter().any(|found| is_hidden(&found.stat)), "{days} {shown:?}");
                let done = swept.and_then(|()| self.store.inner().fold.checkpoint());
                self.clock.set(right);
                done
            }
            Step::Sweep => {
                home(&self.store).sweep()?;
                self.store.inner().fold.checkpoint()
            }
            Step::Reopen => {
                self.store.close()?;
                self.reopen()
            }
            Step::Crash => {
                self.disk.crash_process();
                drop(self.store.close());
                self.reopen()
            }
        }
    }

    fn step(&mut self, step: &Step) -> Result<(), TestCaseError> {
        let answer = self.ask(step).map_err(|error| error.kind());
        let replaced = match step {
            Step::Rename(_, to) => self.model.names.get(to).copied(),
            _ => None,
        };
        let expected = self.model.apply(step, self.clock.now());
        if let (Step::Rename(_, to), Some(replaced), Ok(())) = (step, replaced, &answer) {
            self.take_over(*to, replaced)?;
        }
        prop_assert_eq!(&answer, &expected, "{:?}", step);
        self.check().map_err(|error| TestCaseError::fail(format!("{step:?}: {error}")))
    }

    /// A file that a program saves by renaming a new one over it keeps its end; another has its own.
    fn take_over(&mut self, name: usize, replaced: usize) -> Result<(), TestCaseError> {
        let Some(&file) = self.model.names.get(&name) else { return Ok(()) };
        let stat = self.view.stat(&path(NAMES[name]));
        let expires = stat.map_err(|error| TestCaseError::fail(error.to_string()))?.expires;
        let ends = [file, replaced].map(|file| self.model.files[file].1);
        prop_assert!(ends.contains(&expires), "{:?} of {:?}", expires, ends);
        self.model.files[file].1 = expires;
        Ok(())
    }

    /// What is shown is what the model has.
    fn check(&self) -> Result<(), Error> {
        let mut shown = BTreeMap::new();
        for found in self.view.walk(&Path::root(), None, 100)?.items {
            if found.path.as_str() != "/d" {
                shown.insert(found.path.to_string(), self.view.read(&found.path)?[0]);
            }
        }
        let expected = self.model.names.iter();
        let expected: BTreeMap<String, u8> =
            expected.map(|(name, file)| (NAMES[*name].into(), self.model.files[*file].0)).collect();
        assert_eq!(shown, expected);
        Ok(())
    }

    /// Swept, nothing but that lives, and the store is whole.
    fn check_swept(&mut self) -> Result<(), TestCaseError> {
        let told = |error: Error| TestCaseError::fail(error.to_string());
        self.ask(&Step::Sweep).map_err(told)?;
        let files: std::collections::BTreeSet<_> = self.model.names.values().collect();
        let usage = home(&self.store).tree.read().usage();
        prop_assert_eq!(usage.nodes, (files.len() + usize::from(self.model.directory)) as u64);
        prop_assert_eq!(usage.bytes, files.len() as u64);
        prop_assert_eq!(self.store.verify().map_err(told)?, []);
        Ok(())
    }
}

fn path(text: &str) -> Path {
    Path::parse(text).expect("a good path")
}

proptest! {
    #![proptest_config(cases(CASES))]

    #[test]
    fn files_expire_in_a_store_as_in_a_naive_model(steps in prop::collection::vec(step(), 1..40)) {
        let mut rig = Rig::new();
        for step in &steps {
            rig.step(step)?;
        }
        rig.check_swept()?;
        rig.step(&Step::Reopen)?;
        rig.check_swept()?;
    }
}

#[test]
fn a_space_opened_late_is_swept() {
    let mut rig = Rig::new();
    for step in [Step::Write(0, 1), Step::Write(3, 2), Step::Link(3, 1), Step::Ttl(1, Some(3))] {
        rig.step(&step).unwrap();
    }
    rig.store.close().unwrap();
    rig.clock.advance(Duration::from_secs(3));
    rig.reopen().unwrap();
    // The fold was woken by the opening; here somebody waits for it.
    while home(&rig.store).next_expiry().is_some() {
        rig.store.inner().fold.checkpoint().unwrap();
    }
    rig.store.inner().fold.checkpoint().unwrap();
    let trash = home(&rig.store).base.trash(None, 10).unwrap();
    assert_eq!(trash.len(), 1);
    assert_eq!(trash[0].agent.as_str(), "homefs");
    rig.model.expire(rig.clock.now());
    rig.check().unwrap();
}
