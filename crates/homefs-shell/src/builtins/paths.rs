//! `realpath` and `readlink`, as GNU's.

use homefs_core::Path;
use homefs_core::limits::LINKS_FOLLOWED_MAX;
use homefs_view::{Kind, is_handle};

use super::ls;
use super::options::{Item, Spec, Takes};
use super::tool::Run;
use crate::files::reason;

const SPECS: &[Spec] = &[
    ('e', "canonicalize-existing", Takes::Nothing),
    ('f', "canonicalize", Takes::Nothing),
    ('m', "canonicalize-missing", Takes::Nothing),
    ('n', "no-newline", Takes::Nothing),
    ('q', "quiet", Takes::Nothing),
    ('s', "no-symlinks", Takes::Nothing),
    (' ', "strip", Takes::Nothing),
    ('v', "verbose", Takes::Nothing),
    ('z', "zero", Takes::Nothing),
    ('P', "physical", Takes::Nothing),
    (' ', "relative-to", Takes::Value),
];

/// What has to exist of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Needs {
    All,
    AllButLast,
    Nothing,
}

#[derive(Debug)]
struct Options {
    /// `None`: only the target of a link is asked for.
    needs: Option<Needs>,
    follow: bool,
    quiet: bool,
    end: &'static str,
    relative_to: Option<String>,
    operands: Vec<String>,
}

impl Options {
    fn read(run: &mut Run<'_>, needs: Option<Needs>, quiet: bool) -> Option<Self> {
        let mut options =
            Self { needs, follow: true, quiet, end: "\n", relative_to: None, operands: Vec::new() };
        let items = run.items(SPECS, None)?;
        for item in items {
            match item {
                Item::Operand(operand) => options.operands.push(operand.to_owned()),
                Item::Option("canonicalize-existing", _) => options.needs = Some(Needs::All),
                Item::Option("canonicalize", _) => options.needs = Some(Needs::AllButLast),
                Item::Option("canonicalize-missing", _) => options.needs = Some(Needs::Nothing),
                Item::Option("no-newline", _) => options.end = "",
                Item::Option("zero", _) => options.end = "\0",
                Item::Option("quiet", _) => options.quiet = true,
                Item::Option("verbose", _) => options.quiet = false,
                Item::Option("no-symlinks" | "strip", _) => options.follow = false,
                Item::Option("relative-to", value) => {
                    options.relative_to = value.map(str::to_owned);
                }
                Item::Option(..) => {}
            }
        }
        if options.operands.is_empty() {
            run.complain_of_usage("missing operand");
            return None;
        }
        Some(options)
    }
}

/// A name that no script uses, of the command that conditions ask about two files.
pub(crate) const SAME_FILE: &str = "__homefs_same_file";

/// Tells by its status whether its two arguments name one file.
pub(crate) fn same_file(run: &mut Run<'_>) -> i32 {
    let [left, right] = run.args else { return 2 };
    let files = &run.ground.files;
    let found =
        [left, right].map(|name| run.path(name).and_then(|path| files.stat_followed(&path)));
    match found {
        [Ok((left, one)), Ok((right, other))] => {
            i32::from(left != right && ls::inode(&one) != ls::inode(&other))
        }
        _ => 1,
    }
}

/// Runs `realpath`.
pub(crate) fn real(run: &mut Run<'_>) -> i32 {
    let Some(options) = Options::read(run, Some(Needs::AllButLast), false) else { return 1 };
    all(run, &options)
}

/// Runs `readlink`.
pub(crate) fn link_target(run: &mut Run<'_>) -> i32 {
    let Some(options) = Options::read(run, None, true) else { return 1 };
    all(run, &options)
}

fn all(run: &mut Run<'_>, options: &Options) -> i32 {
    let mut status = 0;
    let base = options.relative_to.as_deref();
    let base = base.and_then(|base| canonical(run, base, Needs::Nothing, options.follow).ok());
    for operand in &options.operands {
        let found = match options.needs {
            Some(needs) => canonical(run, operand, needs, options.follow),
            None => run
                .path(operand)
                .and_then(|path| run.ground.files.home.read_link(&path))
                .map_err(|error| reason(&error)),
        };
        match found {
            Ok(path) => {
                let shown = base.as_deref().map_or_else(|| path.clone(), |base| from(base, &path));
                run.out.extend_from_slice(shown.as_bytes());
                // What is asked without an end for one would run together for several.
                let end = if options.operands.len() > 1 && options.end.is_empty() {
                    "\n"
                } else {
                    options.end
                };
                run.out.extend_from_slice(end.as_bytes());
            }
            Err(why) => {
                status = 1;
                if !options.quiet {
                    run.complain(&format!("{operand}: {why}"));
                }
            }
        }
    }
    status
}

/// Returns the path to which an operand leads, without links and dots.
fn canonical(
    run: &Run<'_>,
    operand: &str,
    needs: Needs,
    follow: bool,
) -> Result<String, &'static str> {
    if operand.is_empty() {
        return Err("No such file or directory");
    }
    let home = &*run.ground.files.home;
    let last = operand.rsplit('/').next().unwrap_or(operand);
    let meant = is_handle(last).then(|| run.path(operand)).transpose();
    let full = if let Some(meant) = meant.map_err(|error| reason(&error))? {
        meant.as_str().to_owned()
    } else if operand.starts_with('/') {
        operand.to_owned()
    } else {
        format!("{}/{operand}", run.directory)
    };
    let mut ahead: Vec<String> = full.split('/').rev().map(str::to_owned).collect();
    let mut at: Vec<String> = Vec::new();
    let (mut links, mut missing, mut file) = (0, false, false);
    while let Some(name) = ahead.pop() {
        match name.as_str() {
            "" | "." => continue,
            ".." => {
                at.pop();
                continue;
            }
            _ => {}
        }
        if file && needs != Needs::Nothing {
            return Err("Not a directory");
        }
        if missing && needs != Needs::Nothing {
            return Err("No such file or directory");
        }
        at.push(name);
        let path = Path::resolve("/", &at.join("/")).map_err(|error| reason(&error))?;
        match home.stat(&path) {
            Ok(stat) if stat.kind == Kind::Link && follow => {
                links += 1;
                if links > LINKS_FOLLOWED_MAX {
                    return Err("Too many levels of symbolic links");
                }
                let target = home.read_link(&path).map_err(|error| reason(&error))?;
                at.pop();
                if target.starts_with('/') {
                    at.clear();
                }
                ahead.extend(target.split('/').rev().map(str::to_owned));
            }
            Ok(stat) => file = stat.kind != Kind::Directory,
            Err(error) if needs == Needs::All => return Err(reason(&error)),
            Err(_) => missing = true,
        }
    }
    Ok(format!("/{}", at.join("/")))
}

/// Returns an operand as it is seen from a directory, which need not be there.
pub(super) fn relative(
    run: &Run<'_>,
    directory: &str,
    operand: &str,
) -> Result<String, &'static str> {
    let directory = canonical(run, directory, Needs::Nothing, true)?;
    canonical(run, operand, Needs::Nothing, true).map(|path| from(&directory, &path))
}

/// Returns a path as it is seen from a directory.
fn from(base: &str, path: &str) -> String {
    let names = |text: &str| -> Vec<String> {
        text.split('/').filter(|name| !name.is_empty()).map(str::to_owned).collect()
    };
    let (base, path) = (names(base), names(path));
    let common = base.iter().zip(&path).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..".to_owned(), base.len() - common);
    let steps: Vec<String> = up.chain(path[common..].iter().cloned()).collect();
    if steps.is_empty() { ".".into() } else { steps.join("/") }
}
