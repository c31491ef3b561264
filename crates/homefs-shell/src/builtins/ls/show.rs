//! The layouts in which `ls` prints.

use std::borrow::Cow;

use homefs_core::{Clock as _, SystemClock, Timestamp};
use homefs_view::{Kind, Special, Stat};

use super::{Layout, Listed, Mark, Options};
use crate::builtins::mode;
use crate::builtins::times;
use crate::builtins::tool::Run;
use crate::files::DIRECTORY_BYTES;
use crate::memory::Printed;

/// How far apart tabs are.
const TAB: usize = 8;

/// Returns what a node takes on a disk with blocks of 4 KiB, in KiB.
pub(crate) fn blocks(stat: &Stat) -> u64 {
    match stat.kind {
        Kind::File => stat.size.div_ceil(4096) * 4,
        Kind::Directory => DIRECTORY_BYTES / 1024,
        Kind::Link | Kind::Special(_) => 0,
    }
}

/// Prints names.
pub(super) fn show(run: &mut Run<'_>, options: &Options, listed: &[Listed]) {
    match options.layout {
        Layout::Long => long(run, options, listed),
        Layout::Lines => {
            let cells = cells(options, listed);
            for cell in cells {
                run.out.extend_from_slice(cell.as_bytes());
                run.out.extend_from_slice(options.end.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
        Layout::Commas => commas(run, options, &cells(options, listed)),
        Layout::Down | Layout::Across => columns(run, options, &cells(options, listed)),
    }
}

/// Returns the names with what stands before and after them.
fn cells(options: &Options, listed: &[Listed]) -> Vec<String> {
    let width = |of: &dyn Fn(&Stat) -> u64| {
        let most = listed.iter().map(|listed| of(&listed.stat)).max().unwrap_or(0);
        most.to_string().len()
    };
    let (inode_width, block_width) = (width(&inode), width(&blocks));
    let cell = |listed: &Listed| {
        let mut cell = String::new();
        if options.inode {
            cell = format!("{:>inode_width$} ", inode(&listed.stat));
        }
        if options.blocks {
            cell = format!("{cell}{:>block_width$} ", blocks(&listed.stat));
        }
        cell += &quoted(options, &listed.name);
        cell + mark(options, &listed.stat)
    };
    listed.iter().map(cell).collect()
}

/// Returns a number for a node that is the same as long as the node is.
pub(crate) fn inode(stat: &Stat) -> u64 {
    // The low bits are random, and enough to tell nodes of a home apart. As many as a mount has.
    u64::try_from(stat.node.0 & (u128::MAX >> 65)).unwrap_or(0)
}

fn quoted<'a>(options: &Options, name: &'a str) -> Cow<'a, str> {
    if options.escape {
        return name.replace('\\', "\\\\").replace(' ', "\\ ").replace('\n', "\\n").into();
    }
    if options.quote { format!("{name:?}").into() } else { name.into() }
}

fn mark(options: &Options, stat: &Stat) -> &'static str {
    match (options.mark, stat.kind) {
        (Mark::Nothing, _) => "",
        (_, Kind::Directory) => "/",
        (Mark::Slash, _) => "",
        (_, Kind::Link) => "@",
        (_, Kind::Special(Special::Fifo)) => "|",
        (_, Kind::Special(Special::Socket)) => "=",
        (Mark::Kind, Kind::File) if stat.mode & 0o111 != 0 => "*",
        _ => "",
    }
}

