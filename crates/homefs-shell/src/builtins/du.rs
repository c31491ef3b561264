//! `du`, as GNU's on a disk with blocks of 4 KiB.

use homefs_core::Path;
use homefs_view::{Kind, Stat};

use super::options::{Item, Spec, Takes};
use super::tool::Run;
use super::{ls, times};
use crate::files::{DIRECTORY_BYTES, reason};
use crate::glob::Glob;

const SPECS: &[Spec] = &[
    ('a', "all", Takes::Nothing),
    ('b', "bytes", Takes::Nothing),
    (' ', "apparent-size", Takes::Nothing),
    ('B', "block-size", Takes::Value),
    ('c', "total", Takes::Nothing),
    ('d', "max-depth", Takes::Value),
    ('h', "human-readable", Takes::Nothing),
    (' ', "si", Takes::Nothing),
    ('k', "k", Takes::Nothing),
    ('m', "m", Takes::Nothing),
    ('P', "no-dereference", Takes::Nothing),
    ('s', "summarize", Takes::Nothing),
    ('S', "separate-dirs", Takes::Nothing),
    ('x', "one-file-system", Takes::Nothing),
    ('0', "null", Takes::Nothing),
    (' ', "exclude", Takes::Value),
];

#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "a command line has as many switches")]
struct Options {
    all: bool,
    apparent: bool,
    unit: u64,
    human: Option<u64>,
    depth: usize,
    total: bool,
    separate: bool,
    end: char,
    exclude: Vec<Glob>,
}

/// Runs the command.
pub(crate) fn run(run: &mut Run<'_>) -> i32 {
    let mut options = Options {
        all: false,
        apparent: false,
        unit: 1024,
        human: None,
        depth: usize::MAX,
        total: false,
        separate: false,
        end: '\n',
        exclude: Vec::new(),
    };
    let mut operands = Vec::new();
    let Some(items) = run.items(SPECS, None) else { return 1 };
    for item in items {
        match item {
            Item::Operand(operand) => operands.push(operand.to_owned()),
            Item::Option(name, value) => options.set(name, value.unwrap_or_default()),
        }
    }
    if operands.is_empty() {
        operands.push(".".into());
    }
    let (mut sum, mut status) = (0, 0);
    for operand in &operands {
        let found = run.path(operand).and_then(|path| {
            let stat = run.ground.files.home.stat(&path)?;
            Ok((path, stat))
        });
        match found {
            Ok((path, stat)) => {
                let name = if operand == "/" { "/" } else { operand.trim_end_matches('/') };
                sum += measure(run, &options, name, &path, &stat, 0);
            }
            Err(error) => {
                run.complain(&format!("cannot access '{operand}': {}", reason(&error)));
                status = 1;
            }
        }
    }
    if options.total {
        print(run, &options, sum, "total");
    }
    status
}

impl Options {
    fn set(&mut self, name: &str, value: &str) {
        match name {
            "all" => self.all = true,
            "bytes" => (self.apparent, self.unit) = (true, 1),
            "apparent-size" => self.apparent = true,
            "human-readable" => self.human = Some(1024),
            "si" => self.human = Some(1000),
            "m" => self.unit = 1 << 20,
            "k" => self.unit = 1024,
            "block-size" => {
                self.unit = match value {
                    "K" | "1K" => 1024,
                    "M" | "1M" => 1 << 20,
                    "G" | "1G" => 1 << 30,
                    number => number.parse().unwrap_or(1024).max(1),
                };
            }
            "max-depth" => self.depth = value.parse().unwrap_or(usize::MAX),
            "summarize" => self.depth = 0,
            "total" => self.total = true,
            "separate-dirs" => self.separate = true,
            "null" => self.end = '\0',
            "exclude" => self.exclude.push(Glob::new(value, false)),
            _ => {}
        }
    }
}

/// Prints what is below a node and then the node; returns what it takes.
fn measure(
    run: &mut Run<'_>,
    options: &Options,
    name: &str,
    path: &Path,
    stat: &Stat,
    depth: usize,
) -> u64 {
    let mut sum = match (options.apparent, stat.kind) {
        (true, Kind::Directory) => DIRECTORY_BYTES,
        (true, _) => stat.size,
        (false, _) => ls::blocks(stat) * 1024,
    };
    let mut shown = sum;
    if stat.kind == Kind::Directory {
        for entry in run.ground.files.children(path).unwrap_or_default() {
            let Ok(below) = path.join(&entry.name) else { continue };
            if options.exclude.iter().any(|glob| glob.matches(&entry.name)) {
                continue;
            }
            let called = format!("{}/{}", name.trim_end_matches('/'), entry.name);
            let size = measure(run, options, &called, &below, &entry.stat, depth + 1);
            sum += size;
            shown += if options.separate && entry.stat.kind == Kind::Directory { 0 } else { size };
        }
    }
    let wanted = depth == 0 || stat.kind == Kind::Directory || options.all;
    if wanted && depth <= options.depth {
        print(run, options, shown, name);
    }
    sum
}

fn print(run: &mut Run<'_>, options: &Options, size: u64, name: &str) {
    let size = match options.human {
        Some(base) => times::human(size, base),
        None => size.div_ceil(options.unit).to_string(),
    };
    run.out.extend_from_slice(format!("{size}\t{name}{}", options.end).as_bytes());
}
