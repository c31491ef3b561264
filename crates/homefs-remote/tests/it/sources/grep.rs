//! What grep finds through a collection is what it finds in the exported files.

use std::collections::{BTreeMap, BTreeSet};

use homefs_core::{Path, Source};
use homefs_remote::ChromaSettings;
use regex::Regex;

use super::collection::{self, Collection};
use super::conformance::{path, walk};
use super::scale::is_extended;

/// Draws numbers; a failure prints the seed, which is all there is to repeat it.
struct Draw(u64);

impl Draw {
    fn below(&mut self, end: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits fit") % end.max(1)
    }

    fn of<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.below(all.len())]
    }
}

/// Syllables, few enough that runs come up again in other places, with what filters may trip over.
const SYLLABLES: &[&str] = &[
    "to", "ken", "Auth", "KEY", "key", "_id", "%", "\"q\"", "'s", "\\n", "ß", "ÜB", "er", "K", " ",
    " ", "\n", "*", "(x)", "ſ",
];

/// Makes a page and cuts it anywhere, also into chunks of nothing or of one character.
fn page(draw: &mut Draw) -> Vec<String> {
    let count = draw.below(60);
    let text: String = (0..count).map(|_| draw.of(SYLLABLES)).collect();
    let mut chunks = vec![String::new()];
    let longest = [1, 3, 20, 200][draw.below(4)];
    for character in text.chars() {
        chunks.last_mut().expect("it is never empty").push(character);
        if draw.below(longest) == 0 {
            chunks.push(String::new());
        }
    }
    chunks
}

/// Makes a pattern of what is in a page: often a run that crosses two chunks.
fn pattern(draw: &mut Draw, text: &str) -> String {
    let characters: Vec<char> = text.chars().collect();
    let start = draw.below(characters.len());
    let length = 2 + draw.below(16);
    let run: String = characters.iter().skip(start).take(length).filter(|c| **c != '\n').collect();
    let escaped = regex::escape(&run);
    match draw.below(6) {
        0 => format!(
            "(?i){}",
            run.to_lowercase().chars().map(|c| regex::escape(&c.to_string())).collect::<String>()
        ),
        1 => format!("{escaped}|no such text"),
        2 => format!("({escaped})+"),
        3 => format!("^.*{escaped}"),
        4 => escaped.replacen('e', "[ea]", 1),
        _ => escaped,
    }
}

fn check(seed: u64, separator: &str) {
    let Some(collection) = Collection::create() else { return };
    let mut draw = Draw(seed);
    let mut expected = BTreeMap::new();
    let mut records = Vec::new();
    for number in 0..60 {
        let chunks = page(&mut draw);
        let slug = format!("d{}/p{number}.md", number % 7);
        records.extend(collection::page("path", &slug, &chunks));
        expected.insert(format!("/{slug}"), chunks.join(separator));
    }
    collection.store(&records);
    let settings = ChromaSettings { separator: separator.to_owned(), ..ChromaSettings::default() };
    let cache = tempfile::tempdir().expect("there is room");
    let source = collection.open(&settings, cache.path()).expect("it is there");
    let exported = walk(&*source, &Path::root());
    assert_eq!(exported, expected, "seed {seed}");
    let (mut asked, mut left_out) = (0, 0);
    for _ in 0..300 {
        let texts: Vec<&String> = exported.values().collect();
        let text = texts[draw.below(texts.len())];
        let pattern = pattern(&mut draw, text);
        let regex = Regex::new(&pattern).expect("it is a pattern");
        let matches = |text: &str| text.split('\n').any(|line| regex.is_match(line));
        let matching: BTreeSet<&String> =
            exported.iter().filter(|(_, text)| matches(text)).map(|(file, _)| file).collect();
        let Some(found) = source.candidates(&pattern).expect("it answers") else { continue };
        let found: BTreeSet<String> = found.iter().map(Path::to_string).collect();
        let missed: Vec<_> = matching.iter().filter(|file| !found.contains(**file)).collect();
        assert!(missed.is_empty(), "seed {seed}, {pattern:?} misses {missed:?}");
        asked += 1;
        left_out += exported.len() - found.len();
    }
    assert!(asked > 50 && left_out > asked, "the filter does nothing: {asked} {left_out}");
}

#[test]
fn no_match_is_left_out_however_a_page_is_cut() {
    let seeds = if is_extended() { 3..30 } else { 1..2 };
    seeds.for_each(|seed| check(seed, ""));
}

#[test]
fn no_match_is_left_out_if_chunks_are_joined_by_line_ends() {
    check(2, "\n");
}

#[test]
fn a_match_over_two_chunks_is_found() {
    let Some(collection) = Collection::create() else { return };
    collection.page("path", "split.md", &["the client_sec", "ret_value is here"]);
    collection.page("path", "tiny.md", &["client", "_", "s", "", "ecret", "_value"]);
    collection.page("path", "other.md", &["nothing of the kind"]);
    let cache = tempfile::tempdir().unwrap();
    let source = collection.open(&ChromaSettings::default(), cache.path()).unwrap();
    let found = source.candidates("client_secret_value").unwrap().unwrap();
    assert_eq!(found, [path("/split.md"), path("/tiny.md")]);
}
