//! Memories that other systems kept, brought into a store.
//!
//! Every format becomes a list of [`Memory`] before anything is written, so that a file that cannot
//! be read changes nothing. What was imported is noted at the file as one digest: a second import
//! leaves alone what has not changed at its origin, whatever an agent made of it meanwhile.

mod keep;
mod markdown;
mod notes;
mod records;
#[cfg(test)]
mod tests;
mod times;

use std::collections::BTreeMap;
use std::path::Path as HostPath;

use homefs_core::{Path, Timestamp};

use crate::error::{Failure, Result};
use crate::host;

/// What the memories to import are kept in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// Told by the names of the files
    Auto,
    /// Markdown files or a folder of them
    Markdown,
    /// An export of mem0
    Mem0,
    /// One JSON object on each line, or a JSON array
    Jsonl,
    /// An export of AVM
    Avm,
}

/// One memory to import.
#[derive(Debug)]
pub(crate) struct Memory {
    /// Where it stands in what is imported, for messages.
    origin: String,
    place: Destination,
    content: Vec<u8>,
    modified: Option<Timestamp>,
    /// What is noted about it, as `SetMeta` takes it.
    meta: BTreeMap<String, String>,
}

/// Where a memory goes, below the place that was asked for.
#[derive(Debug, PartialEq, Eq)]
enum Destination {
    /// To a path that it has at its origin.
    At(Path),
    /// To a file named after these words, and found again by an id.
    Named { words: String, id: String },
}

/// Everything that was found in what is imported.
#[derive(Default)]
pub(crate) struct MemorySet {
    memories: Vec<Memory>,
    /// What was left out, and why.
    problems: Vec<String>,
    /// Files that hold no memories.
    others: u64,
}

/// Reads all memories of a file or folder of the host.
pub(crate) fn find(from: &HostPath, format: Format, split: bool) -> Result<MemorySet> {
    let mut found = MemorySet::default();
    if !host::existing(from)?.is_dir() {
        let name = from.file_name().unwrap_or_default().to_string_lossy().into_owned();
        found.take_file(from, &name, format, split)?;
        return Ok(found);
    }
    let mut pending = vec![(from.to_owned(), String::new())];
    while let Some((path, below)) = pending.pop() {
        let metadata = host::existing(&path)?;
        if metadata.is_dir() {
            let names = host::names(&path)?.into_iter().rev();
            // Hidden directories hold what tools keep for themselves.
            let shown = names.filter(|name| !name.as_encoded_bytes().starts_with(b"."));
            pending.extend(shown.map(|name| {
                let plain = name.to_string_lossy();
                let below =
                    if below.is_empty() { plain.into_owned() } else { format!("{below}/{plain}") };
                (path.join(&name), below)
            }));
        } else if metadata.is_file() && holds_memories(&below, format) {
            if let Err(failure) = found.take_file(&path, &below, format, split) {
                found.problems.push(failure.told());
            }
        } else {
            found.others += 1;
        }
    }
    Ok(found)
}

/// Tells whether a file in a folder is read at all.
fn holds_memories(name: &str, format: Format) -> bool {
    match format {
        Format::Auto => markdown::is_named(name) || records::is_named(name),
        Format::Markdown => markdown::is_named(name),
        Format::Mem0 | Format::Jsonl | Format::Avm => records::is_named(name),
    }
}

impl MemorySet {
    fn take_file(
        &mut self,
        file: &HostPath,
        name: &str,
        format: Format,
        split: bool,
    ) -> Result<()> {
        let content = host::read(file)?;
        let is_records = match format {
            Format::Markdown => false,
            Format::Mem0 | Format::Jsonl | Format::Avm => true,
            Format::Auto if markdown::is_named(name) => false,
            Format::Auto if records::is_named(name) || records::looks_so(&content) => true,
            Format::Auto if std::str::from_utf8(&content).is_ok() => false,
            Format::Auto => {
                let why = format!("{}: neither Markdown nor JSON", file.display());
                return Err(Failure::new(why).hint("--format says what it is"));
            }
        };
        if is_records {
            records::read(name, &content, format, self);
        } else {
            let modified = host::modified(&host::existing(file)?);
            markdown::read(name, content, modified, split, self);
        }
        Ok(())
    }
}
