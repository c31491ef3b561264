//! What decides whether a line matches: a fast matcher, or one that tries everything.

use grep_matcher::{Captures, Match, Matcher, NoCaptures};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};

use super::options::Options;
use super::pattern::{Syntax, translate};

/// Most steps that a matcher which tries everything may take for one line.
const BACKTRACKS_MAX: usize = 1_000_000;

/// A compiled search.
pub(crate) enum Compiled {
    /// Its time is linear in the text.
    Fast(RegexMatcher),
    /// For what a fast one cannot do: references back and Perl's syntax.
    Slow(Slow),
}

/// Compiles the patterns of a command line; also returns them as one, for an index.
pub(crate) fn compile(options: &Options) -> Result<(Compiled, String), String> {
    let mut texts = Vec::new();
    let mut refers_back = false;
    for pattern in &options.patterns {
        let translated = translate(pattern, options.syntax)?;
        refers_back |= translated.refers_back;
        texts.push(translated.text);
    }
    let one = texts.iter().map(|text| format!("(?:{text})")).collect::<Vec<_>>().join("|");
    if !refers_back || options.syntax == Syntax::Perl {
        let fast = fast(options, &texts);
        match (fast, refers_back) {
            (Ok(fast), _) => return Ok((Compiled::Fast(fast), one)),
            (Err(error), false) => return Err(error),
            // What Perl has and the fast one has not is left to the slow one.
            (Err(_), true) => {}
        }
    }
    let one_slow = if texts.len() == 1 { texts[0].clone() } else { one.clone() };
    Ok((Compiled::Slow(slow(options, &one_slow)?), one))
}

fn fast(options: &Options, texts: &[String]) -> Result<RegexMatcher, String> {
    let terminator = if options.null_lines { 0 } else { b'\n' };
    let mut builder = RegexMatcherBuilder::new();
    builder
        .multi_line(true)
        .case_insensitive(options.ignore_case)
        .line_terminator(Some(terminator))
        .whole_line(options.whole_line)
        .word(options.word && !options.whole_line);
    // No pattern at all, as from an empty file, matches nothing.
    if texts.is_empty() {
        return builder.build(r"[^\s\S]").map_err(|error| error.to_string());
    }
    builder.build_many(texts).map_err(|error| error.to_string())
}

fn slow(options: &Options, text: &str) -> Result<Slow, String> {
    let text = text.replace(r"\b{start}", r"\b(?=\w)").replace(r"\b{end}", r"\b(?<=\w)");
    let flags = if options.ignore_case { "(?mi)" } else { "(?m)" };
    let text = match (options.whole_line, options.word) {
        (true, _) => format!("{flags}^(?:{text})$"),
        (false, true) => format!(r"{flags}(?<!\w)(?:{text})(?!\w)"),
        (false, false) => format!("{flags}{text}"),
    };
    let built = fancy_regex::RegexBuilder::new(&text).backtrack_limit(BACKTRACKS_MAX).build();
    built.map(Slow).map_err(|error| error.to_string())
}

/// Tries everything, up to a limit.
pub(crate) struct Slow(fancy_regex::Regex);

impl Matcher for Slow {
    type Captures = NoCaptures;
    type Error = String;

    fn find_at(&self, haystack: &[u8], at: usize) -> Result<Option<Match>, String> {
        let text = String::from_utf8_lossy(haystack);
        let at = at.min(text.len());
        let found = self
            .0
            .find_from_pos(&*text, at)
            .map_err(|_| "exceeded the limit of backtracking".to_owned())?;
        // In text that is not UTF-8 places can be off, but never outside.
        let most = haystack.len();
        Ok(found.map(|found| Match::new(found.start().min(most), found.end().min(most))))
    }

    fn new_captures(&self) -> Result<NoCaptures, String> {
        let captures = NoCaptures::new();
        debug_assert!(captures.is_empty(), "nobody asks for groups");
        Ok(captures)
    }
}
