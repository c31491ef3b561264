//! `cargo xtask python`: builds the wheel, installs it where nothing else is, and tries it there.

use std::env;

use super::{Command, no_arguments, run_all, test::EXTENDED};

/// The command.
pub(super) const COMMAND: Command = Command {
    name: "python",
    usage: "python",
    about: "build the wheel and test it in a clean environment",
    run,
};

/// What is done, each in turn.
const LINES: &[&str] = &[
    "python3 -m venv --clear target/python",
    "target/python/bin/python -m pip install --quiet --requirement sdk/python/requirements.txt",
    // Not for speed: the tests ask what it does, and what `cargo test` has built is used again.
    "target/python/bin/maturin build --quiet --profile dev --manifest-path sdk/python/Cargo.toml \
     --out target/python/wheels",
    "target/python/bin/python -m pip install --quiet --no-index --find-links target/python/wheels \
     homefs",
    "target/python/bin/pytest sdk/python/tests --ignore sdk/python/tests/adapters",
    // Only now, since the package has to do without those that its adapters are for.
    "target/python/bin/python -m pip install --quiet \
     --requirement sdk/python/tests/adapters/requirements.txt",
    "target/python/bin/pytest sdk/python/tests/adapters",
    "target/python/bin/mypy --config-file sdk/python/pyproject.toml --package homefs",
    "target/python/bin/pdoc homefs homefs.adapters.anthropic homefs.adapters.deepagents \
     homefs.adapters.fsspec homefs.adapters.langgraph homefs.adapters.openai_agents \
     --output-directory target/reference/python",
];

/// What an extended run does as well: `CrewAI` takes minutes to install.
const EXTENDED_LINES: &[&str] = &[
    "target/python/bin/python -m pip install --quiet crewai",
    "target/python/bin/pytest sdk/python/tests/adapters/test_crewai.py",
];

/// Runs all of it.
fn run(arguments: &[String]) -> anyhow::Result<bool> {
    no_arguments(arguments)?;
    let is_extended = env::var_os(EXTENDED.0).is_some();
    Ok(run_all(LINES)? && (!is_extended || run_all(EXTENDED_LINES)?))
}
