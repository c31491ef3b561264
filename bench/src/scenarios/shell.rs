//! What the scenarios of the shell share: a home full of pages, and sessions on it.

use std::path::{Path as HostPath, PathBuf};

use anyhow::{Context, Result, ensure};
use homefs_api::{Client, ClientOptions, EmbedderConfig, Limits, Shell};
use homefs_core::Path;
use homefs_view::WriteOptions;
use tempfile::TempDir;

use crate::bench::Bench;
use crate::clock;
use crate::home::who;
use crate::peers::pages::{self, Page};

/// How many pages are explored.
pub(super) const PAGES: usize = 10_000;
/// What the store is called in its folder.
const STORE: &str = "store";
/// Where files are kept in memory.
const TMPFS: &str = "/dev/shm";

/// A home with pages, and the same pages on a tmpfs.
pub(super) struct Explored {
    client: Client,
    pub(super) count: usize,
    pages: TempDir,
    folder: TempDir,
}

impl Explored {
    /// Writes the pages, and waits until nobody works in the background.
    pub(super) fn new(bench: &Bench) -> Result<Self> {
        let count = bench.scaled(PAGES);
        let pages = pages::pages(count);
        let folder = bench.folder()?;
        let client = open(&folder.path().join(STORE))?;
        write(&client, &pages)?;
        client.candidates(&Path::root(), pages::RARE_WORD, false)?;
        settle(&client)?;
        let outside = tempfile::Builder::new().prefix("homefs-bench-").tempdir_in(TMPFS)?;
        pages::write(outside.path(), &pages)?;
        Ok(Self { client, count, pages: outside, folder })
    }

    /// Returns the directory outside that holds the same pages.
    pub(super) fn outside(&self) -> PathBuf {
        self.pages.path().to_owned()
    }

    /// Returns who opened the store.
    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    /// Returns where the store is.
    pub(super) fn store(&self) -> PathBuf {
        self.folder.path().join(STORE)
    }

    /// Begins a session.
    pub(super) fn shell(&self) -> Shell {
        self.client.shell()
    }
}

/// Opens a store with the embedder that is through soonest.
pub(super) fn open(store: &HostPath) -> Result<Client> {
    let embedder = EmbedderConfig::Static;
    Ok(Client::open(ClientOptions { embedder, ..ClientOptions::new(store, who()) })?)
}

/// Writes pages into a home.
pub(super) fn write(client: &Client, pages: &[Page]) -> Result<()> {
    let options = WriteOptions { parents: true, ..WriteOptions::default() };
    for page in pages {
        client.write(&Path::parse(&page.path)?, page.text.as_bytes(), &options)?;
    }
    Ok(())
}

/// Waits until a store has folded and indexed everything.
pub(super) fn settle(client: &Client) -> Result<()> {
    clock::wait_until("the store is at rest", || {
        client.status().is_ok_and(|status| {
            let indexed = status.indexes.iter().all(|index| index.waiting == 0);
            indexed && status.load.is_some_and(|load| load.unfolded_bytes == 0)
        })
    })
}

/// Runs a script that must succeed, and returns what it writes.
pub(super) fn run(shell: &mut Shell, script: &str) -> Result<String> {
    // The listings of some scripts are longer than an agent would read.
    let limits = Limits { output_bytes: 64 << 20, ..Limits::default() };
    let output = shell.run(script, &limits)?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status == 0 && said.is_empty(), "{script} ends with {}: {said}", output.status);
    String::from_utf8(output.stdout).context("pages are text")
}
