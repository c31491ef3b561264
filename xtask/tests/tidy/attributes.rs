//! A lint is switched off only with a reason.

use crate::tree::{Finding, Tree, expect_findings, numbered};

/// The attributes that switch lints off.
const OPENINGS: &[&str] = &["#[allow(", "#![allow(", "#[expect(", "#![expect("];

/// Finds such attributes without a reason.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.rust_without_rules() {
        for (number, line) in numbered(text) {
            let opens = OPENINGS.iter().any(|opening| line.trim_start().starts_with(opening));
            if opens && !attribute_from(text, number).contains("reason") {
                let message = "switch a lint off with #[expect(…, reason = \"…\")]";
                findings.push(Finding::new(path, number, message));
            }
        }
    }
    findings
}

/// Returns the attribute that opens in line `number`, which may span several lines.
fn attribute_from(text: &str, number: usize) -> String {
    let lines: Vec<&str> = text.lines().skip(number - 1).collect();
    let rest = lines.join("\n");
    rest.split_once(")]").map_or(rest.clone(), |(attribute, _)| attribute.to_owned())
}

#[test]
fn a_lint_switched_off_without_a_reason_is_found() {
    let bad = "fn a() {}\n#[allow(dead_code)]\nfn b() {}\n#[expect(\n    dead_code,\n)]\n// reason";
    expect_findings(check, &[("a.rs", bad)], &["a.rs:2", "a.rs:4"]);
    let good = "#![expect(dead_code, reason = \"why\")]\n#[expect(\n    x,\n    reason = \"y\"\n)]";
    expect_findings(check, &[("a.rs", good)], &[]);
}
