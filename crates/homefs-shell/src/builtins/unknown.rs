//! What is said of a command that there is not: what bash says, and no more.

use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use bashkit::{
    Bash, Builtin, BuiltinContext, CommandResolver, ExecResult, ExecutionPlan, SubCommand,
};
use homefs_core::limits::NAME_BYTES_MAX;

/// Answers for names for which the interpreter has a hint that bash does not give.
pub(crate) struct Unknown;

/// What it has a hint for, besides names that are nearly those of a command.
const HINTED: &[&str] = &[
    "apk",
    "apt",
    "apt-get",
    "brew",
    "bun",
    "cargo",
    "clang",
    "cmake",
    "dnf",
    "doas",
    "docker",
    "emacs",
    "g++",
    "gcc",
    "go",
    "info",
    "javac",
    "kubectl",
    "nano",
    "node",
    "npm",
    "pacman",
    "pip",
    "pip2",
    "pip3",
    "pnpm",
    "podman",
    "rsync",
    "rustc",
    "scp",
    "service",
    "sftp",
    "ssh",
    "su",
    "systemctl",
    "vi",
    "vim",
    "yarn",
    "yum",
];

impl CommandResolver for Unknown {
    fn resolve(&self, name: &str) -> Option<Arc<dyn Builtin>> {
        static KNOWN: OnceLock<Vec<String>> = OnceLock::new();
        let known = KNOWN.get_or_init(|| Bash::new().builtin_names());
        // Nor does it compare names with one that nobody meant to write.
        if name.len() > NAME_BYTES_MAX {
            return Some(Arc::new(Refusal(name.to_owned())));
        }
        let near = if name.len() <= 3 { 1 } else { 2 };
        let hinted = HINTED.contains(&name)
            || known.iter().any(|other| {
                name.len().abs_diff(other.len()) <= near && distance(name, other) <= near
            });
        hinted.then(|| Arc::new(Refusal(name.to_owned())) as Arc<dyn Builtin>)
    }
}

/// Counts how many letters have to be changed, added or removed to make one name of another.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (at, left) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = at + 1;
        for (index, right) in b.chars().enumerate() {
            let changed = diagonal + usize::from(left != right);
            diagonal = row[index + 1];
            row[index + 1] = changed.min(diagonal + 1).min(row[index] + 1);
        }
    }
    row[row.len() - 1]
}

struct Refusal(String);

#[async_trait]
impl Builtin for Refusal {
    async fn execute(&self, _: BuiltinContext<'_>) -> bashkit::Result<ExecResult> {
        Ok(ExecResult::with_code("", 127))
    }

    // What is printed goes where the output of the command would have gone.
    async fn execution_plan(
        &self,
        _: &BuiltinContext<'_>,
    ) -> bashkit::Result<Option<ExecutionPlan>> {
        let name = self.0.replace('\'', r"'\''");
        let script = format!(
            "echo \"${{BASH_SOURCE:-bash}}: line $LINENO: \"'{name}: command not found' >&2; (exit 127)"
        );
        let args = vec![script];
        let command =
            SubCommand { name: "eval".into(), args, stdin: None, assignments: Vec::new() };
        Ok(Some(ExecutionPlan::Batch { commands: vec![command] }))
    }
}
