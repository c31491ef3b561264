//! `head` and `tail`, as GNU's.

use async_trait::async_trait;
use bashkit::{Command, CommandContext, CommandInput, CommandOutput, CommandStatus};
use homefs_core::ErrorKind;

use super::cat::endless;
use super::tool::{Ground, Run, devices};
use crate::files::reason;
use crate::memory::{append, exceeded};

/// How much of a device is made at once.
const CHUNK_BYTES: usize = 32 << 10;

/// What is counted, and from which end.
#[derive(Clone, Copy, Debug)]
struct Part {
    bytes: bool,
    /// Counted from the other end: all but so many at the end, or from there on.
    inverted: bool,
    count: usize,
}

/// What a command line says.
struct Options {
    part: Part,
    heads: Option<bool>,
    end: u8,
    operands: Vec<String>,
}

/// The command: `head`, or `tail` if it is of the end.
pub(crate) struct Ends {
    pub(crate) ground: Ground,
    pub(crate) of_end: bool,
}

#[async_trait]
impl Command for Ends {
    async fn execute(&self, context: CommandContext<'_>) -> bashkit::Result<CommandStatus> {
        let directory = context.cwd.to_string_lossy().into_owned();
        let name = if self.of_end { "tail" } else { "head" };
        let mut run = Run {
            devices: devices(context.args, &context.fs).await,
            ..Run::new(&self.ground, name, context.args, &directory, context.env)
        };
        let Ok(options) = self.read(&mut run) else {
            context.stderr.write_all(run.err.as_bytes()).await?;
            return Ok(CommandStatus::with_code(1));
        };
        let heads = options.heads.unwrap_or(options.operands.len() > 1);
        let (mut status, mut first) = (0, true);
        let named = options.operands.iter().map(|operand| (operand, run.file(operand)));
        for (operand, content) in self.ground.files.ahead(named) {
            let from_input = matches!(operand.as_str(), "-" | "/dev/stdin");
            if let Some(byte) = endless(operand) {
                let most = self.ground.limits.memory_bytes;
                options.endless(byte, &context.stdout, most).await?;
                continue;
            }
            let bytes = match content {
                Some(read) => Ok(Some(read)),
                None if from_input => Ok(None),
                None => run.read(operand).map(Some),
            };
            let bytes = match bytes {
                Ok(bytes) => bytes,
                Err(error) => {
                    status = 1;
                    let why = reason(&error);
                    let said = if error.kind() == ErrorKind::IsADirectory {
                        format!("{name}: error reading '{operand}': {why}\n")
                    } else {
                        format!("{name}: cannot open '{operand}' for reading: {why}\n")
                    };
                    context.stderr.write_all(said.as_bytes()).await?;
                    continue;
                }
            };
            if heads {
                let shown = if from_input { "standard input" } else { operand };
                let gap = if first { "" } else { "\n" };
                let head = format!("{gap}==> {shown} <==\n");
                context.stdout.write_all(head.as_bytes()).await?;
            }
            first = false;
            match bytes {
                Some(bytes) => {
                    let part = options.cut(self.of_end, &bytes);
                    context.stdout.write_all(part).await?;
                }
                None => self.input(&options, &context.stdin, &context.stdout).await?,
            }
        }
        Ok(CommandStatus::with_code(status))
    }
}

impl Ends {
    fn read(&self, run: &mut Run<'_>) -> Result<Options, ()> {
        let part = Part { bytes: false, inverted: false, count: 10 };
        let mut options = Options { part, heads: None, end: b'\n', operands: Vec::new() };
        let mut rest = run.args.iter().map(String::as_str);
        while let Some(arg) = rest.next() {
            let old =
                arg.strip_prefix('-').filter(|text| text.starts_with(|c: char| c.is_ascii_digit()));
            if arg == "--" {
                options.operands.extend(rest.by_ref().map(str::to_owned));
            } else if let Some(old) = old {
                let digits = old.trim_end_matches(|c: char| !c.is_ascii_digit());
                options.part = self.count(run, &old[digits.len()..] == "c", digits)?;
            } else if self.of_end
                && arg.len() > 1
                && arg.starts_with('+')
                && options.operands.is_empty()
            {
                options.part = self.count(run, false, arg)?;
            } else if let Some(long) = arg.strip_prefix("--") {
                let (name, value) =
                    long.split_once('=').map_or((long, None), |(a, b)| (a, Some(b)));
                match name {
                    "lines" | "bytes" => {
                        let value = value.or_else(|| rest.next()).unwrap_or_default();
                        options.part = self.count(run, name == "bytes", value)?;
                    }
                    "quiet" | "silent" => options.heads = Some(false),
                    "verbose" => options.heads = Some(true),
                    "zero-terminated" => options.end = 0,
                    // What does not grow is not waited for.
                    "follow" | "retry" | "pid" | "sleep-interval" if self.of_end => {}
                    _ => {
                        run.complain_of_usage(&format!("unrecognized option '{arg}'"));
                        return Err(());
                    }
                }
            } else if arg.len() > 1 && arg.starts_with('-') {
                self.letters(run, &mut options, &arg[1..], &mut rest)?;
            } else {
                options.operands.push(arg.to_owned());
            }
        }
        if options.operands.is_empty() {
            options.operands.push("-".into());
        }
        Ok(options)
    }

