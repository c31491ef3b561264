//! `diff`, as GNU's.

mod compare;
mod show;

use bytes::Bytes;
use homefs_core::{Clock as _, Path, SystemClock, Timestamp};
use homefs_view::Kind;
use similar::{DiffOp, DiffTag};

use super::options::{Item, Spec, Takes, parse};
use super::tool::Run;
use super::width;
use crate::files::reason;
use crate::glob::Glob;

/// How differences are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    Normal,
    Unified(usize),
    Context(usize),
    Beside,
    Brief,
}

#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "a command line has as many switches")]
struct Options {
    style: Style,
    recursive: bool,
    new_file: bool,
    report_same: bool,
    ignore_case: bool,
    /// 0: blanks count; 1: their number does not; 2: none does.
    ignore_blanks: u8,
    ignore_blank_lines: bool,
    strip_return: bool,
    text: bool,
    only_changes: bool,
    width: usize,
    labels: Vec<String>,
    exclude: Vec<Glob>,
    /// The options as they were given, for the lines that name a comparison.
    given: String,
}

const SPECS: &[Spec] = &[
    ('u', "u", Takes::Nothing),
    ('U', "unified", Takes::Value),
    ('c', "c", Takes::Nothing),
    ('C', "context", Takes::Value),
    ('y', "side-by-side", Takes::Nothing),
    ('W', "width", Takes::Value),
    ('q', "brief", Takes::Nothing),
    ('r', "recursive", Takes::Nothing),
    ('N', "new-file", Takes::Nothing),
    ('s', "report-identical-files", Takes::Nothing),
    ('i', "ignore-case", Takes::Nothing),
    ('w', "ignore-all-space", Takes::Nothing),
    ('b', "ignore-space-change", Takes::Nothing),
    ('Z', "ignore-trailing-space", Takes::Nothing),
    ('B', "ignore-blank-lines", Takes::Nothing),
    ('a', "text", Takes::Nothing),
    ('x', "exclude", Takes::Value),
    ('L', "label", Takes::Value),
    (' ', "strip-trailing-cr", Takes::Nothing),
    (' ', "normal", Takes::Nothing),
    (' ', "color", Takes::Perhaps),
    (' ', "suppress-common-lines", Takes::Nothing),
];

impl Options {
    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let number = || value.parse().map_err(|_| format!("invalid context length '{value}'"));
        match name {
            "u" => self.style = Style::Unified(3),
            "unified" => self.style = Style::Unified(number()?),
            "c" => self.style = Style::Context(3),
            "context" => self.style = Style::Context(number()?),
            "side-by-side" => self.style = Style::Beside,
            "brief" => self.style = Style::Brief,
            "normal" => self.style = Style::Normal,
            "width" => self.width = width::narrowed(number()?),
            "recursive" => self.recursive = true,
            "new-file" => self.new_file = true,
            "report-identical-files" => self.report_same = true,
            "ignore-case" => self.ignore_case = true,
            "ignore-all-space" => self.ignore_blanks = 2,
            "ignore-space-change" | "ignore-trailing-space" => {
                self.ignore_blanks = self.ignore_blanks.max(1);
            }
            "ignore-blank-lines" => self.ignore_blank_lines = true,
            "strip-trailing-cr" => self.strip_return = true,
            "text" => self.text = true,
            "suppress-common-lines" => self.only_changes = true,
            "label" => self.labels.push(value.to_owned()),
            "exclude" => self.exclude.push(Glob::new(value, false)),
            _ => {}
        }
        Ok(())
    }

    /// Returns what of a line counts.
    fn key(&self, line: &[u8]) -> Vec<u8> {
        let mut key = line.to_vec();
        if self.strip_return && key.ends_with(b"\r\n") {
            key.truncate(key.len() - 2);
            key.push(b'\n');
        }
        if self.ignore_case {
            key = String::from_utf8_lossy(&key).to_lowercase().into_bytes();
        }
        match self.ignore_blanks {
            0 => key,
            1 => {
                let mut words = Vec::new();
                for byte in key.trim_ascii_end() {
                    let blank = byte.is_ascii_whitespace();
                    if !blank || words.last() != Some(&b' ') {
                        words.push(if blank { b' ' } else { *byte });
                    }
                }
                words
            }
            _ => {
                key.retain(|byte| !byte.is_ascii_whitespace());
                key
            }
        }
    }
}

