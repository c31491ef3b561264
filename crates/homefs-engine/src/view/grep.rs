//! Lines that match a pattern.
//!
//! What an index knows to hold no match is not read. The choice a reader may question: one call
//! reads a bounded number of bytes and then tells where to go on, since an owner that is asked to
//! leave waits for the calls it is answering.

use bytes::Bytes;
use homefs_core::limits::PAGE_ENTRIES_MAX;
use homefs_core::{Error, ErrorKind, Path, Result};
use regex::bytes::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};

use super::View;
use super::listing::PathGlob;
use crate::model::Kind;

/// Bytes read of a file before the rest; most are shorter.
const FIRST_BYTES: usize = 1 << 20;
/// A file with a NUL in its first bytes is not text, as `grep` and `git` have it.
const HEAD_BYTES: usize = 8 << 10;
/// Longest pattern: what a search takes grows with its length times that of what is searched.
const PATTERN_BYTES_MAX: usize = 8 << 10;
/// So many bytes are read by one call, about.
const READ_BYTES_MAX: usize = 64 << 20;
/// So many bytes of text are in one answer, about: it must fit into a message.
const ANSWER_BYTES_MAX: usize = 8 << 20;

/// Which lines are looked for, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GrepOptions {
    /// Only at and below this path.
    pub below: Path,
    /// Only files that match this, as [`View::find`] takes it.
    pub glob: Option<String>,
    /// The pattern is the text itself.
    pub literal: bool,
    /// Letters match in either case.
    pub ignore_case: bool,
    /// So many lines before each match are shown too.
    pub before: usize,
    /// So many lines after it.
    pub after: usize,
    /// Most matches of one answer.
    pub limit: usize,
    /// Goes on where an answer ended.
    pub since: Option<GrepPlace>,
}

impl Default for GrepOptions {
    fn default() -> Self {
        Self {
            below: Path::root(),
            glob: None,
            literal: false,
            ignore_case: false,
            before: 0,
            after: 0,
            limit: 1000,
            since: None,
        }
    }
}

/// A line of a file; 0 is before the first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GrepPlace {
    /// The file.
    pub path: Path,
    /// The line, counted from 1.
    pub line: u64,
}

/// A line that matches. What is not UTF-8 is shown as U+FFFD, and line ends are left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GrepLine {
    /// Its file.
    pub path: Path,
    /// Its number, counted from 1.
    pub line: u64,
    /// What it says.
    pub text: String,
    /// The lines before it.
    pub before: Vec<String>,
    /// The lines after it.
    pub after: Vec<String>,
}

/// Lines that match, by path and number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grepped {
    /// The lines.
    pub lines: Vec<GrepLine>,
    /// Where to go on if there may be more.
    pub next: Option<GrepPlace>,
}

impl View {
    /// Finds the lines of text files that match a regular expression of crate `regex`, in the
    /// order in which [`View::walk`] lists files. Links are not followed but the first.
    pub fn grep(&self, pattern: &str, options: &GrepOptions) -> Result<Grepped> {
        if pattern.len() > PATTERN_BYTES_MAX {
            let message = format!("a pattern cannot be longer than {PATTERN_BYTES_MAX} bytes");
            return Err(Error::new(ErrorKind::Invalid, message));
        }
        let escaped = options.literal.then(|| regex::escape(pattern));
        let pattern = escaped.as_deref().unwrap_or(pattern);
        let built = RegexBuilder::new(pattern).case_insensitive(options.ignore_case).build();
        let regex = built.map_err(|cause| {
            Error::new(ErrorKind::Invalid, format!("{pattern:?} is not a regular expression"))
                .with_source(cause)
        })?;
        let mut search = Search { regex, options, read: 0, told: 0, lines: Vec::new() };
        let mut next = None;
        for path in self.grep_files(pattern, options)? {
            if search.read >= READ_BYTES_MAX {
                next = Some(GrepPlace { path, line: 0 });
                break;
            }
            let Some(content) = self.text_of(&path)? else { continue };
            next = search.file(&path, &content);
            if next.is_some() {
                break;
            }
        }
        Ok(Grepped { lines: search.lines, next })
    }

