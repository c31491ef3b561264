//! The number of packages that a user has to trust and build grows only on purpose.

use crate::tree::{Finding, Tree, expect_findings};

/// The most packages that `Cargo.lock` may name, those of tests and benchmarks included.
///
/// It leaves room for 40 more than the store alone needs, for the command line and the benchmarks,
/// and for 15 of the mount: `fuser` speaks the kernel's protocol, and three of those that it names
/// are for other systems and never built here.
/// Another 159 are of the remotes: `object_store` speaks to S3, Google and Azure, signs, and brings
/// HTTP and TLS, which nobody should write anew; a third of them is for other systems.
/// The S3 server of the tests has 24 more, `zstd` 3, and the tokenizer of recall 5.
/// The shell has 40: `bashkit` interprets bash and brings jq, YAML, gzip and bzip2; `grep-searcher`
/// and what it needs match as fast as ripgrep does. The line editor has 2.
/// MCP has 9: `rmcp` is its official SDK, and `jsonc-parser` keeps the comments of a client's settings.
/// The bridge to Python (`pyo3`) has 8, that to Node (`napi`) 10, and none of them is in the program.
/// What confines processes that run scripts has 4: `seccompiler` and `landlock`, whose mistakes would
/// be holes.
/// Raise it together with the reason for the dependency that needs it.
const PACKAGES_MAX: usize = 421;

/// Finds a lock file with too many packages.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let text = tree.text("Cargo.lock").unwrap_or_default();
    let packages = text.lines().filter(|line| *line == "[[package]]").count();
    if packages <= PACKAGES_MAX {
        return Vec::new();
    }
    let message = format!("{packages} packages, {PACKAGES_MAX} at most: do without, or say why");
    vec![Finding::new("Cargo.lock", 1, message)]
}

#[test]
fn too_many_packages_are_found() {
    let package = "[[package]]\nname = \"a\"\n\n";
    expect_findings(check, &[("Cargo.lock", &package.repeat(PACKAGES_MAX))], &[]);
    let more = package.repeat(PACKAGES_MAX + 1);
    expect_findings(check, &[("Cargo.lock", &more)], &["Cargo.lock:1"]);
}
