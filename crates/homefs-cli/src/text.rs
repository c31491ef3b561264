//! Pure helpers that turn values into text for people.

pub(crate) use homefs_api::words::subject;
use homefs_core::Timestamp;
use homefs_view::Stat;

/// Returns a size with a binary unit and three figures at most.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    // Tenths of the next unit, so that no floating point is needed.
    let mut tenths = u128::from(bytes) * 10 / 1024;
    let mut unit = 0;
    while tenths >= 10_240 && unit + 1 < UNITS.len() {
        tenths /= 1024;
        unit += 1;
    }
    if tenths < 100 {
        format!("{}.{} {}", tenths / 10, tenths % 10, UNITS[unit])
    } else {
        format!("{} {}", tenths / 10, UNITS[unit])
    }
}

/// Returns a count with its noun, `1 file` or `2 files`.
pub(crate) fn count(number: u64, noun: &str) -> String {
    match (number, noun.strip_suffix('y')) {
        (1, _) => format!("1 {noun}"),
        (_, Some(stem)) => format!("{number} {stem}ies"),
        (_, None) => format!("{number} {noun}s"),
    }
}

/// Returns how long ago a moment was, in its largest unit.
pub(crate) fn age(now: Timestamp, then: Timestamp) -> String {
    let seconds = now.since(then).as_secs();
    match seconds {
        0..60 => format!("{seconds} s ago"),
        60..3600 => format!("{} min ago", seconds / 60),
        3600..86_400 => format!("{} h ago", seconds / 3600),
        _ => format!("{} d ago", seconds / 86_400),
    }
}

/// Returns kind and permissions as `ls -l` shows them.
pub(crate) fn mode(stat: &Stat) -> String {
    let kind = stat.kind.letter();
    let bit = |shift: u32, letter: char| if stat.mode >> shift & 1 == 1 { letter } else { '-' };
    let letters = ['x', 'w', 'r'];
    std::iter::once(kind)
        .chain((0..9_u32).rev().map(|shift| bit(shift, letters[shift as usize % 3])))
        .collect()
}

/// Escapes what a terminal would obey rather than show, such as an escape or a newline in a name.
pub(crate) fn printable(text: &str) -> String {
    escape(text, |_| false)
}

/// As [`printable`], of a text that has lines.
pub(crate) fn printable_lines(text: &str) -> String {
    escape(text, |letter| matches!(letter, '\n' | '\t'))
}

/// As [`printable_lines`], of what a script prints: it may use colours.
pub(crate) fn printable_output(bytes: &[u8]) -> Vec<u8> {
    let mut shown = Vec::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        let mut rest = chunk.valid();
        while let Some(at) = rest.find("\x1b[") {
            let (before, from) = rest.split_at(at);
            let codes =
                from[2..].trim_start_matches(|letter: char| matches!(letter, '0'..='9' | ';'));
            let length = from.len() - codes.len() + usize::from(codes.starts_with('m'));
            let (sequence, after) = from.split_at(length);
            shown.extend(printable_lines(before).bytes());
            if sequence.ends_with('m') {
                shown.extend(sequence.bytes());
            } else {
                shown.extend(printable_lines(sequence).bytes());
            }
            rest = after;
        }
        shown.extend(printable_lines(rest).bytes());
        // What is no text yet may be continued.
        shown.extend(chunk.invalid());
    }
    shown
}

/// Escapes the letters that a terminal would obey, and those that turn others around.
fn escape(text: &str, is_meant: impl Fn(char) -> bool) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        let turns = matches!(
            letter,
            '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}'
        );
        if (letter.is_control() && !is_meant(letter)) || turns {
            shown.extend(letter.escape_default());
        } else {
            shown.push(letter);
        }
    }
    shown
}

/// Returns a text on one line that a terminal shows as it is, its blanks made single.
pub(crate) fn one_line(text: &str) -> String {
    printable(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Returns words as a person lists them, `a, b and c`.
pub(crate) fn list(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// Lays rows out in columns two blanks apart; the named columns are aligned to the right.
pub(crate) fn columns(rows: &[Vec<String>], right_aligned: &[usize]) -> Vec<String> {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |cell: &String| cell.chars().count();
    let widths: Vec<usize> = (0..count)
        .map(|column| rows.iter().filter_map(|row| row.get(column)).map(width).max().unwrap_or(0))
        .collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().enumerate().map(|(column, cell)| {
            let blanks = " ".repeat(widths[column].saturating_sub(width(cell)));
            if right_aligned.contains(&column) {
                format!("{blanks}{cell}")
            } else {
                format!("{cell}{blanks}")
            }
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_is_told_nothing_by_a_file() {
        assert_eq!(printable("a\n\x1b]0;x\x07\u{9b}"), "a\\n\\u{1b}]0;x\\u{7}\\u{9b}");
        assert_eq!(printable_lines("a\tb\nc\r\u{202e}d"), "a\tb\nc\\r\\u{202e}d");
        let output = |text: &str| String::from_utf8(printable_output(text.as_bytes())).unwrap();
        assert_eq!(output("\x1b[1;31mred\x1b[m\n"), "\x1b[1;31mred\x1b[m\n");
        assert_eq!(output("\x1b[2J\x1b[31"), "\\u{1b}[2J\\u{1b}[31");
        assert_eq!(output("\x1b]52;c;eA==\x07"), "\\u{1b}]52;c;eA==\\u{7}");
        assert_eq!(printable_output(b"a\xff\x1bc"), b"a\xff\\u{1b}c");
    }

    #[test]
    fn sizes_are_short() {
        for (bytes, expected) in [
            (0, "0 B"),
            (1023, "1023 B"),
            (1024, "1.0 KiB"),
            (10_240, "10 KiB"),
            (1_048_575, "1023 KiB"),
            (1_572_864, "1.5 MiB"),
            (u64::MAX, "15 EiB"),
        ] {
            assert_eq!(size(bytes), expected);
        }
    }

    #[test]
    fn words_are_listed_as_people_do() {
        let words: Vec<_> = ["a", "b", "c"].map(str::to_owned).to_vec();
        assert_eq!([1, 2, 3].map(|count| list(&words[..count])), ["a", "a and b", "a, b and c"]);
        assert_eq!(one_line(" a\n\tb\u{1b} "), "a b\\u{1b}");
    }

    #[test]
    fn columns_line_up_by_letters_not_bytes() {
        let rows = [vec!["é".into(), "1".into()], vec!["long".into(), "20".into()]];
        assert_eq!(columns(&rows, &[1]), ["é      1", "long  20"]);
    }

    #[test]
    fn a_name_cannot_command_the_terminal() {
        assert_eq!(printable("a\x1b[2J\nü"), "a\\u{1b}[2J\\nü");
    }
}
