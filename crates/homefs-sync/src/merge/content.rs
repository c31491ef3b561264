//! Merging what files hold.

use homefs_core::Digest;
use homefs_core::limits::NAME_BYTES_MAX;

use super::text::{Grain, merge_apart, merge_text};
use super::{frontmatter, json, pick};

/// A longer content is not looked into.
const TEXT_BYTES_MAX: usize = 16 << 20;
/// Nor is one with more lines: if they repeat each other, a diff takes the square of their number.
const TEXT_LINES_MAX: usize = 100_000;

/// Ends of names of texts that people and programs write line after line; two of them that have
/// nothing in common are still one text.
const PROSE: [&str; 9] = ["md", "markdown", "mdx", "txt", "text", "log", "rst", "org", "adoc"];

/// What becomes of two contents of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MergedContent {
    /// One content with both changes.
    One {
        /// The merged content.
        bytes: Vec<u8>,
        /// Whether both changed the same place, so that somebody should look.
        noted: bool,
    },
    /// HEAD's content stays, and the pushed one becomes a file of its own beside it.
    Beside {
        /// The name of that file, unless it is taken.
        name: String,
    },
}

/// Merges two contents of the file called `name`; `base` is what both began with, if it is known.
pub fn merge_content(name: &str, base: Option<&[u8]>, head: &[u8], pushed: &[u8]) -> MergedContent {
    let one = match base {
        Some(base) => pick(base, head, pushed),
        None => (head == pushed).then_some(head),
    };
    if let Some(bytes) = one {
        return MergedContent::One { bytes: bytes.to_vec(), noted: false };
    }
    let beside = || MergedContent::Beside { name: beside_name(name, Digest::of(pushed)) };
    let (Some(head), Some(pushed)) = (text(head), text(pushed)) else { return beside() };
    let extension = extension(name).to_ascii_lowercase();
    let Some(base) = base else {
        // Code and data that two wrote apart mean nothing together.
        if !PROSE.contains(&extension.as_str()) {
            return beside();
        }
        let merged = frontmatter::merge(None, head, pushed);
        let merged = merged.unwrap_or_else(|| merge_apart(head, pushed));
        return MergedContent::One { bytes: merged.text.into_bytes(), noted: merged.overlapped };
    };
    let Some(base) = text(base) else { return beside() };
    let merged = match extension.as_str() {
        "json" => json::merge(base, head, pushed),
        "md" | "markdown" => frontmatter::merge(Some(base), head, pushed),
        "jsonl" | "ndjson" | "csv" | "tsv" => Some(merge_text(Grain::Line, base, head, pushed)),
        _ => None,
    };
    let merged = merged.unwrap_or_else(|| merge_text(Grain::Word, base, head, pushed));
    MergedContent::One { bytes: merged.text.into_bytes(), noted: merged.overlapped }
}

/// Returns the name for a content that could not keep the name it had: `notes.md` becomes
/// `notes.conflict-0f1e2d3c.md`.
pub fn beside_name(name: &str, digest: Digest) -> String {
    let extension = extension(name);
    let stem_len = name.len() - extension.len();
    let [a, b, c, d, ..] = digest.0;
    let mut mark = format!(".conflict-{a:02x}{b:02x}{c:02x}{d:02x}");
    if !extension.is_empty() {
        mark.push('.');
        mark.push_str(extension);
    }
    let stem = name[..stem_len].trim_end_matches('.');
    let stem = if stem.is_empty() { name } else { stem };
    let room = NAME_BYTES_MAX.saturating_sub(mark.len()).min(stem.len());
    let room = stem.floor_char_boundary(room);
    format!("{}{mark}", &stem[..room])
}

/// Returns what stands behind the last dot of a name; a dot at its start makes no extension.
fn extension(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() && extension.len() <= 16 => extension,
        _ => "",
    }
}

fn text(bytes: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(bytes).ok().filter(|text| text.len() <= TEXT_BYTES_MAX)?;
    let is_text = !text.contains('\0') && text.split('\n').count() <= TEXT_LINES_MAX;
    is_text.then_some(text)
}
