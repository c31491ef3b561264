//! `unzip`: lists, prints, tests and unpacks; nothing is written outside of the directory.

use homefs_core::{Path, Timestamp};
use homefs_view::{Kind, SetAttrs};

use super::archive::{self, Member};
use super::{Asked, EXCLUDE, Failure, LINK};
use crate::builtins::date::zone_of;
use crate::builtins::options::{Spec, Takes};
use crate::builtins::times;
use crate::builtins::tool::Run;
use crate::files::reason;
use crate::glob::Glob;

const SPECS: &[Spec] = &[
    ('d', "directory", Takes::Value),
    ('j', "junk-paths", Takes::Nothing),
    ('l', "list", Takes::Nothing),
    ('n', "never", Takes::Nothing),
    ('o', "overwrite", Takes::Nothing),
    ('p', "print", Takes::Nothing),
    ('q', "quiet", Takes::Nothing),
    ('t', "test", Takes::Nothing),
    ('x', EXCLUDE, Takes::Value),
];

/// Which bits of a mode say of what kind a node is.
const KIND: u32 = 0o170_000;

/// What was asked for, and what comes of it.
#[derive(Default)]
struct Job {
    options: Vec<&'static str>,
    directory: Option<String>,
    status: i32,
    /// How many bytes files may still have.
    left: usize,
    /// Links are made last, so that nothing is written through them.
    links: Vec<(Path, String)>,
    /// Directories get their bits and times last.
    directories: Vec<(Path, u32, Timestamp)>,
}

/// Runs `unzip`.
pub(crate) fn unpack(run: &mut Run<'_>) -> i32 {
    match start(run) {
        Ok(status) => status,
        Err((status, message)) => {
            run.complain(&message);
            status
        }
    }
}

fn start(run: &mut Run<'_>) -> Result<i32, Failure> {
    let asked = Asked::read(SPECS, run.args).map_err(|message| (10, message))?;
    let Asked { options, operands, except } = asked;
    let directory = options.iter().find(|(name, _)| *name == "directory");
    let directory = directory.map(|(_, directory)| (*directory).to_owned());
    let options = options.iter().map(|(name, _)| *name).collect();
    let left = run.ground.limits.memory_bytes;
    let mut job = Job { options, directory, left, ..Job::default() };
    let asked = *operands.first().ok_or((10, "no archive is named".to_owned()))?;
    let names = [asked.to_owned(), format!("{asked}.zip")];
    let is_file = |name: &&String| {
        let found = run.path(name).and_then(|path| run.ground.files.stat_followed(&path));
        found.is_ok_and(|(_, stat)| stat.kind == Kind::File)
    };
    let missing = || (9, format!("cannot find or open {asked}, {asked}.zip or {asked}.ZIP."));
    let name = names.iter().find(is_file).ok_or_else(missing)?;
    if job.quiet() == 0 && !job.has("print") {
        run.line(&format!("Archive:  {name}"));
    }
    let content = run.read(name).map_err(|error| (9, format!("{name}: {}", reason(&error))))?;
    let members = archive::read(&content, &zone_of(run));
    let mut members = members.map_err(|why| (9, format!("{name}: {why}")))?;
    let only: Vec<Glob> = operands[1..].iter().map(|name| Glob::new(name, false)).collect();
    let is_one_of = |name: &str, list: &[Glob]| list.iter().any(|glob| glob.matches(name));
    let unmatched = only.iter().zip(&operands[1..]);
    let unmatched =
        unmatched.filter(|(glob, _)| !members.iter().any(|one| glob.matches(&one.name)));
    let unmatched: Vec<&str> = unmatched.map(|(_, name)| *name).collect();
    members.retain(|one| {
        (only.is_empty() || is_one_of(&one.name, &only)) && !is_one_of(&one.name, &except)
    });
    // A list is no worse for a name that is not in it, unless it is empty.
    let fails = members.is_empty() || !unmatched.is_empty() && !job.has("list");
    if job.has("list") {
        job.list(run, &members);
    } else if job.has("test") {
        let part = !only.is_empty() || !except.is_empty();
        job.test(run, &members, name, part);
    } else {
        job.contents(run, &members)?;
    }
    for name in unmatched.iter().filter(|_| fails) {
        run.err.extend(["caution: filename not matched:  ", name, "\n"]);
    }
    Ok(if fails { job.status.max(11) } else { job.status })
}

impl Job {
    fn has(&self, option: &str) -> bool {
        self.options.contains(&option)
    }

    /// Returns how much is left unsaid.
    fn quiet(&self) -> usize {
        self.options.iter().filter(|option| **option == "quiet").count()
    }

    fn tell(&self, run: &mut Run<'_>, line: &str) {
        if self.quiet() == 0 {
            run.line(line);
        }
    }

    fn list(&self, run: &mut Run<'_>, members: &[Member]) {
        let zone = zone_of(run);
        let mut lines = vec!["  Length      Date    Time    Name".to_owned()];
        lines.push("---------  ---------- -----   ----".into());
        lines.extend(members.iter().map(|member| {
            let at = times::format_in(member.modified, "%Y-%m-%d %H:%M", &zone).unwrap_or_default();
            format!("{:>9}  {at}   {}", member.size, member.name)
        }));
        let total: usize = members.iter().map(|member| member.size).sum();
        let files = if members.len() == 1 { "file" } else { "files" };
        lines.push("---------                     -------".into());
        lines.push(format!("{total:>9}                     {} {files}", members.len()));
        let shown = if self.quiet() < 2 { &lines } else { &lines[2..lines.len() - 2] };
        for line in shown {
            run.line(line);
        }
    }

