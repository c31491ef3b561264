//! How deep the languages within scripts may nest, measured before they are read.
//!
//! Most readers of the interpreter count how deep they are. These do not, and go a step down the
//! stack for each word or sign at the most; that of a session has room for ten times what is
//! allowed here.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use bashkit::hooks::{HookAction, ToolEvent};
use homefs_core::Path;
use parking_lot::Mutex;

use crate::files::Files;
use crate::handed::{self, File};
use crate::repairs::place;

/// How many words and signs a program of `jq` or `yq` may have.
const SIGNS_MAX: usize = 10_000;

/// How many words a condition may have.
const CONDITION_WORDS_MAX: usize = 1000;

/// How many `time` may follow one another.
const TIMES_MAX: usize = 100;

/// How many columns a line of `xxd` may have, as GNU's.
const COLUMNS_MAX: usize = 256;

/// Commands of the interpreter that hold all that they read before they print it.
const HOARDERS: &[&str] = &[
    "base64",
    "column",
    "comm",
    "cut",
    "expand",
    "fmt",
    "fold",
    "join",
    "md5sum",
    "nl",
    "od",
    "pr",
    "rev",
    "sha1sum",
    "sha256sum",
    "shuf",
    "sort",
    "split",
    "strings",
    "tac",
    "tsort",
    "unexpand",
    "uniq",
];

/// How often such a command may be told to read the same: each time it holds it once more.
const SAME_MAX: usize = 16;

/// What a text is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Language {
    Bash,
    Jq,
}

impl Language {
    fn refusal(self, text: &str) -> Option<String> {
        match self {
            Self::Bash => refusal_of_script(text),
            Self::Jq => refusal_of_program(text),
        }
    }
}

/// The names of files that commands of a script were told to read as programs.
///
/// Where the file is only the interpreter knows, which reads it after its command line was looked
/// at: so it is known by its name, and measured when it is read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Programs(Arc<Mutex<Noted>>);

#[derive(Debug, Default)]
struct Noted {
    languages: BTreeMap<String, Language>,
    /// What the command that runs now reads as a program.
    next: Option<File>,
}

impl Programs {
    /// Forgets all, for another script.
    pub(crate) fn forget(&self) {
        *self.0.lock() = Noted::default();
    }

    fn note(&self, operand: &str, language: Language) {
        let name = operand.rsplit('/').next().unwrap_or(operand);
        self.0.lock().languages.insert(name.to_owned(), language);
    }

    /// Says what is wrong with a file that must not be read as a program, if something is.
    pub(crate) fn refusal(&self, path: &Path, content: &[u8]) -> Option<String> {
        let language = *self.0.lock().languages.get(path.name()?)?;
        language.refusal(&String::from_utf8_lossy(content))
    }

    /// Tells whether a file that is read now is what the command that runs was told to run, and
    /// forgets it: whoever reads it later does not run it, nor does anybody if it is not there.
    pub(crate) fn handed(&self, path: &Path) -> Option<File> {
        self.0.lock().next.take_if(|file| file.may_be(path))
    }
}

/// Returns what looks at each command line before it is run.
pub(crate) fn hook(files: &Files) -> impl Fn(ToolEvent) -> HookAction<ToolEvent> + use<> {
    let (programs, interrupter) = (files.programs.clone(), files.interrupter.clone());
    move |mut event| {
        // What the command before it was told to run is of no use to this one.
        programs.0.lock().next = None;
        let refused = refusal(&programs, &event.name, &event.args);
        let looked = refused.map_or_else(|| handed::repair(&event.name, &mut event.args), Err);
        match looked {
            Ok(next) => {
                programs.0.lock().next = next;
                HookAction::Continue(event)
            }
            Err(why) => {
                interrupter.stop(format!("{}: {why}", event.name));
                HookAction::Cancel(why)
            }
        }
    }
}

