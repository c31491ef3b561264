//! Readable copies: text as the agent wrote it, with what homefs knows of it as frontmatter.
//!
//! Everything homefs adds stands under the one key `homefs:` of YAML frontmatter and is put in and
//! taken out as text. No YAML library is used: it would not give back the bytes around it, and what
//! is around it need not be YAML.
//!
//! Why every text comes back byte for byte:
//!
//! - If the text has frontmatter of its own, with at least one line in it, the block goes in as its
//!   first lines, and else the block and a fence above and below it go before the text. What comes
//!   back is the rest without the block, and without the fences if the lower one follows the block
//!   at once. So a text that has `homefs:` itself, empty frontmatter or none cannot be mistaken.
//! - The block ends with its last key, `version`, and not where it seems to end, so whatever
//!   follows it, indented or not, is the text's. The keys are in order of the alphabet, so that a
//!   tool which sorts them, or moves the block, changes nothing.
//! - A byte order mark stays the first thing, and line ends are those of the text's first line, but
//!   neither is needed for reading.

#[cfg(test)]
mod tests;

use std::ops::Range;

use bytes::Bytes;
use homefs_core::frontmatter::{self, BYTE_ORDER_MARK, closes, lines};
use homefs_core::time::{TimeZone, rfc3339, written};
use homefs_core::{AgentId, Digest, Path, Timestamp, Version};

use crate::format::{CommitId, digest_of_text};

const FENCE: &[u8] = b"---";
const KEY: &[u8] = b"homefs:";

/// What a readable copy says of the text, besides its checksum.
#[derive(Clone, Debug, PartialEq)]
pub struct Frontmatter {
    /// Who wrote it.
    pub agent: AgentId,
    /// The commit whose content it is.
    pub commit: CommitId,
    /// When the file was made.
    pub created: Timestamp,
    /// How much it matters, from 0 to 1.
    pub importance: Option<f64>,
    /// When its content last changed.
    pub modified: Timestamp,
    /// Where it was when the copy was written; an older homefs did not say.
    pub path: Option<Path>,
    /// Its tags.
    pub tags: Vec<String>,
    /// The version of that change, on the machine where it was made.
    pub version: Version,
}

/// An object taken apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Unprojected {
    /// The text without what homefs added.
    pub content: Bytes,
    /// What homefs added; `None` if the object was not written by homefs.
    pub written: Option<CopyMark>,
}

/// What homefs added to a text.
#[derive(Clone, Debug, PartialEq)]
pub struct CopyMark {
    /// What it says of the text.
    pub frontmatter: Frontmatter,
    /// The digest of the text that homefs wrote: what an edit from outside started from.
    pub checksum: Digest,
}

impl Unprojected {
    /// Tells whether the text is not the one that homefs wrote.
    pub fn is_edited(&self) -> bool {
        let written = self.written.as_ref();
        written.is_none_or(|written| written.checksum != Digest::of(&self.content))
    }
}

/// Returns the readable copy of a content; `None` if it is not text.
pub fn project(content: &[u8], said: &Frontmatter) -> Option<Bytes> {
    if std::str::from_utf8(content).is_err() || content.contains(&0) {
        return None;
    }
    let text = without_mark(content);
    let mark = &content[..content.len() - text.len()];
    let first = lines(text, 0).next().unwrap_or(0..0);
    let line_end = if text[first.clone()].ends_with(b"\r\n") { "\r\n" } else { "\n" };
    let block = block(said, Digest::of(content), line_end);
    let fence = ["---", line_end].concat();
    let own = frontmatter::find(content).filter(|own| !own.inner.is_empty());
    let parts: &[&[u8]] = if own.is_some() {
        &[mark, &text[first.clone()], block.as_bytes(), &text[first.end..]]
    } else {
        &[mark, fence.as_bytes(), block.as_bytes(), fence.as_bytes(), text]
    };
    Some(parts.concat().into())
}

/// Takes apart an object that may be a readable copy, changed or not.
pub fn unproject(object: &[u8]) -> Unprojected {
    let text = without_mark(object);
    let mark = &object[..object.len() - text.len()];
    let Some((block, written)) = find_block(text) else {
        return Unprojected { content: Bytes::copy_from_slice(object), written: None };
    };
    let above = &text[..block.start];
    let below = &text[block.end..];
    let next = lines(below, 0).next().unwrap_or(0..0);
    let is_first = lines(above, 0).nth(1).is_none();
    let fences_only = is_first && without_end(&below[next.clone()]) == FENCE;
    let content = if fences_only {
        [mark, &below[next.end..]].concat()
    } else {
        [mark, above, below].concat()
    };
    Unprojected { content: content.into(), written: Some(written) }
}

fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes)
}

fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Returns the lines that homefs writes.
fn block(frontmatter: &Frontmatter, checksum: Digest, line_end: &str) -> String {
    // A string of JSON is one of YAML, and says that it is not a number or a date.
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let tags: Vec<String> = frontmatter.tags.iter().map(|tag| quoted(tag)).collect();
    let has_tags = !tags.is_empty();
    let rows = [
        Some("homefs:".to_owned()),
        Some(format!("  agent: {}", quoted(frontmatter.agent.as_str()))),
        Some(format!("  checksum: {}", quoted(&checksum.to_string()))),
        Some(format!("  commit: {}", quoted(&frontmatter.commit.to_string()))),
        Some(format!("  created: {}", rfc3339(frontmatter.created))),
        frontmatter.importance.map(|importance| format!("  importance: {importance}")),
        Some(format!("  modified: {}", rfc3339(frontmatter.modified))),
        frontmatter.path.as_ref().map(|path| format!("  path: {}", quoted(path.as_str()))),
        has_tags.then(|| format!("  tags: [{}]", tags.join(", "))),
        Some(format!("  version: {}", frontmatter.version)),
    ];
    rows.into_iter().flatten().map(|row| row + line_end).collect()
}

/// Finds the lines that homefs wrote into the frontmatter of a text, and reads them.
fn find_block(text: &[u8]) -> Option<(Range<usize>, CopyMark)> {
    let mut lines = lines(text, 0);
    lines.next().filter(|line| text[line.clone()].trim_ascii_end() == FENCE)?;
    let mut inner = lines.take_while(|line| !closes(&text[line.clone()]));
    let first = inner.find(|line| without_end(&text[line.clone()]) == KEY)?;
    let mut values = Values::default();
    for line in inner {
        values.read(std::str::from_utf8(without_end(&text[line.clone()])).ok()?)?;
        if values.version.is_some() {
            return Some((first.start..line.end, values.finish()?));
        }
    }
    None
}

/// The values of a block as far as it is read, each as text.
#[derive(Default)]
struct Values {
    agent: Option<String>,
    checksum: Option<String>,
    commit: Option<String>,
    created: Option<String>,
    importance: Option<String>,
    modified: Option<String>,
    path: Option<String>,
    tags: Vec<String>,
    version: Option<String>,
}

impl Values {
    /// Takes a row; `None` if it is not of a block.
    fn read(&mut self, row: &str) -> Option<()> {
        let row = row.strip_prefix("  ")?.trim();
        // Other tools write a list with an item in each row.
        if let Some(item) = row.strip_prefix("- ") {
            self.tags.push(scalar(item));
            return Some(());
        }
        let (key, value) = row.split_once(':')?;
        let value = value.trim();
        let place = match key {
            "agent" => &mut self.agent,
            "checksum" => &mut self.checksum,
            "commit" => &mut self.commit,
            "created" => &mut self.created,
            "importance" => &mut self.importance,
            "modified" => &mut self.modified,
            "path" => &mut self.path,
            "version" => &mut self.version,
            "tags" => {
                self.tags = list(value);
                return Some(());
            }
            // A later homefs may say more.
            _ => return Some(()),
        };
        *place = Some(scalar(value));
        Some(())
    }

    /// Returns what the block says; `None` if something is missing or makes no sense.
    fn finish(self) -> Option<CopyMark> {
        let time = |text: Option<String>| written(&text?, &TimeZone::UTC);
        let importance = self.importance.and_then(|text| text.parse().ok());
        let frontmatter = Frontmatter {
            agent: self.agent?.parse().ok()?,
            commit: self.commit?.parse().ok()?,
            created: time(self.created)?,
            importance: importance.filter(|importance| (0.0..=1.0).contains(importance)),
            modified: time(self.modified)?,
            path: self.path.and_then(|path| Path::parse(&path).ok()),
            tags: self.tags,
            version: Version(self.version?.parse().ok()?),
        };
        Some(CopyMark { frontmatter, checksum: digest_of_text(&self.checksum?)? })
    }
}

/// Reads one value, quoted or not.
fn scalar(text: &str) -> String {
    let single = || Some(text.strip_prefix('\'')?.strip_suffix('\'')?.replace("''", "'"));
    serde_json::from_str(text).ok().or_else(single).unwrap_or_else(|| text.to_owned())
}

/// Reads a list in one row, its items quoted or not.
fn list(text: &str) -> Vec<String> {
    if let Ok(items) = serde_json::from_str(text) {
        return items;
    }
    let inner = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    let items = inner.unwrap_or_default().split(',').map(str::trim);
    items.filter(|item| !item.is_empty()).map(scalar).collect()
}
