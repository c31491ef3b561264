//! `cp` and `mv`: copies share contents in the store, and a move is one change.

use homefs_core::{Clock as _, Error, ErrorKind, Path, Result, SystemClock};
use homefs_engine::{Kind, RenameMode, SetAttrs, Stat, WriteOptions};

use super::options::{Item, Spec, Takes};
use super::tool::Run;
use crate::files::reason;

const SPECS: &[Spec] = &[
    ('a', "archive", Takes::Nothing),
    ('b', "backup", Takes::Nothing),
    ('d', "no-dereference-links", Takes::Nothing),
    ('f', "force", Takes::Nothing),
    ('H', "follow-operands", Takes::Nothing),
    ('i', "interactive", Takes::Nothing),
    ('L', "dereference", Takes::Nothing),
    ('n', "no-clobber", Takes::Nothing),
    ('P', "no-dereference", Takes::Nothing),
    ('p', "p", Takes::Nothing),
    (' ', "preserve", Takes::Perhaps),
    ('R', "recursive", Takes::Nothing),
    ('r', "recursive", Takes::Nothing),
    ('s', "symbolic-link", Takes::Nothing),
    ('l', "link", Takes::Nothing),
    ('S', "suffix", Takes::Value),
    ('t', "target-directory", Takes::Value),
    ('T', "no-target-directory", Takes::Nothing),
    ('u', "update", Takes::Nothing),
    ('v', "verbose", Takes::Nothing),
    (' ', "strip-trailing-slashes", Takes::Nothing),
    (' ', "parents", Takes::Nothing),
];

#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "a command line has as many switches")]
struct Options {
    moving: bool,
    recursive: bool,
    keep_links: bool,
    preserve: bool,
    no_clobber: bool,
    update: bool,
    verbose: bool,
    exact: bool,
    link: bool,
    into: Option<String>,
    /// The directories before a name are made in the target, too.
    parents: bool,
}

/// Runs `cp`.
pub(crate) fn copy(run: &mut Run<'_>) -> i32 {
    start(run, Options::default())
}

/// Runs `mv`.
pub(crate) fn rename(run: &mut Run<'_>) -> i32 {
    start(run, Options { moving: true, ..Options::default() })
}

fn start(run: &mut Run<'_>, mut options: Options) -> i32 {
    let mut operands = Vec::new();
    let Some(items) = run.items(SPECS, None) else { return 1 };
    for item in items {
        match item {
            Item::Operand(operand) => operands.push(operand.to_owned()),
            Item::Option(name, value) => options.set(name, value),
        }
    }
    let target = match options
        .into
        .clone()
        .or_else(|| (operands.len() > 1).then(|| operands.pop()).flatten())
    {
        Some(target) if !operands.is_empty() => target,
        _ => {
            let missing = match operands.first() {
                Some(operand) => format!("missing destination file operand after '{operand}'"),
                None => "missing file operand".to_owned(),
            };
            run.complain_of_usage(&missing);
            return 1;
        }
    };
    let into = !options.exact && is_directory(run, &target);
    if !into && (operands.len() > 1 || options.into.is_some()) {
        run.complain(&format!("target '{target}': {}", why_no_directory(run, &target)));
        return 1;
    }
    let mut status = 0;
    for operand in &operands {
        let trimmed = operand.trim_end_matches('/');
        let name = trimmed.rsplit('/').next().unwrap_or(trimmed);
        let to = match name {
            _ if !into => target.clone(),
            _ if options.parents => {
                let to =
                    format!("{}/{}", target.trim_end_matches('/'), trimmed.trim_start_matches('/'));
                let made = run.path(&to).and_then(|path| match path.parent() {
                    Some(parent) if run.ground.files.home.stat(&parent).is_err() => {
                        run.ground.files.home.make_dir(&parent, true).map(drop)
                    }
                    _ => Ok(()),
                });
                if let Err(error) = made {
                    run.complain(&format!("cannot make directory '{to}': {}", reason(&error)));
                    status = 1;
                    continue;
                }
                to
            }
            // What is in it goes there, not the directory itself.
            "." | ".." | "" => target.clone(),
            name => format!("{}/{name}", target.trim_end_matches('/')),
        };
        if let Err(message) = one(run, &options, operand, &to) {
            run.complain(&message);
            status = 1;
        }
    }
    status
}

impl Options {
    fn set(&mut self, name: &str, value: Option<&str>) {
        match name {
            "archive" => (self.recursive, self.keep_links, self.preserve) = (true, true, true),
            "no-dereference-links" | "no-dereference" => self.keep_links = true,
            "dereference" => self.keep_links = false,
            "recursive" => (self.recursive, self.keep_links) = (true, true),
            "p" | "preserve" => self.preserve = true,
            "no-clobber" => self.no_clobber = true,
            "force" | "interactive" => self.no_clobber = false,
            "update" => self.update = true,
            "verbose" => self.verbose = true,
            "link" => self.link = true,
            "parents" => self.parents = true,
            "no-target-directory" => self.exact = true,
            "target-directory" => self.into = value.map(str::to_owned),
            _ => {}
        }
    }
}

fn is_directory(run: &Run<'_>, operand: &str) -> bool {
    let found = run.path(operand).and_then(|path| run.ground.files.stat_followed(&path));
    found.is_ok_and(|(_, stat)| stat.kind == Kind::Directory)
}

