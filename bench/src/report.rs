//! What a run found: printed as it comes, then written as JSON, Markdown and a plot.

use std::fmt::Write;
use std::path::Path;

use anyhow::Result;
use serde::Serialize;

use crate::sample::Summary;
use crate::{clock, machine, plot};

/// What a value counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) enum Unit {
    #[serde(rename = "µs")]
    Microseconds,
    #[serde(rename = "ms")]
    Milliseconds,
    #[serde(rename = "s")]
    Seconds,
    #[serde(rename = "per second")]
    PerSecond,
    #[serde(rename = "MB")]
    Megabytes,
    #[serde(rename = "times")]
    Times,
    #[serde(rename = "requests")]
    Requests,
}

impl Unit {
    fn text(self) -> &'static str {
        match self {
            Self::Microseconds => "µs",
            Self::Milliseconds => "ms",
            Self::Seconds => "s",
            Self::PerSecond => "/s",
            Self::Megabytes => "MB",
            Self::Times => "×",
            Self::Requests => "requests",
        }
    }
}

/// What must hold.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Bar {
    /// The value of homefs, in its unit.
    AtMost(f64),
    /// How many times as fast as the peer.
    TimesAsFast(f64),
}

/// One finding.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) scenario: &'static str,
    pub(crate) what: String,
    pub(crate) homefs: f64,
    pub(crate) unit: Unit,
    pub(crate) peer: Option<Peer>,
    pub(crate) bar: Option<Bar>,
    pub(crate) met: Option<bool>,
}

/// What homefs is compared with.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Peer {
    pub(crate) name: String,
    pub(crate) value: f64,
    /// How many times as fast homefs is.
    pub(crate) ratio: f64,
}

/// The latencies of one kind of operation.
#[derive(Clone, Debug, Serialize)]
struct Latency {
    scenario: &'static str,
    what: String,
    bytes: usize,
    #[serde(flatten)]
    summary: Summary,
}

/// All findings of a run.
#[derive(Serialize)]
pub(crate) struct Report {
    date: String,
    machine: String,
    commit: String,
    quick: bool,
    load_before: f64,
    load_after: f64,
    /// Part of every latency.
    timer_nanoseconds: f64,
    rows: Vec<Row>,
    latencies: Vec<Latency>,
}

impl Row {
    /// Begins a finding.
    pub(crate) fn new(scenario: &'static str, what: &str, homefs: f64, unit: Unit) -> Self {
        let what = what.to_owned();
        Self { scenario, what, homefs, unit, peer: None, bar: None, met: None }
    }

    /// Compares with a peer, whose value has the same unit.
    pub(crate) fn against(mut self, name: &str, value: f64) -> Self {
        let more_is_better = self.unit == Unit::PerSecond;
        let ratio = if more_is_better { self.homefs / value } else { value / self.homefs };
        self.peer = Some(Peer { name: name.to_owned(), value, ratio });
        self
    }

    /// Says what must hold.
    pub(crate) fn bar(mut self, bar: Bar) -> Self {
        self.met = match bar {
            Bar::AtMost(most) => Some(self.homefs <= most),
            Bar::TimesAsFast(least) => self.peer.as_ref().map(|peer| peer.ratio >= least),
        };
        self.bar = Some(bar);
        self
    }

    /// Returns the columns of the table, the scenario left out.
    fn columns(&self) -> [String; 6] {
        let unit = self.unit.text();
        let peer = self.peer.as_ref();
        [
            self.what.clone(),
            format!("{} {unit}", short(self.homefs)),
            peer.map_or(String::new(), |peer| {
                format!("{}: {} {unit}", peer.name, short(peer.value))
            }),
            peer.map_or(String::new(), |peer| format!("{} ×", short(peer.ratio))),
            match self.bar {
                None => String::new(),
                Some(Bar::AtMost(most)) => format!("≤ {} {unit}", short(most)),
                Some(Bar::TimesAsFast(least)) => format!("≥ {} × as fast", short(least)),
            },
            self.met.map_or("", |met| if met { "yes" } else { "**no**" }).to_owned(),
        ]
    }
}

