//! Lines that match a pattern.
//!
//! What an index knows to hold no match is not read. The choice a reader may question: one call
//! reads a bounded number of bytes and then tells where to go on, since an owner that is asked to
//! leave waits for the calls it is answering. A file of a source that cannot be read is left out and
//! told: one bad page must not hide what the others say.

use std::borrow::Cow;
use std::error::Error as _;
use std::vec;

use bytes::Bytes;
use homefs_core::limits::PAGE_ENTRIES_MAX;
use homefs_core::{Error, ErrorKind, Path, Result};
use homefs_store::model::Kind;
use regex::bytes::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};

pub use homefs_wire::records::Match as GrepLine;

use super::View;
use super::listing::PathGlob;
use crate::pages;

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

/// How many files are asked for in one call at first, and at most: those of a source come together.
const WINDOW_FIRST: usize = 4;
const WINDOW_MAX: usize = 64;

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

/// Lines that match, by path and number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grepped {
    /// The lines.
    pub lines: Vec<GrepLine>,
    /// Where to go on if there may be more.
    pub next: Option<GrepPlace>,
    /// How many files of sources, and directories of theirs, could not be read.
    pub unread: u64,
    /// The first of them: reading it tells why.
    pub first_unread: Option<Path>,
}

/// What is to be searched.
struct Candidate {
    path: Path,
    /// Whether it is a directory of a source that cannot be listed.
    is_unlisted: bool,
}

impl Candidate {
    fn file(path: Path) -> Self {
        Self { path, is_unlisted: false }
    }
}

impl View {
    /// Finds the lines of text files that match a regular expression of crate `regex`, in the
    /// order in which [`View::walk`] lists files. Links are not followed but the first.
    pub fn grep(&self, pattern: &str, options: &GrepOptions) -> Result<Grepped> {
        let (view, below) = self.meant_once(&options.below)?;
        match below {
            Cow::Borrowed(_) => view.grep_meant(pattern, options),
            Cow::Owned(below) => {
                view.grep_meant(pattern, &GrepOptions { below, ..options.clone() })
            }
        }
    }

    fn grep_meant(&self, pattern: &str, options: &GrepOptions) -> Result<Grepped> {
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
        let mut search = Search::new(regex, options);
        let files = self.grep_files(pattern, options)?;
        let mut ahead = Ahead::new(self, &files);
        for Candidate { path, is_unlisted } in &files {
            if search.read >= READ_BYTES_MAX {
                search.found.next = Some(GrepPlace { path: path.clone(), line: 0 });
                break;
            }
            let content = ahead.content();
            let read = if *is_unlisted { Ok(Text::Unread) } else { self.text_of(path, content) };
            let text = match read {
                // What was asked for by its own name says why.
                Err(_) if *path != options.below && self.is_of_source(path) => Text::Unread,
                text => text?,
            };
            match text {
                Text::Lines(content) => search.file(path, &content),
                Text::Nothing => {}
                Text::Unread => search.unread(path),
            }
            if search.found.next.is_some() {
                break;
            }
        }
        Ok(search.found)
    }

    /// Returns the files that are to be read, in order.
    fn grep_files(&self, pattern: &str, options: &GrepOptions) -> Result<Vec<Candidate>> {
        let below = &options.below;
        let glob = options.glob.as_deref().map(PathGlob::new).transpose()?;
        let stat = self.stat(below)?;
        if stat.kind == Kind::File {
            return Ok(vec![Candidate::file(below.clone())]);
        }
        let known = match stat.kind {
            // Whatever is wrong with an index, the files themselves have the answer.
            Kind::Directory => self.candidates(below, pattern, options.ignore_case).ok().flatten(),
            _ => None,
        };
        let mut files = match known {
            Some(files) => files.into_iter().map(Candidate::file).collect(),
            None => match self.files_below(below) {
                // A link to a file.
                Err(error) if error.kind() == ErrorKind::NotADirectory => {
                    return Ok(vec![Candidate::file(below.clone())]);
                }
                files => files?,
            },
        };
        files.retain(|Candidate { path, is_unlisted }| {
            glob.as_ref().is_none_or(|glob| *is_unlisted || glob.matches(below, path))
                && options.since.as_ref().is_none_or(|since| !path.names().lt(since.path.names()))
        });
        files.sort_unstable_by(|a, b| a.path.names().cmp(b.path.names()));
        files.dedup_by(|a, b| a.path == b.path);
        Ok(files)
    }

