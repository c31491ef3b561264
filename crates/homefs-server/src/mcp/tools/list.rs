//! Looking around: directories, trees, patterns, and what is known of a node.

mod walk;

use homefs_api::{Client, pages};
use homefs_core::{Error, ErrorKind, Path, Result, Timestamp};
use homefs_view::{Entry, Glob, Kind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::read::PathArgument;
use super::{Answer, Row, arguments, path, schema};
use crate::mcp::ToolSet;
use crate::mcp::call::Call;
use walk::{Excluded, walk};

pub(super) const LIST_DIRECTORY: Row = Row {
    name: "list_directory",
    title: "List Directory",
    description: "List a directory; lines begin with [FILE] or [DIR].",
    set: ToolSet::Files,
    operations: &["list", "refresh_source"],
    destroys: false,
    repeats: true,
    input: schema::input::<Listed>,
    run: |call, given| {
        let given: Listed = arguments(given)?;
        if given.refresh {
            refresh(call.client(), &path(&given.path)?)?;
        }
        let entries = children(call, &path(&given.path)?)?;
        let lines: Vec<String> =
            entries.iter().map(|entry| format!("{} {}", label(entry), entry.name)).collect();
        Ok(Answer::text(lines.join("\n")).or(FEWER))
    },
};

pub(super) const LIST_DIRECTORY_WITH_SIZES: Row = Row {
    name: "list_directory_with_sizes",
    title: "List Directory with Sizes",
    description: "List a directory with the sizes of files.",
    set: ToolSet::Files,
    operations: &["list"],
    destroys: false,
    repeats: true,
    input: schema::input::<Sized>,
    run: |call, given| list_sized(call, &arguments(given)?),
};

pub(super) const DIRECTORY_TREE: Row = Row {
    name: "directory_tree",
    title: "Directory Tree",
    description: "Show everything below a directory as JSON: name, type (file or directory) and \
                  children.",
    set: ToolSet::Files,
    operations: &["list"],
    destroys: false,
    repeats: true,
    input: schema::input::<Tree>,
    run: |call, given| tree(call, &arguments(given)?),
};

pub(super) const SEARCH_FILES: Row = Row {
    name: "search_files",
    title: "Search Files",
    description: "Find files and directories by a pattern of their paths: '*.md' in the directory \
                  itself, '**/*.md' below it too. What files say is found by grep.",
    set: ToolSet::Files,
    operations: &["list"],
    destroys: false,
    repeats: true,
    input: schema::input::<SearchArguments>,
    run: |call, given| search(call, &arguments(given)?),
};

pub(super) const GET_FILE_INFO: Row = Row {
    name: "get_file_info",
    title: "Get File Info",
    description: "Tell size, times, permissions, type and version of a file or directory.",
    set: ToolSet::Files,
    operations: &["stat", "read_link"],
    destroys: false,
    repeats: true,
    input: schema::input::<PathArgument>,
    run: |call, given| {
        let given: PathArgument = arguments(given)?;
        info(call.client(), &path(&given.path)?)
    },
};

pub(super) const LIST_ALLOWED_DIRECTORIES: Row = Row {
    name: "list_allowed_directories",
    title: "List Allowed Directories",
    description: "Tell which directories can be reached: the whole home.",
    set: ToolSet::Files,
    operations: &[],
    destroys: false,
    repeats: true,
    input: schema::input::<Nothing>,
    run: |_, _| Ok(Answer::text("Allowed directories:\n/".into())),
};

/// How to see fewer entries of a directory.
const FEWER: &str = "find those that matter with search_files and a pattern";

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

#[derive(Deserialize, JsonSchema)]
struct Listed {
    /// From the root of the home
    path: String,
    /// Look first at what is attached there for changes
    #[serde(default)]
    refresh: bool,
}

#[derive(Deserialize, JsonSchema)]
struct Sized {
    /// From the root of the home
    path: String,
    #[serde(default, rename = "sortBy")]
    sort_by: SortBy,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum SortBy {
    #[default]
    Name,
    Size,
}

#[derive(Deserialize, JsonSchema)]
struct Tree {
    /// From the root of the home
    path: String,
    /// Patterns of what to leave out
    #[serde(default, rename = "excludePatterns")]
    exclude: Vec<String>,
}

#[derive(Deserialize, JsonSchema)]
struct SearchArguments {
    /// From the root of the home
    path: String,
    /// What relative paths must match
    pattern: String,
    /// Patterns of what to leave out
    #[serde(default, rename = "excludePatterns")]
    exclude: Vec<String>,
}

/// One line of a tree, as the official server writes it.
#[derive(Serialize)]
struct Branch {
    name: Box<str>,
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    children: Option<Vec<Self>>,
}

/// Lists a whole directory.
fn children(call: &Call, path: &Path) -> Result<Vec<Entry>> {
    pages::all(|after| {
        if call.is_cancelled() {
            return Err(Error::new(ErrorKind::Unavailable, "nobody waits for it any more"));
        }
        call.client().list(path, after, pages::LIMIT)
    })
}

/// Looks for what has changed at the source that shows a path, if one does.
fn refresh(client: &Client, path: &Path) -> Result<()> {
    let sources = client.sources()?;
    match sources.iter().find(|source| path.starts_with(&source.path)) {
        Some(source) => client.refresh_source(&source.path),
        None => Ok(()),
    }
}

fn label(entry: &Entry) -> &'static str {
    if entry.stat.kind == Kind::Directory { "[DIR]" } else { "[FILE]" }
}

fn list_sized(call: &Call, given: &Sized) -> Result<Answer> {
    let mut entries = children(call, &path(&given.path)?)?;
    match given.sort_by {
        SortBy::Name => entries.sort_by_key(|entry| as_people_sort(&entry.name)),
        SortBy::Size => entries.sort_by_key(|entry| std::cmp::Reverse(entry.stat.size)),
    }
    let mut lines: Vec<String> = entries
        .iter()
        .map(|entry| {
            let directory = entry.stat.kind == Kind::Directory;
            let size =
                if directory { String::new() } else { format!("{:>10}", size(entry.stat.size)) };
            format!("{} {:<30} {size}", label(entry), entry.name)
        })
        .collect();
    let files: Vec<u64> = entries
        .iter()
        .filter(|entry| entry.stat.kind != Kind::Directory)
        .map(|entry| entry.stat.size)
        .collect();
    lines.push(String::new());
    let directories = entries.len() - files.len();
    lines.push(format!("Total: {} files, {directories} directories", files.len()));
    lines.push(format!("Combined size: {}", size(files.iter().sum())));
    Ok(Answer::text(lines.join("\n")).or(FEWER))
}

/// Returns what sorts names as people do: signs, digits, letters, whatever their case.
fn as_people_sort(name: &str) -> (Vec<(u8, char)>, String) {
    let rank = |letter: char| match letter {
        letter if letter.is_alphabetic() => 2,
        letter if letter.is_numeric() => 1,
        _ => 0,
    };
    let letters = name.chars().flat_map(char::to_lowercase).map(|letter| (rank(letter), letter));
    // Of two that differ in case alone, the small one comes first.
    let swapped = name.chars().map(|letter| {
        if letter.is_lowercase() {
            letter.to_ascii_uppercase()
        } else {
            letter.to_ascii_lowercase()
        }
    });
    (letters.collect(), swapped.collect())
}

/// Writes a size as the official server does.
#[expect(clippy::cast_precision_loss, reason = "two decimals are shown")]
fn size(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KB", "MB", "GB", "TB"];
    let power = (bytes.checked_ilog2().unwrap_or(0) / 10).min(4);
    let unit = UNITS[power as usize];
    if power == 0 {
        return format!("{bytes} {unit}");
    }
    format!("{:.2} {unit}", bytes as f64 / (1_u64 << (10 * power)) as f64)
}

fn tree(call: &Call, given: &Tree) -> Result<Answer> {
    let root = path(&given.path)?;
    let excluded = Excluded::by_name_or_pattern(&given.exclude)?;
    let mut open: Vec<(Path, Vec<Branch>)> = vec![(root.clone(), Vec::new())];
    walk(call, &root, &excluded, |at, entry| {
        let parent = at.parent().unwrap_or_else(Path::root);
        close(&mut open, &parent);
        let directory = entry.stat.kind == Kind::Directory;
        let kind = if directory { "directory" } else { "file" };
        let branch = Branch { name: entry.name.clone(), kind, children: directory.then(Vec::new) };
        if let Some((_, branches)) = open.last_mut() {
            branches.push(branch);
        }
        if directory {
            open.push((at.clone(), Vec::new()));
        }
    })?;
    close(&mut open, &root);
    let branches = open.pop().map_or(Vec::new(), |(_, branches)| branches);
    let text = serde_json::to_string_pretty(&branches)
        .map_err(|error| Error::new(ErrorKind::Internal, format!("cannot be shown: {error}")))?;
    Ok(Answer::text(text).or("name a directory below, or leave some out by excludePatterns"))
}

/// Puts the directories that are done into those that they are in.
fn close(open: &mut Vec<(Path, Vec<Branch>)>, until: &Path) {
    while open.last().is_some_and(|(path, _)| path != until) && open.len() > 1 {
        let done = open.pop().map(|(_, branches)| branches);
        if let Some(branch) = open.last_mut().and_then(|(_, branches)| branches.last_mut()) {
            branch.children = done;
        }
    }
}

fn search(call: &Call, given: &SearchArguments) -> Result<Answer> {
    let root = path(&given.path)?;
    let (excluded, wanted) = (Excluded::by_pattern(&given.exclude)?, Glob::new(&given.pattern)?);
    let mut found = Vec::new();
    walk(call, &root, &excluded, |at, _| {
        if wanted.matches(walk::below(at, &root)) {
            found.push(at.to_string());
        }
    })?;
    let text = if found.is_empty() { "No matches found".into() } else { found.join("\n") };
    Ok(Answer::text(text).or("narrow path or pattern"))
}

fn info(client: &Client, place: &Path) -> Result<Answer> {
    let real = client.real_path(place)?;
    let stat = client.stat(&real)?;
    let text = format!(
        "size: {}\ncreated: {}\nmodified: {}\naccessed: {}\nisDirectory: {}\nisFile: {}\n\
         permissions: {:03o}\nversion: {}",
        stat.size,
        date(stat.created),
        date(stat.modified),
        date(stat.accessed),
        stat.kind == Kind::Directory,
        stat.kind == Kind::File,
        stat.mode & 0o777,
        stat.version
    );
    Ok(Answer::text(text).at(stat.version))
}

/// Writes a time as JavaScript does, in UTC.
fn date(time: Timestamp) -> String {
    let time = jiff::Timestamp::from_nanosecond(time.0.into()).unwrap_or_default();
    time.strftime("%a %b %d %Y %H:%M:%S GMT+0000 (Coordinated Universal Time)").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_dates_read_as_in_the_official_server() {
        for (bytes, expected) in [
            (0, "0 B"),
            (1023, "1023 B"),
            (1024, "1.00 KB"),
            (1536, "1.50 KB"),
            (5 << 50, "5120.00 TB"),
        ] {
            assert_eq!(size(bytes), expected);
        }
        let expected = "Thu Jan 01 1970 00:00:01 GMT+0000 (Coordinated Universal Time)";
        assert_eq!(date(Timestamp(1_000_000_000)), expected);
    }

    #[test]
    fn names_sort_whatever_their_case() {
        let mut names = vec!["b", "B", "a10", "_x", "Z", "1", "a", ".git"];
        names.sort_by_key(|name| as_people_sort(name));
        assert_eq!(names, [".git", "_x", "1", "a", "a10", "b", "B", "Z"]);
    }
}
