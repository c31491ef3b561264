//! `cmp`, as GNU's.

use bytes::Bytes;

use super::options::{Item, Spec, Takes};
use super::tool::Run;
use crate::files::reason;

const SPECS: &[Spec] = &[
    ('s', "silent", Takes::Nothing),
    (' ', "quiet", Takes::Nothing),
    ('l', "verbose", Takes::Nothing),
    ('n', "bytes", Takes::Value),
    ('i', "ignore-initial", Takes::Value),
];

/// Runs the command.
pub(crate) fn run(run: &mut Run<'_>) -> i32 {
    let (mut silent, mut verbose, mut skip, mut most) = (false, false, 0, usize::MAX);
    let mut operands = Vec::new();
    let Some(items) = run.items(SPECS, None) else { return 2 };
    for item in items {
        match item {
            Item::Operand(operand) => operands.push(operand.to_owned()),
            Item::Option("silent" | "quiet", _) => silent = true,
            Item::Option("verbose", _) => verbose = true,
            Item::Option("bytes", value) => {
                most = value.and_then(|value| value.parse().ok()).unwrap_or(most);
            }
            Item::Option("ignore-initial", value) => {
                skip = value.and_then(|value| value.parse().ok()).unwrap_or(0);
            }
            Item::Option(..) => {}
        }
    }
    if operands.is_empty() {
        run.complain_of_usage("missing operand after 'cmp'");
        return 2;
    }
    operands.resize(2, "-".into());
    let mut sides = Vec::new();
    for name in &operands {
        let content =
            if name == "-" { Ok(Bytes::copy_from_slice(run.stdin)) } else { run.read(name) };
        match content {
            Ok(content) => {
                let content = content.slice(skip.min(content.len())..);
                sides.push(content.slice(..most.min(content.len())));
            }
            Err(error) => {
                if !silent {
                    run.complain(&format!("{name}: {}", reason(&error)));
                }
                return 2;
            }
        }
    }
    compare(run, &operands, [&sides[0], &sides[1]], silent, verbose)
}

/// Says where two contents differ first, or everywhere.
fn compare(
    run: &mut Run<'_>,
    operands: &[String],
    [a, b]: [&Bytes; 2],
    silent: bool,
    verbose: bool,
) -> i32 {
    let differing = || a.iter().zip(b).enumerate().filter(|(_, (a, b))| a != b);
    let first = differing().next();
    if first.is_none() && a.len() == b.len() {
        return 0;
    }
    if silent {
        return 1;
    }
    if verbose {
        // Places are as wide as the last one could be.
        let width = a.len().max(b.len()).to_string().len();
        for (at, (a, b)) in differing() {
            run.line(&format!("{:>width$} {a:>3o} {b:>3o}", at + 1));
        }
    } else if let Some((at, _)) = first {
        let line = 1 + memchr::memchr_iter(b'\n', &a[..at]).count();
        run.line(&format!("{} {} differ: byte {}, line {line}", operands[0], operands[1], at + 1));
        return 1;
    }
    if a.len() != b.len() {
        let (short, length) =
            if a.len() < b.len() { (&operands[0], a.len()) } else { (&operands[1], b.len()) };
        run.complain(&format!("EOF on {short} after byte {length}"));
    }
    1
}
