//! From text to words.
//!
//! Words are folded: lower case, without accents, in compatibility form. Names that programs use
//! are words as a whole and by their parts, and scripts without spaces are pairs of characters.

use unicode_normalization::UnicodeNormalization;

/// A longer word is cut here, so that a blob of base64 costs the vocabulary little.
const WORD_BYTES_MAX: usize = 64;

/// One word of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word<'a> {
    /// The folded letters.
    pub text: &'a str,
    /// Whether it stands at the place of the word before, being another form of it.
    pub same_place: bool,
}

/// Calls `visit` with each word of `text`, in order.
///
/// `snake_case` and `foo.bar` give their parts, each at its own place, and the whole at the place
/// of the first part. `camelCase` gives the whole, with its parts at the same place. What follows
/// an apostrophe in English is dropped.
pub fn each_word(text: &str, mut visit: impl FnMut(Word<'_>)) {
    let mut folded = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if is_word(first) {
            rest = take_name(rest, &mut folded, &mut visit);
        } else {
            let (symbol, behind) = rest.split_at(first.len_utf8());
            if is_symbol(first) {
                visit(Word { text: symbol, same_place: false });
            }
            rest = behind;
        }
    }
}

/// Visits the name at the start of `text`: words with nothing but joints between them.
fn take_name<'a>(text: &'a str, folded: &mut String, visit: &mut impl FnMut(Word<'_>)) -> &'a str {
    let mut end = take_part(text, folded, visit);
    let mut first = true;
    while let Some(start) = joined(text, end) {
        if first {
            // The whole has the first part's place and is found without reading the parts twice.
            let whole = name_end(text);
            if whole <= WORD_BYTES_MAX {
                fold(&text[..whole], folded);
                visit(Word { text: folded, same_place: true });
            }
            first = false;
        }
        end = start + take_part(&text[start..], folded, visit);
    }
    behind_apostrophe(&text[end..])
}

/// Visits the run of word characters at the start of `text` and returns its length.
fn take_part(text: &str, folded: &mut String, visit: &mut impl FnMut(Word<'_>)) -> usize {
    let end = part_end(text);
    let part = &text[..end];
    if part.starts_with(is_unspaced) {
        folded.clear();
        folded.extend(part.nfkc());
        each_pair(folded, visit);
        return end;
    }
    fold(part, folded);
    if folded.is_empty() {
        // Nothing but marks.
        return end;
    }
    visit(Word { text: cut(folded), same_place: false });
    let bytes = part.as_bytes();
    let mut start = 0;
    for at in 1..bytes.len().min(WORD_BYTES_MAX) {
        if bytes[at].is_ascii_uppercase() && bytes[at - 1].is_ascii_lowercase() {
            visit_hump(&part[start..at], folded, visit);
            start = at;
        }
    }
    if start > 0 {
        visit_hump(&part[start..], folded, visit);
    }
    end
}

/// Visits one part of a `camelCase` word.
fn visit_hump(hump: &str, folded: &mut String, visit: &mut impl FnMut(Word<'_>)) {
    fold(hump, folded);
    visit(Word { text: cut(folded), same_place: true });
}

/// Visits the pairs of neighbours in a run without spaces, or its only character.
fn each_pair(run: &str, visit: &mut impl FnMut(Word<'_>)) {
    let mut starts = run.char_indices().map(|(at, _)| at).chain([run.len()]);
    let (mut start, mut middle) = (starts.next().unwrap_or(0), starts.next().unwrap_or(0));
    let mut end = starts.next().unwrap_or(middle);
    while start < middle {
        visit(Word { text: &run[start..end], same_place: false });
        (start, middle) = (middle, end);
        match starts.next() {
            Some(next) => end = next,
            None => break,
        }
    }
}

/// Where the run of one kind of word characters ends.
fn part_end(text: &str) -> usize {
    let ascii = text.bytes().take_while(u8::is_ascii_alphanumeric).count();
    if text.as_bytes().get(ascii).is_none_or(u8::is_ascii) {
        return ascii;
    }
    let unspaced = text.starts_with(is_unspaced);
    text.find(|c| !is_word(c) || is_unspaced(c) != unspaced).unwrap_or(text.len())
}

/// Where the next part of a name starts, if the part that ended at `end` is joined to one.
fn joined(text: &str, end: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let joint = *bytes.get(end)?;
    let next = *bytes.get(end + 1)?;
    let digits = next.is_ascii_digit() && bytes[..end].last().is_some_and(u8::is_ascii_digit);
    let is_name = match joint {
        b'_' | b'.' => next.is_ascii_alphanumeric(),
        b'-' => digits,
        _ => false,
    };
    is_name.then_some(end + 1)
}

/// Where the name at the start of `text` ends.
fn name_end(text: &str) -> usize {
    let mut end = part_end(text);
    while let Some(start) = joined(text, end).filter(|_| end <= WORD_BYTES_MAX) {
        end = start + part_end(&text[start..]);
    }
    end
}

/// Skips the `'s` of a word and the like.
fn behind_apostrophe(text: &str) -> &str {
    let Some(tail) = text.strip_prefix('\'').or_else(|| text.strip_prefix('’')) else {
        return text;
    };
    let end = part_end(tail);
    let dropped = matches!(&tail[..end], "s" | "t" | "d" | "m" | "re" | "ve" | "ll" | "S" | "T");
    if dropped { &tail[end..] } else { tail }
}

/// Folds a word: what differs only in case, accents or width becomes equal.
fn fold(word: &str, folded: &mut String) {
    folded.clear();
    if word.is_ascii() {
        folded.push_str(word);
        folded.make_ascii_lowercase();
        return;
    }
    for c in word.nfkd().flat_map(char::to_lowercase) {
        match c {
            '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5c7}' | '\u{64b}'..='\u{65f}' => {}
            'ß' => folded.push_str("ss"),
            'æ' => folded.push_str("ae"),
            'œ' => folded.push_str("oe"),
            'ø' => folded.push('o'),
            'ł' => folded.push('l'),
            'đ' => folded.push('d'),
            'ı' => folded.push('i'),
            'ς' => folded.push('σ'),
            c => folded.push(c),
        }
    }
}

/// The part of a word that is kept.
fn cut(word: &str) -> &str {
    &word[..word.floor_char_boundary(WORD_BYTES_MAX)]
}

/// Whether a character is a letter or digit, or a mark on one.
pub(super) fn is_word(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric();
    }
    c.is_alphanumeric() || unicode_normalization::char::is_combining_mark(c)
}

/// Whether a character is of a script that writes without spaces.
pub(crate) fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{11ff}' | '\u{1780}'..='\u{17ff}'
        | '\u{3040}'..='\u{318f}' | '\u{31a0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}'
        | '\u{ff66}'..='\u{ff9f}' | '\u{20000}'..='\u{3ffff}')
}

/// Whether a character that is no letter is a word of its own: emoji.
fn is_symbol(c: char) -> bool {
    matches!(c, '\u{2600}'..='\u{27bf}' | '\u{1f000}'..='\u{1faff}')
}
