//! Programs that tests call: those that the table of `xtask` has, and no others.
#![expect(clippy::disallowed_methods, reason = "programs are found by the host's search path")]

#[path = "../../../xtask/src/tools/table.rs"]
#[expect(dead_code, reason = "how to find out whether a tool is there is up to xtask")]
mod table;

use std::env;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;

/// Returns the programs of the machine that scripts of a test may call.
pub fn machine_programs() -> impl Iterator<Item = &'static str> {
    table::of_machine()
}

/// Finds a program, among those that `cargo xtask test` got or those of the host; says on standard
/// error how to get it if there is none.
///
/// # Panics
/// If the table of tools does not have it.
pub fn program(name: &str) -> Option<PathBuf> {
    check_listed(name);
    let path = env::var_os("PATH").unwrap_or_default();
    let on_host = || env::split_paths(&path).map(|dir| dir.join(name)).find(|path| path.is_file());
    let found = got(&format!("bin/{name}")).or_else(on_host);
    if found.is_none() {
        say_missing(name);
    }
    found
}

/// As [`program`], but only among those that `cargo xtask test` got: the host's may be too old.
///
/// # Panics
/// If the table of tools does not have it.
pub fn own_program(name: &str) -> Option<PathBuf> {
    check_listed(name);
    let found = got(&format!("bin/{name}"));
    if found.is_none() {
        say_missing(name);
    }
    found
}

/// Finds the Python of the tools if it has a module; says so if it has not.
pub fn python_with(module: &str) -> Option<PathBuf> {
    let imports = |python: &PathBuf| {
        let mut command = Command::new(python);
        command.args(["-c", &format!("import {module}")]);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    let found = got("bin/python").filter(imports);
    if found.is_none() {
        say_skipped(&format!("Python has no module {module}; `cargo xtask test` gets it"));
    }
    found
}

/// Finds something that `cargo xtask test` got.
pub fn got(path: &str) -> Option<PathBuf> {
    let here = env::current_exe().unwrap_or_default();
    here.ancestors().map(|dir| dir.join("tools").join(path)).find(|path| path.exists())
}

/// Says why something is not tested; the test runner hides only what is printed by macros.
pub fn say_skipped(reason: &str) {
    let name = thread::current().name().unwrap_or("a test").to_owned();
    // Who has closed standard error does not want to know.
    let _closed = io::stderr().write_all(format!("{name}: skipped: {reason}\n").as_bytes());
}

/// Fails if the table does not have a program, also where it happens to be installed.
fn check_listed(name: &str) {
    assert!(table::programs().any(|known| known == name), "{name} is not in the table of tools");
}

/// Says that a program is missing and how to get it.
fn say_missing(name: &str) {
    let tool = table::TOOLS.iter().find(|tool| tool.programs.contains(&name));
    let how = tool.map_or_else(String::new, |tool| {
        let extended = if tool.slow { " --extended" } else { "" };
        format!("; `cargo xtask test{extended}` gets it, by: {}", tool.get.line())
    });
    say_skipped(&format!("{name} is missing{how}"));
}