/// One side of a comparison.
struct Side {
    name: String,
    content: Bytes,
    modified: Timestamp,
}

/// Runs the command.
pub(crate) fn run(run: &mut Run<'_>) -> i32 {
    let mut options = Options {
        style: Style::Normal,
        recursive: false,
        new_file: false,
        report_same: false,
        ignore_case: false,
        ignore_blanks: 0,
        ignore_blank_lines: false,
        strip_return: false,
        text: false,
        only_changes: false,
        width: 130,
        labels: Vec::new(),
        exclude: Vec::new(),
        given: String::new(),
    };
    let mut operands = Vec::new();
    let read = parse(SPECS, Some("unified"), run.args).and_then(|items| {
        for item in items {
            match item {
                Item::Operand(operand) => operands.push(operand.to_owned()),
                Item::Option(name, value) => options.set(name, value.unwrap_or_default())?,
            }
        }
        Ok(())
    });
    for arg in run.args.iter().filter(|arg| arg.len() > 1 && arg.starts_with('-')) {
        options.given.extend([" ", arg]);
    }
    if let Err(message) = read {
        run.complain(&message);
        run.err += "diff: Try 'diff --help' for more information.\n";
        return 2;
    }
    let [first, second] = &operands[..] else {
        match operands.last() {
            Some(last) if operands.len() > 2 => run.complain(&format!("extra operand '{last}'")),
            Some(last) => run.complain(&format!("missing operand after '{last}'")),
            None => run.complain("missing operand after 'diff'"),
        }
        return 2;
    };
    compare_operands(run, &options, first, second)
}

fn is_directory(run: &Run<'_>, operand: &str) -> bool {
    let found = run.path(operand).and_then(|path| run.ground.files.stat_followed(&path));
    operand != "-" && found.is_ok_and(|(_, stat)| stat.kind == Kind::Directory)
}

fn compare_operands(run: &mut Run<'_>, options: &Options, first: &str, second: &str) -> i32 {
    let last = |operand: &str| operand.trim_end_matches('/').rsplit('/').next().map(str::to_owned);
    let inside = |directory: &str, file: &str| {
        format!("{}/{}", directory.trim_end_matches('/'), last(file).unwrap_or_default())
    };
    match (is_directory(run, first), is_directory(run, second)) {
        (true, true) => directories(run, options, first, second),
        (true, false) => files(run, options, &inside(first, second), second, false),
        (false, true) => files(run, options, first, &inside(second, first), false),
        (false, false) => files(run, options, first, second, false),
    }
}

/// Reads one side; a missing file is empty if that is asked for.
fn side(run: &mut Run<'_>, options: &Options, name: &str) -> Option<Side> {
    let now = SystemClock.now();
    if name == "-" {
        let content = Bytes::copy_from_slice(run.stdin);
        return Some(Side { name: name.into(), content, modified: now });
    }
    let modified = run.path(name).and_then(|path| run.ground.files.stat_followed(&path));
    let modified = modified.map_or(now, |(_, stat)| stat.modified);
    match run.read(name) {
        Ok(content) => Some(Side { name: name.into(), content, modified }),
        Err(_) if options.new_file => {
            Some(Side { name: name.into(), content: Bytes::new(), modified: Timestamp(0) })
        }
        Err(error) => {
            run.complain(&format!("{name}: {}", reason(&error)));
            None
        }
    }
}

