//! Words: what is quoted and substituted in them.

use std::mem;

use super::{DEPTH_MAX, Reader, Step, ends_word, is_plain};

impl Reader<'_> {
    /// Reads a word, with what is quoted and substituted in it, and with lists of patterns in
    /// parentheses.
    pub(super) fn word(&mut self) -> Step {
        let mut before = ' ';
        while let Some(letter) = self.rest.chars().next() {
            match letter {
                '(' if "?*+@!".contains(before) => {
                    self.keep(1)?;
                    self.balanced(1)?;
                }
                letter if ends_word(letter) => break,
                letter => self.part(letter)?,
            }
            before = letter;
        }
        Some(())
    }

    /// Reads a part of a word.
    pub(super) fn part(&mut self, letter: char) -> Step {
        match letter {
            '\\' => self.keep_escaped(),
            '\'' if self.element => {
                let end = self.rest[1..].find('\'')?;
                self.out += &self.rest[..end + 2].replace(',', "','");
                self.rest = &self.rest[end + 2..];
                Some(())
            }
            '\'' => self.keep_to(1, "'"),
            '"' => self.quoted(),
            // Beside a quoted part the interpreter would split what is not quoted.
            '`' if self.declares => {
                self.out.push('"');
                self.command_of_backquotes(false)?;
                self.out.push('"');
                Some(())
            }
            '`' => self.backquoted(false),
            '$' if self.declares && self.rest[1..].starts_with(is_plain) => {
                self.out.push('"');
                self.dollar(false)?;
                self.keep_name();
                self.out.push('"');
                Some(())
            }
            '$' if self.declares && self.rest[1..].starts_with(['{', '(']) => {
                let start = self.out.len();
                self.dollar(false)?;
                // Between other quotes, single ones would be letters.
                if !self.out[start..].starts_with("${") || !self.out[start..].contains('\'') {
                    self.out.insert(start, '"');
                    self.out.push('"');
                }
                Some(())
            }
            '$' => self.dollar(false),
            _ => self.keep_letter(),
        }
    }

    /// Keeps the rest of the name of a variable.
    fn keep_name(&mut self) {
        let end = self.rest.find(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'));
        let (name, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.out += name;
        self.rest = rest;
    }

    fn quoted(&mut self) -> Step {
        self.keep(1)?;
        loop {
            match self.rest.chars().next()? {
                '"' => return self.keep(1),
                ',' if self.element => {
                    self.keep(1)?;
                    self.out.insert(self.out.len() - 1, '"');
                    self.out.push('"');
                }
                '\\' => self.keep_escaped()?,
                '`' => self.backquoted(true)?,
                '$' => self.dollar(true)?,
                _ => self.keep_letter()?,
            }
        }
    }

    fn backquoted(&mut self, within_quotes: bool) -> Step {
        if self.assigns || self.declares || self.element {
            return self.command_of_backquotes(within_quotes);
        }
        self.keep(1)?;
        loop {
            match self.rest.chars().next()? {
                '`' => return self.keep(1),
                '\\' => self.keep_escaped()?,
                _ => self.keep_letter()?,
            }
        }
    }

    /// Writes a command in backquotes as `$( )`.
    fn command_of_backquotes(&mut self, within_quotes: bool) -> Step {
        let mut letters = self.rest[1..].char_indices();
        let mut command = String::new();
        let end = loop {
            match letters.next()? {
                (at, '`') => break at + 2,
                (_, '\\') => match letters.next()?.1 {
                    letter @ ('`' | '\\' | '$') => command.push(letter),
                    '"' if within_quotes => command.push('"'),
                    letter => command.extend(['\\', letter]),
                },
                (_, letter) => command.push(letter),
            }
        };
        self.rest = &self.rest[end..];
        // Two parentheses would be arithmetic, and one in a comment or a document closes nothing.
        let space = if command.starts_with('(') { " " } else { "" };
        let text = self.command(&(command.clone() + ")"));
        let text = text.or_else(|| self.command(&(command + "\n)")))?;
        self.out.extend(["$(", space, &text]);
        Some(())
    }

    /// Reads a command that its text alone has to close; returns how it is written.
    fn command(&mut self, text: &str) -> Option<String> {
        let mut inner = Reader {
            depth: self.depth,
            ahead: self.ahead,
            most: self.most,
            ..Reader::new(text, self.whole)
        };
        inner.commands(Some(')')).filter(|()| inner.rest.is_empty())?;
        self.refused = self.refused.or(inner.refused);
        Some(inner.out)
    }

    fn dollar(&mut self, within_quotes: bool) -> Step {
        let (joins, start) = (self.declares, self.out.len());
        if joins && (self.begins("$@") || self.begins("$*")) {
            self.out += if within_quotes { "$*" } else { "\"$*\"" };
            self.rest = &self.rest[2..];
            return Some(());
        }
        // What is within a substitution is a script of its own.
        let flags = [&mut self.declares, &mut self.assigns, &mut self.element].map(mem::take);
        let step = self.substitution(within_quotes);
        [self.declares, self.assigns, self.element] = flags;
        if joins {
            self.join(start);
        }
        step
    }

    /// Makes one text of all elements, which the interpreter would take for several words.
    fn join(&mut self, start: usize) {
        let Some(inner) = self.out[start..].strip_prefix("${") else { return };
        let name = inner.trim_start_matches('!');
        let rest = name.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
        let sign = usize::from(rest.starts_with("[@]"));
        if sign == 1 || name.starts_with('@') {
            let at = self.out.len() - rest.len() + sign;
            self.out.replace_range(at..=at, "*");
        }
    }

    fn substitution(&mut self, within_quotes: bool) -> Step {
        if self.begins("$((") && self.is_arithmetic() {
            self.keep(3)?;
            return self.balanced(2);
        }
        if self.begins("$(") {
            self.keep(2)?;
            return self.commands(Some(')'));
        }
        if self.begins("${") {
            self.keep(2)?;
            return self.expansion();
        }
        if self.begins("$'") && !within_quotes {
            self.keep(2)?;
            loop {
                match self.rest.chars().next()? {
                    '\'' => return self.keep(1),
                    '\\' => self.keep_escaped()?,
                    _ => self.keep_letter()?,
                }
            }
        }
        self.keep(1)
    }

    /// Tells whether two parentheses are closed together: otherwise they are a command's, which
    /// begins with a part in parentheses.
    fn is_arithmetic(&mut self) -> bool {
        let closed = |((), inner): ((), Reader<'_>)| inner.begins(")");
        self.ahead == 0 || self.look("$((".len(), |inner| inner.balanced(1)).is_some_and(closed)
    }

    /// Reads up to where so many parentheses are closed.
    pub(super) fn balanced(&mut self, mut open: usize) -> Step {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return None;
        }
        while open > 0 {
            match self.rest.chars().next()? {
                '(' => {
                    open += 1;
                    self.keep(1)?;
                }
                ')' => {
                    open -= 1;
                    self.keep(1)?;
                }
                letter => self.part(letter)?,
            }
        }
        self.depth -= 1;
        Some(())
    }

    /// Reads up to the brace that closes what is expanded. For where that is single quotes count,
    /// also between double ones.
    fn expansion(&mut self) -> Step {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return None;
        }
        loop {
            match self.rest.chars().next()? {
                '}' => {
                    self.depth -= 1;
                    return self.keep(1);
                }
                letter => self.part(letter)?,
            }
        }
    }
}
