//! `ls`, as GNU's prints to a pipe.

mod show;
mod sort;

use homefs_core::{Path, Timestamp};
use homefs_view::{Kind, Stat};

pub(crate) use self::show::{blocks, inode};
use self::sort::Order;
use super::options::{Item, Spec, Takes, parse};
use super::tool::Run;
use super::width::narrowed;
use crate::files::reason;
use crate::glob::Glob;

/// How names are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    Lines,
    Long,
    Down,
    Across,
    Commas,
}

/// What is put after a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Nothing,
    Slash,
    Kind,
    /// As `Kind`, without programs.
    FileType,
}

/// What the command line says.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "a command line has as many switches")]
struct Options {
    all: bool,
    almost_all: bool,
    directory: bool,
    recursive: bool,
    layout: Layout,
    order: Order,
    reverse: bool,
    directories_first: bool,
    mark: Mark,
    follow: bool,
    human: Option<u64>,
    inode: bool,
    blocks: bool,
    owner: bool,
    group: bool,
    numeric: bool,
    quote: bool,
    escape: bool,
    time: fn(&Stat) -> Timestamp,
    time_style: String,
    width: usize,
    end: char,
    leave_out: Vec<Glob>,
    hide: Vec<Glob>,
}

const SPECS: &[Spec] = &[
    ('a', "all", Takes::Nothing),
    ('A', "almost-all", Takes::Nothing),
    ('b', "escape", Takes::Nothing),
    ('B', "ignore-backups", Takes::Nothing),
    ('c', "c", Takes::Nothing),
    ('C', "C", Takes::Nothing),
    (' ', "color", Takes::Perhaps),
    ('d', "directory", Takes::Nothing),
    ('f', "f", Takes::Nothing),
    ('F', "classify", Takes::Perhaps),
    (' ', "file-type", Takes::Nothing),
    (' ', "format", Takes::Value),
    (' ', "full-time", Takes::Nothing),
    ('g', "g", Takes::Nothing),
    (' ', "group-directories-first", Takes::Nothing),
    ('G', "no-group", Takes::Nothing),
    ('h', "human-readable", Takes::Nothing),
    (' ', "si", Takes::Nothing),
    (' ', "hide", Takes::Value),
    (' ', "indicator-style", Takes::Value),
    ('i', "inode", Takes::Nothing),
    ('I', "ignore", Takes::Value),
    ('k', "kibibytes", Takes::Nothing),
    ('l', "l", Takes::Nothing),
    ('L', "dereference", Takes::Nothing),
    ('m', "m", Takes::Nothing),
    ('n', "numeric-uid-gid", Takes::Nothing),
    ('N', "literal", Takes::Nothing),
    ('o', "o", Takes::Nothing),
    ('p', "p", Takes::Nothing),
    ('Q', "quote-name", Takes::Nothing),
    ('r', "reverse", Takes::Nothing),
    ('R', "recursive", Takes::Nothing),
    ('s', "size", Takes::Nothing),
    ('S', "S", Takes::Nothing),
    (' ', "sort", Takes::Value),
    (' ', "time", Takes::Value),
    (' ', "time-style", Takes::Value),
    ('t', "t", Takes::Nothing),
    ('u', "u", Takes::Nothing),
    ('U', "U", Takes::Nothing),
    ('v', "v", Takes::Nothing),
    ('w', "width", Takes::Value),
    ('x', "x", Takes::Nothing),
    ('X', "X", Takes::Nothing),
    (' ', "zero", Takes::Nothing),
    ('1', "1", Takes::Nothing),
];

impl Options {
    fn new() -> Self {
        Self {
            all: false,
            almost_all: false,
            directory: false,
            recursive: false,
            layout: Layout::Lines,
            order: Order::Name,
            reverse: false,
            directories_first: false,
            mark: Mark::Nothing,
            follow: false,
            human: None,
            inode: false,
            blocks: false,
            owner: true,
            group: true,
            numeric: false,
            quote: false,
            escape: false,
            time: |stat| stat.modified,
            time_style: String::new(),
            width: 80,
            end: '\n',
            leave_out: Vec::new(),
            hide: Vec::new(),
        }
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        match name {
            "all" => self.all = true,
            "almost-all" => self.almost_all = true,
            "ignore-backups" => self.leave_out.push(Glob::new("*~", false)),
            "ignore" => self.leave_out.push(Glob::new(value, false)),
            "hide" => self.hide.push(Glob::new(value, false)),
            "directory" => self.directory = true,
            "f" => (self.all, self.order, self.layout) = (true, Order::Unsorted, Layout::Lines),
            "recursive" => self.recursive = true,
            "reverse" => self.reverse = true,
            "group-directories-first" => self.directories_first = true,
            "dereference" => self.follow = true,
            "human-readable" => self.human = Some(1024),
            "si" => self.human = Some(1000),
            "inode" => self.inode = true,
            "size" => self.blocks = true,
            "quote-name" => self.quote = true,
            "escape" => self.escape = true,
            "no-group" => self.group = false,
            "width" => {
                let width = value
                    .parse()
                    .map(narrowed)
                    .map_err(|_| format!("invalid line width: '{value}'"))?;
                self.width = if width == 0 { usize::MAX / 2 } else { width };
            }
            "zero" => {
                self.end = '\0';
                if self.layout != Layout::Long {
                    self.layout = Layout::Lines;
                }
            }
            "t" | "S" | "X" | "v" | "U" | "c" | "u" | "sort" | "time" => {
                self.set_order(name, value)?;
            }
            _ => self.set_layout(name, value),
        }
        Ok(())
    }

