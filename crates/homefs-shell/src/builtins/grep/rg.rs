//! `rg` on top of grep: the same index and matcher, and ripgrep's ideas of what to search.
//!
//! What is asked for most is done here. For the rest there is the interpreter's own `rg`, which
//! knows every option, but no index.

use async_trait::async_trait;
use bashkit::{Command, CommandContext, CommandStatus};
use homefs_core::Path;
use homefs_view::Kind;

use super::matcher::compile;
use super::options::{Binary, Directories, Options, Show};
use super::search::{Progress, Search};
use super::walk::{Target, Walk};
use super::{FILES_BETWEEN_CHECKS, HANDED_ON_BYTES, has_changed, may_leave_out};
use crate::builtins::engines_own;
use crate::builtins::grep::Syntax;
use crate::builtins::options::{Item, Spec, Takes, parse};
use crate::builtins::tool::{Ground, Run};
use crate::candidates::LinePattern;
use crate::files::reason;
use crate::glob::Glob;
use crate::memory::read_all;

const SPECS: &[Spec] = &[
    ('e', "regexp", Takes::Value),
    ('F', "fixed-strings", Takes::Nothing),
    ('i', "ignore-case", Takes::Nothing),
    ('s', "case-sensitive", Takes::Nothing),
    ('S', "smart-case", Takes::Nothing),
    ('v', "invert-match", Takes::Nothing),
    ('w', "word-regexp", Takes::Nothing),
    ('x', "line-regexp", Takes::Nothing),
    ('c', "count", Takes::Nothing),
    ('l', "files-with-matches", Takes::Nothing),
    (' ', "files-without-match", Takes::Nothing),
    ('o', "only-matching", Takes::Nothing),
    ('q', "quiet", Takes::Nothing),
    ('m', "max-count", Takes::Value),
    ('n', "line-number", Takes::Nothing),
    ('N', "no-line-number", Takes::Nothing),
    ('H', "with-filename", Takes::Nothing),
    ('I', "no-filename", Takes::Nothing),
    (' ', "no-heading", Takes::Nothing),
    ('A', "after-context", Takes::Value),
    ('B', "before-context", Takes::Value),
    ('C', "context", Takes::Value),
    ('g', "glob", Takes::Value),
    ('t', "type", Takes::Value),
    ('T', "type-not", Takes::Value),
    ('.', "hidden", Takes::Nothing),
    (' ', "no-ignore", Takes::Nothing),
    (' ', "no-messages", Takes::Nothing),
    (' ', "sort", Takes::Value),
    (' ', "color", Takes::Value),
];

/// What files of a kind are called, for `-t`.
const TYPES: &[(&str, &[&str])] = &[
    ("c", &["*.c", "*.h"]),
    ("cpp", &["*.cpp", "*.cc", "*.cxx", "*.hpp", "*.hh", "*.hxx", "*.h", "*.inl"]),
    ("css", &["*.css", "*.scss"]),
    ("csv", &["*.csv"]),
    ("go", &["*.go"]),
    ("html", &["*.htm", "*.html", "*.ejs"]),
    ("java", &["*.java", "*.jsp", "*.jspx", "*.properties"]),
    ("js", &["*.js", "*.jsx", "*.vue", "*.cjs", "*.mjs"]),
    ("json", &["*.json", "composer.lock", "*.sarif"]),
    ("log", &["*.log"]),
    ("markdown", &["*.markdown", "*.md", "*.mdown", "*.mdwn", "*.mdx", "*.mkd", "*.mkdn"]),
    ("md", &["*.markdown", "*.md", "*.mdown", "*.mdwn", "*.mdx", "*.mkd", "*.mkdn"]),
    ("py", &["*.py", "*.pyi"]),
    ("python", &["*.py", "*.pyi"]),
    ("rust", &["*.rs"]),
    ("sql", &["*.sql", "*.psql"]),
    ("toml", &["*.toml", "Cargo.lock"]),
    ("ts", &["*.ts", "*.tsx", "*.cts", "*.mts"]),
    ("txt", &["*.txt"]),
    ("yaml", &["*.yaml", "*.yml"]),
];

