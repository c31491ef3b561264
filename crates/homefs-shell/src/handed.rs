//! Scripts that commands of a script are handed: as words, as files, or by their standard input.
//!
//! Each is looked at as the script itself was, and written anew where the interpreter would get it
//! wrong.

use homefs_core::Path;

use crate::repairs::{Repaired, completed, name_files, place, repaired};

/// As what a file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum As {
    /// As a part of the script that runs.
    Part,
    /// As a script of its own.
    Whole,
    /// As a program of `jq`.
    Jq,
}

/// A file that a command was told to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct File {
    /// How the command line names it.
    operand: String,
    /// As what the command reads it.
    read: As,
}

impl File {
    /// Tells whether this may be the file: from where it is named only the interpreter knows.
    pub(crate) fn may_be(&self, path: &Path) -> bool {
        let Ok(named) = Path::resolve("/", &self.operand) else { return false };
        if self.operand.starts_with('/') {
            *path == named
        } else {
            path.as_str().ends_with(named.as_str())
        }
    }

    /// Looks at what the file holds.
    pub(crate) fn repaired(&self, content: &[u8]) -> Repaired {
        let Ok(text) = std::str::from_utf8(content) else { return Repaired::Same };
        if self.read == As::Jq {
            return completed(text).map_or(Repaired::Same, Repaired::Anew);
        }
        // Others read what is written for them again.
        let line = content.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let is_foreign = line.starts_with(b"#!") && !line.windows(2).any(|part| part == b"sh");
        if is_foreign { Repaired::Same } else { repaired(text, self.read == As::Whole) }
    }
}

/// Writes a command line anew of which the interpreter would make something else, and the scripts in
/// it, and says which file it runs.
///
/// # Errors
/// Why a script would go wrong that cannot be mended.
pub(crate) fn repair(name: &str, args: &mut Vec<String>) -> Result<Option<File>, String> {
    match name {
        "[" | "test" => name_files(args),
        "jq" => return Ok(of_jq(args)),
        "bash" | "sh" => return of_shell(name, args),
        "eval" => {
            let first = first_word(args).unwrap_or(args.len());
            let mut text = args[first..].join(" ");
            if mend(&mut text, false)? {
                args.splice(first.., [text]);
            }
        }
        "trap" => {
            if let Some(first) = first_word(args) {
                mend(&mut args[first], false)?;
            }
        }
        "." | "source" | "command" => {
            let read = if name == "command" { As::Whole } else { As::Part };
            return Ok(operand(name, args).map(|operand| File { operand: operand.into(), read }));
        }
        _ => {}
    }
    Ok(None)
}

/// Returns what a command line names as the file to run.
pub(crate) fn operand<'a>(name: &str, args: &'a [String]) -> Option<&'a str> {
    let at = match name {
        "bash" | "sh" => Start::of(args).filter(|start| !start.of_text)?.operands,
        // A name without a slash is that of a command, and an option asks for something else.
        "command" => Some(0).filter(|_| {
            args.first().is_some_and(|word| word.contains('/') && !word.starts_with('-'))
        })?,
        _ => first_word(args)?,
    };
    args.get(at).map(String::as_str)
}

/// Gives a program of `jq` the definitions that it needs.
fn of_jq(args: &mut [String]) -> Option<File> {
    let (at, file) = place(args);
    let file = file.map(|operand| File { operand: operand.to_owned(), read: As::Jq });
    if let Some((at, program)) = at.and_then(|at| Some((at, completed(&args[at])?))) {
        args[at] = program;
    }
    file
}

/// Mends the script of a shell that is started within a script.
fn of_shell(name: &str, args: &mut Vec<String>) -> Result<Option<File>, String> {
    let Some(start) = Start::of(args) else { return Ok(None) };
    if start.of_text {
        if let Some(text) = args.get_mut(start.operands) {
            mend(text, true)?;
        }
        return Ok(None);
    }
    let of_input = start.of_input || start.operands == args.len();
    if !of_input {
        let operand = args[start.operands].clone();
        return Ok(Some(File { operand, read: As::Whole }));
    }
    // What it reads is not known here, and is seen where it is evaluated. To the interpreter a word
    // that follows would be a file.
    if !start.checks {
        let operands = args.split_off(start.operands);
        args.truncate(start.operands - usize::from(start.is_ended));
        args.extend(["-c".into(), "eval \"$(cat)\"".into(), name.to_owned()]);
        args.extend(operands);
    }
    Ok(None)
}

/// Mends a text; tells whether it is another one now.
fn mend(text: &mut String, is_whole: bool) -> Result<bool, String> {
    match repaired(text, is_whole) {
        Repaired::Same => Ok(false),
        Repaired::Refused(why) => Err(why),
        Repaired::Anew(anew) => {
            *text = anew;
            Ok(true)
        }
    }
}

fn first_word(args: &[String]) -> Option<usize> {
    args.iter().position(|arg| !arg.starts_with('-'))
}