/// Says what is wrong with a command line that must not be run, if something is.
fn refusal(programs: &Programs, name: &str, args: &[String]) -> Option<String> {
    match name {
        "[" | "test" if args.len() > CONDITION_WORDS_MAX => {
            Some(format!("a condition has at most {CONDITION_WORDS_MAX} words"))
        }
        "jq" | "yq" => {
            for (at, arg) in args.iter().enumerate() {
                let file = arg.strip_prefix("--from-file=");
                let is_next = arg == "--from-file" || is_letters(arg) && arg.ends_with('f');
                let next = args.get(at + 1).filter(|_| is_next).map(String::as_str);
                if let Some(file) = file.or(next) {
                    programs.note(file, Language::Jq);
                }
            }
            let all = if name == "yq" { args } else { &args[place(args).0?..][..1] };
            all.iter().find_map(|arg| refusal_of_program(arg))
        }
        "xxd" if args.iter().enumerate().any(|(at, arg)| is_wide(arg, args.get(at + 1))) => {
            Some(format!("a line has at most {COLUMNS_MAX} columns"))
        }
        _ if HOARDERS.contains(&name) && reads_same(args) => {
            Some(format!("reads the same at most {SAME_MAX} times"))
        }
        "trap" if args.len() > 1 && args[0] != "-" && args.iter().any(|arg| arg == "DEBUG") => {
            Some("the interpreter runs nothing on DEBUG".into())
        }
        "eval" | "trap" => refusal_of_script(&args.join(" ")),
        "." | "source" | "bash" | "sh" | "command" => {
            if let Some(operand) = handed::operand(name, args) {
                programs.note(operand, Language::Bash);
            }
            let texts = if name == "command" { &[] } else { args };
            texts.iter().find_map(|arg| refusal_of_script(arg))
        }
        _ => None,
    }
}

/// Tells whether arguments name the same file, or standard input, too often.
fn reads_same(args: &[String]) -> bool {
    let mut times: HashMap<&str, usize> = HashMap::new();
    args.len() > SAME_MAX
        && args.iter().any(|arg| {
            let count = times.entry(arg).or_default();
            *count += 1;
            *count > SAME_MAX
        })
}

/// Tells whether an argument, with the next one, asks `xxd` for too many columns.
fn is_wide(arg: &str, next: Option<&String>) -> bool {
    let Some(rest) = arg.strip_prefix("-c") else { return false };
    let value = if rest.starts_with(|letter: char| letter.is_ascii_digit()) {
        Some(rest)
    } else {
        next.map(String::as_str)
    };
    let digits = value.unwrap_or_default().trim_start_matches('+');
    digits.bytes().all(|byte| byte.is_ascii_digit())
        && !digits.is_empty()
        && digits.parse::<usize>().map_or(true, |columns| columns > COLUMNS_MAX)
}

/// Tells whether an argument is letters of options.
fn is_letters(arg: &str) -> bool {
    arg.strip_prefix('-').is_some_and(|letters| !letters.starts_with('-'))
}

/// Says what is wrong with a script that must not be read, if something is.
pub(crate) fn refusal_of_script(script: &str) -> Option<String> {
    let (mut times, mut after_option) = (0, false);
    for word in script.split(|letter: char| letter.is_whitespace() || ";|&(){}".contains(letter)) {
        let is_option = word.starts_with('-');
        match word {
            "time" => times += 1,
            "" => {}
            _ if is_option || after_option => {}
            _ => times = 0,
        }
        if times > TIMES_MAX {
            return Some(format!("more than {TIMES_MAX} `time` follow one another"));
        }
        after_option = is_option;
    }
    None
}

fn refusal_of_program(text: &str) -> Option<String> {
    let mut signs = 0_usize;
    let mut within_word = false;
    for byte in text.bytes() {
        let of_word = byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii();
        signs += usize::from(!(byte.is_ascii_whitespace() || of_word && within_word));
        within_word = of_word;
    }
    (signs > SIGNS_MAX).then(|| format!("a program has at most {SIGNS_MAX} words and signs"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nests_too_deep_is_refused() {
        let chain = |word: &str, count: usize| word.repeat(count) + "echo";
        for (script, refused) in [
            (chain("time ", TIMES_MAX), false),
            (chain("time ", TIMES_MAX + 1), true),
            (chain("time -p -p ", 200), true),
            (chain("time -f x\n", 200), true),
            (chain("time {", 200), true),
            (chain("time after ", 200), false),
        ] {
            assert_eq!(refusal_of_script(&script).is_some(), refused, "{script:.40}");
        }
        assert_eq!(refusal_of_program(&"[".repeat(SIGNS_MAX)), None);
        assert!(refusal_of_program(&"[".repeat(SIGNS_MAX + 1)).is_some());
        assert!(refusal_of_program(&"1,".repeat(SIGNS_MAX)).is_some());
        assert_eq!(refusal_of_program(&"name ".repeat(SIGNS_MAX)), None);
        assert_eq!(refusal_of_program(&"a".repeat(1 << 20)), None);
    }
}
