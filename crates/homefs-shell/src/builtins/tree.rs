//! `tree`, as version 2 prints it to a pipe.

use homefs_core::Path;
use homefs_view::{Entry, Kind, Stat};

use super::options::{Item, Spec, Takes, parse};
use super::tool::Run;
use super::{mode, times};
use crate::files::DIRECTORY_BYTES;
use crate::glob::Glob;

const SPECS: &[Spec] = &[
    ('a', "a", Takes::Nothing),
    ('d', "d", Takes::Nothing),
    ('f', "f", Takes::Nothing),
    ('i', "i", Takes::Nothing),
    ('L', "L", Takes::Value),
    ('P', "P", Takes::Value),
    ('I', "I", Takes::Value),
    ('s', "s", Takes::Nothing),
    ('h', "h", Takes::Nothing),
    ('p', "p", Takes::Nothing),
    ('D', "D", Takes::Nothing),
    ('F', "F", Takes::Nothing),
    ('J', "J", Takes::Nothing),
    ('t', "t", Takes::Nothing),
    ('r', "r", Takes::Nothing),
    ('n', "n", Takes::Nothing),
    ('C', "C", Takes::Nothing),
    ('N', "N", Takes::Nothing),
    (' ', "noreport", Takes::Nothing),
    (' ', "dirsfirst", Takes::Nothing),
    (' ', "prune", Takes::Nothing),
    (' ', "charset", Takes::Value),
];

#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "a command line has as many switches")]
struct Options {
    all: bool,
    directories_only: bool,
    full: bool,
    indent: bool,
    json: bool,
    classify: bool,
    sizes: Option<bool>,
    modes: bool,
    dates: bool,
    by_time: bool,
    reverse: bool,
    directories_first: bool,
    prune: bool,
    report: bool,
    ascii: bool,
    depth: usize,
    wanted: Vec<Glob>,
    unwanted: Vec<Glob>,
}

impl Options {
    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let globs = || value.split('|').map(|part| Glob::new(part, false));
        match name {
            "a" => self.all = true,
            "d" => self.directories_only = true,
            "f" => self.full = true,
            "i" => self.indent = false,
            "J" => self.json = true,
            "F" => self.classify = true,
            "s" => self.sizes = self.sizes.or(Some(false)),
            "h" => self.sizes = Some(true),
            "p" => self.modes = true,
            "D" => self.dates = true,
            "t" => self.by_time = true,
            "r" => self.reverse = true,
            "dirsfirst" => self.directories_first = true,
            "prune" => self.prune = true,
            "noreport" => self.report = false,
            "charset" => self.ascii = !value.to_lowercase().contains("utf"),
            "P" => self.wanted.extend(globs()),
            "I" => self.unwanted.extend(globs()),
            "L" => match value.parse() {
                Ok(depth) if depth > 0 => self.depth = depth,
                _ => return Err("Invalid level, must be greater than 0.".into()),
            },
            _ => {}
        }
        Ok(())
    }

    fn shows(&self, entry: &Entry) -> bool {
        let hit = |globs: &[Glob]| globs.iter().any(|glob| glob.matches(&entry.name));
        let directory = entry.stat.kind == Kind::Directory;
        (self.all || !entry.name.starts_with('.'))
            && !hit(&self.unwanted)
            && (directory || self.wanted.is_empty() || hit(&self.wanted))
    }
}

/// A node with what is below it.
struct Branch {
    entry: Entry,
    target: Option<String>,
    /// It is a directory, or a link to one.
    directory: bool,
    below: Vec<Branch>,
}

/// How many nodes were shown.
#[derive(Default)]
struct Counts {
    directories: usize,
    files: usize,
}

/// Runs the command.
pub(crate) fn run(run: &mut Run<'_>) -> i32 {
    let mut options = Options {
        all: false,
        directories_only: false,
        full: false,
        indent: true,
        json: false,
        classify: false,
        sizes: None,
        modes: false,
        dates: false,
        by_time: false,
        reverse: false,
        directories_first: false,
        prune: false,
        report: true,
        ascii: false,
        depth: usize::MAX,
        wanted: Vec::new(),
        unwanted: Vec::new(),
    };
    let mut operands = Vec::new();
    let read = parse(SPECS, None, run.args).and_then(|items| {
        for item in items {
            match item {
                Item::Operand(operand) => operands.push(operand.to_owned()),
                Item::Option(name, value) => options.set(name, value.unwrap_or_default())?,
            }
        }
        Ok(())
    });
    if let Err(message) = read {
        run.complain(&message);
        return 1;
    }
    if operands.is_empty() {
        operands.push(".".into());
    }
    let mut counts = Counts::default();
    let mut status = 0;
    if options.json {
        run.out.extend_from_slice(b"[\n");
    }
    for (index, operand) in operands.iter().enumerate() {
        let path = run.path(operand).and_then(|path| run.ground.files.stat_followed(&path));
        let found = path.ok().filter(|(_, stat)| stat.kind == Kind::Directory);
        let Some((path, stat)) = found else {
            run.line(&format!("{operand}  [error opening dir]"));
            status = 2;
            continue;
        };
        counts.directories += 1;
        let branches = grow(run, &options, &path, 1);
        if options.json {
            let gap = if index > 0 { "  ,\n" } else { "" };
            run.out.extend_from_slice(
                format!("{gap}  {{\"type\":\"directory\",\"name\":{}", json(operand)).as_bytes(),
            );
            print_json(run, &branches, 1, &mut counts);
            run.out.extend_from_slice(b"}\n");
        } else {
            let slash = if options.classify && !operand.ends_with('/') { "/" } else { "" };
            let head = details(&options, &stat);
            run.line(&format!("{head}{operand}{slash}"));
            print(run, &options, &branches, "", operand, &mut counts);
        }
    }
    finish(run, &options, &counts);
    status
}

