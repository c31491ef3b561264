//! `grep`, `egrep` and `fgrep`: which files to read may come from an index, what matches never.

mod matcher;
mod options;
mod pattern;
mod rg;
mod search;
mod walk;

use async_trait::async_trait;
use bashkit::{Command, CommandContext, CommandInput, CommandOutput, CommandStatus};
use homefs_core::{Error, ErrorKind};
use homefs_view::Kind;

use self::matcher::compile;
use self::options::{Binary, Directories, Options, Show};
use self::search::{Progress, Search};
use self::walk::{Target, Walk};
use super::tool::{Ground, Run, devices};
use crate::candidates::LinePattern;
use crate::files::reason;
use crate::memory::{append, read_all};

pub(crate) use self::pattern::{Syntax, translate};
pub(crate) use self::rg::Rg;

/// How much is printed before it is handed on, so that a reader that has enough is noticed.
const HANDED_ON_BYTES: usize = 16 << 10;

/// After how many files the deadline is looked at.
const FILES_BETWEEN_CHECKS: usize = 64;

/// The command, which reads its input and writes its output as they come.
pub(crate) struct Grep {
    pub(crate) ground: Ground,
    pub(crate) syntax: Syntax,
}

#[async_trait]
impl Command for Grep {
    async fn execute(&self, context: CommandContext<'_>) -> bashkit::Result<CommandStatus> {
        let directory = context.cwd.to_string_lossy().into_owned();
        // Patterns from standard input come before what is searched.
        let from_input = context.args.windows(2).any(|pair| pair == ["-f", "-"]);
        let mut stdin = Vec::new();
        if from_input {
            stdin = read_all(&context.stdin, self.ground.limits.memory_bytes).await?;
        }
        let mut run = Run {
            stdin: &stdin,
            devices: devices(context.args, &context.fs).await,
            ..Run::new(&self.ground, "grep", context.args, &directory, context.env)
        };
        let ready = Options::read(&mut run, self.syntax).and_then(|options| {
            let compiled = compile(&options).map_err(|message| {
                run.complain(message.lines().last().unwrap_or_default());
                2
            })?;
            Ok((options, compiled))
        });
        let status = match ready {
            Ok((options, (compiled, pattern))) => {
                let names = options.names.unwrap_or_else(|| is_many(&run, &options));
                let wanted = LinePattern { pattern, ignore_case: options.ignore_case };
                let mut job = Job {
                    search: Search::new(&options, &compiled, names),
                    wanted: may_leave_out(&options).then_some(&wanted),
                    options: &options,
                    run: &mut run,
                    stdout: &context.stdout,
                    stderr: &context.stderr,
                    found: false,
                    failed: false,
                };
                job.all(&context.stdin).await?;
                let (found, failed) = (job.found, job.failed);
                match (options.show, found, failed) {
                    (Show::Nothing, true, _) | (_, true, false) => 0,
                    (_, _, true) => 2,
                    (_, false, false) => 1,
                }
            }
            Err(status) => status,
        };
        if !run.err.is_empty() {
            context.stderr.write_all(run.err.as_bytes()).await?;
        }
        Ok(CommandStatus::with_code(status))
    }
}

/// Tells whether lines can be of more than one file.
fn is_many(run: &Run<'_>, options: &Options) -> bool {
    match &options.operands[..] {
        [] => options.recurses(),
        [only] if options.recurses() => {
            let found = run.path(only).and_then(|path| run.ground.files.stat_followed(&path));
            found.is_ok_and(|(_, stat)| stat.kind == Kind::Directory)
        }
        operands => operands.len() > 1,
    }
}

/// Tells whether files without a match change nothing.
fn may_leave_out(options: &Options) -> bool {
    !options.invert
        && !matches!(options.show, Show::Count | Show::NamesWithout)
        && options.patterns.iter().all(|pattern| !pattern.is_empty())
}

/// Tells whether a file was removed, or replaced, since its directory or an index was looked at.
fn has_changed(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::IsADirectory)
}

/// Files that cannot be read at present, because whoever has them does not answer: that is said
/// once, not file by file.
#[derive(Default)]
struct Away {
    files: usize,
    /// The first of them, and why.
    first: Option<(String, Error)>,
}

impl Away {
    fn note(&mut self, name: &str, error: &Error) {
        self.files += 1;
        self.first.get_or_insert_with(|| (name.to_owned(), error.clone()));
    }

    /// Returns what is said of files below what is called `above`.
    fn told(self, above: &str) -> Option<(String, String)> {
        let (name, error) = self.first?;
        if self.files == 1 {
            return Some((name, reason(&error).to_owned()));
        }
        let above = if above.is_empty() { "." } else { above };
        let why = format!("{} files cannot be read: {}", self.files, error.message());
        Some((above.to_owned(), why))
    }
}

/// One search through everything that was named.
struct Job<'a, 'r> {
    search: Search<'a>,
    wanted: Option<&'a LinePattern>,
    options: &'a Options,
    run: &'a mut Run<'r>,
    stdout: &'a CommandOutput,
    stderr: &'a CommandOutput,
    found: bool,
    failed: bool,
}

