//! What is noted about a memory, in the form that a store takes.

use std::collections::BTreeMap;

use homefs_core::Timestamp;

use crate::time;

/// The longest value that is noted, in bytes; more says a file better.
const VALUE_BYTES_MAX: usize = 1000;
/// Most free keys of one memory.
const KEYS_MAX: usize = 32;

/// What another system knows about a memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Notes {
    pub(super) title: Option<String>,
    pub(super) tags: Vec<String>,
    /// Left out if it is not from 0 to 1.
    pub(super) importance: Option<f64>,
    pub(super) source: Option<String>,
    pub(super) created: Option<Timestamp>,
    pub(super) other: BTreeMap<String, String>,
}

impl Notes {
    /// Returns everything by key, each value in a form that no store refuses.
    pub(super) fn finish(self) -> BTreeMap<String, String> {
        let mut meta = BTreeMap::new();
        for (name, value) in self.other.into_iter().take(KEYS_MAX) {
            if let Some(key) = key(&name) {
                meta.insert(key, value);
            }
        }
        let importance = self.importance.filter(|number| (0.0..=1.0).contains(number));
        let tags: Vec<_> = self.tags.iter().map(|tag| tag_of(tag)).collect();
        meta.extend(self.title.map(|title| ("title".into(), title)));
        meta.extend(importance.map(|number| ("importance".into(), number.to_string())));
        meta.extend(self.source.map(|source| ("source".into(), source)));
        meta.extend(self.created.map(|created| ("created".into(), time::rfc3339(created))));
        meta.insert("tags".into(), tags.join(","));
        for value in meta.values_mut() {
            *value = line(value);
        }
        meta.retain(|_, value| !value.is_empty());
        meta
    }
}

/// Makes one tag of a text, which may have blanks and commas.
fn tag_of(text: &str) -> String {
    let parts = text.split(|letter: char| letter == ',' || letter.is_whitespace());
    parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
}

/// Makes a free key of a name, if it can be one; `ttl` would let the memory expire.
fn key(name: &str) -> Option<String> {
    let letter = |letter: char| {
        let small = letter.to_ascii_lowercase();
        let fits = small.is_ascii_lowercase() || small.is_ascii_digit() || ".-".contains(small);
        if fits { small } else { '_' }
    };
    let key: String = name.chars().map(letter).take(64).collect();
    let starts_well = key.starts_with(|first: char| first.is_ascii_alphanumeric());
    (starts_well && key != "ttl").then_some(key)
}

/// Makes one line of a text, cut at a letter.
fn line(text: &str) -> String {
    let words = text.split(|letter: char| letter.is_whitespace() || letter.is_control());
    let mut line = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    let end = line.floor_char_boundary(VALUE_BYTES_MAX);
    line.truncate(end);
    line
}
