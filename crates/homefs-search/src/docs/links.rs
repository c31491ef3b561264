//! Links of a note to others.

use super::split::fence_mark;

/// No link is longer; without a bound, brackets that are never closed would be read to the end of
/// a long line again and again.
const LINK_BYTES_MAX: usize = 1 << 10;

/// How a link is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkKind {
    /// `[[target]]`
    Wiki,
    /// `[text](target)`
    Markdown,
}

/// A link out of a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// How it is written.
    pub kind: LinkKind,
    /// What it names: a note, a path or an address; empty for a place in the same note.
    pub target: String,
    /// The heading behind `#`.
    pub heading: Option<String>,
}

impl Link {
    /// Whether it leads out of the home, as `https://…` and `mailto:…` do.
    pub fn is_address(&self) -> bool {
        self.kind == LinkKind::Markdown
            && self.target.split_once(':').is_some_and(|(scheme, _)| {
                scheme.len() > 1
                    && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b))
            })
    }
}

/// The links of a Markdown text in order, code left out.
pub fn links(text: &str) -> Vec<Link> {
    let mut found = Vec::new();
    let mut fence: Option<(u8, usize)> = None;
    for line in text.lines() {
        match (fence, fence_mark(line.trim().as_bytes())) {
            (None, Some(mark)) => fence = Some(mark),
            (Some((sign, count)), Some((closing, longer)))
                if sign == closing && longer >= count =>
            {
                fence = None;
            }
            (None, None) => links_of_line(line, &mut found),
            (Some(_), _) => {}
        }
    }
    found
}

fn links_of_line(line: &str, found: &mut Vec<Link>) {
    let mut rest = line;
    while let Some(at) = rest.find(['[', '`', '\\']) {
        rest = &rest[at..];
        let near = &rest[..rest.floor_char_boundary(LINK_BYTES_MAX)];
        rest = if let Some(behind) = rest.strip_prefix('\\') {
            let mut characters = behind.chars();
            characters.next();
            characters.as_str()
        } else if rest.starts_with('`') {
            &rest[code_end(near)..]
        } else if let Some((link, behind)) = wiki(near).or_else(|| markdown(near)) {
            found.push(link);
            &rest[near.len() - behind.len()..]
        } else {
            &rest[1..]
        };
    }
}

/// Where code between equal runs of backticks ends; a run that is never closed is no code.
fn code_end(text: &str) -> usize {
    let behind = text.trim_start_matches('`');
    let (mark, behind) = text.split_at(text.len() - behind.len());
    behind.find(mark).map_or(mark.len(), |at| mark.len() + at + mark.len())
}

/// Reads `[[target#heading|shown]]`.
fn wiki(text: &str) -> Option<(Link, &str)> {
    let (inside, rest) = text.strip_prefix("[[")?.split_once("]]")?;
    let name = inside.split('|').next().unwrap_or(inside);
    let link = link(LinkKind::Wiki, name);
    (!inside.contains('[') && !name.trim().is_empty()).then_some((link, rest))
}

/// Reads `[shown](target "title")`.
fn markdown(text: &str) -> Option<(Link, &str)> {
    let (shown, behind) = text.strip_prefix('[')?.split_once("](")?;
    // A bracket closed before belongs to no link; one opened later may.
    if shown.contains(']') || shown.contains('[') {
        return None;
    }
    let (target, rest) = if let Some(marked) = behind.strip_prefix('<') {
        let (target, rest) = marked.split_once('>')?;
        (target, rest.split_once(')')?.1)
    } else {
        let (inside, rest) = behind.split_at(closing(behind)?);
        (inside.split_whitespace().next()?, &rest[1..])
    };
    Some((link(LinkKind::Markdown, target), rest))
}

/// Where the bracket is closed that was open before `text`.
fn closing(text: &str) -> Option<usize> {
    let mut open = 1;
    text.bytes().position(|byte| {
        open += i32::from(byte == b'(') - i32::from(byte == b')');
        open == 0
    })
}

fn link(kind: LinkKind, name: &str) -> Link {
    let (target, heading) = match name.split_once('#') {
        Some((target, heading)) => (target, Some(heading.trim().to_owned())),
        None => (name, None),
    };
    Link { kind, target: target.trim().to_owned(), heading }
}