    fn set_order(&mut self, name: &str, value: &str) -> Result<(), String> {
        match (name, value) {
            ("t", _) | ("sort", "time") => self.order = Order::Time,
            ("S", _) | ("sort", "size") => self.order = Order::Size,
            ("X", _) | ("sort", "extension") => self.order = Order::Extension,
            ("v", _) | ("sort", "version") => self.order = Order::Version,
            ("U", _) | ("sort", "none") => self.order = Order::Unsorted,
            ("sort", "name") => self.order = Order::Name,
            ("c", _) | ("time", "ctime" | "status") => self.time = |stat| stat.changed,
            ("u", _) | ("time", "atime" | "access" | "use") => self.time = |stat| stat.accessed,
            ("time", "birth" | "creation") => self.time = |stat| stat.created,
            ("time", "mtime" | "modification") => self.time = |stat| stat.modified,
            _ => return Err(format!("invalid argument '{value}' for '--{name}'")),
        }
        // Alone they also say by what to sort.
        if matches!(name, "c" | "u") && self.layout != Layout::Long && self.order == Order::Name {
            self.order = Order::Time;
        }
        Ok(())
    }

    fn set_layout(&mut self, name: &str, value: &str) {
        match (name, value) {
            ("l", _) | ("format", "long" | "verbose") => self.layout = Layout::Long,
            ("g", _) => (self.layout, self.owner) = (Layout::Long, false),
            ("o", _) => (self.layout, self.group) = (Layout::Long, false),
            ("numeric-uid-gid", _) => (self.layout, self.numeric) = (Layout::Long, true),
            ("full-time", _) => {
                self.layout = Layout::Long;
                self.time_style = "full-iso".into();
            }
            // A long listing stays one: it has one name per line anyway.
            ("1", _) if self.layout == Layout::Long => {}
            ("1", _) | ("format", "single-column") => self.layout = Layout::Lines,
            ("C", _) | ("format", "vertical") => self.layout = Layout::Down,
            ("x", _) | ("format", "across" | "horizontal") => self.layout = Layout::Across,
            ("m", _) | ("format", "commas") => self.layout = Layout::Commas,
            ("p", _) | ("indicator-style", "slash") => self.mark = Mark::Slash,
            ("classify", "never" | "auto") | ("indicator-style", "none") => {
                self.mark = Mark::Nothing;
            }
            ("classify", _) | ("indicator-style", "classify") => self.mark = Mark::Kind,
            ("file-type", _) | ("indicator-style", "file-type") => self.mark = Mark::FileType,
            ("time-style", _) => value.clone_into(&mut self.time_style),
            _ => {}
        }
    }

    fn shows(&self, name: &str) -> bool {
        if name.starts_with('.') && !self.all && !self.almost_all {
            return false;
        }
        let hidden = |globs: &[Glob]| globs.iter().any(|glob| glob.matches(name));
        !hidden(&self.leave_out) && (self.all || self.almost_all || !hidden(&self.hide))
    }
}

/// One name to print.
#[derive(Debug)]
struct Listed {
    name: String,
    stat: Stat,
    /// Where a link points, and what is there.
    target: Option<(String, Option<Stat>)>,
}

