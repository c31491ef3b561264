//! Looking around: directories, trees, patterns, and what is known of a node.

mod walk;

use homefs_api::{Client, json, pages};
use homefs_core::{Error, ErrorKind, Path, Result, Timestamp};
use homefs_engine::{Entry, Glob, Kind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::read::Place;
use super::{Answer, Row, arguments, path, schema};
use crate::mcp::call::Call;
use walk::{Excluded, walk};

pub(super) const LIST_DIRECTORY: Row = Row {
    name: "list_directory",
    title: "List Directory",
    description: "Get a detailed listing of all files and directories in a specified path. \
                  Results clearly distinguish between files and directories with [FILE] and [DIR] \
                  prefixes.",
    operations: &["list"],
    destroys: false,
    repeats: true,
    input: schema::input::<Place>,
    output: schema::text,
    run: |call, given| {
        let given: Place = arguments(given)?;
        let entries = children(call, &path(&given.path)?)?;
        let lines: Vec<String> =
            entries.iter().map(|entry| format!("{} {}", label(entry), entry.name)).collect();
        Ok(Answer::text(lines.join("\n")))
    },
};

pub(super) const LIST_DIRECTORY_WITH_SIZES: Row = Row {
    name: "list_directory_with_sizes",
    title: "List Directory with Sizes",
    description: "Get a detailed listing of all files and directories in a specified path, \
                  including sizes. Results clearly distinguish between files and directories with \
                  [FILE] and [DIR] prefixes.",
    operations: &["list"],
    destroys: false,
    repeats: true,
    input: schema::input::<Sized>,
    output: schema::text,
    run: |call, given| list_sized(call, &arguments(given)?),
};

pub(super) const DIRECTORY_TREE: Row = Row {
    name: "directory_tree",
    title: "Directory Tree",
    description: "Get a recursive tree view of files and directories as a JSON structure. Each \
                  entry includes 'name', 'type' (file/directory), and 'children' for directories. \
                  Files have no children array, while directories always have a children array \
                  (which may be empty). The output is formatted with 2-space indentation for \
                  readability.",
    operations: &["list"],
    destroys: false,
    repeats: true,
    input: schema::input::<Tree>,
    output: schema::text,
    run: |call, given| tree(call, &arguments(given)?),
};

pub(super) const SEARCH_FILES: Row = Row {
    name: "search_files",
    title: "Search Files",
    description: "Recursively search for files and directories matching a pattern. The patterns \
                  should be glob-style patterns that match paths relative to the given path. Use \
                  pattern like '*.ext' to match files in the directory itself, and '**/*.ext' to \
                  match files in all subdirectories. Returns full paths to all matching items. To \
                  search contents, use grep, or search and recall for memories.",
    operations: &["list"],
    destroys: false,
    repeats: true,
    input: schema::input::<Wanted>,
    output: schema::text,
    run: |call, given| search(call, &arguments(given)?),
};

pub(super) const GET_FILE_INFO: Row = Row {
    name: "get_file_info",
    title: "Get File Info",
    description: "Retrieve detailed metadata about a file or directory. Returns comprehensive \
                  information including size, creation time, last modified time, permissions, and \
                  type, and the version that expected_version takes.",
    operations: &["stat", "read_link"],
    destroys: false,
    repeats: true,
    input: schema::input::<Place>,
    output: schema::versioned,
    run: |call, given| {
        let given: Place = arguments(given)?;
        info(call.client(), &path(&given.path)?)
    },
};

pub(super) const LIST_ALLOWED_DIRECTORIES: Row = Row {
    name: "list_allowed_directories",
    title: "List Allowed Directories",
    description: "Returns the list of directories that this server is allowed to access: the home \
                  as a whole.",
    operations: &[],
    destroys: false,
    repeats: true,
    input: schema::input::<Nothing>,
    output: schema::text,
    run: |_, _| Ok(Answer::text("Allowed directories:\n/".into())),
};

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

#[derive(Deserialize, JsonSchema)]
struct Sized {
    /// Path from the root of the home
    path: String,
    /// Sort entries by name or size
    #[serde(default, rename = "sortBy", alias = "sort_by")]
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
    /// Path from the root of the home
    path: String,
    /// Patterns of what to leave out
    #[serde(default, rename = "excludePatterns", alias = "exclude_patterns")]
    exclude: Vec<String>,
}

#[derive(Deserialize, JsonSchema)]
struct Wanted {
    /// Path from the root of the home
    path: String,
    /// What relative paths must match
    pattern: String,
    /// Patterns of what to leave out
    #[serde(default, rename = "excludePatterns", alias = "exclude_patterns")]
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
    Ok(Answer::text(lines.join("\n")))
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
    Ok(Answer::text(text))
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

fn search(call: &Call, given: &Wanted) -> Result<Answer> {
    let root = path(&given.path)?;
    let (excluded, wanted) = (Excluded::by_pattern(&given.exclude)?, Glob::new(&given.pattern)?);
    let mut found = Vec::new();
    walk(call, &root, &excluded, |at, _| {
        if wanted.matches(walk::below(at, &root)) {
            found.push(at.to_string());
        }
    })?;
    let text = if found.is_empty() { "No matches found".into() } else { found.join("\n") };
    Ok(Answer::text(text).with("paths", found))
}

fn info(client: &Client, place: &Path) -> Result<Answer> {
    let real = client.real_path(place)?;
    let stat = client.stat(&real)?;
    let text = format!(
        "size: {}\ncreated: {}\nmodified: {}\naccessed: {}\nisDirectory: {}\nisFile: {}\n\
         permissions: {:03o}",
        stat.size,
        date(stat.created),
        date(stat.modified),
        date(stat.accessed),
        stat.kind == Kind::Directory,
        stat.kind == Kind::File,
        stat.mode & 0o777
    );
    let record: Value = json::stat(place, &stat);
    Ok(Answer::text(text).with_all(record))
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
