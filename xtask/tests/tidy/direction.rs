//! Crates depend strictly downwards.

use toml::{Table, Value};

use crate::tree::{Finding, Tree, expect_findings};

/// The crates from the lowest level to the highest. A crate may use those of lower levels only.
const LEVELS: &[&[&str]] = &[
    &["homefs-core"],
    &["homefs-wire"],
    &["homefs-remote", "homefs-search", TESTKIT],
    &["homefs-store"],
    &["homefs-sync"],
    &["homefs-view"],
    &["homefs-fuse", "homefs-shell"],
    &["homefs-api"],
    &["homefs-server"],
    &["homefs-cli", "homefs-node", "homefs-python"],
    &[BENCH, "homefs-fuzz", "xtask"],
];

/// May be used by every crate, but only in its tests.
const TESTKIT: &str = "homefs-testkit";

/// Is never shipped, and measures with the server of the test kit.
const BENCH: &str = "homefs-bench";

/// The tables that name dependencies.
const TABLES: &[&str] = &["dependencies", "build-dependencies", DEV_TABLE];

/// The one of them that only tests see.
const DEV_TABLE: &str = "dev-dependencies";

/// Finds dependencies that do not point downwards.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.ending("Cargo.toml") {
        match text.parse::<Table>() {
            Ok(manifest) => check_manifest(path, &manifest, &mut findings),
            Err(error) => findings.push(Finding::new(path, 1, error.to_string())),
        }
    }
    findings
}

/// Checks one manifest; that of the workspace itself has no package.
fn check_manifest(path: &str, manifest: &Table, findings: &mut Vec<Finding>) {
    let package = manifest.get("package").and_then(|package| package.get("name"));
    let Some(name) = package.and_then(Value::as_str) else { return };
    let Some(own_level) = level(name) else {
        findings.push(Finding::new(path, 1, format!("{name} has no level: add it to LEVELS")));
        return;
    };
    for (table, dependency) in dependencies(manifest) {
        if dependency == TESTKIT {
            if table != DEV_TABLE && name != BENCH {
                let message = format!("{name} uses {TESTKIT} outside its tests");
                findings.push(Finding::new(path, 1, message));
            }
        } else if dependency.starts_with("homefs-")
            && level(&dependency).is_none_or(|level| level >= own_level)
        {
            let message = format!("{name} must not depend on {dependency}: it is not below");
            findings.push(Finding::new(path, 1, message));
        }
    }
}

/// Returns the level of a crate, the lowest being 0.
fn level(name: &str) -> Option<usize> {
    LEVELS.iter().position(|level| level.contains(&name))
}

/// Returns the table and the name of each dependency, those of single platforms included.
fn dependencies(manifest: &Table) -> Vec<(&'static str, String)> {
    let platforms = manifest.get("target").and_then(Value::as_table);
    let of_platforms = platforms.into_iter().flat_map(Table::values).filter_map(Value::as_table);
    let mut found = Vec::new();
    for part in std::iter::once(manifest).chain(of_platforms) {
        for table in TABLES {
            for (key, value) in part.get(*table).and_then(Value::as_table).into_iter().flatten() {
                let renamed = value.get("package").and_then(Value::as_str);
                found.push((*table, renamed.unwrap_or(key).to_owned()));
            }
        }
    }
    found
}

/// Checks one crate with these lines in its manifest.
fn expect(name: &str, lines: &str, findings: usize) {
    let manifest = format!("[package]\nname = \"{name}\"\n{lines}");
    expect_findings(check, &[("Cargo.toml", &manifest)], &vec!["Cargo.toml:1"; findings]);
}

#[test]
fn a_dependency_upwards_or_sideways_is_found() {
    expect("homefs-core", "[dependencies]\nhomefs-view.workspace = true", 1);
    expect("homefs-fuse", "[dependencies]\nhomefs-shell.workspace = true", 1);
    expect("homefs-core", "[dev-dependencies]\nhomefs-view.workspace = true", 1);
    expect("homefs-core", "[target.'cfg(unix)'.dependencies]\nhomefs-api = \"1\"", 1);
    expect("homefs-core", "[dependencies]\nother = { package = \"homefs-cli\" }", 1);
    expect("homefs-core", "[build-dependencies]\nhomefs-unknown = \"1\"", 1);
    expect("homefs-view", "[dependencies]\nhomefs-core.workspace = true\nserde = \"1\"", 0);
    expect("homefs-cli", "[dependencies]\nhomefs-api.workspace = true", 0);
}

#[test]
fn the_testkit_is_for_tests_only() {
    expect("homefs-view", "[dependencies]\nhomefs-testkit.workspace = true", 1);
    expect("homefs-core", "[dev-dependencies]\nhomefs-testkit.workspace = true", 0);
    expect(BENCH, "[dependencies]\nhomefs-testkit.workspace = true", 0);
}

#[test]
fn a_crate_without_a_level_is_found() {
    expect("homefs-novelty", "", 1);
    expect_findings(check, &[("Cargo.toml", "[workspace]\n")], &[]);
    expect_findings(check, &[("Cargo.toml", "not toml")], &["Cargo.toml:1"]);
}
