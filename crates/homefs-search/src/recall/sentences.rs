//! From a doc to what must not be parted.

use std::ops::Range;

/// Words that end with a full stop inside a sentence.
const ABBREVIATIONS: &[&str] = &[
    "al", "approx", "ca", "cf", "dr", "e.g", "eg", "etc", "fig", "i.e", "ie", "inc", "jr", "mr",
    "mrs", "ms", "p", "pp", "prof", "sr", "st", "vs",
];

/// Returns the parts of a doc in order, without the space around them: the sentences of
/// paragraphs, and whole headings, list items, rows of tables and fenced blocks.
pub(super) fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut parts = Parts { text, done: Vec::new(), open: None };
    let mut fence: Option<(u8, usize)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let span = at..at + line.len();
        at = span.end;
        let line = line.trim();
        let mark = fence_mark(line);
        if let Some((sign, count)) = fence {
            parts.extend(span);
            let closes = mark.is_some_and(|(closing, longer)| closing == sign && longer >= count)
                && line.bytes().all(|byte| byte == sign);
            if closes {
                fence = None;
                parts.close();
            }
        } else if mark.is_some() {
            fence = mark;
            parts.open(span, Kind::Whole);
        } else if line.is_empty() {
            parts.close();
        } else if line.starts_with('#') || line.starts_with('|') {
            parts.open(span, Kind::Whole);
            parts.close();
        } else if is_list_item(line) {
            parts.open(span, Kind::Whole);
        } else {
            parts.extend(span);
        }
    }
    parts.close();
    parts.done
}

/// How a part is kept.
#[derive(Clone, Copy)]
enum Kind {
    Whole,
    Paragraph,
}

/// Parts as they are gathered.
struct Parts<'a> {
    text: &'a str,
    done: Vec<Range<usize>>,
    /// The part that still grows.
    open: Option<(Range<usize>, Kind)>,
}

impl Parts<'_> {
    /// Ends the part before and begins one.
    fn open(&mut self, span: Range<usize>, kind: Kind) {
        self.close();
        self.open = Some((span, kind));
    }

    /// Adds a line to the part before, or begins a paragraph.
    fn extend(&mut self, span: Range<usize>) {
        match &mut self.open {
            Some((part, _)) => part.end = span.end,
            None => self.open = Some((span, Kind::Paragraph)),
        }
    }

    /// Ends the part before.
    fn close(&mut self) {
        match self.open.take() {
            Some((part, Kind::Whole)) => self.push(part),
            Some((part, Kind::Paragraph)) => self.split(part),
            None => {}
        }
    }

    /// Adds the sentences of a paragraph.
    fn split(&mut self, paragraph: Range<usize>) {
        let mut start = paragraph.start;
        let text = &self.text[..paragraph.end];
        let mut from = start;
        while let Some((at, mark)) = next_mark(text, from) {
            let behind = at + mark.len_utf8();
            let rest = &text[behind..];
            let closed = rest.trim_start_matches(is_closer);
            let end = behind + rest.len() - closed.len();
            from = end.max(behind);
            if is_end(&text[start..at], mark, closed) {
                self.push(start..end);
                start = end;
            }
        }
        self.push(start..paragraph.end);
    }

    fn push(&mut self, part: Range<usize>) {
        let part = trim(self.text, part);
        if !part.is_empty() {
            self.done.push(part);
        }
    }
}

/// The sign of a fence and how often it stands there.
fn fence_mark(line: &str) -> Option<(u8, usize)> {
    let sign = line.bytes().next().filter(|byte| matches!(byte, b'`' | b'~'))?;
    let count = line.bytes().take_while(|byte| *byte == sign).count();
    (count >= 3).then_some((sign, count))
}

/// A span without the space around it.
pub(super) fn trim(text: &str, span: Range<usize>) -> Range<usize> {
    let inner = text[span.clone()].trim_start();
    let start = span.end - inner.len();
    start..start + inner.trim_end().len()
}

/// The next mark from `from` that may end a sentence.
fn next_mark(text: &str, from: usize) -> Option<(usize, char)> {
    let wanted = |c: char| matches!(c, '.' | '!' | '?' | '…' | '。' | '！' | '？' | '｡');
    let (at, found) = text[from..].match_indices(wanted).next()?;
    Some((from + at, found.chars().next()?))
}

/// Whether a mark between a sentence's text and what follows it ends the sentence.
fn is_end(before: &str, mark: char, after: &str) -> bool {
    if matches!(mark, '。' | '！' | '？' | '｡') {
        return true;
    }
    let next = after.trim_start();
    if next.len() == after.len() {
        return next.is_empty();
    }
    if mark != '.' {
        return true;
    }
    let word = before.rsplit(char::is_whitespace).next().unwrap_or("");
    let word = word.trim_start_matches(|c: char| !c.is_alphanumeric());
    let is_initial = word.chars().count() == 1 && word.starts_with(char::is_uppercase);
    let is_abbreviation = ABBREVIATIONS.iter().any(|known| word.eq_ignore_ascii_case(known));
    !is_initial && !is_abbreviation && !next.starts_with(char::is_lowercase)
}

/// Whether a character behind the mark still belongs to the sentence.
fn is_closer(c: char) -> bool {
    matches!(
        c,
        '.' | '!'
            | '?'
            | '"'
            | '\''
            | ')'
            | ']'
            | '*'
            | '_'
            | '`'
            | '”'
            | '’'
            | '»'
            | '」'
            | '』'
            | '）'
            | '。'
            | '！'
            | '？'
    )
}

/// Whether a line begins an item of a list.
fn is_list_item(line: &str) -> bool {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &line[digits..];
    match digits {
        0 => rest.starts_with(['-', '*', '+']) && rest[1..].starts_with([' ', '\t']),
        1..=9 => rest.starts_with(['.', ')']) && rest[1..].starts_with(' '),
        _ => false,
    }
}
