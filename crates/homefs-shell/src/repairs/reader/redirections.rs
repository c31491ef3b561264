//! Redirections, and the documents that follow a line.

use std::mem;

use super::{
    Closed, Document, LONG, Place, REFUSED, Reader, Step, TOO_LONG, WITHOUT_DOCUMENT, ends_word,
    is_name, quoted,
};

impl Reader<'_> {
    /// Reads a redirection of the command before it.
    pub(super) fn redirected_to(&mut self, place: &mut Place) -> Step {
        if self.begins(">(")
            && let Some(closed) = place.closed.take()
        {
            self.group(closed, place);
        }
        if self.begins(">") && !self.begins(">(") {
            self.output(place);
        }
        if self.reads(place) {
            return Some(());
        }
        let is_command = self.begins("<(") || self.begins(">(");
        let is_document = self.begins("<<") && !self.begins("<<<");
        self.redirection()?;
        if is_command || is_document {
            return Some(());
        }
        // The name of a file begins no command; a command in its place is redirected into.
        self.blanks()?;
        if self.rest.starts_with(['<', '>']) { Some(()) } else { self.word() }
    }

    /// Of several redirections of standard output of one command the interpreter follows the first
    /// and empties the last: those before the last are given to a descriptor that nobody uses.
    fn output(&mut self, place: &mut Place) {
        let digits = self.out.len() - self.out.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let start = self.out.len() - digits;
        let before = self.out[..start].chars().next_back();
        let is_number = digits > 0 && before.is_none_or(ends_word);
        let both = before == Some('&') && digits == 0;
        if is_number && &self.out[start..] != "1" || self.is_at_descriptor() {
            place.doubled |= self.begins(">&");
            return;
        }
        if self.begins(">&") {
            // What stands before a copy is made, too, and stays empty.
            if let Some(at) = place.output.take().filter(|_| !place.doubled) {
                self.set_aside(at, place);
            }
            place.doubled = true;
            return;
        }
        let here = match (both, is_number) {
            (true, _) => start - 1,
            (_, true) => start,
            _ => self.out.len(),
        };
        let earlier = place.output.replace(here).filter(|_| !place.doubled);
        if let Some(at) = earlier {
            self.set_aside(at, place);
        }
    }

    /// Gives a redirection to a descriptor that nobody uses.
    fn set_aside(&mut self, at: usize, place: &mut Place) {
        let length = usize::from(!self.out[at..].starts_with('>'));
        let descriptor = if self.out[at..].starts_with('&') { " 2" } else { " 19" };
        self.out.replace_range(at..at + length, descriptor);
        self.grew(at + length, descriptor.len() - length, place);
    }

    /// Text before a place got longer: whatever is known to be after it is further on now.
    fn grew(&mut self, at: usize, length: usize, place: &mut Place) {
        place.grew(at, length);
        for document in &mut self.documents {
            document.at += if document.at >= at { length } else { 0 };
        }
    }

    /// Tells whether a word such as `{fd}` was read last, which gets the number of a descriptor.
    fn is_at_descriptor(&self) -> bool {
        let word = self.out.strip_suffix('}').and_then(|text| text.rsplit_once('{'));
        word.is_some_and(|(before, name)| {
            is_name(name) && before.chars().next_back().is_none_or(ends_word)
        })
    }

    /// Makes an option of the descriptor from which `read` reads; tells whether it did.
    fn reads(&mut self, place: &mut Place) -> bool {
        let digits = self.rest.strip_prefix("<&").unwrap_or_default();
        let end = digits.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(digits.len());
        let is_made = digits[..end].parse().is_ok_and(|number: u32| number > 2)
            && digits[end..].chars().next().is_none_or(ends_word);
        let (Some(at), true) = (place.read, is_made) else { return false };
        let option = format!(" -u {}", &digits[..end]);
        self.out.insert_str(at, &option);
        self.grew(at, option.len(), place);
        self.rest = &digits[end..];
        true
    }

    pub(super) fn redirection(&mut self) -> Step {
        if self.begins("<<<") {
            return self.keep(3);
        }
        if self.begins("<<") {
            return self.document();
        }
        if self.begins("<(") || self.begins(">(") {
            self.keep(2)?;
            return self.commands(Some(')'));
        }
        let long = if LONG.iter().any(|sign| self.begins(sign)) { 2 } else { 1 };
        self.keep(long)
    }

    /// Notes that a document follows this line.
    fn document(&mut self) -> Step {
        let strips = self.begins("<<-");
        self.keep(if strips { 3 } else { 2 })?;
        self.blanks()?;
        let at = self.out.len();
        self.word()?;
        let end = self.out[at..].replace(['\'', '"', '\\'], "");
        self.documents.push(Document { end, strips, at });
        Some(())
    }

    pub(super) fn skip_documents(&mut self) {
        for document in mem::take(&mut self.documents) {
            while !self.rest.is_empty() {
                let end = self.rest.find('\n').map_or(self.rest.len(), |end| end + 1);
                let line = self.rest[..end].trim_end_matches('\n');
                let line = if document.strips { line.trim_start_matches('\t') } else { line };
                let last = line == document.end;
                self.out += &self.rest[..end];
                self.rest = &self.rest[end..];
                if last {
                    break;
                }
            }
        }
    }

    /// Hands what was read last to `eval`, whose redirections into a command are followed.
    fn group(&mut self, closed: Closed, place: &mut Place) {
        let (start, end) = (closed.open.start, closed.end);
        // A function that is made there is redirected each time it is called.
        if closed.open.is_body {
            self.refused = Some(REFUSED);
            return;
        }
        if self.documents.iter().any(|document| (start..end).contains(&document.at)) {
            self.refused = Some(WITHOUT_DOCUMENT);
            return;
        }
        let text = format!("eval {}", quoted(&self.out[start..end]));
        if self.out.len() + text.len() > self.most {
            self.refused = Some(TOO_LONG);
            return;
        }
        self.out.replace_range(start..end, &text);
        self.grew(end, text.len() - (end - start), place);
    }

    /// Tells whether nothing but redirections follow, of which one goes into a command.
    pub(super) fn redirects_into_command(&mut self) -> bool {
        self.ahead > 0 && self.look("exec".len(), Self::redirections).is_some_and(|(into, _)| into)
    }

    /// Reads redirections to the end of the command; tells whether one goes into a command.
    fn redirections(&mut self) -> Option<bool> {
        let mut into = false;
        loop {
            self.blanks()?;
            match self.rest.chars().next() {
                None | Some('\n' | ';' | '#' | ')') => return Some(into),
                Some('&') if !self.begins("&>") => return Some(into),
                Some('&' | '0'..='9') => self.keep(1)?,
                Some('<' | '>') if self.begins("<<") => return None,
                Some('<' | '>') => {
                    into |= self.begins(">(");
                    self.redirection()?;
                    self.word()?;
                }
                Some(_) => return None,
            }
        }
    }

    /// Makes a group of the rest of the script.
    pub(super) fn redirected(&mut self) -> Step {
        if !self.documents.is_empty() {
            self.refused = Some(WITHOUT_DOCUMENT);
        }
        self.rest = &self.rest["exec".len()..];
        let start = self.out.len();
        self.redirections()?;
        let text = self.out.split_off(start);
        // What runs over several lines would move what follows.
        let lines = text.matches('\n').count();
        self.groups.push((start, text));
        self.out.extend([":", &"\n".repeat(lines)]);
        Some(())
    }
}
