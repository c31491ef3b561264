//! Parts of text files, by lines, and no more of them than fits into an answer.

use homefs_api::Client;
use homefs_core::{Path, Result};

use super::read::text;

/// How much of a file is read at once to find lines.
const PART: usize = 256 << 10;

/// A part of a file, and where the next one begins.
pub(super) struct Part {
    pub(super) text: String,
    /// What the caller is to know of it, if it is not all that was asked for.
    pub(super) note: Option<String>,
    /// The line with which to go on.
    pub(super) next: Option<usize>,
}

/// Reads lines from one on, counted from 1: so many, or to the end; no more than there is room for.
pub(super) fn lines_from(
    client: &Client,
    path: &Path,
    first: usize,
    count: Option<usize>,
    room: usize,
) -> Result<Part> {
    let mut reader = Reader { client, path, at: 0, part: Vec::new(), used: 0 };
    let begin = reader.skip(first - 1)?;
    let (mut bytes, mut ended) = (Vec::new(), 0);
    let mut is_end = false;
    // One more byte than fits tells that there is more.
    while bytes.len() <= room && count.is_none_or(|count| ended < count) {
        let Some(byte) = reader.next()? else {
            is_end = true;
            break;
        };
        ended += usize::from(byte == b'\n');
        bytes.push(byte);
    }
    if bytes.len() <= room {
        is_end = is_end || !reader.fill()?;
        let wanted = text(bytes);
        return Ok(Part { text: wanted, note: None, next: (!is_end).then_some(first + ended) });
    }
    let last_end = bytes[..room].iter().rposition(|byte| *byte == b'\n');
    let (end, next, note) = if let Some(last) = last_end {
        let shown = memchr::memchr_iter(b'\n', &bytes[..=last]).count();
        let next = first + shown;
        let note = format!("[lines {first} to {}; go on with offset {next}]", next - 1);
        (last + 1, next, note)
    } else {
        let end = whole_letters(&bytes[..room]);
        let (next, behind) = (first + 1, begin + end as u64 + 1);
        let note = format!(
            "[line {first} is longer than fits: its first {end} bytes are shown. The shell shows \
             the others: tail -c +{behind} {} | head -c {room}; behind it go on with offset \
             {next}]",
            quoted(path.as_str())
        );
        (end, next, note)
    };
    bytes.truncate(end);
    Ok(Part { text: text(bytes), note: Some(note), next: Some(next) })
}

/// Reads the last lines; what follows the last line's end counts as one. If there is no room for all
/// of them, the first are left out.
pub(super) fn last_lines(client: &Client, path: &Path, lines: usize, room: usize) -> Result<Part> {
    let size = client.stat(&client.real_path(path)?)?.size;
    let mut bytes: Vec<u8> = Vec::new();
    let mut start = size;
    let mut found = 0;
    // A carriage return before a line's end is not shown, so a little more is read than fits.
    while start > 0 && found < lines && bytes.len() <= 2 * room {
        let from = start.saturating_sub(PART as u64);
        let part = client.read_at(path, from, usize::try_from(start - from).unwrap_or(PART))?;
        found += part.split(|byte| *byte == b'\n').count() - 1;
        bytes = [&part[..], &bytes[..]].concat();
        start = from;
    }
    let all = text(bytes).replace("\r\n", "\n");
    let all: Vec<&str> = all.split('\n').collect();
    let wanted = &all[all.len().saturating_sub(lines)..];
    let is_whole = start == 0 || all.len() > lines;
    let (mut kept, mut length) = (wanted.len(), 0);
    for line in wanted.iter().rev() {
        length += line.len() + 1;
        if length > room + 1 {
            break;
        }
        kept -= 1;
    }
    if kept == 0 && is_whole {
        return Ok(Part { text: wanted.join("\n"), note: None, next: None });
    }
    let shown = &wanted[kept..];
    if shown.is_empty() {
        let last = wanted.last().map_or("", |line| line);
        let from = last.ceil_char_boundary(last.len() - room.min(last.len()));
        let note = format!("[the last line is longer than fits: its last {room} bytes are shown]");
        return Ok(Part { text: last[from..].to_owned(), note: Some(note), next: None });
    }
    let note = format!("[only the last {} lines fit; see others with offset]", shown.len());
    Ok(Part { text: shown.join("\n"), note: Some(note), next: None })
}

/// Returns a path as the shell has to be given it.
fn quoted(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:=@%+,".contains(&byte);
    let escaped = || format!("'{}'", path.replace('\'', r"'\''"));
    if path.bytes().all(plain) { path.to_owned() } else { escaped() }
}

/// Returns how many of the bytes are whole letters.
fn whole_letters(bytes: &[u8]) -> usize {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        _ => bytes.len(),
    }
}

/// Reads a file from its beginning on.
struct Reader<'a> {
    client: &'a Client,
    path: &'a Path,
    /// Where what is read next begins.
    at: u64,
    part: Vec<u8>,
    /// How much of the part was taken.
    used: usize,
}

impl Reader<'_> {
    /// Makes sure that there is something to take; tells whether there is.
    fn fill(&mut self) -> Result<bool> {
        if self.used == self.part.len() {
            self.part = self.client.read_at(self.path, self.at, PART)?.into();
            self.at += self.part.len() as u64;
            self.used = 0;
        }
        Ok(self.used < self.part.len())
    }

    fn next(&mut self) -> Result<Option<u8>> {
        if !self.fill()? {
            return Ok(None);
        }
        self.used += 1;
        Ok(Some(self.part[self.used - 1]))
    }

    /// Passes so many lines, and returns where the next one begins.
    fn skip(&mut self, mut lines: usize) -> Result<u64> {
        while lines > 0 && self.fill()? {
            let left = &self.part[self.used..];
            let end = left.iter().position(|byte| *byte == b'\n');
            self.used += end.map_or(left.len(), |end| end + 1);
            lines -= usize::from(end.is_some());
        }
        Ok(self.at - (self.part.len() - self.used) as u64)
    }
}
