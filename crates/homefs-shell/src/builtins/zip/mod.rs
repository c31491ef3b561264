//! `zip` and `unzip`: real archives, as Info-ZIP's programs make and read them.

mod archive;
mod unzip;

use bytes::Bytes;
use homefs_core::{Path, Result};
use homefs_view::{Kind, Stat};

use self::archive::Member;
use super::date::zone_of;
use super::options::{Item, Spec, Takes, parse};
use super::tool::Run;
use crate::files::reason;
use crate::glob::Glob;

pub(crate) use self::unzip::unpack;

const SPECS: &[Spec] = &[
    ('D', "no-dir-entries", Takes::Nothing),
    ('j', "junk-paths", Takes::Nothing),
    ('q', "quiet", Takes::Nothing),
    ('r', "recurse-paths", Takes::Nothing),
    ('x', EXCLUDE, Takes::Value),
    ('y', "symlinks", Takes::Nothing),
];

/// How hard is packed if nothing is said, and what `-9` says.
const USUAL_LEVEL: u32 = 6;
const LEVEL: &str = "level";

/// What the bits of a mode say of the kind of a node.
const FILE: u32 = 0o100_000;
const DIRECTORY: u32 = 0o040_000;
const LINK: u32 = 0o120_000;

/// A status, and what is said.
type Failure = (i32, String);

/// What names patterns of names that are left out: they end with the next option, or with `@`.
const EXCLUDE: &str = "exclude";

/// A command line of either program.
#[derive(Default)]
struct Asked<'a> {
    options: Vec<(&'static str, &'a str)>,
    operands: Vec<&'a str>,
    except: Vec<Glob>,
}

impl<'a> Asked<'a> {
    fn read(specs: &[Spec], args: &'a [String]) -> std::result::Result<Self, String> {
        let (mut asked, mut listing) = (Self::default(), false);
        for item in parse(specs, Some(LEVEL), args)? {
            match item {
                Item::Operand("@") if listing => listing = false,
                Item::Operand(pattern) | Item::Option(EXCLUDE, Some(pattern))
                    if listing || matches!(item, Item::Option(..)) =>
                {
                    asked.except.push(Glob::new(pattern, false));
                    listing = true;
                }
                Item::Operand(operand) => asked.operands.push(operand),
                Item::Option(name, value) => {
                    asked.options.push((name, value.unwrap_or_default()));
                    listing = false;
                }
            }
        }
        Ok(asked)
    }
}

/// What was asked for, and what comes of it.
#[derive(Default)]
struct Job {
    options: Vec<&'static str>,
    level: u32,
    except: Vec<Glob>,
    members: Vec<Member>,
    /// The archive, which does not go into itself.
    archive: Option<Path>,
    added: usize,
}

/// Runs `zip`.
pub(crate) fn pack(run: &mut Run<'_>) -> i32 {
    match start(run) {
        Ok(()) => 0,
        Err((status, message)) => {
            run.line(&format!("\nzip error: {message}"));
            status
        }
    }
}

fn start(run: &mut Run<'_>) -> std::result::Result<(), Failure> {
    let wrong = |message| (16, format!("Invalid command arguments ({message})"));
    let Asked { options, mut operands, except } = Asked::read(SPECS, run.args).map_err(wrong)?;
    let level = options.iter().rev().find(|(name, _)| *name == LEVEL);
    let level = level.map_or(Ok(USUAL_LEVEL), |(_, digits)| digits.parse());
    let level = level.ok().filter(|level| *level < 10);
    let level = level.ok_or_else(|| wrong("no such level".into()))?;
    let options = options.iter().map(|(name, _)| *name).collect();
    let mut job = Job { options, level, except, ..Job::default() };
    if operands.is_empty() || operands.contains(&"-") {
        return Err(wrong("an archive is a file here, and so is what goes into it".into()));
    }
    let mut name = operands.remove(0).to_owned();
    if !name.rsplit('/').next().is_some_and(|name| name.contains('.')) {
        name += ".zip";
    }
    let zone = zone_of(run);
    let failed = |error: &homefs_core::Error| (15, format!("{name}: {}", reason(error)));
    let path = run.path(&name).map_err(|error| failed(&error))?;
    job.archive = Some(path.clone());
    if run.ground.files.stat_followed(&path).is_ok() {
        let content = run.read(&name).map_err(|error| failed(&error))?;
        let members = archive::read(&content, &zone);
        job.members =
            members.map_err(|why| (3, format!("Zip file structure invalid ({name}: {why})")))?;
    }
    for operand in &operands {
        let found = run.path(operand).and_then(|path| {
            let stat = run.ground.files.home.stat(&path)?;
            job.add(run, operand, path, stat, &[])
        });
        if found.is_err() {
            job.tell(run, &format!("\tzip warning: name not matched: {operand}"));
        }
    }
    if job.added == 0 {
        return Err((12, format!("Nothing to do! ({name})")));
    }
    let content = archive::write(&job.members, &zone);
    let content = content.ok_or((6, "the archive is too large for this form".into()))?;
    let files = &run.ground.files;
    let written = files
        .prepare_scratch(&path)
        .and_then(|()| files.home.write(&path, &content, &files.mask.of_files()));
    written.map(drop).map_err(|error| failed(&error))
}