fn files(run: &mut Run<'_>, options: &Options, first: &str, second: &str, headed: bool) -> i32 {
    let (a, b) = (side(run, options, first), side(run, options, second));
    let (Some(a), Some(b)) = (a, b) else { return 2 };
    let binary = !options.text && (a.content.contains(&0) || b.content.contains(&0));
    let (lines_a, lines_b) = (lines(&a.content), lines(&b.content));
    let ops =
        if a.content == b.content { Vec::new() } else { changes(options, &lines_a, &lines_b) };
    let differ = if binary {
        a.content != b.content
    } else {
        ops.iter().any(|op| op.tag() != DiffTag::Equal)
    };
    if !differ {
        if options.report_same {
            run.line(&format!("Files {first} and {second} are identical"));
        }
        if options.style == Style::Beside && !options.only_changes {
            show::beside(&mut run.out, options.width, &lines_a, &lines_b, &[]);
        }
        return 0;
    }
    if headed && options.style != Style::Brief && !binary {
        run.line(&format!("diff{} {first} {second}", options.given));
    }
    match options.style {
        Style::Brief => run.line(&format!("Files {first} and {second} differ")),
        _ if binary => run.line(&format!("Binary files {first} and {second} differ")),
        Style::Normal => show::normal(&mut run.out, &lines_a, &lines_b, &ops),
        Style::Unified(context) => {
            show::unified(&mut run.out, options, (&a, &b), (&lines_a, &lines_b), &ops, context);
        }
        Style::Context(context) => {
            show::context(&mut run.out, options, (&a, &b), (&lines_a, &lines_b), &ops, context);
        }
        Style::Beside => {
            let shown = |op: &DiffOp| !options.only_changes || op.tag() != DiffTag::Equal;
            let ops: Vec<DiffOp> = ops.into_iter().filter(shown).collect();
            show::beside(&mut run.out, options.width, &lines_a, &lines_b, &ops);
        }
    }
    1
}

/// Splits a content into lines with their ends.
fn lines(content: &[u8]) -> Vec<&[u8]> {
    content.split_inclusive(|&byte| byte == b'\n').collect()
}

/// Finds what has to be changed.
fn changes(options: &Options, a: &[&[u8]], b: &[&[u8]]) -> Vec<DiffOp> {
    let keys = |lines: &[&[u8]]| lines.iter().map(|line| options.key(line)).collect::<Vec<_>>();
    let context = match options.style {
        Style::Unified(context) | Style::Context(context) => context,
        Style::Normal | Style::Beside | Style::Brief => 0,
    };
    let ops = compare::compare(&keys(a), &keys(b), context);
    let blank = |op: &DiffOp| {
        let empty = |line: &&[u8]| line.trim_ascii().is_empty();
        op.tag() == DiffTag::Equal
            || a[op.old_range()].iter().all(empty) && b[op.new_range()].iter().all(empty)
    };
    if options.ignore_blank_lines && ops.iter().all(blank) {
        return Vec::new();
    }
    ops
}

fn directories(run: &mut Run<'_>, options: &Options, first: &str, second: &str) -> i32 {
    let names = |run: &Run<'_>, operand: &str| -> Vec<String> {
        let entries = run.path(operand).and_then(|path: Path| run.ground.files.children(&path));
        let wanted = |name: &str| !options.exclude.iter().any(|glob| glob.matches(name));
        let entries = entries.unwrap_or_default().into_iter().map(|entry| String::from(entry.name));
        entries.filter(|name| wanted(name)).collect()
    };
    let (in_first, in_second) = (names(run, first), names(run, second));
    let mut all: Vec<&String> = in_first.iter().chain(&in_second).collect();
    all.sort();
    all.dedup();
    let mut status = 0;
    for name in all {
        let below = |directory: &str| format!("{}/{name}", directory.trim_end_matches('/'));
        let (a, b) = (below(first), below(second));
        let both = in_first.contains(name) && in_second.contains(name);
        let shown_as_new = options.new_file && !is_directory(run, &a) && !is_directory(run, &b);
        let found = if !both && !shown_as_new {
            let only = if in_first.contains(name) { first } else { second };
            run.line(&format!("Only in {}: {name}", only.trim_end_matches('/')));
            1
        } else {
            match (is_directory(run, &a), is_directory(run, &b)) {
                (true, true) if options.recursive => directories(run, options, &a, &b),
                (true, true) => {
                    run.line(&format!("Common subdirectories: {a} and {b}"));
                    0
                }
                (false, false) => files(run, options, &a, &b, true),
                (first, _) => {
                    let kind = |directory| if directory { "directory" } else { "regular file" };
                    run.line(&format!(
                        "File {a} is a {} while file {b} is a {}",
                        kind(first),
                        kind(!first)
                    ));
                    1
                }
            }
        };
        status = status.max(found);
    }
    status
}
