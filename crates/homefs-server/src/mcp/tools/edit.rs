//! Changing places in a text, as the official server does it.

use std::ops::Range;

use homefs_api::Client;
use homefs_core::{Error, ErrorKind, Result, Version};
use homefs_view::WriteOptions;
use schemars::JsonSchema;
use serde::Deserialize;
use similar::TextDiff;

use super::{Answer, Row, arguments, path, read, schema, whole};
use crate::mcp::ToolSet;

pub(super) const EDIT_FILE: Row = Row {
    name: "edit_file",
    title: "Edit File",
    description: "Replace texts in a file, one edit after the other: each oldText where it stands \
                  first. Returns the changes as a diff.",
    set: ToolSet::Files,
    operations: &["stat", "read", "read_link", "write"],
    destroys: true,
    repeats: false,
    input: schema::input::<Given>,
    run: |call, given| edit_file(call.client(), &arguments(given)?),
};

#[derive(Deserialize, JsonSchema)]
struct Given {
    /// From the root of the home
    path: String,
    /// What to replace, one after the other
    edits: Vec<Edit>,
    /// Only show what would change
    #[serde(default, rename = "dryRun")]
    dry_run: bool,
    /// Fail if the file is not at this version
    expected_version: Option<u64>,
}

#[derive(Deserialize, JsonSchema)]
struct Edit {
    /// What to replace, to the letter
    #[serde(rename = "oldText")]
    old: String,
    /// What takes its place
    #[serde(rename = "newText")]
    new: String,
    /// Replace it everywhere, and fail if it does not stand there so many times
    expected_occurrences: Option<usize>,
}

fn edit_file(client: &Client, given: &Given) -> Result<Answer> {
    let place = client.real_path(&path(&given.path)?)?;
    let expected = given.expected_version.map(Version);
    loop {
        let (bytes, version) = whole(client, &place)?;
        let before = read::text(bytes);
        let old = before.replace("\r\n", "\n");
        let edited = given.edits.iter().try_fold(old.clone(), |text, edit| apply(&text, edit))?;
        let answer = Answer::text(fenced(&diff(&old, &edited, place.as_str())));
        if given.dry_run {
            return Ok(answer.at(version));
        }
        // The official server turns every line end into \n; here a text keeps its own.
        let ends_cr = before.contains("\r\n")
            && before.matches('\n').count() == before.matches("\r\n").count();
        let edited = if ends_cr { edited.replace('\n', "\r\n") } else { edited };
        let options = WriteOptions {
            if_version: Some(expected.unwrap_or(version)),
            ..WriteOptions::default()
        };
        match client.write(&place, edited.as_bytes(), &options) {
            // Somebody else wrote it meanwhile; the edit is of what is there now.
            Err(error) if error.kind() == ErrorKind::Conflict && expected.is_none() => {}
            written => return Ok(answer.at(written?)),
        }
    }
}

/// Replaces the first place where the text stands, or lines that differ in blanks alone.
fn apply(text: &str, edit: &Edit) -> Result<String> {
    let (old, new) = (edit.old.replace("\r\n", "\n"), edit.new.replace("\r\n", "\n"));
    if let Some(expected) = edit.expected_occurrences {
        let found = if old.is_empty() { 0 } else { text.matches(&old).count() };
        if found == expected && found > 0 {
            return Ok(text.replace(&old, &new));
        }
        let message = format!("oldText stands there {found} times, not {expected}:\n{}", edit.old);
        return Err(Error::new(ErrorKind::Conflict, message));
    }
    if text.contains(&old) {
        return Ok(text.replacen(&old, &new, 1));
    }
    let (wanted, lines): (Vec<&str>, Vec<&str>) =
        (old.split('\n').collect(), text.split('\n').collect());
    let alike = |window: &[&str]| window.iter().zip(&wanted).all(|(a, b)| a.trim() == b.trim());
    let at = lines.windows(wanted.len()).position(alike).ok_or_else(|| {
        let message = format!("Could not find exact match for edit:\n{}", edit.old);
        Error::new(ErrorKind::Invalid, message)
    })?;
    let indent = blanks(lines[at]);
    let new_lines = new.split('\n').enumerate().map(|(number, line)| {
        if number == 0 {
            return format!("{indent}{}", line.trim_start());
        }
        let (before, after) = (blanks(wanted.get(number).unwrap_or(&"")), blanks(line));
        if before.is_empty() || after.is_empty() {
            return line.to_owned();
        }
        let more = after.len().saturating_sub(before.len());
        format!("{indent}{}{}", " ".repeat(more), line.trim_start())
    });
    let kept = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
    let rest = &lines[at + wanted.len()..];
    Ok([kept(&lines[..at]), new_lines.collect(), kept(rest)].concat().join("\n"))
}

