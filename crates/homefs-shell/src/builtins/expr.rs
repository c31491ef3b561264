//! `expr`, as GNU's.

use super::grep::{Syntax, translate};
use super::tool::Run;

/// The status for a wrong expression.
const WRONG: i32 = 2;

/// How deep an expression may nest.
const DEPTH_MAX: usize = 200;

/// Runs the command.
pub(crate) fn run(run: &mut Run<'_>) -> i32 {
    let args: Vec<&str> = run.args.iter().map(String::as_str).collect();
    let args = if args.first() == Some(&"--") { &args[1..] } else { &args[..] };
    if args.is_empty() {
        run.complain_of_usage("missing operand");
        return WRONG;
    }
    let mut reader = Reader { words: args, at: 0, depth: 0, run };
    let value = reader.any().and_then(|value| match reader.words.get(reader.at) {
        None => Ok(value),
        Some(word) => {
            let word = reader.run.quoted(word);
            Err(format!("syntax error: unexpected argument {word}"))
        }
    });
    match value {
        Ok(value) => {
            run.line(&value);
            i32::from(is_false(&value))
        }
        Err(message) => {
            run.complain(&message);
            WRONG
        }
    }
}

/// Tells whether a value counts as false: empty, or nothing but zeros.
fn is_false(value: &str) -> bool {
    let digits = value.strip_prefix('-').unwrap_or(value);
    value.is_empty() || !digits.is_empty() && digits.chars().all(|letter| letter == '0')
}

fn number(value: &str) -> Result<i128, String> {
    value.parse().map_err(|_| "non-integer argument".into())
}

struct Reader<'a, 'r, 's> {
    words: &'a [&'a str],
    at: usize,
    depth: usize,
    run: &'s Run<'r>,
}

impl Reader<'_, '_, '_> {
    /// Takes one of some words if it is next.
    fn next_of(&mut self, wanted: &[&'static str]) -> Option<&'static str> {
        let next = self.words.get(self.at)?;
        let found = wanted.iter().find(|word| *word == next)?;
        self.at += 1;
        Some(found)
    }

    fn any(&mut self) -> Result<String, String> {
        let mut left = self.both()?;
        while self.next_of(&["|"]).is_some() {
            let right = self.both()?;
            if is_false(&left) {
                left = if is_false(&right) { "0".into() } else { right };
            }
        }
        Ok(left)
    }

    fn both(&mut self) -> Result<String, String> {
        let mut left = self.compared()?;
        while self.next_of(&["&"]).is_some() {
            let right = self.compared()?;
            if is_false(&left) || is_false(&right) {
                left = "0".into();
            }
        }
        Ok(left)
    }

    fn compared(&mut self) -> Result<String, String> {
        let mut left = self.sum()?;
        while let Some(sign) = self.next_of(&["<", "<=", "=", "==", "!=", ">=", ">"]) {
            let right = self.sum()?;
            let order = match (number(&left), number(&right)) {
                (Ok(left), Ok(right)) => left.cmp(&right),
                _ => left.cmp(&right),
            };
            let holds = match sign {
                "<" => order.is_lt(),
                "<=" => order.is_le(),
                "!=" => order.is_ne(),
                ">=" => order.is_ge(),
                ">" => order.is_gt(),
                _ => order.is_eq(),
            };
            left = i32::from(holds).to_string();
        }
        Ok(left)
    }

    fn sum(&mut self) -> Result<String, String> {
        let mut left = self.product()?;
        while let Some(sign) = self.next_of(&["+", "-"]) {
            let right = number(&self.product()?)?;
            let left_number = number(&left)?;
            let sum = if sign == "+" {
                left_number.checked_add(right)
            } else {
                left_number.checked_sub(right)
            };
            left = sum.ok_or("Numerical result out of range")?.to_string();
        }
        Ok(left)
    }

    fn product(&mut self) -> Result<String, String> {
        let mut left = self.matched()?;
        while let Some(sign) = self.next_of(&["*", "/", "%"]) {
            let (a, b) = (self.matched()?, left);
            let (a, b) = (number(&b)?, number(&a)?);
            if sign != "*" && b == 0 {
                return Err("division by zero".into());
            }
            let value = match sign {
                "*" => a.checked_mul(b),
                "/" => a.checked_div(b),
                _ => a.checked_rem(b),
            };
            left = value.ok_or("Numerical result out of range")?.to_string();
        }
        Ok(left)
    }

    fn matched(&mut self) -> Result<String, String> {
        let mut left = self.word()?;
        while self.next_of(&[":"]).is_some() {
            let pattern = self.word()?;
            left = matched(&left, &pattern)?;
        }
        Ok(left)
    }

    fn word(&mut self) -> Result<String, String> {
        if self.depth == DEPTH_MAX {
            return Err(format!("the expression nests more than {DEPTH_MAX} deep"));
        }
        self.depth += 1;
        let word = self.word_inside();
        self.depth -= 1;
        word
    }

    fn word_inside(&mut self) -> Result<String, String> {
        let Some(word) = self.words.get(self.at).copied() else {
            let before = self.run.quoted(self.words.last().unwrap_or(&""));
            return Err(format!("syntax error: missing argument after {before}"));
        };
        self.at += 1;
        Ok(match word {
            "(" => {
                let value = self.any()?;
                if self.next_of(&[")"]).is_none() {
                    let before = self.run.quoted(self.words[self.at - 1]);
                    return Err(format!("syntax error: expecting ')' after {before}"));
                }
                value
            }
            ")" => return Err("syntax error: unexpected ')'".into()),
            "+" if self.at < self.words.len() => {
                self.at += 1;
                self.words[self.at - 1].to_owned()
            }
            "length" if self.at < self.words.len() => self.word()?.chars().count().to_string(),
            "match" if self.at < self.words.len() => {
                let (text, pattern) = (self.word()?, self.word()?);
                matched(&text, &pattern)?
            }
            "index" if self.at < self.words.len() => {
                let (text, letters) = (self.word()?, self.word()?);
                let place = text.chars().position(|letter| letters.contains(letter));
                place.map_or(0, |place| place + 1).to_string()
            }
            "substr" if self.at < self.words.len() => {
                let (text, from, length) = (self.word()?, self.word()?, self.word()?);
                let (Ok(from), Ok(length)) = (from.parse::<usize>(), length.parse::<usize>())
                else {
                    return Ok(String::new());
                };
                let skipped = text.chars().skip(from.saturating_sub(1));
                if from == 0 { String::new() } else { skipped.take(length).collect() }
            }
            word => word.to_owned(),
        })
    }
}

/// Matches a text from its start; the first group, or how long the match is.
fn matched(text: &str, pattern: &str) -> Result<String, String> {
    let translated = translate(pattern, Syntax::Basic)?.text;
    let regex = regex::Regex::new(&format!("^(?:{translated})"))
        .map_err(|_| "Invalid regular expression".to_owned())?;
    let grouped = regex.captures_len() > 1;
    Ok(match regex.captures(text) {
        Some(found) if grouped => found.get(1).map_or("", |group| group.as_str()).to_owned(),
        Some(found) => found[0].chars().count().to_string(),
        None if grouped => String::new(),
        None => "0".into(),
    })
}
