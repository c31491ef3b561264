//! One file of ignore rules, in the syntax of `.gitignore`.
//!
//! Everything is as git has it, its oddities too, because people write these files for git: the
//! tests beside this compare with it. A pattern that git would never match is left out.

/// The patterns of one file, in its order.
#[derive(Debug, Default)]
pub(super) struct Patterns(Vec<Pattern>);

/// One line.
#[derive(Debug)]
struct Pattern {
    /// Whether what matches is *not* ignored.
    is_negated: bool,
    /// Whether it is for directories alone.
    is_of_directories: bool,
    /// Whether it is for names, wherever they are; else it is for paths from the directory of the
    /// file.
    is_of_names: bool,
    /// What comes before the first sign that stands for something else.
    literal: Box<[u8]>,
    /// What comes after it.
    rest: Box<[Step]>,
    /// A part of that without which nothing matches, which is quick to look for.
    needed: Box<[u8]>,
}

/// A part of a pattern.
#[derive(Debug, PartialEq)]
enum Step {
    /// This byte.
    Byte(u8),
    /// Any byte but a slash.
    One,
    /// One of some bytes.
    Set(Box<[bool; 256]>),
    /// Any bytes but slashes, as many as there are.
    Run,
    /// Any bytes, as many as there are.
    Deep,
    /// The next two steps, or nothing instead of them.
    Maybe,
}

impl Patterns {
    /// Reads a file.
    pub(super) fn new(text: &str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let lines = text.split('\n').filter(|line| !line.starts_with('#'));
        Self(
            lines
                .filter_map(|line| Pattern::new(line.strip_suffix('\r').unwrap_or(line)))
                .collect(),
        )
    }

    /// Tells whether something is ignored, by the last pattern that matches; `None` if none does.
    /// `path` is from the directory of the file, without a slash at its beginning.
    pub(super) fn says(&self, path: &str, is_directory: bool) -> Option<bool> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let matches = |pattern: &&Pattern| {
            (is_directory || !pattern.is_of_directories)
                && pattern.matches(if pattern.is_of_names { name } else { path })
        };
        self.0.iter().rev().find(matches).map(|pattern| !pattern.is_negated)
    }
}

impl Pattern {
    /// Reads a line; `None` if nothing can match it.
    fn new(line: &str) -> Option<Self> {
        let line = trimmed(line);
        let (is_negated, line) = line.strip_prefix('!').map_or((false, line), |rest| (true, rest));
        let (is_of_directories, line) =
            line.strip_suffix('/').map_or((false, line), |rest| (true, rest));
        let is_of_names = !line.contains('/');
        let line = line.strip_prefix('/').unwrap_or(line);
        if line.is_empty() {
            return None;
        }
        let plain = line.find(['*', '?', '[', '\\']).unwrap_or(line.len());
        let (literal, rest) = line.as_bytes().split_at(plain);
        let (literal, rest) = (literal.into(), steps(rest)?);
        let needed = needed(&rest);
        Some(Self { is_negated, is_of_directories, is_of_names, literal, rest, needed })
    }

    fn matches(&self, text: &str) -> bool {
        let rest = text.as_bytes().strip_prefix(&*self.literal);
        rest.is_some_and(|rest| match *self.rest {
            [] => rest.is_empty(),
            [Step::Run] => !rest.contains(&b'/'),
            _ => has(rest, &self.needed) && walk(&self.rest, rest),
        })
    }
}

/// Returns the longest row of bytes that every match of some steps has.
fn needed(steps: &[Step]) -> Box<[u8]> {
    let (mut longest, mut row, mut steps) = (Vec::new(), Vec::new(), steps.iter());
    while let Some(step) = steps.next() {
        match step {
            Step::Byte(byte) => row.push(*byte),
            Step::Maybe => {
                row.clear();
                steps.nth(1);
            }
            _ => row.clear(),
        }
        if row.len() > longest.len() {
            longest.clone_from(&row);
        }
    }
    longest.into()
}

/// Tells whether a text has a row of bytes somewhere.
fn has(text: &[u8], row: &[u8]) -> bool {
    row.is_empty() || text.windows(row.len()).any(|part| part == row)
}

/// Takes away the spaces at the end of a line that no backslash protects.
fn trimmed(line: &str) -> &str {
    let (mut end, mut letters) = (0, line.char_indices());
    while let Some((at, letter)) = letters.next() {
        match letter {
            ' ' => {}
            '\\' => {
                let Some((at, next)) = letters.next() else { return line };
                end = at + next.len_utf8();
            }
            _ => end = at + letter.len_utf8(),
        }
    }
    &line[..end]
}

