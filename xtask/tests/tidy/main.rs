//! The house rules that neither the compiler nor clippy can say.
//!
//! A rule is a pure function from the files of the working tree to findings, in a file of its own
//! with an example that breaks it. A new rule is one file and a line in [`RULES`].
#![expect(clippy::disallowed_methods, reason = "the rules read the working tree, not a store")]

mod attributes;
mod direction;
mod forgotten;
mod front_page;
mod header;
mod layers;
mod length;
mod links;
mod lints;
mod machine_paths;
mod map;
mod packages;
mod programs;
mod promises;
mod quoted;
#[path = "../../src/tools/table.rs"]
#[expect(dead_code, reason = "the rules ask for names alone")]
mod table;
mod tree;
mod unsafe_code;
mod versions;
mod words;

use crate::tree::{Finding, Tree};

/// Every rule.
const RULES: &[fn(&Tree) -> Vec<Finding>] = &[
    attributes::check,
    direction::check,
    forgotten::check,
    front_page::check,
    header::check,
    layers::check,
    length::check,
    links::check,
    lints::check,
    machine_paths::check,
    map::check,
    packages::check,
    programs::check,
    promises::check,
    quoted::check,
    unsafe_code::check,
    versions::check,
    words::check,
];

#[test]
fn the_working_tree_keeps_the_house_rules() {
    let tree = Tree::of_workspace();
    let findings: Vec<String> =
        RULES.iter().flat_map(|rule| rule(&tree)).map(|finding| finding.to_string()).collect();
    assert!(findings.is_empty(), "\n\n{}\n\n{} findings\n", findings.join("\n"), findings.len());
}
