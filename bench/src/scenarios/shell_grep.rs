//! Searching through all pages by words and by names, beside GNU's tools on a tmpfs.

use anyhow::{Result, ensure};

use super::Scenario;
use super::shell::{Explored, run as run_script};
use crate::bench::Bench;
use crate::clock;
use crate::peers::pages::{COMMON_WORD, RARE_WORD};
use crate::report::{Bar, Report, Row, Unit};
use crate::sample::{Sample, Summary, median};
use crate::tool;

const NAME: &str = "shell-grep";
/// The scenario.
pub(super) const SCENARIO: Scenario = Scenario {
    name: NAME,
    about: "grep -r and find over 10,000 pages, beside GNU grep and find on a tmpfs",
    run,
    child: None,
};

const RUNS: usize = 20;
/// At most 1.5 times the time of GNU grep.
const COMMON: Bar = Bar::TimesAsFast(1.0 / 1.5);
const RARE: [Bar; 2] = [Bar::AtMost(3.0), Bar::TimesAsFast(1.0)];

/// A command, and what must hold of the milliseconds that it takes.
struct Search {
    what: &'static str,
    words: &'static [&'static str],
    bars: &'static [Bar],
}

const SEARCHES: [Search; 7] = [
    Search { what: "grep -r, rare word", words: &["grep", "-rn", RARE_WORD, "docs"], bars: &RARE },
    Search {
        what: "grep -ri, rare word",
        words: &["grep", "-rin", "ZanziBar", "docs"],
        bars: &RARE,
    },
    Search {
        what: "grep -rE, rare pattern",
        words: &["grep", "-rnE", "needle .* (zan[a-z]+bar|nowhere)", "docs"],
        bars: &RARE,
    },
    Search {
        what: "grep -r, common word",
        words: &["grep", "-rn", COMMON_WORD, "docs"],
        bars: &[COMMON],
    },
    Search {
        what: "grep -rl, common word",
        words: &["grep", "-rl", COMMON_WORD, "docs"],
        bars: &[COMMON],
    },
    Search {
        what: "grep -rc, common word",
        words: &["grep", "-rc", COMMON_WORD, "docs"],
        bars: &[COMMON],
    },
    Search {
        what: "find -name",
        words: &["find", "docs", "-name", "page??77.md"],
        bars: &[Bar::AtMost(5.0)],
    },
];

fn run(bench: &Bench, report: &mut Report) -> Result<()> {
    let explored = Explored::new(bench)?;
    let (mut shell, outside) = (explored.shell(), explored.outside());
    let runs = bench.either(RUNS, RUNS / 2);
    for Search { what, words, bars } in SEARCHES {
        let script: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
        let script = script.join(" ");
        let (mut own, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..bench.rounds() {
            let mut sample = Sample::with_capacity(runs);
            let mut ours = String::new();
            for _ in 0..runs {
                ours = sample.time(|| run_script(&mut shell, &script))?;
            }
            own.push(sample.summary());
            let mut times = Vec::with_capacity(runs);
            for _ in 0..runs {
                let start = clock::now();
                let written = tool::output(words[0], &words[1..], &outside)?;
                times.push(start.elapsed().as_secs_f64() * 1e3);
                ensure!(lines(&ours) == lines(&written), "{words:?} finds something else");
            }
            theirs.push(median(times.into_iter()));
        }
        let own = Summary::of_rounds(&own);
        let what = format!("{what}, {} pages", explored.count);
        report.add_latency(NAME, &what, 0, own);
        let peer = format!("GNU {}", words[0]);
        for bar in bars {
            let row = Row::new(NAME, &what, own.p50 / 1e3, Unit::Milliseconds);
            report.add(row.against(&peer, median(theirs.iter().copied())).bar(*bar));
        }
    }
    Ok(())
}

/// Returns the lines of a text in one order: GNU's tools go through directories in another.
fn lines(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines
}
