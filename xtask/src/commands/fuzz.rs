//! `cargo xtask fuzz`: gives fuzz targets what nobody thought of.
//!
//! The targets are in `fuzz/`, one file each; what they call is in the module `fuzzing` of the crate
//! that is tried. They are built with the coverage that libFuzzer goes by, for which the stable
//! compiler is enough, and without a sanitizer: overflows and broken assertions are found by the
//! compiler's own checks.

use std::{env, fs};

use anyhow::Context;

use super::Command;
use crate::process;

/// The command.
pub(super) const COMMAND: Command = Command {
    name: "fuzz",
    usage: "fuzz [TARGET] [--seconds N]",
    about: "let fuzz targets run, 60 seconds each if nothing else is said",
    run,
};

/// What libFuzzer needs to know of a run.
const COVERAGE: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares";

/// Longer than this no input may take, in seconds.
const TIMEOUT: &str = "-timeout=20";
/// More than this a run may not hold, in MiB.
const MEMORY: &str = "-rss_limit_mb=2048";

/// Builds the targets and lets each run; what one finds is in `fuzz/artifacts`.
fn run(arguments: &[String]) -> anyhow::Result<bool> {
    let (target, seconds) = parse(arguments)?;
    let root = process::root();
    // The same versions as those that people get.
    fs::copy(root.join("Cargo.lock"), root.join("fuzz/Cargo.lock")).context("copy Cargo.lock")?;
    let host = format!("{}-unknown-linux-gnu", env::consts::ARCH);
    // With a target of their own, programs that run while building are left as they are.
    let build = ["cargo", "build", "--release", "--manifest-path", "fuzz/Cargo.toml"];
    let place = ["--target-dir", "target/fuzz", "--target", &host];
    let flags = [("RUSTFLAGS", COVERAGE)];
    if !process::run_seen(&[&build[..], &place].concat(), &flags, |_| {})? {
        return Ok(false);
    }
    let mut all = targets()?;
    if let Some(target) = target {
        all.retain(|name| *name == target);
        anyhow::ensure!(!all.is_empty(), "there is no target {target} in fuzz/fuzz_targets");
    }
    let mut is_well = true;
    for name in all {
        println!("\n--> fuzz {name}");
        is_well &= fuzz(&name, &host, seconds)?;
    }
    Ok(is_well)
}

/// Lets one target run; what it learns stays in `target`, and only what is put into its corpus by
/// hand is kept.
fn fuzz(name: &str, host: &str, seconds: u64) -> anyhow::Result<bool> {
    let learnt = format!("target/fuzz/corpus/{name}");
    let found = format!("fuzz/artifacts/{name}/");
    for dir in [&learnt, &found] {
        fs::create_dir_all(process::root().join(dir)).context("make a folder")?;
    }
    let program = process::root().join(format!("target/fuzz/{host}/release/{name}"));
    let program = program.to_str().context("the working tree has a path that is text")?;
    let (time, prefix) =
        (format!("-max_total_time={seconds}"), format!("-artifact_prefix={found}"));
    let corpus = format!("fuzz/corpus/{name}");
    let line = [program, &learnt, &corpus, &time, &prefix, TIMEOUT, MEMORY, "-verbosity=0"];
    let is_well = process::run(&line)?;
    println!("{} {name}", if is_well { "nothing found by" } else { "FOUND something:" });
    Ok(is_well)
}

/// Returns the names of all targets.
fn targets() -> anyhow::Result<Vec<String>> {
    let files = fs::read_dir(process::root().join("fuzz/fuzz_targets")).context("list targets")?;
    let mut names = Vec::new();
    for file in files {
        let path = file?.path();
        names.extend(path.file_stem().and_then(|stem| stem.to_str()).map(str::to_owned));
    }
    names.sort_unstable();
    Ok(names)
}

/// Reads the arguments.
fn parse(arguments: &[String]) -> anyhow::Result<(Option<&str>, u64)> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (target, rest) = match words[..] {
        [target, ..] if !target.starts_with('-') => (Some(target), &words[1..]),
        _ => (None, &words[..]),
    };
    let seconds = match rest {
        [] => 60,
        ["--seconds", seconds] => seconds.parse().context("read --seconds")?,
        _ => anyhow::bail!("expected [TARGET] [--seconds N], found: {}", arguments.join(" ")),
    };
    Ok((target, seconds))
}
