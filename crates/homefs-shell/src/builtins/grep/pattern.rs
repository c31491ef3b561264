//! Patterns as GNU grep writes them, in the syntax of crate `regex`.

use std::fmt::Write as _;

/// How a pattern is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syntax {
    Basic,
    Extended,
    Fixed,
    Perl,
}

/// A pattern in the syntax of crate `regex`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Translated {
    pub(crate) text: String,
    /// It refers back to a group, which only a matcher that tries everything can do.
    pub(crate) refers_back: bool,
}

/// Translates one pattern.
pub(crate) fn translate(pattern: &str, syntax: Syntax) -> Result<Translated, &'static str> {
    match syntax {
        Syntax::Fixed => Ok(Translated { text: regex::escape(pattern), refers_back: false }),
        Syntax::Perl => Ok(Translated { text: pattern.to_owned(), refers_back: true }),
        Syntax::Basic | Syntax::Extended => {
            let letters = pattern.chars().collect();
            let extended = syntax == Syntax::Extended;
            let translator =
                Translator { letters, at: 0, extended, out: String::new(), groups: Vec::new() };
            translator.run()
        }
    }
}

struct Translator {
    letters: Vec<char>,
    at: usize,
    extended: bool,
    out: String,
    /// For each open group, whether something to repeat stands before the next letter.
    groups: Vec<()>,
}

/// What a letter means, however it is written.
enum Token {
    Literal(char),
    Open,
    Close,
    Either,
    Repeat(char),
    Interval(String),
    Other(&'static str),
    Reference(char),
    Set,
}

impl Translator {
    fn run(mut self) -> Result<Translated, &'static str> {
        let mut refers_back = false;
        // A repetition needs something to repeat; without it the letter stands for itself.
        let mut repeatable = false;
        while self.at < self.letters.len() {
            let token = self.token(repeatable)?;
            repeatable = !matches!(token, Token::Open | Token::Either | Token::Other("^"));
            match token {
                Token::Literal(letter) => {
                    self.out += &regex::escape(letter.encode_utf8(&mut [0; 4]));
                }
                Token::Open => {
                    self.groups.push(());
                    self.out.push('(');
                }
                Token::Close => {
                    self.groups.pop().ok_or("Unmatched ) or \\)")?;
                    self.out.push(')');
                }
                Token::Either => self.out.push('|'),
                Token::Repeat(letter) => self.repeat(letter.encode_utf8(&mut [0; 4])),
                Token::Interval(text) => self.repeat(&text),
                Token::Other(text) => self.out += text,
                Token::Reference(digit) => {
                    refers_back = true;
                    // Apart from digits that follow.
                    let _ = write!(self.out, "(?:\\{digit})");
                }
                Token::Set => self.set()?,
            }
        }
        if !self.groups.is_empty() {
            return Err("Unmatched ( or \\(");
        }
        Ok(Translated { text: self.out, refers_back })
    }

    /// A second repetition repeats the first, where crate `regex` would read "lazy" instead.
    fn repeat(&mut self, text: &str) {
        if self.out.ends_with(['*', '+', '?', '}']) && !self.out.ends_with("\\}") {
            let repeated = self.letters.get(self.at.wrapping_sub(2));
            if matches!(repeated, Some('*' | '+' | '?' | '}')) {
                // Repeating what may be repeated any number of times changes nothing.
                if self.out.ends_with('*') {
                    return;
                }
                self.out.pop();
                self.out.push('*');
                return;
            }
        }
        self.out += text;
    }