impl Job {
    fn has(&self, option: &str) -> bool {
        self.options.contains(&option)
    }

    fn tell(&self, run: &mut Run<'_>, line: &str) {
        if !self.has("quiet") {
            run.line(line);
        }
    }

    /// Adds a node, and all below it if that is asked for.
    fn add(
        &mut self,
        run: &mut Run<'_>,
        name: &str,
        mut path: Path,
        mut stat: Stat,
        above: &[Path],
    ) -> Result<()> {
        let files = &run.ground.files;
        if stat.kind == Kind::Link && !self.has("symlinks") {
            (path, stat) = files.stat_followed(&path)?;
        }
        let names = name.split('/').filter(|name| !matches!(*name, "" | "."));
        let mut inner = names.collect::<Vec<_>>().join("/");
        let is_directory = stat.kind == Kind::Directory;
        let junk = self.has("junk-paths");
        let unnamed = is_directory && (inner.is_empty() || junk || self.has("no-dir-entries"));
        if is_directory {
            inner += "/";
        } else if junk {
            inner.drain(..inner.rfind('/').map_or(0, |slash| slash + 1));
        }
        let left_out = self.except.iter().any(|pattern| pattern.matches(&inner));
        if !unnamed && !left_out && self.archive.as_ref() != Some(&path) {
            let (content, kind) = match stat.kind {
                Kind::Directory => (Bytes::new(), DIRECTORY),
                Kind::Link => (files.home.read_link(&path)?.into(), LINK),
                _ => (files.read(&path)?, FILE),
            };
            let mode = kind | stat.mode & 0o7777;
            self.put(run, Member::new(inner, content, self.level, mode, stat.modified));
        }
        // A link may lead to what it stands in.
        if is_directory && self.has("recurse-paths") && !above.contains(&path) {
            let above = [above, &[path.clone()]].concat();
            for entry in run.ground.files.children(&path)? {
                let name = format!("{}/{}", name.trim_end_matches('/'), entry.name);
                if self.add(run, &name, path.join(&entry.name)?, entry.stat, &above).is_err() {
                    self.tell(run, &format!("\tzip warning: name not matched: {name}"));
                }
            }
        }
        Ok(())
    }

    /// Puts a member into the list, in the place of the one that has its name.
    fn put(&mut self, run: &mut Run<'_>, member: Member) {
        let there = self.members.iter().position(|there| there.name == member.name);
        let how = if member.is_stored() { "stored" } else { "deflated" };
        let saved = 200 * (member.size - member.packed.len());
        let saved = saved.checked_div(member.size).unwrap_or(0).div_ceil(2);
        let does = if there.is_some() { "updating" } else { "  adding" };
        self.tell(run, &format!("{does}: {} ({how} {saved}%)", member.name));
        self.added += 1;
        match there {
            Some(at) => self.members[at] = member,
            None => self.members.push(member),
        }
        let held: usize = self.members.iter().map(|member| member.packed.len()).sum();
        if held > run.ground.limits.memory_bytes {
            run.out.fill();
        }
    }
}