/// Which files are searched, besides grep's ideas.
#[derive(Default)]
struct Choice {
    hidden: bool,
    no_ignore: bool,
    only: Vec<Glob>,
    not: Vec<Glob>,
    kinds: Vec<Glob>,
    not_kinds: Vec<Glob>,
}

impl Choice {
    /// Tells whether a file is searched, by its name below the directory where the search began.
    fn wants(&self, below: &str) -> bool {
        let last = below.rsplit('/').next().unwrap_or(below);
        let hit = |globs: &[Glob]| globs.iter().any(|glob| glob.matches(last));
        let hidden = below.split('/').any(|name| name.starts_with('.'));
        (self.hidden || !hidden || hit(&self.only))
            && (self.only.is_empty() || hit(&self.only))
            && (self.kinds.is_empty() || hit(&self.kinds))
            && !hit(&self.not)
            && !hit(&self.not_kinds)
    }
}

/// The command.
pub(crate) struct Rg {
    pub(crate) ground: Ground,
}

#[async_trait]
impl Command for Rg {
    async fn execute(&self, context: CommandContext<'_>) -> bashkit::Result<CommandStatus> {
        let directory = context.cwd.to_string_lossy().into_owned();
        let mut run = Run::new(&self.ground, "rg", context.args, &directory, context.env);
        let ready = read(&run).filter(|(options, choice)| {
            !options.operands.is_empty() && self.is_ours(&run, options, choice)
        });
        // Without a file or directory it may be standard input that is meant.
        let mut stdin = Vec::new();
        if ready.is_none() {
            stdin = read_all(&context.stdin, self.ground.limits.memory_bytes).await?;
        }
        let ready = ready.or_else(|| {
            let (mut options, choice) = read(&run).filter(|_| stdin.is_empty())?;
            if options.operands.is_empty() {
                options.operands.push(String::new());
            }
            self.is_ours(&run, &options, &choice).then_some((options, choice))
        });
        let compiled = ready.as_ref().and_then(|(options, _)| compile(options).ok());
        let (Some((options, choice)), Some((compiled, pattern))) = (ready, compiled) else {
            return engines_own::run(&self.ground, &context, context.args, stdin, false).await;
        };
        let wanted = LinePattern { pattern, ignore_case: options.ignore_case };
        let wanted = may_leave_out(&options).then_some(&wanted);
        let many =
            options.operands.len() > 1 || self.directory(&run, &options.operands[0]).is_some();
        let mut search = Search::new(&options, &compiled, options.names.unwrap_or(many));
        let (mut found, mut failed) = (false, false);
        let targets = self.targets(&run, &options, &choice, wanted);
        let targets = self.ground.files.ahead(targets.into_iter().map(Target::with_path));
        for (index, (target, content)) in targets.enumerate() {
            match content.map_or_else(|| self.ground.files.read(&target.path), Ok) {
                Ok(bytes) => {
                    let mut progress = Progress::default();
                    if let Err(message) = search.part(&target.name, &bytes, &mut progress) {
                        run.complain(&message);
                    }
                    let with = search.end(&target.name, &progress);
                    found |= with != (options.show == Show::NamesWithout);
                }
                Err(error) if !target.is_named && has_changed(&error) => {}
                Err(error) => {
                    run.complain(&format!("{}: {}", target.name, reason(&error)));
                    failed = true;
                }
            }
            if options.show == Show::Nothing && found {
                break;
            }
            if index % FILES_BETWEEN_CHECKS == 0 || search.out.len() > HANDED_ON_BYTES {
                context.stdout.write_all(&search.out).await?;
                search.out.clear();
            }
        }
        context.stdout.write_all(&search.out).await?;
        context.stderr.write_all(run.err.as_bytes()).await?;
        Ok(CommandStatus::with_code(if failed { 2 } else { i32::from(!found) }))
    }
}

