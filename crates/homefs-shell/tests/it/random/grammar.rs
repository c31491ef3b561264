//! A grammar, the scripts that chance makes of it, and how they are made smaller.

use std::collections::BTreeMap;

/// Reads the grammar: a name, and below it what it may stand for; the simplest first.
fn text() -> String {
    super::read("grammar.txt")
}

/// How deep names may stand for one another before the simplest is taken.
const DEPTH_MAX: usize = 7;

/// Tells whether scripts call a program.
pub(super) fn calls(program: &str) -> bool {
    text()
        .split(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
        .any(|word| word == program)
}

/// A part of what a name stands for.
enum Part {
    Text(String),
    Name(usize),
}

/// What each name may stand for.
pub(super) struct Grammar {
    names: Vec<Vec<Vec<Part>>>,
}

/// A name, and what was taken for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Node {
    name: usize,
    choice: usize,
    parts: Vec<Node>,
}

/// A source of numbers that a seed decides (`SplitMix64`).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((mixed ^ (mixed >> 31)) % sides as u64).expect("it is below the sides")
    }
}

impl Grammar {
    pub(super) fn new() -> Self {
        let text = text();
        let heads = text.lines().filter(|line| !line.is_empty() && !line.starts_with(' '));
        let places: BTreeMap<&str, usize> = heads.zip(0..).collect();
        let mut names: Vec<Vec<Vec<Part>>> = Vec::new();
        for line in text.lines().filter(|line| !line.is_empty()) {
            match line.strip_prefix("  ") {
                None => names.push(Vec::new()),
                Some(choice) => {
                    let parts = parts(choice, &places);
                    names.last_mut().expect("a name comes first").push(parts);
                }
            }
        }
        Self { names }
    }

    /// Makes the script of a seed.
    pub(super) fn script(&self, seed: u64) -> Node {
        self.grow(0, 0, &mut Dice(seed))
    }

    fn grow(&self, name: usize, depth: usize, dice: &mut Dice) -> Node {
        let choices = &self.names[name];
        let choice = if depth < DEPTH_MAX { dice.roll(choices.len()) } else { 0 };
        let mut node = Node { name, choice, parts: Vec::new() };
        for part in &choices[choice] {
            if let Part::Name(name) = part {
                node.parts.push(self.grow(*name, depth + 1, dice));
            }
        }
        node
    }

    /// Writes a script.
    pub(super) fn text(&self, node: &Node) -> String {
        let mut text = String::new();
        let mut below = node.parts.iter();
        for part in &self.names[node.name][node.choice] {
            match part {
                Part::Text(part) => text += part,
                Part::Name(_) => text += &self.text(below.next().expect("one for each name")),
            }
        }
        text
    }

    /// Returns scripts that are smaller by one step, the smallest first.
    pub(super) fn smaller(&self, node: &Node) -> Vec<Node> {
        let mut all = Vec::new();
        let simplest = self.simplest(node.name);
        let mut below = Vec::new();
        of_name(node, node.name, &mut below);
        all.extend(below.into_iter().cloned());
        if *node != simplest {
            all.insert(0, simplest);
        }
        for (at, part) in node.parts.iter().enumerate() {
            for smaller in self.smaller(part) {
                let mut node = node.clone();
                node.parts[at] = smaller;
                all.push(node);
            }
        }
        all
    }

    fn simplest(&self, name: usize) -> Node {
        self.grow(name, DEPTH_MAX, &mut Dice(0))
    }
}

/// Collects the nodes of a name that are below one.
fn of_name<'a>(node: &'a Node, name: usize, found: &mut Vec<&'a Node>) {
    for part in &node.parts {
        if part.name == name {
            found.push(part);
        }
        of_name(part, name, found);
    }
}

/// Reads what a name may stand for.
fn parts(choice: &str, places: &BTreeMap<&str, usize>) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut rest = choice;
    while let Some((text, after)) = rest.split_once('‹') {
        let (name, after) = after.split_once('›').expect("a name has an end");
        parts.push(Part::Text(line(text)));
        parts.push(Part::Name(places[name]));
        rest = after;
    }
    parts.push(Part::Text(line(rest)));
    parts
}

/// Writes the ends of lines and tabs that a line of the grammar names outside of quotes.
fn line(text: &str) -> String {
    let mut out = String::new();
    let mut quoted = false;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        quoted ^= letter == '\'';
        match (letter, letters.peek()) {
            ('\\', Some('n')) if !quoted => {
                letters.next();
                out.push('\n');
            }
            ('\\', Some('t')) if !quoted => {
                letters.next();
                out.push('\t');
            }
            (letter, _) => out.push(letter),
        }
    }
    out
}
