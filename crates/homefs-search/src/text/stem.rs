//! Porter's stemmer for English.
//!
//! Written out rather than taken from a crate: it is one page, and the measured recall was reached
//! with this algorithm and not with its successor.

/// The stem of a folded word; a word that is not plain `a`–`z` is its own stem.
pub fn stem(word: &str) -> String {
    if word.len() < 3 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return word.to_owned();
    }
    let mut stem = Stem(word.as_bytes().to_vec());
    stem.plurals();
    stem.past_and_gerund();
    if stem.ends(b"y") && has_vowel(&stem.0[..stem.0.len() - 1]) {
        stem.swap(1, b"i");
    }
    stem.replace_first(DERIVED, 0);
    stem.replace_first(ENDINGS, 0);
    stem.drop_suffix();
    stem.tidy();
    stem.0.into_iter().map(char::from).collect()
}

/// Porter's second step.
const DERIVED: &[(&[u8], &[u8])] = &[
    (b"ational", b"ate"),
    (b"tional", b"tion"),
    (b"enci", b"ence"),
    (b"anci", b"ance"),
    (b"izer", b"ize"),
    (b"bli", b"ble"),
    (b"alli", b"al"),
    (b"entli", b"ent"),
    (b"eli", b"e"),
    (b"ousli", b"ous"),
    (b"ization", b"ize"),
    (b"ation", b"ate"),
    (b"ator", b"ate"),
    (b"alism", b"al"),
    (b"iveness", b"ive"),
    (b"fulness", b"ful"),
    (b"ousness", b"ous"),
    (b"aliti", b"al"),
    (b"iviti", b"ive"),
    (b"biliti", b"ble"),
    (b"logi", b"log"),
];

/// Porter's third step.
const ENDINGS: &[(&[u8], &[u8])] = &[
    (b"icate", b"ic"),
    (b"ative", b""),
    (b"alize", b"al"),
    (b"iciti", b"ic"),
    (b"ical", b"ic"),
    (b"ful", b""),
    (b"ness", b""),
];

/// Porter's fourth step, longer suffixes before the suffixes of them.
const SUFFIXES: &[&[u8]] = &[
    b"al", b"ance", b"ence", b"er", b"ic", b"able", b"ible", b"ant", b"ement", b"ment", b"ent",
    b"ion", b"ou", b"ism", b"ate", b"iti", b"ous", b"ive", b"ize",
];

/// A word on its way to its stem.
struct Stem(Vec<u8>);

impl Stem {
    fn ends(&self, suffix: &[u8]) -> bool {
        self.0.ends_with(suffix)
    }

    /// Replaces the last `count` letters.
    fn swap(&mut self, count: usize, by: &[u8]) {
        self.0.truncate(self.0.len() - count);
        self.0.extend_from_slice(by);
    }

    /// Step 1a.
    fn plurals(&mut self) {
        if self.ends(b"sses") || self.ends(b"ies") {
            self.swap(2, b"");
        } else if self.ends(b"s") && !self.ends(b"ss") {
            self.swap(1, b"");
        }
    }

    /// Step 1b.
    fn past_and_gerund(&mut self) {
        let length = self.0.len();
        if self.ends(b"eed") {
            if measure(&self.0[..length - 3]) > 0 {
                self.swap(1, b"");
            }
            return;
        }
        let cut = match () {
            () if self.ends(b"ed") => 2,
            () if self.ends(b"ing") => 3,
            () => return,
        };
        if !has_vowel(&self.0[..length - cut]) {
            return;
        }
        self.swap(cut, b"");
        if self.ends(b"at") || self.ends(b"bl") || self.ends(b"iz") {
            self.swap(0, b"e");
        } else if ends_double(&self.0) && !matches!(self.0.last(), Some(b'l' | b's' | b'z')) {
            self.swap(1, b"");
        } else if measure(&self.0) == 1 && ends_short(&self.0) {
            self.swap(0, b"e");
        }
    }

    /// Steps 2 and 3: the first suffix that fits decides, whether or not the measure allows it.
    fn replace_first(&mut self, table: &[(&[u8], &[u8])], above: usize) {
        let Some((suffix, by)) = table.iter().find(|(suffix, _)| self.ends(suffix)) else {
            return;
        };
        if measure(&self.0[..self.0.len() - suffix.len()]) > above {
            self.swap(suffix.len(), by);
        }
    }

    /// Step 4.
    fn drop_suffix(&mut self) {
        let Some(suffix) = SUFFIXES.iter().find(|suffix| self.ends(suffix)) else {
            return;
        };
        let rest = &self.0[..self.0.len() - suffix.len()];
        let allowed = *suffix != b"ion" || rest.ends_with(b"s") || rest.ends_with(b"t");
        if allowed && measure(rest) > 1 {
            self.swap(suffix.len(), b"");
        }
    }

    /// Step 5.
    fn tidy(&mut self) {
        if self.ends(b"e") {
            let rest = &self.0[..self.0.len() - 1];
            let count = measure(rest);
            if count > 1 || (count == 1 && !ends_short(rest)) {
                self.swap(1, b"");
            }
        }
        if self.ends(b"ll") && measure(&self.0) > 1 {
            self.swap(1, b"");
        }
    }
}

fn is_consonant(word: &[u8], at: usize) -> bool {
    match word[at] {
        b'a' | b'e' | b'i' | b'o' | b'u' => false,
        b'y' => at == 0 || !is_consonant(word, at - 1),
        _ => true,
    }
}

fn has_vowel(word: &[u8]) -> bool {
    (0..word.len()).any(|at| !is_consonant(word, at))
}

/// How often a vowel is followed by a consonant.
fn measure(word: &[u8]) -> usize {
    (1..word.len()).filter(|&at| is_consonant(word, at) && !is_consonant(word, at - 1)).count()
}

fn ends_double(word: &[u8]) -> bool {
    let length = word.len();
    length >= 2 && word[length - 1] == word[length - 2] && is_consonant(word, length - 1)
}

/// Whether a word ends consonant, vowel, consonant, the last not `w`, `x` or `y`.
fn ends_short(word: &[u8]) -> bool {
    let length = word.len();
    length >= 3
        && is_consonant(word, length - 3)
        && !is_consonant(word, length - 2)
        && is_consonant(word, length - 1)
        && !matches!(word[length - 1], b'w' | b'x' | b'y')
}
