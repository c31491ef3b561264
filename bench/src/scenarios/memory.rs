//! What the scenarios of memory share: homes with notes, and indexes that are waited for.

use std::collections::HashMap;
use std::path::Path as HostPath;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use homefs_core::{Embedder, Role};
use homefs_search::embed::BuiltIn;
use homefs_search::rank;
use homefs_view::{IndexStatus, SearchOptions, WriteOptions};

use crate::clock;
use crate::home::{Home, files};

/// What every speaker of a scenario begins with.
pub(super) const SEED: u64 = 5;
/// More than the store keeps vectors of, so that each question is embedded when it comes again.
pub(super) const QUESTIONS: usize = 200;

/// The longest that a scenario waits for vectors.
const EMBED_MAX: Duration = Duration::from_secs(200);
const PAUSE: Duration = Duration::from_millis(20);

/// An embedder that knows the vectors of the notes already: the queue in the background takes its
/// time, so that it would be minutes until 100,000 notes have theirs.
struct Ahead {
    embedder: BuiltIn,
    vectors: HashMap<String, Vec<f32>>,
}

impl Ahead {
    /// Embeds the notes on all cores.
    fn new(embedder: BuiltIn, notes: &[String]) -> Result<Self> {
        let cores = thread::available_parallelism()?.get();
        let embed = |notes: &[String]| -> Result<Vec<(String, Vec<f32>)>> {
            let embed = |note: &String| {
                let text = rank::meaning(note);
                Ok((text.to_owned(), embedder.embed(text, Role::Memory)?))
            };
            notes.iter().map(embed).collect()
        };
        thread::scope(|scope| {
            let parts = notes.chunks(notes.len().div_ceil(cores).max(1));
            let threads: Vec<_> = parts.map(|part| scope.spawn(move || embed(part))).collect();
            let mut vectors = HashMap::with_capacity(notes.len());
            for thread in threads {
                vectors.extend(thread.join().ok().context("the embedder panicked")??);
            }
            Ok(Self { embedder, vectors })
        })
    }
}

impl Embedder for Ahead {
    fn name(&self) -> &str {
        self.embedder.name()
    }

    fn dimensions(&self) -> homefs_core::Result<usize> {
        self.embedder.dimensions()
    }

    fn embed(&self, text: &str, role: Role) -> homefs_core::Result<Vec<f32>> {
        match self.vectors.get(text) {
            Some(vector) if role == Role::Memory => Ok(vector.clone()),
            _ => self.embedder.embed(text, role),
        }
    }
}

/// Makes a home with notes, and waits until they are indexed and have their vectors.
pub(super) fn home_with(dir: &HostPath, notes: &[String], embedder: BuiltIn) -> Result<Home> {
    let home = Home::open(dir)?;
    write_notes(&home, "notes", notes)?;
    home.store.start_indexing(Arc::new(Ahead::new(embedder, notes)?))?;
    home.view.search("the first search opens the index", &SearchOptions::default())?;
    wait_for_vectors(&home, notes.len(), embedder)?;
    Ok(home)
}

/// Writes each note to a file of its own.
fn write_notes(home: &Home, below: &str, notes: &[String]) -> Result<()> {
    let files = files(below, notes.len())?;
    home.make_directories(&files)?;
    for (file, note) in files.iter().zip(notes) {
        home.view.write(file, note.as_bytes(), &WriteOptions::default())?;
    }
    Ok(())
}

/// Waits until so many notes have their vectors, and nobody works in the background.
fn wait_for_vectors(home: &Home, notes: usize, embedder: BuiltIn) -> Result<()> {
    let start = clock::now();
    loop {
        let index = index(home)?;
        if index.docs >= notes as u64 && index.waiting == 0 && index.embedder == embedder.name() {
            return home.wait_for_fold();
        }
        ensure!(start.elapsed() < EMBED_MAX, "docs wait for the embedder: {index:?}");
        thread::park_timeout(PAUSE);
    }
}

/// Returns how the one index of a home is doing.
pub(super) fn index(home: &Home) -> Result<IndexStatus> {
    home.store.status().indexes.into_iter().next().context("the home has an index")
}
