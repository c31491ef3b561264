//! Nothing depends on one machine's folders.

use crate::tree::{Finding, Tree, expect_findings, numbered};

/// Folders below the root that exist only where the author sat.
const FOLDERS: &[&str] = &["home", "root", "work"];

/// Finds absolute paths into such folders, in any file.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.without_rules() {
        for (number, line) in numbered(text) {
            let mut folders = FOLDERS.iter().map(|folder| format!("/{folder}/"));
            if let Some(folder) = folders.find(|folder| names_absolute(line, folder)) {
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
    for folder in FOLDERS {
        let bad = format!("fine\nopen(\"/{folder}/ann/x\")\nHOME=/{folder}/ run\n/{folder}/x\n");
        expect_findings(check, &[("a.sh", &bad)], &["a.sh:2", "a.sh:3", "a.sh:4"]);
        let good =
            format!("agents/{folder}/x ~/{folder}/x ${{x}}/{folder}/ https://x.org/{folder}/");
        expect_findings(check, &[("a.md", &good)], &[]);
    }
    expect_findings(check, &[("a.md", "/homefs/x")], &[]);
}
