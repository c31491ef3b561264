//! What is in the tree is finished: nothing is put off and no test is switched off.

use crate::tree::{Finding, Tree, expect_findings, numbered, word_positions};

/// Words that put work off.
const WORDS: &[&str] = &["TODO", "FIXME", "XXX"];

/// Code that puts work off or switches a test off.
const CODE: &[&str] = &["todo!(", "unimplemented!(", "#[ignore"];

/// Endings of files that hold source.
const ENDINGS: &[&str] = &[".rs", ".py", ".ts", ".js", ".mjs", ".sh", ".sql", ".toml", ".ci/run"];

/// Finds such words and code in source files.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let is_source = |path: &str| ENDINGS.iter().any(|ending| path.ends_with(ending));
    for (path, text) in tree.without_rules().filter(|(path, _)| is_source(path)) {
        for (number, line) in numbered(text) {
            let word = WORDS.iter().find(|word| word_positions(line, word).next().is_some());
            if let Some(found) = word.or_else(|| CODE.iter().find(|code| line.contains(**code))) {
                findings.push(Finding::new(path, number, format!("finish it: {found}")));
            }
        }
    }
    findings
}

#[test]
fn work_put_off_is_found() {
    let bad =
        "// TODO: x\n# FIXME\n\"XXX\"\ntodo!()\nunimplemented!(\"x\")\n#[ignore = \"slow\"]\n";
    let places = ["a.rs:1", "a.rs:2", "a.rs:3", "a.rs:4", "a.rs:5", "a.rs:6"];
    expect_findings(check, &[("a.rs", bad)], &places);
    expect_findings(
        check,
        &[("a.rs", "\"XXXXXX\" todo.md TODOS ignored\n"), ("a.md", "TODO")],
        &[],
    );
}
