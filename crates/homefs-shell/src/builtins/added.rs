//! Commands that whoever made the shell added to it.

use std::sync::Arc;

use async_trait::async_trait;
use bashkit::{Builtin, BuiltinContext, ExecResult};

use crate::shell::Output;

/// One call of an added command.
#[derive(Clone, Copy, Debug)]
pub struct Invocation<'a> {
    /// What follows the name of the command.
    pub arguments: &'a [String],
    /// The working directory.
    pub directory: &'a str,
    /// What it may read.
    pub stdin: &'a [u8],
}

/// A command besides those that every shell has.
pub trait Command: Send + Sync {
    /// Returns its name.
    fn name(&self) -> &str;

    /// Says in one line what it is for, for `help`.
    fn about(&self) -> &str;

    /// Runs it.
    fn run(&self, invocation: Invocation<'_>) -> Output;
}

/// A command as the engine calls it.
pub(crate) struct Added(pub(crate) Arc<dyn Command>);

#[async_trait]
impl Builtin for Added {
    async fn execute(&self, context: BuiltinContext<'_>) -> bashkit::Result<ExecResult> {
        let output = self.0.run(Invocation {
            arguments: context.args,
            directory: &context.cwd.to_string_lossy(),
            stdin: context.stdin.map_or(&[][..], |stdin| stdin.as_bytes()),
        });
        Ok(ExecResult {
            stdout: output.stdout.into(),
            stderr: output.stderr.into(),
            exit_code: output.status,
            ..ExecResult::default()
        })
    }
}
