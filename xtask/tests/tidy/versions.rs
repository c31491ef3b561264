//! The packages of all languages have one version, and lock files name no registry.

use crate::tree::{Finding, Tree, expect_findings, numbered};

/// Files of the npm package that say its version, first of all.
const PACKAGE: &[&str] = &["sdk/node/package.json", "sdk/node/package-lock.json"];

/// Finds versions other than the workspace's, and registries in lock files.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let workspace = tree.text("Cargo.toml").and_then(|text| version(text, "version = "));
    let mut findings = Vec::new();
    for path in PACKAGE {
        let found = tree.text(path).and_then(|text| version(text, "\"version\": "));
        if found != workspace {
            let message = "has another version than Cargo.toml: they move together";
            findings.push(Finding::new(path, 1, message));
        }
    }
    for (path, text) in tree.ending("package-lock.json") {
        for (number, _) in numbered(text).filter(|(_, line)| line.contains("\"resolved\": \"http"))
        {
            findings.push(Finding::new(
                path,
                number,
                "names a registry, which is each user's choice",
            ));
        }
    }
    findings
}

/// Returns the first text in quotes after `key` at the beginning of a line.
fn version<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let value = text.lines().find_map(|line| line.trim_start().strip_prefix(key))?;
    value.split('"').nth(1)
}

#[test]
fn versions_that_differ_and_registries_are_found() {
    let workspace = ("Cargo.toml", "[workspace.package]\nversion = \"0.2.0\"\n");
    let old = ("sdk/node/package.json", "{\n  \"version\": \"0.1.0\"\n}");
    let new = ("sdk/node/package.json", "{\n  \"version\": \"0.2.0\"\n}");
    let locked = ("sdk/node/package-lock.json", "{\n  \"version\": \"0.2.0\"\n}");
    expect_findings(check, &[workspace, new, locked], &[]);
    expect_findings(check, &[workspace, old, locked], &["sdk/node/package.json:1"]);
    let named = "{\n  \"version\": \"0.2.0\",\n  \"resolved\": \"https://registry/a.tgz\"\n}";
    let registry = ("sdk/node/package-lock.json", named);
    expect_findings(check, &[workspace, new, registry], &["sdk/node/package-lock.json:3"]);
}