/// Reads what follows the literal beginning of a pattern; `None` if nothing can match it.
fn steps(pattern: &[u8]) -> Option<Box<[Step]>> {
    let (mut steps, mut at) = (Vec::new(), 0);
    while let Some(&byte) = pattern.get(at) {
        at += 1;
        match byte {
            b'\\' => {
                steps.push(Step::Byte(*pattern.get(at)?));
                at += 1;
            }
            b'?' => steps.push(Step::One),
            b'[' => {
                let (set, end) = set(pattern, at)?;
                steps.push(Step::Set(set));
                at = end;
            }
            b'*' => {
                let first = at - 1;
                while pattern.get(at) == Some(&b'*') {
                    at += 1;
                }
                let rest = &pattern[at..];
                let is_part = (first == 0 || pattern[first - 1] == b'/')
                    && (rest.is_empty() || rest[0] == b'/' || rest.starts_with(b"\\/"));
                if at - first == 1 || !is_part {
                    steps.push(Step::Run);
                } else if rest.first() == Some(&b'/') {
                    at += 1;
                    steps.extend([Step::Maybe, Step::Deep, Step::Byte(b'/')]);
                } else {
                    steps.push(Step::Deep);
                }
            }
            _ => steps.push(Step::Byte(byte)),
        }
    }
    Some(steps.into())
}

/// Reads a set from behind its bracket, and tells where it ends; `None` if it does not, or has a
/// class that there is not.
fn set(pattern: &[u8], start: usize) -> Option<(Box<[bool; 256]>, usize)> {
    let mut set = Box::new([false; 256]);
    let is_negated = matches!(pattern.get(start), Some(b'!' | b'^'));
    let first = start + usize::from(is_negated);
    // The byte before, from which a range may begin.
    let (mut at, mut before) = (first, None);
    loop {
        let byte = *pattern.get(at)?;
        let begins_range = matches!(pattern.get(at + 1), Some(next) if *next != b']');
        let mut own = Some(byte);
        match (byte, before) {
            (b']', _) if at > first => break,
            (b'\\', _) => {
                at += 1;
                own = Some(*pattern.get(at)?);
                set[usize::from(*pattern.get(at)?)] = true;
            }
            (b'-', Some(from)) if begins_range => {
                at += 1;
                if pattern.get(at) == Some(&b'\\') {
                    at += 1;
                }
                let to = *pattern.get(at)?;
                (from..=to).for_each(|byte| set[usize::from(byte)] = true);
                own = None;
            }
            (b'[', _) if pattern.get(at + 1) == Some(&b':') => {
                let end = at + 2 + pattern[at + 2..].iter().position(|byte| *byte == b']')?;
                if end > at + 2 && pattern[end - 1] == b':' {
                    let class = class(&pattern[at + 2..end - 1])?;
                    (0..=u8::MAX).filter(class).for_each(|byte| set[usize::from(byte)] = true);
                    (own, at) = (None, end);
                } else {
                    set[usize::from(byte)] = true;
                }
            }
            _ => set[usize::from(byte)] = true,
        }
        before = own;
        at += 1;
    }
    if is_negated {
        set.iter_mut().for_each(|is_in| *is_in = !*is_in);
    }
    set[usize::from(b'/')] = false;
    Some((set, at + 1))
}

/// Returns what tells whether a byte is of a class.
fn class(name: &[u8]) -> Option<fn(&u8) -> bool> {
    Some(match name {
        b"alnum" => u8::is_ascii_alphanumeric,
        b"alpha" => u8::is_ascii_alphabetic,
        b"blank" => |byte| matches!(byte, b' ' | b'\t'),
        b"cntrl" => u8::is_ascii_control,
        b"digit" => u8::is_ascii_digit,
        b"graph" => u8::is_ascii_graphic,
        b"lower" => u8::is_ascii_lowercase,
        b"print" => |byte| byte.is_ascii_graphic() || *byte == b' ',
        b"punct" => u8::is_ascii_punctuation,
        b"space" => |byte| byte.is_ascii_whitespace() || *byte == 0x0b,
        b"upper" => u8::is_ascii_uppercase,
        b"xdigit" => u8::is_ascii_hexdigit,
        _ => return None,
    })
}

/// Tells whether steps match a text as a whole. All ways are gone at once, so that no pattern
/// takes longer than its length times the text's.
fn walk(steps: &[Step], text: &[u8]) -> bool {
    let mut here = vec![false; steps.len() + 1];
    let mut next = here.clone();
    arrive(steps, &mut here, 0);
    for byte in text {
        next.fill(false);
        for at in (0..steps.len()).filter(|at| here[*at]) {
            match &steps[at] {
                Step::Byte(wanted) if wanted == byte => arrive(steps, &mut next, at + 1),
                Step::One if *byte != b'/' => arrive(steps, &mut next, at + 1),
                Step::Set(set) if set[usize::from(*byte)] => arrive(steps, &mut next, at + 1),
                Step::Run if *byte != b'/' => arrive(steps, &mut next, at),
                Step::Deep => arrive(steps, &mut next, at),
                _ => {}
            }
        }
        std::mem::swap(&mut here, &mut next);
    }
    here[steps.len()]
}

/// Notes that a step may be next, and those that may be without a byte for it.
fn arrive(steps: &[Step], here: &mut [bool], at: usize) {
    if std::mem::replace(&mut here[at], true) {
        return;
    }
    match steps.get(at) {
        Some(Step::Run | Step::Deep) => arrive(steps, here, at + 1),
        Some(Step::Maybe) => {
            arrive(steps, here, at + 1);
            arrive(steps, here, at + 3);
        }
        _ => {}
    }
}