/// Returns the blanks that a line begins with.
fn blanks(line: &str) -> &str {
    &line[..line.len() - line.trim_start().len()]
}

/// Shows how two texts differ, as the package does that the official server uses.
fn diff(old: &str, new: &str, name: &str) -> String {
    let line = "=".repeat(67);
    let mut shown =
        vec![format!("Index: {name}\n{line}\n--- {name}\toriginal\n+++ {name}\tmodified\n")];
    let texts = TextDiff::from_lines(old, new);
    for hunk in texts.unified_diff().context_radius(4).iter_hunks() {
        let (Some(first), Some(last)) = (hunk.ops().first(), hunk.ops().last()) else { continue };
        let span = |from: Range<usize>, to: Range<usize>| {
            let count = to.end - from.start;
            // Nothing stands after the line before.
            format!("{},{count}", if count == 0 { from.start } else { from.start + 1 })
        };
        let old = span(first.old_range(), last.old_range());
        let new = span(first.new_range(), last.new_range());
        shown.push(format!("@@ -{old} +{new} @@\n"));
        for change in hunk.iter_changes() {
            shown.push(format!("{}{}", change.tag(), change.value()));
            if change.missing_newline() {
                shown.push("\n\\ No newline at end of file\n".into());
            }
        }
    }
    shown.concat()
}

/// Puts a diff into a block of code, with more backquotes than it has itself.
fn fenced(diff: &str) -> String {
    let mut fence = String::from("```");
    while diff.contains(&fence) {
        fence.push('`');
    }
    format!("{fence}diff\n{diff}{fence}\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edited(text: &str, old: &str, new: &str) -> Option<String> {
        apply(text, &Edit { old: old.into(), new: new.into(), expected_occurrences: None }).ok()
    }

    #[test]
    fn a_text_is_replaced_everywhere_if_it_stands_there_as_often_as_expected() {
        for (text, old, expected_occurrences, expected) in [
            ("a b a", "a", 2, Some("x b x")),
            ("a\r\na\r\n".replace("\r\n", "\n").as_str(), "a\r\n", 2, Some("xx")),
            ("a b a", "a", 1, None),
            ("a b a", "c", 0, None),
            ("abc", "", 4, None),
        ] {
            let expected_occurrences = Some(expected_occurrences);
            let edit = Edit { old: old.into(), new: "x".into(), expected_occurrences };
            assert_eq!(apply(text, &edit).ok().as_deref(), expected, "{text:?} {old:?}");
        }
    }

    #[test]
    fn an_exact_text_is_replaced_once_and_else_lines_that_differ_in_blanks() {
        for (text, old, new, expected) in [
            ("a b a", "a", "x", Some("x b a")),
            ("a\n", "a\r\n", "b\r\n", Some("b\n")),
            ("  if x:\n    y\n", "if x:\n  y", "if z:\n  y\n  w", Some("  if z:\n  y\n  w\n")),
            ("\tone\n", "one ", "two", Some("\ttwo\n")),
            ("one\n", "three", "two", None),
            ("one", "one\ntwo", "x", None),
            ("", "", "x", Some("x")),
        ] {
            assert_eq!(edited(text, old, new).as_deref(), expected, "{text:?} {old:?}");
        }
    }

    #[test]
    fn a_diff_is_fenced_by_more_than_it_contains() {
        let shown = fenced(&diff("a\n", "```\n", "/x"));
        let expected = format!(
            "````diff\nIndex: /x\n{}\n--- /x\toriginal\n+++ /x\tmodified\n@@ -1,1 +1,1 @@\n-a\n+```\n````\n\n",
            "=".repeat(67)
        );
        assert_eq!(shown, expected);
    }
}