fn finish(run: &mut Run<'_>, options: &Options, counts: &Counts) {
    let (directories, files) = (counts.directories, counts.files);
    if options.json {
        run.out.extend_from_slice(
            format!(
                ",\n  {{\"type\":\"report\",\"directories\":{directories},\"files\":{files}}}\n]\n"
            )
            .as_bytes(),
        );
    } else if options.report {
        let (one, each) = (
            if directories == 1 { "directory" } else { "directories" },
            if files == 1 { "file" } else { "files" },
        );
        run.line("");
        run.line(&if options.directories_only {
            format!("{directories} {one}")
        } else {
            format!("{directories} {one}, {files} {each}")
        });
    }
}

/// Looks at everything below a directory.
fn grow(run: &Run<'_>, options: &Options, path: &Path, depth: usize) -> Vec<Branch> {
    let entries = run.ground.files.children(path).unwrap_or_default();
    let mut branches = Vec::new();
    for entry in entries.into_iter().filter(|entry| options.shows(entry)) {
        let Ok(path) = path.join(&entry.name) else { continue };
        let directory = entry.stat.kind == Kind::Directory;
        let below = if directory && depth < options.depth {
            grow(run, options, &path, depth + 1)
        } else {
            Vec::new()
        };
        if options.prune && directory && below.is_empty() {
            continue;
        }
        let link = entry.stat.kind == Kind::Link;
        let target = link.then(|| run.ground.files.home.read_link(&path).unwrap_or_default());
        let behind = link.then(|| run.ground.files.stat_followed(&path).ok()).flatten();
        let directory = directory || behind.is_some_and(|(_, stat)| stat.kind == Kind::Directory);
        if directory || !options.directories_only {
            branches.push(Branch { entry, target, directory, below });
        }
    }
    if options.by_time {
        branches.sort_by_key(|branch| branch.entry.stat.modified);
    }
    if options.reverse {
        branches.reverse();
    }
    if options.directories_first {
        branches.sort_by_key(|branch| !branch.directory);
    }
    branches
}

fn print(
    run: &mut Run<'_>,
    options: &Options,
    branches: &[Branch],
    indent: &str,
    above: &str,
    counts: &mut Counts,
) {
    let signs = if options.ascii {
        ["|-- ", "`-- ", "|   ", "    "]
    } else {
        ["├── ", "└── ", "│\u{a0}\u{a0} ", "    "]
    };
    for (index, branch) in branches.iter().enumerate() {
        let last = index + 1 == branches.len();
        count(branch, counts);
        let name = &branch.entry.name;
        let path = format!("{}/{name}", above.trim_end_matches('/'));
        let mut line = String::new();
        if options.indent {
            line += indent;
            line += signs[usize::from(last)];
        }
        line += &details(options, &branch.entry.stat);
        line += if options.full { &path } else { name };
        if let Some(target) = &branch.target {
            line.extend([" -> ", target]);
        } else if options.classify {
            line += match branch.entry.stat.kind {
                Kind::Directory => "/",
                Kind::File if branch.entry.stat.mode & 0o111 != 0 => "*",
                _ => "",
            };
        }
        run.line(&line);
        let deeper = format!("{indent}{}", signs[2 + usize::from(last)]);
        print(run, options, &branch.below, &deeper, &path, counts);
    }
}

/// Counts a node; a link to a directory is one, too.
fn count(branch: &Branch, counts: &mut Counts) {
    if branch.directory {
        counts.directories += 1;
    } else {
        counts.files += 1;
    }
}

/// Returns what stands in brackets before a name.
fn details(options: &Options, stat: &Stat) -> String {
    let size = if stat.kind == Kind::Directory { DIRECTORY_BYTES } else { stat.size };
    let mut parts = Vec::new();
    if options.modes {
        parts.push(mode::letters(stat));
    }
    match options.sizes {
        Some(true) => parts.push(format!("{:>4}", times::human(size, 1024))),
        Some(false) => parts.push(format!("{size:>11}")),
        None => {}
    }
    if options.dates {
        parts.push(times::format(stat.modified, "%b %e %H:%M"));
    }
    if parts.is_empty() { String::new() } else { format!("[{}]  ", parts.join(" ")) }
}

fn print_json(run: &mut Run<'_>, branches: &[Branch], depth: usize, counts: &mut Counts) {
    let indent = "  ".repeat(depth + 1);
    run.out.extend_from_slice(b",\"contents\":[\n");
    for (index, branch) in branches.iter().enumerate() {
        count(branch, counts);
        let kind = match branch.entry.stat.kind {
            Kind::Directory => "directory",
            Kind::Link => "link",
            _ => "file",
        };
        let name = json(&branch.entry.name);
        run.out
            .extend_from_slice(format!("{indent}{{\"type\":\"{kind}\",\"name\":{name}").as_bytes());
        if let Some(target) = &branch.target {
            run.out.extend_from_slice(format!(",\"target\":{}", json(target)).as_bytes());
        }
        if branch.entry.stat.kind == Kind::Directory {
            print_json(run, &branch.below, depth + 1, counts);
        }
        let comma = if index + 1 == branches.len() { "" } else { "," };
        run.out.extend_from_slice(format!("}}{comma}\n").as_bytes());
    }
    run.out.extend_from_slice(format!("{}]", "  ".repeat(depth)).as_bytes());
}

/// Quotes a text for JSON.
fn json(text: &str) -> String {
    let mut quoted = String::from('"');
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            letter if letter.is_control() => {
                let code = format!("\\u{:04x}", u32::from(letter));
                quoted.push_str(&code);
            }
            letter => quoted.push(letter),
        }
    }
    quoted + "\""
}
