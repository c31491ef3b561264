//! `rm`, `mkdir` and `chmod`.

use homefs_core::{Error, ErrorKind, Path, Result};
use homefs_view::{Kind, SetAttrs, Stat};

use super::mode;
use super::options::{Item, Spec, Takes, parse};
use super::tool::Run;
use crate::files::reason;

/// A command line in the simple form of these commands.
pub(super) struct Read {
    pub(super) options: Vec<(&'static str, Option<String>)>,
    pub(super) operands: Vec<String>,
}

impl Read {
    pub(super) fn new(run: &mut Run<'_>, specs: &[Spec]) -> Option<Self> {
        Self::of(run, specs, run.args)
    }

    fn of(run: &mut Run<'_>, specs: &[Spec], args: &[String]) -> Option<Self> {
        let mut read = Self { options: Vec::new(), operands: Vec::new() };
        match parse(specs, None, args) {
            Err(message) => {
                run.complain_of_usage(&message);
                return None;
            }
            Ok(items) => {
                for item in items {
                    match item {
                        Item::Operand(operand) => read.operands.push(operand.to_owned()),
                        Item::Option(name, value) => {
                            read.options.push((name, value.map(str::to_owned)));
                        }
                    }
                }
            }
        }
        Some(read)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.options.iter().any(|option| option.0 == name)
    }
}

const RM: &[Spec] = &[
    ('f', "force", Takes::Nothing),
    ('i', "i", Takes::Nothing),
    ('I', "I", Takes::Nothing),
    ('r', "recursive", Takes::Nothing),
    ('R', "recursive", Takes::Nothing),
    ('d', "dir", Takes::Nothing),
    ('v', "verbose", Takes::Nothing),
    (' ', "one-file-system", Takes::Nothing),
    (' ', "no-preserve-root", Takes::Nothing),
    (' ', "preserve-root", Takes::Perhaps),
    (' ', "interactive", Takes::Perhaps),
];

/// Runs `rm`.
pub(crate) fn remove(run: &mut Run<'_>) -> i32 {
    let Some(read) = Read::new(run, RM) else { return 1 };
    let force = read.has("force");
    if read.operands.is_empty() && !force {
        run.complain_of_usage("missing operand");
        return 1;
    }
    let mut asks = Asks::Never;
    for (name, value) in &read.options {
        // Of those that follow one another, the last counts.
        asks = match (*name, value.as_deref()) {
            ("i", _) | ("interactive", None | Some("always" | "yes")) => Asks::Always,
            ("I", _) | ("interactive", Some("once")) => Asks::Once,
            ("force" | "interactive", _) => Asks::Never,
            _ => asks,
        };
    }
    let recursive = read.has("recursive");
    if asks == Asks::Once && (read.operands.len() > 3 || recursive) {
        let count = read.operands.len();
        let what = if count == 1 { "argument" } else { "arguments" };
        let how = if recursive { " recursively" } else { "" };
        if !run.asks(&format!("remove {count} {what}{how}")) {
            return 0;
        }
    }
    let mut status = 0;
    for operand in &read.operands {
        let last = operand.trim_end_matches('/').rsplit('/').next();
        if matches!(last, Some("." | "..")) {
            run.complain(&format!(
                "refusing to remove '.' or '..' directory: skipping '{operand}'"
            ));
            status = 1;
            continue;
        }
        if let Err(error) = remove_one(run, &read, operand, asks) {
            if force && matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) {
                continue;
            }
            run.complain(&format!("cannot remove '{operand}': {}", reason(&error)));
            status = 1;
        }
    }
    status
}

/// When `rm` asks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asks {
    Never,
    Once,
    Always,
}

fn remove_one(run: &mut Run<'_>, read: &Read, operand: &str, asks: Asks) -> Result<()> {
    let path = run.path(operand)?;
    let home = &*run.ground.files.home;
    let stat = home.stat(&path)?;
    let recursive = read.has("recursive");
    if stat.kind == Kind::Directory && !recursive && !read.has("dir") {
        let error = Error::new(ErrorKind::IsADirectory, "a directory is removed with -r");
        return Err(error.with_path(&path));
    }
    if path.is_root() {
        return Err(Error::new(ErrorKind::Denied, "the root of a home stays").with_path(&path));
    }
    if asks == Asks::Always {
        let name = operand.trim_end_matches('/');
        return ask_and_remove(run, read, name, &path, &stat).map(drop);
    }
    let mut told = Vec::new();
    if read.has("verbose") {
        name_all(run, operand.trim_end_matches('/'), &path, &stat, &mut told);
    }
    home.remove(&path, recursive)?;
    for line in told {
        run.line(&line);
    }
    Ok(())
}

