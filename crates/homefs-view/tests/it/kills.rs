//! Real processes killed at any moment: what was acknowledged is there, once and in order.
#![expect(clippy::disallowed_methods, reason = "a child learns its store from the environment")]

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path as HostPath, PathBuf};
use std::process::{ChildStdout, Command, Stdio};
use std::thread;

use homefs_core::limits::INLINE_BYTES_MAX;
use homefs_core::{AgentId, Path};
use homefs_view::{Components, Durability, Kind, Settings, Store, View, Who, WriteOptions};

/// The directory of the child's store; a process without it is no child.
const STORE: &str = "HOMEFS_TEST_STORE";
/// What else the child is told.
const ARGUMENT: &str = "HOMEFS_TEST_ARGUMENT";
/// Comes before every line that a child says, to tell it from what the test harness prints.
const MARK: char = '@';
/// Threads of a child, each with files of its own.
const THREADS: usize = 3;
/// Kills that one store has to live through.
const KILLS: u64 = 25;
/// Length of the file that is written in ranges: a little more than a chunk.
const RANGES_BYTES: usize = 13 * 100_000;

/// This test binary run once more, as the owner of a store that is to be killed.
pub(crate) struct Child {
    process: std::process::Child,
    output: BufReader<ChildStdout>,
}

impl Child {
    /// Starts one test of this binary.
    pub(crate) fn start(test: &str, store: &HostPath, argument: &str) -> Self {
        let mut process = Command::new(env::current_exe().expect("this binary has a path"))
            .args([test, "--exact", "--nocapture", "--test-threads=1"])
            .env(STORE, store)
            .env(ARGUMENT, argument)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the child starts");
        let output = BufReader::new(process.stdout.take().expect("the output is piped"));
        Self { process, output }
    }

    /// Returns the next line that the child says; `None` when it is dead and all is heard.
    pub(crate) fn hear(&mut self) -> Option<String> {
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line).expect("the output is text") == 0 {
                return None;
            }
            if let Some((_, said)) = line.trim_end().split_once(MARK) {
                return Some(said.into());
            }
        }
    }

    /// Kills the child without warning.
    pub(crate) fn kill(&mut self) {
        self.process.kill().expect("the child can be killed");
        self.process.wait().expect("the child ends");
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // A test that fails must not leave its child behind.
        drop(self.process.kill().and_then(|()| self.process.wait()));
    }
}

/// Returns what a child was told; `None` in a process that is no child.
pub(crate) fn told() -> Option<(PathBuf, String)> {
    let store: OsString = env::var_os(STORE)?;
    Some((store.into(), env::var(ARGUMENT).unwrap_or_default()))
}

/// Says one line to the parent; one write to a pipe, so that a kill does not tear it.
pub(crate) fn say(line: &str) {
    let mut output = io::stdout().lock();
    output.write_all(format!("{MARK}{line}\n").as_bytes()).expect("the parent listens");
    output.flush().expect("the parent listens");
}

fn open(dir: &HostPath) -> Store {
    // Small and hasty, so that every kill finds folding, settling and releasing on their way.
    let settings = Settings {
        flush_interval_ms: 5,
        segment_bytes: 1 << 20,
        journal_bytes_max: 8 << 20,
        settle_ms: 20,
        ..Settings::default()
    };
    Store::open(dir, settings, Components::host()).expect("the store opens")
}

fn view(store: &Store) -> View {
    let agent = AgentId::new("me").expect("a plain name");
    store.view(&Who { agent, operator: false, all: false }).expect("the home opens")
}

fn path(text: &str) -> Path {
    Path::parse(text).expect("a plain path")
}

/// How an item changes its file.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Write,
    Append,
    Range(usize),
}

/// One of the numbered changes that a thread makes one after the other.
struct Item {
    file: String,
    way: Way,
    bytes: Vec<u8>,
    durability: Durability,
}

