//! Every finding of the newest runs, with its bar.

use std::{collections::BTreeSet, fmt::Write};

use anyhow::ensure;

use super::results::{Results, Row, Run};
use super::text::{bar, bold_if, cell, page_of, ratio, value};

/// Scenarios of the bench that are about one thing.
struct Group {
    title: &'static str,
    /// What a reader has to know of its lines.
    note: &'static str,
    scenarios: &'static [&'static str],
}

/// All scenarios, by what they are about.
const GROUPS: &[Group] = &[
    Group {
        title: "The store",
        note: "*By socket* is through another process that owns the store.",
        scenarios: &["write-small", "read-small", "barrier", "open", "socket", "fold"],
    },
    Group {
        title: "The mount",
        note: "As multiples of ext4's time: [mount](mount.md#how-fast-it-is).",
        scenarios: &[
            "mount-change",
            "mount-stat",
            "mount-read",
            "mount-sync",
            "mount-grep",
            "mount-git",
            "mount-remove",
            "mount-stream",
        ],
    },
    Group {
        title: "Sync",
        note: "Files have 1 KiB; *away* is the round trip to the bucket, 12 ms in sync-peers.",
        scenarios: &["sync-commit", "sync-follow", "sync-fresh", "sync-write", "sync-peers"],
    },
    Group {
        title: "Memory",
        note: "Notes have about 145 bytes; a recall has at most 2,000 tokens, and is *uncounted* the \
               first time that its texts are.",
        scenarios: &[
            "memory-remember",
            "memory-search",
            "memory-first",
            "memory-burst",
            "memory-embed",
            "memory-size",
        ],
    },
    Group {
        title: "Shell and sources",
        note: "Over 10,000 Markdown pages, in a kept session; CPU is that of the whole process.",
        scenarios: &[
            "shell-small",
            "shell-grep",
            "shell-worker",
            "chroma-boot",
            "chroma-publish",
            "chroma-read",
        ],
    },
    Group {
        title: "From programs",
        note: "Timed in Python and in Node, where the timer takes a part of each number.",
        scenarios: &["sdk-python", "sdk-aio", "sdk-node"],
    },
];

/// Findings that say the same of homefs: one line of a table.
struct Line<'a> {
    first: &'a Row,
    rows: Vec<&'a Row>,
}

/// Writes what was measured, what misses its bar first.
pub(super) fn make(results: &Results) -> anyhow::Result<String> {
    for scenario in results.scenarios() {
        let is_known = GROUPS.iter().any(|group| group.scenarios.contains(&scenario));
        ensure!(is_known, "{scenario} is in no group: add it to GROUPS");
    }
    let mut text = missed(results);
    for group in GROUPS {
        write_group(&mut text, group, results);
    }
    Ok(text)
}

/// Writes how many bars are met, and every one that is not.
fn missed(results: &Results) -> String {
    let scenarios = GROUPS.iter().flat_map(|group| group.scenarios);
    let newest = scenarios.filter_map(|scenario| results.newest(scenario));
    let barred: Vec<&Row> =
        newest.flat_map(|(_, rows)| rows).filter(|row| row.met.is_some()).collect();
    let missed: Vec<&&Row> = barred.iter().filter(|row| row.is_missed()).collect();
    let met = barred.len() - missed.len();
    let mut text = format!("{met} of {} bars are met; these are missed:\n\n", barred.len());
    text += "| scenario | what | homefs | bar |\n|---|---|---|---|\n";
    for row in missed {
        let measured = match row.peer.as_ref().filter(|_| row.is_barred_by_peer()) {
            Some(peer) => ratio(peer.ratio),
            None => value(row.homefs, &row.unit),
        };
        let bar = bar(row, row.peer_name()).unwrap_or_default();
        // Writing to a string cannot fail, so the results of `writeln!` carry nothing.
        let _ =
            writeln!(text, "| {} | {} | **{measured}** | {bar} |", row.scenario, cell(&row.what));
    }
    text
}

