//! The map leads somewhere: `ARCHITECTURE.md` names files, types and tests that exist.

use crate::tree::{Finding, Tree, expect_findings, numbered, word_positions};

const PAGE: &str = "ARCHITECTURE.md";

/// The column of invariants that says what holds them.
const HELD_BY: &str = "| | invariant | held by |";

/// The columns of the questions a newcomer has.
const QUESTIONS: &str = "| question | place |";

/// What declares the name of a type.
const TYPES: &[&str] = &["struct", "enum", "trait"];

/// Finds names of files that are not there, questions that lead to files without what they name, and
/// invariants that nothing holds.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = check_questions(tree);
    let mut in_invariants = false;
    for (number, line) in numbered(tree.text(PAGE).unwrap_or_default()) {
        let mut missing = |what: &str, name: &str| {
            findings.push(Finding::new(PAGE, number, format!("no such {what}: {name}")));
        };
        for name in quoted(line).filter(|name| is_file(name) && !has_file(tree, name)) {
            missing("file", name);
        }
        in_invariants = line == HELD_BY || (in_invariants && line.starts_with('|'));
        if !in_invariants || line == HELD_BY || line.starts_with("|--") {
            continue;
        }
        let held_by = line.trim_end_matches('|').rsplit(" | ").next().unwrap_or_default();
        for name in quoted(held_by).filter(|name| !is_declared(tree, name)) {
            missing("type or test", name);
        }
        if quoted(held_by).next().is_none() {
            missing("type or test", "an invariant that nothing holds");
        }
    }
    findings
}

/// Finds what the place of a question names and no file there has.
fn check_questions(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let (mut folder, mut in_questions) = ("", false);
    for (number, line) in numbered(tree.text(PAGE).unwrap_or_default()) {
        // The folder that paths without a crate are below stands above its table.
        if line.starts_with('#') {
            folder = "";
        } else if line.starts_with('`') {
            folder = quoted(line).next().unwrap_or_default();
        }
        in_questions = line == QUESTIONS || (in_questions && line.starts_with('|'));
        if !in_questions {
            continue;
        }
        let place = line.split('|').nth(2).unwrap_or_default();
        let texts: Vec<&str> = quoted(place).flat_map(|name| texts(tree, folder, name)).collect();
        for item in quoted(place).filter(|name| is_item(name)) {
            let word = item.rsplit("::").next().unwrap_or_default();
            if !texts.iter().any(|text| word_positions(text, word).next().is_some()) {
                let message = format!("no file that the question leads to has {item}");
                findings.push(Finding::new(PAGE, number, message));
            }
        }
    }
    findings
}

/// Returns the texts of a file, or of all files of a folder.
fn texts<'t>(tree: &'t Tree, folder: &str, name: &str) -> impl Iterator<Item = &'t str> + use<'t> {
    let places = [name.to_owned(), format!("{folder}{name}")].map(Some);
    let places = if is_file(name) { places } else { [None, None] };
    let is_there = move |path: &str| {
        places
            .iter()
            .flatten()
            .any(|place| if place.ends_with('/') { path.starts_with(place) } else { path == place })
    };
    tree.ending("").filter(move |(path, _)| is_there(path)).map(|(_, text)| text)
}

/// Tells whether a name is that of a type, or of something that it has.
fn is_item(name: &str) -> bool {
    let is_of_name = |c: char| c.is_alphanumeric() || ":_".contains(c);
    name.starts_with(|c: char| c.is_ascii_uppercase()) && name.chars().all(is_of_name)
}

/// Returns what stands between backticks.
fn quoted(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// Tells whether a name is that of a file or a folder.
fn is_file(name: &str) -> bool {
    let endings = [".rs", ".sql", ".json", ".py", ".mjs", "/"];
    endings.iter().any(|ending| name.ends_with(ending)) && !name.contains([' ', '*', ':', '<'])
}

/// Tells whether a file or a folder ends with these parts.
fn has_file(tree: &Tree, name: &str) -> bool {
    let inside = format!("/{name}");
    tree.ending("").any(|(path, _)| {
        let path = format!("/{path}");
        if name.ends_with('/') { path.contains(&inside) } else { path.ends_with(&inside) }
    })
}

/// Tells whether a Rust file declares a type or a function of this name.
fn is_declared(tree: &Tree, name: &str) -> bool {
    let function = format!("fn {name}(");
    tree.rust_without_rules().any(|(_, text)| {
        text.contains(&function)
            || TYPES.iter().any(|kind| {
                let declared = format!("{kind} {name}");
                text.match_indices(&declared).any(|(at, _)| {
                    let after = text[at + declared.len()..].chars().next();
                    !after.is_some_and(|c| c.is_alphanumeric() || c == '_')
                })
            })
    })
}

#[test]
fn a_file_that_is_not_there_is_found() {
    let page = (PAGE, "| a | `sync/mod.rs` and `tests/`, `none.rs`, `no/`\n`view` and `a b.rs`\n");
    let code = [("crates/a/src/sync/mod.rs", ""), ("crates/a/tests/it.rs", "")];
    let places = ["ARCHITECTURE.md:1", "ARCHITECTURE.md:1"];
    expect_findings(check, &[page, code[0], code[1]], &places);
}

#[test]
fn a_question_that_leads_elsewhere_is_found() {
    let rows = "| what? | `a.rs`: `Space::change` |\n| who? | `crates/b/`: `Permit`, `Space` |\n";
    let page = format!("`crates/a/`\n\n{QUESTIONS}\n|---|---|\n{rows}");
    let code = [("crates/a/a.rs", "fn change() {}"), ("crates/b/b.rs", "struct Permit;")];
    expect_findings(check, &[(PAGE, &page), code[0], code[1]], &["ARCHITECTURE.md:6"]);
}

#[test]
fn an_invariant_that_nothing_holds_is_found() {
    let code = ("a.rs", "pub struct Permit {\nfn it_holds() {}\nenum Longer {\n");
    let rows = "| 1 | x | `Permit`; `it_holds` |\n| 2 | `x` | `Long` |\n| 3 | `it_holds` | |\n";
    let page = format!("`it_is_no_row`\n{HELD_BY}\n|---|---|---|\n{rows}\n| `none` |\n");
    let places = ["ARCHITECTURE.md:5", "ARCHITECTURE.md:6"];
    expect_findings(check, &[(PAGE, &page), code], &places);
}
