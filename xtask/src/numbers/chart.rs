//! The chart of the front page: what agents do most, beside what else they could use.

use std::fmt::Write;

use super::results::Results;
use super::text::{bold_if, page_of, ratio, value};

/// A line of the chart: what is done, the scenario and its words for it, and each peer by its name
/// there and here.
struct Line {
    label: &'static str,
    scenario: &'static str,
    what: &'static str,
    peers: &'static [(&'static str, &'static str)],
}

/// The lines: where homefs loses, too.
const LINES: &[Line] = &[
    Line {
        label: "write 1 KiB, safe from `kill -9`",
        scenario: "write-small",
        what: "write 1 KiB, new path, p50",
        peers: &[
            ("SQLite (WAL, NORMAL)", "SQLite"),
            ("LMDB (no sync)", "LMDB"),
            ("ext4 file (no sync)", "file on ext4"),
        ],
    },
    Line {
        label: "read 1 KiB",
        scenario: "read-small",
        what: "read 1 KiB, warm, p50",
        peers: &[
            ("SQLite (WAL, NORMAL)", "SQLite"),
            ("LMDB (no sync)", "LMDB"),
            ("ext4 file (no sync)", "file on ext4"),
        ],
    },
    Line {
        label: "recall: search 1,000 notes by meaning",
        scenario: "memory-search",
        what: "search, encoder, 1000 notes, p50",
        peers: &[("chromadb PersistentClient, vector given, 1000 notes", "chromadb, vector given")],
    },
    Line {
        label: "the same of 100,000",
        scenario: "memory-search",
        what: "search, encoder, 100000 notes, p50",
        peers: &[(
            "chromadb PersistentClient, vector given, 100000 notes",
            "chromadb, vector given",
        )],
    },
    Line {
        label: "`grep -r`, 10,000 pages, rare word",
        scenario: "shell-grep",
        what: "grep -r, rare word, 10000 pages",
        peers: &[("GNU grep", "GNU grep")],
    },
    Line {
        label: "the same, common word",
        scenario: "shell-grep",
        what: "grep -r, common word, 10000 pages",
        peers: &[("GNU grep", "GNU grep")],
    },
    Line {
        label: "mount: `git status`, 10,000 files",
        scenario: "mount-git",
        what: "git status in 10000 files, warm",
        peers: &[("ext4", "ext4")],
    },
    Line {
        label: "mount: rename",
        scenario: "mount-change",
        what: "rename, p50",
        peers: &[("ext4", "ext4")],
    },
    Line {
        label: "mount: write 1 GiB",
        scenario: "mount-stream",
        what: "write 1024 MiB by 128 KiB",
        peers: &[("ext4", "ext4")],
    },
];

/// Draws the chart.
pub(super) fn make(results: &Results) -> anyhow::Result<String> {
    let mut text = "| | homefs | beside it | times as fast |\n|---|---|---|---|\n".to_owned();
    let mut runs: Vec<String> = Vec::new();
    for line in LINES {
        for (at, (peer, name)) in line.peers.iter().enumerate() {
            let (run, row, peer) = results.against(line.scenario, line.what, peer)?;
            let first = at == 0;
            let label = if first { line.label } else { "" };
            let homefs = if first { value(row.homefs, &row.unit) } else { String::new() };
            let fast = bold_if(row.is_missed(), ratio(peer.ratio));
            let drawn = drawn(peer.ratio);
            // Writing to a string cannot fail, so the result carries nothing.
            let _ = writeln!(
                text,
                "| {label} | {homefs} | {name} {} | {drawn}{fast} |",
                value(peer.value, &row.unit)
            );
            let page = page_of(run);
            if !runs.contains(&page) {
                runs.push(page);
            }
        }
    }
    let links: Vec<String> =
        runs.iter().enumerate().map(|(at, page)| format!("[{}]({page})", at + 1)).collect();
    let _ = writeln!(
        text,
        "\n■ is twice as fast, □ half as fast, **bold** misses its bar; from the recorded runs {}.",
        links.join(", ")
    );
    Ok(text)
}

/// Draws a ratio: a sign for each doubling or halving.
fn drawn(ratio: f64) -> String {
    let steps = ratio.log2().round();
    let sign = if steps < 0.0 { "□" } else { "■" };
    let mut signs: String =
        (1..).take_while(|at| f64::from(*at) <= steps.abs()).map(|_| sign).collect();
    if !signs.is_empty() {
        signs.push(' ');
    }
    signs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_stands_for_each_doubling_or_halving() {
        for (ratio, expected) in
            [(242.2, "■■■■■■■■ "), (2.53, "■ "), (1.1, ""), (0.8, ""), (0.4, "□ "), (0.05, "□□□□ ")]
        {
            assert_eq!(drawn(ratio), expected, "{ratio}");
        }
    }
}
