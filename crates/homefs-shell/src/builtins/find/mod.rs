//! `find`, on the tree of the store.
//!
//! Without commands it prints as it walks. With commands it writes a script: what is known when
//! walking is decided, what a command decides is left to the script.

mod expression;
mod format;
mod walk;

use async_trait::async_trait;
use bashkit::{Builtin, BuiltinContext, ExecResult, ExecutionPlan, SubCommand};

use self::expression::Reader;
use self::walk::{Follow, Walk};
use super::tool::{Ground, Run};

/// The command.
pub(crate) struct Find {
    pub(crate) ground: Ground,
}

impl Find {
    /// Walks; returns the status, and the script if there are commands.
    fn walk(run: &mut Run<'_>) -> (i32, Option<String>) {
        let mut args = run.args;
        let mut follow = Follow::None;
        while let Some(first) = args.first() {
            follow = match first.as_str() {
                "-L" => Follow::All,
                "-H" => Follow::Operands,
                "-P" => Follow::None,
                _ => break,
            };
            args = &args[1..];
        }
        let starts = args.iter().take_while(|arg| {
            let option = arg.len() > 1 && arg.starts_with('-');
            !option && !matches!(arg.as_str(), "(" | ")" | "!" | ",")
        });
        let count = starts.count();
        let read = Reader::new(run, &args[count..]).all();
        let (expression, options) = match read {
            Ok(read) => read,
            Err(message) => {
                run.complain(&message);
                return (1, None);
            }
        };
        if options.follow {
            follow = Follow::All;
        }
        let mut walk = Walk::new(run, &expression, &options, follow);
        let here = [".".to_owned()];
        for start in if count == 0 { &here[..] } else { &args[..count] } {
            walk.start(start);
        }
        walk.end()
    }

    fn run<'a>(&'a self, context: &'a BuiltinContext<'_>, directory: &'a str) -> Run<'a> {
        Run::new(&self.ground, "find", context.args, directory, context.env)
    }
}

#[async_trait]
impl Builtin for Find {
    async fn execute(&self, context: BuiltinContext<'_>) -> bashkit::Result<ExecResult> {
        let directory = context.cwd.to_string_lossy().into_owned();
        let mut run = self.run(&context, &directory);
        let (exit_code, _) = Self::walk(&mut run);
        let (stdout, stderr) = (run.out.into_bytes()?.into(), run.err.into());
        Ok(ExecResult { stdout, stderr, exit_code, ..ExecResult::default() })
    }

    async fn execution_plan(
        &self,
        context: &BuiltinContext<'_>,
    ) -> bashkit::Result<Option<ExecutionPlan>> {
        if !context.args.iter().any(|arg| arg.starts_with("-exec") || arg.starts_with("-ok")) {
            return Ok(None);
        }
        let directory = context.cwd.to_string_lossy().into_owned();
        let mut run = self.run(context, &directory);
        let (_, script) = Self::walk(&mut run);
        run.out.into_bytes()?;
        let eval = |script| {
            let args = vec![script];
            SubCommand { name: "eval".into(), args, stdin: None, assignments: Vec::new() }
        };
        let commands = script.map(eval).into_iter().collect::<Vec<_>>();
        // Without a script there was nothing to run but a complaint, which `execute` makes.
        Ok((!commands.is_empty()).then_some(ExecutionPlan::Batch { commands }))
    }
}
