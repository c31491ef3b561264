//! `wc`, as GNU's.

use homefs_core::ErrorKind;

use super::options::{Item, Spec, Takes};
use super::tool::Run;
use crate::files::reason;

const SPECS: &[Spec] = &[
    ('l', "lines", Takes::Nothing),
    ('w', "words", Takes::Nothing),
    ('m', "chars", Takes::Nothing),
    ('c', "bytes", Takes::Nothing),
    ('L', "max-line-length", Takes::Nothing),
    (' ', "files0-from", Takes::Value),
];

/// The numbers, in the order in which they are printed: lines, words, letters, bytes, longest line.
type Counts = [usize; 5];

/// Which of the numbers an option asks for.
const ORDER: [&str; 5] = ["lines", "words", "chars", "bytes", "max-line-length"];

/// How wide numbers are if it is not known beforehand how large they get.
const WIDTH_UNKNOWN: usize = 7;

/// Runs the command.
pub(crate) fn run(run: &mut Run<'_>) -> i32 {
    let (mut shown, mut operands, mut listed) = ([false; 5], Vec::new(), false);
    let Some(items) = run.items(SPECS, None) else { return 1 };
    for item in items {
        match item {
            Item::Operand(operand) => operands.push(operand.to_owned()),
            Item::Option("files0-from", value) => {
                operands.extend(listed_in(run, value.unwrap_or_default()));
                listed = true;
            }
            Item::Option(name, _) => {
                ORDER.iter().zip(&mut shown).for_each(|(known, shown)| {
                    *shown |= *known == name;
                });
            }
        }
    }
    if shown == [false; 5] {
        shown = [true, true, false, true, false];
    }
    let unnamed = operands.is_empty();
    if unnamed {
        operands.push("-".into());
    }
    let (mut rows, mut status): (Vec<(Counts, &str)>, i32) = (Vec::new(), 0);
    let (mut sizes, mut known) = (0, true);
    let named: Vec<_> = operands.iter().map(|operand| (operand, run.file(operand))).collect();
    let ground = run.ground;
    for (operand, content) in ground.files.ahead(named) {
        let from_input = operand == "-";
        known &= !from_input;
        let content = match content {
            Some(content) => Ok(content),
            None if from_input => Ok(run.stdin.to_vec().into()),
            None => run.read(operand),
        };
        match content {
            Ok(content) => {
                sizes += content.len();
                rows.push((count(&content, shown), operand));
            }
            Err(error) => {
                run.complain(&format!("{operand}: {}", reason(&error)));
                status = 1;
                // A directory can be opened, and counts as empty.
                if error.kind() == ErrorKind::IsADirectory {
                    known = false;
                    rows.push(([0; 5], operand));
                }
            }
        }
    }
    let single = operands.len() == 1 && shown.iter().filter(|shown| **shown).count() == 1;
    let width = match (single, known) {
        // How large those get that a list names is not looked at before.
        (true, _) => 1,
        (false, _) if listed => 1,
        (false, true) => sizes.to_string().len(),
        (false, false) => WIDTH_UNKNOWN,
    };
    if operands.len() > 1 {
        rows.push((total(&rows), "total"));
    }
    for (counts, name) in rows {
        let numbers = counts.iter().zip(shown).filter(|(_, shown)| *shown);
        let texts: Vec<String> = numbers.map(|(number, _)| format!("{number:>width$}")).collect();
        let line = texts.join(" ");
        run.line(&if unnamed { line } else { format!("{line} {name}") });
    }
    status
}

/// Reads names, each with a null after it.
fn listed_in(run: &Run<'_>, name: &str) -> Vec<String> {
    let list = if name == "-" { Ok(run.stdin.to_vec().into()) } else { run.read(name) };
    let list = list.unwrap_or_default();
    String::from_utf8_lossy(&list).split_terminator('\0').map(str::to_owned).collect()
}

fn total(rows: &[(Counts, &str)]) -> Counts {
    rows.iter().fold([0; 5], |sum, (counts, _)| {
        let longest = sum[4].max(counts[4]);
        let [lines, words, letters, bytes, _] = sum;
        [lines + counts[0], words + counts[1], letters + counts[2], bytes + counts[3], longest]
    })
}

/// Counts what is asked for; the rest may stay 0.
fn count(content: &[u8], shown: [bool; 5]) -> Counts {
    let lines = memchr::memchr_iter(b'\n', content).count();
    let [_, words, letters, _, longest] = shown;
    if !(words || letters || longest) {
        return [lines, 0, 0, content.len(), 0];
    }
    let text = String::from_utf8_lossy(content);
    // A byte that belongs to no letter counts as none.
    let letters = text.chars().filter(|letter| *letter != char::REPLACEMENT_CHARACTER).count();
    let longest = text.lines().map(width_of).max().unwrap_or(0);
    [lines, text.split_whitespace().count(), letters, content.len(), longest]
}

/// Returns how wide a line is on a screen, as far as tabs and wide letters go.
fn width_of(line: &str) -> usize {
    const WIDE: [std::ops::RangeInclusive<char>; 6] = [
        '\u{1100}'..='\u{115f}',
        '\u{2e80}'..='\u{a4cf}',
        '\u{ac00}'..='\u{d7a3}',
        '\u{f900}'..='\u{faff}',
        '\u{ff00}'..='\u{ff60}',
        '\u{1f300}'..='\u{1faff}',
    ];
    line.chars().fold(0, |width, letter| match letter {
        '\t' => width + 8 - width % 8,
        letter if letter.is_control() => width,
        letter => width + 1 + usize::from(WIDE.iter().any(|range| range.contains(&letter))),
    })
}
