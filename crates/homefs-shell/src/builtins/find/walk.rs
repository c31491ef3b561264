//! Goes through the tree and decides, or writes down what commands decide.

use std::collections::BTreeMap;

use homefs_core::Path;
use homefs_engine::{Kind, Stat, WriteOptions};

use super::expression::{Expression, Options, Test, Time, kind_letter};
use super::format;
use crate::builtins::tool::Run;
use crate::builtins::{ls, mode};
use crate::files::{DIRECTORY_BYTES, reason};

/// Which links are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Follow {
    None,
    Operands,
    All,
}

/// A node as the tests see it.
pub(super) struct Found<'a> {
    pub(super) name: &'a str,
    pub(super) start: &'a str,
    /// The directory in which it is; itself if `last` is empty.
    directory: &'a Path,
    last: &'a str,
    pub(super) stat: &'a Stat,
    pub(super) depth: usize,
}

impl Found<'_> {
    /// Returns its path, which few tests need.
    pub(super) fn path(&self) -> Path {
        // A name that was listed is a name.
        let below = (!self.last.is_empty()).then(|| self.directory.join(self.last).ok());
        below.flatten().unwrap_or_else(|| self.directory.clone())
    }
}

/// What is known of an expression before commands ran.
enum Known {
    Is(bool),
    /// What a command decides, as a part of a script.
    Script(String),
}

impl Known {
    /// Returns it as a part of a script.
    fn into_script(self) -> String {
        match self {
            Self::Is(is) => is.to_string(),
            Self::Script(script) => script,
        }
    }
}

/// A walk under way.
pub(super) struct Walk<'a, 'r> {
    run: &'a mut Run<'r>,
    options: &'a Options,
    expression: &'a Expression,
    follow: Follow,
    script: String,
    /// The nodes for commands that take all of them.
    batches: Vec<Vec<String>>,
    /// What is printed to files.
    files: BTreeMap<String, String>,
    status: i32,
    quit: bool,
}

impl<'a, 'r> Walk<'a, 'r> {
    pub(super) fn new(
        run: &'a mut Run<'r>,
        expression: &'a Expression,
        options: &'a Options,
        follow: Follow,
    ) -> Self {
        let batches = vec![Vec::new(); options.commands.len()];
        let (script, files, status, quit) = (String::new(), BTreeMap::new(), 0, false);
        Self { run, options, expression, follow, script, batches, files, status, quit }
    }

    /// Returns the status, and the script if there are commands.
    pub(super) fn end(mut self) -> (i32, Option<String>) {
        for (name, text) in std::mem::take(&mut self.files) {
            let written = self.run.path(&name).and_then(|path| {
                self.run.ground.files.prepare_scratch(&path)?;
                self.run.ground.files.home.write(&path, text.as_bytes(), &WriteOptions::default())
            });
            if let Err(error) = written {
                let quoted = self.run.quoted(&name);
                self.complain(&format!("{quoted}: {}", reason(&error)));
            }
        }
        let (status, runs) = (self.status, self.options.runs);
        (status, runs.then(|| self.finish()))
    }

    /// Looks at an operand and what is below it.
    pub(super) fn start(&mut self, operand: &str) {
        let files = &self.run.ground.files;
        let found = self.run.path(operand).and_then(|path| {
            let stat = files.home.stat(&path)?;
            // A link to nowhere is looked at itself.
            let follows = self.follow != Follow::None || operand.ends_with('/');
            let behind = follows.then(|| files.stat_followed(&path).ok()).flatten();
            Ok(behind.unwrap_or((path, stat)))
        });
        match found {
            Ok((path, stat)) => {
                let directory = &path;
                self.visit(&Found {
                    name: operand,
                    start: operand,
                    directory,
                    last: "",
                    stat: &stat,
                    depth: 0,
                });
            }
            Err(error) => {
                let quoted = self.run.quoted(operand);
                self.complain(&format!("{quoted}: {}", reason(&error)));
            }
        }
    }

    fn complain(&mut self, message: &str) {
        self.status = 1;
        if self.options.runs {
            let words = quote(&format!("find: {message}"));
            self.script.extend(["echo ", &words, " >&2; __find=1\n"]);
        } else {
            self.run.complain(message);
        }
    }

    fn visit(&mut self, found: &Found<'_>) {
        if self.quit {
            return;
        }
        let mut prune = false;
        if !self.options.depth_first {
            self.consider(found, &mut prune);
        }
        if found.stat.kind == Kind::Directory
            && !prune
            && found.depth < self.options.most
            && !self.quit
        {
            self.below(found);
        }
        if self.options.depth_first {
            self.consider(found, &mut prune);
        }
    }

