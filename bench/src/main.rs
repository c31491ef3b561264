//! Scenarios that guard the product's numbers: `cargo xtask bench [--quick] [scenario…]`.
//!
//! Each scenario measures homefs and the real alternatives in one run, on one disk, round by round
//! in turn, so that a noisy machine disturbs all alike and the ratios stay true. A new scenario is
//! one file in `scenarios/` and a line in its table.
#![expect(clippy::disallowed_methods, reason = "a benchmark is about real time and real files")]
#![expect(clippy::cast_precision_loss, reason = "counts and nanoseconds stay far below 2^52")]
#![expect(clippy::print_stdout, reason = "a benchmark talks to the developer who runs it")]

mod bench;
mod bucket;
mod child;
mod clock;
mod compare;
mod home;
mod machine;
mod peers;
mod places;
mod plot;
mod report;
mod sample;
mod scenarios;
mod script;
mod tool;

use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use crate::bench::Bench;
use crate::report::Report;
use crate::scenarios::{SCENARIOS, Scenario};

/// What the caller asked for.
struct Arguments {
    quick: bool,
    dir: PathBuf,
    date: String,
    chosen: Vec<&'static Scenario>,
}

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, name, rest @ ..] = words.as_slice()
        && flag == child::FLAG
    {
        let part = find(name)?.child.context("the scenario has no second process")?;
        return part(rest);
    }
    if words.iter().any(|word| word == "--help" || word == "-h") {
        print_help();
        return Ok(());
    }
    run(&parse(&words)?)
}

fn run(arguments: &Arguments) -> Result<()> {
    let bench = Bench::new(&arguments.dir, arguments.quick)?;
    let mut report = Report::start(&arguments.date, arguments.quick);
    for scenario in &arguments.chosen {
        println!("\n{}: {}", scenario.name, scenario.about);
        (scenario.run)(&bench, &mut report).with_context(|| scenario.name)?;
    }
    report.finish();
    // A partial or quick run must not replace the numbers that pages show.
    let full = !arguments.quick && arguments.chosen.len() == SCENARIOS.len();
    let results = if full { machine::bench_folder().join("results") } else { bench.results() };
    let place = results.join(format!("{}-{}", arguments.date, machine::name()));
    report.write(&place)?;
    println!("\nwritten to {}", place.display());
    Ok(())
}

fn parse(words: &[String]) -> Result<Arguments> {
    let mut arguments = Arguments {
        quick: false,
        dir: machine::bench_folder().join("../target/bench"),
        date: clock::today(),
        chosen: Vec::new(),
    };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--quick" => arguments.quick = true,
            "--dir" => arguments.dir = words.next().context("--dir needs a folder")?.into(),
            "--date" => words.next().context("--date needs a day")?.clone_into(&mut arguments.date),
            name => arguments.chosen.push(find(name)?),
        }
    }
    if arguments.chosen.is_empty() {
        arguments.chosen = SCENARIOS.iter().collect();
    }
    Ok(arguments)
}

fn find(name: &str) -> Result<&'static Scenario> {
    // The name of a scenario's file does as well.
    let name = name.replace('_', "-");
    match SCENARIOS.iter().find(|scenario| scenario.name == name) {
        Some(scenario) => Ok(scenario),
        None => bail!("there is no scenario or option `{name}`; see --help"),
    }
}

fn print_help() {
    println!("cargo xtask bench [--quick] [--dir FOLDER] [--date YYYY-MM-DD] [scenario…]\n");
    for scenario in SCENARIOS {
        println!("  {:<12} {}", scenario.name, scenario.about);
    }
}
