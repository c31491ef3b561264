//! The words under which every face shows what the engine has types for.

use homefs_engine::{Action, GrepLine, Kind, Right, SourceChangeKind, Special, Subject};

/// Returns what a node is.
pub fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::File => "file",
        Kind::Directory => "directory",
        Kind::Link => "link",
        Kind::Special(Special::Fifo) => "pipe",
        Kind::Special(Special::Socket) => "socket",
        Kind::Special(Special::Character(_)) => "character device",
        Kind::Special(Special::Block(_)) => "block device",
    }
}

/// Returns what happened to a node.
pub fn action(action: Action) -> &'static str {
    match action {
        Action::Changed => "changed",
        Action::Removed => "removed",
    }
}

/// Returns a right as it is written on the command line.
pub fn right(right: Right) -> &'static str {
    match right {
        Right::Read => "read",
        Right::Write => "write",
        Right::Manage => "manage",
    }
}

/// Returns who is granted something, as it is written on the command line.
pub fn subject(subject: &Subject) -> String {
    match subject {
        Subject::Agent(agent) => agent.to_string(),
        Subject::Group(group) => format!("group:{group}"),
    }
}

/// Returns what was done over a source.
pub fn source_change(change: SourceChangeKind) -> &'static str {
    match change {
        SourceChangeKind::Added => "added",
        SourceChangeKind::Changed => "changed",
        SourceChangeKind::Removed => "removed",
    }
}

/// Returns lines that were found as `grep` shows them, with those around each.
pub fn grep_lines(found: &[GrepLine]) -> String {
    let shown = |GrepLine { path, line, text, before, after }: &GrepLine| {
        let around = |from: u64, lines: &[String]| {
            let lines = (from..).zip(lines).map(|(number, text)| format!("{path}-{number}-{text}"));
            lines.collect::<Vec<_>>()
        };
        let (first, next) = (line.saturating_sub(before.len() as u64), line + 1);
        [around(first, before), vec![format!("{path}:{line}:{text}")], around(next, after)]
            .concat()
            .join("\n")
    };
    let has_more = found.iter().any(|line| !line.before.is_empty() || !line.after.is_empty());
    let between = if has_more { "\n--\n" } else { "\n" };
    found.iter().map(shown).collect::<Vec<_>>().join(between)
}
