//! Cuts a text into the pieces of a vocabulary, as BERT's uncased tokenizer does.
//!
//! Lower case, canonical decomposition, accents stripped, punctuation and ideographs cut off as
//! words of their own; then each word greedily into the longest pieces. ASCII, nearly all that is
//! ever written here, takes none of the Unicode steps.

use std::ops::ControlFlow;

use unicode_normalization::char::{decompose_canonical, is_combining_mark};

use super::vocabulary::{Token, Vocabulary};

/// A word of more characters is taken as unknown, as the teachers of the models were taught.
const WORD_CHARS_MAX: usize = 100;

/// Calls `each` with the tokens of a text in order, and with `None` for a word that the vocabulary
/// cannot make up; stops when `each` breaks.
pub(crate) fn tokenize(
    vocabulary: &Vocabulary,
    text: &str,
    each: impl FnMut(Option<Token>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut words = Words { vocabulary, word: Vec::new(), pieces: Vec::new(), each };
    for char in text.chars() {
        if char.is_ascii() {
            words.ascii(char as u8)?;
        } else {
            words.other(char)?;
        }
    }
    words.finish()
}

/// The word being read, and where its pieces go. The buffers are reused from word to word.
struct Words<'a, F> {
    vocabulary: &'a Vocabulary,
    word: Vec<u8>,
    pieces: Vec<Token>,
    each: F,
}

impl<F: FnMut(Option<Token>) -> ControlFlow<()>> Words<'_, F> {
    fn ascii(&mut self, byte: u8) -> ControlFlow<()> {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' => self.word.push(byte),
            b'A'..=b'Z' => self.word.push(byte.to_ascii_lowercase()),
            b' ' | b'\t' | b'\n' | b'\r' => self.finish()?,
            b'!'..=b'~' => self.alone(char::from(byte))?,
            // What is left are control characters, which do not even end a word.
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn other(&mut self, char: char) -> ControlFlow<()> {
        if char.is_whitespace() {
            return self.finish();
        }
        if is_dropped(char) {
            return ControlFlow::Continue(());
        }
        if is_alone(char) {
            return self.alone(char);
        }
        let mut utf8 = [0; 4];
        for lower in char.to_lowercase() {
            decompose_canonical(lower, |part| {
                if !is_combining_mark(part) {
                    self.word.extend_from_slice(part.encode_utf8(&mut utf8).as_bytes());
                }
            });
        }
        ControlFlow::Continue(())
    }

    /// Ends the word before a character, and the word that the character is.
    fn alone(&mut self, char: char) -> ControlFlow<()> {
        self.finish()?;
        self.word.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
        self.finish()
    }

    /// Ends the word and hands out its pieces.
    fn finish(&mut self) -> ControlFlow<()> {
        if self.word.is_empty() {
            return ControlFlow::Continue(());
        }
        let whole = self.cut();
        self.word.clear();
        if whole {
            self.pieces.drain(..).try_for_each(|piece| (self.each)(Some(piece)))
        } else {
            (self.each)(None)
        }
    }

    /// Cuts the word into pieces; tells whether they make up all of it.
    fn cut(&mut self) -> bool {
        self.pieces.clear();
        let is_start = |byte: &&u8| **byte & 0xC0 != 0x80;
        if self.word.len() > WORD_CHARS_MAX
            && self.word.iter().filter(is_start).count() > WORD_CHARS_MAX
        {
            return false;
        }
        let mut position = 0;
        while position < self.word.len() {
            let found = self.vocabulary.longest(&self.word[position..], position > 0);
            let Some((token, len)) = found else { return false };
            self.pieces.push(token);
            position += len;
        }
        true
    }
}

/// Tells whether a character outside ASCII is invisible: a control, a mark of direction, a joiner,
/// or what stands for bytes that were no text.
fn is_dropped(char: char) -> bool {
    matches!(char,
        '\u{80}'..='\u{9F}' | '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFD}' | '\u{E000}'..='\u{F8FF}'
        | '\u{E0001}'..='\u{E007F}')
}

/// Tells whether a character outside ASCII is a word by itself: an ideograph, or punctuation of
/// the scripts whose punctuation the vocabularies hold.
fn is_alone(char: char) -> bool {
    matches!(char,
        // Latin, Greek, Armenian, Hebrew, Arabic, Devanagari.
        '¡' | '§' | '«' | '¶' | '·' | '»' | '¿' | '\u{37E}' | '\u{387}' | '\u{55A}'..='\u{55F}'
        | '\u{589}' | '\u{58A}' | '\u{5BE}' | '\u{5C0}' | '\u{5C3}' | '\u{5F3}' | '\u{5F4}'
        | '\u{60C}' | '\u{60D}' | '\u{61B}' | '\u{61E}' | '\u{61F}' | '\u{66A}'..='\u{66D}'
        | '\u{6D4}' | '\u{964}' | '\u{965}'
        // Dashes, quotes, dots and brackets of every script.
        | '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{2043}' | '\u{2045}'..='\u{2051}'
        | '\u{2053}'..='\u{205E}' | '\u{207D}' | '\u{207E}' | '\u{208D}' | '\u{208E}'
        | '\u{2308}'..='\u{230B}' | '\u{2329}' | '\u{232A}' | '\u{2768}'..='\u{2775}'
        | '\u{27E6}'..='\u{27EF}' | '\u{2983}'..='\u{2998}' | '\u{2E00}'..='\u{2E5D}'
        // East Asian punctuation, and its wide and narrow forms.
        | '\u{3001}'..='\u{3003}' | '\u{3008}'..='\u{3011}' | '\u{3014}'..='\u{301F}'
        | '\u{3030}' | '\u{303D}' | '\u{30A0}' | '\u{30FB}' | '\u{FE10}'..='\u{FE19}'
        | '\u{FE30}'..='\u{FE52}' | '\u{FE54}'..='\u{FE61}' | '\u{FE63}' | '\u{FE68}' | '\u{FE6A}'
        | '\u{FE6B}' | '\u{FF01}'..='\u{FF03}' | '\u{FF05}'..='\u{FF0A}' | '\u{FF0C}'..='\u{FF0F}'
        | '\u{FF1A}' | '\u{FF1B}' | '\u{FF1F}' | '\u{FF20}' | '\u{FF3B}'..='\u{FF3D}' | '\u{FF3F}'
        | '\u{FF5B}' | '\u{FF5D}' | '\u{FF5F}'..='\u{FF65}'
        // Ideographs.
        | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{2CEAF}' | '\u{2F800}'..='\u{2FA1F}')
}
