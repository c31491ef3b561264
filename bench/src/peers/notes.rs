//! Notes that homefs and its peers search, and questions: the same for all, and in every run.

use std::array;
use std::fmt::Write;

/// Pieces of words, the frequent ones first, and whole words among them.
const VOCABULARY: &str = include_str!("../../../crates/homefs-search/models/static/vocab.txt");
/// Notes speak of so many things.
const TOPICS: u64 = 1_000;
const WORDS_PER_TOPIC: u64 = 16;
/// Words from this place on tell what a note is about.
const TELLING: u64 = 256;
/// The least length of a note in bytes; most have little more.
const NOTE_BYTES: usize = 110;
/// What questions look like: nothing but stop words around four words that tell.
const FRAMES: [[&str; 5]; 4] = [
    ["What is the ", " of the ", " and the ", " with ", "?"],
    ["When did ", " do that to ", " and ", " for ", "?"],
    ["Where was the ", " that had ", " from ", " and ", "?"],
    ["How was ", " when ", " was with ", " and ", "?"],
];

/// A question.
pub(crate) struct Question {
    pub(crate) text: String,
    /// Its words that are no stop words.
    pub(crate) words: [&'static str; 4],
}

/// Who writes the notes and asks.
pub(crate) struct Speaker {
    words: Vec<&'static str>,
    state: u64,
}

impl Speaker {
    /// Begins; two who begin with the same number say the same.
    pub(crate) fn new(seed: u64) -> Self {
        let is_word = |word: &&str| word.bytes().all(|byte| byte.is_ascii_lowercase());
        Self { words: VOCABULARY.lines().filter(is_word).collect(), state: seed }
    }

    /// Returns so many notes, each of a few sentences about one thing, some with a heading.
    pub(crate) fn notes(&mut self, count: usize) -> Vec<String> {
        (0..count).map(|_| self.note()).collect()
    }

    /// Returns so many questions, each with two words of one thing.
    pub(crate) fn questions(&mut self, count: usize) -> Vec<Question> {
        (0..count).map(|_| self.question()).collect()
    }

    fn note(&mut self) -> String {
        let topic = self.below(TOPICS);
        let mut note = String::with_capacity(NOTE_BYTES * 2);
        if self.below(4) == 0 {
            note = format!("# {} {}\n\n", self.telling(topic), self.telling(topic));
        }
        while note.len() < NOTE_BYTES {
            // Writing to a string cannot fail.
            let _ = write!(note, "On day {}", self.below(28) + 1);
            for _ in 0..6 + self.below(8) {
                let word = if self.below(3) == 0 { self.telling(topic) } else { self.any() };
                note.push(' ');
                note += word;
            }
            note += ". ";
        }
        note.truncate(note.trim_end().len());
        note.push('\n');
        note
    }

    fn question(&mut self) -> Question {
        let topic = self.below(TOPICS);
        let words: [&str; 4] = array::from_fn(|place| match place {
            0 | 1 => self.telling(topic),
            _ => self.rare(),
        });
        let frame = FRAMES[usize::try_from(self.below(4)).unwrap_or(0)];
        let mut text = frame[0].to_owned();
        for (word, after) in words.iter().zip(&frame[1..]) {
            text += word;
            text += after;
        }
        Question { text, words }
    }

    /// Draws a word as a language does: the word at place n with a share of about 1 / n.
    fn any(&mut self) -> &'static str {
        let octave = self.below(u64::from(self.words.len().ilog2()));
        let place = (1 << octave) + self.below(1 << octave);
        self.word(place)
    }

    /// As [`Self::any`], of words that tell something.
    fn rare(&mut self) -> &'static str {
        let first = u64::from(TELLING.ilog2());
        let octave = first + self.below(u64::from(self.words.len().ilog2()) - first);
        let place = (1 << octave) + self.below(1 << octave);
        self.word(place)
    }

    /// Draws one of the words of a topic, which are anywhere among those that tell.
    fn telling(&mut self, topic: u64) -> &'static str {
        let number = topic * WORDS_PER_TOPIC + self.below(WORDS_PER_TOPIC);
        let rest = self.words.len() as u64 - TELLING;
        self.word(TELLING + mixed(number) % rest)
    }

    fn word(&self, place: u64) -> &'static str {
        usize::try_from(place).ok().and_then(|place| self.words.get(place)).copied().unwrap_or("a")
    }

    /// Draws a number (splitmix64).
    fn below(&mut self, end: u64) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed(self.state) % end
    }
}

fn mixed(state: u64) -> u64 {
    let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