/// Asks before everything at and below a path, and removes it; tells whether all is gone.
fn ask_and_remove(
    run: &mut Run<'_>,
    read: &Read,
    name: &str,
    path: &Path,
    stat: &Stat,
) -> Result<bool> {
    let files = &run.ground.files;
    let is_directory = stat.kind == Kind::Directory;
    let below = if is_directory { files.children(path).unwrap_or_default() } else { Vec::new() };
    if !below.is_empty() && !run.asks(&format!("descend into directory '{name}'")) {
        return Ok(false);
    }
    let mut all = true;
    for entry in below {
        let name = format!("{name}/{}", entry.name);
        let path = path.join(&entry.name)?;
        all &= ask_and_remove(run, read, &name, &path, &entry.stat)?;
    }
    let kind = match stat.kind {
        Kind::Directory => "directory",
        Kind::Link => "symbolic link",
        Kind::File if stat.size == 0 => "regular empty file",
        Kind::File => "regular file",
        Kind::Special(_) => "special file",
    };
    if !all || !run.asks(&format!("remove {kind} '{name}'")) {
        return Ok(false);
    }
    run.ground.files.home.remove(path, false)?;
    if read.has("verbose") {
        let what = if is_directory { "directory " } else { "" };
        run.line(&format!("removed {what}'{name}'"));
    }
    Ok(true)
}

/// Says of everything at and below a path that it was removed.
fn name_all(run: &Run<'_>, name: &str, path: &Path, stat: &Stat, told: &mut Vec<String>) {
    if stat.kind != Kind::Directory {
        told.push(format!("removed '{name}'"));
        return;
    }
    for entry in run.ground.files.children(path).unwrap_or_default() {
        if let Ok(below) = path.join(&entry.name) {
            name_all(run, &format!("{name}/{}", entry.name), &below, &entry.stat, told);
        }
    }
    told.push(format!("removed directory '{name}'"));
}

const MKDIR: &[Spec] = &[
    ('p', "parents", Takes::Nothing),
    ('m', "mode", Takes::Value),
    ('v', "verbose", Takes::Nothing),
];

/// Runs `mkdir`.
pub(crate) fn make_directory(run: &mut Run<'_>) -> i32 {
    let Some(read) = Read::new(run, MKDIR) else { return 1 };
    if read.operands.is_empty() {
        run.complain_of_usage("missing operand");
        return 1;
    }
    let mode = read.options.iter().find(|option| option.0 == "mode");
    let mode = mode.and_then(|option| option.1.clone());
    let mut status = 0;
    for operand in &read.operands {
        if operand.is_empty() {
            let quoted = run.quoted(operand);
            run.complain(&format!("cannot create directory {quoted}: No such file or directory"));
            status = 1;
        }
        let names: Vec<&str> = operand.split('/').filter(|name| !name.is_empty()).collect();
        let mut at = if operand.starts_with('/') { "/".to_owned() } else { String::new() };
        let first = if read.has("parents") { 0 } else { names.len().saturating_sub(1) };
        for (index, name) in names.iter().enumerate() {
            let gap = if at.is_empty() || at.ends_with('/') { "" } else { "/" };
            at = format!("{at}{gap}{name}");
            if index >= first
                && !make_one(run, &read, &at, index + 1 == names.len(), mode.as_deref())
            {
                status = 1;
                break;
            }
        }
    }
    status
}

fn make_one(run: &mut Run<'_>, read: &Read, name: &str, last: bool, mode: Option<&str>) -> bool {
    let files = &run.ground.files;
    let outcome = run.path(name).and_then(|path| {
        files.prepare_scratch(&path)?;
        files.home.make_dir(&path, false)?;
        files.mask.apply(&*files.home, &path)?;
        if let Some(bits) = mode.filter(|_| last).and_then(|mode| mode::apply(mode, 0o755, true)) {
            let set = SetAttrs { mode: Some(bits), ..SetAttrs::default() };
            files.home.set_attrs(&path, &set)?;
        }
        Ok(())
    });
    match outcome {
        Ok(()) if read.has("verbose") => run.line(&format!("mkdir: created directory '{name}'")),
        Ok(()) => {}
        Err(error) => {
            let there = run.path(name).and_then(|path| run.ground.files.stat_followed(&path));
            let directory = there.is_ok_and(|(_, stat)| stat.kind == Kind::Directory);
            // What is above the spaces that were granted is there, but is no node.
            let directory = directory || error.kind() == ErrorKind::IsADirectory;
            if !(read.has("parents") && directory) {
                let quoted = run.quoted(name);
                run.complain(&format!("cannot create directory {quoted}: {}", reason(&error)));
                return false;
            }
        }
    }
    true
}

