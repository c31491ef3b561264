//! `cp` and `mv`: copies share contents in the store, and a move is one change.

use homefs_core::{Clock as _, Error, ErrorKind, Path, Result, SystemClock};
use homefs_view::{Kind, RenameMode, SetAttrs, Stat, is_handle};

use super::backup::Backup;
use super::options::{Item, Spec, Takes};
use super::tool::Run;
use crate::files::reason;

const SPECS: &[Spec] = &[
    ('a', "archive", Takes::Nothing),
    ('b', "b", Takes::Nothing),
    (' ', "backup", Takes::Perhaps),
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

const MOVING: &[Spec] = &[
    ('b', "b", Takes::Nothing),
    (' ', "backup", Takes::Perhaps),
    ('f', "force", Takes::Nothing),
    ('i', "interactive", Takes::Nothing),
    ('n', "no-clobber", Takes::Nothing),
    ('S', "suffix", Takes::Value),
    ('t', "target-directory", Takes::Value),
    ('T', "no-target-directory", Takes::Nothing),
    ('u', "update", Takes::Nothing),
    ('v', "verbose", Takes::Nothing),
    (' ', "strip-trailing-slashes", Takes::Nothing),
];

/// Which links are copied, and of which what they lead to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Links {
    /// Links are copied where directories are.
    #[default]
    Usual,
    Copied,
    Followed,
    /// As usual, but of what is named what it leads to.
    FollowedIfNamed,
}

