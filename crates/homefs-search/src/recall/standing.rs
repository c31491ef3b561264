//! What an agent should know at its start.

use std::fmt::Write;

use super::{
    Candidate, Counts, Options,
    format::{push_path, push_title},
    older,
    packing::{Entry, Packing, drop_some, put_newer_first},
};

/// The index of what else exists may keep this part of the budget from the memories.
const INDEX_SHARE: usize = 8;
/// So many titles are named of a directory, if there is room.
const TITLES_MAX: usize = 3;

/// What a standing text is made of.
#[derive(Debug, Clone, Default)]
pub struct Standing {
    /// Pinned docs in the order in which they are wanted; their relevance means nothing.
    pub pinned: Vec<Candidate>,
    /// The other docs among which the best are looked for. Their relevance is a weight of the
    /// caller's, 1 for all if there is none; importance and age do the rest.
    pub best: Vec<Candidate>,
    /// What else exists, the directory that matters most first.
    pub rest: Vec<Directory>,
}

/// A directory, for the index of what else exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directory {
    /// Its path, as the agent sees it.
    pub path: String,
    /// How many files are in it.
    pub files: usize,
    /// The titles of its newest files, the newest first.
    pub titles: Vec<String>,
}

/// Writes what an agent should know at its start: pinned docs, the best of the others, and an
/// index of what else exists. A doc without room is cut behind a sentence, from its start on. The
/// text never has more tokens than the budget.
pub fn standing(mut parts: Standing, options: &Options, counts: &Counts) -> String {
    older::mark(&mut parts.best);
    let count = |text: &str| counts.count(options.tokenizer, text);
    let index_max = options.max_tokens / INDEX_SHARE;
    let reserved = count(&index(&parts.rest, index_max, &count));
    let mut room = options.max_tokens - reserved;
    let mut text = String::new();

    let pinned: Vec<Entry> = parts.pinned.into_iter().map(Entry::wanted).collect();
    let scored = parts.best.into_iter().map(|candidate| Entry::new(candidate, options));
    let mut best: Vec<Entry> = scored.collect();
    best.sort_by(Entry::order);
    put_newer_first(&mut best);
    let sections = [("# Pinned\n", pinned, 0.0), ("# Memories\n", best, options.min_score)];
    for (heading, mut entries, min_score) in sections {
        drop_some(&mut entries, min_score);
        let Some(below) = room.checked_sub(count(heading)) else { continue };
        let mut packing = Packing::new(options, "", counts, below);
        packing.fill(&mut entries);
        let items: String = entries.iter().filter_map(Entry::text).collect();
        if !items.is_empty() {
            room = packing.room();
            text.push_str(heading);
            text.push_str(&items);
        }
    }
    text.push_str(&index(&parts.rest, room + reserved, &count));
    text
}

/// Writes the directories that have room: with titles if all of them have it, else their counts.
fn index(directories: &[Directory], max_tokens: usize, count: &impl Fn(&str) -> usize) -> String {
    let heading = "# Also here\n";
    let Some(room) = max_tokens.checked_sub(count(heading)) else { return String::new() };
    for titles in (0..=TITLES_MAX).rev() {
        let mut used = 0;
        let mut lines = directories.iter().map(|directory| line(directory, titles));
        let fitting = |line: &String| {
            used += count(line);
            used <= room
        };
        let text: String = lines.by_ref().take_while(fitting).collect();
        if used <= room || (titles == 0 && !text.is_empty()) {
            return if text.is_empty() { text } else { format!("{heading}{text}") };
        }
    }
    String::new()
}

/// Writes a directory: its path, how many files it has, and some titles.
fn line(directory: &Directory, titles: usize) -> String {
    let mut line = String::from("- ");
    push_path(&mut line, &directory.path);
    // Writing to a string cannot fail.
    let _infallible = write!(line, " ({})", directory.files);
    let mut sign = ": ";
    for title in directory.titles.iter().take(titles) {
        line.push_str(sign);
        push_title(&mut line, title);
        sign = "; ";
    }
    line.push('\n');
    line
}