impl Report {
    /// Begins an empty one.
    pub(crate) fn start(date: &str, quick: bool) -> Self {
        Self {
            date: date.to_owned(),
            machine: machine::name(),
            commit: machine::commit(),
            quick,
            load_before: machine::load(),
            load_after: f64::NAN,
            timer_nanoseconds: clock::cost_nanoseconds(),
            rows: Vec::new(),
            latencies: Vec::new(),
        }
    }

    /// Adds a finding and prints it.
    pub(crate) fn add(&mut self, row: Row) {
        let [what, homefs, peer, ratio, bar, met] = row.columns();
        println!("  {what:<44} {homefs:>14}  {peer:<48} {ratio:>9}  {bar:<17} {met}");
        self.rows.push(row);
    }

    /// Adds latencies of operations on so many bytes each, and prints them.
    pub(crate) fn add_latency(
        &mut self,
        scenario: &'static str,
        what: &str,
        bytes: usize,
        summary: Summary,
    ) {
        let Summary { count, p50, p99, p999, mean, max } = summary;
        println!(
            "  {what:<44} {count:>7} × p50 {p50:.2} p99 {p99:.2} p99.9 {p999:.2} mean {mean:.2} \
             max {max:.0} µs"
        );
        self.latencies.push(Latency { scenario, what: what.to_owned(), bytes, summary });
    }

    /// Notes how busy the machine was.
    pub(crate) fn finish(&mut self) {
        self.load_after = machine::load();
    }

    /// Writes the result into a folder.
    pub(crate) fn write(&self, folder: &Path) -> Result<()> {
        std::fs::create_dir_all(folder)?;
        std::fs::write(folder.join("results.json"), serde_json::to_string_pretty(self)? + "\n")?;
        std::fs::write(folder.join("README.md"), self.markdown())?;
        std::fs::write(folder.join("plot.svg"), plot::draw(&self.rows))?;
        Ok(())
    }

    fn markdown(&self) -> String {
        let mut text = format!("# Results of {}, {}\n\n", self.date, self.machine);
        let size = if self.quick { "A quick run" } else { "A full run" };
        let command = if self.quick { "cargo xtask bench --quick" } else { "cargo xtask bench" };
        // Writing to a string cannot fail, so the results of `writeln!` carry nothing.
        let _ = writeln!(
            text,
            "{size} of `{command}` at commit `{}`, release build.\n\
             Load of the machine before and after: {:.2} and {:.2}; it is noisy, so trust the \
             ratios more than the times.\n\
             Measuring one operation costs {:.0} ns, which is part of every latency below; nothing \
             is subtracted.\n\
             Homefs and its peers run in turn, in several rounds, on one ext4 disk; a latency is \
             the median of the rounds.\n\
             A ratio says how many times as fast homefs is: below 1 the peer wins.\n",
            self.commit, self.load_before, self.load_after, self.timer_nanoseconds
        );
        text += "![ratios](plot.svg)\n\n## Bars and peers\n\n";
        text += "| scenario | what | homefs | peer | ratio | bar | met? |\n";
        text += "|---|---|---|---|---|---|---|\n";
        for row in &self.rows {
            let _ = writeln!(text, "| {} | {} |", row.scenario, row.columns().join(" | "));
        }
        text += "\n## Latencies\n\nTimes in µs.\n\n";
        text += "| scenario | what | bytes | count | p50 | p99 | p99.9 | mean | max |\n";
        text += "|---|---|---|---|---|---|---|---|---|\n";
        for Latency { scenario, what, bytes, summary } in &self.latencies {
            let Summary { count, p50, p99, p999, mean, max } = summary;
            let _ = writeln!(
                text,
                "| {scenario} | {what} | {bytes} | {count} | {p50:.2} | {p99:.2} | {p999:.2} | \
                 {mean:.2} | {max:.0} |"
            );
        }
        text
    }
}

/// Writes a number with about three digits that matter.
fn short(number: f64) -> String {
    match number.abs() {
        size if size >= 100.0 || number.fract() == 0.0 => format!("{number:.0}"),
        size if size >= 10.0 => format!("{number:.1}"),
        _ => format!("{number:.2}"),
    }
}