fn long(run: &mut Run<'_>, options: &Options, listed: &[Listed]) {
    let now = SystemClock.now();
    let agent = run.ground.files.home.who().agent.to_string();
    let owner = |id: u32| match id {
        id if options.numeric => id.to_string(),
        0 => "root".to_owned(),
        _ => agent.clone(),
    };
    let rows: Vec<Vec<String>> = listed
        .iter()
        .map(|listed| {
            let stat = &listed.stat;
            let links = if stat.kind == Kind::Directory { 2.max(stat.links) } else { stat.links };
            let bytes = if stat.kind == Kind::Directory { DIRECTORY_BYTES } else { stat.size };
            let size = options.human.map_or(bytes.to_string(), |base| times::human(bytes, base));
            vec![
                inode(stat).to_string(),
                blocks(stat).to_string(),
                mode::letters(stat),
                links.to_string(),
                owner(stat.uid),
                owner(stat.gid),
                size,
                date(options, (options.time)(stat), now),
            ]
        })
        .collect();
    let shown =
        [options.inode, options.blocks, true, true, options.owner, options.group, true, true];
    let widths: Vec<usize> = (0..shown.len())
        .map(|column| rows.iter().map(|row| row[column].len()).max().unwrap_or(0))
        .collect();
    for (row, listed) in rows.iter().zip(listed) {
        for (column, text) in row.iter().enumerate().filter(|(column, _)| shown[*column]) {
            let width = widths[column];
            // Names stand to the left, numbers to the right.
            let text = match column {
                4 | 5 if !options.numeric => format!("{text:<width$} "),
                _ => format!("{text:>width$} "),
            };
            run.out.extend_from_slice(text.as_bytes());
        }
        let mut name = quoted(options, &listed.name).into_owned();
        match &listed.target {
            Some((target, behind)) => {
                name.extend([" -> ", &quoted(options, target)]);
                name += behind.as_ref().map_or("", |stat| mark(options, stat));
            }
            None => name += mark(options, &listed.stat),
        }
        name.push(options.end);
        run.out.extend_from_slice(name.as_bytes());
    }
}

fn date(options: &Options, moment: Timestamp, now: Timestamp) -> String {
    match options.time_style.as_str() {
        "full-iso" => times::full(moment),
        "long-iso" => times::format(moment, "%Y-%m-%d %H:%M"),
        "iso" if now.seconds() - moment.seconds() < 15_778_476 => {
            times::format(moment, "%m-%d %H:%M")
        }
        "iso" => times::format(moment, "%Y-%m-%d "),
        style => match style.strip_prefix('+') {
            Some(pattern) => times::format(moment, pattern),
            None => times::short(moment, now),
        },
    }
}

fn letters(text: &str) -> usize {
    text.chars().count()
}

fn commas(run: &mut Run<'_>, options: &Options, cells: &[String]) {
    let mut at = 0;
    for (index, cell) in cells.iter().enumerate() {
        let length = letters(cell);
        if index > 0 {
            if at + 2 + length < options.width {
                run.out.extend_from_slice(b", ");
                at += 2;
            } else {
                run.out.extend_from_slice(b",\n");
                at = 0;
            }
        }
        run.out.extend_from_slice(cell.as_bytes());
        // Room is left for the comma that may follow.
        at += length;
    }
    if !cells.is_empty() {
        run.out.push(b'\n');
    }
}

fn columns(run: &mut Run<'_>, options: &Options, cells: &[String]) {
    let count = cells.len();
    if count == 0 {
        return;
    }
    let down = options.layout == Layout::Down;
    let most = (options.width / 3).clamp(1, count);
    let plan = |columns: usize| {
        let rows = count.div_ceil(columns);
        let mut widths = vec![0; columns];
        for (index, cell) in cells.iter().enumerate() {
            let column = if down { index / rows } else { index % columns };
            let gap = if column + 1 == columns { 0 } else { 2 };
            widths[column] = widths[column].max(letters(cell) + gap);
        }
        (rows, widths)
    };
    let fits = |columns: &usize| plan(*columns).1.iter().sum::<usize>() < options.width;
    let columns = (1..=most).rev().find(fits).unwrap_or(1);
    let (rows, widths) = plan(columns);
    for row in 0..rows {
        let (mut at, mut start) = (0, 0);
        for (column, width) in widths.iter().enumerate() {
            let index = if down { column * rows + row } else { row * columns + column };
            let Some(cell) = cells.get(index) else { break };
            if down && column > 0 && index / rows != column {
                break;
            }
            indent(&mut run.out, at, start);
            run.out.extend_from_slice(cell.as_bytes());
            at = start + letters(cell);
            start += width;
        }
        run.out.push(b'\n');
    }
}

/// Goes on to a column, by tabs as far as they reach.
fn indent(out: &mut Printed, mut from: usize, to: usize) {
    while from < to {
        if to / TAB > (from + 1) / TAB {
            out.push(b'\t');
            from += TAB - from % TAB;
        } else {
            out.push(b' ');
            from += 1;
        }
    }
}
