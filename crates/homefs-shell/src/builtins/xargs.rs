//! `xargs`: the commands become one script, whose status says what xargs says.

use async_trait::async_trait;
use bashkit::{Builtin, BuiltinContext, ExecResult, ExecutionPlan, SubCommand};

use super::options::{Item, Spec, Takes, parse};
use crate::memory::exceeded;

const SPECS: &[Spec] = &[
    ('0', "null", Takes::Nothing),
    ('a', "arg-file", Takes::Value),
    ('d', "delimiter", Takes::Value),
    ('I', "replace", Takes::Value),
    ('i', "replace-old", Takes::Perhaps),
    ('L', "max-lines", Takes::Value),
    ('n', "max-args", Takes::Value),
    ('P', "max-procs", Takes::Value),
    ('p', "interactive", Takes::Nothing),
    ('r', "no-run-if-empty", Takes::Nothing),
    ('t', "verbose", Takes::Nothing),
];

/// The longest list of arguments that is given to one command.
const ARGUMENT_BYTES_MAX: usize = 128 << 10;

#[derive(Debug, Default)]
struct Options {
    delimiter: Option<char>,
    replace: Option<String>,
    lines: Option<usize>,
    most: Option<usize>,
    if_any: bool,
    verbose: bool,
    /// Where the arguments are, if not in standard input.
    file: Option<String>,
    command: Vec<String>,
}

/// The command.
pub(crate) struct Xargs {
    /// How long the script may get that runs everything.
    pub(crate) script_bytes_max: usize,
}

#[async_trait]
impl Builtin for Xargs {
    async fn execute(&self, context: BuiltinContext<'_>) -> bashkit::Result<ExecResult> {
        let why = match Options::read(context.args) {
            Ok(options) => {
                let file = options.file.unwrap_or_default();
                format!("Cannot open input file '{file}': No such file or directory")
            }
            Err(why) => why,
        };
        Ok(ExecResult::err(format!("xargs: {why}\n"), 1))
    }

    async fn execution_plan(
        &self,
        context: &BuiltinContext<'_>,
    ) -> bashkit::Result<Option<ExecutionPlan>> {
        let Ok(options) = Options::read(context.args) else { return Ok(None) };
        let mut read = None;
        if let Some(file) = &options.file {
            let Ok(bytes) = context.fs.read_file(&context.cwd.join(file)).await else {
                return Ok(None);
            };
            read = Some(String::from_utf8_lossy(&bytes).into_owned());
        }
        let given =
            || context.stdin.map(|stdin| stdin.text_lossy().into_owned()).unwrap_or_default();
        let text = read.unwrap_or_else(given);
        let script = options.script(&options.items(&text), self.script_bytes_max)?;
        let command = SubCommand {
            name: "eval".into(),
            args: vec![script],
            stdin: None,
            assignments: vec![],
        };
        Ok(Some(ExecutionPlan::Batch { commands: vec![command] }))
    }
}

impl Options {
    fn read(args: &[String]) -> Result<Self, String> {
        let mut options = Self::default();
        // Everything from the command on belongs to the command.
        let mut end = 0;
        while end < args.len() && args[end].len() > 1 && args[end].starts_with('-') {
            let arg = args[end].as_str();
            end += 1;
            if arg == "--" {
                break;
            }
            let takes = SPECS.iter().any(|spec| {
                spec.2 == Takes::Value
                    && (arg.len() == 2 && arg.ends_with(spec.0) || arg == format!("--{}", spec.1))
            });
            let bundled = !arg.starts_with("--") && arg.len() > 2 && {
                let last = arg.chars().last();
                let before = &arg[1..arg.len() - 1];
                let plain = |letter| SPECS.iter().any(|s| s.0 == letter && s.2 == Takes::Nothing);
                before.chars().all(plain)
                    && SPECS.iter().any(|s| Some(s.0) == last && s.2 == Takes::Value)
            };
            end += usize::from(takes || bundled);
        }
        let end = end.min(args.len());
        for item in parse(SPECS, None, &args[..end])? {
            if let Item::Option(name, value) = item {
                options.set(name, value.unwrap_or_default())?;
            }
        }
        options.command = args[end..].to_vec();
        if options.command.is_empty() {
            options.command.push("echo".into());
        }
        Ok(options)
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let number = || match value.parse::<usize>() {
            Ok(number) if number > 0 => Ok(Some(number)),
            _ => Err(format!("invalid number \"{value}\" for -{name} option")),
        };
        match name {
            "null" => self.delimiter = Some('\0'),
            "delimiter" => {
                self.delimiter = match value {
                    "\\n" => Some('\n'),
                    "\\t" => Some('\t'),
                    "\\0" => Some('\0'),
                    other => other.chars().next(),
                };
            }
            "replace" => self.replace = Some(value.to_owned()),
            "replace-old" => {
                self.replace = Some(if value.is_empty() { "{}" } else { value }.to_owned());
            }
            "max-lines" => self.lines = number()?,
            "max-args" => self.most = number()?,
            "no-run-if-empty" => self.if_any = true,
            "verbose" => self.verbose = true,
            "arg-file" => self.file = Some(value.to_owned()),
            "interactive" => return Err("there is nobody to ask: -p is not possible here".into()),
            _ => {}
        }
        Ok(())
    }

