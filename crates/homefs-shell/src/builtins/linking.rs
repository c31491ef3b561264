//! `ln`, as GNU's.

use homefs_core::{Error, Result};
use homefs_view::Kind;

use super::backup::Backup;
use super::names::Read;
use super::options::{Spec, Takes};
use super::paths;
use super::tool::Run;
use crate::files::reason;

const SPECS: &[Spec] = &[
    ('b', "b", Takes::Nothing),
    (' ', "backup", Takes::Perhaps),
    ('f', "force", Takes::Nothing),
    ('i', "interactive", Takes::Nothing),
    ('L', "logical", Takes::Nothing),
    ('n', "no-dereference", Takes::Nothing),
    ('P', "physical", Takes::Nothing),
    ('r', "relative", Takes::Nothing),
    ('s', "symbolic", Takes::Nothing),
    ('S', "suffix", Takes::Value),
    ('t', "target-directory", Takes::Value),
    ('T', "no-target-directory", Takes::Nothing),
    ('v', "verbose", Takes::Nothing),
];

/// What was asked for.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "a command line has as many switches")]
struct Options {
    symbolic: bool,
    relative: bool,
    /// Of a link, what it leads to gets another name.
    logical: bool,
    force: bool,
    ask: bool,
    verbose: bool,
    backup: Backup,
}

/// Runs `ln`.
pub(crate) fn link(run: &mut Run<'_>) -> i32 {
    let Some(mut read) = Read::new(run, SPECS) else { return 1 };
    let mut options = Options::default();
    let mut into = None;
    for (name, value) in &read.options {
        match *name {
            "symbolic" => options.symbolic = true,
            "relative" => options.relative = true,
            // Of those that follow one another, the last counts.
            "logical" | "physical" => options.logical = *name == "logical",
            "force" => (options.force, options.ask) = (true, false),
            "interactive" => (options.force, options.ask) = (false, true),
            "verbose" => options.verbose = true,
            "target-directory" => into.clone_from(value),
            name => {
                if let Err(message) = options.backup.set(name, value.as_deref()) {
                    run.complain_of_usage(&message);
                    return 1;
                }
            }
        }
    }
    if options.relative && !options.symbolic {
        run.complain("cannot do --relative without --symbolic");
        return 1;
    }
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
    for operand in &read.operands {
        let last = operand.trim_end_matches('/').rsplit('/').next().unwrap_or("");
        let name = if directory {
            format!("{}/{last}", target.trim_end_matches('/'))
        } else {
            target.clone()
        };
        if let Err(message) = link_one(run, &options, operand, &name) {
            run.complain(&message);
            status = 1;
        }
    }
    status
}

fn link_one(
    run: &mut Run<'_>,
    options: &Options,
    target: &str,
    name: &str,
) -> std::result::Result<(), String> {
    let symbolic = options.symbolic;
    let kind = if symbolic { "symbolic" } else { "hard" };
    let failed =
        |error: &Error| format!("failed to create {kind} link '{name}': {}", reason(error));
    let path = run.path(name).map_err(|error| failed(&error))?;
    if name.ends_with('/') {
        return Err(failed(&homefs_core::not_found()));
    }
    let ground = run.ground;
    let files = &ground.files;
    let mut from = run.path(target).map_err(|error| failed(&error))?;
    if !symbolic {
        let found = if options.logical {
            files.stat_followed(&from)
        } else {
            files.home.stat(&from).map(|stat| (from.clone(), stat))
        };
        let access = |error| format!("failed to access '{target}': {}", reason(&error));
        let (path, stat) = found.map_err(access)?;
        if stat.kind == Kind::Directory {
            return Err(format!("{target}: hard link not allowed for directory"));
        }
        from = path;
    }
    let target = match (options.relative, name.rsplit_once('/')) {
        (false, _) => target.to_owned(),
        (true, None) => paths::relative(run, ".", target)?,
        (true, Some((directory, _))) => paths::relative(run, &format!("{directory}/"), target)?,
    };
    files.prepare_scratch(&path).map_err(|error| failed(&error))?;
    let there = files.home.stat(&path).is_ok_and(|stat| stat.kind != Kind::Directory);
    if there && options.ask && !run.asks(&format!("replace '{name}'")) {
        return Ok(());
    }
    let kept = || -> Result<Option<String>> {
        let kept = if there { options.backup.keep(run, &path, &from)? } else { None };
        if there && kept.is_none() && (options.force || options.ask) {
            files.home.remove(&path, false)?;
        }
        let home = &files.home;
        if symbolic {
            home.symlink(&target, &path)?
        } else {
            home.link(&from, &path)?
        };
        Ok(kept)
    };
    let kept = kept().map_err(|error| failed(&error))?;
    if options.verbose {
        let arrow = if symbolic { "->" } else { "=>" };
        let before = kept.map(|kept| format!("'{kept}' ~ ")).unwrap_or_default();
        run.line(&format!("{before}'{name}' {arrow} '{target}'"));
    }
    Ok(())
}