    fn below(&mut self, found: &Found<'_>) {
        // Links that lead in circles end here.
        const DEPTH_MAX: usize = 256;
        let directory = found.path();
        let entries = match self.run.ground.files.children(&directory) {
            Ok(entries) if found.depth < DEPTH_MAX => entries,
            Ok(_) => return,
            Err(error) => {
                let quoted = self.run.quoted(found.name);
                self.complain(&format!("{quoted}: {}", reason(&error)));
                return;
            }
        };
        let mut name = found.name.to_owned();
        if !name.ends_with('/') {
            name.push('/');
        }
        let (above, start, depth) = (name.len(), found.start, found.depth + 1);
        for entry in entries {
            name.truncate(above);
            name += &entry.name;
            let mut below = Found {
                name: &name,
                start,
                directory: &directory,
                last: &entry.name,
                stat: &entry.stat,
                depth,
            };
            let follows = self.follow == Follow::All && entry.stat.kind == Kind::Link;
            let behind = follows.then(|| self.run.ground.files.stat_followed(&below.path()).ok());
            if let Some(Some((path, stat))) = &behind {
                (below.directory, below.last, below.stat) = (path, "", stat);
            }
            self.visit(&below);
        }
    }

    fn consider(&mut self, found: &Found<'_>, prune: &mut bool) {
        if found.depth < self.options.least || self.quit {
            return;
        }
        if let Known::Script(script) = self.decide(self.expression, found, prune) {
            self.script += &script;
            self.script.push('\n');
            if self.script.len() > self.run.ground.limits.memory_bytes {
                self.run.out.fill();
                self.quit = true;
            }
        }
    }

    /// Decides as much of an expression as can be decided without running commands.
    fn decide(&mut self, expression: &Expression, found: &Found<'_>, prune: &mut bool) -> Known {
        match expression {
            Expression::Test(test) => self.test(test, found, prune),
            Expression::Not(inner) => match self.decide(inner, found, prune) {
                Known::Is(is) => Known::Is(!is),
                Known::Script(script) => Known::Script(format!("! {{ {script}; }}")),
            },
            Expression::All(parts) => self.until(parts, found, prune, (false, "&&")),
            Expression::Any(parts) => self.until(parts, found, prune, (true, "||")),
            Expression::Each(parts) => {
                let mut known = Known::Is(true);
                for part in parts {
                    known = match (known, self.decide(part, found, prune)) {
                        (Known::Script(script), later) => {
                            Known::Script(format!("{script}; {}", later.into_script()))
                        }
                        (Known::Is(_), later) => later,
                    };
                }
                known
            }
        }
    }

    /// Decides parts until one is what ends them; from the first command on, the script does so.
    fn until(
        &mut self,
        parts: &[Expression],
        found: &Found<'_>,
        prune: &mut bool,
        (end, sign): (bool, &str),
    ) -> Known {
        let mut script: Option<String> = None;
        for part in parts {
            match (&mut script, self.decide(part, found, prune)) {
                (None, Known::Is(is)) if is == end => return Known::Is(end),
                (None, Known::Is(_)) => {}
                (None, Known::Script(first)) => script = Some(format!("{{ {first}; }}")),
                (Some(script), later) => {
                    let later = later.into_script();
                    script.extend([" ", sign, " { ", &later, "; }"]);
                }
            }
        }
        script.map_or(Known::Is(!end), Known::Script)
    }

    /// Prints, now or when the script comes to it.
    fn print(&mut self, text: &str) -> Known {
        if self.options.runs {
            let text = text.replace('\\', "\\\\").replace('%', "%%").replace('\0', "\\0");
            return Known::Script(format!("printf -- {}", quote(&text)));
        }
        self.run.out.extend_from_slice(text.as_bytes());
        Known::Is(true)
    }

