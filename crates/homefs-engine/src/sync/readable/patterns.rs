//! Which files have readable copies, and in which form.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use homefs_core::{Error, ErrorKind, Result};

/// Texts that can bear frontmatter; it would break all others.
const SUFFIXES: [&str; 4] = ["md", "markdown", "mdx", "txt"];

/// Patterns of files that people read in the bucket: `*.md` is of any directory, `/data/*.csv` of
/// one.
pub(crate) struct Patterns {
    names: GlobSet,
    keys: GlobSet,
}

impl Patterns {
    /// Reads patterns that blanks separate.
    pub(crate) fn new(text: &str) -> Result<Self> {
        let (mut names, mut keys) = (GlobSetBuilder::new(), GlobSetBuilder::new());
        let failed = |error: globset::Error| {
            let message = format!("no pattern of readable files: {error}");
            Error::new(ErrorKind::Invalid, message)
        };
        for pattern in text.split_whitespace() {
            let key = pattern.strip_prefix('/').unwrap_or(pattern);
            let mut builder = GlobBuilder::new(key);
            let glob = builder.literal_separator(true).case_insensitive(true).build();
            let set = if pattern.contains('/') { &mut keys } else { &mut names };
            set.add(glob.map_err(failed)?);
        }
        let (names, keys) = (names.build().map_err(failed)?, keys.build().map_err(failed)?);
        Ok(Self { names, keys })
    }

    /// Tells whether the file at a key is for people to read.
    pub(super) fn matches(&self, key: &str) -> bool {
        let name = key.rsplit_once('/').map_or(key, |(_, name)| name);
        self.names.is_match(name) || self.keys.is_match(key)
    }
}

/// Tells whether the copy at a key begins with what homefs knows of it; else it is the content as
/// it is.
pub(super) fn has_frontmatter(key: &str) -> bool {
    let suffix = key.rsplit_once('.').map_or("", |(_, suffix)| suffix);
    SUFFIXES.iter().any(|text| suffix.eq_ignore_ascii_case(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_of_any_directory_or_of_one() {
        let cases = [
            ("*.md *.json", "a.md", true),
            ("*.md *.json", "deep/er/A.JSON", true),
            ("*.md", "a.md~", false),
            ("*.md", "md", false),
            ("/data/*.csv", "data/a.csv", true),
            ("/data/*.csv", "data/deep/a.csv", false),
            ("/data/**/*.csv", "data/deep/a.csv", true),
            ("data/*.csv", "other/data/a.csv", false),
            ("", "a.md", false),
        ];
        for (patterns, key, expected) in cases {
            let found = Patterns::new(patterns).expect("it is one").matches(key);
            assert_eq!(found, expected, "{patterns:?} and {key:?}");
        }
        assert_eq!(Patterns::new("[").err().map(|error| error.kind()), Some(ErrorKind::Invalid));
    }
}
