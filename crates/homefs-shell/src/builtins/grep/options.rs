//! The command line of grep.

use super::pattern::Syntax;
use crate::builtins::options::{Item, Spec, Takes, parse};
use crate::builtins::tool::Run;
use crate::files::reason;
use crate::glob::Glob;

/// What is printed of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Show {
    Lines,
    Parts,
    Count,
    NamesWith,
    NamesWithout,
    Nothing,
}

/// What is done with a file that is no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    Mention,
    AsText,
    Skip,
}

/// What is done with a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Directories {
    Complain,
    Skip,
    Recurse,
    /// Links on the way are followed.
    RecurseThroughLinks,
}

/// What a search does.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "a command line has as many switches")]
pub(crate) struct Options {
    pub(crate) syntax: Syntax,
    pub(crate) patterns: Vec<String>,
    pub(crate) ignore_case: bool,
    pub(crate) invert: bool,
    pub(crate) word: bool,
    pub(crate) whole_line: bool,
    pub(crate) show: Show,
    pub(crate) most: Option<u64>,
    pub(crate) before: usize,
    pub(crate) after: usize,
    pub(crate) group_separator: Option<String>,
    pub(crate) names: Option<bool>,
    pub(crate) line_numbers: bool,
    pub(crate) byte_offsets: bool,
    pub(crate) tab: bool,
    pub(crate) null_after_name: bool,
    pub(crate) null_lines: bool,
    pub(crate) silent: bool,
    pub(crate) color: bool,
    pub(crate) binary: Binary,
    pub(crate) directories: Directories,
    pub(crate) include: Vec<Glob>,
    pub(crate) exclude: Vec<Glob>,
    pub(crate) exclude_directories: Vec<Glob>,
    pub(crate) label: String,
    pub(crate) operands: Vec<String>,
    /// A file without a match has no count.
    pub(crate) counts_only_found: bool,
}

const SPECS: &[Spec] = &[
    ('E', "extended-regexp", Takes::Nothing),
    ('F', "fixed-strings", Takes::Nothing),
    ('G', "basic-regexp", Takes::Nothing),
    ('P', "perl-regexp", Takes::Nothing),
    ('e', "regexp", Takes::Value),
    ('f', "file", Takes::Value),
    ('i', "ignore-case", Takes::Nothing),
    ('y', "ignore-case", Takes::Nothing),
    (' ', "no-ignore-case", Takes::Nothing),
    ('v', "invert-match", Takes::Nothing),
    ('w', "word-regexp", Takes::Nothing),
    ('x', "line-regexp", Takes::Nothing),
    ('c', "count", Takes::Nothing),
    ('l', "files-with-matches", Takes::Nothing),
    ('L', "files-without-match", Takes::Nothing),
    ('m', "max-count", Takes::Value),
    ('o', "only-matching", Takes::Nothing),
    ('q', "quiet", Takes::Nothing),
    (' ', "silent", Takes::Nothing),
    ('s', "no-messages", Takes::Nothing),
    ('b', "byte-offset", Takes::Nothing),
    ('H', "with-filename", Takes::Nothing),
    ('h', "no-filename", Takes::Nothing),
    (' ', "label", Takes::Value),
    ('n', "line-number", Takes::Nothing),
    ('T', "initial-tab", Takes::Nothing),
    ('Z', "null", Takes::Nothing),
    ('A', "after-context", Takes::Value),
    ('B', "before-context", Takes::Value),
    ('C', "context", Takes::Value),
    (' ', "group-separator", Takes::Value),
    (' ', "no-group-separator", Takes::Nothing),
    ('a', "text", Takes::Nothing),
    ('I', "binary-without-match", Takes::Nothing),
    (' ', "binary-files", Takes::Value),
    ('d', "directories", Takes::Value),
    ('D', "devices", Takes::Value),
    ('r', "recursive", Takes::Nothing),
    ('R', "dereference-recursive", Takes::Nothing),
    (' ', "include", Takes::Value),
    (' ', "exclude", Takes::Value),
    (' ', "exclude-dir", Takes::Value),
    (' ', "exclude-from", Takes::Value),
    (' ', "color", Takes::Perhaps),
    (' ', "colour", Takes::Perhaps),
    (' ', "line-buffered", Takes::Nothing),
    ('U', "binary", Takes::Nothing),
    ('z', "null-data", Takes::Nothing),
];

impl Options {
    pub(super) fn new(syntax: Syntax) -> Self {
        Self {
            syntax,
            patterns: Vec::new(),
            ignore_case: false,
            invert: false,
            word: false,
            whole_line: false,
            show: Show::Lines,
            most: None,
            before: 0,
            after: 0,
            group_separator: Some("--".into()),
            names: None,
            line_numbers: false,
            byte_offsets: false,
            tab: false,
            null_after_name: false,
            null_lines: false,
            silent: false,
            color: false,
            binary: Binary::Mention,
            directories: Directories::Complain,
            include: Vec::new(),
            exclude: Vec::new(),
            exclude_directories: Vec::new(),
            label: "(standard input)".into(),
            operands: Vec::new(),
            counts_only_found: false,
        }
    }

