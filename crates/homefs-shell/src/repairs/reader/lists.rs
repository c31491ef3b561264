//! Lists that are no commands: the patterns of `case`, and what arrays are made of.

use super::{Open, Place, Reader, Step};

impl Reader<'_> {
    /// Reads what `case` asks for, up to its patterns.
    pub(super) fn case(&mut self, place: &mut Place) -> Step {
        let is_body = std::mem::take(&mut place.defines);
        place.blocks.push(Open { start: self.out.len(), is_body });
        place.closed = None;
        self.word()?;
        self.blanks()?;
        self.some_word()?;
        self.gap()?;
        if self.plain() != "in" {
            return None;
        }
        place.cases += 1;
        place.patterns = true;
        self.keep(2)
    }

    /// Reads patterns up to where their commands begin, or the end of the `case`. What stands there
    /// is no word of the shell, whatever it looks like.
    pub(super) fn patterns(&mut self, place: &mut Place) -> Step {
        place.patterns = false;
        if self.plain() == "esac" {
            return self.command_word(place, None);
        }
        if self.begins("(") {
            self.keep(1)?;
        }
        loop {
            self.blanks()?;
            if self.begins(")") {
                place.ends_command();
                return self.keep(1);
            }
            if self.begins("|") { self.keep(1)? } else { self.some_word()? }
        }
    }

    /// Reads the words of an array.
    pub(super) fn array(&mut self) -> Step {
        self.keep(1)?;
        loop {
            self.gap()?;
            if self.begins(")") {
                return self.keep(1);
            }
            if self.rest.starts_with(['<', '>']) { self.redirection()? } else { self.some_word()? }
        }
    }

    /// Reads a word that has to be there.
    fn some_word(&mut self) -> Step {
        let left = self.rest.len();
        self.word()?;
        (self.rest.len() < left).then_some(())
    }

    /// Keeps blanks, ends of lines and comments.
    fn gap(&mut self) -> Step {
        loop {
            self.blanks()?;
            match self.rest.as_bytes().first() {
                Some(b'\n') => self.line_end()?,
                Some(b'#') => self.comment()?,
                _ => return Some(()),
            }
        }
    }
}
