//! What the commands have in common: arguments in, bytes and a status out.

use std::collections::HashMap;
use std::path::Path as HostPath;
use std::sync::Arc;

use async_trait::async_trait;
use bashkit::{Command as EngineCommand, CommandContext, CommandStatus, FileSystem};
use bytes::Bytes;
use homefs_core::{Error, ErrorKind, Path, Result};
use homefs_view::Kind;

use super::added::Command;
use super::options::{Item, Spec, parse};
use crate::candidates::Candidates;
use crate::files::Files;
use crate::limits::Limits;
use crate::memory::{Printed, read_all, read_answers};

/// What all commands may use.
#[derive(Clone)]
pub(crate) struct Ground {
    pub(crate) files: Files,
    pub(crate) candidates: Arc<dyn Candidates>,
    /// Commands that were added from outside.
    pub(crate) added: Vec<Arc<dyn Command>>,
    /// What the script may use up.
    pub(crate) limits: Limits,
}

impl Ground {
    /// Returns the same for scripts with these limits.
    pub(crate) fn within(&self, limits: Limits) -> Self {
        let files = Files { memory_bytes: limits.memory_bytes, ..self.files.clone() };
        Self { files, limits, ..self.clone() }
    }
}

/// One run of a command.
pub(crate) struct Run<'a> {
    pub(crate) ground: &'a Ground,
    pub(crate) name: &'a str,
    pub(crate) args: &'a [String],
    /// The working directory.
    pub(crate) directory: &'a str,
    pub(crate) stdin: &'a [u8],
    /// What stands below `/dev` for this command alone: the ends of pipes, as bash gives them.
    pub(crate) devices: HashMap<String, Bytes>,
    /// The variables that are exported.
    pub(crate) environment: &'a HashMap<String, String>,
    pub(crate) out: Printed,
    pub(crate) err: String,
    /// How much was in `out` and in `err` when a complaint ended: both may go to the same place.
    pub(crate) said: Vec<(usize, usize)>,
}

impl<'a> Run<'a> {
    /// Begins a run.
    pub(crate) fn new(
        ground: &'a Ground,
        name: &'a str,
        args: &'a [String],
        directory: &'a str,
        environment: &'a HashMap<String, String>,
    ) -> Self {
        Self {
            ground,
            name,
            args,
            directory,
            stdin: &[],
            devices: HashMap::new(),
            environment,
            out: Printed::new(ground.limits.memory_bytes),
            err: String::new(),
            said: Vec::new(),
        }
    }

    /// Makes a path of an operand. With a slash at its end it names no file, and without a letter
    /// nothing: it is not the working directory.
    pub(crate) fn path(&self, operand: &str) -> Result<Path> {
        if operand.is_empty() {
            return Err(homefs_core::not_found());
        }
        let path = self.ground.files.meant(Path::resolve(self.directory, operand)?)?;
        let names_file = || {
            let found = self.ground.files.stat_followed(&path);
            found.is_ok_and(|(_, stat)| stat.kind != Kind::Directory)
        };
        if operand.ends_with('/') && names_file() {
            let error = Error::new(ErrorKind::NotADirectory, "a file is no directory");
            return Err(error.with_path(&path));
        }
        Ok(path)
    }

    /// Asks a question; takes the next line of standard input for the answer.
    pub(crate) fn asks(&mut self, question: &str) -> bool {
        self.err.extend([self.name, ": ", question, "? "]);
        self.said.push((self.out.len(), self.err.len()));
        let end = self.stdin.iter().position(|byte| *byte == b'\n');
        let (line, rest) = self.stdin.split_at(end.map_or(self.stdin.len(), |end| end + 1));
        self.stdin = rest;
        matches!(line.first(), Some(b'y' | b'Y'))
    }

    /// Returns the file that an operand names, if it is to be read ahead: neither standard input
    /// nor a device.
    pub(crate) fn file(&self, operand: &str) -> Option<Path> {
        let is_file = operand != "-" && !operand.starts_with("/dev/");
        is_file.then(|| self.path(operand).ok()).flatten()
    }

    /// Reads a whole file.
    pub(crate) fn read(&self, operand: &str) -> Result<Bytes> {
        match self.devices.get(operand) {
            Some(content) => Ok(content.clone()),
            None => self.ground.files.read(&self.path(operand)?),
        }
    }

    /// Writes a line to standard error.
    pub(crate) fn complain(&mut self, message: &str) {
        if self.err.len() > self.ground.limits.memory_bytes {
            self.out.fill();
            return;
        }
        self.err.extend([self.name, ": ", message, "\n"]);
        self.said.push((self.out.len(), self.err.len()));
    }

