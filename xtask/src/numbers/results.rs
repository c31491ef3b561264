//! What `cargo xtask bench` recorded, as far as pages show it.

use std::path::Path;

use anyhow::Context;
use serde::Deserialize;

/// All recorded runs.
pub(super) struct Results(Vec<Run>);

/// One recorded run.
#[derive(Deserialize)]
pub(super) struct Run {
    /// The name of its folder.
    #[serde(skip)]
    pub(super) folder: String,
    pub(super) date: String,
    pub(super) commit: String,
    quick: bool,
    rows: Vec<Row>,
}

/// One finding of a run.
#[derive(Deserialize)]
pub(super) struct Row {
    pub(super) scenario: String,
    pub(super) what: String,
    pub(super) homefs: f64,
    pub(super) unit: String,
    pub(super) peer: Option<Peer>,
    pub(super) bar: Option<Bar>,
    pub(super) met: Option<bool>,
}

/// What homefs was compared with.
#[derive(Deserialize)]
pub(super) struct Peer {
    pub(super) name: String,
    pub(super) value: f64,
    /// How many times as fast homefs is.
    pub(super) ratio: f64,
}

/// What must hold.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Bar {
    /// The value of homefs, in its unit.
    AtMost(f64),
    /// How many times as fast as the peer.
    TimesAsFast(f64),
}

impl Row {
    /// Tells whether it misses its bar.
    pub(super) fn is_missed(&self) -> bool {
        self.met == Some(false)
    }

    /// Returns the name of what it is compared with, or nothing.
    pub(super) fn peer_name(&self) -> &str {
        self.peer.as_ref().map_or("", |peer| &peer.name)
    }

    /// Tells whether its bar is about the peer, and not about homefs alone.
    pub(super) fn is_barred_by_peer(&self) -> bool {
        matches!(self.bar, Some(Bar::TimesAsFast(_)))
    }
}

impl Results {
    /// Reads every run below a folder; quick ones count for nothing.
    pub(super) fn read(folder: &Path) -> anyhow::Result<Self> {
        let mut runs = Vec::new();
        let folder = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
        for entry in folder {
            let entry = entry?;
            let path = entry.path().join("results.json");
            let text = std::fs::read_to_string(&path)
                .with_context(|| format!("read {}", path.display()))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            runs.push(Run::of(name, &text).with_context(|| format!("read {}", path.display()))?);
        }
        Ok(Self::of(runs))
    }

    /// Orders runs, the oldest first.
    pub(super) fn of(mut runs: Vec<Run>) -> Self {
        runs.retain(|run| !run.quick);
        runs.sort_by(|a, b| (&a.date, &a.folder).cmp(&(&b.date, &b.folder)));
        Self(runs)
    }

    /// Returns the newest run of a scenario, and what it found.
    pub(super) fn newest(&self, scenario: &str) -> Option<(&Run, Vec<&Row>)> {
        let found = |run: &Run| run.rows.iter().any(|row| row.scenario == scenario);
        let run = self.0.iter().rev().find(|run| found(run))?;
        Some((run, run.rows.iter().filter(|row| row.scenario == scenario).collect()))
    }

    /// Returns the newest finding with these words, against this peer.
    pub(super) fn against(
        &self,
        scenario: &str,
        what: &str,
        peer: &str,
    ) -> anyhow::Result<(&Run, &Row, &Peer)> {
        let (run, rows) = self.newest(scenario).context(format!("no run has {scenario}"))?;
        let found = rows.into_iter().filter(|row| row.what == what).find_map(|row| {
            let against = row.peer.as_ref().filter(|against| against.name == peer)?;
            Some((run, row, against))
        });
        found.with_context(|| format!("{scenario} has no `{what}` against `{peer}`"))
    }

    /// Returns the names of all scenarios that were run.
    pub(super) fn scenarios(&self) -> impl Iterator<Item = &str> {
        self.0.iter().flat_map(|run| &run.rows).map(|row| row.scenario.as_str())
    }
}

impl Run {
    /// Reads a run from its JSON.
    pub(super) fn of(folder: String, json: &str) -> anyhow::Result<Self> {
        Ok(Self { folder, ..serde_json::from_str(json)? })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Makes a run with these rows, in JSON.
    pub(in super::super) fn run(date: &str, quick: bool, rows: &str) -> Run {
        let json = format!(r#"{{"date":"{date}","commit":"c","quick":{quick},"rows":[{rows}]}}"#);
        Run::of(format!("{date}-x"), &json).unwrap()
    }

    /// Makes a row in JSON; `rest` has its peer, its bar and whether that is met.
    pub(in super::super) fn row(scenario: &str, what: &str, homefs: f64, rest: &str) -> String {
        format!(
            r#"{{"scenario":"{scenario}","what":"{what}","homefs":{homefs},"unit":"µs",{rest}}}"#
        )
    }

    const BARE: &str = r#""peer":null,"bar":null,"met":null"#;

    #[test]
    fn the_newest_run_counts_and_a_quick_one_does_not() {
        let results = Results::of(vec![
            run("2026-02-01", false, &row("a", "y", 2.0, BARE)),
            run("2026-03-01", true, &row("a", "x", 3.0, BARE)),
            run("2026-01-01", false, &row("a", "x", 1.0, BARE)),
        ]);
        let (run, rows) = results.newest("a").unwrap();
        assert_eq!((run.date.as_str(), rows[0].what.as_str()), ("2026-02-01", "y"));
        assert!(results.newest("b").is_none());
    }

    #[test]
    fn a_peer_that_was_not_measured_is_an_error() {
        let peer = r#""peer":{"name":"p","value":4.0,"ratio":2.0},"bar":null,"met":null"#;
        let results = Results::of(vec![run("2026-02-01", false, &row("a", "x", 2.0, peer))]);
        assert_eq!(results.against("a", "x", "p").unwrap().2.name, "p");
        let error = results.against("a", "x", "q").err().unwrap().to_string();
        assert_eq!(error, "a has no `x` against `q`");
    }
}
