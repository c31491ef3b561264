//! `rm`, `ln`, `mkdir` and `chmod`.

use homefs_core::{ErrorKind, Path};
use homefs_engine::{Kind, SetAttrs, Stat};

use super::mode;
use super::options::{Item, Spec, Takes, parse};
use super::tool::Run;
use crate::files::reason;

/// A command line in the simple form of these commands.
struct Read {
    options: Vec<(&'static str, Option<String>)>,
    operands: Vec<String>,
}

impl Read {
    fn new(run: &mut Run<'_>, specs: &[Spec]) -> Option<Self> {
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

    fn has(&self, name: &str) -> bool {
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
        if let Err(why) = remove_one(run, &read, operand) {
            if force && matches!(why, "No such file or directory" | "Not a directory") {
                continue;
            }
            run.complain(&format!("cannot remove '{operand}': {why}"));
            status = 1;
        }
    }
    status
}

fn remove_one(run: &mut Run<'_>, read: &Read, operand: &str) -> Result<(), &'static str> {
    let path = run.path(operand).map_err(|error| reason(&error))?;
    let home = &*run.ground.files.home;
    let stat = home.stat(&path).map_err(|error| reason(&error))?;
    let recursive = read.has("recursive");
    if stat.kind == Kind::Directory && !recursive && !read.has("dir") {
        return Err("Is a directory");
    }
    if path.is_root() {
        return Err("it is the root of the home");
    }
    let mut told = Vec::new();
    if read.has("verbose") {
        name_all(run, operand.trim_end_matches('/'), &path, &stat, &mut told);
    }
    home.remove(&path, recursive).map_err(|error| reason(&error))?;
    for line in told {
        run.line(&line);
    }
    Ok(())
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

const LN: &[Spec] = &[
    ('s', "symbolic", Takes::Nothing),
    ('f', "force", Takes::Nothing),
    ('n', "no-dereference", Takes::Nothing),
    ('T', "no-target-directory", Takes::Nothing),
    ('r', "relative", Takes::Nothing),
    ('v', "verbose", Takes::Nothing),
    ('t', "target-directory", Takes::Value),
    ('L', "logical", Takes::Nothing),
    ('P', "physical", Takes::Nothing),
    ('i', "interactive", Takes::Nothing),
    ('b', "backup", Takes::Nothing),
];

/// Runs `ln`.
pub(crate) fn link(run: &mut Run<'_>) -> i32 {
    let Some(mut read) = Read::new(run, LN) else { return 1 };
    let into = read.options.iter().find(|option| option.0 == "target-directory");
    let into = into.and_then(|option| option.1.clone());
    let target = match (into, read.operands.len()) {
        (_, 0) => {
            run.complain_of_usage("missing file operand");
            return 1;
        }
        (Some(into), _) => into,
        (None, 1) => ".".into(),
        (None, _) => read.operands.pop().unwrap_or_default(),
    };
    let stays = read.has("no-dereference") || read.has("no-target-directory");
    let directory = run.path(&target).is_ok_and(|path| {
        let files = &run.ground.files;
        let link = files.home.stat(&path).is_ok_and(|stat| stat.kind == Kind::Link);
        let stat = files.stat_followed(&path);
        stat.is_ok_and(|(_, stat)| stat.kind == Kind::Directory) && !(link && stays)
    });
    let mut status = 0;
    for operand in read.operands.clone() {
        let last = operand.trim_end_matches('/').rsplit('/').next().unwrap_or("");
        let name = if directory {
            format!("{}/{last}", target.trim_end_matches('/'))
        } else {
            target.clone()
        };
        if let Err(message) = link_one(run, &read, &operand, &name) {
            run.complain(&message);
            status = 1;
        }
    }
    status
}

fn link_one(run: &mut Run<'_>, read: &Read, target: &str, name: &str) -> Result<(), String> {
    let symbolic = read.has("symbolic");
    let kind = if symbolic { "symbolic" } else { "hard" };
    let failed = |error: &homefs_core::Error| {
        format!("failed to create {kind} link '{name}': {}", reason(error))
    };
    let path = run.path(name).map_err(|error| failed(&error))?;
    let files = &run.ground.files;
    let from = run.path(target).map_err(|error| failed(&error))?;
    let stat = files.home.stat(&from);
    if !symbolic {
        match &stat {
            Err(error) => return Err(format!("failed to access '{target}': {}", reason(error))),
            Ok(stat) if stat.kind == Kind::Directory => {
                return Err(format!("{target}: hard link not allowed for directory"));
            }
            Ok(_) => {}
        }
    }
    files.prepare_scratch(&path).map_err(|error| failed(&error))?;
    if read.has("force") && files.home.stat(&path).is_ok_and(|stat| stat.kind != Kind::Directory) {
        files.home.remove(&path, false).map_err(|error| failed(&error))?;
    }
    let made =
        if symbolic { files.home.symlink(target, &path) } else { files.home.link(&from, &path) };
    made.map_err(|error| failed(&error))?;
    if read.has("verbose") {
        let arrow = if symbolic { "->" } else { "=>" };
        run.line(&format!("'{name}' {arrow} '{target}'"));
    }
    Ok(())
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
            let known = matches!(error.kind(), ErrorKind::AlreadyExists | ErrorKind::Denied);
            if !(read.has("parents") && directory && known) {
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
    if removed.is_none() && read.operands.len() < 2 || read.operands.is_empty() {
        run.complain_of_usage("missing operand");
        return 1;
    }
    let text = removed.unwrap_or_else(|| read.operands.remove(0));
    if mode::apply(&text, 0, false).is_none() {
        let quoted = run.quoted(&text);
        run.complain_of_usage(&format!("invalid mode: {quoted}"));
        return 1;
    }
    let mut status = 0;
    for operand in read.operands.clone() {
        let found = run.path(&operand).and_then(|path| run.ground.files.stat_followed(&path));
        match found {
            Ok((path, stat)) => change_one(run, &read, &text, (&operand, &path), &stat),
            Err(error) => {
                run.complain(&format!("cannot access '{operand}': {}", reason(&error)));
                status = 1;
            }
        }
    }
    status
}

fn change_one(
    run: &mut Run<'_>,
    read: &Read,
    text: &str,
    (name, path): (&str, &Path),
    stat: &Stat,
) {
    let files = &run.ground.files;
    if let Some(mode) = mode::apply(text, stat.mode, stat.kind == Kind::Directory) {
        let set = SetAttrs { mode: Some(mode), ..SetAttrs::default() };
        if let Err(error) = files.home.set_attrs(path, &set) {
            run.complain(&format!("changing permissions of '{name}': {}", reason(&error)));
            return;
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
    if read.has("recursive") && stat.kind == Kind::Directory {
        for entry in run.ground.files.children(path).unwrap_or_default() {
            if let (Ok(below), true) = (path.join(&entry.name), entry.stat.kind != Kind::Link) {
                let name = format!("{}/{}", name.trim_end_matches('/'), entry.name);
                change_one(run, read, text, (&name, &below), &entry.stat);
            }
        }
    }
}
