//! The owner's socket, asked by a second process.

use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path as HostPath;
use std::thread;

use anyhow::{Context, Result, bail, ensure};
use homefs_api::{Client, ClientOptions};
use homefs_core::Path;
use homefs_view::WriteOptions;
use serde::{Deserialize, Serialize};

use super::Scenario;
use crate::bench::Bench;
use crate::home::{Content, SMALL_BYTES, who};
use crate::report::{Bar, Report, Row, Unit};
use crate::sample::{Sample, Summary};
use crate::{child, machine};

const NAME: &str = "socket";
/// The scenario.
pub(super) const SCENARIO: Scenario = Scenario {
    name: NAME,
    about: "read and write 1 KiB through the owner's socket, beside a bare ping-pong",
    run,
    child: Some(second),
};

const CALLS: usize = 20_000;
/// Bytes that go the other way than the content.
const REST_BYTES: usize = 64;
const FILE: &str = "/note.md";

/// What the second process measured.
#[derive(Serialize, Deserialize)]
struct Measured {
    write: Summary,
    read: Summary,
    ping_write: Summary,
    ping_read: Summary,
}

fn run(bench: &Bench, report: &mut Report) -> Result<()> {
    machine::on_one_core(|| run_on_one_core(bench, report))
}

fn run_on_one_core(bench: &Bench, report: &mut Report) -> Result<()> {
    let folder = bench.folder()?;
    let store = folder.path().join("store");
    let owner = Client::open(ClientOptions::new(&store, who()))?;
    owner.write(&Path::parse(FILE)?, Content::new().fresh(), &WriteOptions::default())?;
    ensure!(owner.view_here().is_some(), "this process must own the store");
    let listener = UnixListener::bind(folder.path().join("ping"))?;
    // The echo ends with its connections, when the second process does.
    let echo = thread::spawn(move || -> Result<()> {
        let write = listener.accept()?.0;
        let read = listener.accept()?.0;
        let first = thread::spawn(move || answer(write, SMALL_BYTES, REST_BYTES));
        answer(read, REST_BYTES, SMALL_BYTES);
        drop(first.join());
        Ok(())
    });
    let place = folder.path().to_str().context("the folder has a readable name")?;
    let calls = bench.scaled(CALLS).to_string();
    let rounds = bench.rounds().to_string();
    let measured: Measured = child::ask(NAME, &[place, &rounds, &calls])?;
    drop(echo.join());
    for (what, homefs, ping) in [
        ("write 1 KiB by socket", measured.write, measured.ping_write),
        ("read 1 KiB by socket", measured.read, measured.ping_read),
    ] {
        report.add_latency(NAME, what, SMALL_BYTES, homefs);
        report.add_latency(NAME, "bare ping-pong of these sizes", SMALL_BYTES, ping);
        let row = Row::new(NAME, &format!("{what}, p50"), homefs.p50, Unit::Microseconds);
        // At most twice its time is at least half as fast.
        report.add(row.against("bare ping-pong", ping.p50).bar(Bar::TimesAsFast(0.5)));
    }
    Ok(owner.close()?)
}

/// Answers as long as somebody asks.
fn answer(mut stream: UnixStream, request_bytes: usize, answer_bytes: usize) {
    let (mut request, answer) = (vec![0; request_bytes], vec![1; answer_bytes]);
    while stream.read_exact(&mut request).is_ok() && stream.write_all(&answer).is_ok() {}
}

/// The second process.
fn second(words: &[String]) -> Result<()> {
    let [folder, rounds, calls] = words else { bail!("what should the second process do?") };
    let (folder, rounds, calls) = (HostPath::new(folder), rounds.parse()?, calls.parse()?);
    let client = Client::open(ClientOptions::new(folder.join("store"), who()))?;
    ensure!(client.view_here().is_none(), "this process must not own the store");
    let mut write_line = UnixStream::connect(folder.join("ping"))?;
    let mut read_line = UnixStream::connect(folder.join("ping"))?;
    let file = Path::parse(FILE)?;
    let options = WriteOptions::default();
    let mut all: [Vec<Summary>; 4] = Default::default();
    let mut content = Content::new();
    for _ in 0..rounds {
        all[0].push(measure(calls, || client.write(&file, content.fresh(), &options))?);
        all[1].push(measure(calls, || client.read(&file))?);
        all[2].push(measure(calls, || exchange(&mut write_line, SMALL_BYTES, REST_BYTES))?);
        all[3].push(measure(calls, || exchange(&mut read_line, REST_BYTES, SMALL_BYTES))?);
    }
    let [write, read, ping_write, ping_read] = all.map(|rounds| Summary::of_rounds(&rounds));
    let measured = Measured { write, read, ping_write, ping_read };
    println!("{}", serde_json::to_string(&measured)?);
    Ok(client.close()?)
}

fn exchange(stream: &mut UnixStream, request_bytes: usize, answer_bytes: usize) -> Result<()> {
    let mut buffer = [2; SMALL_BYTES];
    stream.write_all(&buffer[..request_bytes])?;
    Ok(stream.read_exact(&mut buffer[..answer_bytes])?)
}

fn measure<T, E>(calls: usize, mut act: impl FnMut() -> Result<T, E>) -> Result<Summary>
where
    anyhow::Error: From<E>,
{
    let mut sample = Sample::with_capacity(calls);
    for _ in 0..calls {
        sample.time(&mut act)?;
    }
    Ok(sample.summary())
}
