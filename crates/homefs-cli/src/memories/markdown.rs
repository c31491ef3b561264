//! Memories in Markdown: files as they are, or their sections.

use std::collections::{BTreeMap, HashMap};

use homefs_core::{Path, Timestamp};

use super::notes::Notes;
use super::{Destination, Memory, MemorySet, times};

/// Tells whether a file of this name is Markdown or text.
pub(super) fn is_named(name: &str) -> bool {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    ["md", "markdown", "mdx", "txt"].iter().any(|known| ending.eq_ignore_ascii_case(known))
}

/// Takes a file as one memory, byte for byte, or each of its sections as one.
pub(super) fn read(
    name: &str,
    content: Vec<u8>,
    modified: Timestamp,
    split: bool,
    found: &mut MemorySet,
) {
    let place = match Path::parse(&format!("/{name}")) {
        Ok(path) => path,
        Err(error) => return found.problems.push(error.to_string()),
    };
    let text = String::from_utf8_lossy(&content);
    let (front, body) = frontmatter(&text);
    let (notes, own) = noted(&front);
    let modified = Some(own.unwrap_or(modified));
    let sections = if split { sections(body) } else { Vec::new() };
    if sections.len() < 2 {
        let meta = notes.finish();
        let (origin, place) = (name.to_owned(), Destination::At(place));
        return found.memories.push(Memory { origin, place, content, modified, meta });
    }
    let mut seen: HashMap<&str, u32> = HashMap::new();
    for Section { title, text } in sections {
        let count = seen.entry(title).or_default();
        *count += 1;
        let origin = match count {
            1 => format!("{name}#{title}"),
            more => format!("{name}#{title}#{more}"),
        };
        let mut notes = notes.clone();
        notes.title = Some(title).filter(|title| !title.is_empty()).map(str::to_owned);
        notes.source = Some(origin.clone());
        let words = if title.is_empty() { name } else { title }.to_owned();
        found.memories.push(Memory {
            place: Destination::Named { words, id: origin.clone() },
            content: format!("{}\n", text.trim_end()).into_bytes(),
            modified,
            meta: notes.finish(),
            origin,
        });
    }
}

/// A section of a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Section<'a> {
    /// Its heading; empty for what stands before the first.
    pub(super) title: &'a str,
    /// All of it, the heading included.
    pub(super) text: &'a str,
}

/// Splits a text at its headings of the second level, code left alone.
pub(super) fn sections(body: &str) -> Vec<Section<'_>> {
    let mut cuts = vec![(0, "")];
    let (mut offset, mut fence) = (0, None);
    for line in body.split_inclusive('\n') {
        let marker = ["```", "~~~"].into_iter().find(|mark| line.trim_start().starts_with(mark));
        match (fence, marker) {
            (None, Some(_)) => fence = marker,
            (Some(open), Some(mark)) if open == mark => fence = None,
            _ => {}
        }
        if fence.is_none()
            && let Some(title) = line.strip_prefix("## ")
        {
            cuts.push((offset, title.trim()));
        }
        offset += line.len();
    }
    let ends = cuts.iter().skip(1).map(|(start, _)| *start).chain([body.len()]);
    let sections = cuts
        .iter()
        .zip(ends)
        .map(|(&(start, title), end)| Section { title, text: &body[start..end] });
    // A title above the first section is no memory.
    let says = |section: &Section<'_>| {
        !section.title.is_empty()
            || section.text.lines().any(|line| !line.trim().is_empty() && !line.starts_with("# "))
    };
    sections.filter(says).collect()
}

/// The keys of a frontmatter with their values, a single one being a list of one.
type Front = BTreeMap<String, Vec<String>>;

/// Reads the plain keys of the frontmatter, and returns what stands below it.
pub(super) fn frontmatter(text: &str) -> (Front, &str) {
    let (mut front, mut key) = (Front::new(), None::<String>);
    let Some(span) = homefs_core::frontmatter::find(text.as_bytes()) else { return (front, text) };
    for line in text[span.inner].lines().map(str::trim_end) {
        match (line.trim_start().strip_prefix("- "), line.split_once(':')) {
            (Some(item), _) => {
                if let Some(values) = key.as_ref().and_then(|key| front.get_mut(key)) {
                    values.push(scalar(item));
                }
            }
            // What is indented belongs to a map, of which nothing is taken.
            (None, Some((name, value))) if !name.starts_with(char::is_whitespace) => {
                let name = name.trim().to_lowercase();
                front.insert(name.clone(), values(value.trim()));
                key = Some(name);
            }
            _ => {}
        }
    }
    (front, &text[span.body..])
}

fn values(value: &str) -> Vec<String> {
    match value.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(list) => list.split(',').map(scalar).collect(),
        None if value.is_empty() => Vec::new(),
        None => vec![scalar(value)],
    }
}

/// Takes quotes, or else a comment, off a value.
fn scalar(value: &str) -> String {
    let value = value.trim();
    for quote in ['"', '\''] {
        let inner = value.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
        if let Some(inner) = inner {
            return inner.to_owned();
        }
    }
    value.split(" #").next().unwrap_or_default().trim_end().to_owned()
}

/// Collects what a frontmatter notes about its file, and when it says the file was changed.
fn noted(front: &Front) -> (Notes, Option<Timestamp>) {
    let all = |names: &[&str]| names.iter().find_map(|name| front.get(*name)).cloned();
    let one = |names: &[&str]| all(names).and_then(|values| values.into_iter().next());
    let time = |names: &[&str]| one(names).and_then(|text| times::parse(&text));
    let tags = all(&["tags", "keywords"]).unwrap_or_default();
    let notes = Notes {
        title: one(&["title", "name"]),
        // One text may name several, as `tags: a, b`.
        tags: tags.iter().flat_map(|tags| tags.split(',')).map(str::to_owned).collect(),
        importance: one(&["importance"]).and_then(|text| text.parse().ok()),
        source: one(&["source"]),
        created: time(&["created", "date", "created_at"]),
        other: one(&["description"]).map(|text| ("description".into(), text)).into_iter().collect(),
    };
    (notes, time(&["updated", "modified", "updated_at", "lastmod"]))
}
