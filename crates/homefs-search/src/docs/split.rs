//! Splitting Markdown where it parts by itself.
//!
//! A file is cut into pieces that belong together (a heading, a paragraph, a fenced block), and
//! pieces are gathered into docs of some hundred words. Plain text and any other bytes are
//! paragraphs too, so that nothing needs to be told apart. Every byte of the body is in exactly
//! one doc.

use std::{borrow::Cow, ops::Range};

use homefs_core::frontmatter::{self, Span, lines};

/// A doc ends before the piece that would take it above this.
const WORDS_MAX: usize = 300;
/// And before the piece that would give it more bytes than this.
const BYTES_MAX: usize = 8 << 10;
/// A heading begins a new doc if the one before it has this many words.
const WORDS_MIN: usize = 80;
/// A paragraph of more bytes is cut, so that a line without spaces is bounded too.
const PIECE_BYTES_MAX: usize = 4 << 10;
/// A fenced block is whole up to here.
const FENCE_BYTES_MAX: usize = 16 << 10;

/// A file as docs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The lines of its frontmatter, without those around it; empty if there are none. They belong
    /// to no doc and are indexed with the first.
    pub frontmatter: Range<usize>,
    /// Its docs in order, without a gap from the end of the frontmatter to the end of the file.
    pub docs: Vec<Doc>,
}

/// A span of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doc {
    /// Its bytes in the file.
    pub bytes: Range<usize>,
    /// Its first and last line, counted from 1.
    pub lines: (u32, u32),
    /// The headings it stands under, the outermost first.
    pub headings: Vec<String>,
}

impl Doc {
    /// Its text; bytes that are no text are replaced.
    pub fn text<'a>(&self, content: &'a [u8]) -> Cow<'a, str> {
        String::from_utf8_lossy(&content[self.bytes.clone()])
    }

    /// Its headings as one line.
    pub fn title(&self) -> String {
        self.headings.join(" › ")
    }
}

/// Splits a file into docs; an empty body has none.
pub fn split(content: &[u8]) -> Note {
    let none = Span { inner: 0..0, body: 0 };
    let Span { inner: frontmatter, body } = frontmatter::find(content).unwrap_or(none);
    let mut docs = Docs { content, done: Vec::new(), open: None, outline: Vec::new(), line: 1 };
    docs.line += count_lines(&content[..body]);
    each_piece(content, body, |piece| docs.add(&piece));
    docs.close();
    Note { frontmatter, docs: docs.done }
}

/// What must not be parted.
#[derive(Debug)]
struct Piece {
    bytes: Range<usize>,
    /// The level of a heading.
    heading: Option<usize>,
}

/// Docs as they are gathered.
struct Docs<'a> {
    content: &'a [u8],
    done: Vec<Doc>,
    /// The doc that still grows, with its words.
    open: Option<(Doc, usize)>,
    /// The headings above the present place, each with its level.
    outline: Vec<(usize, String)>,
    line: u32,
}

impl Docs<'_> {
    fn add(&mut self, piece: &Piece) {
        let bytes = &self.content[piece.bytes.clone()];
        let words = count_words(bytes);
        if let Some((doc, before)) = &self.open
            && (before + words > WORDS_MAX
                || doc.bytes.len() + bytes.len() > BYTES_MAX
                || (piece.heading.is_some() && *before >= WORDS_MIN))
        {
            self.close();
        }
        if let Some(level) = piece.heading {
            self.outline.retain(|(above, _)| *above < level);
            self.outline.push((level, heading_text(bytes)));
        }
        let headings = || self.outline.iter().map(|(_, text)| text.clone()).collect::<Vec<_>>();
        let (first, last) = (self.line, last_line(self.line, bytes));
        self.line += count_lines(bytes);
        let (doc, total) = self.open.get_or_insert_with(|| {
            let bytes = piece.bytes.start..piece.bytes.start;
            (Doc { bytes, lines: (first, first), headings: headings() }, 0)
        });
        if doc.headings.is_empty() {
            doc.headings = headings();
        }
        doc.bytes.end = piece.bytes.end;
        doc.lines.1 = last;
        *total += words;
    }

    fn close(&mut self) {
        self.done.extend(self.open.take().map(|(doc, _)| doc));
    }
}

