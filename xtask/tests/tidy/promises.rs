//! A promise of `docs/semantics.md` names tests that exist, in Rust or in Python.

use crate::tree::{Finding, Tree, expect_findings, numbered};

const PAGE: &str = "docs/semantics.md";

/// Finds promises without tests, and names of tests that no file has.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let text = tree.text(PAGE).unwrap_or_default();
    let mut open: Option<usize> = None;
    for (number, line) in numbered(text) {
        if line.starts_with("## ") {
            findings.extend(open.replace(number).map(untested));
        }
        if let Some(names) = line.strip_prefix("Tests: ") {
            open = None;
            for name in names.split('`').skip(1).step_by(2) {
                let declared = |word| format!("{word} {name}(");
                let has = |ending, word| {
                    let mut files = tree.without_rules().filter(|(path, _)| path.ends_with(ending));
                    files.any(|(_, text)| text.contains(&declared(word)))
                };
                if !has(".rs", "fn") && !has(".py", "def") {
                    findings.push(Finding::new(PAGE, number, format!("no such test: {name}")));
                }
            }
        }
    }
    findings.extend(open.map(untested));
    findings
}

fn untested(number: usize) -> Finding {
    Finding::new(PAGE, number, "a promise without a line `Tests: …`")
}

#[test]
fn a_promise_without_a_test_is_found() {
    let code = ("a.rs", "#[test]\nfn it_holds() {}\n");
    let bad = "## One\n\nTests: `it_holds`, `it_does_not`.\n\n## Two\n\n## Three\n";
    let places = ["docs/semantics.md:3", "docs/semantics.md:5", "docs/semantics.md:7"];
    expect_findings(check, &[(PAGE, bad), code], &places);
    expect_findings(check, &[(PAGE, "## One\n\nTests: `it_holds`.\n"), code], &[]);
    let python = ("a.py", "def it_does_not() -> None:\n");
    expect_findings(check, &[(PAGE, "## One\n\nTests: `it_does_not`.\n"), python], &[]);
}
