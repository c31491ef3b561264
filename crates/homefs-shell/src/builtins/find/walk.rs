//! Goes through the tree and decides, or writes down what commands decide.

use std::collections::BTreeMap;

use homefs_core::Path;
use homefs_view::{Kind, Right, SpaceInfo, Stat, WriteOptions};

use super::expression::{Bound, Expression, Options, Test, Time, kind_letter};
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

/// A node that the walk comes by, as the tests see it.
pub(super) struct Visit<'a> {
    pub(super) name: &'a str,
    pub(super) start: &'a str,
    /// The directory in which it is; itself if `last` is empty.
    directory: &'a Path,
    last: &'a str,
    pub(super) stat: &'a Stat,
    pub(super) depth: usize,
}

impl Visit<'_> {
    /// Returns its path, which few tests need.
    pub(super) fn path(&self) -> Path {
        // A name that was listed is a name.
        let below = (!self.last.is_empty()).then(|| self.directory.join(self.last).ok());
        below.flatten().unwrap_or_else(|| self.directory.clone())
    }
}

/// What is known of an expression before commands ran.
enum Verdict {
    Is(bool),
    /// What a command decides, as a part of a script.
    Script(String),
}

impl Verdict {
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
    /// The spaces with the rights in each, once they were asked for.
    spaces: Option<Vec<SpaceInfo>>,
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
        Self {
            run,
            options,
            expression,
            follow,
            script,
            batches,
            files,
            status,
            quit,
            spaces: None,
        }
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
                self.visit(&Visit {
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

    fn visit(&mut self, found: &Visit<'_>) {
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

    fn below(&mut self, found: &Visit<'_>) {
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
            let mut below = Visit {
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

    fn consider(&mut self, found: &Visit<'_>, prune: &mut bool) {
        if found.depth < self.options.least || self.quit {
            return;
        }
        if let Verdict::Script(script) = self.decide(self.expression, found, prune) {
            self.script += &script;
            self.script.push('\n');
            if self.script.len() > self.run.ground.limits.memory_bytes {
                self.run.out.fill();
                self.quit = true;
            }
        }
    }

    /// Decides as much of an expression as can be decided without running commands.
    fn decide(&mut self, expression: &Expression, found: &Visit<'_>, prune: &mut bool) -> Verdict {
        match expression {
            Expression::Test(test) => self.test(test, found, prune),
            Expression::Not(inner) => match self.decide(inner, found, prune) {
                Verdict::Is(is) => Verdict::Is(!is),
                Verdict::Script(script) => Verdict::Script(format!("! {{ {script}; }}")),
            },
            Expression::All(parts) => self.until(parts, found, prune, (false, "&&")),
            Expression::Any(parts) => self.until(parts, found, prune, (true, "||")),
            Expression::Each(parts) => {
                let mut known = Verdict::Is(true);
                for part in parts {
                    known = match (known, self.decide(part, found, prune)) {
                        (Verdict::Script(script), later) => {
                            Verdict::Script(format!("{script}; {}", later.into_script()))
                        }
                        (Verdict::Is(_), later) => later,
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
        found: &Visit<'_>,
        prune: &mut bool,
        (end, sign): (bool, &str),
    ) -> Verdict {
        let mut script: Option<String> = None;
        for part in parts {
            match (&mut script, self.decide(part, found, prune)) {
                (None, Verdict::Is(is)) if is == end => return Verdict::Is(end),
                (None, Verdict::Is(_)) => {}
                (None, Verdict::Script(first)) => script = Some(format!("{{ {first}; }}")),
                (Some(script), later) => {
                    let later = later.into_script();
                    script.extend([" ", sign, " { ", &later, "; }"]);
                }
            }
        }
        script.map_or(Verdict::Is(!end), Verdict::Script)
    }

    /// Prints, now or when the script comes to it.
    fn print(&mut self, text: &str) -> Verdict {
        if self.options.runs {
            let text = text.replace('\\', "\\\\").replace('%', "%%").replace('\0', "\\0");
            return Verdict::Script(format!("printf -- {}", quote(&text)));
        }
        self.run.out.extend_from_slice(text.as_bytes());
        Verdict::Is(true)
    }

    fn test(&mut self, test: &Test, found: &Visit<'_>, prune: &mut bool) -> Verdict {
        let stat = found.stat;
        let last =
            || found.name.trim_end_matches('/').rsplit('/').next().filter(|name| !name.is_empty());
        Verdict::Is(match test {
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
            Test::Age(time, bound, unit, now) => bound.spans(now.0 - time_of(*time, stat).0, *unit),
            Test::Newer(time, than) => time_of(*time, stat) > *than,
            Test::Mode(bits, how) => has_mode(mode::mode_of(stat), *bits, *how),
            Test::Access(writes) => self.access(found, *writes),
            Test::Links(bound) => bound.holds(i64::from(stat.links)),
            Test::Inode(bound) => bound.holds(i64::try_from(ls::inode(stat)).unwrap_or(i64::MAX)),
            Test::Owner(who, of_group) => is_of(*who, if *of_group { stat.gid } else { stat.uid }),
            Test::Same(node) => ls::inode(stat) == *node,
            Test::Prune => {
                *prune = true;
                true
            }
            Test::Print(end) => return self.print(&format!("{}{end}", found.name)),
            Test::Format(form) => return self.print(&format::fill(self.run, form, found)),
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
            Test::Quit if self.options.runs => return Verdict::Script("exit $__find".into()),
            Test::Quit => {
                self.quit = true;
                false
            }
            Test::Each(command, inside) => return Verdict::Script(each(command, *inside, found)),
            Test::All(index) if self.options.runs => {
                let add = format!("__find{index}+=({})", quote(found.name));
                self.batches[*index].push(found.name.to_owned());
                return Verdict::Script(add);
            }
            Test::All(_) => true,
        })
    }

    /// Tells whether what is found, or behind it, can be read or written: what is seen can be read.
    fn access(&mut self, found: &Visit<'_>, writes: bool) -> bool {
        let ground = self.run.ground;
        let Ok((_, stat)) = ground.files.stat_followed(&found.path()) else { return false };
        if !writes {
            return true;
        }
        let spaces =
            self.spaces.get_or_insert_with(|| ground.files.home.spaces().unwrap_or_default());
        let right = spaces.iter().find(|space| space.name == stat.space);
        let right = right.and_then(|space| space.right);
        if right.is_none() {
            let name = self.run.quoted(found.name);
            self.complain(&format!("{name}: only a part of its space is granted, so that nobody tells here whether it can be written"));
        }
        right.is_some_and(|right| right >= Right::Write)
    }

    /// Returns the kind of a node, or of what is behind it.
    fn kind(&self, found: &Visit<'_>, behind: bool) -> Kind {
        let link = behind && found.stat.kind == Kind::Link;
        let followed = link.then(|| self.run.ground.files.stat_followed(&found.path()).ok());
        followed.flatten().map_or(found.stat.kind, |(_, stat)| stat.kind)
    }

    fn delete(&mut self, found: &Visit<'_>) -> Verdict {
        if self.options.runs {
            return Verdict::Script(format!("rm -d -- {}", quote(found.name)));
        }
        if found.depth == 0 && matches!(found.name, "." | "..") {
            return Verdict::Is(true);
        }
        match self.run.ground.files.home.remove(&found.path(), false) {
            Ok(_) => Verdict::Is(true),
            Err(error) => {
                let quoted = self.run.quoted(found.name);
                self.complain(&format!("cannot delete {quoted}: {}", reason(&error)));
                Verdict::Is(false)
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

/// Tells whether a node is of whom it is asked for: all but the root are one.
fn is_of(who: Option<Bound>, id: u32) -> bool {
    who.map_or(id != 0, |who| who.holds(i64::from(id)))
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
fn each(command: &[String], inside: bool, found: &Visit<'_>) -> String {
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
