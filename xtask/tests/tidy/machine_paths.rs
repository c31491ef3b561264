//! Nothing depends on one machine's folders.

use crate::tree::{Finding, Tree, expect_findings, numbered};

/// Folders that exist only where the author sat.
const FOLDERS: &[&str] = &["/home/", "/root/", "/work/"];

/// Finds absolute paths into such folders, in any file.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.without_rules() {
        for (number, line) in numbered(text) {
            if let Some(folder) = FOLDERS.iter().find(|folder| names_absolute(line, folder)) {
                findings.push(Finding::new(path, number, format!("names a path in {folder}")));
            }
        }
    }
    findings
}

/// Returns whether `folder` begins a path in the line, rather than being in the middle of one.
fn names_absolute(line: &str, folder: &str) -> bool {
    let in_path = |c: char| c.is_alphanumeric() || "._-~}*/".contains(c);
    line.match_indices(folder).any(|(at, _)| !line[..at].chars().next_back().is_some_and(in_path))
}

#[test]
fn a_path_of_one_machine_is_found() {
    let bad = "fine\nopen(\"/home/ann/x\")\nHOME=/root/ run\n/work/x\n";
    expect_findings(check, &[("a.sh", bad)], &["a.sh:2", "a.sh:3", "a.sh:4"]);
    let good = "agents/home/x ~/work/x $HOME/work/ ${x}/home/ /homefs/x https://x.org/work/\n";
    expect_findings(check, &[("a.md", good)], &[]);
}