impl Item {
    fn new(thread: usize, number: usize) -> Self {
        let text = |bytes: usize| format!("{thread}/{number} ").repeat(bytes / 6).into_bytes();
        let (name, way, bytes) = match number % 4 {
            _ if number == 0 => ("ranges".into(), Way::Write, vec![0; RANGES_BYTES]),
            // Some contents are too large for a record.
            0 => {
                let bytes = text(if number.is_multiple_of(32) { 100_000 } else { 700 });
                (format!("file-{number}"), Way::Write, bytes)
            }
            1 | 2 => ("lines".into(), Way::Append, [&text(500)[..], b"\n"].concat()),
            // Some ranges are two records, some cross from one chunk to the next.
            _ => {
                let bytes = text(if number.is_multiple_of(5) { 80_000 } else { 3000 });
                ("ranges".into(), Way::Range(number % 13 * 100_000), bytes)
            }
        };
        let durable = number.is_multiple_of(11);
        let durability = if durable { Durability::Journal } else { Durability::Memory };
        Self { file: format!("/thread-{thread}/{name}"), way, bytes, durability }
    }

    /// Makes the change in a store.
    fn make(&self, view: &View) {
        let options =
            WriteOptions { parents: true, durability: self.durability, ..WriteOptions::default() };
        let file = path(&self.file);
        let made = match self.way {
            Way::Write => view.write(&file, &self.bytes, &options),
            Way::Append => view.append(&file, &self.bytes, &options),
            Way::Range(offset) => view.write_at(&file, offset as u64, &self.bytes),
        };
        made.expect("the item is written");
    }

    /// Tells whether a store has the change, given that it has those before.
    fn is_made(&self, view: &View) -> bool {
        let file = path(&self.file);
        match self.way {
            Way::Range(offset) => view.read_at(&file, offset as u64, self.bytes.len()),
            _ => view.read(&file),
        }
        .is_ok_and(|bytes| bytes.ends_with(&self.bytes))
    }

    /// Makes a part of the change in a model: what one record holds.
    fn make_part(&self, part: usize, files: &mut Files) {
        let file = files.entry(self.file.clone()).or_default();
        match self.way {
            Way::Write => file.clone_from(&self.bytes),
            Way::Append => file.extend_from_slice(&self.bytes),
            Way::Range(offset) => {
                let bytes = self.bytes.chunks(INLINE_BYTES_MAX).nth(part).expect("a part");
                let start = offset + part * INLINE_BYTES_MAX;
                file[start..start + bytes.len()].copy_from_slice(bytes);
            }
        }
    }

    fn parts(&self) -> usize {
        match self.way {
            Way::Range(_) => self.bytes.len().div_ceil(INLINE_BYTES_MAX),
            _ => 1,
        }
    }
}

type Files = BTreeMap<String, Vec<u8>>;

/// What one thread of the children has done.
#[derive(Default)]
struct Expected {
    /// Its first items, as many as are acknowledged.
    items: usize,
    files: Files,
}

impl Expected {
    fn make_next(&mut self, thread: usize) {
        let item = Item::new(thread, self.items);
        (0..item.parts()).for_each(|part| item.make_part(part, &mut self.files));
        self.items += 1;
    }

    /// Checks that a store has the acknowledged items, and of the next one at most a beginning.
    fn check(&mut self, view: &View, thread: usize, context: &str) {
        let found = files_of(view, thread);
        if found == self.files {
            return;
        }
        let item = Item::new(thread, self.items);
        let before = self.files.get(&item.file).cloned();
        for part in 0..item.parts() {
            item.make_part(part, &mut self.files);
            if found == self.files {
                if part + 1 == item.parts() {
                    self.items += 1;
                } else if let Some(before) = before {
                    self.files.insert(item.file, before);
                }
                return;
            }
        }
        let differ = |name: &&String| found.get(*name) != self.files.get(*name);
        let wrong: Vec<_> = found.keys().chain(self.files.keys()).filter(differ).collect();
        assert_eq!(wrong, [""; 0], "{context}: thread {thread} after {} items", self.items);
    }
}

