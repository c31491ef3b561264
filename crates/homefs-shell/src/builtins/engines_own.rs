//! The interpreter's own command of a name that we took, for what ours does not do.

use std::fmt::Write as _;
use std::sync::Arc;

use bashkit::{Bash, CommandContext, CommandStatus, ExecOptions, ExecResult};

use super::tool::Ground;
use crate::limits::Limits;

/// Runs the interpreter's own command and prints what it prints, standard output if it is not to be
/// silent.
pub(crate) async fn run(
    ground: &Ground,
    context: &CommandContext<'_>,
    args: &[String],
    stdin: Vec<u8>,
    silent: bool,
) -> bashkit::Result<CommandStatus> {
    let result = result(ground, context, args, stdin).await?;
    if !silent {
        context.stdout.write_all(result.stdout.as_bytes()).await?;
    }
    context.stderr.write_all(result.stderr.as_bytes()).await?;
    Ok(CommandStatus::with_code(result.exit_code))
}

/// Runs the interpreter's own command, in an interpreter that lasts as long as the command.
pub(crate) async fn result(
    ground: &Ground,
    context: &CommandContext<'_>,
    args: &[String],
    stdin: Vec<u8>,
) -> bashkit::Result<ExecResult> {
    let mut script = context.name.to_owned();
    for arg in args {
        write!(script, " '{}'", arg.replace('\'', r"'\''")).expect("a string takes everything");
    }
    let limits = &ground.limits;
    let mut bash = Bash::builder()
        .fs(Arc::new(ground.files.clone()))
        .cwd(context.cwd)
        .limits(limits.execution())
        .memory_limits(limits.memory())
        .session_limits(Limits::session())
        .rootfs(false)
        .build();
    let mut options = ExecOptions::new();
    if !stdin.is_empty() {
        options = options.stdin(stdin);
    }
    bash.exec_with_options(&script, options).await
}
