//! `seq`, as GNU's, without an end to what it can count.

use async_trait::async_trait;
use bashkit::{Command, CommandContext, CommandStatus};

use super::options::Takes;
use super::tool::{Ground, Run};
use super::width;

/// How much is made before it is handed on.
const HANDED_ON_BYTES: usize = 16 << 10;

/// What a command line says.
struct Options {
    separator: String,
    equal_width: bool,
    format: Option<String>,
    numbers: Vec<String>,
}

/// The command.
pub(crate) struct Seq {
    pub(crate) ground: Ground,
}

#[async_trait]
impl Command for Seq {
    async fn execute(&self, context: CommandContext<'_>) -> bashkit::Result<CommandStatus> {
        let directory = context.cwd.to_string_lossy().into_owned();
        let mut run = Run::new(&self.ground, "seq", context.args, &directory, context.env);
        let Ok(counter) = Counter::new(&mut run) else {
            context.stderr.write_all(run.err.as_bytes()).await?;
            return Ok(CommandStatus::with_code(1));
        };
        let mut out = String::new();
        let mut index = 0;
        while let Some(text) = counter.text(index) {
            if index > 0 {
                out += &counter.separator;
            }
            out += &text;
            index += 1;
            if out.len() > HANDED_ON_BYTES {
                context.stdout.write_all(out.as_bytes()).await?;
                out.clear();
            }
        }
        if index > 0 {
            out.push('\n');
        }
        context.stdout.write_all(out.as_bytes()).await?;
        Ok(CommandStatus::with_code(0))
    }
}

/// Reads a command line, in which a number may be negative.
fn read(args: &[String]) -> Result<Options, String> {
    let mut options =
        Options { separator: "\n".into(), equal_width: false, format: None, numbers: Vec::new() };
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit() || c == '.');
        let Some(option) =
            arg.strip_prefix('-').filter(|option| !number(option) && !option.is_empty())
        else {
            options.numbers.push(arg.clone());
            continue;
        };
        let long = option.strip_prefix('-');
        let (name, attached) = match long {
            Some(long) => long.split_once('=').map_or((long, None), |(a, b)| (a, Some(b))),
            None => (&option[..1], Some(&option[1..]).filter(|value| !value.is_empty())),
        };
        let takes = match name {
            "w" | "equal-width" => Takes::Nothing,
            "s" | "separator" | "f" | "format" => Takes::Value,
            _ if long.is_some() => return Err(format!("unrecognized option '{arg}'")),
            _ => return Err(format!("invalid option -- '{name}'")),
        };
        if takes == Takes::Nothing {
            options.equal_width = true;
            continue;
        }
        let value = attached.map(str::to_owned).or_else(|| rest.next().cloned());
        let value = value.ok_or_else(|| format!("option requires an argument -- '{name}'"))?;
        if name.starts_with('s') {
            options.separator = value;
        } else {
            options.format = Some(value);
        }
    }
    Ok(options)
}

/// What is counted, as whole numbers of the smallest place.
struct Counter {
    first: i128,
    step: i128,
    last: i128,
    /// How many digits are after the point.
    places: usize,
    width: usize,
    separator: String,
    format: Option<String>,
}

