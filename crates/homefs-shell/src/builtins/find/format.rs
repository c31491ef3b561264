//! `-printf` and `-ls`.

use homefs_core::Timestamp;
use homefs_view::Kind;

use super::expression::kind_letter;
use super::walk::Visit;
use crate::builtins::tool::Run;
use crate::builtins::{ls, mode, times, width};
use crate::files::DIRECTORY_BYTES;

/// Fills a format with what is known of a node.
pub(super) fn fill(run: &Run<'_>, pattern: &str, found: &Visit<'_>) -> String {
    let mut out = String::new();
    let mut letters = pattern.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some('0') => out.push('\0'),
                Some('r') => out.push('\r'),
                Some('c') => return out,
                Some(other) => out.push(other),
                None => out.push('\\'),
            },
            '%' => directive(run, &mut letters, found, &mut out),
            other => out.push(other),
        }
    }
    out
}

fn directive(
    run: &Run<'_>,
    letters: &mut std::str::Chars<'_>,
    found: &Visit<'_>,
    out: &mut String,
) {
    let rest = letters.as_str();
    let width: String =
        rest.chars().take_while(|letter| letter.is_ascii_digit() || *letter == '-').collect();
    *letters = rest[width.len()..].chars();
    let Some(letter) = letters.next() else {
        out.push('%');
        return;
    };
    let stat = found.stat;
    let name = found.name;
    let last = name.trim_end_matches('/').rsplit('/').next().unwrap_or(name);
    let text = match letter {
        'p' => name.to_owned(),
        'f' => last.to_owned(),
        'h' => match name.trim_end_matches('/').rsplit_once('/') {
            Some((above, _)) => above.to_owned(),
            None => ".".to_owned(),
        },
        'P' => {
            let below = name.strip_prefix(found.start).unwrap_or(name);
            below.trim_start_matches('/').to_owned()
        }
        'H' => found.start.to_owned(),
        's' => match stat.kind {
            Kind::Directory => DIRECTORY_BYTES.to_string(),
            _ => stat.size.to_string(),
        },
        'k' => ls::blocks(stat).to_string(),
        'b' => (ls::blocks(stat) * 2).to_string(),
        'd' => found.depth.to_string(),
        'y' => kind_letter(stat.kind).to_string(),
        'Y' => match run.ground.files.stat_followed(&found.path()) {
            Ok((_, stat)) => kind_letter(stat.kind).to_string(),
            // Where a link leads to nothing.
            Err(_) => "N".to_owned(),
        },
        'm' => format!("{:o}", mode::mode_of(stat)),
        'M' => mode::letters(stat),
        'n' => stat.links.to_string(),
        'i' => ls::inode(stat).to_string(),
        'u' | 'g' if stat.uid == 0 => "root".to_owned(),
        'u' | 'g' => run.ground.files.home.who().agent.to_string(),
        'U' => stat.uid.to_string(),
        'G' => stat.gid.to_string(),
        'l' => run.ground.files.home.read_link(&found.path()).unwrap_or_default(),
        't' => times::format(stat.modified, "%a %b %e %H:%M:%S.%9f0 %Y"),
        'T' => time(stat.modified, letters),
        'A' => time(stat.accessed, letters),
        'C' => time(stat.changed, letters),
        '%' => "%".to_owned(),
        other => format!("%{other}"),
    };
    let room = width::width(width.trim_start_matches('-'));
    let padding = " ".repeat(usize::saturating_sub(room, text.chars().count()));
    let (before, after) = if width.starts_with('-') { ("", &*padding) } else { (&*padding, "") };
    out.extend([before, &text, after]);
}

fn time(moment: Timestamp, letters: &mut std::str::Chars<'_>) -> String {
    match letters.next() {
        Some('@') => format!("{}.{:09}0", moment.seconds(), moment.0.rem_euclid(1_000_000_000)),
        Some('+') => times::format(moment, "%Y-%m-%d+%H:%M:%S.%9f0"),
        Some('T') => times::format(moment, "%H:%M:%S.%9f0"),
        Some('S') => times::format(moment, "%S.%9f0"),
        Some(letter) => times::format(moment, &format!("%{letter}")),
        None => String::new(),
    }
}

/// Prints a node as `ls -dils` does.
pub(super) fn long(run: &Run<'_>, found: &Visit<'_>, now: Timestamp) -> String {
    let stat = found.stat;
    let agent = run.ground.files.home.who().agent.to_string();
    let owner = if stat.uid == 0 { "root" } else { &agent };
    let size = if stat.kind == Kind::Directory { DIRECTORY_BYTES } else { stat.size };
    let target = match stat.kind {
        Kind::Link => {
            format!(" -> {}", run.ground.files.home.read_link(&found.path()).unwrap_or_default())
        }
        _ => String::new(),
    };
    format!(
        "{:>9} {:>6} {} {:>3} {owner:<8} {owner:<8} {size:>8} {} {}{target}\n",
        ls::inode(stat),
        ls::blocks(stat),
        mode::letters(stat),
        stat.links,
        times::short(stat.modified, now),
        found.name,
    )
}
