//! Reads a script as far as quotes, substitutions, documents and commands go, and writes it anew.

mod brackets;
mod commands;
mod lists;
mod place;
mod redirections;
mod words;

use std::mem;

use self::place::{Closed, Open, Place};

/// How deep a script may nest; a deeper one is not looked at.
const DEPTH_MAX: usize = 100;

/// Why a redirection cannot be followed.
pub(super) const REFUSED: &str = "`exec > >(command)` works outside of functions, groups and other commands \
                       only: write `{ ...; } > >(command)`";

/// Why a script is not ended from within a part of it.
pub(super) const NOT_KILLED: &str = "`kill $$` within ( ) or $( ) would end that part alone: end the script \
                          with `exit`, outside of it";

/// Why what is redirected into a command cannot be handed on as a text.
pub(super) const WITHOUT_DOCUMENT: &str = "what is redirected into `> >(command)` has a `<<` document that begins on the \
                               same line: end the group on a line after the document";

/// Why a script is not quoted once more.
pub(super) const TOO_LONG: &str = "too many `> >(command)` are within one another";

/// Commands that take what is assigned as words.
pub(super) const DECLARING: &[&str] = &["local", "export", "declare", "readonly", "typeset"];

/// Returns a text as one word.
pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Redirections of two letters.
const LONG: &[&str] = &[">&", "<&", ">|", ">>", "<>"];

/// Tells whether a word ends before a letter. Only these are blanks to bash: what else Unicode
/// calls one, such as U+3000, is a part of a word.
fn ends_word(letter: char) -> bool {
    " \t\n;|&()<>".contains(letter)
}

/// Tells whether a text is the name of a variable.
fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// A document that begins with the next line.
struct Document {
    /// The line that ends it.
    end: String,
    /// Tabs before that line are left out.
    strips: bool,
    /// Where it was asked for.
    at: usize,
}

/// A script as it is read and written.
#[expect(clippy::struct_excessive_bools, reason = "each is about where in the text it is")]
pub(super) struct Reader<'a> {
    rest: &'a str,
    pub(super) out: String,
    documents: Vec<Document>,
    depth: usize,
    /// From where on the rest of the script is redirected, and how.
    pub(super) groups: Vec<(usize, String)>,
    /// The text is a whole script, and not a part of one.
    whole: bool,
    pub(super) refused: Option<&'static str>,
    /// What is read is assigned by a command that declares: there the interpreter takes it for a word
    /// of its own, and backquotes for letters.
    declares: bool,
    /// What is read is given to an element of an array: there the interpreter puts a backslash before
    /// a quoted comma.
    element: bool,
    /// What is read is assigned to a variable: there backquotes may be letters, too.
    assigns: bool,
    /// How many bytes may be read more than once, to see what comes; none by who does that.
    ahead: usize,
    /// How long the script may get: quotes within quotes are four times as many.
    pub(super) most: usize,
}

/// What a step gives up with: the text ends within something.
pub(super) type Step = Option<()>;

impl<'a> Reader<'a> {
    pub(super) fn new(script: &'a str, whole: bool) -> Self {
        Self {
            rest: script,
            out: String::new(),
            documents: Vec::new(),
            depth: 0,
            groups: Vec::new(),
            whole,
            refused: None,
            assigns: false,
            element: false,
            declares: false,
            ahead: 8 * script.len() + (1 << 20),
            most: 8 * script.len() + (1 << 20),
        }
    }

    fn keep(&mut self, length: usize) -> Step {
        let (kept, rest) = self.rest.split_at_checked(length)?;
        self.out += kept;
        self.rest = rest;
        Some(())
    }

    /// Keeps what is before a sign, and the sign.
    fn keep_to(&mut self, from: usize, sign: &str) -> Step {
        let end = self.rest.get(from..)?.find(sign)?;
        self.keep(from + end + sign.len())
    }

    fn keep_letter(&mut self) -> Step {
        self.keep(self.rest.chars().next()?.len_utf8())
    }

    /// Keeps a backslash and what is after it.
    fn keep_escaped(&mut self) -> Step {
        self.keep(1 + self.rest[1..].chars().next().map_or(0, char::len_utf8))
    }

