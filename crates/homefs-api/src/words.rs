//! The words under which every face shows what the engine has types for.

pub use homefs_view::unsearched;
use homefs_view::{GrepLine, Grepped, Subject};

/// Returns who is granted something, as it is written on the command line.
pub fn subject(subject: &Subject) -> String {
    match subject {
        Subject::Agent(agent) => agent.to_string(),
        Subject::Group(group) => format!("group:{group}"),
    }
}

/// Says how many files of sources a search by pattern could not read.
pub fn unread(found: &Grepped) -> Option<String> {
    let first = found.first_unread.as_ref()?;
    let files = if found.unread == 1 { "file" } else { "files" };
    Some(format!(
        "not searched: {} {files} of sources that cannot be read, such as {first}",
        found.unread
    ))
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
