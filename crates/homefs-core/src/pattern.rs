//! What every match of a regular expression contains: what an index or a server is asked for before
//! all is read.
//!
//! The choice a reader may question: a place may have a few characters to choose from, since a
//! server can be asked for these; an index that knows letters without their case takes those that
//! it cannot tell apart.

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind};

/// Most characters that a place of a run may have: the cases of a letter, or a few more.
const CHOICES_MAX: usize = 4;

/// Characters one behind the other, each of some choices.
pub type Run = Vec<Vec<char>>;

/// What a text has that a pattern matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// This run; an empty one says nothing.
    Run(Run),
    /// Each of these; none says nothing.
    Each(Vec<Content>),
    /// One of these.
    Any(Vec<Content>),
}

/// Returns what every match contains; `ignore_case` if other cases of its letters match too. An
/// expression that cannot be read says nothing.
pub fn content(pattern: &str, ignore_case: bool) -> Content {
    let mut parser = ParserBuilder::new();
    let parsed = parser.utf8(false).case_insensitive(ignore_case).build().parse(pattern);
    parsed.map_or(Content::Each(Vec::new()), |hir| content_of(&hir))
}

fn content_of(hir: &Hir) -> Content {
    let found = match hir.kind() {
        // A place between characters says nothing and parts nothing.
        HirKind::Empty | HirKind::Look(_) => Some(Content::Run(Run::new())),
        HirKind::Literal(literal) => {
            // Bytes that are no text may be part of a character that has another case.
            let text = std::str::from_utf8(&literal.0).ok();
            text.map(|text| Content::Run(text.chars().map(|letter| vec![letter]).collect()))
        }
        HirKind::Class(class) => choices(class).map(|choices| Content::Run(vec![choices])),
        // What is repeated is not joined with its neighbours.
        HirKind::Repetition(repetition) if repetition.min > 0 => {
            Some(Content::Each(vec![content_of(&repetition.sub)]))
        }
        HirKind::Repetition(_) => None,
        HirKind::Capture(capture) => Some(content_of(&capture.sub)),
        HirKind::Concat(parts) => Some(content_of_parts(parts)),
        HirKind::Alternation(parts) => Some(Content::Any(parts.iter().map(content_of).collect())),
    };
    found.unwrap_or(Content::Each(Vec::new()))
}

/// What parts one behind the other contain: neighbouring runs are one.
fn content_of_parts(parts: &[Hir]) -> Content {
    let mut found: Vec<Content> = Vec::new();
    for part in parts {
        match (found.last_mut(), content_of(part)) {
            (Some(Content::Run(before)), Content::Run(run)) => before.extend(run),
            (_, content) => found.push(content),
        }
    }
    if found.len() == 1 { found.remove(0) } else { Content::Each(found) }
}

/// The characters of a class, if there are some and few.
fn choices(class: &Class) -> Option<Vec<char>> {
    let ranges: Vec<(char, char)> = match class {
        Class::Unicode(class) => class.iter().map(|range| (range.start(), range.end())).collect(),
        Class::Bytes(class) => {
            let ascii = |range: &regex_syntax::hir::ClassBytesRange| {
                range.end().is_ascii().then(|| (range.start().into(), range.end().into()))
            };
            class.iter().map(ascii).collect::<Option<_>>()?
        }
    };
    let mut letters = ranges.into_iter().flat_map(|(start, end)| start..=end);
    let few: Vec<char> = letters.by_ref().take(CHOICES_MAX).collect();
    (letters.next().is_none() && !few.is_empty()).then_some(few)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes a content as an expression, with what is left out as `…`.
    fn shown(content: &Content) -> String {
        let all = |contents: &[Content], mark: &str| {
            contents.iter().map(shown).collect::<Vec<_>>().join(mark)
        };
        match content {
            Content::Run(run) => run
                .iter()
                .map(|choices| match choices[..] {
                    [letter] => letter.to_string(),
                    _ => format!("[{}]", choices.iter().collect::<String>()),
                })
                .collect(),
            Content::Each(contents) if contents.is_empty() => "…".into(),
            Content::Each(contents) => format!("({})", all(contents, " ")),
            Content::Any(contents) => format!("({})", all(contents, "|")),
        }
    }

    #[test]
    fn a_match_contains_runs() {
        for (pattern, ignore_case, expected) in [
            ("abc", false, "abc"),
            ("^a(b)c\\b$", false, "abc"),
            ("ak", true, "[Aa][Kk\u{212a}]"),
            ("gr[ae]y", false, "gr[ae]y"),
            ("gr[a-z]y", false, "(gr … y)"),
            ("(?-u:[ab])c", false, "[ab]c"),
            ("ab+c", false, "(a (b) c)"),
            ("ab?c", false, "(a … c)"),
            ("(ab.cd)e", false, "((ab … cd) e)"),
            ("get|put", false, "(get|put)"),
            ("é", false, "é"),
            ("(?-u:\\xffabc)", false, "…"),
            ("(", false, "…"),
            ("", false, ""),
        ] {
            assert_eq!(shown(&content(pattern, ignore_case)), expected, "{pattern}");
        }
    }
}
