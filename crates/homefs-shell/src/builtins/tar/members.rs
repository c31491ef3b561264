//! What is done to the members of an archive beside packing them: their names are changed, and they
//! are put behind others.

use std::collections::BTreeMap;

use regex::{Regex, RegexBuilder};

use crate::builtins::grep::{Syntax, translate};

/// Archives are made of blocks.
const BLOCK_BYTES: usize = 512;

/// How long a name may be: the interpreter would cut off the rest.
const NAME_BYTES: usize = 100;

/// Where in a header its checksum is, and the kind of the member.
const CHECKSUM: std::ops::Range<usize> = 148..156;
const KIND: usize = 156;

/// A member: its header, its name and all its blocks.
struct Member<'a> {
    name: String,
    modified: u64,
    blocks: &'a [u8],
}

/// Reads the members of an archive that is not packed.
fn members(archive: &[u8]) -> Result<Vec<Member<'_>>, String> {
    let mut members = Vec::new();
    let mut rest = archive;
    while let Some(header) = rest.get(..BLOCK_BYTES).filter(|header| header[0] != 0) {
        let broken = || "This does not look like a tar archive".to_owned();
        let sum: u64 = header.iter().map(|byte| u64::from(*byte)).sum();
        let blanks: u64 = header[CHECKSUM].iter().map(|byte| u64::from(*byte)).sum();
        let octal = |range: std::ops::Range<usize>| {
            let text = String::from_utf8_lossy(&header[range]).into_owned();
            u64::from_str_radix(text.trim_matches([' ', '\0']), 8).ok()
        };
        if octal(CHECKSUM) != Some(sum - blanks + 8 * u64::from(b' ')) {
            return Err(broken());
        }
        let size =
            octal(124..136).and_then(|size| usize::try_from(size).ok()).ok_or_else(broken)?;
        let end = size.div_ceil(BLOCK_BYTES).checked_add(1);
        let end = end.and_then(|blocks| blocks.checked_mul(BLOCK_BYTES)).ok_or_else(broken)?;
        let blocks = rest.get(..end).ok_or("Unexpected EOF in archive")?;
        let name = &header[..NAME_BYTES];
        let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
        let name = String::from_utf8_lossy(name).into_owned();
        members.push(Member { name, modified: octal(136..148).unwrap_or(0), blocks });
        rest = &rest[end..];
    }
    Ok(members)
}

/// Says which name is as long as there is room for: what is longer was cut off.
pub(super) fn check_names(archive: &[u8]) -> Result<(), String> {
    match members(archive)?.iter().find(|member| member.name.len() >= NAME_BYTES) {
        Some(member) => {
            let name = &member.name;
            Err(format!("{name}: a name has at most {} bytes here", NAME_BYTES - 1))
        }
        None => Ok(()),
    }
}

/// Puts members behind those of an archive, only the newer ones if `update`; returns it with the
/// names of what was added.
pub(super) fn appended(
    archive: &[u8],
    more: &[u8],
    update: bool,
) -> Result<(Vec<u8>, Vec<String>), String> {
    let there = members(archive)?;
    let mut newest: BTreeMap<&str, u64> = BTreeMap::new();
    for member in &there {
        let newest = newest.entry(member.name.trim_end_matches('/')).or_default();
        *newest = member.modified.max(*newest);
    }
    let mut whole: Vec<u8> = there.iter().flat_map(|member| member.blocks).copied().collect();
    let mut names = Vec::new();
    for member in members(more)? {
        let known = newest.get(member.name.trim_end_matches('/'));
        if update && known.is_some_and(|known| member.modified <= *known) {
            continue;
        }
        whole.extend(member.blocks);
        names.push(member.name);
    }
    whole.extend([0; 2 * BLOCK_BYTES]);
    Ok((whole, names))
}