/// Visits the pieces of the body, each within its bound.
fn each_piece(content: &[u8], body: usize, mut visit: impl FnMut(Piece)) {
    let mut open: Option<Range<usize>> = None;
    let mut fence: Option<(u8, usize)> = None;
    let mut blank = false;
    for line in lines(content, body) {
        let text = content[line.clone()].trim_ascii();
        let heading = if fence.is_none() { heading_level(text) } else { None };
        let mark = fence_mark(text);
        let opens = fence.is_none() && mark.is_some();
        // A blank line belongs to what is before it.
        let ends = heading.is_some() || opens || (fence.is_none() && blank && !text.is_empty());
        if let Some(piece) = open.take_if(|_| ends) {
            bounded(content, piece, &mut visit);
        }
        blank = text.is_empty();
        if heading.is_some() && line.len() <= PIECE_BYTES_MAX {
            visit(Piece { bytes: line, heading });
            continue;
        }
        open = Some(open.take().map_or(line.start, |piece| piece.start)..line.end);
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some((sign, count)), Some((closing, longer)))
                if sign == closing && longer >= count && text.iter().all(|byte| *byte == sign) =>
            {
                fence = None;
                blank = true;
            }
            _ => {}
        }
    }
    if let Some(piece) = open {
        bounded(content, piece, &mut visit);
    }
}

/// Visits a piece, in parts if it is too large: cut behind a line, else a word, else anywhere.
fn bounded(content: &[u8], mut piece: Range<usize>, visit: &mut impl FnMut(Piece)) {
    let whole = &content[piece.clone()];
    let fenced = fence_mark(whole.trim_ascii_start()).is_some();
    let most = if fenced { FENCE_BYTES_MAX } else { PIECE_BYTES_MAX };
    while !piece.is_empty() {
        let mut end = within(content, piece.clone(), most);
        if !fenced {
            end = within_words(&content[piece.start..end]).map_or(end, |cut| piece.start + cut);
        }
        visit(Piece { bytes: piece.start..end, heading: None });
        piece.start = end;
    }
}

/// Where to cut a piece so that it has at most `most` bytes.
fn within(content: &[u8], piece: Range<usize>, most: usize) -> usize {
    if piece.len() <= most {
        return piece.end;
    }
    let head = &content[piece.start..piece.start + most];
    let behind = |wanted: fn(&u8) -> bool| head.iter().rposition(wanted).map(|at| at + 1);
    let cut = behind(|byte| *byte == b'\n')
        .or_else(|| behind(u8::is_ascii_whitespace))
        // A character is not parted: bytes that continue one go with it.
        .or_else(|| head.iter().rposition(|byte| byte & 0xc0 != 0x80).filter(|at| *at > 0));
    piece.start + cut.unwrap_or(most)
}

/// Where to cut a text of too many words: behind its last full line, else behind its last word.
fn within_words(text: &[u8]) -> Option<usize> {
    let mut words = 0;
    let mut line = None;
    for (at, pair) in text.windows(2).enumerate() {
        if pair[0] == b'\n' {
            line = Some(at + 1);
        }
        words += usize::from(pair[0].is_ascii_whitespace() && !pair[1].is_ascii_whitespace());
        if words == WORDS_MAX {
            return line.or(Some(at + 1));
        }
    }
    None
}

/// The level of a heading: `#` to `######` and a space.
fn heading_level(line: &[u8]) -> Option<usize> {
    let level = line.iter().take_while(|byte| **byte == b'#').count();
    ((1..=6).contains(&level) && line.get(level) == Some(&b' ')).then_some(level)
}

/// The text of a heading without its marks.
fn heading_text(line: &[u8]) -> String {
    String::from_utf8_lossy(line).trim().trim_matches('#').trim().to_owned()
}

/// The sign of a fence and how often it stands there.
pub(super) fn fence_mark(line: &[u8]) -> Option<(u8, usize)> {
    let sign = *line.first().filter(|byte| matches!(byte, b'`' | b'~'))?;
    let count = line.iter().take_while(|byte| **byte == sign).count();
    (count >= 3).then_some((sign, count))
}

fn count_words(text: &[u8]) -> usize {
    text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count()
}

fn count_lines(text: &[u8]) -> u32 {
    u32::try_from(text.split(|byte| *byte == b'\n').count() - 1).unwrap_or(u32::MAX)
}

/// The last line of a text that starts on line `first`; its final end of line begins no other.
fn last_line(first: u32, text: &[u8]) -> u32 {
    first + count_lines(text.strip_suffix(b"\n").unwrap_or(text))
}
