//! Options of commands, read as GNU's `getopt_long` does: in any order, short ones together, long
//! ones as short as they are unambiguous.

/// Whether an option has a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    Nothing,
    Value,
    /// Only with `=`, or attached to the letter.
    Perhaps,
}

/// An option: its letter (or none, as a space), its name, and whether it has a value.
pub(crate) type Spec = (char, &'static str, Takes);

/// What is on a command line; options by their long names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Item<'a> {
    Option(&'static str, Option<&'a str>),
    Operand(&'a str),
}

/// Reads a command line. `digits` is what `-5` is short for.
pub(crate) fn parse<'a>(
    specs: &[Spec],
    digits: Option<&'static str>,
    args: &'a [String],
) -> Result<Vec<Item<'a>>, String> {
    let mut items = Vec::new();
    let mut rest = args.iter().map(String::as_str);
    while let Some(arg) = rest.next() {
        if arg == "--" {
            items.extend(rest.by_ref().map(Item::Operand));
        } else if let Some(long) = arg.strip_prefix("--") {
            let (name, value) = match long.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (long, None),
            };
            let spec = find_long(specs, name)?;
            items.push(long_option(spec, value, &mut rest)?);
        } else if arg.len() > 1 && arg.starts_with('-') {
            short_options(specs, digits, &arg[1..], &mut rest, &mut items)?;
        } else {
            items.push(Item::Operand(arg));
        }
    }
    Ok(items)
}

fn find_long(specs: &[Spec], name: &str) -> Result<Spec, String> {
    if let Some(spec) = specs.iter().find(|spec| spec.1 == name) {
        return Ok(*spec);
    }
    let mut like = specs.iter().filter(|spec| spec.1.starts_with(name));
    match (like.next(), like.next()) {
        (Some(spec), None) => Ok(*spec),
        (Some(_), Some(_)) => Err(format!("option '--{name}' is ambiguous")),
        _ => Err(format!("unrecognized option '--{name}'")),
    }
}

fn long_option<'a>(
    spec: Spec,
    value: Option<&'a str>,
    rest: &mut impl Iterator<Item = &'a str>,
) -> Result<Item<'a>, String> {
    let value = match (spec.2, value) {
        (Takes::Nothing, Some(_)) => {
            return Err(format!("option '--{}' doesn't allow an argument", spec.1));
        }
        (Takes::Value, None) => match rest.next() {
            None => return Err(format!("option '--{}' requires an argument", spec.1)),
            value => value,
        },
        (_, value) => value,
    };
    Ok(Item::Option(spec.1, value))
}

fn short_options<'a>(
    specs: &[Spec],
    digits: Option<&'static str>,
    letters: &'a str,
    rest: &mut impl Iterator<Item = &'a str>,
    items: &mut Vec<Item<'a>>,
) -> Result<(), String> {
    let mut at = 0;
    while let Some(letter) = letters[at..].chars().next() {
        let after = at + letter.len_utf8();
        if let (Some(name), true) = (digits, letter.is_ascii_digit()) {
            let number = letters[at..].trim_start_matches(|letter: char| letter.is_ascii_digit());
            let end = letters.len() - number.len();
            items.push(Item::Option(name, Some(&letters[at..end])));
            at = end;
            continue;
        }
        let spec = specs.iter().find(|spec| spec.0 == letter && letter != ' ');
        let spec = spec.ok_or_else(|| format!("invalid option -- '{letter}'"))?;
        let attached = Some(&letters[after..]).filter(|value| !value.is_empty());
        match spec.2 {
            Takes::Nothing => {
                items.push(Item::Option(spec.1, None));
                at = after;
            }
            Takes::Perhaps => {
                items.push(Item::Option(spec.1, attached));
                return Ok(());
            }
            Takes::Value => {
                let value = attached.or_else(|| rest.next());
                let missing = || format!("option requires an argument -- '{letter}'");
                items.push(Item::Option(spec.1, Some(value.ok_or_else(missing)?)));
                return Ok(());
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPECS: &[Spec] = &[
        ('r', "recursive", Takes::Nothing),
        ('A', "after", Takes::Value),
        (' ', "color", Takes::Perhaps),
        (' ', "count", Takes::Nothing),
    ];

    fn read(text: &str) -> Result<String, String> {
        let args: Vec<String> = text.split(' ').map(str::to_owned).collect();
        Ok(format!("{:?}", parse(SPECS, Some("after"), &args)?))
    }

    #[test]
    fn a_command_line_is_read_as_getopt_does() {
        for (text, expected) in [
            ("x -r", r#"[Operand("x"), Option("recursive", None)]"#),
            ("-rA3", r#"[Option("recursive", None), Option("after", Some("3"))]"#),
            ("-A 3", r#"[Option("after", Some("3"))]"#),
            ("-12r", r#"[Option("after", Some("12")), Option("recursive", None)]"#),
            ("--af=3 --rec", r#"[Option("after", Some("3")), Option("recursive", None)]"#),
            ("--color --color=x", r#"[Option("color", None), Option("color", Some("x"))]"#),
            ("-- -r -", r#"[Operand("-r"), Operand("-")]"#),
        ] {
            assert_eq!(read(text).as_deref(), Ok(expected), "{text}");
        }
        for text in ["-z", "--co", "--none", "-A", "--count=1"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