/// Changes the names of the members of an archive.
pub(super) fn renamed(archive: &[u8], changes: &[Change]) -> Result<Vec<u8>, String> {
    let mut whole = Vec::new();
    for member in members(archive)? {
        if matches!(member.blocks[KIND], b'L' | b'K' | b'x' | b'g') {
            return Err("long names are not transformed here".into());
        }
        let name = changes.iter().fold(member.name.clone(), |name, change| change.of(&name));
        if name.trim_matches('/').is_empty() {
            continue;
        }
        if name.len() >= NAME_BYTES {
            return Err(format!("{name}: a name has at most {} bytes here", NAME_BYTES - 1));
        }
        let mut header = member.blocks[..BLOCK_BYTES].to_vec();
        header[..NAME_BYTES].fill(0);
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[CHECKSUM].fill(b' ');
        let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
        header[CHECKSUM].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        whole.extend(header);
        whole.extend(&member.blocks[BLOCK_BYTES..]);
    }
    whole.extend([0; 2 * BLOCK_BYTES]);
    Ok(whole)
}

/// A change of names, as `sed` reads it.
pub(super) struct Change {
    pattern: Regex,
    replacement: String,
    all: bool,
}

impl Change {
    /// Reads `s/PATTERN/REPLACEMENT/FLAGS`.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let wrong = || format!("Invalid transform expression: {text}");
        let rest = text.strip_prefix('s').ok_or_else(wrong)?;
        let end = rest.chars().next().ok_or_else(wrong)?;
        let mut parts = vec![String::new()];
        let mut letters = rest[end.len_utf8()..].chars();
        while let Some(letter) = letters.next() {
            let last = parts.last_mut().ok_or_else(wrong)?;
            match letter {
                '\\' => match letters.next() {
                    Some(next) if next == end => last.push(next),
                    next => last.extend(['\\'].into_iter().chain(next)),
                },
                letter if letter == end => parts.push(String::new()),
                letter => last.push(letter),
            }
        }
        let [pattern, replacement, flags] = &parts[..] else { return Err(wrong()) };
        if flags.contains(|flag| !"gix".contains(flag)) {
            return Err(wrong());
        }
        let syntax = if flags.contains('x') { Syntax::Extended } else { Syntax::Basic };
        let translated = translate(pattern, syntax).map_err(str::to_owned)?;
        let pattern = RegexBuilder::new(&translated.text)
            .case_insensitive(flags.contains('i'))
            .build()
            .map_err(|_| wrong())?;
        Ok(Self { pattern, replacement: expanded(replacement), all: flags.contains('g') })
    }

    fn of(&self, name: &str) -> String {
        let most = usize::from(!self.all);
        self.pattern.replacen(name, most, self.replacement.as_str()).into_owned()
    }
}

/// Writes a replacement as the library reads it: `&` is all that matches, `\1` a part of it.
fn expanded(replacement: &str) -> String {
    let mut out = String::new();
    let mut letters = replacement.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '&' => out += "${0}",
            '$' => out += "$$",
            '\\' => match letters.next() {
                Some(digit) if digit.is_ascii_digit() => {
                    out.extend(["${", digit.encode_utf8(&mut [0; 4]), "}"]);
                }
                next => out.extend(next),
            },
            letter => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::Change;

    #[test]
    fn names_are_changed_as_sed_does() {
        for (text, name, expected) in [
            ("s/a/b/", "aa/a", "ba/a"),
            ("s,a/,b/,g", "a/a/c", "b/b/c"),
            (r"s/\(.*\)\.txt/new\/&.\1$/", "x.txt", "new/x.txt.x$"),
            ("s/(A)(B)?/<\\1>/xi", "xab", "x<a>"),
            ("s/^docs//", "docs/x", "/x"),
        ] {
            let change = Change::read(text).unwrap_or_else(|why| panic!("{text}: {why}"));
            assert_eq!(change.of(name), expected, "{text}");
        }
        for text in ["", "s", "s/a", "s/a/b", "s/a/b/q", "y/a/b/", "s/[/b/"] {
            assert!(Change::read(text).is_err(), "{text}");
        }
    }
}
