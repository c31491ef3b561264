//! A test calls no program that is not in the table of tools.
//!
//! A program that happens to be on its author's machine would fail on every other, and one that was
//! once installed by hand hides that nobody gets it.

use crate::table;
use crate::tree::{Finding, Tree, expect_findings, numbered};

/// How a program is named that is about to be called; its name follows, up to the quote.
const CALLS: &[&str] = &[
    "Command::new(\"",
    "program(\"",
    "program: \"",
    "subprocess.run([\"",
    "subprocess.Popen([\"",
    "execFile('",
    "execFileSync('",
    "spawn('",
    "spawnSync('",
];

/// What is there wherever anything is built, and what is built.
const WITHOUT_ROW: &[&str] = &["cargo", "homefs", "rustc"];

/// Where the tests are; what the program itself calls is tried by them.
const FOLDERS: &[&str] = &["crates/", "sdk/"];

/// Finds names of programs that the table does not have.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let ours = |path: &str| FOLDERS.iter().any(|folder| path.starts_with(folder));
    for (path, text) in tree.without_rules().filter(|(path, _)| ours(path)) {
        for (number, line) in numbered(text) {
            for program in called(line).filter(|program| !is_known(program)) {
                let table = "xtask/src/tools/table.rs";
                let message = format!("calls {program}, which is not in {table}");
                findings.push(Finding::new(path, number, message));
            }
        }
    }
    findings
}

/// Returns the programs that a line names in order to call them.
fn called(line: &str) -> impl Iterator<Item = &str> {
    CALLS.iter().flat_map(move |call| {
        let named = line.match_indices(call).map(|(at, _)| &line[at + call.len()..]);
        named.filter_map(|rest| rest.split(['"', '\'']).next())
    })
}

/// Tells whether a program is in the table, or needs no row there.
fn is_known(program: &str) -> bool {
    WITHOUT_ROW.contains(&program) || table::programs().any(|known| known == program)
}

#[test]
fn a_program_that_is_not_in_the_table_is_found() {
    let bad = "fn a() {\n    Command::new(\"nosuch\");\n    program(\"nosuch\");\n}\n";
    let path = "crates/a/tests/it/a.rs";
    let expected = ["crates/a/tests/it/a.rs:2", "crates/a/tests/it/a.rs:3"];
    expect_findings(check, &[(path, bad)], &expected);
    let good = "Command::new(\"git\"); Command::new(\"sh\"); Command::new(path)";
    expect_findings(check, &[(path, good)], &[]);
    let python = ("sdk/python/tests/a.py", "subprocess.run([\"nosuch\", \"x\"])");
    expect_findings(check, &[python], &["sdk/python/tests/a.py:1"]);
    expect_findings(check, &[("bench/src/a.rs", bad)], &[]);
}
