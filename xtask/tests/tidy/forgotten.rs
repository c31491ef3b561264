//! A test file that nobody declares is never run.

use crate::tree::{Finding, Tree, expect_findings};

/// Finds files in a folder of `tests/` that its `main.rs` does not declare.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, _) in tree.ending(".rs") {
        let Some((binary, module)) = binary_and_module(path) else { continue };
        let main = format!("{binary}/main.rs");
        let declaration = format!("mod {module};");
        let declares = |line: &str| line.trim_start_matches("pub(crate) ").trim() == declaration;
        if !tree.text(&main).is_some_and(|text| text.lines().any(declares)) {
            findings.push(Finding::new(path, 1, format!("{main} does not say `{declaration}`")));
        }
    }
    findings
}

/// Splits `crates/x/tests/it/module.rs`, or `…/it/module/mod.rs`, into `crates/x/tests/it` and
/// `module`. Other files are declared elsewhere.
fn binary_and_module(path: &str) -> Option<(&str, &str)> {
    let start = path.find("/tests/")? + "/tests/".len();
    let (folder, inside) = path[start..].split_once('/')?;
    let module = inside.strip_suffix("/mod.rs").or_else(|| inside.strip_suffix(".rs"))?;
    let is_top = !module.contains('/') && module != "main";
    // `src/**/tests/` holds unit tests, which an ordinary module declares.
    (is_top && !path[..start].contains("/src/")).then_some((&path[..start + folder.len()], module))
}

#[test]
fn a_test_file_that_main_does_not_declare_is_found() {
    let main = ("crates/a/tests/it/main.rs", "//! Tests.\nmod journal;\nmod fold;\n");
    let journal = ("crates/a/tests/it/journal.rs", "");
    let fold = ("crates/a/tests/it/fold/mod.rs", "");
    let inner = ("crates/a/tests/it/fold/inner.rs", "");
    expect_findings(check, &[main, journal, fold, inner], &[]);
    let lost = ("crates/a/tests/it/lost.rs", "");
    expect_findings(check, &[main, lost], &["crates/a/tests/it/lost.rs:1"]);
    expect_findings(check, &[journal], &["crates/a/tests/it/journal.rs:1"]);
    expect_findings(check, &[("crates/a/src/b/tests/c.rs", "")], &[]);
}
