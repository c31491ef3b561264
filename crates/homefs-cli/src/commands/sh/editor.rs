//! The shell to type into: lines with history and completion.

use std::io::Write;
use std::path::Path as HostPath;

use homefs_api::{Client, Limits, Shell, ShellCall};
use homefs_core::Path;
use homefs_core::limits::PAGE_ENTRIES_MAX;
use homefs_view::Kind;
use nix::sys::signal::{SigSet, Signal};
use rustyline::completion::{Completer, Pair};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::MemHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{CompletionType, Config, Editor, Helper};

use super::{call_in, finish};
use crate::context::Context;
use crate::error::{Failure, Result};
use crate::host;

/// Most lines that are remembered from one time to the next.
const HISTORY_MAX: usize = 1000;

/// Commands that completion offers where a command begins.
const COMMANDS: &str = "awk bash base64 cat cd chmod cmp column comm cp cut date diff du echo egrep \
    exit expr fgrep file find fmt fold grep gzip head help homefs join jq less ln ls md5sum mkdir \
    mktemp mv nl od paste printf pwd recall remember rev rg rm rmdir search sed seq sha256sum sort \
    split stat tac tail tar tee timeout touch tr tree truncate uniq wc xargs xxd yq zcat zgrep";

/// Reads and runs lines until the end.
pub(super) fn run(context: &Context, limits: Limits) -> Result<()> {
    // Before the store is opened: a signal goes to any thread that takes it.
    let signals = SigSet::from_iter([Signal::SIGINT]);
    signals.thread_block().map_err(|error| Failure::new(format!("cannot take Ctrl-C: {error}")))?;
    let client = context.client()?;
    let mut shell = client.shell();
    end_scripts_by_signal(&shell, signals)?;
    // Beside the config file: it is of the person at the terminal, not of the agent.
    let past = context.settings()?.file.as_ref().map(|file| file.with_file_name("sh_history"));
    let config = Config::builder().completion_type(CompletionType::List).build();
    let history = MemHistory::with_config(&config);
    let mut editor = Editor::with_history(config, history).map_err(|error| broken(&error))?;
    let typed = past.as_ref().and_then(|past| host::read_text(past).ok()).unwrap_or_default();
    for line in typed.lines() {
        drop(editor.add_history_entry(line));
    }
    let agent = client.who().agent.clone();
    context.output.say(format_args!("the home of {agent}; help lists commands, Ctrl-D ends"));
    let mut status = 0;
    loop {
        let directory = shell.directory()?;
        editor.set_helper(Some(Typing { client: client.clone(), directory: directory.clone() }));
        let line = match editor.readline(&format!("{agent}:{directory}$ ")) {
            Ok(line) => line,
            Err(ReadlineError::Interrupted) => continue,
            Err(ReadlineError::Eof) => break,
            Err(error) => return Err(broken(&error)),
        };
        if line.trim().is_empty() {
            continue;
        }
        if matches!(editor.add_history_entry(line.as_str()), Ok(true))
            && !line.contains('\n')
            && let Some(past) = &past
        {
            remember(past, &line);
        }
        let call = ShellCall { script: line.clone(), limits, ..ShellCall::default() };
        status = call_in(&mut shell, call)?;
        if line.split_whitespace().next() == Some("exit") {
            break;
        }
    }
    finish(status)
}

/// Lets Ctrl-C end the script that runs, and not this process. While a line is typed, the editor
/// takes it as a key.
fn end_scripts_by_signal(shell: &Shell, signals: SigSet) -> Result<()> {
    let interrupter = shell.interrupter();
    let wait = move || {
        while signals.wait().is_ok() {
            interrupter.interrupt();
        }
    };
    let thread = std::thread::Builder::new().name("homefs-signals".into()).spawn(wait);
    thread.map(drop).map_err(|error| Failure::new(format!("cannot wait for Ctrl-C: {error}")))
}

/// Keeps a line for the next time; that it cannot be kept is no reason to stop.
fn remember(past: &HostPath, line: &str) {
    let lines = host::read_text(past).unwrap_or_default();
    if lines.lines().count() >= HISTORY_MAX {
        let kept: Vec<&str> = lines.lines().skip(HISTORY_MAX / 2).collect();
        drop(host::write(past, format!("{}\n", kept.join("\n")).as_bytes()));
    }
    drop(past.parent().map(host::make_dirs));
    drop(host::append(past).map(|mut file| file.write_all(format!("{line}\n").as_bytes())));
}

fn broken(error: &ReadlineError) -> Failure {
    Failure::new(format!("the terminal cannot be read: {error}"))
}

/// What helps while a line is typed.
struct Typing {
    client: Client,
    directory: String,
}

impl Helper for Typing {}
impl Highlighter for Typing {}

impl Hinter for Typing {
    type Hint = String;
}

impl Validator for Typing {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        let input = context.input();
        if Shell::is_unfinished(input) || input.ends_with('\\') {
            return Ok(ValidationResult::Incomplete);
        }
        Ok(ValidationResult::Valid(None))
    }
}

impl Completer for Typing {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        at: usize,
        _: &rustyline::Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        let typed = &line[..at];
        let start = typed.rfind([' ', '\t', '\n', '|', ';', '&', '(', '<', '>', '=', '"', '\'']);
        let start = start.map_or(0, |before| before + 1);
        let is_command =
            matches!(typed[..start].trim_end().chars().last(), None | Some('|' | ';' | '&' | '('));
        let word = &typed[start..];
        if is_command && !word.contains('/') {
            let names = COMMANDS.split_whitespace().filter(|name| name.starts_with(word));
            return Ok((start, names.map(|name| pair(name, " ")).collect()));
        }
        let (folder, part) = word.rfind('/').map_or(("", word), |at| word.split_at(at + 1));
        Ok((start + folder.len(), self.names(folder, part)))
    }
}

impl Typing {
    /// Lists what is in a directory and begins with a part of a name.
    fn names(&self, folder: &str, part: &str) -> Vec<Pair> {
        let Ok(path) = Path::resolve(&self.directory, folder) else { return Vec::new() };
        let page = self.client.list(&path, None, PAGE_ENTRIES_MAX);
        let entries = page.map_or(Vec::new(), |page| page.items).into_iter();
        let shown = entries.filter(|entry| {
            entry.name.starts_with(part) && (part.starts_with('.') || !entry.name.starts_with('.'))
        });
        shown
            .map(|entry| {
                let after = if entry.stat.kind == Kind::Directory { "/" } else { " " };
                pair(&entry.name, after)
            })
            .collect()
    }
}

fn pair(name: &str, after: &str) -> Pair {
    let safe = |c: char| c.is_alphanumeric() || "._-+@%/,:~".contains(c);
    let escaped = name.chars().flat_map(|c| (!safe(c)).then_some('\\').into_iter().chain([c]));
    Pair {
        display: name.to_owned(),
        replacement: format!("{}{after}", escaped.collect::<String>()),
    }
}