impl Job<'_, '_> {
    async fn all(&mut self, stdin: &CommandInput) -> bashkit::Result<()> {
        let options = self.options;
        if options.operands.is_empty() {
            if options.recurses() {
                self.below("", ".").await?;
            } else {
                self.input(stdin).await?;
            }
        }
        let ground = self.run.ground;
        let named = options.operands.iter().map(|operand| {
            let path = self.run.file(operand).filter(|_| options.wants(operand));
            (operand, path)
        });
        let named: Vec<_> = named.collect();
        for (operand, content) in ground.files.ahead(named) {
            if operand == "-" {
                self.input(stdin).await?;
            } else if let Some(content) = content {
                self.text(operand, &content);
                self.hand_on().await?;
            } else {
                self.operand(operand).await?;
                self.hand_on().await?;
            }
            if self.is_settled() {
                break;
            }
        }
        self.hand_on().await
    }

    /// Tells whether nothing that follows can change the outcome.
    fn is_settled(&self) -> bool {
        self.options.show == Show::Nothing && self.found
    }

    async fn operand(&mut self, operand: &str) -> bashkit::Result<()> {
        if self.run.devices.contains_key(operand) {
            return self.file(operand, operand).await;
        }
        let stat =
            self.run.path(operand).and_then(|path| self.run.ground.files.stat_followed(&path));
        match stat {
            Err(error) => self.fail(operand, reason(&error)),
            Ok((_, stat)) if stat.kind == Kind::Directory => match self.options.directories {
                Directories::Skip => {}
                Directories::Complain => self.fail(operand, "Is a directory"),
                _ if self.options.leaves_out(operand.trim_end_matches('/')) => {}
                _ => return self.below(operand, operand).await,
            },
            Ok(_) if self.options.wants(operand) => return self.file(operand, operand).await,
            Ok(_) => {}
        }
        Ok(())
    }

    /// Searches everything below a directory.
    async fn below(&mut self, name: &str, operand: &str) -> bashkit::Result<()> {
        let Ok(path) = self.run.path(operand) else { return Ok(()) };
        let path = self.run.ground.files.stat_followed(&path).map_or(path, |(path, _)| path);
        let ground = self.run.ground;
        let walk = Walk::new(ground, self.options, name, &path, self.wanted);
        let targets = ground.files.ahead(walk.map(Target::with_path));
        let mut away = Away::default();
        for (index, (Target { name, path, .. }, content)) in targets.enumerate() {
            match content.map_or_else(|| ground.files.read(&path), Ok) {
                Ok(content) => self.text(&name, &content),
                Err(error) if has_changed(&error) => {}
                Err(error) if error.kind() == ErrorKind::Unavailable => away.note(&name, &error),
                Err(error) => self.fail(&name, reason(&error)),
            }
            if self.is_settled() {
                break;
            }
            if index % FILES_BETWEEN_CHECKS == 0 || self.search.out.len() > HANDED_ON_BYTES {
                self.hand_on().await?;
            }
        }
        if let Some((name, why)) = away.told(name) {
            self.fail(&name, &why);
        }
        Ok(())
    }

    async fn file(&mut self, name: &str, operand: &str) -> bashkit::Result<()> {
        match self.run.read(operand) {
            Ok(content) => self.text(name, &content),
            Err(error) => self.fail(name, reason(&error)),
        }
        self.hand_on().await
    }

    fn text(&mut self, name: &str, content: &[u8]) {
        let mut progress = Progress::default();
        let searched = self.search.part(name, content, &mut progress);
        self.end(name, &progress, searched);
    }

    fn end(&mut self, name: &str, progress: &Progress, searched: Result<(), String>) {
        if let Err(message) = searched {
            self.fail(name, &message);
        }
        self.run.err += &std::mem::take(&mut self.search.err);
        self.found |= self.search.end(name, progress) != (self.options.show == Show::NamesWithout);
    }

    /// Searches standard input as it comes, as far as that is possible.
    async fn input(&mut self, stdin: &CommandInput) -> bashkit::Result<()> {
        let name = self.options.label.clone();
        // Lines before a match, and whether a text is one, need all of it.
        let whole = self.options.before > 0
            || self.options.after > 0
            || self.options.binary == Binary::Skip;
        let terminator = if self.options.null_lines { 0 } else { b'\n' };
        let mut progress = Progress::default();
        let mut pending = Vec::new();
        let mut searched = Ok(());
        while searched.is_ok() && !progress.done {
            let Some(chunk) = stdin.read_chunk().await? else { break };
            append(&mut pending, &chunk, self.run.ground.limits.memory_bytes)?;
            let end = pending.iter().rposition(|&byte| byte == terminator);
            if let (false, Some(end)) = (whole, end) {
                let rest = pending.split_off(end + 1);
                searched = self.search.part(&name, &pending, &mut progress);
                pending = rest;
                self.hand_on().await?;
            }
        }
        if !pending.is_empty() && !progress.done && searched.is_ok() {
            searched = self.search.part(&name, &pending, &mut progress);
        }
        self.end(&name, &progress, searched);
        self.hand_on().await
    }

    fn fail(&mut self, name: &str, why: &str) {
        if !self.options.silent {
            self.run.complain(&format!("{name}: {why}"));
        }
        self.failed = true;
    }

    /// Hands on what was printed; looks at the deadline, too.
    async fn hand_on(&mut self) -> bashkit::Result<()> {
        self.stdout.write_all(&self.search.out).await?;
        self.search.out.clear();
        if !self.run.err.is_empty() {
            self.stderr.write_all(self.run.err.as_bytes()).await?;
            self.run.err.clear();
        }
        Ok(())
    }
}