    fn test(&mut self, test: &Test, found: &Found<'_>, prune: &mut bool) -> Known {
        let stat = found.stat;
        let last =
            || found.name.trim_end_matches('/').rsplit('/').next().filter(|name| !name.is_empty());
        Known::Is(match test {
            Test::Always(is) => *is,
            Test::Name(glob) => glob.matches(last().unwrap_or("/")),
            Test::Path(glob) => glob.matches(found.name),
            Test::Regex(regex) => regex.is_match(found.name),
            Test::LinkName(glob) => {
                let target = self.run.ground.files.home.read_link(&found.path());
                stat.kind == Kind::Link && target.is_ok_and(|target| glob.matches(&target))
            }
            Test::Kinds(letters, behind) => {
                letters.contains(&kind_letter(self.kind(found, *behind)))
            }
            Test::Size(bound, unit) => {
                let size = if stat.kind == Kind::Directory { DIRECTORY_BYTES } else { stat.size };
                bound.holds(i64::try_from(size.div_ceil(*unit)).unwrap_or(i64::MAX))
            }
            Test::Empty => match stat.kind {
                Kind::File => stat.size == 0,
                Kind::Directory => {
                    let first = self.run.ground.files.home.list(&found.path(), None, 1);
                    first.is_ok_and(|page| page.items.is_empty())
                }
                _ => false,
            },
            Test::Age(time, bound, unit) => {
                let age = self.options.now.0 - time_of(*time, stat).0;
                let units = age.div_euclid(unit * 1_000_000_000);
                // Minutes are rounded up, days are cut off.
                let part = *unit == 60 && age.rem_euclid(unit * 1_000_000_000) > 0;
                bound.holds(units + i64::from(part))
            }
            Test::Newer(time, than) => time_of(*time, stat) > *than,
            Test::Mode(bits, how) => has_mode(mode::mode_of(stat), *bits, *how),
            Test::Links(bound) => bound.holds(i64::from(stat.links)),
            Test::Inode(bound) => bound.holds(i64::try_from(ls::inode(stat)).unwrap_or(i64::MAX)),
            Test::Same(node) => ls::inode(stat) == *node,
            Test::Prune => {
                *prune = true;
                true
            }
            Test::Print(end) => return self.print(&format!("{}{end}", found.name)),
            Test::Format(pattern) => {
                let filled = format::fill(self.run, pattern, found);
                return self.print(&filled);
            }
            Test::Into(name, pattern) => {
                let filled = format::fill(self.run, pattern, found);
                self.files.entry(name.clone()).or_default().push_str(&filled);
                true
            }
            Test::Long => {
                let line = format::long(self.run, found, self.options.now);
                return self.print(&line);
            }
            Test::Delete => return self.delete(found),
            Test::Quit if self.options.runs => return Known::Script("exit $__find".into()),
            Test::Quit => {
                self.quit = true;
                true
            }
            Test::Each(command, inside) => return Known::Script(each(command, *inside, found)),
            Test::All(index) if self.options.runs => {
                let add = format!("__find{index}+=({})", quote(found.name));
                self.batches[*index].push(found.name.to_owned());
                return Known::Script(add);
            }
            Test::All(_) => true,
        })
    }

    /// Returns the kind of a node, or of what is behind it.
    fn kind(&self, found: &Found<'_>, behind: bool) -> Kind {
        let link = behind && found.stat.kind == Kind::Link;
        let followed = link.then(|| self.run.ground.files.stat_followed(&found.path()).ok());
        followed.flatten().map_or(found.stat.kind, |(_, stat)| stat.kind)
    }

    fn delete(&mut self, found: &Found<'_>) -> Known {
        if self.options.runs {
            return Known::Script(format!("rm -d -- {}", quote(found.name)));
        }
        if found.depth == 0 && matches!(found.name, "." | "..") {
            return Known::Is(true);
        }
        match self.run.ground.files.home.remove(&found.path(), false) {
            Ok(_) => Known::Is(true),
            Err(error) => {
                let quoted = self.run.quoted(found.name);
                self.complain(&format!("cannot delete {quoted}: {}", reason(&error)));
                Known::Is(false)
            }
        }
    }

    /// Returns the script, with the commands that take all nodes at its end.
    fn finish(self) -> String {
        let mut script = format!("(__find={}\n{}", self.status, self.script);
        for (index, command) in self.options.commands.iter().enumerate() {
            if !self.batches[index].is_empty() {
                let words: Vec<String> = command.iter().map(|word| quote(word)).collect();
                let line = words.join(" ");
                let (count, all) =
                    (format!("${{#__find{index}[@]}}"), format!("${{__find{index}[@]}}"));
                let parts = ["if [ ", &count, " -gt 0 ]; then ", &line, " \"", &all];
                script.extend(parts);
                script += "\" || __find=1; fi\n";
            }
        }
        script + "exit $__find)"
    }
}

/// Compares bits: all of them, any, or exactly these.
fn has_mode(mode: u32, bits: u32, how: char) -> bool {
    match how {
        '-' => mode & bits == bits,
        '/' => bits == 0 || mode & bits != 0,
        _ => mode == bits,
    }
}

fn time_of(time: Time, stat: &Stat) -> homefs_core::Timestamp {
    match time {
        Time::Modified => stat.modified,
        Time::Changed => stat.changed,
        Time::Accessed => stat.accessed,
    }
}

/// Writes the command for one node.
fn each(command: &[String], inside: bool, found: &Found<'_>) -> String {
    let last = found.name.trim_end_matches('/').rsplit('/').next().unwrap_or(found.name);
    let (directory, name) = if inside {
        let end = found.name.len() - last.len();
        (&found.name[..end], format!("./{last}"))
    } else {
        ("", found.name.to_owned())
    };
    let words: Vec<String> = command.iter().map(|word| quote(&word.replace("{}", &name))).collect();
    let line = words.join(" ");
    match directory {
        "" => format!("{line} < /dev/null"),
        directory => format!("(cd {} && {line}) < /dev/null", quote(directory)),
    }
}

/// Quotes a word for a script.
fn quote(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}
