//! Two things that the interpreter gets wrong, and that are written otherwise before it sees them.
//!
//! In `[[ a -nt b ]]` it looks for files with relative names at the root: full names are put
//! there. In `(( $(echo "1 > 2" | bc) ))` it loses the quotes: a condition on `$((…))` keeps them.

use std::fmt::Write as _;

use crate::builtins::FULL_NAME;

/// The comparisons of files.
const SIGNS: [&str; 3] = ["-nt", "-ot", "-ef"];

/// Writes a script anew if it is concerned; the text stays on its lines.
pub(crate) fn rewritten(script: &str) -> Option<String> {
    let compares = script.contains("[[") && SIGNS.iter().any(|sign| script.contains(sign));
    let counts = script.contains("((") && script.contains("$(") && script.contains('"');
    (compares || counts).then(|| {
        let mut rewriter = Rewriter { rest: script, out: String::new(), documents: Vec::new() };
        rewriter.run();
        rewriter.out
    })
}

struct Rewriter<'a> {
    rest: &'a str,
    out: String,
    /// The words that end the documents which begin with the next line.
    documents: Vec<String>,
}

impl Rewriter<'_> {
    fn keep(&mut self, length: usize) {
        let length = length.min(self.rest.len());
        self.out += &self.rest[..length];
        self.rest = &self.rest[length..];
    }

    fn run(&mut self) {
        let mut before = '\n';
        while let Some(letter) = self.rest.chars().next() {
            let starts_word = before.is_whitespace() || ";|&(!{".contains(before);
            before = letter;
            match letter {
                '\\' => {
                    let next = self.rest[1..].chars().next().map_or(0, char::len_utf8);
                    self.keep(1 + next);
                }
                '\'' => self.keep(self.rest[1..].find('\'').map_or(usize::MAX, |end| end + 2)),
                '#' if starts_word => self.keep(self.rest.find('\n').unwrap_or(usize::MAX)),
                '<' if self.rest.starts_with("<<") && !self.rest.starts_with("<<<") => {
                    self.document();
                }
                '<' if self.rest.starts_with("<<<") => self.keep(3),
                '\n' => {
                    self.keep(1);
                    for word in std::mem::take(&mut self.documents) {
                        self.skip_document(&word);
                    }
                }
                '[' if starts_word && self.rest.starts_with("[[ ") => self.condition(),
                '(' if starts_word && self.rest.starts_with("((") => self.arithmetic(),
                letter => self.keep(letter.len_utf8()),
            }
        }
    }

    /// Notes that a document follows this line.
    fn document(&mut self) {
        let after = self.rest[2..].trim_start_matches('-').trim_start_matches([' ', '\t']);
        let word: String = after
            .chars()
            .take_while(|letter| !letter.is_whitespace() && !";|&)".contains(*letter))
            .collect();
        let before = self.rest.len() - after.len();
        self.keep(before + word.len());
        self.documents.push(word.replace(['\'', '"', '\\'], ""));
    }

    fn skip_document(&mut self, word: &str) {
        while !self.rest.is_empty() {
            let end = self.rest.find('\n').map_or(self.rest.len(), |end| end + 1);
            let last = self.rest[..end].trim_end_matches('\n').trim_start_matches('\t') == word;
            self.keep(end);
            if last {
                return;
            }
        }
    }

    /// Writes a condition anew if it compares files.
    fn condition(&mut self) {
        let Some(end) = self.rest.find(" ]]") else { return self.keep(2) };
        let inside = &self.rest[2..end];
        let words = words(inside);
        let compares = words.iter().any(|word| SIGNS.contains(word));
        // What runs over several lines is left alone: it would move what follows.
        if !compares || inside.contains('\n') {
            return self.keep(2);
        }
        self.out += "[[";
        for (at, word) in words.iter().enumerate() {
            let beside = |other: Option<&&str>| other.is_some_and(|word| SIGNS.contains(word));
            let sign = words.get(at + 1).filter(|_| beside(words.get(at + 1)));
            let sign = sign.or_else(|| at.checked_sub(1).and_then(|at| words.get(at)));
            match sign.filter(|sign| SIGNS.contains(*sign) && !SIGNS.contains(word)) {
                Some(sign) => {
                    let link = if *sign == "-ef" { " -e" } else { "" };
                    write!(self.out, " \"$({FULL_NAME}{link} {word})\"")
                }
                None => write!(self.out, " {word}"),
            }
            .expect("a string takes everything");
        }
        self.rest = &self.rest[end..];
    }
}

