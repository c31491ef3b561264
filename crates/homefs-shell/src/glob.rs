//! Patterns of names, as `fnmatch` reads them.

/// A pattern: `*`, `?`, `[…]` and `\`.
#[derive(Clone, Debug)]
pub(crate) struct Glob {
    pattern: Vec<char>,
    ignore_case: bool,
}

impl Glob {
    /// Takes a pattern; any text is one.
    pub(crate) fn new(pattern: &str, ignore_case: bool) -> Self {
        let folded = if ignore_case { pattern.to_lowercase() } else { pattern.to_owned() };
        Self { pattern: folded.chars().collect(), ignore_case }
    }

    /// Tells whether a text matches as a whole; `*` matches `/` too.
    pub(crate) fn matches(&self, text: &str) -> bool {
        if self.ignore_case {
            matches(&self.pattern, &text.to_lowercase())
        } else {
            matches(&self.pattern, text)
        }
    }
}

fn matches(pattern: &[char], text: &str) -> bool {
    let (mut at, mut rest) = (0, text);
    // Where to go on after the last `*`: a later one never needs an earlier one again.
    let mut retry: Option<(usize, &str)> = None;
    loop {
        let letter = rest.chars().next();
        let stepped = match pattern.get(at) {
            Some('*') => {
                at += 1;
                retry = Some((at, rest));
                continue;
            }
            None if rest.is_empty() => return true,
            None => None,
            Some(_) => letter.and_then(|letter| one(&pattern[at..], letter)),
        };
        match (stepped, retry) {
            (Some(used), _) => {
                at += used;
                rest = after_first(rest);
            }
            (None, Some((after, from))) if !from.is_empty() => {
                at = after;
                rest = after_first(from);
                retry = Some((after, rest));
            }
            _ => return false,
        }
    }
}

fn after_first(text: &str) -> &str {
    let mut letters = text.chars();
    letters.next();
    letters.as_str()
}

/// Matches one letter with the start of a pattern; returns how much of the pattern that took.
fn one(pattern: &[char], letter: char) -> Option<usize> {
    match pattern[0] {
        '?' => Some(1),
        '[' => match set(pattern, letter) {
            Some((true, used)) => Some(used),
            Some((false, _)) => None,
            None => (letter == '[').then_some(1),
        },
        '\\' if pattern.len() > 1 => (pattern[1] == letter).then_some(2),
        literal => (literal == letter).then_some(1),
    }
}

/// Matches one letter with a set in brackets; `None` if the brackets are not closed.
fn set(pattern: &[char], letter: char) -> Option<(bool, usize)> {
    let negated = matches!(pattern.get(1), Some('!' | '^'));
    let start = if negated { 2 } else { 1 };
    let mut at = start;
    let mut found = false;
    loop {
        let mut low = *pattern.get(at)?;
        if low == ']' && at > start {
            return Some((found != negated, at + 1));
        }
        if low == '[' && pattern.get(at + 1) == Some(&':') {
            let length = pattern[at + 2..].iter().position(|&letter| letter == ':')?;
            let name: String = pattern[at + 2..at + 2 + length].iter().collect();
            found |= in_class(&name, letter);
            at += length + 4;
            continue;
        }
        if low == '\\' {
            at += 1;
            low = *pattern.get(at)?;
        }
        if pattern.get(at + 1) == Some(&'-') && !matches!(pattern.get(at + 2), None | Some(']')) {
            found |= (low..=pattern[at + 2]).contains(&letter);
            at += 3;
        } else {
            found |= low == letter;
            at += 1;
        }
    }
}

fn in_class(name: &str, letter: char) -> bool {
    match name {
        "alpha" => letter.is_alphabetic(),
        "digit" => letter.is_ascii_digit(),
        "alnum" => letter.is_alphanumeric(),
        "upper" => letter.is_uppercase(),
        "lower" => letter.is_lowercase(),
        "space" => letter.is_whitespace(),
        "punct" => letter.is_ascii_punctuation(),
        "blank" => letter == ' ' || letter == '\t',
        "xdigit" => letter.is_ascii_hexdigit(),
        "cntrl" => letter.is_control(),
        "print" => !letter.is_control(),
        "graph" => !letter.is_control() && !letter.is_whitespace(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_fnmatch_does() {
        for (pattern, text, expected) in [
            ("*.md", "a.md", true),
            ("*.md", ".md", true),
            ("*.md", "a.mdx", false),
            ("a*b*c", "aXbYbZc", true),
            ("a*b*c", "aXbYbZ", false),
            ("?", "é", true),
            ("[a-c]x", "bx", true),
            ("[!a-c]x", "bx", false),
            ("[]]", "]", true),
            ("[[:digit:]]*", "7up", true),
            ("[", "[", true),
            ("\\*", "*", true),
            ("\\*", "a", false),
            ("*", "", true),
            ("", "", true),
            ("*/x/*", "a/x/y", true),
        ] {
            assert_eq!(Glob::new(pattern, false).matches(text), expected, "{pattern} {text}");
        }
        assert!(Glob::new("READ*", true).matches("readme"));
    }
}
