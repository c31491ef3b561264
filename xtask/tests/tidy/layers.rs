//! Modules of the crates that are one thing depend downwards, layer by layer.
//!
//! A module may use those of its own layer and of lower ones. What it must tell a higher one, it
//! says by a trait of its own, which the higher one implements.

use crate::tree::{Finding, Tree, expect_findings, numbered, word_positions};

/// A crate whose modules have layers: where they are, and each layer, from the lowest.
struct Layered {
    folder: &'static str,
    layers: &'static [&'static [&'static str]],
}

/// The crates whose modules have layers.
const CRATES: &[Layered] = &[
    Layered {
        folder: "crates/homefs-store/src/",
        layers: &[
            &[
                "aside",
                "bell",
                "fields",
                "glob",
                "ids",
                "index_file",
                "journal",
                "lender",
                "lock",
                "meta",
                "model",
                "priority",
                "put_away",
                "record",
                "staged",
            ],
            &["base", "chunks", "database", "descriptors"],
            &["draft", "ground", "guard", "lineage", "observers", "special", "tree"],
            &[
                "absent", "attached", "backlog", "contents", "expiry", "fold", "indexed", "names",
                "reads", "shown", "space", "spaces", "used",
            ],
        ],
    },
    Layered {
        folder: "crates/homefs-sync/src/",
        layers: &[
            &["below", "merge", "pace", "traits"],
            &["format", "machine", "projection", "status"],
            &["check", "elsewhere", "known"],
            &[
                "conflicts",
                "contents",
                "lending",
                "local",
                "lost",
                "news",
                "overlap",
                "purge",
                "push",
                "readable",
                "reconcile",
                "round",
                "sweep",
            ],
            &["follower", "keep", "places"],
        ],
    },
    Layered {
        folder: "crates/homefs-view/src/",
        layers: &[
            &["indexing", "pages"],
            &[
                "backup",
                "lost_changes",
                "memory",
                "nodes",
                "probes",
                "status",
                "store",
                "upkeep",
                "view",
            ],
        ],
    },
];

/// Modules that see all others: the crate's own door, and what tests it.
const FREE: &[&str] = &["fuzzing", "lib", "tests"];

/// Finds modules that use one of a higher layer, and those without a layer.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.ending(".rs") {
        let of = CRATES.iter().find_map(|of| Some((of.layers, path.strip_prefix(of.folder)?)));
        let Some((layers, inside)) = of else { continue };
        let module = inside.split(['/', '.']).next().unwrap_or_default();
        if FREE.contains(&module) || is_test(inside) {
            continue;
        }
        let Some(own) = layer(layers, module) else {
            findings.push(Finding::new(
                path,
                1,
                format!("{module} has no layer: add it to CRATES"),
            ));
            continue;
        };
        for (number, line) in numbered(before_tests(text)) {
            for used in used(line) {
                if layer(layers, used).is_none_or(|layer| layer > own) {
                    let message = format!("{module} must not use {used}: it is above");
                    findings.push(Finding::new(path, number, message));
                }
            }
        }
    }
    findings
}

/// Tells whether a file has nothing but tests, which may look at everything.
fn is_test(inside: &str) -> bool {
    inside.contains("/tests/") || inside.ends_with("/tests.rs")
}

/// Leaves out the tests at the end of a file.
fn before_tests(text: &str) -> &str {
    text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default()
}

/// Returns the layer of a module, the lowest being 0.
fn layer(layers: &[&[&str]], module: &str) -> Option<usize> {
    layers.iter().position(|layer| layer.contains(&module))
}

/// Returns the modules that a line names; what it says in a comment does not count.
fn used(line: &str) -> impl Iterator<Item = &str> {
    let code = line.split("//").next().unwrap_or_default();
    word_positions(code, "crate").filter_map(move |at| {
        let after = code[at..].strip_prefix("crate::")?;
        let end = after.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(after.len());
        // Whatever is no module is named by the crate's door, which is above all.
        Some(&after[..end])
    })
}

/// Checks one file of a crate with this text.
fn expect(file: &str, text: &str, places: &[usize]) {
    let path = format!("crates/{file}");
    let places: Vec<String> = places.iter().map(|line| format!("{path}:{line}")).collect();
    let places: Vec<&str> = places.iter().map(String::as_str).collect();
    expect_findings(check, &[(&path, text)], &places);
}

#[test]
fn a_use_of_a_higher_layer_is_found() {
    expect(
        "homefs-store/src/tree/mod.rs",
        "use crate::record::Record;\nuse crate::space::Space;\n",
        &[2],
    );
    expect("homefs-sync/src/round.rs", "fn f() { crate::follower::open() }\n", &[1]);
    expect("homefs-sync/src/round.rs", "use crate::Follower;\n", &[1]);
    expect("homefs-store/src/guard.rs", "// As crate::view does.\nuse crate::draft::Draft;\n", &[]);
    expect("homefs-store/src/tree/tests/cases.rs", "use crate::view::View;\n", &[]);
    expect(
        "homefs-store/src/tree/mod.rs",
        "#[cfg(test)]\nmod tests {\n    use crate::view::View;\n}\n",
        &[],
    );
}

#[test]
fn a_module_without_a_layer_is_found() {
    expect("homefs-view/src/novelty.rs", "", &[1]);
}
