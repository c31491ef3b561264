//! The chapter that kills a writer.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use homefs_core::{Error, Path};
use homefs_view::WriteOptions;

use super::stage::Stage;
use crate::context::Context;
use crate::error::{Failure, Result};

/// Write numbered files for the tour until killed
#[derive(clap::Args)]
pub(crate) struct WriterArgs {}

const AGENT: &str = "akashi";
/// The writer is killed when it has acknowledged this many, at whatever it is doing then.
const KILL_AFTER: usize = 3000;
/// Ends a writer that nobody kills.
const WRITES_MAX: usize = 1_000_000;

impl WriterArgs {
    #[expect(clippy::unused_self, reason = "every command runs by value of its arguments")]
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let client = context.client()?;
        for number in 1..=WRITES_MAX {
            client.write(&path_of(number)?, &content_of(number), &options())?;
            // Said only after the store has acknowledged it.
            context.output.line(number)?;
            context.output.flush()?;
        }
        Ok(())
    }
}

/// Kills a writing process with SIGKILL and counts what it had acknowledged.
pub(super) fn show(stage: &Stage<'_>) -> Result<()> {
    stage.chapter("kill -9 loses nothing")?;
    stage.say("Another process writes one file after another and says so after each.")?;
    let said = kill_a_writer(stage)?;
    stage
        .line(&format!("kill -9 in mid-write; it had said {said} times that a file is written"))?;
    let client = stage.open(AGENT)?;
    let mut found = 0;
    for number in 1..=said {
        let content = client.read(&path_of(number)?)?;
        found += usize::from(content == content_of(number));
    }
    client.close()?;
    stage.line(&format!("opened again: {found} of {said} are there, every byte as written"))?;
    if found != said {
        return Err(Failure::new(format!("{} acknowledged writes are lost", said - found)));
    }
    Ok(())
}

fn kill_a_writer(stage: &Stage<'_>) -> Result<usize> {
    let failed = |error| Error::io("run the writer", error);
    let mut child =
        stage.command(AGENT).arg("tour-writer").stdout(Stdio::piped()).spawn().map_err(failed)?;
    let Some(said) = child.stdout.take() else {
        return Err(Failure::new("the writer has no output"));
    };
    let mut lines = BufReader::new(said).lines();
    let mut count = lines.by_ref().take(KILL_AFTER).map_while(Result::ok).count();
    child.kill().map_err(failed)?;
    // What it said before it died counts too.
    count += lines.map_while(Result::ok).count();
    child.wait().map_err(failed)?;
    if count < KILL_AFTER {
        return Err(Failure::new(format!("the writer stopped by itself after {count} files")));
    }
    Ok(count)
}

fn path_of(number: usize) -> homefs_core::Result<Path> {
    Path::parse(&format!("/crash/{:03}/{number:07}.md", number / 1000))
}

fn content_of(number: usize) -> Vec<u8> {
    format!("line {number}\n").into_bytes()
}

fn options() -> WriteOptions {
    WriteOptions { parents: true, ..WriteOptions::default() }
}
