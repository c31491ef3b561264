//! Getting the tools that checks need.

#[cfg_attr(not(test), expect(dead_code, reason = "tests ask which programs there are"))]
mod table;

use std::{collections::BTreeMap, fmt, sync::Once};

use crate::process;
pub(crate) use table::TOOLS;
use table::{Get, Tool};

/// Why a tool is not there.
pub(crate) struct Missing(pub(crate) String);

impl fmt::Display for Missing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Gets the tools that are not there yet; returns those that it could not get.
pub(crate) fn obtain(extended: bool) -> BTreeMap<&'static str, Missing> {
    println!("==> tools");
    let mut missing = BTreeMap::new();
    for tool in TOOLS {
        let outcome = obtain_one(tool, extended);
        let word = if outcome.is_ok() { "there" } else { "missing" };
        println!("{word:<8} {:<14} {}", tool.name, tool.why);
        if let Err(why) = outcome {
            println!("         {why}");
            missing.insert(tool.name, why);
        }
    }
    missing
}

/// Gets one tool, unless it is there.
fn obtain_one(tool: &Tool, extended: bool) -> Result<(), Missing> {
    let is_there = || process::succeeds(&tool.probe.split(' ').collect::<Vec<_>>());
    if is_there() {
        return Ok(());
    }
    let line = tool.get.line();
    if tool.slow && !extended {
        let how = "takes minutes to build, so only --extended gets it by itself; to get it now";
        return Err(Missing(format!("{how}: {line}")));
    }
    if matches!(tool.get, Get::Apt(_)) {
        prepare_apt().map_err(|why| Missing(format!("{why}: {line}")))?;
    }
    match process::run(&line.split(' ').collect::<Vec<_>>()) {
        Ok(true) if is_there() => Ok(()),
        Ok(_) => Err(Missing(format!("could not get it with: {line}"))),
        Err(error) => Err(Missing(format!("could not get it: {error:#}"))),
    }
}

/// Makes packages of the machine known once; says why none can be installed, if so.
fn prepare_apt() -> Result<(), &'static str> {
    // A new machine knows of no package yet, and one that is old has packages that are gone.
    static UPDATED: Once = Once::new();
    if !process::succeeds(&["apt-get", "--version"]) {
        return Err("this machine has no apt-get; install what corresponds to");
    }
    if !process::succeeds(&["test", "-w", "/var/lib/dpkg"]) {
        return Err("only root can get it; as root");
    }
    // Without it an installation fails, and says what is wrong.
    UPDATED.call_once(|| drop(process::run(&["apt-get", "update", "--quiet"])));
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Get, TOOLS, table};

    #[test]
    fn every_program_and_every_tool_has_one_row() {
        let mut seen = BTreeSet::new();
        for program in table::programs() {
            assert!(seen.insert(program), "{program} is there twice");
        }
        let names: BTreeSet<_> = TOOLS.iter().map(|tool| tool.name).collect();
        assert_eq!(names.len(), TOOLS.len());
    }

    #[test]
    fn a_program_that_is_got_is_not_taken_for_one_that_the_machine_has() {
        for tool in TOOLS.iter().filter(|tool| !tool.programs.is_empty()) {
            if let Get::Pip(_) | Get::Npm(_) | Get::Go(_) = tool.get {
                assert!(tool.probe.starts_with("target/tools/bin/"), "{}", tool.name);
            }
        }
    }
}