    fn token(&mut self, repeatable: bool) -> Result<Token, &'static str> {
        let letter = self.letters[self.at];
        self.at += 1;
        Ok(match letter {
            '\\' => return self.escaped(repeatable),
            '[' => Token::Set,
            '.' => Token::Other("."),
            '*' if repeatable => Token::Repeat('*'),
            '^' if self.extended || self.starts_branch() => Token::Other("^"),
            '$' if self.extended || self.ends_branch() => Token::Other("$"),
            '(' if self.extended => Token::Open,
            ')' if self.extended && !self.groups.is_empty() => Token::Close,
            '|' if self.extended => Token::Either,
            '+' | '?' if self.extended && repeatable => Token::Repeat(letter),
            '*' | '+' | '?' if self.extended => Token::Other(""),
            '{' if self.extended => match self.interval("}")? {
                Some(text) if repeatable => Token::Interval(text),
                Some(_) => Token::Other(""),
                None => Token::Literal('{'),
            },
            other => Token::Literal(other),
        })
    }

    fn escaped(&mut self, repeatable: bool) -> Result<Token, &'static str> {
        let letter = *self.letters.get(self.at).ok_or("Trailing backslash")?;
        self.at += 1;
        Ok(match letter {
            '(' if !self.extended => Token::Open,
            ')' if !self.extended => Token::Close,
            '|' if !self.extended => Token::Either,
            '+' | '?' if !self.extended && repeatable => Token::Repeat(letter),
            '{' if !self.extended => match self.interval("\\}")? {
                Some(text) if repeatable => Token::Interval(text),
                Some(_) => return Err("Invalid preceding regular expression"),
                None => return Err("Unmatched \\{"),
            },
            '1'..='9' => Token::Reference(letter),
            '<' => Token::Other(r"\b{start}"),
            '>' => Token::Other(r"\b{end}"),
            'w' => Token::Other(r"\w"),
            'W' => Token::Other(r"\W"),
            's' => Token::Other(r"\s"),
            'S' => Token::Other(r"\S"),
            'b' => Token::Other(r"\b"),
            'B' => Token::Other(r"\B"),
            '`' => Token::Other(r"^"),
            '\'' => Token::Other(r"$"),
            other => Token::Literal(other),
        })
    }

    /// Reads an interval after its brace; `None` if it is none, and then nothing is read.
    fn interval(&mut self, close: &str) -> Result<Option<String>, &'static str> {
        let rest: String = self.letters[self.at..].iter().collect();
        let Some(end) = rest.find(close) else { return Ok(None) };
        let inner = &rest[..end];
        let (low, high) = inner.split_once(',').unwrap_or((inner, inner));
        let number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if inner.is_empty() || inner == "," && close == "}" || !number(low) || !number(high) {
            return Ok(None);
        }
        self.at += inner.chars().count() + close.len();
        let low = if low.is_empty() { "0" } else { low };
        let most = |text: &str| text.parse::<u32>().unwrap_or(u32::MAX);
        if most(low) > 32_767 || !high.is_empty() && most(high) > 32_767 {
            return Err("Regular expression too big");
        }
        if !high.is_empty() && most(low) > most(high) {
            return Err("Invalid content of \\{\\}");
        }
        let text =
            if inner.contains(',') { format!("{{{low},{high}}}") } else { format!("{{{low}}}") };
        Ok(Some(text))
    }

    /// Tells whether the letter before this one starts a branch of a basic pattern.
    fn starts_branch(&self) -> bool {
        let before: String = self.letters[..self.at - 1].iter().collect();
        before.is_empty() || before.ends_with("\\(") || before.ends_with("\\|")
    }

    /// Tells whether the letter just read ends a branch of a basic pattern.
    fn ends_branch(&self) -> bool {
        let after: String = self.letters[self.at..].iter().take(2).collect();
        after.is_empty() || after == "\\)" || after == "\\|"
    }

    /// Copies a set in brackets, in which `\` is a letter like others.
    fn set(&mut self) -> Result<(), &'static str> {
        const UNMATCHED: &str = "Unmatched [, [^, [:, [., or [=";
        self.out.push('[');
        if self.letters.get(self.at) == Some(&'^') {
            self.out.push('^');
            self.at += 1;
        }
        let start = self.at;
        loop {
            // Nothing at all after a bracket is another mistake, in the words of GNU.
            let alone = self.at == start;
            let why = if alone { "Invalid regular expression" } else { UNMATCHED };
            let letter = *self.letters.get(self.at).ok_or(why)?;
            self.at += 1;
            match letter {
                ']' if self.at - 1 > start => break,
                '[' if matches!(self.letters.get(self.at), Some(':')) => {
                    let rest: String = self.letters[self.at..].iter().collect();
                    let end = rest.find(":]").ok_or(UNMATCHED)?;
                    let name = &rest[1..end.max(1)];
                    self.out += class(name).ok_or("Invalid character class name")?;
                    self.at += end + 2;
                }
                '-' => self.out.push('-'),
                '\\' | ']' | '[' | '^' | '&' | '~' => {
                    self.out.push('\\');
                    self.out.push(letter);
                }
                other => self.out.push(other),
            }
            // A hyphen at either end stands for itself.
            if letter == '-' && (self.at - 1 == start || self.letters.get(self.at) == Some(&']')) {
                self.out.pop();
                self.out += "\\-";
            }
        }
        self.out.push(']');
        Ok(())
    }
}

fn class(name: &str) -> Option<&'static str> {
    Some(match name {
        "alpha" => r"\p{Alphabetic}",
        "digit" => "0-9",
        "alnum" => r"\p{Alphabetic}\p{N}",
        "upper" => r"\p{Lu}",
        "lower" => r"\p{Ll}",
        "space" => r"\s",
        "blank" => r" \t",
        "punct" => "[:punct:]",
        "xdigit" => "0-9A-Fa-f",
        "cntrl" => "[:cntrl:]",
        "print" => r"\P{C}",
        "graph" => r"[^\p{C}\s]",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_translated() {
        use Syntax::{Basic, Extended, Fixed};
        for (pattern, syntax, expected) in [
            ("a+b", Basic, Ok(r"a\+b")),
            (r"a\+b", Basic, Ok("a+b")),
            (r"\(a\|b\)*", Basic, Ok("(a|b)*")),
            ("*a", Basic, Ok(r"\*a")),
            ("^*a", Basic, Ok(r"^\*a")),
            ("a^b$c", Basic, Ok(r"a\^b\$c")),
            (r"a\{2,3\}", Basic, Ok("a{2,3}")),
            ("{id}", Basic, Ok(r"\{id\}")),
            ("a{2}", Extended, Ok("a{2}")),
            ("a{x}", Extended, Ok(r"a\{x\}")),
            ("a{,3}", Extended, Ok("a{0,3}")),
            ("(a|b)+", Extended, Ok("(a|b)+")),
            ("a)", Extended, Ok(r"a\)")),
            ("(a", Extended, Err("Unmatched ( or \\(")),
            ("[]a]", Basic, Ok(r"[\]a]")),
            (r"[\n]", Basic, Ok(r"[\\n]")),
            ("[a-]", Basic, Ok(r"[a\-]")),
            ("[[:digit:]_]", Extended, Ok("[0-9_]")),
            ("[", Basic, Err("Invalid regular expression")),
            ("[a", Basic, Err("Unmatched [, [^, [:, [., or [=")),
            (r"\<a\>", Basic, Ok(r"\b{start}a\b{end}")),
            ("a**", Basic, Ok("a*")),
            ("a.b", Fixed, Ok(r"a\.b")),
        ] {
            let translated = translate(pattern, syntax).map(|translated| translated.text);
            assert_eq!(translated.as_deref(), expected.as_ref().map(|text| *text), "{pattern}");
        }
        assert!(translate(r"(.)\1", Extended).is_ok_and(|translated| translated.refers_back));
    }
}