impl Rewriter<'_> {
    /// Writes arithmetic anew in which a command has quotes.
    fn arithmetic(&mut self) {
        let inside = inside_parentheses(&self.rest[2..]);
        let inside = inside.filter(|inside| self.rest[2 + inside.len()..].starts_with("))"));
        let concerned = |inside: &&str| inside.contains("$(") && inside.contains('"');
        let head = self.out.trim_end().ends_with("for");
        let Some(inside) = inside.filter(concerned).filter(|_| !head) else { return self.keep(2) };
        self.out.extend(["[[ $((", inside, ")) -ne 0 ]]"]);
        self.rest = &self.rest[inside.len() + 4..];
    }
}

/// Returns a text up to the parenthesis that closes more than was opened in it.
fn inside_parentheses(text: &str) -> Option<&str> {
    let (mut depth, mut quote) = (0_usize, None);
    for (at, letter) in text.char_indices() {
        match (quote, letter) {
            (Some(open), letter) if letter == open => quote = None,
            (None, '"' | '\'') => quote = Some(letter),
            (None, '(') => depth += 1,
            (None, ')') if depth == 0 => return Some(&text[..at]),
            (None, ')') => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Splits a condition into its words, as far as blanks and quotes tell.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let (mut start, mut quote, mut depth) = (None, None, 0_usize);
    for (at, letter) in text.char_indices() {
        match (quote, letter) {
            (Some(open), letter) if letter == open => quote = None,
            (None, '"' | '\'') => quote = Some(letter),
            (None, '(' | '{') => depth += 1,
            (None, ')' | '}') => depth = depth.saturating_sub(1),
            _ => {}
        }
        if letter.is_whitespace() && quote.is_none() && depth == 0 {
            words.extend(start.take().map(|start| &text[start..at]));
        } else {
            start.get_or_insert(at);
        }
    }
    words.extend(start.map(|start| &text[start..]));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_would_go_wrong_is_written_anew() {
        let full = |name: &str| format!("\"$({FULL_NAME} {name})\"");
        let (a, f) = (full("a"), full("\"$f\""));
        for (script, expected) in [
            ("[[ a -nt \"$f\" ]] && x", Some(format!("[[ {a} -nt {f} ]] && x"))),
            ("[[ -f a && a -ot \"$f\" ]]", Some(format!("[[ -f a && {a} -ot {f} ]]"))),
            ("[[ a == -nt* ]]", Some("[[ a == -nt* ]]".into())),
            ("echo '[[ a -nt b ]]'", Some("echo '[[ a -nt b ]]'".into())),
            ("cat <<E\n[[ a -nt b ]]\nE\n", Some("cat <<E\n[[ a -nt b ]]\nE\n".into())),
            ("# [[ a -nt b ]]", Some("# [[ a -nt b ]]".into())),
            (
                "if (( $(echo \"1 > 2\" | bc) )); then",
                Some("if [[ $(( $(echo \"1 > 2\" | bc) )) -ne 0 ]]; then".into()),
            ),
            ("for ((i=0; i<$(f \"a\"); i++))", Some("for ((i=0; i<$(f \"a\"); i++))".into())),
            ("x=$(( $(f \"a\") ))", Some("x=$(( $(f \"a\") ))".into())),
            ("((i++)); echo \"$(f)\"", Some("((i++)); echo \"$(f)\"".into())),
            ("[ a -nt b ]", None),
        ] {
            assert_eq!(rewritten(script), expected, "{script}");
        }
    }
}