    fn begins(&self, sign: &str) -> bool {
        self.rest.starts_with(sign)
    }

    /// Returns the next word, as far as it goes on this line.
    fn plain(&self) -> &'a str {
        let (plain, rest) =
            self.rest.split_at(self.rest.find(ends_word).unwrap_or(self.rest.len()));
        plain.strip_suffix('\\').filter(|_| rest.starts_with('\n')).unwrap_or(plain)
    }

    /// Keeps blanks, over lines that go on.
    fn blanks(&mut self) -> Step {
        loop {
            match self.rest.as_bytes() {
                [b' ' | b'\t', ..] => self.keep(1)?,
                [b'\\', b'\n', ..] => self.keep(2)?,
                _ => return Some(()),
            }
        }
    }

    /// Keeps the end of a line, and the documents that follow it.
    fn line_end(&mut self) -> Step {
        self.keep(1)?;
        self.skip_documents();
        Some(())
    }

    fn comment(&mut self) -> Step {
        self.keep(self.rest.find('\n').unwrap_or(self.rest.len()))
    }

    /// Reads commands up to a parenthesis that closes them, or to the end.
    pub(super) fn commands(&mut self, close: Option<char>) -> Step {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return None;
        }
        let mut place = Place { first: true, ..Place::default() };
        loop {
            self.blanks()?;
            let Some(letter) = self.rest.chars().next() else {
                self.depth -= 1;
                return close.is_none().then_some(());
            };
            let left = self.rest.len();
            match letter {
                '\n' => {
                    self.line_end()?;
                    place.ends_command();
                }
                '#' => self.comment()?,
                _ if place.patterns => self.patterns(&mut place)?,
                ')' => {
                    self.keep(1)?;
                    if let Some(open) = place.parentheses.pop() {
                        place.closes(Some(open), self.out.len());
                    } else if close == Some(')') {
                        self.depth -= 1;
                        return Some(());
                    }
                }
                '(' if self.begins("((") && self.arithmetic(place.first) => place.first = true,
                '(' if self.out.ends_with('=') => self.array()?,
                '(' => self.opens(&mut place)?,
                ';' | '&' | '|' => self.separator(&mut place)?,
                '<' | '>' => self.redirected_to(&mut place)?,
                _ => self.command_word(&mut place, close)?,
            }
            // Whatever was not thought of: reading comes to an end.
            if self.rest.len() == left {
                return None;
            }
        }
    }

    /// Reads a parenthesis in which commands are, or the two after the name of a function.
    fn opens(&mut self, place: &mut Place) -> Step {
        let signature = self.rest[1..].trim_start_matches([' ', '\t']);
        if (!place.first || place.defines) && signature.starts_with(')') {
            place.defines = true;
            place.first = true;
            return self.keep(self.rest.len() - signature.len() + 1);
        }
        let is_body = mem::take(&mut place.defines);
        place.parentheses.push(Open { start: self.out.len(), is_body });
        place.first = true;
        self.keep(1)
    }

    /// Reads what stands between two commands.
    fn separator(&mut self, place: &mut Place) -> Step {
        if self.begins("&>") {
            return self.keep(1);
        }
        place.ends_command();
        let ends = [";;&", ";;", ";&"].into_iter().find(|sign| self.begins(sign));
        match ends.filter(|_| place.cases > 0) {
            Some(sign) => {
                place.patterns = true;
                self.keep(sign.len())
            }
            None => self.keep(1),
        }
    }

    /// Reads what comes without having it read; returns what was read and what the step told.
    fn look<T>(
        &mut self,
        from: usize,
        step: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<(T, Self)> {
        let ahead = self.ahead;
        let mut inner =
            Reader { depth: self.depth, ahead: 0, ..Reader::new(&self.rest[from..], self.whole) };
        let told = step(&mut inner);
        self.ahead = ahead.saturating_sub(self.rest.len() - inner.rest.len());
        told.filter(|_| ahead > 0).map(|told| (told, inner))
    }
}

/// Tells whether a letter begins the name or the number of a variable.
fn is_plain(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}