/// How a shell is started: what its options say.
#[derive(Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option")]
struct Start {
    /// Where the words after the options begin.
    operands: usize,
    /// A sign ends the options.
    is_ended: bool,
    /// The first word is the script.
    of_text: bool,
    /// The script is read from standard input.
    of_input: bool,
    /// The script is only checked.
    checks: bool,
}

impl Start {
    /// Reads the options as the interpreter does; nothing if it only tells of itself.
    fn of(args: &[String]) -> Option<Self> {
        let mut start =
            Self { operands: 0, is_ended: false, of_text: false, of_input: false, checks: false };
        while let Some(arg) = args.get(start.operands).filter(|_| !start.is_ended) {
            match arg.as_str() {
                "--version" | "--help" => return None,
                "-" | "--" => start.is_ended = true,
                "--rcfile" | "--init-file" | "--wordexp" => start.operands += 1,
                long if long.starts_with("--") => {}
                letters if letters.len() > 1 && letters.starts_with(['-', '+']) => {
                    start.letters(letters);
                }
                _ => break,
            }
            start.operands += 1;
        }
        (start.operands <= args.len()).then_some(start)
    }

    fn letters(&mut self, letters: &str) {
        for letter in letters.chars().skip(1) {
            match letter {
                // The next word is the name of what is set.
                'o' | 'O' => self.operands += 1,
                'c' => self.of_text = true,
                's' => self.of_input = true,
                'n' => self.checks = letters.starts_with('-'),
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect()
    }

    #[test]
    fn a_script_is_found_wherever_it_is_handed() {
        let input = |before: &str, after: &str| {
            let mut args = words(before);
            args.extend(["-c".into(), "eval \"$(cat)\"".into(), "bash".into()]);
            args.extend(words(after));
            (args, None)
        };
        let file = |text: &str, operand: &str| {
            let file = File { operand: operand.into(), read: As::Whole };
            (words(text), Some(file))
        };
        for (given, expected) in [
            ("", input("", "")),
            ("-e", input("-e", "")),
            ("-es a", input("-es", "a")),
            ("-s a -- b", input("-s", "a -- b")),
            ("-s -- a -- -b", input("-s", "a -- -b")),
            ("-euo pipefail", input("-euo pipefail", "")),
            ("-", input("", "")),
            ("-euo pipefail f a", file("-euo pipefail f a", "f")),
            ("-O extglob +o posix -- -f", file("-O extglob +o posix -- -f", "-f")),
            ("--norc --rcfile x f", file("--norc --rcfile x f", "f")),
            ("-n", (words("-n"), None)),
            ("--version", (words("--version"), None)),
            ("-o", (words("-o"), None)),
        ] {
            let mut args = words(given);
            let found = repair("bash", &mut args).expect("nothing is refused");
            assert_eq!((args, found), expected, "{given}");
        }
        let mut args = words("-euo pipefail -c a>b>c d");
        assert_eq!(repair("sh", &mut args), Ok(None));
        assert_eq!(args, ["-euo", "pipefail", "-c", "a 19>b>c", "d"]);
    }

    #[test]
    fn a_program_of_jq_gets_what_it_names_wherever_it_is_handed() {
        let completed = completed("toarray").expect("it names what is missing");
        let mut args = words("-c --arg a b toarray f");
        assert_eq!(repair("jq", &mut args), Ok(None));
        assert_eq!(args[4], completed);
        for given in ["-nf p.jq f", "--from-file=p.jq f", "-n --from-file p.jq"] {
            let mut args = words(given);
            let found = repair("jq", &mut args).expect("nothing is refused");
            let file = found.unwrap_or_else(|| panic!("{given}"));
            assert_eq!((&*file.operand, args), ("p.jq", words(given)));
            assert_eq!(file.repaired(b"toarray"), Repaired::Anew(completed.clone()));
            assert_eq!(file.repaired(b". > . > ."), Repaired::Same);
        }
    }

    #[test]
    fn a_file_is_the_one_that_is_named_and_no_other() {
        let file = |operand: &str| File { operand: operand.into(), read: As::Whole };
        let path = |text: &str| Path::parse(text).expect("it is a path");
        for (operand, at) in [
            ("a.sh", "/x/a.sh"),
            ("./a.sh", "/a.sh"),
            ("b//a.sh", "/x/b/a.sh"),
            ("/x/a.sh", "/x/a.sh"),
            ("../b/../a.sh", "/x/a.sh"),
        ] {
            assert!(file(operand).may_be(&path(at)), "{operand} {at}");
        }
        for (operand, at) in
            [("a.sh", "/x/aa.sh"), ("b/a.sh", "/x/a.sh"), ("/a.sh", "/x/a.sh"), ("", "/a")]
        {
            assert!(!file(operand).may_be(&path(at)), "{operand} {at}");
        }
    }
}