    fn test(&mut self, run: &mut Run<'_>, members: &[Member], name: &str, part: bool) {
        for member in members.iter().take_while(|_| !run.ground.files.interrupter.is_over()) {
            let found = member.content(run.ground.limits.memory_bytes).map(drop);
            let told = found.as_ref().err().map_or("OK", String::as_str);
            if self.quiet() == 0 || found.is_err() {
                run.line(&format!("    testing: {:<22}   {told}", member.name));
            }
            self.status = if found.is_err() { 2 } else { self.status };
        }
        let files = if members.len() == 1 { "file" } else { "files" };
        if self.status != 0 {
            run.line(&format!("At least one error was detected in {name}."));
        } else if self.quiet() < 2 && part {
            let count = members.len();
            run.line(&format!("No errors detected in {name} for the {count} {files} tested."));
        } else if self.quiet() < 2 {
            run.line(&format!("No errors detected in compressed data of {name}."));
        }
    }

    /// Prints or writes contents.
    fn contents(&mut self, run: &mut Run<'_>, members: &[Member]) -> Result<(), Failure> {
        let root = self.directory.clone().unwrap_or_else(|| ".".into());
        let print = self.has("print");
        let found = run.path(&root).and_then(|path| match run.ground.files.stat_followed(&path) {
            Err(_) if !print => run.ground.files.home.make_dir(&path, false).map(drop),
            _ => Ok(()),
        });
        found.map_err(|error| (2, format!("cannot create {root}: {}", reason(&error))))?;
        for member in members.iter().take_while(|_| !run.ground.files.interrupter.is_over()) {
            let done = match member.content(self.left) {
                Ok(content) if print => {
                    run.out.extend_from_slice(&content);
                    Ok(())
                }
                content => content.and_then(|content| self.write(run, member, &content)),
            };
            if let Err(why) = done {
                run.complain(&format!("{}: {why}", member.name));
                self.status = 2;
            }
        }
        if !self.links.is_empty() {
            self.tell(run, "finishing deferred symbolic links:");
        }
        let home = &run.ground.files.home;
        let failed = |error| (2, reason(&error).to_owned());
        for (path, target) in std::mem::take(&mut self.links) {
            home.symlink(&target, &path).map_err(failed)?;
            let name = path.as_str();
            self.tell(run, &format!("  {name:<22} -> {target}"));
        }
        for (path, mode, modified) in self.directories.iter().rev() {
            set(run, path, *mode, *modified).map_err(failed)?;
        }
        Ok(())
    }

    fn write(&mut self, run: &mut Run<'_>, member: &Member, content: &[u8]) -> Result<(), String> {
        let failed = |error| reason(&error).to_owned();
        let mut inner = member.name.as_str();
        if inner.starts_with('/') || inner.split('/').any(|name| name == "..") {
            return Err("leads out of the directory, and is left out".into());
        }
        let is_directory = inner.ends_with('/');
        if self.has("junk-paths") {
            inner = inner.rsplit('/').next().unwrap_or_default();
        }
        let name = match self.directory.as_deref().map(|root| root.trim_end_matches('/')) {
            Some(root) => format!("{root}/{inner}"),
            None => inner.to_owned(),
        };
        let path = run.path(&name).map_err(failed)?;
        let files = &run.ground.files;
        let there = files.home.stat(&path).ok();
        if is_directory {
            if there.is_none() {
                files.home.make_dir(&path, true).map_err(failed)?;
                self.tell(run, &format!("   creating: {name}"));
            }
            self.directories.push((path, member.mode, member.modified));
            return Ok(());
        }
        if there.is_some() && !self.has("overwrite") {
            if !self.has("never") {
                run.complain(&format!("{name} is there and stays: -o overwrites, -n leaves it"));
                self.status = self.status.max(1);
            }
            return Ok(());
        }
        if there.is_some() {
            files.home.remove(&path, false).map_err(failed)?;
        }
        let parent = path.parent().unwrap_or_else(Path::root);
        files.home.make_dir(&parent, true).map_err(failed)?;
        self.left -= content.len();
        if member.mode & KIND == LINK {
            let target = String::from_utf8_lossy(content).into_owned();
            self.tell(run, &format!("    linking: {name:<22}  -> {target} "));
            self.links.push((path, target));
            return Ok(());
        }
        files.home.write(&path, content, &files.mask.of_files()).map_err(failed)?;
        set(run, &path, member.mode, member.modified).map_err(failed)?;
        let how = if member.is_stored() { " extracting" } else { "  inflating" };
        self.tell(run, &format!("{how}: {name:<22}  "));
        Ok(())
    }
}

/// Gives a node the bits and the time that it had.
fn set(run: &Run<'_>, path: &Path, mode: u32, modified: Timestamp) -> homefs_core::Result<()> {
    let mode = Some(mode & 0o777).filter(|mode| *mode != 0);
    let set = SetAttrs { mode, modified: Some(modified), ..SetAttrs::default() };
    run.ground.files.home.set_attrs(path, &set).map(drop)
}
