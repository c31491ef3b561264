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
use homefs_engine::{Components, Durability, Kind, Settings, Store, View, Who, WriteOptions};

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

    /// Makes the change in a model, one record after the other; returns after each.
    fn model<'a>(&'a self, files: &'a mut Files) -> impl Iterator<Item = Files> + 'a {
        let record_bytes = match self.way {
            Way::Range(_) => INLINE_BYTES_MAX,
            _ => self.bytes.len(),
        };
        let file = files.entry(self.file.clone()).or_default();
        drop(file);
        self.bytes.chunks(record_bytes).enumerate().map(move |(part, bytes)| {
            let file = files.get_mut(&self.file).expect("made above");
            match self.way {
                Way::Write => *file = bytes.to_vec(),
                Way::Append => file.extend_from_slice(bytes),
                Way::Range(offset) => {
                    let start = offset + part * record_bytes;
                    file[start..start + bytes.len()].copy_from_slice(bytes);
                }
            }
            files.clone()
        })
    }
}