    /// Splits the input; each group is of one line.
    fn items(&self, text: &str) -> Vec<Vec<String>> {
        if let Some(delimiter) = self.delimiter {
            let text = text.strip_suffix(delimiter).unwrap_or(text);
            let one = |item: &str| vec![item.to_owned()];
            return if text.is_empty() {
                Vec::new()
            } else {
                text.split(delimiter).map(one).collect()
            };
        }
        if self.replace.is_some() {
            let lines = text.lines().map(|line| line.trim_start_matches([' ', '\t']));
            let whole = |line: &str| vec![words(line, true).join("")];
            return lines.filter(|line| !line.is_empty()).map(whole).collect();
        }
        if self.lines.is_some() {
            let lines = text.lines().map(|line| words(line, false));
            return lines.filter(|words| !words.is_empty()).collect();
        }
        words(text, false).into_iter().map(|word| vec![word]).collect()
    }

    /// Writes the script that runs everything.
    fn script(&self, items: &[Vec<String>], bytes_max: usize) -> bashkit::Result<String> {
        let mut taken = 0_usize;
        let mut take = |call: &[String]| {
            taken = call.iter().fold(taken, |sum, word| sum.saturating_add(word.len() + 3));
            if taken > bytes_max { Err(exceeded(bytes_max)) } else { Ok(()) }
        };
        let mut calls: Vec<Vec<String>> = Vec::new();
        if let Some(mark) = &self.replace {
            for item in items {
                let fill = |word: &String| word.replace(mark.as_str(), &item[0]);
                let call: Vec<String> = self.command.iter().map(fill).collect();
                take(&call)?;
                calls.push(call);
            }
        } else {
            let per_call = self.lines.or(self.most).unwrap_or(usize::MAX);
            let (mut call, mut count, mut bytes) = (self.command.clone(), 0, 0);
            for item in items {
                let length: usize = item.iter().map(|word| word.len() + 1).sum();
                if count > 0 && (count >= per_call || bytes + length > ARGUMENT_BYTES_MAX) {
                    take(&call)?;
                    calls.push(std::mem::replace(&mut call, self.command.clone()));
                    (count, bytes) = (0, 0);
                }
                call.extend(item.iter().cloned());
                count += 1;
                bytes += length;
            }
            if count > 0 || !self.if_any {
                calls.push(call);
            }
        }
        let mut script = String::from("(__xargs=0\n");
        for call in calls {
            let quoted: Vec<String> = call.iter().map(|word| quote(word)).collect();
            let line = quoted.join(" ");
            if self.verbose {
                script.extend(["echo ", &quote(&call.join(" ")), " >&2\n"]);
            }
            script += &line;
            script += " < /dev/null || case $? in 126) exit 126;; 127) exit 127;; \
                       255) exit 124;; *) __xargs=123;; esac\n";
        }
        Ok(script + "exit $__xargs)")
    }
}

/// Splits text as xargs does: quotes keep things together, `\` keeps the next letter.
fn words(text: &str, keep_blanks: bool) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(open), letter) if letter == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, '\\') => word.get_or_insert_default().extend(letters.next()),
            (None, letter) if letter.is_whitespace() && !keep_blanks => words.extend(word.take()),
            (_, letter) => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

/// Quotes a word for a script.
fn quote(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}