const CHMOD: &[Spec] = &[
    ('R', "recursive", Takes::Nothing),
    ('v', "verbose", Takes::Nothing),
    ('c', "changes", Takes::Nothing),
    ('f', "silent", Takes::Nothing),
    (' ', "reference", Takes::Value),
];

/// Runs `chmod`.
pub(crate) fn change_mode(run: &mut Run<'_>) -> i32 {
    // A mode may look like an option, as in `chmod -x`.
    let like_mode = |arg: &&String| {
        arg.len() > 1
            && arg.starts_with('-')
            && arg[1..].chars().all(|letter| "rwxXst,=+-ugoa".contains(letter))
            && !arg.starts_with("--")
    };
    let removed = run.args.iter().find(like_mode).cloned();
    let args: Vec<String> =
        run.args.iter().filter(|arg| Some(*arg) != removed.as_ref()).cloned().collect();
    let Some(mut read) = Read::of(run, CHMOD, &args) else { return 1 };
    let reference = read.options.iter().find(|option| option.0 == "reference");
    let reference = reference.and_then(|option| option.1.clone());
    let is_said = removed.is_some() || reference.is_some();
    if !is_said && read.operands.len() < 2 || read.operands.is_empty() {
        run.complain_of_usage("missing operand");
        return 1;
    }
    let text = match (removed, reference) {
        (_, Some(like)) => {
            let found = run.path(&like).and_then(|path| run.ground.files.stat_followed(&path));
            match found {
                Ok((_, stat)) => format!("{:o}", stat.mode & 0o7777),
                Err(error) => {
                    run.complain(&format!(
                        "failed to get attributes of '{like}': {}",
                        reason(&error)
                    ));
                    return 1;
                }
            }
        }
        (removed, None) => removed.unwrap_or_else(|| read.operands.remove(0)),
    };
    if mode::apply(&text, 0, false).is_none() {
        let quoted = run.quoted(&text);
        run.complain_of_usage(&format!("invalid mode: {quoted}"));
        return 1;
    }
    let mut status = 0;
    for operand in read.operands.clone() {
        let found = run.path(&operand).and_then(|path| run.ground.files.stat_followed(&path));
        match found {
            Ok((path, stat)) => {
                status |= change_one(run, &read, &text, (&operand, &path), &stat);
            }
            Err(error) => {
                if !read.has("silent") {
                    run.complain(&format!("cannot access '{operand}': {}", reason(&error)));
                }
                status = 1;
            }
        }
    }
    status
}

/// Changes one node, and all below it if that is asked for; returns the status.
fn change_one(
    run: &mut Run<'_>,
    read: &Read,
    text: &str,
    (name, path): (&str, &Path),
    stat: &Stat,
) -> i32 {
    let files = &run.ground.files;
    if let Some(mode) = mode::apply(text, stat.mode, stat.kind == Kind::Directory) {
        let set = SetAttrs { mode: Some(mode), ..SetAttrs::default() };
        if let Err(error) = files.home.set_attrs(path, &set) {
            if !read.has("silent") {
                run.complain(&format!("changing permissions of '{name}': {}", reason(&error)));
            }
            return 1;
        }
        let told = |mode: u32| {
            let letters = mode::letters(&Stat { mode, ..stat.clone() });
            format!("{:04o} ({})", mode & 0o7777, &letters[1..])
        };
        let (before, after) = (told(stat.mode), told(mode));
        if before != after && (read.has("verbose") || read.has("changes")) {
            run.line(&format!("mode of '{name}' changed from {before} to {after}"));
        } else if read.has("verbose") {
            run.line(&format!("mode of '{name}' retained as {before}"));
        }
    }
    let mut status = 0;
    if read.has("recursive") && stat.kind == Kind::Directory {
        for entry in run.ground.files.children(path).unwrap_or_default() {
            if let (Ok(below), true) = (path.join(&entry.name), entry.stat.kind != Kind::Link) {
                let name = format!("{}/{}", name.trim_end_matches('/'), entry.name);
                status |= change_one(run, read, text, (&name, &below), &entry.stat);
            }
        }
    }
    status
}