    fn letters<'a>(
        &self,
        run: &mut Run<'_>,
        options: &mut Options,
        letters: &'a str,
        rest: &mut impl Iterator<Item = &'a str>,
    ) -> Result<(), ()> {
        for (at, letter) in letters.char_indices() {
            match letter {
                'n' | 'c' => {
                    let attached = Some(&letters[at + 1..]).filter(|value| !value.is_empty());
                    let Some(value) = attached.or_else(|| rest.next()) else {
                        run.complain_of_usage(&format!(
                            "option requires an argument -- '{letter}'"
                        ));
                        return Err(());
                    };
                    options.part = self.count(run, letter == 'c', value)?;
                    return Ok(());
                }
                'q' => options.heads = Some(false),
                'v' => options.heads = Some(true),
                'z' => options.end = 0,
                'f' | 'F' if self.of_end => {}
                _ => {
                    run.complain_of_usage(&format!("invalid option -- '{letter}'"));
                    return Err(());
                }
            }
        }
        Ok(())
    }

    /// Reads how many: `-5` is all but five for `head`, `+5` is from the fifth on for `tail`.
    fn count(&self, run: &mut Run<'_>, bytes: bool, text: &str) -> Result<Part, ()> {
        let sign = if self.of_end { '+' } else { '-' };
        let inverted = text.starts_with(sign);
        let plain = text.trim_start_matches(['+', '-']);
        let digits = plain.trim_end_matches(|letter: char| !letter.is_ascii_digit());
        let unit = match &plain[digits.len()..] {
            "" => Some(1_usize),
            "b" => Some(512),
            "kB" => Some(1000),
            "K" | "k" | "KiB" => Some(1 << 10),
            "MB" => Some(1_000_000),
            "M" | "MiB" => Some(1 << 20),
            "G" | "GiB" => Some(1 << 30),
            _ => None,
        };
        let count =
            digits.parse::<usize>().ok().zip(unit).map(|(count, unit)| count.saturating_mul(unit));
        let Some(count) = count else {
            let what = if bytes { "bytes" } else { "lines" };
            let quoted = run.quoted(text);
            run.complain(&format!("invalid number of {what}: {quoted}"));
            return Err(());
        };
        Ok(Part { bytes, inverted, count })
    }

    /// Reads standard input, no more of it than is needed.
    async fn input(
        &self,
        options: &Options,
        stdin: &CommandInput,
        stdout: &CommandOutput,
    ) -> bashkit::Result<()> {
        let part = options.part;
        let mut content = Vec::new();
        let mut lines = 0;
        while let Some(chunk) = stdin.read_chunk().await? {
            lines += memchr::memchr_iter(options.end, &chunk).count();
            append(&mut content, &chunk, self.ground.limits.memory_bytes)?;
            let enough = if part.bytes { content.len() } else { lines };
            if !self.of_end && !part.inverted && enough >= part.count {
                break;
            }
        }
        stdout.write_all(options.cut(self.of_end, &content)).await
    }
}

impl Options {
    /// Shows so many bytes of what has no end; lines of it are never enough.
    async fn endless(
        &self,
        byte: fn(usize) -> u8,
        stdout: &CommandOutput,
        most: usize,
    ) -> bashkit::Result<()> {
        let part = self.part;
        let wanted = if part.bytes && !part.inverted { part.count } else { usize::MAX };
        let mut left = wanted.min(most);
        while left > 0 {
            let chunk: Vec<u8> = (0..left.min(CHUNK_BYTES)).map(byte).collect();
            stdout.write_all(&chunk).await?;
            left -= chunk.len();
        }
        if wanted > most { Err(exceeded(most)) } else { Ok(()) }
    }

    /// Returns the part of a content that is shown.
    fn cut<'c>(&self, of_end: bool, content: &'c [u8]) -> &'c [u8] {
        let Part { bytes, inverted, count } = self.part;
        let from_start = of_end == inverted;
        // From the start, `tail -n +5` leaves out four.
        let skipped = if of_end && inverted { count.saturating_sub(1) } else { count };
        let at = match (bytes, from_start) {
            (true, true) => skipped.min(content.len()),
            (true, false) => content.len().saturating_sub(skipped),
            (false, true) => self.after_lines(content, skipped),
            (false, false) => self.before_lines(content, skipped),
        };
        if of_end { &content[at..] } else { &content[..at] }
    }

    /// Returns where the line after so many begins.
    fn after_lines(&self, content: &[u8], count: usize) -> usize {
        match count.checked_sub(1) {
            None => 0,
            Some(last) => memchr::memchr_iter(self.end, content)
                .nth(last)
                .map_or(content.len(), |end| end + 1),
        }
    }

    /// Returns where the last so many lines begin.
    fn before_lines(&self, content: &[u8], count: usize) -> usize {
        if count == 0 {
            return content.len();
        }
        let body = content.strip_suffix(&[self.end]).unwrap_or(content);
        memchr::memrchr_iter(self.end, body).nth(count - 1).map_or(0, |end| end + 1)
    }
}