    /// Reads a command line; an error is the status with which to end.
    pub(crate) fn read(run: &mut Run<'_>, syntax: Syntax) -> Result<Self, i32> {
        let mut options = Self::new(syntax);
        let mut given = Vec::new();
        let items = parse(SPECS, Some("context"), run.args).map_err(|message| {
            run.complain(&message);
            run.err += "Usage: grep [OPTION]... PATTERNS [FILE]...\n";
            run.err += "Try 'grep --help' for more information.\n";
            2
        })?;
        for item in items {
            match item {
                Item::Operand(text) => options.operands.push(text.to_owned()),
                Item::Option("regexp", value) => {
                    given.extend(value.unwrap_or_default().split('\n').map(str::to_owned));
                }
                Item::Option("file", value) => given.extend(read_patterns(run, value)?),
                Item::Option("exclude-from", value) => {
                    let globs = read_patterns(run, value)?;
                    options.exclude.extend(globs.iter().map(|glob| Glob::new(glob, false)));
                }
                Item::Option(name, value) => {
                    options.set(name, value.unwrap_or_default()).map_err(|message| {
                        run.complain(&message);
                        2
                    })?;
                }
            }
        }
        let from_options =
            run.args.iter().any(|arg| arg.starts_with("-f") || arg.starts_with("--file"));
        if given.is_empty() && !from_options {
            if options.operands.is_empty() {
                run.err += "Usage: grep [OPTION]... PATTERNS [FILE]...\n";
                run.err += "Try 'grep --help' for more information.\n";
                return Err(2);
            }
            given.extend(options.operands.remove(0).split('\n').map(str::to_owned));
        }
        options.patterns = given;
        Ok(options)
    }

    /// Sets what an option says.
    pub(super) fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let number = |what: &str| {
            value.parse::<usize>().map_err(|_| format!("{value}: invalid {what} argument"))
        };
        match name {
            "extended-regexp" => self.syntax = Syntax::Extended,
            "fixed-strings" => self.syntax = Syntax::Fixed,
            "basic-regexp" => self.syntax = Syntax::Basic,
            "perl-regexp" => self.syntax = Syntax::Perl,
            "ignore-case" => self.ignore_case = true,
            "no-ignore-case" => self.ignore_case = false,
            "invert-match" => self.invert = true,
            "word-regexp" => self.word = true,
            "line-regexp" => self.whole_line = true,
            "count" => self.show = Show::Count,
            "files-with-matches" => self.show = Show::NamesWith,
            "files-without-match" => self.show = Show::NamesWithout,
            "max-count" => {
                // A negative number is "no limit".
                let most = value.parse::<i64>();
                let most = most.map_err(|_| "invalid max count".to_owned())?;
                self.most = u64::try_from(most).ok();
            }
            "only-matching" if self.show == Show::Lines => self.show = Show::Parts,
            "quiet" | "silent" => self.show = Show::Nothing,
            "no-messages" => self.silent = true,
            "byte-offset" => self.byte_offsets = true,
            "with-filename" => self.names = Some(true),
            "no-filename" => self.names = Some(false),
            "label" => value.clone_into(&mut self.label),
            "line-number" => self.line_numbers = true,
            "initial-tab" => self.tab = true,
            "null" => self.null_after_name = true,
            "after-context" => self.after = number("context length")?,
            "before-context" => self.before = number("context length")?,
            "context" => (self.before, self.after) = (number("context length")?, number("")?),
            "group-separator" => self.group_separator = Some(value.to_owned()),
            "no-group-separator" => self.group_separator = None,
            "null-data" => self.null_lines = true,
            "color" | "colour" => self.color = value == "always",
            _ => return self.set_files(name, value),
        }
        Ok(())
    }

    /// Sets what is about the choice of files.
    fn set_files(&mut self, name: &str, value: &str) -> Result<(), String> {
        match (name, value) {
            ("text", _) | ("binary-files", "text") => self.binary = Binary::AsText,
            ("binary-without-match", _) | ("binary-files", "without-match") => {
                self.binary = Binary::Skip;
            }
            ("binary-files", "binary") => self.binary = Binary::Mention,
            ("binary-files", _) => return Err("unknown binary-files type".into()),
            ("recursive", _) | ("directories", "recurse") => {
                self.directories = Directories::Recurse;
            }
            ("dereference-recursive", _) => self.directories = Directories::RecurseThroughLinks,
            ("directories", "skip") => self.directories = Directories::Skip,
            ("directories", "read") => self.directories = Directories::Complain,
            ("directories", _) => {
                return Err(format!("invalid argument '{value}' for '--directories'"));
            }
            ("include", _) => self.include.push(Glob::new(value, false)),
            ("exclude", _) => self.exclude.push(Glob::new(value, false)),
            ("exclude-dir", _) => {
                let name = value.strip_suffix('/').unwrap_or(value);
                self.exclude_directories.push(Glob::new(name, false));
            }
            _ => {}
        }
        Ok(())
    }

    /// Tells whether a search goes down into directories.
    pub(crate) fn recurses(&self) -> bool {
        matches!(self.directories, Directories::Recurse | Directories::RecurseThroughLinks)
    }

    /// Tells whether a file is to be searched, by its name.
    pub(crate) fn wants(&self, name: &str) -> bool {
        let last = name.rsplit('/').next().unwrap_or(name);
        let hit =
            |globs: &[Glob]| globs.iter().any(|glob| glob.matches(last) || glob.matches(name));
        (self.include.is_empty() || hit(&self.include)) && !hit(&self.exclude)
    }

    /// Tells whether a directory is left out, by its name.
    pub(crate) fn leaves_out(&self, name: &str) -> bool {
        self.exclude_directories.iter().any(|glob| glob.matches(name))
    }
}

fn read_patterns(run: &mut Run<'_>, value: Option<&str>) -> Result<Vec<String>, i32> {
    let name = value.unwrap_or_default();
    let content = if name == "-" { Ok(run.stdin.to_vec().into()) } else { run.read(name) };
    match content {
        Ok(content) => Ok(String::from_utf8_lossy(&content).lines().map(str::to_owned).collect()),
        Err(error) => {
            run.complain(&format!("{name}: {}", reason(&error)));
            Err(2)
        }
    }
}
