//! Conditions in `[[ ]]` that ask for files, and that the interpreter answers wrongly.
//!
//! `[` answers them rightly, so they are handed to it: a word is assigned first, since that expands
//! it as a condition does, without splitting it.

use std::ops::Range;

use crate::builtins::SAME_FILE;

/// What is asked of one file, or of an option.
const OF_ONE: &[&str] =
    &["-L", "-h", "-x", "-b", "-c", "-p", "-S", "-g", "-u", "-k", "-O", "-G", "-N", "-o"];

/// What is asked of two files.
const OF_TWO: &[&str] = &["-nt", "-ot", "-ef"];

/// What is asked of one file and answered rightly, unless its name is empty: then it is asked of
/// the working directory.
const OF_NAMED: &[&str] = &["-e", "-f", "-d", "-r", "-w", "-s", "-a"];

/// A name that no file can have: what is asked of an empty one is asked of this.
const NO_FILE: &str = "/dev/null/none";

/// The other signs between two words: what stands before them is no question.
const BETWEEN: &[&str] =
    &["=", "==", "!=", "=~", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge"];

/// Signs that put conditions together.
const JOINTS: &[&str] = &["(", ")", "!", "&&", "||"];

/// Tells whether a script may have such a condition.
pub(super) fn is_concerned(script: &str) -> bool {
    script.contains("[[")
        && [OF_ONE, OF_TWO, OF_NAMED].into_iter().flatten().any(|sign| script.contains(sign))
}

/// Writes those words of a condition anew that ask for files; says which, the last first.
pub(super) fn rewritten(words: &[&str]) -> Vec<(Range<usize>, String)> {
    let mut edits = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let starts = at == 0 || words[at - 1] != ")" && JOINTS.contains(&words[at - 1]);
        let operand = |at: usize| words.get(at).copied().filter(|word| !JOINTS.contains(word));
        let sign = words.get(at + 1).copied().unwrap_or_default();
        if let (true, true, Some(right)) = (starts, OF_TWO.contains(&sign), operand(at + 2)) {
            let ask = match sign {
                "-ef" => format!("{SAME_FILE} \"$__homefs_a\" \"$__homefs_b\""),
                sign => format!("[ \"$__homefs_a\" {sign} \"$__homefs_b\" ]"),
            };
            let left = words[at];
            let text = format!("__homefs_a={left}; __homefs_b={right}; {ask}");
            edits.push((at..at + 3, asked(&text)));
            at += 3;
        } else if let (true, true, Some(word)) =
            (starts, OF_ONE.contains(&words[at]) || OF_NAMED.contains(&words[at]), operand(at + 1))
            && !words.get(at + 2).is_some_and(|_| BETWEEN.contains(&word))
        {
            let sign = words[at];
            if OF_ONE.contains(&sign) || word.contains(['(', '`']) && may_be_empty(word) {
                let text = format!("__homefs_a={word}; [ {sign} \"$__homefs_a\" ]");
                edits.push((at..at + 2, asked(&text)));
            } else if may_be_empty(word) {
                edits.push((at..at + 2, format!("( -n {word} && {sign} {word} )")));
            }
            at += 2;
        } else {
            at += 1;
        }
    }
    edits.reverse();
    edits
}

/// Tells whether nothing stands in a word but what is expanded, which may be nothing.
fn may_be_empty(word: &str) -> bool {
    let mut rest = word;
    while let Some(letter) = rest.chars().next() {
        rest = &rest[letter.len_utf8()..];
        let end = match letter {
            '"' | '\'' => 0,
            '`' => rest.find('`').map_or(rest.len(), |end| end + 1),
            '$' if rest.starts_with(['{', '(']) => closed(rest),
            '$' => {
                let name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
                rest.find(|letter| !name(letter))
                    .unwrap_or(rest.len())
                    .max(usize::from(rest.starts_with(['@', '*'])))
            }
            _ => return false,
        };
        rest = rest.get(end..).unwrap_or_default();
    }
    true
}

/// Returns where what a text begins with is closed.
fn closed(text: &str) -> usize {
    let mut open = 0_usize;
    for (at, letter) in text.char_indices() {
        match letter {
            '{' | '(' => open += 1,
            '}' | ')' => open = open.saturating_sub(1),
            _ => {}
        }
        if open == 0 {
            return at + 1;
        }
    }
    text.len()
}

/// Gives what `[` asks of a file without a name to a file that there cannot be.
pub(crate) fn name_files(args: &mut [String]) {
    for at in 0..args.len() {
        if args[at].is_empty() && is_file(args, at) {
            NO_FILE.clone_into(&mut args[at]);
        }
    }
}

/// Tells whether a word of `[` names a file.
fn is_file(args: &[String], at: usize) -> bool {
    let word = |at: Option<usize>| at.and_then(|at| args.get(at)).map_or("", String::as_str);
    let before = word(at.checked_sub(1));
    let asks = before != "-o" && (OF_ONE.contains(&before) || OF_NAMED.contains(&before));
    // What stands between two words compares them: `[ a -a "" ]` asks for two texts.
    let first = at == 1 || at > 1 && matches!(word(at.checked_sub(2)), "!" | "(" | "-a" | "-o");
    asks && first || OF_TWO.contains(&before) || OF_TWO.contains(&word(Some(at + 1)))
}

/// Makes a condition of a command.
fn asked(command: &str) -> String {
    format!("-n \"$({command} && echo y)\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_may_be_empty_is_known() {
        for word in ["$x", "\"$x\"", "${x:-}", "\"${x#a/b}\"", "$(f a)", "`f`", "$1$2", "\"$@\""] {
            assert!(may_be_empty(word), "{word}");
        }
        for word in ["a", "$x/a", "\"$x\".txt", "~", "a$x"] {
            assert!(!may_be_empty(word), "{word}");
        }
    }

    #[test]
    fn only_files_without_a_name_get_one() {
        let none = NO_FILE;
        for (given, expected) in [
            (&["-e", "", "]"][..], &["-e", none, "]"][..]),
            (&["!", "-d", "", "]"], &["!", "-d", none, "]"]),
            (&["-f", "a", "-a", "-s", ""], &["-f", "a", "-a", "-s", none]),
            (&["", "-nt", "a"], &[none, "-nt", "a"]),
            (&["a", "-nt", ""], &["a", "-nt", none]),
            (&["-n", "", "]"], &["-n", "", "]"]),
            (&["a", "-a", "", "]"], &["a", "-a", "", "]"]),
            (&["a", "=", "", "]"], &["a", "=", "", "]"]),
        ] {
            let mut args: Vec<String> = given.iter().map(|&arg| arg.to_owned()).collect();
            name_files(&mut args);
            assert_eq!(args, expected);
        }
    }
}
