//! The forms in which differences are printed.

use similar::{DiffOp, DiffTag, group_diff_ops};

use super::{Options, Side};
use crate::builtins::times;
use crate::memory::Printed;

/// The lines of both sides.
type Both<'a> = (&'a [&'a [u8]], &'a [&'a [u8]]);

fn write(out: &mut Printed, text: &str) {
    out.extend_from_slice(text.as_bytes());
}

/// Prints a line after a mark.
fn marked(out: &mut Printed, mark: &str, line: &[u8]) {
    write(out, mark);
    out.extend_from_slice(line);
    if !line.ends_with(b"\n") {
        write(out, "\n\\ No newline at end of file\n");
    }
}

/// Prints the form without options.
pub(super) fn normal(out: &mut Printed, a: &[&[u8]], b: &[&[u8]], ops: &[DiffOp]) {
    let range = |range: &std::ops::Range<usize>| match range.len() {
        0 => range.start.to_string(),
        1 => range.end.to_string(),
        _ => format!("{},{}", range.start + 1, range.end),
    };
    for op in ops {
        let (old, new) = (op.old_range(), op.new_range());
        let letter = match op.tag() {
            DiffTag::Equal => continue,
            DiffTag::Delete => 'd',
            DiffTag::Insert => 'a',
            DiffTag::Replace => 'c',
        };
        write(out, &format!("{}{letter}{}\n", range(&old), range(&new)));
        a[old].iter().for_each(|line| marked(out, "< ", line));
        if letter == 'c' {
            write(out, "---\n");
        }
        b[new].iter().for_each(|line| marked(out, "> ", line));
    }
}

/// Returns how a side is called above its lines.
fn header(options: &Options, side: &Side, index: usize) -> String {
    match options.labels.get(index) {
        Some(label) => label.clone(),
        None => format!("{}\t{}", side.name, times::full(side.modified)),
    }
}

/// Returns where the lines of a group begin and end.
fn span(group: &[DiffOp], range: impl Fn(&DiffOp) -> std::ops::Range<usize>) -> (usize, usize) {
    let start = group.first().map_or(0, |op| range(op).start);
    let end = group.last().map_or(0, |op| range(op).end);
    (start, end)
}

/// Prints the unified form.
pub(super) fn unified(
    out: &mut Printed,
    options: &Options,
    sides: (&Side, &Side),
    (a, b): Both<'_>,
    ops: &[DiffOp],
    context: usize,
) {
    write(out, &format!("--- {}\n", header(options, sides.0, 0)));
    write(out, &format!("+++ {}\n", header(options, sides.1, 1)));
    let place = |(start, end): (usize, usize)| match end - start {
        0 => format!("{start},0"),
        1 => format!("{}", start + 1),
        count => format!("{},{count}", start + 1),
    };
    for group in group_diff_ops(ops.to_vec(), context) {
        let (old, new) = (span(&group, DiffOp::old_range), span(&group, DiffOp::new_range));
        write(out, &format!("@@ -{} +{} @@\n", place(old), place(new)));
        for op in &group {
            if op.tag() == DiffTag::Equal {
                a[op.old_range()].iter().for_each(|line| marked(out, " ", line));
            } else {
                a[op.old_range()].iter().for_each(|line| marked(out, "-", line));
                b[op.new_range()].iter().for_each(|line| marked(out, "+", line));
            }
        }
    }
}

/// Prints the form with context.
pub(super) fn context(
    out: &mut Printed,
    options: &Options,
    sides: (&Side, &Side),
    (a, b): Both<'_>,
    ops: &[DiffOp],
    context: usize,
) {
    write(out, &format!("*** {}\n", header(options, sides.0, 0)));
    write(out, &format!("--- {}\n", header(options, sides.1, 1)));
    let place = |(start, end): (usize, usize)| {
        if end - start <= 1 { format!("{end}") } else { format!("{},{end}", start + 1) }
    };
    for group in group_diff_ops(ops.to_vec(), context) {
        let (old, new) = (span(&group, DiffOp::old_range), span(&group, DiffOp::new_range));
        let has = |tag| group.iter().any(|op| op.tag() == tag || op.tag() == DiffTag::Replace);
        write(out, &format!("***************\n*** {} ****\n", place(old)));
        for op in group.iter().filter(|_| has(DiffTag::Delete)) {
            let mark = match op.tag() {
                DiffTag::Equal => "  ",
                DiffTag::Delete => "- ",
                DiffTag::Replace => "! ",
                DiffTag::Insert => continue,
            };
            a[op.old_range()].iter().for_each(|line| marked(out, mark, line));
        }
        write(out, &format!("--- {} ----\n", place(new)));
        for op in group.iter().filter(|_| has(DiffTag::Insert)) {
            let mark = match op.tag() {
                DiffTag::Equal => "  ",
                DiffTag::Insert => "+ ",
                DiffTag::Replace => "! ",
                DiffTag::Delete => continue,
            };
            b[op.new_range()].iter().for_each(|line| marked(out, mark, line));
        }
    }
}

/// How far apart tabs are.
const TAB: usize = 8;

/// Prints both sides beside each other.
pub(super) fn beside(out: &mut Printed, width: usize, a: &[&[u8]], b: &[&[u8]], ops: &[DiffOp]) {
    let second = (width + TAB + 3) / (2 * TAB) * TAB;
    let half = second.saturating_sub(3).min(width.saturating_sub(second));
    let mut row = |left: Option<&&[u8]>, mark: char, right: Option<&&[u8]>| {
        let mut at = left.map_or(0, |line| half_line(out, line, half));
        if mark != ' ' {
            at = go_to(out, at, (half + second - 1) / 2) + 1;
            write(out, mark.encode_utf8(&mut [0; 4]));
        }
        if let Some(line) = right {
            go_to(out, at, second);
            half_line(out, line, half);
        }
        write(out, "\n");
    };
    if ops.is_empty() {
        for line in a {
            row(Some(line), ' ', Some(line));
        }
    }
    for op in ops {
        let (old, new) = (&a[op.old_range()], &b[op.new_range()]);
        for index in 0..old.len().max(new.len()) {
            let (left, right) = (old.get(index), new.get(index));
            let mark = match (op.tag(), left, right) {
                (DiffTag::Equal, ..) => ' ',
                (_, Some(_), Some(_)) => '|',
                (_, Some(_), None) => '<',
                _ => '>',
            };
            row(left, mark, right);
        }
    }
}

/// Prints as much of a line as has room; returns where it ends.
fn half_line(out: &mut Printed, line: &[u8], room: usize) -> usize {
    let text = String::from_utf8_lossy(line);
    let shown: String = text.trim_end_matches('\n').chars().take(room).collect();
    write(out, &shown);
    shown.chars().count()
}

/// Goes on to a column, by tabs as far as they reach.
fn go_to(out: &mut Printed, mut at: usize, to: usize) -> usize {
    while at + TAB - at % TAB <= to {
        write(out, "\t");
        at += TAB - at % TAB;
    }
    while at < to {
        write(out, " ");
        at += 1;
    }
    at
}