    /// Returns all files below a directory; `None` if not everything can be listed.
    pub(super) fn files_of(&self, directory: &Path) -> Result<Option<Vec<Path>>> {
        match self.files_below(directory) {
            Ok(files) if files.iter().any(|file| file.is_unlisted) => Ok(None),
            Ok(files) => Ok(Some(files.into_iter().map(|file| file.path).collect())),
            Err(error) if error.kind() == ErrorKind::Unavailable => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn files_below(&self, below: &Path) -> Result<Vec<Candidate>> {
        let mut files = Vec::new();
        let mut directories = vec![below.clone()];
        while let Some(directory) = directories.pop() {
            let listed = pages::each(
                |after| self.list(&directory, after, PAGE_ENTRIES_MAX),
                |entry| -> Result<()> {
                    let path = directory.join(&entry.name)?;
                    match entry.stat.kind {
                        Kind::Directory => directories.push(path),
                        Kind::File => files.push(Candidate::file(path)),
                        Kind::Link | Kind::Special(_) => {}
                    }
                    Ok(())
                },
            );
            match listed {
                Err(error) if directory == *below => return Err(error),
                // Removed since its parent was looked at.
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(_) if self.is_of_source(&directory) => {
                    files.push(Candidate { path: directory, is_unlisted: true });
                }
                listed => listed?,
            }
        }
        Ok(files)
    }

    /// Reads a file, unless its content is there already.
    fn text_of(&self, path: &Path, content: Option<Bytes>) -> Result<Text> {
        let read = match content {
            Some(content) => Ok(Text::of(content)),
            None => self.read_at(path, 0, FIRST_BYTES).and_then(|first| {
                let is_whole = first.len() < FIRST_BYTES;
                match Text::of(first) {
                    Text::Lines(_) if !is_whole => self.read(path).map(Text::Lines),
                    text => Ok(text),
                }
            }),
        };
        match read {
            // Removed since it was listed.
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Text::Nothing),
            // Seen only on the way to a grant; what the host says has a cause.
            Err(error) if error.kind() == ErrorKind::Denied && error.source().is_none() => {
                Ok(Text::Nothing)
            }
            read => read,
        }
    }
}

/// What a file says.
enum Text {
    Lines(Bytes),
    /// It is not text, or no longer there.
    Nothing,
    /// It is of a source, and cannot be read.
    Unread,
}

impl Text {
    fn of(content: Bytes) -> Self {
        let is_text = !content[..content.len().min(HEAD_BYTES)].contains(&0);
        if is_text { Self::Lines(content) } else { Self::Nothing }
    }
}

/// Reads files ahead of who goes through them.
struct Ahead<'a> {
    view: &'a View,
    /// Those that nobody has got to yet.
    files: &'a [Candidate],
    /// The contents of the first of them.
    read: vec::IntoIter<Bytes>,
    /// How many the next call asks for: fewer after a call that did not read all, because what
    /// follows may be as large, or take as long.
    window: usize,
}

impl<'a> Ahead<'a> {
    fn new(view: &'a View, files: &'a [Candidate]) -> Self {
        Self { view, files, read: Vec::new().into_iter(), window: WINDOW_FIRST }
    }

    /// Returns the content of the next file, or nothing if it is to be read alone.
    fn content(&mut self) -> Option<Bytes> {
        if self.read.len() == 0 {
            let coming = self.files.iter().take(self.window);
            let coming = coming.take_while(|file| !file.is_unlisted);
            let paths: Vec<Path> = coming.map(|file| file.path.clone()).collect();
            let mut read = Vec::new();
            let asks = paths.len() > 1;
            if asks {
                // One that cannot be read with others is read alone, which tells why.
                read = self.view.read_many(&paths).unwrap_or_default();
            }
            let all = read.len() == paths.len() || !asks;
            self.window = if all { WINDOW_MAX.min(self.window * 2) } else { read.len().max(1) };
            self.read = read.into_iter();
        }
        self.files = self.files.get(1..).unwrap_or_default();
        self.read.next()
    }
}

/// A search under way.
struct Search<'a> {
    regex: Regex,
    options: &'a GrepOptions,
    /// Bytes read and bytes told so far.
    read: usize,
    told: usize,
    found: Grepped,
}

impl<'a> Search<'a> {
    fn new(regex: Regex, options: &'a GrepOptions) -> Self {
        Self { regex, options, read: 0, told: 0, found: Grepped::default() }
    }

    /// Notes a file or directory that could not be read.
    fn unread(&mut self, path: &Path) {
        self.found.unread += 1;
        self.found.first_unread.get_or_insert_with(|| path.clone());
    }

    /// Adds the lines of a file that match, and where to go on if there is no room for one.
    fn file(&mut self, path: &Path, content: &[u8]) {
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
            if self.found.lines.len() == limit || self.told > ANSWER_BYTES_MAX {
                self.found.next = Some(GrepPlace { path: path.clone(), line: index as u64 });
                return;
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
            self.found.lines.push(found);
        }
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
