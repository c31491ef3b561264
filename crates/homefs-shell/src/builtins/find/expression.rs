//! The expressions of find: read from words, and what each test asks.

use std::cmp::Ordering;

use homefs_core::{Clock as _, SystemClock, Timestamp};
use homefs_view::Kind;
use jiff::tz::TimeZone;
use regex::Regex;

use crate::builtins::date::zone_of;
use crate::builtins::grep::{Syntax, translate};
use crate::builtins::moment;
use crate::builtins::tool::Run;
use crate::builtins::width::check_format;
use crate::files::reason;
use crate::glob::Glob;

/// A part of an expression.
#[derive(Debug)]
pub(super) enum Expression {
    /// Those after the first that is false are not looked at.
    All(Vec<Expression>),
    /// Those after the first that is true are not looked at.
    Any(Vec<Expression>),
    /// All are looked at; the last counts.
    Each(Vec<Expression>),
    Not(Box<Expression>),
    Test(Test),
}

/// A number with `+` or `-` before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    pub(super) order: Ordering,
    pub(super) number: i64,
}

impl Bound {
    fn parse(text: &str) -> Option<Self> {
        let (order, digits) = match text.as_bytes().first()? {
            b'+' => (Ordering::Greater, &text[1..]),
            b'-' => (Ordering::Less, &text[1..]),
            _ => (Ordering::Equal, text),
        };
        Some(Self { order, number: digits.parse().ok()? })
    }

    pub(super) fn holds(self, number: i64) -> bool {
        number.cmp(&self.number) == self.order
    }

    /// Tells whether an age in nanoseconds is as old as so many days or minutes.
    ///
    /// GNU's find counts days that are over, but minutes that have begun; what is younger than so
    /// many days may be a second older than that.
    pub(super) fn spans(self, age: i64, seconds: i64) -> bool {
        const SECOND: i128 = 1_000_000_000;
        let begun = i128::from(seconds != DAY);
        let after = |units: i128| units * i128::from(seconds) * SECOND;
        let (age, number) = (i128::from(age), i128::from(self.number));
        match self.order {
            Ordering::Less => age < after(number) + (1 - begun) * SECOND,
            Ordering::Equal => (after(number - begun)..after(number - begun + 1)).contains(&age),
            Ordering::Greater => age > after(number - begun + 1),
        }
    }
}

/// Which time of a node.
#[derive(Clone, Copy, Debug)]
pub(super) enum Time {
    Modified,
    Changed,
    Accessed,
}

/// A test or an action.
#[derive(Debug)]
pub(super) enum Test {
    Always(bool),
    Name(Glob),
    Path(Glob),
    Regex(Regex),
    LinkName(Glob),
    /// Letters of kinds, and whether it is the kind behind a link that counts.
    Kinds(Vec<char>, bool),
    Size(Bound, u64),
    Empty,
    /// How old, in units of so many seconds, and seen from when.
    Age(Time, Bound, i64, Timestamp),
    Newer(Time, Timestamp),
    /// Bits, and whether all, any or exactly these are asked for.
    Mode(u32, char),
    Links(Bound),
    /// It can be read, or written.
    Access(bool),
    /// Whose it is, or that of which group: a number, or everybody but the root.
    Owner(Option<Bound>, bool),
    Inode(Bound),
    Same(u64),
    Prune,
    Print(char),
    Format(String),
    /// Prints to a file.
    Into(String, String),
    Long,
    Delete,
    Quit,
    /// A command for each node, in its directory or in the present one.
    Each(Vec<String>, bool),
    /// A command for all nodes, by its number.
    All(usize),
}

impl Test {
    /// Tells whether it does something, so that nothing has to be printed besides.
    fn acts(&self) -> bool {
        use Test::{All, Delete, Each, Format, Into, Long, Print};
        matches!(self, Print(_) | Format(_) | Into(..) | Long | Delete | Each(..) | All(_))
    }
}

/// What is not about single nodes.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "a command line has as many switches")]
pub(super) struct Options {
    pub(super) least: usize,
    pub(super) most: usize,
    pub(super) depth_first: bool,
    pub(super) commands: Vec<Vec<String>>,
    /// Something runs commands.
    pub(super) runs: bool,
    pub(super) now: Timestamp,
    /// Links are followed.
    pub(super) follow: bool,
    syntax: Syntax,
    acts: bool,
}

/// Reads words.
pub(super) struct Reader<'a, 'r> {
    words: &'a [String],
    at: usize,
    depth: usize,
    run: &'a Run<'r>,
    pub(super) options: Options,
}

const DAY: i64 = 86_400;

/// How deep an expression may nest.
const DEPTH_MAX: usize = 200;

