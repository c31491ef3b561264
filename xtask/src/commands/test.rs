//! `cargo xtask test`: sets up what the checks need, runs every check, and says how it went.
//!
//! The checks are a table. Plain `cargo test` runs the tests, so that a fresh machine needs nothing
//! but Rust, and the counts mean the same everywhere.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use super::{Command, only_flag};
use crate::{
    process,
    tools::{self, Missing},
    totals::Totals,
};

/// The command.
pub(super) const COMMAND: Command = Command {
    name: "test",
    usage: "test [--extended]",
    about: "set up and run every check; --extended takes longer and sees more",
    run,
};

/// One check.
struct Step {
    /// What it is called in the summary.
    name: &'static str,
    /// The command line; blanks part its words.
    line: &'static str,
    /// Environment variables it gets.
    environment: &'static [(&'static str, &'static str)],
    /// What must be there, or it is skipped.
    needs: &'static [Need],
}

/// What a check may need.
enum Need {
    /// A file of the working tree.
    File(&'static str),
    /// A tool of [`tools::TOOLS`].
    Tool(&'static str),
    /// The flag `--extended`.
    Extended,
}

/// Every check, the quickest to fail first.
const STEPS: &[Step] = &[
    Step {
        name: "format",
        line: "cargo fmt --all --check",
        environment: &[],
        needs: &[Need::Tool("rustfmt")],
    },
    Step {
        name: "lints",
        line: "cargo clippy --workspace --all-targets -- -D warnings",
        environment: &[],
        needs: &[Need::Tool("clippy")],
    },
    Step {
        name: "tests",
        line: "cargo test --workspace --no-fail-fast",
        environment: &[],
        needs: &[],
    },
    Step {
        name: "Python",
        line: "cargo xtask python",
        environment: &[],
        needs: &[Need::Tool("python")],
    },
    Step { name: "Node", line: "cargo xtask node", environment: &[], needs: &[Need::Tool("node")] },
    Step {
        name: "documentation",
        line: "cargo doc --workspace --no-deps",
        environment: &[("RUSTDOCFLAGS", "-D warnings")],
        needs: &[],
    },
    Step {
        name: "generated pages",
        line: "cargo xtask gen --check",
        environment: &[],
        needs: &[Need::File("crates/homefs-cli/Cargo.toml")],
    },
    Step {
        name: "licences",
        line: "cargo deny check licenses bans sources",
        environment: &[],
        needs: &[Need::Tool("cargo-deny")],
    },
    Step {
        name: "advisories",
        line: "cargo deny check advisories",
        environment: &[],
        needs: &[Need::Tool("cargo-deny"), Need::Tool("advisory-db")],
    },
    Step {
        name: "fuzz targets",
        line: "cargo xtask fuzz",
        environment: &[],
        needs: &[Need::Extended, Need::Tool("c++")],
    },
    Step {
        name: "bench smoke",
        line: "cargo xtask bench --quick",
        environment: &[],
        needs: &[Need::Extended, Need::File("bench/Cargo.toml")],
    },
];

/// Every check inherits this when the run is extended; tests with long loops look for it.
pub(super) const EXTENDED: (&str, &str) = ("HOMEFS_EXTENDED", "1");

/// How a check went.
struct Report {
    name: &'static str,
    outcome: Outcome,
    time: Duration,
    totals: Totals,
}

/// How a check ended.
enum Outcome {
    Passed,
    Failed(String),
    Skipped(String),
}

/// Runs every check, also after one failed, so that one run shows all there is to mend.
fn run(arguments: &[String]) -> anyhow::Result<bool> {
    let extended = only_flag(arguments, "--extended")?;
    let missing = tools::obtain(extended);
    let reports: Vec<Report> = STEPS.iter().map(|step| check(step, extended, &missing)).collect();
    Ok(print_summary(&reports, &untried(&missing, extended)))
}

/// Names the tools without which tests were left out, and how to get each; without those that only
/// an extended run gets.
fn untried(missing: &BTreeMap<&str, Missing>, extended: bool) -> Vec<String> {
    let expected = tools::TOOLS.iter().filter(|tool| extended || !tool.slow);
    expected
        .filter_map(|tool| Some(format!("{}: {}", tool.name, missing.get(tool.name)?)))
        .collect()
}

/// Runs one check.
fn check(step: &Step, extended: bool, missing: &BTreeMap<&str, Missing>) -> Report {
    let start = Instant::now();
    let mut totals = Totals::default();
    let outcome = if let Some(reason) = reason_to_skip(step, extended, missing) {
        Outcome::Skipped(reason)
    } else {
        println!("\n==> {}: {}", step.name, shell_line(step));
        let words: Vec<&str> = step.line.split(' ').collect();
        let mut environment = step.environment.to_vec();
        environment.extend(extended.then_some(EXTENDED));
        match process::run_seen(&words, &environment, |line| totals.add_line(line)) {
            Ok(true) => Outcome::Passed,
            Ok(false) => Outcome::Failed(format!("see above; again: {}", shell_line(step))),
            Err(error) => Outcome::Failed(format!("{error:#}")),
        }
    };
    let report = Report { name: step.name, outcome, time: start.elapsed(), totals };
    println!("{}", describe(&report));
    report
}

/// Returns the command line as a developer would type it.
fn shell_line(step: &Step) -> String {
    let variables = step.environment.iter().map(|(name, value)| format!("{name}='{value}' "));
    variables.chain([step.line.to_owned()]).collect()
}

/// Returns why a check cannot run, if so.
fn reason_to_skip(
    step: &Step,
    extended: bool,
    missing: &BTreeMap<&str, Missing>,
) -> Option<String> {
    step.needs.iter().find_map(|need| match need {
        Need::File(path) => {
            (!process::root().join(path).exists()).then(|| format!("there is no {path} yet"))
        }
        Need::Tool(name) => missing.get(name).map(|why| format!("{name} is missing: {why}")),
        Need::Extended => (!extended).then(|| "only with --extended".to_owned()),
    })
}

/// Prints how every check went and, alone on the last line, the counts; returns whether all is well.
fn print_summary(reports: &[Report], untried: &[String]) -> bool {
    println!("\nSummary");
    for report in reports {
        println!("{}", describe(report));
    }
    for tool in untried {
        println!("missing  {tool}");
    }
    let totals = sum(reports);
    println!("\n{} passed, {} failed", totals.passed, totals.failed);
    totals.failed == 0
}

/// Adds up the tests of all checks.
/// A check that fails without a failed test counts as one, so that the counts never look clean when
/// something is wrong.
fn sum(reports: &[Report]) -> Totals {
    reports.iter().fold(Totals::default(), |sum, report| {
        let broken = u64::from(matches!(report.outcome, Outcome::Failed(_)));
        Totals {
            passed: sum.passed + report.totals.passed,
            failed: sum.failed + report.totals.failed.max(broken),
        }
    })
}

/// Says in one line how a check went.
fn describe(report: &Report) -> String {
    let (word, detail) = match &report.outcome {
        Outcome::Passed => ("ok", String::new()),
        Outcome::Failed(reason) => ("FAILED", format!("  {reason}")),
        Outcome::Skipped(reason) => ("skipped", format!("  {reason}")),
    };
    let seconds = report.time.as_secs_f64();
    format!("{word:<8} {:<24} {seconds:>7.1} s{detail}", report.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds up one check.
    fn counted(outcome: Outcome, passed: u64, failed: u64) -> Totals {
        let totals = Totals { passed, failed };
        sum(&[Report { name: "check", outcome, time: Duration::ZERO, totals }])
    }

    #[test]
    fn a_failed_check_is_never_counted_as_clean() {
        let failed = || Outcome::Failed("why".to_owned());
        assert_eq!(counted(failed(), 0, 0), Totals { passed: 0, failed: 1 });
        assert_eq!(counted(failed(), 7, 2), Totals { passed: 7, failed: 2 });
    }

    #[test]
    fn passed_and_skipped_checks_add_no_failure() {
        assert_eq!(counted(Outcome::Passed, 3, 0), Totals { passed: 3, failed: 0 });
        assert_eq!(counted(Outcome::Skipped("why".to_owned()), 0, 0), Totals::default());
    }

    #[test]
    fn every_tool_that_a_check_needs_is_in_the_table() {
        for need in STEPS.iter().flat_map(|step| step.needs) {
            if let Need::Tool(name) = need {
                assert!(tools::TOOLS.iter().any(|tool| tool.name == *name), "{name}");
            }
        }
    }

    #[test]
    fn a_missing_tool_skips_its_check_and_says_why() {
        let step = STEPS.iter().find(|step| step.name == "lints").unwrap();
        let missing = BTreeMap::from([("clippy", Missing("no network".to_owned()))]);
        let reason = reason_to_skip(step, false, &missing).unwrap();
        assert_eq!(reason, "clippy is missing: no network");
        assert_eq!(reason_to_skip(step, false, &BTreeMap::new()), None);
    }
}