    /// Returns the files that are to be read, in order.
    fn grep_files(&self, pattern: &str, options: &GrepOptions) -> Result<Vec<Path>> {
        let below = &options.below;
        let glob = options.glob.as_deref().map(PathGlob::new).transpose()?;
        let stat = self.stat(below)?;
        if stat.kind == Kind::File {
            return Ok(vec![below.clone()]);
        }
        let known = match stat.kind {
            // Whatever is wrong with an index, the files themselves have the answer.
            Kind::Directory => self.candidates(below, pattern, options.ignore_case).ok().flatten(),
            _ => None,
        };
        let mut files = match known {
            Some(files) => files,
            None => match self.files_below(below) {
                // A link to a file.
                Err(error) if error.kind() == ErrorKind::NotADirectory => {
                    return Ok(vec![below.clone()]);
                }
                files => files?,
            },
        };
        files.retain(|file| {
            glob.as_ref().is_none_or(|glob| glob.matches(below, file))
                && options.since.as_ref().is_none_or(|since| !file.names().lt(since.path.names()))
        });
        files.sort_unstable_by(|a, b| a.names().cmp(b.names()));
        files.dedup();
        Ok(files)
    }

    fn files_below(&self, directory: &Path) -> Result<Vec<Path>> {
        let (mut files, mut after) = (Vec::new(), None);
        loop {
            let page = self.walk(directory, after.as_deref(), PAGE_ENTRIES_MAX)?;
            let found = page.items.into_iter().filter(|found| found.stat.kind == Kind::File);
            files.extend(found.map(|found| found.path));
            match page.next {
                Some(next) => after = Some(next),
                None => return Ok(files),
            }
        }
    }

    /// Reads a file; `None` if it is not text, or no longer there.
    fn text_of(&self, path: &Path) -> Result<Option<Bytes>> {
        let read = self.read_at(path, 0, FIRST_BYTES).and_then(|first| {
            let head = &first[..first.len().min(HEAD_BYTES)];
            match first.len() {
                _ if head.contains(&0) => Ok(None),
                FIRST_BYTES => self.read(path).map(Some),
                _ => Ok(Some(first)),
            }
        });
        match read {
            // Seen only on the way to a grant, or removed since it was listed.
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::Denied) => {
                Ok(None)
            }
            read => read,
        }
    }
}

/// A search under way.
struct Search<'a> {
    regex: Regex,
    options: &'a GrepOptions,
    /// Bytes read and bytes told so far.
    read: usize,
    told: usize,
    lines: Vec<GrepLine>,
}

impl Search<'_> {
    /// Adds the lines of a file that match; returns where to go on if there is no room for one.
    fn file(&mut self, path: &Path, content: &[u8]) -> Option<GrepPlace> {
        let GrepOptions { before, after, limit, since, .. } = self.options;
        let limit = (*limit).clamp(1, PAGE_ENTRIES_MAX);
        let done = since.as_ref().filter(|since| since.path == *path).map_or(0, |since| since.line);
        self.read += content.len();
        let lines: Vec<&[u8]> = content.split_inclusive(|byte| *byte == b'\n').map(line).collect();
        for (index, line) in lines.iter().enumerate() {
            let number = index as u64 + 1;
            if number <= done || !self.regex.is_match(line) {
                continue;
            }
            if self.lines.len() == limit || self.told > ANSWER_BYTES_MAX {
                return Some(GrepPlace { path: path.clone(), line: index as u64 });
            }
            let last = index.saturating_add(*after).min(lines.len() - 1);
            let found = GrepLine {
                path: path.clone(),
                line: number,
                text: text(line),
                before: lines[index.saturating_sub(*before)..index].iter().map(text).collect(),
                after: lines[index + 1..=last].iter().map(text).collect(),
            };
            let around = found.before.iter().chain(&found.after);
            self.told += found.text.len() + around.map(String::len).sum::<usize>();
            self.lines.push(found);
        }
        None
    }
}

/// Leaves the end of a line out.
fn line(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

fn text(line: impl AsRef<[u8]>) -> String {
    String::from_utf8_lossy(line.as_ref()).into_owned()
}
