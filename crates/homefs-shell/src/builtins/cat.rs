//! `cat`, as GNU's: what comes is handed on at once, and complaints stand where they belong.

use async_trait::async_trait;
use bashkit::{Command, CommandContext, CommandOutput, CommandStatus};

use super::options::{Item, Spec, Takes, parse};
use super::tool::{Ground, Run, devices};
use crate::files::reason;
use crate::memory::exceeded;

const SPECS: &[Spec] = &[
    ('A', "show-all", Takes::Nothing),
    ('b', "number-nonblank", Takes::Nothing),
    ('e', "e", Takes::Nothing),
    ('E', "show-ends", Takes::Nothing),
    ('n', "number", Takes::Nothing),
    ('s', "squeeze-blank", Takes::Nothing),
    ('t', "t", Takes::Nothing),
    ('T', "show-tabs", Takes::Nothing),
    ('u', "u", Takes::Nothing),
    ('v', "show-nonprinting", Takes::Nothing),
];

/// What is done to the text on its way.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "a command line has as many switches")]
struct Style {
    number: bool,
    number_filled: bool,
    squeeze: bool,
    ends: bool,
    tabs: bool,
    controls: bool,
    /// The number of the last line, and how many lines in a row were empty.
    line: usize,
    empty: usize,
    /// The next byte is not the first of its line.
    inside: bool,
}

/// The command.
pub(crate) struct Cat {
    pub(crate) ground: Ground,
}

#[async_trait]
impl Command for Cat {
    async fn execute(&self, context: CommandContext<'_>) -> bashkit::Result<CommandStatus> {
        let directory = context.cwd.to_string_lossy().into_owned();
        let mut run = Run {
            devices: devices(context.args, &context.fs).await,
            ..Run::new(&self.ground, "cat", context.args, &directory, context.env)
        };
        let mut style = Style::default();
        let mut operands = Vec::new();
        match parse(SPECS, None, run.args) {
            Err(message) => run.complain_of_usage(&message),
            Ok(items) => {
                for item in items {
                    match item {
                        Item::Operand(operand) => operands.push(operand),
                        Item::Option(name, _) => style.set(name),
                    }
                }
                if operands.is_empty() {
                    operands.push("-");
                }
            }
        }
        let mut failed = !run.err.is_empty();
        context.stderr.write_all(std::mem::take(&mut run.err).as_bytes()).await?;
        let named = operands.into_iter().map(|operand| (operand, run.file(operand)));
        for (operand, content) in self.ground.files.ahead(named) {
            if matches!(operand, "-" | "/dev/stdin") {
                while let Some(chunk) = context.stdin.read_chunk().await? {
                    style.hand_on(&chunk, &context.stdout).await?;
                }
                continue;
            }
            if let Some(byte) = endless(operand) {
                let chunk: Vec<u8> = (0..ENDLESS_BYTES).map(byte).collect();
                // Ends when nobody reads it any more, or whoever reads it may hold no more.
                let most = self.ground.limits.memory_bytes;
                for _ in 0..most.div_ceil(ENDLESS_BYTES) {
                    style.hand_on(&chunk, &context.stdout).await?;
                }
                return Err(exceeded(most));
            }
            match content.map_or_else(|| run.read(operand), Ok) {
                Ok(bytes) => style.hand_on(&bytes, &context.stdout).await?,
                Err(error) => {
                    let message = format!("cat: {operand}: {}\n", reason(&error));
                    context.stderr.write_all(message.as_bytes()).await?;
                    failed = true;
                }
            }
        }
        Ok(CommandStatus::with_code(i32::from(failed)))
    }
}

/// How much of an endless device is made at once.
const ENDLESS_BYTES: usize = 32 << 10;

/// Returns what a device consists of that has no end.
pub(super) fn endless(operand: &str) -> Option<fn(usize) -> u8> {
    match operand {
        "/dev/zero" => Some(|_| 0),
        // Whoever needs chance has `$RANDOM`; this is for those who need many bytes.
        "/dev/urandom" | "/dev/random" => Some(|at| {
            let mixed = (at as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let [.., low, _, _, high] = mixed.to_be_bytes();
            high ^ low
        }),
        _ => None,
    }
}

impl Style {
    fn set(&mut self, name: &str) {
        match name {
            "show-all" => (self.controls, self.ends, self.tabs) = (true, true, true),
            "e" => (self.controls, self.ends) = (true, true),
            "t" => (self.controls, self.tabs) = (true, true),
            "number-nonblank" => self.number_filled = true,
            "show-ends" => self.ends = true,
            "number" => self.number = true,
            "squeeze-blank" => self.squeeze = true,
            "show-tabs" => self.tabs = true,
            "show-nonprinting" => self.controls = true,
            _ => {}
        }
    }

    fn is_plain(&self) -> bool {
        let numbers = self.number || self.number_filled;
        let shows = self.ends || self.tabs || self.controls;
        !numbers && !self.squeeze && !shows
    }

    async fn hand_on(&mut self, bytes: &[u8], stdout: &CommandOutput) -> bashkit::Result<()> {
        if self.is_plain() {
            return stdout.write_all(bytes).await;
        }
        let mut out = Vec::with_capacity(bytes.len() * 2);
        for &byte in bytes {
            self.show(byte, &mut out);
        }
        stdout.write_all(&out).await
    }

    fn show(&mut self, byte: u8, out: &mut Vec<u8>) {
        if !self.inside {
            self.empty = if byte == b'\n' { self.empty + 1 } else { 0 };
            if self.squeeze && self.empty > 1 {
                return;
            }
            if self.number_filled && byte != b'\n' || self.number && !self.number_filled {
                self.line += 1;
                out.extend_from_slice(format!("{:>6}\t", self.line).as_bytes());
            }
        }
        self.inside = byte != b'\n';
        match byte {
            b'\n' if self.ends => out.extend_from_slice(b"$\n"),
            b'\t' if self.tabs => out.extend_from_slice(b"^I"),
            b'\n' | b'\t' => out.push(byte),
            byte if !self.controls => out.push(byte),
            byte => {
                if byte >= 128 {
                    out.extend_from_slice(b"M-");
                }
                match byte & 127 {
                    127 => out.extend_from_slice(b"^?"),
                    low @ 0..32 => out.extend_from_slice(&[b'^', low + 64]),
                    low => out.push(low),
                }
            }
        }
    }
}
