//! What the rules read and what they say.

use std::{collections::BTreeMap, fmt, fs, path::Path};

/// Names of files and folders that are not part of the project; kept in step with `.gitignore`.
const SKIPPED: &[&str] = &[".git", ".venv", "__pycache__", "node_modules", "target"];

/// The folder of the rules.
const RULES_FOLDER: &str = "xtask/tests/tidy/";

/// The files of a working tree by their path from its root.
pub(crate) struct Tree {
    // A file that is not UTF-8 is here with an empty text, because links may lead to it.
    files: BTreeMap<String, String>,
}

impl Tree {
    /// Reads the working tree that holds this crate.
    ///
    /// It walks the folders instead of asking git, so that a source archive is checked alike.
    pub(crate) fn of_workspace() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is in a folder");
        let mut tree = Self { files: BTreeMap::new() };
        tree.add_folder(root, "");
        tree
    }

    /// Makes a tree of these paths and texts.
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let owned = |(path, text): &(&str, &str)| ((*path).to_owned(), (*text).to_owned());
        Self { files: files.iter().map(owned).collect() }
    }

    /// Returns all paths and texts.
    fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|(path, text)| (path.as_str(), text.as_str()))
    }

    /// Returns the files whose name ends with `ending`.
    pub(crate) fn ending(&self, ending: &str) -> impl Iterator<Item = (&str, &str)> {
        self.files().filter(move |(path, _)| path.ends_with(ending))
    }

    /// Returns all files but those of the rules, whose examples break them on purpose.
    pub(crate) fn without_rules(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files().filter(|(path, _)| !path.starts_with(RULES_FOLDER))
    }

    /// Returns the Rust files but those of the rules.
    pub(crate) fn rust_without_rules(&self) -> impl Iterator<Item = (&str, &str)> {
        self.ending(".rs").filter(|(path, _)| !path.starts_with(RULES_FOLDER))
    }

    /// Returns a file's text.
    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(String::as_str)
    }

    /// Returns whether the path names a file or a folder with files.
    pub(crate) fn exists(&self, path: &str) -> bool {
        let inside = format!("{path}/");
        path.is_empty()
            || self.files.contains_key(path)
            || self.files.keys().any(|file| file.starts_with(&inside))
    }

    /// Adds what is in a folder; `prefix` is its path with a slash at the end.
    fn add_folder(&mut self, folder: &Path, prefix: &str) {
        for entry in fs::read_dir(folder).expect("a folder of the working tree is readable") {
            let entry = entry.expect("an entry of the working tree is readable");
            let name = entry.file_name().into_string().expect("names here are UTF-8");
            let path = entry.path();
            let ignored = Path::new(&name).extension().is_some_and(|end| end == "tmp");
            if ignored || SKIPPED.contains(&name.as_str()) {
                continue;
            }
            // A link to a folder is not followed: what it leads to is read where it lies.
            if entry.file_type().expect("an entry of the working tree has a type").is_dir() {
                self.add_folder(&path, &format!("{prefix}{name}/"));
            } else {
                let text = fs::read_to_string(&path).unwrap_or_default();
                self.files.insert(format!("{prefix}{name}"), text);
            }
        }
    }
}

/// One rule broken at one place.
pub(crate) struct Finding {
    path: String,
    line: usize,
    message: String,
}

impl Finding {
    /// Makes a finding; lines count from 1.
    pub(crate) fn new(path: &str, line: usize, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, message: message.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}: {}", self.path, self.line, self.message)
    }
}

/// Returns the lines of a text with their numbers.
pub(crate) fn numbered(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().map(|(index, line)| (index + 1, line))
}

/// Returns where `word` begins in `text` each time that it is not a part of a longer word.
pub(crate) fn word_positions<'a>(
    text: &'a str,
    word: &'a str,
) -> impl Iterator<Item = usize> + use<'a> {
    let in_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).map(|(position, _)| position).filter(move |position| {
        let before = text[..*position].chars().next_back();
        let after = text[position + word.len()..].chars().next();
        !before.is_some_and(in_word) && !after.is_some_and(in_word)
    })
}

/// Asserts that a rule finds exactly the `expected` places, written `path:line`.
pub(crate) fn expect_findings(
    rule: impl Fn(&Tree) -> Vec<Finding>,
    files: &[(&str, &str)],
    expected: &[&str],
) {
    let findings = rule(&Tree::of(files));
    let places: Vec<String> =
        findings.iter().map(|finding| format!("{}:{}", finding.path, finding.line)).collect();
    assert_eq!(places, expected);
}
