//! The front page is read in two minutes.

use crate::tree::{Finding, Tree, expect_findings};

const PAGE: &str = "README.md";

/// The most that it may have; what does not fit has a page of its own below `docs`.
const BYTES_MAX: usize = 9 * 1024;

/// Finds a front page that is too long.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let bytes = tree.text(PAGE).map_or(0, str::len);
    if bytes <= BYTES_MAX {
        return Vec::new();
    }
    let message = format!("{bytes} bytes, {BYTES_MAX} at most: move details to a page of docs");
    vec![Finding::new(PAGE, 1, message)]
}

#[test]
fn a_front_page_that_is_too_long_is_found() {
    let most = "x".repeat(BYTES_MAX);
    let too_long = format!("{most}x");
    expect_findings(check, &[(PAGE, &most), ("docs/a.md", &too_long)], &[]);
    expect_findings(check, &[(PAGE, &too_long)], &["README.md:1"]);
    expect_findings(check, &[], &[]);
}
