//! Every module starts with what it is for.

use crate::tree::{Finding, Tree, expect_findings};

/// Finds modules of crates that do not start with a `//!` line.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    tree.ending(".rs")
        .filter(|(path, text)| path.contains("/src/") && !text.starts_with("//! "))
        .map(|(path, _)| Finding::new(path, 1, "start with `//! ` and what the module is for"))
        .collect()
}

#[test]
fn a_module_that_does_not_say_what_it_is_for_is_found() {
    expect_findings(check, &[("crates/a/src/lib.rs", "mod b;\n")], &["crates/a/src/lib.rs:1"]);
    expect_findings(check, &[("crates/a/src/b.rs", "")], &["crates/a/src/b.rs:1"]);
    expect_findings(check, &[("crates/a/src/b.rs", "//!\n")], &["crates/a/src/b.rs:1"]);
    expect_findings(check, &[("crates/a/src/lib.rs", "//! What it is.\n")], &[]);
    expect_findings(check, &[("crates/a/tests/it/main.rs", "mod b;\n")], &[]);
}
