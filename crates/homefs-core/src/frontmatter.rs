//! Where the frontmatter of a text begins and ends: the one answer for search, imports, merges and
//! readable copies.
//!
//! What is in it is for each of them to read, none of which needs all of YAML.
//! The choice a reader may question: `...` closes it as `---` does, because YAML ends a document
//! so, and a text that other tools take for frontmatter must not be read as words here.

use std::ops::Range;

/// What a text may begin with before everything else.
pub const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The place of frontmatter in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The lines between those that open and close it.
    pub inner: Range<usize>,
    /// Where the text below it begins.
    pub body: usize,
}

/// Finds the frontmatter of a text: a first line `---`, and the lines up to the next `---` or
/// `...`. Blanks may follow either, and a byte order mark may stand before the first.
pub fn find(text: &[u8]) -> Option<Span> {
    let start = if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
    let mut lines = lines(text, start);
    let first = lines.next().filter(|line| text[line.clone()].trim_ascii_end() == b"---")?;
    let last = lines.find(|line| closes(&text[line.clone()]))?;
    Some(Span { inner: first.end..last.start, body: last.end })
}

/// Tells whether a line closes frontmatter that is open.
pub fn closes(line: &[u8]) -> bool {
    matches!(line.trim_ascii_end(), b"---" | b"...")
}

/// Returns where the lines of a text from a place on are, each with its end; the last may have
/// none.
pub fn lines(text: &[u8], start: usize) -> impl Iterator<Item = Range<usize>> + '_ {
    text[start..].split_inclusive(|byte| *byte == b'\n').scan(start, |at, line| {
        let range = *at..*at + line.len();
        *at = range.end;
        Some(range)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frontmatter_is_found_at_the_start_and_where_it_ends() {
        for (text, expected) in [
            ("---\na: 1\n---\nbody", Some(("a: 1\n", "body"))),
            ("---\na: 1\n...\nbody", Some(("a: 1\n", "body"))),
            ("---\r\na: 1\r\n---\r\nbody", Some(("a: 1\r\n", "body"))),
            ("--- \na: 1\n---\t\nbody", Some(("a: 1\n", "body"))),
            ("\u{feff}---\na: 1\n---\nbody", Some(("a: 1\n", "body"))),
            ("---\na: 1\n---", Some(("a: 1\n", ""))),
            ("---\n---\nbody", Some(("", "body"))),
            ("---\n\n---\n---\n", Some(("\n", "---\n"))),
            ("---\na: |\n  ---\n---\n", Some(("a: |\n  ---\n", ""))),
            ("...\na: 1\n...\n", None),
            ("---\na: 1\n", None),
            ("---\na: 1\n----\n", None),
            ("----\na: 1\n---\n", None),
            (" ---\na: 1\n---\n", None),
            ("\n---\na: 1\n---\n", None),
            ("\u{feff}\u{feff}---\na: 1\n---\n", None),
            ("---", None),
            ("", None),
        ] {
            let found = find(text.as_bytes()).map(|span| (&text[span.inner], &text[span.body..]));
            assert_eq!(found, expected, "{text:?}");
        }
    }
}
