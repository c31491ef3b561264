//! Words of commands: which begins one, and what it says of those that follow.

use std::mem;

use super::{DECLARING, NOT_KILLED, Open, Place, REFUSED, Reader, Step, is_name};

/// Words after which a command begins.
const BEFORE_COMMANDS: &[&str] =
    &["if", "then", "else", "elif", "while", "until", "do", "!", "time", "{", "coproc"];

/// Words that begin what others end.
const OPENING: &[&str] = &["if", "while", "until", "for", "select", "{"];
const CLOSING: &[&str] = &["fi", "done", "}", "esac"];

impl Reader<'_> {
    /// Reads a word of a command; those that begin one may say what follows.
    pub(super) fn command_word(&mut self, place: &mut Place, close: Option<char>) -> Step {
        let plain = self.plain();
        if !place.first {
            let name = plain.split_once('=').map_or("", |(name, _)| name);
            self.declares = place.declares && !name.is_empty() && !name.starts_with('-');
            self.word()?;
            self.declares = false;
            return Some(());
        }
        // The number of a descriptor that is redirected begins no command.
        if plain.bytes().all(|byte| byte.is_ascii_digit())
            && self.rest[plain.len()..].starts_with(['<', '>'])
        {
            return self.word();
        }
        place.read = None;
        place.declares = DECLARING.contains(&plain);
        if plain == "kill" && (self.depth > 1 || !place.parentheses.is_empty()) {
            let end = self.rest.find(['\n', ';', '&', '|', ')']).unwrap_or(self.rest.len());
            if self.rest[..end].contains("$$") {
                self.refused = Some(NOT_KILLED);
            }
        }
        match plain {
            "!" => return self.keep(1),
            "[[" => {
                (place.closed, place.defines) = (None, false);
                return self.condition();
            }
            "exec" if self.redirects_into_command() => {
                let nested = !(place.blocks.is_empty() && place.parentheses.is_empty());
                if nested || !self.whole || close.is_some() || self.depth > 1 {
                    self.refused = Some(REFUSED);
                } else {
                    place.first = false;
                    return self.redirected();
                }
            }
            "function" => {
                place.defines = true;
                self.word()?;
                self.blanks()?;
                return self.word();
            }
            "case" => return self.case(place),
            "read" => place.read = Some(self.out.len() + plain.len()),
            _ => {}
        }
        let is_body = mem::take(&mut place.defines);
        if OPENING.contains(&plain) {
            place.blocks.push(Open { start: self.out.len(), is_body });
        }
        if CLOSING.contains(&plain) {
            let open = place.blocks.pop();
            place.cases -= usize::from(plain == "esac" && place.cases > 0);
            place.closes(open, self.out.len() + plain.len());
            return self.word();
        }
        place.closed = None;
        self.begins_command(place, plain)
    }

    /// Reads a word that begins a command, is assigned before one, or says that one follows.
    fn begins_command(&mut self, place: &mut Place, plain: &str) -> Step {
        // What is assigned before a command does not begin it.
        let assigned = plain.split_once('=').map_or("", |(name, _)| name);
        let assigns = is_name(assigned.trim_end_matches('+'));
        let of_element = plain.split_once('[').is_some_and(|(name, rest)| {
            // A subscript with blanks in it does not end in this part of the word.
            is_name(name) && (rest.contains("]=") || rest.contains("]+=") || !rest.contains(']'))
        });
        (self.assigns, self.element) = (assigns, of_element);
        place.first = BEFORE_COMMANDS.contains(&plain) || assigns || of_element;
        let start = self.out.len();
        self.word()?;
        (self.assigns, self.element) = (false, false);
        let names_function = self.rest.trim_start_matches([' ', '\t']).starts_with('(');
        if !place.first && !names_function && has_slash(&self.out[start..]) {
            self.out.insert_str(start, "command ");
        }
        Some(())
    }
}

/// Tells whether a word names a file by its path: it has a slash outside of what is expanded.
fn has_slash(word: &str) -> bool {
    let (mut open, mut is_command) = (0_usize, false);
    word.bytes().any(|byte| {
        match byte {
            b'{' | b'(' => open += 1,
            b'}' | b')' => open = open.saturating_sub(1),
            b'`' => is_command = !is_command,
            _ => {}
        }
        byte == b'/' && open == 0 && !is_command
    })
}
