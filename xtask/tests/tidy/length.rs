//! A file can be read in one sitting.

use crate::tree::{Finding, Tree, expect_findings};

/// The longest that a file may be; aim for 250 and explain over 400.
const LINES_MAX: usize = 700;

/// The line that begins the tests of a file, which are not counted.
const TESTS_BEGIN: &str = "#[cfg(test)]\nmod tests {";

/// What the first line says of a file that nobody reads.
const MADE: &str = "Made by `cargo xtask gen`";

/// Finds files that are too long.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    tree.ending(".rs")
        .filter(|(_, text)| !text.lines().next().unwrap_or_default().contains(MADE))
        .map(|(path, text)| {
            let counted = text.split_once(TESTS_BEGIN).map_or(text, |(code, _)| code);
            (path, counted.lines().count())
        })
        .filter(|(_, lines)| *lines > LINES_MAX)
        .map(|(path, lines)| {
            Finding::new(path, LINES_MAX, format!("{lines} lines, {LINES_MAX} at most: split it"))
        })
        .collect()
}

#[test]
fn a_file_that_is_too_long_is_found_and_its_tests_are_not_counted() {
    let most = "x\n".repeat(LINES_MAX);
    let with_tests = format!("{most}#[cfg(test)]\nmod tests {{\n{most}}}\n");
    let too_long = format!("x\n{most}");
    let made = format!("//! {MADE}.\n{most}");
    let declares_tests = format!("#[cfg(test)]\nmod tests;\n{most}");
    expect_findings(check, &[("a.rs", &most), ("b.rs", &with_tests), ("c.rs", &made)], &[]);
    let long = [("a.rs", too_long.as_str()), ("b/tests.rs", declares_tests.as_str())];
    expect_findings(check, &long, &["a.rs:700", "b/tests.rs:700"]);
}