impl Rg {
    /// Returns the files to search.
    fn targets(
        &self,
        run: &Run<'_>,
        options: &Options,
        choice: &Choice,
        wanted: Option<&LinePattern>,
    ) -> Vec<Target> {
        let mut targets = Vec::new();
        for operand in &options.operands {
            if let Some(path) = self.directory(run, operand) {
                let name = operand.trim_end_matches('/');
                let start = if name.is_empty() { 0 } else { name.len() + 1 };
                let walk = Walk::new(&self.ground, options, name, &path, wanted);
                targets.extend(walk.filter(|target| {
                    target.name.get(start..).is_some_and(|below| choice.wants(below))
                }));
            } else if let Ok(path) = run.path(operand) {
                targets.push(Target { name: operand.clone(), path, is_named: true });
            }
        }
        targets
    }

    fn directory(&self, run: &Run<'_>, operand: &str) -> Option<Path> {
        let operand = if operand.is_empty() { "." } else { operand };
        let found = run.path(operand).and_then(|path| self.ground.files.stat_followed(&path));
        found.ok().filter(|(_, stat)| stat.kind == Kind::Directory).map(|(path, _)| path)
    }

    /// Tells whether a search is one that is done here: nothing on its way says what to leave out.
    fn is_ours(&self, run: &Run<'_>, options: &Options, choice: &Choice) -> bool {
        const RULES: [&str; 3] = [".ignore", ".rgignore", ".git"];
        let home = &*self.ground.files.home;
        options.operands.iter().all(|operand| {
            let Some(directory) = self.directory(run, operand) else {
                // Whether a single file is a text is told in other words.
                return run.read(operand).is_ok_and(|content| !content.contains(&0));
            };
            let mut at = Some(directory);
            while let Some(directory) = at.filter(|_| !choice.no_ignore) {
                let rule =
                    |name: &&str| directory.join(name).is_ok_and(|path| home.stat(&path).is_ok());
                if RULES.iter().any(rule) {
                    return false;
                }
                at = directory.parent();
            }
            true
        })
    }
}

/// Reads a command line; `None` if there is something on it that is not done here.
fn read(run: &Run<'_>) -> Option<(Options, Choice)> {
    let mut options = Options::new(Syntax::Perl);
    (options.directories, options.binary) = (Directories::Recurse, Binary::Skip);
    options.counts_only_found = true;
    let mut choice = Choice::default();
    let mut smart = false;
    let mut given = Vec::new();
    for item in parse(SPECS, None, run.args).ok()? {
        match item {
            Item::Operand(operand) => options.operands.push(operand.to_owned()),
            Item::Option("regexp", value) => given.extend(value.map(str::to_owned)),
            Item::Option(name, value) => {
                set(&mut options, &mut choice, name, value.unwrap_or_default())?;
                smart = name == "smart-case" || smart && name != "case-sensitive";
            }
        }
    }
    if given.is_empty() {
        if options.operands.is_empty() {
            return None;
        }
        given.push(options.operands.remove(0));
    }
    // What is empty, or spans lines, is better known by others.
    if given.iter().any(|pattern| pattern.is_empty() || pattern.contains(r"\n")) {
        return None;
    }
    options.ignore_case |= smart && !given.iter().any(|text| text.contains(char::is_uppercase));
    options.patterns = given;
    Some((options, choice))
}

fn set(options: &mut Options, choice: &mut Choice, name: &str, value: &str) -> Option<()> {
    match name {
        "fixed-strings" => options.syntax = Syntax::Fixed,
        "case-sensitive" => options.ignore_case = false,
        "files-without-match" => options.show = Show::NamesWithout,
        "no-line-number" => options.line_numbers = false,
        "hidden" => choice.hidden = true,
        "no-ignore" => choice.no_ignore = true,
        "glob" if value.contains('/') || value.contains('{') => return None,
        "glob" => match value.strip_prefix('!') {
            Some(glob) => choice.not.push(Glob::new(glob, false)),
            None => choice.only.push(Glob::new(value, false)),
        },
        "type" | "type-not" => {
            let names = TYPES.iter().find(|kind| kind.0 == value)?.1;
            let globs = names.iter().map(|glob| Glob::new(glob, false));
            let kinds = if name == "type" { &mut choice.kinds } else { &mut choice.not_kinds };
            kinds.extend(globs);
        }
        "sort" if value == "path" => {}
        "color" if value == "never" || value == "auto" => {}
        "smart-case" | "no-heading" => {}
        "sort" | "color" => return None,
        other => options.set(other, value).ok()?,
    }
    Some(())
}
