//! Which files have readable copies, and in which form.

use homefs_core::Result;
use homefs_store::glob::Glob;

/// Texts that can bear frontmatter; it would break all others.
const SUFFIXES: [&str; 4] = ["md", "markdown", "mdx", "txt"];

/// Patterns of files that people read in the bucket: `*.md` is of any directory, `/data/*.csv` of
/// one.
pub struct Patterns {
    names: Glob,
    keys: Glob,
}

impl Patterns {
    /// Reads patterns that blanks separate.
    pub fn new(text: &str) -> Result<Self> {
        let (keys, names): (Vec<&str>, Vec<&str>) =
            text.split_whitespace().partition(|pattern| pattern.contains('/'));
        let keys = keys.into_iter().map(|key| key.strip_prefix('/').unwrap_or(key));
        Ok(Self { names: Glob::of_any(names, true)?, keys: Glob::of_any(keys, true)? })
    }

    /// Tells whether the file at a key is for people to read.
    pub(super) fn matches(&self, key: &str) -> bool {
        let name = key.rsplit_once('/').map_or(key, |(_, name)| name);
        self.names.matches(name) || self.keys.matches(key)
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
    use homefs_core::ErrorKind;

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