fn why_no_directory(run: &Run<'_>, operand: &str) -> &'static str {
    match run.path(operand).and_then(|path| run.ground.files.stat_followed(&path)) {
        Ok(_) => "Not a directory",
        Err(error) => reason(&error),
    }
}

/// Copies or moves one operand.
fn one(run: &mut Run<'_>, options: &Options, from_name: &str, to_name: &str) -> Result<(), String> {
    let files = &run.ground.files;
    if from_name == "/dev/null" && !options.moving {
        let written = run.path(to_name).and_then(|to| {
            files.prepare_scratch(&to)?;
            files.home.write(&to, b"", &WriteOptions::default())
        });
        let why = |error| format!("cannot create regular file '{to_name}': {}", reason(&error));
        return written.map(drop).map_err(why);
    }
    let found = run.path(from_name).and_then(|path| {
        let stat = files.home.stat(&path)?;
        let keep = options.moving || options.keep_links;
        if stat.kind == Kind::Link && !keep { files.stat_followed(&path) } else { Ok((path, stat)) }
    });
    let (from, stat) =
        found.map_err(|error| format!("cannot stat '{from_name}': {}", reason(&error)))?;
    let to = run.path(to_name).map_err(|error| format!("'{to_name}': {}", reason(&error)))?;
    if stat.kind == Kind::Directory && !options.moving && !options.recursive {
        return Err(format!("-r not specified; omitting directory '{from_name}'"));
    }
    if from == to {
        return Err(format!("'{from_name}' and '{to_name}' are the same file"));
    }
    if stat.kind == Kind::Directory && to.starts_with(&from) {
        return Err(if options.moving {
            format!("cannot move '{from_name}' to a subdirectory of itself, '{to_name}'")
        } else {
            format!("cannot copy a directory, '{from_name}', into itself, '{to_name}'")
        });
    }
    let there = files.home.stat(&to).ok();
    if let Some(there) = &there {
        if options.no_clobber || options.update && there.modified >= stat.modified {
            return Ok(());
        }
        match (stat.kind == Kind::Directory, there.kind == Kind::Directory) {
            (true, false) => {
                return Err(format!(
                    "cannot overwrite non-directory '{to_name}' with directory '{from_name}'"
                ));
            }
            (false, true) => {
                return Err(format!("cannot overwrite directory '{to_name}' with non-directory"));
            }
            _ => {}
        }
    }
    let mut told = Vec::new();
    let done = if options.moving {
        told.push((from_name.to_owned(), to_name.to_owned()));
        move_node(run, &from, &to)
    } else {
        copy_node(run, options, &from, &stat, &to, (from_name, to_name), &mut told)
    };
    done.map_err(|error| match (options.moving, error.kind()) {
        (true, _) => format!("cannot move '{from_name}' to '{to_name}': {}", reason(&error)),
        (false, ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            format!("cannot create regular file '{to_name}': {}", reason(&error))
        }
        (false, _) => format!("cannot copy '{from_name}' to '{to_name}': {}", reason(&error)),
    })?;
    for (from, to) in told.into_iter().filter(|_| options.verbose) {
        let arrow = format!("'{from}' -> '{to}'");
        run.line(&if options.moving { format!("renamed {arrow}") } else { arrow });
    }
    Ok(())
}

fn move_node(run: &Run<'_>, from: &Path, to: &Path) -> Result<()> {
    let home = &*run.ground.files.home;
    run.ground.files.prepare_scratch(to)?;
    match home.rename(from, to, RenameMode::Replace) {
        // Another space: it is copied there.
        Err(error) if error.kind() == ErrorKind::Unsupported => {
            if home.stat(to).is_ok_and(|stat| stat.kind != Kind::Directory) {
                home.remove(to, false)?;
            }
            home.copy(from, to, true)?;
            home.remove(from, true).map(drop)
        }
        moved => moved.map(drop),
    }
}

/// Copies a node; directories that exist are filled.
fn copy_node(
    run: &Run<'_>,
    options: &Options,
    from: &Path,
    stat: &Stat,
    to: &Path,
    names: (&str, &str),
    told: &mut Vec<(String, String)>,
) -> Result<()> {
    let files = &run.ground.files;
    let home = &*files.home;
    files.prepare_scratch(to)?;
    told.push((names.0.to_owned(), names.1.to_owned()));
    match stat.kind {
        Kind::Directory => {
            if home.stat(to).is_err() {
                home.make_dir(to, false)?;
            }
            for entry in files.children(from)? {
                let (below_from, below_to) = (from.join(&entry.name)?, to.join(&entry.name)?);
                let called = (
                    format!("{}/{}", names.0.trim_end_matches('/'), entry.name),
                    format!("{}/{}", names.1.trim_end_matches('/'), entry.name),
                );
                let called = (called.0.as_str(), called.1.as_str());
                let (below_from, stat) = if options.keep_links {
                    (below_from, entry.stat)
                } else {
                    files.stat_followed(&below_from)?
                };
                copy_node(run, options, &below_from, &stat, &below_to, called, told)?;
            }
        }
        Kind::Link => {
            if home.stat(to).is_ok() {
                home.remove(to, false)?;
            }
            home.symlink(&home.read_link(from)?, to)?;
            return Ok(());
        }
        Kind::File if options.link => return home.link(from, to).map(drop),
        Kind::File => {
            let to = files.stat_followed(to).map_or_else(|_| to.clone(), |(to, _)| to);
            home.copy(from, &to, false)?;
        }
        Kind::Special(_) => {
            return Err(Error::new(ErrorKind::Unsupported, "a special file is not copied"));
        }
    }
    // A copy is new, unless it is to be like what it was copied from.
    let modified = if options.preserve { stat.modified } else { SystemClock.now() };
    let set = SetAttrs { mode: Some(stat.mode), modified: Some(modified), ..SetAttrs::default() };
    home.set_attrs(to, &set).map(drop)
}
