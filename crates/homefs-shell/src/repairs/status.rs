//! Carries `$?` and what `set` has set from one call to the next.

use std::collections::HashMap;

use async_trait::async_trait;
use bashkit::{Builtin, BuiltinContext, ExecResult};

/// A name that no script uses.
pub(crate) const NAME: &str = "__homefs_status";

/// What `set -o` sets, and the variables by which the interpreter knows it.
const OPTIONS: &[(&str, &str)] = &[
    ("allexport", "SHOPT_a"),
    ("errexit", "SHOPT_e"),
    ("errtrace", "SHOPT_E"),
    ("noclobber", "SHOPT_C"),
    ("noglob", "SHOPT_f"),
    ("nounset", "SHOPT_u"),
    ("pipefail", "SHOPT_pipefail"),
    ("xtrace", "SHOPT_x"),
];

/// Returns what to put before a script so that the options and `$?` are these at its start; the
/// script stays on the line on which it was.
pub(crate) fn prefix(status: i32, options: &[&str]) -> String {
    let mut prefix = String::new();
    for option in options {
        prefix.extend(["set -o ", option, "; "]);
    }
    if status != 0 {
        // Before `&&` a status ends no script.
        prefix.extend([NAME, " ", &status.to_string(), " && :; "]);
    }
    prefix
}

/// Returns the options that are set at the end of a script.
pub(crate) fn options(variables: &HashMap<String, String>) -> Vec<&'static str> {
    let is_set = |name: &str| variables.get(name).is_some_and(|value| value == "1");
    OPTIONS.iter().filter(|option| is_set(option.1)).map(|option| option.0).collect()
}

/// Ends with the status that is its argument.
pub(crate) struct Status;

#[async_trait]
impl Builtin for Status {
    async fn execute(&self, context: BuiltinContext<'_>) -> bashkit::Result<ExecResult> {
        let status = context.args.first().and_then(|text| text.parse().ok());
        Ok(ExecResult::with_code("", status.unwrap_or(0)))
    }
}