#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "a command line has as many switches")]
struct Options {
    moving: bool,
    recursive: bool,
    links: Links,
    preserve_mode: bool,
    preserve_times: bool,
    /// What is in the way of a link goes.
    force: bool,
    symbolic: bool,
    backup: Backup,
    /// What is named with a slash at its end is named without.
    strip: bool,
    no_clobber: bool,
    /// Whoever runs it is asked before a file is overwritten.
    ask: bool,
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
    let specs = if options.moving { MOVING } else { SPECS };
    let Some(items) = run.items(specs, None) else { return 1 };
    for item in items {
        match item {
            Item::Operand(operand) => operands.push(operand.to_owned()),
            Item::Option(name, value) => {
                if let Err(message) = options.set(name, value) {
                    run.complain_of_usage(&message);
                    return 1;
                }
            }
        }
    }
    for operand in operands.iter_mut().filter(|_| options.strip) {
        operand.truncate(operand.trim_end_matches('/').len().max(1));
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
        // A file goes on under its own name, by whatever handle it was called.
        let meant = is_handle(name).then(|| run.path(trimmed).ok()).flatten();
        let name = meant.as_ref().and_then(Path::name).unwrap_or(name);
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
    fn set(&mut self, name: &str, value: Option<&str>) -> std::result::Result<(), String> {
        match name {
            "archive" => {
                (self.recursive, self.links) = (true, Links::Copied);
                (self.preserve_mode, self.preserve_times) = (true, true);
            }
            "no-dereference-links" | "no-dereference" => self.links = Links::Copied,
            "dereference" => self.links = Links::Followed,
            "follow-operands" => self.links = Links::FollowedIfNamed,
            "recursive" => self.recursive = true,
            "p" | "preserve" => {
                for what in value.unwrap_or("mode,timestamps").split(',') {
                    match what {
                        "mode" => self.preserve_mode = true,
                        "timestamps" => self.preserve_times = true,
                        "all" => (self.preserve_mode, self.preserve_times) = (true, true),
                        "ownership" => {}
                        other => return Err(format!("{other} is not preserved here")),
                    }
                }
            }
            // Of those that follow one another, the last counts.
            "no-clobber" => (self.no_clobber, self.ask) = (true, false),
            "interactive" => (self.no_clobber, self.ask) = (false, true),
            "force" if self.moving => (self.no_clobber, self.ask) = (false, false),
            "force" => self.force = true,
            "update" => self.update = true,
            "verbose" => self.verbose = true,
            "link" => self.link = true,
            "symbolic-link" => self.symbolic = true,
            "parents" => self.parents = true,
            "no-target-directory" => self.exact = true,
            "strip-trailing-slashes" => self.strip = true,
            "target-directory" => self.into = value.map(str::to_owned),
            name => self.backup.set(name, value)?,
        }
        Ok(())
    }

    /// Tells whether of a link the link is copied.
    fn keeps_link(&self, is_named: bool) -> bool {
        match self.links {
            _ if self.moving || self.symbolic => true,
            Links::Copied => true,
            Links::Followed => false,
            Links::Usual => self.recursive,
            Links::FollowedIfNamed => self.recursive && !is_named,
        }
    }
}

impl Options {
    /// Says that a file does not go where the name of a directory is.
    fn no_directory(&self, from: &str, to: &str) -> String {
        if self.moving {
            format!("cannot move '{from}' to '{to}': Not a directory")
        } else {
            format!("cannot create regular file '{to}': Not a directory")
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

/// Makes an empty file.
fn copy_nothing(run: &Run<'_>, name: &str) -> Result<(), String> {
    let files = &run.ground.files;
    let written = run.path(name).and_then(|to| {
        files.prepare_scratch(&to)?;
        files.home.write(&to, b"", &files.mask.of_files())
    });
    let why = |error| format!("cannot create regular file '{name}': {}", reason(&error));
    written.map(drop).map_err(why)
}

/// Copies or moves one operand.
fn one(run: &mut Run<'_>, options: &Options, from_name: &str, to_name: &str) -> Result<(), String> {
    let ground = run.ground;
    let files = &ground.files;
    if from_name == "/dev/null" && !options.moving {
        return copy_nothing(run, to_name);
    }
    let found = run.path(from_name).and_then(|path| {
        let stat = files.home.stat(&path)?;
        let keep = options.keeps_link(true);
        if stat.kind == Kind::Link && !keep { files.stat_followed(&path) } else { Ok((path, stat)) }
    });
    let (from, stat) =
        found.map_err(|error| format!("cannot stat '{from_name}': {}", reason(&error)))?;
    let to = run.path(to_name).map_err(|error| format!("'{to_name}': {}", reason(&error)))?;
    if stat.kind == Kind::Directory && !options.moving && !options.recursive {
        return Err(format!("-r not specified; omitting directory '{from_name}'"));
    }
    if to_name.ends_with('/') && stat.kind != Kind::Directory && !is_directory(run, to_name) {
        return Err(options.no_directory(from_name, to_name));
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
    let beside = || to.parent().is_some_and(|parent| parent.as_str() == run.directory);
    let relative = options.symbolic && !from_name.starts_with('/');
    if relative && (stat.kind == Kind::Directory || !beside()) {
        let why = "can make relative symbolic links only in current directory";
        return Err(format!("'{to_name}': {why}"));
    }
    if let Ok(there) = files.home.stat(&to)
        && !makes_room(run, options, &stat, &there, (from_name, to_name))?
    {
        return Ok(());
    }
    let mut told = Vec::new();
    let done = if options.moving {
        options.backup.keep(run, &to, &from).and_then(|kept| {
            told.push((from_name.to_owned(), to_name.to_owned(), kept));
            move_node(run, &from, &to)
        })
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
    for (from, to, kept) in told.into_iter().filter(|_| options.verbose) {
        let before = to.rfind('/').map_or("", |slash| &to[..=slash]);
        let kept = kept.map(|kept| format!(" (backup: '{before}{kept}')")).unwrap_or_default();
        let arrow = format!("'{from}' -> '{to}'{kept}");
        run.line(&if options.moving { format!("renamed {arrow}") } else { arrow });
    }
    Ok(())
}

/// Tells whether what is there makes room, and asks if that is wanted.
fn makes_room(
    run: &mut Run<'_>,
    options: &Options,
    stat: &Stat,
    there: &Stat,
    (from, to): (&str, &str),
) -> Result<bool, String> {
    if options.no_clobber || options.update && there.modified >= stat.modified {
        return Ok(false);
    }
    match (stat.kind == Kind::Directory, there.kind == Kind::Directory) {
        (true, false) => {
            Err(format!("cannot overwrite non-directory '{to}' with directory '{from}'"))
        }
        (false, true) => Err(format!("cannot overwrite directory '{to}' with non-directory")),
        (_, is_directory) => {
            let asks = options.ask && !is_directory;
            Ok(!asks || run.asks(&format!("overwrite '{to}'")))
        }
    }
}

/// What was done: from where, to where, and under which name is what was there.
type Told = (String, String, Option<String>);

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
    told: &mut Vec<Told>,
) -> Result<()> {
    let files = &run.ground.files;
    let home = &*files.home;
    files.prepare_scratch(to)?;
    let before = files.stat_followed(to).ok().map(|(_, stat)| stat.mode);
    let is_directory = stat.kind == Kind::Directory;
    let kept = if is_directory { None } else { options.backup.keep(run, to, from)? };
    let before = before.filter(|_| kept.is_none());
    told.push((names.0.to_owned(), names.1.to_owned(), kept));
    let links = !is_directory && (options.symbolic || options.link);
    if links && options.force && home.stat(to).is_ok() {
        home.remove(to, false)?;
    }
    match stat.kind {
        Kind::File | Kind::Link if options.symbolic => {
            return home.symlink(names.0, to).map(drop);
        }
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
                let (below_from, stat) = if options.keeps_link(false) {
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
    let modified = if options.preserve_times { stat.modified } else { SystemClock.now() };
    let mode = match before {
        _ if options.preserve_mode => stat.mode,
        Some(mode) => mode,
        None => stat.mode & !files.mask.get(),
    };
    let set = SetAttrs { mode: Some(mode), modified: Some(modified), ..SetAttrs::default() };
    home.set_attrs(to, &set).map(drop)
}
