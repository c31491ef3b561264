//! Permission bits: as `ls` shows them and as `chmod` reads them.

use homefs_view::{Kind, Stat};

/// Returns the ten letters of `ls -l`.
pub(crate) fn letters(stat: &Stat) -> String {
    let kind = stat.kind.letter();
    let mode = mode_of(stat);
    let mut text = String::from(kind);
    for (shift, special, (with, without)) in
        [(6, 0o4000, ('s', 'S')), (3, 0o2000, ('s', 'S')), (0, 0o1000, ('t', 'T'))]
    {
        let bits = mode >> shift;
        text.push(if bits & 4 != 0 { 'r' } else { '-' });
        text.push(if bits & 2 != 0 { 'w' } else { '-' });
        text.push(match (bits & 1 != 0, mode & special != 0) {
            (true, true) => with,
            (false, true) => without,
            (true, false) => 'x',
            (false, false) => '-',
        });
    }
    text
}

/// Returns the permission bits that are shown: a link has all of them.
pub(crate) fn mode_of(stat: &Stat) -> u32 {
    if stat.kind == Kind::Link { 0o777 } else { stat.mode & 0o7777 }
}

/// Applies what `chmod` is given, as a number or as in `u=rwx,go-w`.
pub(crate) fn apply(text: &str, mode: u32, directory: bool) -> Option<u32> {
    if text.bytes().all(|byte| (b'0'..=b'7').contains(&byte)) && !text.is_empty() {
        return u32::from_str_radix(text, 8).ok().filter(|mode| *mode <= 0o7777);
    }
    text.split(',').try_fold(mode, |mode, clause| apply_clause(clause, mode, directory))
}

fn apply_clause(clause: &str, mut mode: u32, directory: bool) -> Option<u32> {
    let start = clause.find(['+', '-', '='])?;
    let mut who = 0;
    for letter in clause[..start].chars() {
        who |= match letter {
            'u' => 0o4700,
            'g' => 0o2070,
            'o' => 0o1007,
            'a' => 0o7777,
            _ => return None,
        };
    }
    // Without a letter all are meant, as far as the usual mask allows.
    let who = if start == 0 {
        0o7755 | if clause[start..].contains('w') { 0 } else { 0o22 }
    } else {
        who
    };
    let mut rest = &clause[start..];
    while let Some(sign) = rest.chars().next() {
        let end = rest[1..].find(['+', '-', '=']).map_or(rest.len(), |end| end + 1);
        let mut bits = 0;
        for letter in rest[1..end].chars() {
            bits |= match letter {
                'r' => 0o444,
                'w' => 0o222,
                'x' => 0o111,
                'X' if directory || mode & 0o111 != 0 => 0o111,
                'X' => 0,
                's' => 0o6000,
                't' => 0o1000,
                'u' => copied(mode >> 6),
                'g' => copied(mode >> 3),
                'o' => copied(mode),
                _ => return None,
            };
        }
        bits &= who;
        mode = match sign {
            '+' => mode | bits,
            '-' => mode & !bits,
            _ => mode & !(who & 0o777) | bits,
        };
        rest = &rest[end..];
    }
    Some(mode)
}

/// Gives three bits to everybody.
fn copied(bits: u32) -> u32 {
    (bits & 7) * 0o111
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_read_as_chmod_does() {
        for (text, mode, expected) in [
            ("600", 0o644, Some(0o600)),
            ("+x", 0o644, Some(0o755)),
            ("u+x", 0o644, Some(0o744)),
            ("go-r", 0o644, Some(0o600)),
            ("u=rwx,go=r", 0o600, Some(0o744)),
            ("a+w", 0o444, Some(0o666)),
            ("+w", 0o444, Some(0o644)),
            ("g=u", 0o640, Some(0o660)),
            ("a+X", 0o644, Some(0o644)),
            ("9", 0, None),
            ("u*x", 0, None),
        ] {
            assert_eq!(apply(text, mode, false), expected, "{text}");
        }
    }
}