fn files_of(view: &View, thread: usize) -> Files {
    let mut files = Files::new();
    let mut after = None;
    // A child may have been killed before it made anything.
    while let Ok(page) = view.walk(&path(&format!("/thread-{thread}")), after.as_deref(), 1000) {
        for found in page.items.iter().filter(|found| found.stat.kind == Kind::File) {
            let bytes = view.read(&found.path).expect("what is listed can be read");
            files.insert(found.path.to_string(), bytes.into());
        }
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    files
}

/// The child: goes on where the last one was killed, and says after each item how many are done.
#[test]
fn child() {
    let Some((dir, argument)) = told() else { return };
    say("opening");
    let store = open(&dir);
    let store = &store;
    thread::scope(|scope| {
        for (thread, items) in argument.split(' ').enumerate() {
            let mut items: usize = items.parse().expect("a number");
            scope.spawn(move || {
                let view = view(store);
                items += usize::from(Item::new(thread, items).is_made(&view));
                loop {
                    say(&format!("{thread} {items}"));
                    Item::new(thread, items).make(&view);
                    items += 1;
                }
            });
        }
    });
}

/// Draws the next of a row of numbers that only looks random.
fn draw(state: &mut u64, below: u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) % below
}

/// Lets one child work until it has said some lines; takes up what it acknowledged.
fn kill_one(dir: &HostPath, lines: u64, threads: &mut [Expected], context: &str) {
    let items: Vec<String> = threads.iter().map(|thread| thread.items.to_string()).collect();
    let mut child = Child::start("kills::child", dir, &items.join(" "));
    let mut heard = 0;
    loop {
        if heard == lines {
            child.kill();
        }
        // What was said before the kill counts, even if it is heard after.
        let Some(line) = child.hear() else { break };
        heard += 1;
        let Some((thread, items)) = line.split_once(' ') else { continue };
        let (thread, items): (usize, usize) =
            (thread.parse().expect("a number"), items.parse().expect("a number"));
        let known = &mut threads[thread];
        if items > known.items {
            known.make_next(thread);
        }
        assert_eq!(items, known.items, "{context}: thread {thread}");
    }
    assert!(heard >= lines, "{context}: the child ended by itself after {heard} lines");
}

fn live_through_kills(seed: u64) {
    let dir = tempfile::tempdir().expect("a directory");
    let mut state = seed;
    let mut threads: Vec<Expected> = (0..THREADS).map(|_| Expected::default()).collect();
    for kill in 0..KILLS {
        let context = format!("seed {seed}, kill {kill}");
        // One in four is killed while it opens the store, at the latest shortly after.
        let lines = if draw(&mut state, 4) == 0 { 1 } else { 1 + draw(&mut state, 200) };
        kill_one(dir.path(), lines, &mut threads, &context);
        // One in four kills meets what the kill before it left behind.
        if draw(&mut state, 4) == 0 && kill + 1 < KILLS {
            continue;
        }
        let store = open(dir.path());
        let view = view(&store);
        for (thread, expected) in threads.iter_mut().enumerate() {
            expected.check(&view, thread, &context);
        }
        if kill + 1 == KILLS {
            assert_eq!(store.verify().expect("the check works"), [], "{context}");
        }
        store.close().expect("the store closes");
    }
}

/// One store each, so that no test is long.
macro_rules! stores {
    ($($name:ident $seed:literal)*) => {$(
        #[test]
        fn $name() {
            let stores = if env::var_os("HOMEFS_EXTENDED").is_some() { 10 } else { 1 };
            (0..stores).for_each(|store| live_through_kills($seed + 1000 * store));
        }
    )*};
}

stores! {
    what_was_acknowledged_survives_kills_1 1
    what_was_acknowledged_survives_kills_2 2
    what_was_acknowledged_survives_kills_3 3
    what_was_acknowledged_survives_kills_4 4
    what_was_acknowledged_survives_kills_5 5
    what_was_acknowledged_survives_kills_6 6
    what_was_acknowledged_survives_kills_7 7
    what_was_acknowledged_survives_kills_8 8
}
