//! `stat`, as GNU's.

use homefs_view::{Kind, Stat};

use super::options::{Item, Spec, Takes};
use super::tool::Run;
use super::{ls, mode, times, width};
use crate::files::{DIRECTORY_BYTES, reason};

const SPECS: &[Spec] = &[
    ('L', "dereference", Takes::Nothing),
    ('c', "format", Takes::Value),
    (' ', "printf", Takes::Value),
    ('t', "terse", Takes::Nothing),
];

const USUAL: &str = "  File: %N\n  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F\nDevice: 0,1\t\
                     Inode: %-11i Links: %h\nAccess: (%04a/%A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)\n\
                     Access: %x\nModify: %y\nChange: %z\n Birth: %w\n";

/// Runs the command.
pub(crate) fn run(run: &mut Run<'_>) -> i32 {
    let (mut follow, mut format, mut operands) = (false, USUAL.to_owned(), Vec::new());
    let Some(items) = run.items(SPECS, None) else { return 1 };
    for item in items {
        match item {
            Item::Operand(operand) => operands.push(operand.to_owned()),
            Item::Option("dereference", _) => follow = true,
            Item::Option("format", value) => format = value.unwrap_or("").to_owned() + "\n",
            Item::Option("printf", value) => format = unescaped(value.unwrap_or("")),
            Item::Option("terse", _) => {
                format = "%n %s %b %f %u %g %D %i %h 0 0 %X %Y %Z %W %o\n".into();
            }
            Item::Option(..) => {}
        }
    }
    if operands.is_empty() {
        run.complain_of_usage("missing operand");
        return 1;
    }
    if let Err(message) = width::check_format(&format) {
        run.complain(&message);
        return 1;
    }
    let mut status = 0;
    for operand in &operands {
        let files = &run.ground.files;
        let found = run.path(operand).and_then(|path| {
            let (at, stat) = if follow {
                files.stat_followed(&path)?
            } else {
                (path.clone(), files.home.stat(&path)?)
            };
            let target =
                (stat.kind == Kind::Link).then(|| files.home.read_link(&at)).transpose()?;
            Ok((stat, target))
        });
        match found {
            Ok((stat, target)) => {
                let agent = files.home.who().agent.to_string();
                let text = fill(&format, operand, &stat, target.as_deref(), &agent);
                run.out.extend_from_slice(text.as_bytes());
            }
            Err(error) => {
                run.complain(&format!("cannot statx '{operand}': {}", reason(&error)));
                status = 1;
            }
        }
    }
    status
}

/// Reads escapes as `printf` does.
fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match (letter, letter == '\\') {
            (_, true) => match letters.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some('0') => out.push('\0'),
                Some(other) => out.push(other),
                None => out.push('\\'),
            },
            (letter, false) => out.push(letter),
        }
    }
    out
}

/// Puts what is known of a node into a format.
fn fill(format: &str, name: &str, stat: &Stat, target: Option<&str>, agent: &str) -> String {
    let mut out = String::new();
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        out += &rest[..at];
        rest = &rest[at + 1..];
        let flags = rest.len() - rest.trim_start_matches(['-', '0', '#', '.']).len();
        let digits = rest[flags..].trim_start_matches(|letter: char| letter.is_ascii_digit());
        let end = rest.len() - digits.len();
        let (pad, width) = (&rest[..flags], width::width(&rest[flags..end]));
        let Some(letter) = digits.chars().next() else {
            out.push('%');
            break;
        };
        rest = &digits[letter.len_utf8()..];
        let value = value(letter, name, stat, target, agent);
        let padded = match pad {
            "-" => format!("{value:<width$}"),
            "0" => format!("{value:0>width$}"),
            _ => format!("{value:>width$}"),
        };
        out.push_str(&padded);
    }
    out + rest
}

fn value(letter: char, name: &str, stat: &Stat, target: Option<&str>, agent: &str) -> String {
    let size = if stat.kind == Kind::Directory { DIRECTORY_BYTES } else { stat.size };
    let links = if stat.kind == Kind::Directory { 2 } else { stat.links };
    let owner = |id: u32| if id == 0 { "root".to_owned() } else { agent.to_owned() };
    let kind_bits = match stat.kind {
        Kind::Directory => 0o040_000,
        Kind::Link => 0o120_000,
        Kind::File | Kind::Special(_) => 0o100_000,
    };
    match letter {
        'n' => name.to_owned(),
        'N' => match target {
            Some(target) => format!("'{name}' -> '{target}'"),
            None => format!("'{name}'"),
        },
        's' => size.to_string(),
        'b' => (ls::blocks(stat) * 2).to_string(),
        'B' => "512".into(),
        'o' => "4096".into(),
        'F' => match stat.kind {
            Kind::File if stat.size == 0 => "regular empty file".into(),
            Kind::File => "regular file".into(),
            Kind::Directory => "directory".into(),
            Kind::Link => "symbolic link".into(),
            Kind::Special(_) => "special file".into(),
        },
        'a' => format!("{:o}", mode::mode_of(stat)),
        'A' => mode::letters(stat),
        'f' => format!("{:x}", mode::mode_of(stat) | kind_bits),
        'u' => stat.uid.to_string(),
        'g' => stat.gid.to_string(),
        'U' => owner(stat.uid),
        'G' => owner(stat.gid),
        'h' => links.to_string(),
        'i' => ls::inode(stat).to_string(),
        'd' | 'D' => "1".into(),
        'm' => "/".into(),
        'x' => times::full(stat.accessed),
        'y' => times::full(stat.modified),
        'z' => times::full(stat.changed),
        'w' => times::full(stat.created),
        'X' => stat.accessed.seconds().to_string(),
        'Y' => stat.modified.seconds().to_string(),
        'Z' => stat.changed.seconds().to_string(),
        'W' => stat.created.seconds().to_string(),
        '%' => "%".into(),
        _ => "?".into(),
    }
}
