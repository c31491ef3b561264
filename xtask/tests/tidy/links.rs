//! A link in a page leads somewhere.

use crate::tree::{Finding, Tree, expect_findings, numbered};

/// Finds relative links in Markdown files to files that are not there.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.ending(".md") {
        let mut in_code = false;
        for (number, line) in numbered(text) {
            in_code ^= line.trim_start().starts_with("```");
            if in_code {
                continue;
            }
            let prose: String = line.split('`').step_by(2).collect();
            for target in targets(&prose) {
                if resolve(path, target).is_none_or(|target| !tree.exists(&target)) {
                    findings.push(Finding::new(path, number, format!("dead link: {target}")));
                }
            }
        }
    }
    findings
}

/// Returns the relative targets of the links in a line, both `[a](target)` and `[a]: target`,
/// without their anchors.
pub(crate) fn targets(line: &str) -> impl Iterator<Item = &str> {
    let inline = line.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let definition = line.starts_with('[').then(|| line.split_once("]: ")).flatten();
    inline
        .chain(definition.map(|(_, target)| target))
        .filter_map(|target| target.split(['#', ' ']).next())
        .filter(|target| !target.is_empty() && !target.contains(':'))
}

/// Returns the path from the root of a target named in `page`, unless it leads out of the root.
pub(crate) fn resolve(page: &str, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

#[test]
fn a_dead_link_is_found_and_code_is_not_read() {
    let other = ("docs/adr/0001.md", "");
    let bad = "[a](adr/0001.md)\n[b](adr/none.md)\n[c](../../out.md)\n\n[d]: none.md\n";
    let places = ["docs/a.md:2", "docs/a.md:3", "docs/a.md:5"];
    expect_findings(check, &[("docs/a.md", bad), other], &places);
    let good = "[`a`](adr) [b](https://x.org/y) [c](#top) [d](../docs/adr/0001.md#part \"title\")\n\
                `[e](none.md)`\n```\n[f](none.md)\n```\n[g]: adr/0001.md\n";
    expect_findings(check, &[("docs/a.md", good), other], &[]);
}