    /// Says that the command line is wrong, and where to read more.
    pub(crate) fn complain_of_usage(&mut self, message: &str) {
        self.complain(message);
        let hint = format!("Try '{} --help' for more information.\n", self.name);
        self.err += &hint;
    }

    /// Reads the command line; says so if it is wrong. `digits` is what `-5` is short for.
    pub(crate) fn items(
        &mut self,
        specs: &[Spec],
        digits: Option<&'static str>,
    ) -> Option<Vec<Item<'a>>> {
        parse(specs, digits, self.args).map_err(|message| self.complain_of_usage(&message)).ok()
    }

    /// Quotes a text as the language of the session does.
    pub(crate) fn quoted(&self, text: &str) -> String {
        let named = |name: &&str| self.environment.get(*name).filter(|value| !value.is_empty());
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(named);
        let wide =
            locale.is_some_and(|locale| locale.to_uppercase().replace('-', "").contains("UTF8"));
        if wide { format!("\u{2018}{text}\u{2019}") } else { format!("'{text}'") }
    }

    /// Writes a line to standard output.
    pub(crate) fn line(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
        self.out.push(b'\n');
    }
}

/// Reads those operands that are below `/dev`, which only the interpreter knows.
pub(crate) async fn devices(
    args: &[String],
    files: &Arc<dyn FileSystem>,
) -> HashMap<String, Bytes> {
    let mut devices = HashMap::new();
    for arg in args.iter().filter(|arg| arg.starts_with("/dev/")) {
        if let Ok(content) = files.read_file(HostPath::new(arg)).await {
            devices.insert(arg.clone(), content.into());
        }
    }
    devices
}

/// Runs a command; returns its status.
pub(crate) type Main = fn(&mut Run<'_>) -> i32;

/// What a command reads of standard input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reads {
    /// Nothing: it is left to whoever comes after it.
    Nothing,
    All,
    /// Answers to what it asks.
    Answers,
}

/// Says of a command line what is read.
pub(crate) type ReadsOf = fn(&[String]) -> Reads;

/// Says of a command line that names standard input, or no file at all, that it is read.
pub(crate) fn unless_files(args: &[String]) -> Reads {
    let named = args.iter().all(|arg| arg.starts_with('-')) || args.iter().any(|arg| arg == "-");
    if named { Reads::All } else { Reads::Nothing }
}

/// Says of a command line with `-i` or `-I` that answers are read.
pub(crate) fn if_asking(args: &[String]) -> Reads {
    let asks = |arg: &String| match arg.strip_prefix('-') {
        Some(long) if long.starts_with('-') => long.starts_with("-i"),
        Some(letters) => letters.contains(['i', 'I']),
        None => false,
    };
    if args.iter().any(asks) { Reads::Answers } else { Reads::Nothing }
}

/// A command that reads its input as a whole and writes when it is done.
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) ground: Ground,
    /// What it reads of standard input.
    pub(crate) reads: ReadsOf,
    /// Runs it.
    pub(crate) run: Main,
}

#[async_trait]
impl EngineCommand for Tool {
    async fn execute(&self, context: CommandContext<'_>) -> bashkit::Result<CommandStatus> {
        let directory = context.cwd.to_string_lossy().into_owned();
        let stdin = match (self.reads)(context.args) {
            Reads::Nothing => Vec::new(),
            Reads::All => read_all(&context.stdin, self.ground.limits.memory_bytes).await?,
            Reads::Answers => read_answers(&context.stdin).await?,
        };
        let mut run = Run {
            stdin: &stdin,
            devices: devices(context.args, &context.fs).await,
            ..Run::new(&self.ground, self.name, context.args, &directory, context.env)
        };
        let status = (self.run)(&mut run);
        let (out, err) = (run.out.into_bytes()?, run.err.into_bytes());
        let (mut out_from, mut err_from) = (0, 0);
        // Complaints with nothing printed between them are handed on together.
        let mut said: Vec<(usize, usize)> = run.said;
        said.push((out.len(), err.len()));
        said.dedup_by(|later, earlier| {
            later.0 == earlier.0 && {
                earlier.1 = later.1;
                true
            }
        });
        for (out_to, err_to) in said {
            if out_to > out_from {
                context.stdout.write_all(&out[out_from..out_to]).await?;
            }
            if err_to > err_from {
                context.stderr.write_all(&err[err_from..err_to]).await?;
            }
            (out_from, err_from) = (out_to, err_to);
        }
        Ok(CommandStatus::with_code(status))
    }
}