/// Writes the table of one group, with links to the runs that it is from.
fn write_group(text: &mut String, group: &Group, results: &Results) {
    let _ = writeln!(text, "\n### {}\n", group.title);
    let mut runs: Vec<&Run> = Vec::new();
    let mut table = String::new();
    let mut unrecorded = Vec::new();
    for scenario in group.scenarios {
        let Some((run, rows)) = results.newest(scenario) else {
            unrecorded.push(format!("`{scenario}`"));
            continue;
        };
        if !runs.iter().any(|known| known.folder == run.folder) {
            runs.push(run);
        }
        for (at, line) in lines(rows).iter().enumerate() {
            let name = if at == 0 { scenario } else { "" };
            let _ = writeln!(table, "| {name} | {} |", columns(line).join(" | "));
        }
    }
    for run in runs {
        let (date, commit, page) = (&run.date, &run.commit, page_of(run));
        let _ = writeln!(text, "From [the run of {date}](../{page}) at commit `{commit}`.");
    }
    let _ = writeln!(text, "{}", group.note);
    if !unrecorded.is_empty() {
        let _ = writeln!(text, "No run of {} is recorded yet.", unrecorded.join(", "));
    }
    let _ = writeln!(text, "\n| scenario | what | homefs | beside it | bar |");
    let _ = write!(text, "|---|---|---|---|---|\n{table}");
}

/// Puts the findings together that have one value of homefs.
fn lines(rows: Vec<&Row>) -> Vec<Line<'_>> {
    let mut lines: Vec<Line<'_>> = Vec::new();
    for row in rows {
        let same = |line: &&mut Line<'_>| {
            line.first.what == row.what && line.first.homefs.to_bits() == row.homefs.to_bits()
        };
        match lines.iter_mut().find(same) {
            Some(line) if row.peer.is_some() => line.rows.push(row),
            _ => lines.push(Line { first: row, rows: vec![row] }),
        }
    }
    lines
}

/// Returns the columns of a line: what, homefs, the peers, the bars.
fn columns(line: &Line<'_>) -> [String; 4] {
    let (mut peers, mut bars): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let mut is_slow = false;
    let named: BTreeSet<&str> = line.rows.iter().map(|row| row.peer_name()).collect();
    let has_one_peer = named.iter().filter(|name| !name.is_empty()).count() == 1;
    for row in &line.rows {
        let of_peer = row.is_barred_by_peer();
        is_slow |= row.is_missed() && !of_peer;
        if let Some(peer) = &row.peer {
            let fast = bold_if(row.is_missed() && of_peer, ratio(peer.ratio));
            let peer = format!("{} {}: {fast}", peer.name, value(peer.value, &row.unit));
            // A row for each bar names the same peer again.
            if !peers.contains(&peer) {
                peers.push(peer);
            }
        }
        bars.extend(bar(row, if has_one_peer { "" } else { row.peer_name() }));
    }
    let homefs = bold_if(is_slow, value(line.first.homefs, &line.first.unit));
    [cell(&line.first.what), homefs, cell(&peers.join(" · ")), cell(&bars.join(" · "))]
}

#[cfg(test)]
mod tests {
    use super::super::results::tests::{row, run};
    use super::*;

    #[test]
    fn findings_of_one_value_share_a_line_and_what_is_missed_is_bold() {
        let bars = [
            r#""peer":null,"bar":{"at-most":1.0},"met":false"#,
            r#""peer":{"name":"p|q","value":4.0,"ratio":2.0},"bar":{"times-as-fast":3.0},"met":false"#,
            r#""peer":{"name":"r","value":1.0,"ratio":0.5},"bar":null,"met":null"#,
        ];
        let rows: Vec<String> = bars.iter().map(|bar| row("fold", "x", 2.0, bar)).collect();
        let results = Results::of(vec![run("2026-02-01", false, &rows.join(","))]);
        let text = make(&results).unwrap();
        let line =
            r"| fold | x | **2 µs** | p\|q 4 µs: **2 ×** · r 1 µs: 0.500 × | ≤ 1 µs · ≥ 3 × p\|q |";
        assert!(text.contains(line), "{text}");
        assert!(text.starts_with("0 of 2 bars are met"), "{text}");
        assert!(text.contains("No run of `shell-small`, "), "{text}");
    }

    #[test]
    fn a_scenario_without_a_group_is_an_error() {
        let bare = r#""peer":null,"bar":null,"met":null"#;
        let results = Results::of(vec![run("2026-02-01", false, &row("novelty", "x", 1.0, bare))]);
        assert!(make(&results).unwrap_err().to_string().contains("novelty"));
    }
}
