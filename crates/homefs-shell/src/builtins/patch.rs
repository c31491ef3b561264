//! `patch`: ours reads the command line, the interpreter's own does the work.

use async_trait::async_trait;
use bashkit::{Command, CommandContext, CommandStatus};

use super::engines_own;
use super::options::{Item, Spec, Takes, parse};
use super::tool::{Ground, Run};
use crate::files::reason;
use crate::memory::read_all;

const SPECS: &[Spec] = &[
    ('i', "input", Takes::Value),
    ('p', "strip", Takes::Value),
    ('R', "reverse", Takes::Nothing),
    (' ', "dry-run", Takes::Nothing),
    ('s', "silent", Takes::Nothing),
    (' ', "quiet", Takes::Nothing),
    ('N', "forward", Takes::Nothing),
    ('f', "force", Takes::Nothing),
    ('t', "batch", Takes::Nothing),
    ('u', "unified", Takes::Nothing),
];

/// The command.
pub(crate) struct Patch {
    pub(crate) ground: Ground,
}

/// What the interpreter's own is asked to do.
#[derive(Default)]
struct Job {
    args: Vec<String>,
    input: Option<String>,
    silent: bool,
}

impl Job {
    fn read(args: &[String]) -> Result<Self, String> {
        let mut job = Self::default();
        let mut operands = Vec::new();
        for item in parse(SPECS, None, args)? {
            match item {
                Item::Operand(operand) => operands.push(operand.to_owned()),
                Item::Option("input", value) => job.input = value.map(str::to_owned),
                Item::Option("strip", value) => {
                    job.args.push(format!("-p{}", value.unwrap_or("0")));
                }
                Item::Option("reverse", _) => job.args.push("-R".into()),
                Item::Option("dry-run", _) => job.args.push("--dry-run".into()),
                Item::Option("silent" | "quiet", _) => job.silent = true,
                Item::Option(..) => {}
            }
        }
        // After the file to change may stand where the changes are.
        if operands.len() > 1 {
            job.input = operands.pop();
        }
        job.args.extend(operands);
        Ok(job)
    }
}

#[async_trait]
impl Command for Patch {
    async fn execute(&self, context: CommandContext<'_>) -> bashkit::Result<CommandStatus> {
        let directory = context.cwd.to_string_lossy().into_owned();
        let mut run = Run::new(&self.ground, "patch", context.args, &directory, context.env);
        let read = Job::read(context.args).and_then(|job| {
            let bytes = job.input.as_deref().filter(|name| *name != "-").map(|name| {
                let bytes = run.read(name);
                bytes.map_err(|error| {
                    format!("**** Can't open patch file {name} : {}", reason(&error))
                })
            });
            Ok((bytes.transpose()?, job))
        });
        let (bytes, job) = match read {
            Ok(read) => read,
            Err(message) => {
                run.complain(&message);
                context.stderr.write_all(run.err.as_bytes()).await?;
                return Ok(CommandStatus::with_code(2));
            }
        };
        let input = match bytes {
            Some(bytes) => bytes.into(),
            None => read_all(&context.stdin, self.ground.limits.memory_bytes).await?,
        };
        engines_own::run(&self.ground, &context, &job.args, input, job.silent).await
    }
}