/// Returns the only part, or all of them together.
fn one_or(mut parts: Vec<Expression>, all: fn(Vec<Expression>) -> Expression) -> Expression {
    if parts.len() == 1 { parts.swap_remove(0) } else { all(parts) }
}

impl<'a, 'r> Reader<'a, 'r> {
    pub(super) fn new(run: &'a Run<'r>, words: &'a [String]) -> Self {
        let options = Options {
            least: 0,
            most: usize::MAX,
            depth_first: false,
            commands: Vec::new(),
            runs: false,
            now: SystemClock.now(),
            follow: false,
            syntax: Syntax::Basic,
            acts: false,
        };
        Self { words, at: 0, depth: 0, run, options }
    }

    /// Reads everything.
    pub(super) fn all(mut self) -> Result<(Expression, Options), String> {
        let mut whole =
            if self.words.is_empty() { Expression::Test(Test::Always(true)) } else { self.list()? };
        if let Some(word) = self.words.get(self.at) {
            return Err(match word.as_str() {
                ")" => "you have too many ')'".into(),
                word => format!("paths must precede expression: `{word}'"),
            });
        }
        if !self.options.acts {
            let print = Expression::Test(Test::Print('\n'));
            whole = Expression::All(vec![whole, print]);
        }
        Ok((whole, self.options))
    }