/// Runs the command.
pub(crate) fn run(run: &mut Run<'_>) -> i32 {
    let mut options = Options::new();
    let mut operands = Vec::new();
    let read = parse(SPECS, None, run.args).and_then(|items| {
        for item in items {
            match item {
                Item::Operand(operand) => operands.push(operand),
                Item::Option(name, value) => options.set(name, value.unwrap_or_default())?,
            }
        }
        Ok(())
    });
    if let Err(message) = read {
        run.complain_of_usage(&message);
        return 2;
    }
    if operands.is_empty() {
        operands.push(".");
    }
    let mut status = 0;
    let (mut files, mut directories) = (Vec::new(), Vec::new());
    for operand in &operands {
        match look(run, &options, operand) {
            Ok(listed) if is_directory(&listed, &options) && !options.directory => {
                directories.push(listed);
            }
            Ok(listed) => files.push(listed),
            Err(why) => {
                run.complain(&format!("cannot access '{operand}': {why}"));
                status = 2;
            }
        }
    }
    sort::sort(&mut files, &options);
    sort::sort(&mut directories, &options);
    let headed = operands.len() > 1 || options.recursive;
    if !files.is_empty() {
        show::show(run, &options, &files);
    }
    let mut first = files.is_empty();
    for directory in directories {
        list(run, &options, &directory.name, headed, &mut first, &mut status);
    }
    status
}

/// Tells whether an operand stands for what is in it.
fn is_directory(listed: &Listed, options: &Options) -> bool {
    let through = |target: &(String, Option<Stat>)| {
        target.1.as_ref().is_some_and(|stat| stat.kind == Kind::Directory)
    };
    let links = options.layout != Layout::Long && options.mark != Mark::Kind;
    listed.stat.kind == Kind::Directory
        || (links || listed.name.ends_with('/')) && listed.target.as_ref().is_some_and(through)
}

fn look(run: &Run<'_>, options: &Options, operand: &str) -> Result<Listed, &'static str> {
    let path = run.path(operand).map_err(|error| reason(&error))?;
    let stat = run.ground.files.home.stat(&path).map_err(|error| reason(&error))?;
    // With a slash after it, it must be a directory.
    if operand.ends_with('/') && stat.kind == Kind::File {
        return Err("Not a directory");
    }
    Ok(complete(run, options, operand.to_owned(), stat, &path))
}

/// Adds what is known of a link's target, or puts it in the link's place.
fn complete(run: &Run<'_>, options: &Options, name: String, stat: Stat, path: &Path) -> Listed {
    if stat.kind != Kind::Link {
        return Listed { name, stat, target: None };
    }
    let behind = run.ground.files.stat_followed(path).ok().map(|(_, stat)| stat);
    match behind {
        Some(stat) if options.follow => Listed { name, stat, target: None },
        behind => {
            let target = run.ground.files.home.read_link(path).unwrap_or_default();
            Listed { name, stat, target: Some((target, behind)) }
        }
    }
}

/// Lists what is in a directory, and below it if that is asked for.
fn list(
    run: &mut Run<'_>,
    options: &Options,
    name: &str,
    headed: bool,
    first: &mut bool,
    status: &mut i32,
) {
    let entries = run.path(name).and_then(|path| {
        let entries = run.ground.files.children(&path)?;
        Ok((path, entries))
    });
    let (path, entries) = match entries {
        Ok(found) => found,
        Err(error) => {
            run.complain(&format!("cannot open directory '{name}': {}", reason(&error)));
            *status = 2;
            return;
        }
    };
    let mut listed = Vec::with_capacity(entries.len() + 2);
    if options.all {
        let above = path.parent().unwrap_or_else(Path::root);
        for (name, path) in [(".", &path), ("..", &above)] {
            if let Ok((_, stat)) = run.ground.files.stat_followed(path) {
                listed.push(Listed { name: name.into(), stat, target: None });
            }
        }
    }
    for entry in entries {
        if options.shows(&entry.name) {
            let (name, stat) = (String::from(entry.name), entry.stat);
            // Only of a link there is more to know.
            listed.push(match stat.kind {
                Kind::Link => {
                    let Ok(below) = path.join(&name) else { continue };
                    complete(run, options, name, stat, &below)
                }
                _ => Listed { name, stat, target: None },
            });
        }
    }
    sort::sort(&mut listed, options);
    if headed {
        let gap = if *first { "" } else { "\n" };
        run.out.extend_from_slice(format!("{gap}{name}:\n").as_bytes());
    }
    *first = false;
    if options.layout == Layout::Long || options.blocks {
        let total: u64 = listed.iter().map(|listed| blocks(&listed.stat)).sum();
        let total =
            options.human.map_or(total.to_string(), |base| super::times::human(total * 1024, base));
        run.line(&format!("total {total}"));
    }
    show::show(run, options, &listed);
    if options.recursive {
        let real = |listed: &&Listed| {
            listed.stat.kind == Kind::Directory && !matches!(&*listed.name, "." | "..")
        };
        for directory in listed.iter().filter(real) {
            let below = format!("{}/{}", name.trim_end_matches('/'), directory.name);
            list(run, options, &below, true, first, status);
        }
    }
}
