//! What was measured in the three places, and how it is told.

use crate::report::{Bar, Report, Row, Unit};
use crate::sample::{Summary, median};

/// What each round measured in each place: ext4, the floor, homefs.
pub(crate) struct Rounds<T>([Vec<T>; 3]);

/// How many times as fast as each peer homefs must be at least.
#[derive(Clone, Copy, Default)]
pub(crate) struct Bars {
    pub(crate) ext4: Option<f64>,
    pub(crate) floor: Option<f64>,
}

const PEERS: [&str; 2] = ["ext4", "FUSE floor"];

impl<T> Default for Rounds<T> {
    fn default() -> Self {
        Self([Vec::new(), Vec::new(), Vec::new()])
    }
}

impl<T> Rounds<T> {
    /// Adds a round.
    pub(crate) fn push(&mut self, round: [T; 3]) {
        for (rounds, measured) in self.0.iter_mut().zip(round) {
            rounds.push(measured);
        }
    }

    /// Takes a part of what was measured.
    pub(crate) fn part<Part>(&self, part: impl Fn(&T) -> Part) -> Rounds<Part> {
        Rounds(self.0.each_ref().map(|rounds| rounds.iter().map(&part).collect()))
    }
}

impl Rounds<Summary> {
    /// Returns the median latency on ext4, in microseconds.
    pub(crate) fn ext4_p50(&self) -> f64 {
        Summary::of_rounds(&self.0[0]).p50
    }

    /// Tells latencies of operations on so many bytes, and compares their medians.
    pub(crate) fn tell_latency(
        &self,
        report: &mut Report,
        (scenario, what, bytes): (&'static str, &str, usize),
        bars: Bars,
    ) {
        let summaries = self.0.each_ref().map(|rounds| Summary::of_rounds(rounds));
        for (place, summary) in PEERS.iter().chain(&["homefs"]).zip(&summaries) {
            report.add_latency(scenario, &format!("{what}, {place}"), bytes, *summary);
        }
        let medians = summaries.map(|summary| summary.p50);
        tell(report, scenario, &format!("{what}, p50"), medians, Unit::Microseconds, bars);
    }
}

impl Rounds<f64> {
    /// Tells and compares times or rates.
    pub(crate) fn tell(
        &self,
        report: &mut Report,
        (scenario, what, unit): (&'static str, &str, Unit),
        bars: Bars,
    ) {
        let medians = self.0.each_ref().map(|rounds| median(rounds.iter().copied()));
        tell(report, scenario, what, medians, unit, bars);
    }
}

fn tell(
    report: &mut Report,
    scenario: &'static str,
    what: &str,
    [ext4, floor, homefs]: [f64; 3],
    unit: Unit,
    bars: Bars,
) {
    for (peer, value, bar) in [(PEERS[0], ext4, bars.ext4), (PEERS[1], floor, bars.floor)] {
        let row = Row::new(scenario, what, homefs, unit).against(peer, value);
        report.add(bar.map(Bar::TimesAsFast).into_iter().fold(row, Row::bar));
    }
}
