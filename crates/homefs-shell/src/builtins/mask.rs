//! `umask`: which permission bits new files and directories do not get.
//!
//! The interpreter keeps it as a variable, of which the home that makes the files knows nothing. So
//! it is kept beside the home, for the whole session; what would end with a part of a script cannot
//! be kept there and is refused.

use async_trait::async_trait;
use bashkit::{Builtin, BuiltinContext, ExecResult, ExecutionPlan, SubCommand};

use super::mode;
use super::tool::Run;

/// A name that no script uses: `umask`, which is told where in a script it stands.
pub(crate) const NAME: &str = "__homefs_umask";

/// The command.
pub(crate) struct Umask;

#[async_trait]
impl Builtin for Umask {
    async fn execute(&self, _: BuiltinContext<'_>) -> bashkit::Result<ExecResult> {
        Ok(ExecResult::default())
    }

    async fn execution_plan(
        &self,
        context: &BuiltinContext<'_>,
    ) -> bashkit::Result<Option<ExecutionPlan>> {
        let mut script = format!("{NAME} $BASH_SUBSHELL $SHLVL");
        for arg in context.args {
            script.extend([" '", &arg.replace('\'', r"'\''"), "'"]);
        }
        let command = SubCommand {
            name: "eval".into(),
            args: vec![script],
            stdin: None,
            assignments: Vec::new(),
        };
        Ok(Some(ExecutionPlan::Batch { commands: vec![command] }))
    }
}

/// Prints the mask or sets it.
pub(crate) fn run(run: &mut Run<'_>) -> i32 {
    run.name = "umask";
    let [subshells, shells, args @ ..] = run.args else { return 2 };
    let is_whole = subshells == "0" && shells.parse().is_ok_and(|shells: u32| shells <= 1);
    let is_symbolic = args.iter().any(|arg| arg == "-S");
    let is_script = args.iter().any(|arg| arg == "-p");
    let mask = run.ground.files.mask.clone();
    let Some(wanted) = args.iter().find(|arg| !matches!(arg.as_str(), "-S" | "-p" | "--")) else {
        let shown = match (is_symbolic, mask.get()) {
            (true, bits) => symbols(bits),
            (false, bits) => format!("{bits:04o}"),
        };
        let head = match (is_script, is_symbolic) {
            (true, true) => "umask -S ",
            (true, false) => "umask ",
            (false, _) => "",
        };
        run.line(&format!("{head}{shown}"));
        return 0;
    };
    let Some(bits) = read(wanted, mask.get()) else {
        run.complain(&format!("{wanted}: invalid symbolic mode operator or octal number"));
        return 1;
    };
    if !is_whole {
        run.complain(
            "within ( ), $( ), a pipe or another bash it cannot be set: set it before, or use chmod",
        );
        return 1;
    }
    mask.set(bits);
    if is_symbolic {
        run.line(&symbols(bits));
    }
    0
}

/// Reads a mask: its bits in octal, or what is left to whom.
fn read(text: &str, before: u32) -> Option<u32> {
    if text.starts_with(|letter: char| letter.is_ascii_digit()) {
        return u32::from_str_radix(text, 8).ok().filter(|bits| *bits <= 0o777);
    }
    mode::apply(text, !before & 0o777, false).map(|left| !left & 0o777)
}

/// Writes what is left to whom.
fn symbols(bits: u32) -> String {
    let letters = |shift: u32| -> String {
        let left = !bits >> shift;
        [(4, 'r'), (2, 'w'), (1, 'x')]
            .into_iter()
            .filter(|(bit, _)| left & bit != 0)
            .map(|(_, letter)| letter)
            .collect()
    };
    format!("u={},g={},o={}", letters(6), letters(3), letters(0))
}
