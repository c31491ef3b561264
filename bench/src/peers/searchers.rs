//! Others that search the same notes, or embed texts: Python programs that answer round by round.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::Result;
use homefs_core::{Embedder, Role};
use homefs_search::embed::BuiltIn;

use super::notes::Question;
use crate::machine;
use crate::sample::Summary;
use crate::script::Script;

const PROGRAM: &str = include_str!("searchers.py");
/// The model in ONNX's form, as Java's `LangChain4j` brings it.
const MODEL: &str = "../target/tools/all-minilm-l6-v2.jar";

const CHROMA: &str = "chroma";

/// One of them, at work.
pub(crate) struct Searcher {
    kind: &'static str,
    script: Script,
    /// How many notes it has.
    pub(crate) notes: usize,
}

impl Searcher {
    /// Starts `SQLite`'s full text search on what a folder holds.
    pub(crate) fn fts5(folder: &Path) -> Result<Self> {
        Self::start("SQLite FTS5, from Python", "fts5", folder)
    }

    /// Starts chromadb on what a folder holds; its vectors are given.
    pub(crate) fn chroma(folder: &Path) -> Result<Self> {
        Self::start("chromadb PersistentClient, vector given", CHROMA, folder)
    }

    /// Starts all-MiniLM-L6-v2 on what a folder holds.
    pub(crate) fn minilm(folder: &Path) -> Result<Self> {
        Self::start("all-MiniLM-L6-v2, onnxruntime, one thread", "minilm", folder)
    }

    fn start(name: &'static str, kind: &'static str, folder: &Path) -> Result<Self> {
        let model = machine::bench_folder().join(MODEL);
        let mut command = Command::new("python3");
        command.args(["-c", PROGRAM, kind]).arg(folder).arg(model);
        Ok(Self { kind, script: Script::start(name, &mut command)?, notes: 0 })
    }

    /// What it is.
    pub(crate) fn name(&self) -> &'static str {
        self.script.name()
    }

    /// Tells whether it searches by vectors, or else by words.
    pub(crate) fn has_vectors(&self) -> bool {
        self.kind == CHROMA
    }

    /// Waits until it is ready; none if it is not installed, which it says itself.
    pub(crate) fn ready(mut self) -> Result<Option<Self>> {
        let Ok(notes) = self.script.line()?.parse() else {
            println!("  {} is left out: see above", self.name());
            return Ok(None);
        };
        self.notes = notes;
        Ok(Some(self))
    }

    /// Lets it answer each question once.
    pub(crate) fn round(&mut self) -> Result<Summary> {
        self.script.ask("")
    }
}

/// Writes what is searched and asked into a folder.
pub(crate) fn prepare(folder: &Path, notes: &[String], questions: &[Question]) -> Result<()> {
    let texts: Vec<&str> = questions.iter().map(|question| &*question.text).collect();
    let words: Vec<String> = questions.iter().map(|question| question.words.join(" OR ")).collect();
    write(folder, "notes", notes)?;
    write(folder, "questions", &texts)?;
    write(folder, "words", &words)?;
    let notes = notes.iter().map(String::as_str);
    fs::write(folder.join("note-vectors"), vectors(notes, Role::Memory)?)?;
    fs::write(folder.join("question-vectors"), vectors(texts.into_iter(), Role::Query)?)?;
    Ok(())
}

/// Writes a list for a searcher.
pub(crate) fn write<T: AsRef<str>>(folder: &Path, name: &str, list: &[T]) -> Result<()> {
    let list: Vec<&str> = list.iter().map(AsRef::as_ref).collect();
    Ok(fs::write(folder.join(format!("{name}.json")), serde_json::to_vec(&list)?)?)
}

fn vectors<'a>(texts: impl Iterator<Item = &'a str>, role: Role) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    for text in texts {
        let vector = BuiltIn::Static.embed(text, role)?;
        bytes.extend(vector.iter().flat_map(|value| value.to_le_bytes()));
    }
    Ok(bytes)
}
