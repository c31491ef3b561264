//! The homefs side of a scenario: a store, a view of it, and files to write.

use std::fmt::Write;
use std::path::Path as HostPath;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Result;
use homefs_core::{AgentId, Path};
use homefs_view::{Components, Settings, Store, View, Who, WriteOptions};

use crate::clock;
use crate::sample::Sample;

/// Length of a small file.
pub(crate) const SMALL_BYTES: usize = 1024;
/// Files in one directory.
const FILES_PER_DIRECTORY: usize = 100;

/// An open store and the view of its one agent.
pub(crate) struct Home {
    pub(crate) store: Store,
    pub(crate) view: View,
}

impl Home {
    /// Opens the store in a directory, with the settings that users have.
    pub(crate) fn open(dir: &HostPath) -> Result<Self> {
        let store = Store::open(dir, Settings::default(), Components::host())?;
        let view = store.view(&who())?;
        Ok(Self { store, view })
    }

    /// Waits until the fold has caught up and has let the journal go, so that it disturbs nobody.
    pub(crate) fn wait_for_fold(&self) -> Result<()> {
        let segment_bytes = Settings::default().segment_bytes;
        clock::wait_until("the fold catches up", || {
            let load = self.store.load();
            load.unfolded_bytes == 0 && load.journal_bytes <= segment_bytes
        })
    }

    /// Makes the directories that these files lie in.
    pub(crate) fn make_directories(&self, files: &[Path]) -> Result<()> {
        for file in files.iter().step_by(FILES_PER_DIRECTORY) {
            if let Some(parent) = file.parent() {
                self.view.make_dir(&parent, true)?;
            }
        }
        Ok(())
    }

    /// Writes a text to each file; only texts have readable copies in a bucket.
    pub(crate) fn write_texts(&self, files: &[Path]) -> Result<()> {
        let mut content = Content::new();
        for file in files {
            self.view.write(file, content.text().as_bytes(), &WriteOptions::default())?;
        }
        Ok(())
    }

    /// Writes each file once and measures it.
    pub(crate) fn write_all(&self, files: &[Path], options: &WriteOptions) -> Result<Sample> {
        let mut sample = Sample::with_capacity(files.len());
        let mut content = Content::new();
        for file in files {
            let bytes = content.fresh();
            sample.time(|| self.view.write(file, bytes, options))?;
        }
        Ok(sample)
    }
}

/// Returns on whose behalf scenarios act.
pub(crate) fn who() -> Who {
    let agent = AgentId::new("me").expect("the name is valid");
    // Who hears how far the fold is.
    Who { agent, operator: true, all: false }
}

/// Returns the paths of so many files below a directory.
pub(crate) fn files(below: &str, count: usize) -> Result<Vec<Path>> {
    let path = |index: usize| {
        let (directory, file) = (index / FILES_PER_DIRECTORY, index % FILES_PER_DIRECTORY);
        Ok(Path::parse(&format!("/{below}-{directory:05}/note-{file:02}.md"))?)
    };
    (0..count).map(path).collect()
}

/// Small contents, no two alike, so that nothing is saved by sharing them.
pub(crate) struct Content {
    bytes: [u8; SMALL_BYTES],
    state: u64,
}

impl Content {
    /// Starts at a place of its own, so that two of these differ too.
    pub(crate) fn new() -> Self {
        static STARTED: AtomicU64 = AtomicU64::new(0);
        let count = STARTED.fetch_add(1, Ordering::Relaxed);
        let state = (u64::from(std::process::id()) << 32) | (count << 20);
        let mut content = Self { bytes: [0; SMALL_BYTES], state };
        for at in (0..SMALL_BYTES).step_by(8) {
            let drawn = content.draw();
            content.bytes[at..at + 8].copy_from_slice(&drawn.to_le_bytes());
        }
        content
    }

    /// Returns the next content.
    pub(crate) fn fresh(&mut self) -> &[u8] {
        let drawn = self.draw();
        self.bytes[..8].copy_from_slice(&drawn.to_le_bytes());
        &self.bytes
    }

    /// Returns the next content as lines of text, no two of them alike.
    pub(crate) fn text(&mut self) -> String {
        let mut text = String::with_capacity(SMALL_BYTES);
        while text.len() < SMALL_BYTES {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{:016x} {:016x} {:029}", self.draw(), self.draw(), 0);
        }
        text
    }

    /// Draws a number (splitmix64).
    pub(crate) fn draw(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}
