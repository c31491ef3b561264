//! How long calls of a mount take, as multiples of ext4's time.

use std::fmt::Write;

use anyhow::Context;

use super::results::{Bar, Results};
use super::text::{bold_if, cell, page_of, ratio, value};

/// What is compared: the scenarios, the ones with few requests first.
const SCENARIOS: &[&str] = &[
    "mount-stat",
    "mount-read",
    "mount-grep",
    "mount-git",
    "mount-change",
    "mount-remove",
    "mount-sync",
    "mount-stream",
];

/// The two peers of a mount, as the bench names them.
const HOST: &str = "ext4";
const FLOOR: &str = "FUSE floor";

/// Writes the table.
pub(super) fn make(results: &Results) -> anyhow::Result<String> {
    let mut text = "| what | homefs | × ext4 | the floor, × ext4 | bar |\n".to_owned();
    text += "|---|---|---|---|---|\n";
    let mut pages: Vec<String> = Vec::new();
    for scenario in SCENARIOS {
        let (run, rows) = results.newest(scenario).context(format!("no run has {scenario}"))?;
        let page = page_of(run);
        if !pages.contains(&page) {
            pages.push(page);
        }
        for row in rows.iter().filter(|row| row.peer.as_ref().is_some_and(|p| p.name == HOST)) {
            let (_, host, against_host) = results.against(scenario, &row.what, HOST)?;
            let (_, floor, against_floor) = results.against(scenario, &row.what, FLOOR)?;
            let missed = [host, floor].iter().any(|row| row.is_missed());
            // A ratio says how many times as fast homefs is; its inverse, how many times as long
            // it takes, for rates too.
            let takes = bold_if(missed, ratio(1.0 / against_host.ratio));
            let floor_takes = ratio(against_floor.ratio / against_host.ratio);
            let bars: Vec<String> = [(host, HOST), (floor, "the floor")]
                .into_iter()
                .filter_map(|(row, name)| match row.bar? {
                    Bar::TimesAsFast(least) => Some(format!("≤ {} {name}", ratio(1.0 / least))),
                    Bar::AtMost(most) => Some(format!("≤ {}", value(most, &row.unit))),
                })
                .collect();
            // Writing to a string cannot fail, so the result carries nothing.
            let _ = writeln!(
                text,
                "| {} | {} | {takes} | {floor_takes} | {} |",
                cell(&row.what),
                value(row.homefs, &row.unit),
                bars.join(", ")
            );
        }
    }
    let links: Vec<String> =
        pages.iter().map(|page| format!("[the recorded run](../{page})")).collect();
    let _ = writeln!(text, "\nFrom {}; **bold** misses its bar.", links.join(", "));
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::super::results::tests::{row, run};
    use super::*;

    #[test]
    fn a_time_is_a_multiple_of_that_of_the_host() {
        let rows: Vec<String> = SCENARIOS
            .iter()
            .flat_map(|scenario| {
                let host = r#""peer":{"name":"ext4","value":4.0,"ratio":0.5},"bar":{"times-as-fast":1.0},"met":false"#;
                let floor = r#""peer":{"name":"FUSE floor","value":6.0,"ratio":0.75},"bar":null,"met":null"#;
                [row(scenario, "x", 8.0, host), row(scenario, "x", 8.0, floor)]
            })
            .collect();
        let results = Results::of(vec![run("2026-02-01", false, &rows.join(","))]);
        let text = make(&results).unwrap();
        assert!(text.contains("| x | 8 µs | **2 ×** | 1.50 × | ≤ 1 × ext4 |"), "{text}");
    }
}
