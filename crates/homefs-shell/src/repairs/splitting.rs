//! Gives `$IFS` the value that it has in every shell when it begins.

use bashkit::Bash;

/// A blank, a tab and the end of a line.
const USUAL: &str = " \t\n";

/// Sets the variable, which is not exported.
pub(crate) fn split_as_usual(bash: &mut Bash) {
    let mut state = bash.shell_state();
    state.variables.insert("IFS".into(), USUAL.into());
    bash.restore_shell_state(&state);
}
