//! What stands in `[[ ]]` and `(( ))`.

use super::{Reader, Step};
use crate::repairs::conditions;

impl Reader<'_> {
    /// Reads a condition, and writes anew what it asks of files.
    pub(super) fn condition(&mut self) -> Step {
        self.keep(2)?;
        let mut places = Vec::new();
        let mut pattern = false;
        loop {
            self.blanks()?;
            while self.begins("\n") {
                self.keep(1)?;
                self.blanks()?;
            }
            let start = self.out.len();
            if self.begins("]]") {
                break;
            }
            if pattern {
                self.pattern()?;
            } else if self.begins("&&") || self.begins("||") {
                self.keep(2)?;
            } else if self.rest.starts_with(['(', ')', '<', '>']) {
                self.keep(1)?;
            } else {
                self.word()?;
            }
            if start == self.out.len() {
                return None;
            }
            pattern = matches!(&self.out[start..], "=~");
            places.push(start..self.out.len());
        }
        let words: Vec<&str> = places.iter().map(|place| &self.out[place.clone()]).collect();
        for (words, text) in conditions::rewritten(&words) {
            let range = places[words.start].start..places[words.end - 1].end;
            // What runs over several lines would move what follows.
            let lines = self.out[range.clone()].matches('\n').count();
            let lines = lines.saturating_sub(text.matches('\n').count());
            self.out.replace_range(range, &(text + &"\n".repeat(lines)));
        }
        self.keep(2)
    }

    /// Reads a regular expression.
    fn pattern(&mut self) -> Step {
        while let Some(letter) = self.rest.chars().next() {
            match letter {
                '(' => {
                    self.keep(1)?;
                    self.balanced(1)?;
                }
                ' ' | '\t' | '\n' | ')' => break,
                letter => self.part(letter)?,
            }
        }
        Some(())
    }

    /// Reads arithmetic, and writes it anew if it is a command and has one with quotes in it; tells
    /// whether it was arithmetic.
    pub(super) fn arithmetic(&mut self, is_command: bool) -> bool {
        if self.ahead == 0 {
            return false;
        }
        let Some(((), inner)) = self.look(2, |inner| inner.balanced(1)) else { return false };
        let text = inner.out.strip_suffix(')').unwrap_or_default();
        if !inner.begins(")") {
            return false;
        }
        if is_command && text.contains("$(") && text.contains('"') {
            self.out.extend(["[[ $((", text, ")) -ne 0 ]]"]);
        } else {
            self.out.extend(["((", text, "))"]);
        }
        self.rest = &inner.rest[1..];
        true
    }
}
