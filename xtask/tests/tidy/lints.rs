//! Every crate has the lints of the workspace.

use toml::{Table, Value};

use crate::tree::{Finding, Tree, expect_findings};

/// Finds crates that do not take over the lints.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    tree.ending("Cargo.toml")
        .filter(|(_, text)| {
            let manifest: Table = text.parse().unwrap_or_default();
            let takes = manifest.get("lints").and_then(|lints| lints.get("workspace"));
            manifest.contains_key("package") && takes.and_then(Value::as_bool) != Some(true)
        })
        .map(|(path, _)| Finding::new(path, 1, "say `[lints]` and `workspace = true`"))
        .collect()
}

#[test]
fn a_crate_without_the_lints_is_found() {
    let package = "[package]\nname = \"a\"\n";
    expect_findings(check, &[("a/Cargo.toml", package)], &["a/Cargo.toml:1"]);
    let off = format!("{package}[lints]\nworkspace = false\n");
    expect_findings(check, &[("a/Cargo.toml", &off)], &["a/Cargo.toml:1"]);
    let on = format!("{package}[lints]\nworkspace = true\n");
    expect_findings(check, &[("a/Cargo.toml", &on), ("Cargo.toml", "[workspace]\n")], &[]);
}
