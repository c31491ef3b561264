//! What is made of the table of methods and records: the parts of both SDKs that only translate.

mod behaviours;
mod kinds;
mod node;
mod python;

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};

use anyhow::Context;

use crate::process;

/// A file, or a part of one, that is made.
#[derive(Clone)]
struct Made {
    path: &'static str,
    text: String,
    /// What stands around the text, in a file that is written by hand otherwise.
    between: Option<[&'static str; 2]>,
}

/// Everything that is made.
fn made(table: &kinds::Table) -> Vec<Made> {
    [python::made(table), node::made(table), behaviours::made(table)].concat()
}

/// Writes every file that is stale, or only names it; returns whether all is well.
pub(crate) fn write(check_only: bool) -> anyhow::Result<bool> {
    let table = kinds::Table::read();
    let mut is_fresh = true;
    for made in made(&table) {
        let path = process::root().join(made.path);
        let present = fs::read_to_string(&path).unwrap_or_default();
        let fresh = match made.between {
            Some(marks) => between(&present, marks, &made.text).with_context(|| made.path)?,
            None => made.text,
        };
        if present == fresh {
            continue;
        }
        is_fresh = false;
        if check_only {
            println!("stale: {} (mend with: cargo xtask gen)", made.path);
        } else {
            fs::write(&path, fresh).with_context(|| format!("write {}", made.path))?;
            println!("wrote {}", made.path);
        }
    }
    Ok(is_fresh || !check_only)
}

/// Returns a text in Rust as rustfmt writes it.
fn formatted(text: &str) -> String {
    let mut rustfmt = Command::new("rustfmt");
    rustfmt.args(["--edition", "2024"]).current_dir(process::root());
    let mut running = rustfmt
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("rustfmt comes with the compiler");
    let mut input = running.stdin.take().expect("it has a pipe");
    input.write_all(text.as_bytes()).expect("rustfmt reads");
    drop(input);
    let done = running.wait_with_output().expect("rustfmt ends");
    assert!(done.status.success(), "what was made is not Rust:\n{text}");
    String::from_utf8(done.stdout).expect("it is text")
}

/// Puts a text between the marks of a file.
fn between(present: &str, [begin, end]: [&str; 2], text: &str) -> anyhow::Result<String> {
    let (before, rest) = present.split_once(begin).context("it has no mark of a beginning")?;
    let (_, after) = rest.split_once(end).context("it has no mark of an end")?;
    Ok(format!("{before}{begin}\n{text}{end}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_sdks_take_from_the_table_is_fresh() {
        assert!(write(true).unwrap(), "run cargo xtask gen");
    }

    #[test]
    fn a_part_is_put_between_its_marks() {
        let marks = ["  # from", "  # to"];
        let fresh = between("a\n  # from\nold\n  # to\nb\n", marks, "new\n").unwrap();
        assert_eq!(fresh, "a\n  # from\nnew\n  # to\nb\n");
        assert!(between("a\n", marks, "new\n").is_err());
    }
}