impl Counter {
    fn new(run: &mut Run<'_>) -> Result<Self, ()> {
        let options = read(run.args).map_err(|message| run.complain_of_usage(&message))?;
        let (first, step, last) = match &options.numbers[..] {
            [last] => ("1", "1", last.as_str()),
            [first, last] => (first.as_str(), "1", last.as_str()),
            [first, step, last] => (first.as_str(), step.as_str(), last.as_str()),
            [] => {
                run.complain_of_usage("missing operand");
                return Err(());
            }
            [.., extra] => {
                let quoted = run.quoted(extra);
                run.complain_of_usage(&format!("extra operand {quoted}"));
                return Err(());
            }
        };
        let digits = |text: &str| text.split_once('.').map_or(0, |(_, part)| part.len());
        let places = digits(first).max(digits(step));
        let mut value = |text: &str, places| {
            scaled(text, places).ok_or_else(|| {
                let quoted = run.quoted(text);
                run.complain_of_usage(&format!("invalid floating point argument: {quoted}"));
            })
        };
        // What the last one has beyond the places of the others only says when to stop.
        let (first_value, step_value) = (value(first, places)?, value(step, places)?);
        let exact = places.max(digits(last));
        let last_value = value(last, exact)?
            .div_euclid(10_i128.saturating_pow(u32::try_from(exact - places).unwrap_or(u32::MAX)));
        if step_value == 0 {
            let quoted = run.quoted(step);
            run.complain_of_usage(&format!("invalid Zero increment value: {quoted}"));
            return Err(());
        }
        if let Err(message) = width::check_format(options.format.as_deref().unwrap_or("")) {
            run.complain(&message);
            return Err(());
        }
        let mut counter = Self {
            first: first_value,
            step: step_value,
            last: last_value,
            places,
            width: 0,
            separator: options.separator,
            format: options.format,
        };
        if options.equal_width {
            counter.width =
                counter.plain(counter.first).len().max(counter.plain(counter.last).len());
        }
        Ok(counter)
    }

    /// Returns the text at a place; `None` after the last one.
    fn text(&self, index: i128) -> Option<String> {
        let value = self.first.checked_add(self.step.checked_mul(index)?)?;
        let over = if self.step > 0 { value > self.last } else { value < self.last };
        if over {
            return None;
        }
        let plain = self.plain(value);
        Some(match &self.format {
            Some(format) => formatted(format, &plain),
            None if plain.starts_with('-') => {
                format!("-{:0>width$}", &plain[1..], width = self.width.saturating_sub(1))
            }
            None => format!("{plain:0>width$}", width = self.width),
        })
    }

    fn plain(&self, value: i128) -> String {
        if self.places == 0 {
            return value.to_string();
        }
        let sign = if value < 0 { "-" } else { "" };
        let digits = format!("{:0>width$}", value.unsigned_abs(), width = self.places + 1);
        let (whole, part) = digits.split_at(digits.len() - self.places);
        format!("{sign}{whole}.{part}")
    }
}

/// Reads a number as so many of its smallest place.
fn scaled(text: &str, places: usize) -> Option<i128> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let all = format!("{whole}{part:0<places$}");
    let plain = !digits.is_empty() && all.bytes().all(|byte| byte.is_ascii_digit());
    if !plain || all.len() > 30 {
        // What is written as a power of ten is seldom meant to be exact.
        let value: f64 = text.parse().ok().filter(|value: &f64| value.is_finite())?;
        #[expect(clippy::cast_possible_truncation, reason = "out of range ends at the edge")]
        return Some((value * 10_f64.powi(i32::try_from(places).ok()?)).round() as i128);
    }
    all.parse::<i128>().ok().map(|value| sign * value)
}

/// Puts a number where a format says, as `printf` does.
fn formatted(format: &str, plain: &str) -> String {
    let Some(start) = format.find('%') else { return format.to_owned() };
    let rest = &format[start + 1..];
    let Some(end) = rest.find(|letter: char| "aefgEFGA%".contains(letter)) else {
        return format.to_owned();
    };
    let spec = &rest[..end];
    let flags: String = spec.chars().take_while(|letter| "-+ 0#'".contains(*letter)).collect();
    let (width, precision) =
        spec[flags.len()..].split_once('.').unwrap_or((&spec[flags.len()..], ""));
    let value: f64 = plain.parse().unwrap_or(0.0);
    let precision = if precision.is_empty() { 6 } else { width::width(precision) };
    let text = match rest.as_bytes()[end] {
        b'f' | b'F' => format!("{value:.precision$}"),
        b'e' | b'E' => format!("{value:.precision$e}"),
        _ => value.to_string(),
    };
    let width = width::width(width);
    let padded = if flags.contains('-') {
        format!("{text:<width$}")
    } else if flags.contains('0') {
        format!("{text:0>width$}")
    } else {
        format!("{text:>width$}")
    };
    format!("{}{padded}{}", &format[..start], rest[end + 1..].replace("%%", "%"))
}
