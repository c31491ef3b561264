//! A number that links to where it is from stands there.

use crate::links::{resolve, targets};
use crate::tree::{Finding, Tree, expect_findings, numbered};

/// Finds links whose text begins with a digit and is not in the file that they lead to.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.ending(".md") {
        for (number, line) in numbered(text) {
            for (quoted, rest) in quotes(line) {
                let origin = targets(rest).next().and_then(|target| resolve(path, target));
                // A link that leads nowhere is the other rule's.
                let origin = origin.and_then(|origin| tree.text(&origin));
                if origin.is_some_and(|origin| !origin.contains(quoted)) {
                    let message = format!("`{quoted}` is not in the file that it links to");
                    findings.push(Finding::new(path, number, message));
                }
            }
        }
    }
    findings
}

/// Returns the texts of links that begin with a digit, each with the line from its end on.
fn quotes(line: &str) -> impl Iterator<Item = (&str, &str)> {
    line.match_indices("](").filter_map(|(end, _)| {
        let (_, quoted) = line[..end].rsplit_once('[')?;
        quoted.starts_with(|c: char| c.is_ascii_digit()).then_some((quoted, &line[end..]))
    })
}

#[test]
fn a_number_that_its_origin_does_not_have_is_found() {
    let origin = ("bench/run.md", "write | 1.12 µs");
    let bad = "takes [1.21 µs](bench/run.md)\nand [2](bench/run.md) or [1.12 µs](bench/run.md)";
    expect_findings(check, &[("a.md", bad), origin], &["a.md:1"]);
    let good = "[1.12 µs](bench/run.md) [fast](bench/run.md) [9 µs](https://x.org) [3](none.md)";
    expect_findings(check, &[("a.md", good), origin], &[]);
}
