//! What tools answer: text that a model reads, no longer than it should be, and facts for programs.

use homefs_core::Version;
use rmcp::model::ContentBlock;
use serde_json::{Map, Value};

/// What a tool answers.
pub(in crate::mcp) struct Answer {
    /// For models. Nothing of it is said a second time.
    pub(in crate::mcp) content: Vec<ContentBlock>,
    /// For programs, by name.
    pub(in crate::mcp) facts: Map<String, Value>,
    /// What is said of the text, apart from it. It stays when the text is cut.
    notes: Vec<String>,
    /// How long the whole text would be, if not all of it is here.
    bytes: Option<u64>,
    /// How to see what is cut off.
    how: &'static str,
    /// Whether whoever asked has said how long it may be.
    is_measured: bool,
}

impl Answer {
    /// Answers with a text.
    pub(super) fn text(text: String) -> Self {
        Self::blocks(vec![ContentBlock::text(text)])
    }

    /// Answers with several blocks.
    pub(super) fn blocks(content: Vec<ContentBlock>) -> Self {
        let (facts, notes) = (Map::new(), Vec::new());
        Self { content, facts, notes, bytes: None, how: "ask for less", is_measured: false }
    }

    /// Adds something that programs see.
    pub(super) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.facts.insert(name.into(), value.into());
        self
    }

    /// Adds the version of a file.
    pub(super) fn at(self, version: Version) -> Self {
        self.with("version", version.0)
    }

    /// Adds a line for the model, apart from the text.
    pub(super) fn note(mut self, note: String) -> Self {
        self.notes.push(note);
        self
    }

    /// Says how long the text is of which only the beginning is here.
    pub(super) fn of(mut self, bytes: u64) -> Self {
        self.bytes = Some(bytes);
        self
    }

    /// Says how to see the rest, should the text be cut.
    pub(super) fn or(mut self, how: &'static str) -> Self {
        self.how = how;
        self
    }

    /// Leaves the text as long as whoever asked wants it.
    pub(super) fn measured(mut self) -> Self {
        self.is_measured = true;
        self
    }

    /// Cuts the text to so many bytes, and says so.
    pub(super) fn within(mut self, room: usize) -> Self {
        let texts = self.content.iter().filter_map(|block| block.as_text());
        let bytes: usize = texts.map(|text| text.text.len()).sum();
        let mut notes = std::mem::take(&mut self.notes);
        let of_notes: usize = notes.iter().map(String::len).sum();
        if self.is_measured || bytes + of_notes <= room {
            self.content.extend(notes.into_iter().map(ContentBlock::text));
            return self;
        }
        // What is said of the text is worth more than the last of it, but not more than most of it.
        for note in &mut notes {
            note.truncate(end_within(note, room / 4));
        }
        let room = room - notes.iter().map(String::len).sum::<usize>().min(room / 4);
        let mut left = room;
        let cut = self.content.into_iter().filter_map(|block| {
            let Some(text) = block.as_text() else { return Some(block) };
            let end = end_within(&text.text, left);
            left -= end;
            (end > 0).then(|| ContentBlock::text(&text.text[..end]))
        });
        self.content = cut.collect();
        let bytes = self.bytes.unwrap_or(bytes as u64);
        if room as u64 - (left as u64) < bytes {
            let note = format!("[cut: {} of {bytes} bytes are shown; {}]", room - left, self.how);
            notes.push(note);
            self = self.with("truncated", true);
        }
        self.content.extend(notes.into_iter().map(ContentBlock::text));
        self
    }
}

/// Returns where a text is cut that has so much room: after a line, unless that leaves out most.
pub(super) fn end_within(text: &str, room: usize) -> usize {
    let end = text.floor_char_boundary(room);
    if end == text.len() {
        return end;
    }
    let line = text[..end].rfind('\n').map(|at| at + 1);
    line.filter(|line| *line > end / 2).unwrap_or(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_after_a_line_and_never_in_a_letter() {
        for (text, room, expected) in [
            ("", 5, ""),
            ("abc", 3, "abc"),
            ("one\ntwo\nthree", 9, "one\ntwo\n"),
            ("a\nbbbbbbbbbb", 8, "a\nbbbbbb"),
            ("aé", 2, "a"),
            ("日本", 0, ""),
        ] {
            assert_eq!(&text[..end_within(text, room)], expected, "{text:?} {room}");
        }
    }

    #[test]
    fn what_is_cut_says_how_to_go_on() {
        let said = |answer: Answer| -> Vec<String> {
            let texts = answer.content.iter().filter_map(|block| block.as_text());
            texts.map(|text| text.text.clone()).collect()
        };
        let long = || Answer::text("line\n".repeat(10)).or("take less");
        assert_eq!(said(long().within(50)), ["line\n".repeat(10)]);
        let note = "[cut: 20 of 50 bytes are shown; take less]";
        assert_eq!(said(long().within(22)), ["line\n".repeat(4).as_str(), note]);
        assert_eq!(said(long().measured().within(22)), ["line\n".repeat(10)]);
        let note = "[cut: 20 of 7000 bytes are shown; take less]";
        assert_eq!(said(long().of(7000).within(22)), ["line\n".repeat(4).as_str(), note]);
        // What is said of it stays, and takes its room from the text.
        let cut = long().note("[not all]".into()).within(40);
        assert_eq!(
            said(cut)[..],
            [
                "line\n".repeat(6).as_str(),
                "[not all]",
                "[cut: 30 of 50 bytes are shown; take less]",
            ]
        );
        assert_eq!(
            said(long().note("[x]".into()).within(60)),
            ["line\n".repeat(10).as_str(), "[x]"]
        );
        // What comes later goes first.
        let two = Answer::blocks(vec![ContentBlock::text("ab"), ContentBlock::text("cd")]);
        assert_eq!(said(two.within(2)), ["ab", "[cut: 2 of 4 bytes are shown; ask for less]"]);
    }
}
