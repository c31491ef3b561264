//! Commands that are short for others.

use async_trait::async_trait;
use bashkit::{Builtin, BuiltinContext, ExecResult, ExecutionPlan, SubCommand};

/// What a command is short for: the script to run, in which `"$@"` are its arguments.
pub(crate) struct StandIn {
    pub(crate) script: &'static str,
}

/// The commands and their scripts.
pub(crate) const STAND_INS: &[(&str, &str)] = &[
    ("more", r#"cat "$@""#),
    ("zcat", r#"gzip -dc "$@""#),
    ("gzcat", r#"gzip -dc "$@""#),
    (
        "zgrep",
        r#"__options=(); while [ $# -gt 1 ]; do case $1 in -*) __options+=("$1"); shift;; *) break;; esac; done
__pattern=$1; shift
if [ $# -eq 0 ]; then gzip -dc | grep "${__options[@]}" -e "$__pattern"; exit; fi
__status=1
for __file in "$@"; do
  if [ $# -gt 1 ]; then gzip -dcf "$__file" | grep -H --label="$__file" "${__options[@]}" -e "$__pattern" && __status=0
  else gzip -dcf "$__file" | grep "${__options[@]}" -e "$__pattern" && __status=0; fi
done
exit $__status"#,
    ),
];

#[async_trait]
impl Builtin for StandIn {
    async fn execute(&self, _: BuiltinContext<'_>) -> bashkit::Result<ExecResult> {
        Ok(ExecResult::default())
    }

    async fn execution_plan(
        &self,
        context: &BuiltinContext<'_>,
    ) -> bashkit::Result<Option<ExecutionPlan>> {
        let mut args = vec!["-c".to_owned(), self.script.to_owned(), "bash".to_owned()];
        args.extend(context.args.iter().cloned());
        let stdin = context.stdin.cloned();
        let command = SubCommand { name: "bash".into(), args, stdin, assignments: Vec::new() };
        Ok(Some(ExecutionPlan::Batch { commands: vec![command] }))
    }
}