    fn peek(&self) -> Option<&'a str> {
        self.words.get(self.at).map(String::as_str)
    }

    fn next_is(&mut self, words: &[&str]) -> bool {
        let is = self.peek().is_some_and(|word| words.contains(&word));
        self.at += usize::from(is);
        is
    }

    fn list(&mut self) -> Result<Expression, String> {
        let mut parts = vec![self.either()?];
        while self.next_is(&[","]) {
            parts.push(self.either()?);
        }
        Ok(one_or(parts, Expression::Each))
    }

    fn either(&mut self) -> Result<Expression, String> {
        let mut parts = vec![self.both()?];
        while self.next_is(&["-o", "-or"]) {
            parts.push(self.both()?);
        }
        Ok(one_or(parts, Expression::Any))
    }

    fn both(&mut self) -> Result<Expression, String> {
        let mut parts = vec![self.one()?];
        while self.next_is(&["-a", "-and"])
            || !matches!(self.peek(), None | Some(")" | "," | "-o" | "-or"))
        {
            parts.push(self.one()?);
        }
        Ok(one_or(parts, Expression::All))
    }

    fn one(&mut self) -> Result<Expression, String> {
        if self.depth == DEPTH_MAX {
            return Err(format!("the expression nests more than {DEPTH_MAX} deep"));
        }
        self.depth += 1;
        let one = self.one_inside();
        self.depth -= 1;
        one
    }

    fn one_inside(&mut self) -> Result<Expression, String> {
        if self.next_is(&["!", "-not"]) {
            return Ok(Expression::Not(Box::new(self.one()?)));
        }
        if self.next_is(&["("]) {
            let inner = self.list()?;
            if !self.next_is(&[")"]) {
                return Err("I was expecting to find a ')' somewhere but did not see one.".into());
            }
            return Ok(inner);
        }
        let Some(word) = self.peek() else {
            return Err("expected an expression at the end".into());
        };
        self.at += 1;
        let test = self.test(word)?;
        self.options.acts |= test.acts();
        Ok(Expression::Test(test))
    }

    fn value(&mut self, word: &str) -> Result<&'a str, String> {
        let value = self.peek().ok_or_else(|| format!("missing argument to `{word}'"))?;
        self.at += 1;
        Ok(value)
    }

    fn format(&mut self, word: &str) -> Result<String, String> {
        let format = self.value(word)?;
        check_format(format).map(|()| format.to_owned())
    }

    fn bound(&mut self, word: &str) -> Result<Bound, String> {
        let value = self.value(word)?;
        Bound::parse(value).ok_or_else(|| format!("invalid argument `{value}' to `{word}'"))
    }

    fn test(&mut self, word: &str) -> Result<Test, String> {
        use Time::{Accessed, Changed, Modified};
        Ok(match word {
            "-name" => Test::Name(Glob::new(self.value(word)?, false)),
            "-iname" => Test::Name(Glob::new(self.value(word)?, true)),
            "-path" | "-wholename" => Test::Path(Glob::new(self.value(word)?, false)),
            "-ipath" | "-iwholename" => Test::Path(Glob::new(self.value(word)?, true)),
            "-lname" => Test::LinkName(Glob::new(self.value(word)?, false)),
            "-ilname" => Test::LinkName(Glob::new(self.value(word)?, true)),
            "-regex" => self.regex(word, "")?,
            "-iregex" => self.regex(word, "(?i)")?,
            "-type" | "-xtype" => self.kinds(word)?,
            "-size" => self.size(word)?,
            "-empty" => Test::Empty,
            "-mtime" => self.age(word, Modified, DAY)?,
            "-ctime" => self.age(word, Changed, DAY)?,
            "-atime" => self.age(word, Accessed, DAY)?,
            "-mmin" => self.age(word, Modified, 60)?,
            "-cmin" => self.age(word, Changed, 60)?,
            "-amin" => self.age(word, Accessed, 60)?,
            "-newer" | "-newermm" => Test::Newer(Modified, self.time_of(word)?),
            "-cnewer" => Test::Newer(Changed, self.time_of(word)?),
            "-anewer" => Test::Newer(Accessed, self.time_of(word)?),
            "-newermt" => Test::Newer(Modified, self.moment(word)?),
            "-perm" => self.mode(word)?,
            "-executable" => Test::Mode(0o111, '/'),
            "-readable" => Test::Access(false),
            "-writable" => Test::Access(true),
            "-follow" => {
                self.options.follow = true;
                Test::Always(true)
            }
            "-daystart" => {
                self.options.now = self.end_of_day();
                Test::Always(true)
            }
            "-true"
            | "-noleaf"
            | "-nowarn"
            | "-warn"
            | "-xdev"
            | "-mount"
            | "-ignore_readdir_race" => Test::Always(true),
            "-user" | "-group" | "-uid" | "-gid" => self.owner(word)?,
            "-nouser" | "-nogroup" => {
                return Err(format!("{word}: there is no list of users and groups here"));
            }
            "-false" => Test::Always(false),
            "-links" => Test::Links(self.bound(word)?),
            "-inum" => Test::Inode(self.bound(word)?),
            "-samefile" => Test::Same(self.node_of(word)?),
            "-maxdepth" | "-mindepth" => self.depth(word)?,
            "-regextype" => {
                let extended =
                    !matches!(self.value(word)?, "emacs" | "posix-basic" | "grep" | "sed" | "ed");
                self.options.syntax = if extended { Syntax::Extended } else { Syntax::Basic };
                Test::Always(true)
            }
            _ => return self.action(word),
        })
    }

    fn action(&mut self, word: &str) -> Result<Test, String> {
        Ok(match word {
            "-depth" | "-d" => {
                self.options.depth_first = true;
                Test::Always(true)
            }
            "-prune" => Test::Prune,
            "-print" => Test::Print('\n'),
            "-print0" => Test::Print('\0'),
            "-printf" => Test::Format(self.format(word)?),
            "-fprint" => Test::Into(self.value(word)?.to_owned(), "%p\n".into()),
            "-fprint0" => Test::Into(self.value(word)?.to_owned(), "%p\0".into()),
            "-fprintf" => {
                let name = self.value(word)?.to_owned();
                Test::Into(name, self.format(word)?)
            }
            "-ls" => Test::Long,
            "-delete" => {
                self.options.depth_first = true;
                Test::Delete
            }
            "-quit" => Test::Quit,
            "-exec" | "-execdir" | "-ok" | "-okdir" => self.command(word)?,
            word if !word.starts_with('-') => {
                return Err(format!("paths must precede expression: `{word}'"));
            }
            _ => return Err(format!("unknown predicate `{word}'")),
        })
    }

    fn age(&mut self, word: &str, time: Time, unit: i64) -> Result<Test, String> {
        Ok(Test::Age(time, self.bound(word)?, unit, self.options.now))
    }

    /// Returns the next midnight of the session's time zone.
    fn end_of_day(&self) -> Timestamp {
        let now = self.options.now;
        let at = jiff::Timestamp::from_nanosecond(i128::from(now.0)).ok();
        let tomorrow = at.and_then(|at| at.to_zoned(zone_of(self.run)).tomorrow().ok());
        let start = tomorrow.and_then(|tomorrow| tomorrow.start_of_day().ok());
        start.map_or(now, |start| Timestamp(start.timestamp().as_second() * 1_000_000_000))
    }

    fn owner(&mut self, word: &str) -> Result<Test, String> {
        let name = self.value(word)?;
        let of_group = word.starts_with("-g");
        let who = match (name, Bound::parse(name)) {
            ("root", _) => Some(Bound { order: Ordering::Equal, number: 0 }),
            (_, Some(bound)) => Some(bound),
            (name, None) if name == self.run.ground.files.home.who().agent.as_str() => None,
            _ if matches!(word, "-uid" | "-gid") => {
                return Err(format!("invalid argument `{name}' to `{word}'"));
            }
            _ => {
                let of = if of_group { "an existing group" } else { "a known user" };
                return Err(format!("{} is not the name of {of}", self.run.quoted(name)));
            }
        };
        Ok(Test::Owner(who, of_group))
    }

    fn kinds(&mut self, word: &str) -> Result<Test, String> {
        let letters: Vec<char> = self.value(word)?.split(',').flat_map(str::chars).collect();
        match letters.iter().find(|letter| !"bcdpflsD".contains(**letter)) {
            Some(letter) => Err(format!("Unknown argument to {word}: {letter}")),
            None => Ok(Test::Kinds(letters, word == "-xtype")),
        }
    }

    fn regex(&mut self, word: &str, flags: &str) -> Result<Test, String> {
        let text = self.value(word)?;
        // The usual syntax has `+` and `?` without a backslash, unlike that of grep.
        let text = if self.options.syntax == Syntax::Basic {
            text.replace("\\+", "\u{1}")
                .replace('+', "\\+")
                .replace('\u{1}', "[+]")
                .replace('?', "\\?")
        } else {
            text.to_owned()
        };
        let translated = translate(&text, self.options.syntax)?;
        let regex = Regex::new(&format!("{flags}^(?:{})$", translated.text));
        regex.map(Test::Regex).map_err(|error| error.to_string())
    }

    fn size(&mut self, word: &str) -> Result<Test, String> {
        let text = self.value(word)?;
        let (number, unit) = match text
            .trim_start_matches(['+', '-'])
            .trim_start_matches(|c: char| c.is_ascii_digit())
        {
            "" | "b" => (text.trim_end_matches('b'), 512),
            "c" => (text.trim_end_matches('c'), 1),
            "w" => (text.trim_end_matches('w'), 2),
            "k" => (text.trim_end_matches('k'), 1 << 10),
            "M" => (text.trim_end_matches('M'), 1 << 20),
            "G" => (text.trim_end_matches('G'), 1 << 30),
            _ => return Err(format!("invalid argument `{text}' to `-size'")),
        };
        let bound = Bound::parse(number);
        Ok(Test::Size(bound.ok_or_else(|| format!("invalid argument `{text}' to `-size'"))?, unit))
    }

    fn time_of(&mut self, word: &str) -> Result<Timestamp, String> {
        let operand = self.value(word)?;
        let found =
            self.run.path(operand).and_then(|path| self.run.ground.files.stat_followed(&path));
        found
            .map(|(_, stat)| stat.modified)
            .map_err(|error| format!("{}: {}", self.run.quoted(operand), reason(&error)))
    }

    fn node_of(&mut self, word: &str) -> Result<u64, String> {
        let operand = self.value(word)?;
        let found =
            self.run.path(operand).and_then(|path| self.run.ground.files.stat_followed(&path));
        let found =
            found.map_err(|error| format!("{}: {}", self.run.quoted(operand), reason(&error)))?;
        Ok(crate::builtins::ls::inode(&found.1))
    }

    fn moment(&mut self, word: &str) -> Result<Timestamp, String> {
        let text = self.value(word)?;
        moment::parse(text, self.options.now, &TimeZone::UTC).ok_or_else(|| {
            format!("I cannot figure out how to interpret '{text}' as a date or time")
        })
    }

    fn mode(&mut self, word: &str) -> Result<Test, String> {
        let text = self.value(word)?;
        let (how, bits) = match text.as_bytes().first() {
            Some(b'-') => ('-', &text[1..]),
            Some(b'/') => ('/', &text[1..]),
            _ => ('=', text),
        };
        let bits = crate::builtins::mode::apply(bits, 0, false);
        Ok(Test::Mode(bits.ok_or_else(|| format!("invalid mode '{text}'"))?, how))
    }

    fn depth(&mut self, word: &str) -> Result<Test, String> {
        let text = self.value(word)?;
        let number = text.parse().map_err(|_| {
            format!("Expected a positive decimal integer argument to {word}, but got '{text}'")
        })?;
        if word == "-maxdepth" {
            self.options.most = number;
        } else {
            self.options.least = number;
        }
        Ok(Test::Always(true))
    }

    fn command(&mut self, word: &str) -> Result<Test, String> {
        let mut command = Vec::new();
        self.options.runs = true;
        loop {
            match self.peek() {
                None => return Err(format!("missing argument to `{word}'")),
                Some(";") => {
                    self.at += 1;
                    return Ok(Test::Each(command, word.ends_with("dir")));
                }
                Some("+") if command.last().is_some_and(|last| last == "{}") => {
                    self.at += 1;
                    command.pop();
                    self.options.commands.push(command);
                    return Ok(Test::All(self.options.commands.len() - 1));
                }
                Some(text) => command.push(text.to_owned()),
            }
            self.at += 1;
        }
    }
}

/// Returns the letter that `-type` has for a node.
pub(super) fn kind_letter(kind: Kind) -> char {
    match kind {
        Kind::File => 'f',
        Kind::Directory => 'd',
        Kind::Link => 'l',
        Kind::Special(_) => 'p',
    }
}
