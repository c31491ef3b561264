//! Unsafe code is in few files, each named here with its reason.

use crate::tree::{Finding, Tree, expect_findings, numbered, word_positions};

/// The files that may contain unsafe code, and why each must.
const LISTED: &[(&str, &str)] = &[
    ("crates/homefs-cli/tests/mount/mapped.rs", "maps files of a mount"),
    ("crates/homefs-core/src/host_disk.rs", "maps journal segments"),
    ("crates/homefs-store/src/journal/fork_mark.rs", "a page that forks wipe"),
    ("crates/homefs-fuse/src/apart.rs", "a thread with its own table of descriptors"),
    ("crates/homefs-search/src/embed/simd.rs", "code for newer processors"),
    ("crates/homefs-testkit/src/crash_disk.rs", "stands in for a mapped file"),
    ("crates/homefs-testkit/src/sqlite_faults.rs", "stands in for the files of SQLite"),
];

/// What follows the word where it is code; elsewhere it is prose in a text.
const CODE_AFTER: &[&str] = &[" {", " fn", " impl", " extern", " trait", "("];

/// Finds unsafe code in files that are not listed, and listed files that have none.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    check_against(LISTED, tree)
}

/// As [`check`], with any list. A listed file that does not exist is no finding.
fn check_against(listed: &[(&str, &str)], tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.rust_without_rules() {
        let is_listed = listed.iter().any(|(listed, _)| *listed == path);
        let used = numbered(text).find(|(_, line)| has_unsafe(line)).map(|(number, _)| number);
        match (used, is_listed) {
            (Some(number), false) => {
                findings.push(Finding::new(path, number, "unsafe code: list it with its reason"));
            }
            (None, true) => {
                findings.push(Finding::new(
                    path,
                    1,
                    "no unsafe code any more: take it off the list",
                ));
            }
            _ => {}
        }
    }
    findings
}

/// Returns whether a line has unsafe code before its comment.
fn has_unsafe(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    word_positions(code, "unsafe").any(|position| {
        let after = &code[position + "unsafe".len()..];
        CODE_AFTER.iter().any(|start| after.starts_with(start))
    })
}

#[test]
fn unsafe_code_in_a_file_that_is_not_listed_is_found() {
    for code in ["    unsafe { x() }", "pub unsafe fn x()", "unsafe impl A for B {}"] {
        expect_findings(check, &[("a.rs", &format!("\n{code}\n"))], &["a.rs:2"]);
    }
    for code in ["unsafe extern \"C\" {", "#[unsafe(no_mangle)]", "unsafe trait A {}"] {
        expect_findings(check, &[("a.rs", code)], &["a.rs:1"]);
    }
    let good = "// unsafe { }\n#![expect(unsafe_code, reason = \"it is unsafe: a map\")]";
    expect_findings(check, &[("a.rs", good)], &[]);
}

#[test]
fn a_listed_file_has_unsafe_code_or_does_not_exist() {
    let rule = |tree: &Tree| check_against(&[("a.rs", "why"), ("later.rs", "why")], tree);
    expect_findings(rule, &[("a.rs", "unsafe { x() }")], &[]);
    expect_findings(rule, &[("a.rs", "x()")], &["a.rs:1"]);
    expect_findings(rule, &[], &[]);
}
