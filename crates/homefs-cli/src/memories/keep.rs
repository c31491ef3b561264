//! Memories on their way into a store.

use std::collections::{HashMap, HashSet};
use std::io::Cursor;

use homefs_api::Client;
use homefs_core::{Error, ErrorKind, Path};
use homefs_view::{Kind, SetMeta, WriteOptions, slug};
use serde_json::json;

use super::{Destination, Memory, MemorySet};
use crate::error::{Failure, Result};
use crate::output::Output;
use crate::progress::Progress;
use crate::{pages, text, transfer};

/// The key under which the digest of what was imported is noted.
const IMPORTED: &str = "imported";
/// Hexadecimal digits by which a memory without a path is found again; half a million memories
/// share one by chance less than once in a thousand imports.
const ID_DIGITS: usize = 12;
/// The longest part of a name that is made of words, in bytes.
pub(super) const SLUG_BYTES_MAX: usize = 48;

/// What an import did.
#[derive(Default)]
struct Report {
    new: u64,
    changed: u64,
    same: u64,
}

impl MemorySet {
    /// Puts all memories below `to`, or only tells what that would do.
    pub(crate) fn keep(
        mut self,
        client: &Client,
        to: &Path,
        dry_run: bool,
        output: &Output,
    ) -> Result<()> {
        let mut target = Target::open(client, to)?;
        let mut report = Report::default();
        let bytes = self.memories.iter().map(|memory| memory.content.len() as u64).sum();
        let progress = Progress::new(output, bytes);
        for memory in self.memories {
            match target.keep(client, &memory, dry_run, &mut report) {
                Ok(()) => {}
                Err(error) if is_of_one(&error) => {
                    self.problems.push(format!("{}: {error}", memory.origin));
                }
                Err(error) => return Err(error.into()),
            }
            progress.add(memory.content.len() as u64);
        }
        drop(progress);
        if !dry_run {
            // What an import reports as done shall not be lost to a power cut a moment later.
            client.barrier()?;
        }
        report.finish(&self.problems, self.others, dry_run, output)
    }
}

/// Tells whether an error concerns one memory rather than the whole import.
fn is_of_one(error: &Error) -> bool {
    use ErrorKind::{AlreadyExists, Invalid, IsADirectory, LimitExceeded, NotADirectory, NotFound};
    matches!(
        error.kind(),
        AlreadyExists | Invalid | IsADirectory | LimitExceeded | NotADirectory | NotFound
    )
}

/// Where memories go.
struct Target {
    to: Path,
    /// The names of files there by the ids at their ends.
    named: HashMap<String, String>,
    /// Directories that are known not to lead elsewhere.
    checked: HashSet<Path>,
}

impl Target {
    fn open(client: &Client, to: &Path) -> Result<Self> {
        let mut named = HashMap::new();
        if transfer::stat(client, to)?.is_some() {
            for entry in pages::all(|after| client.list(to, after, pages::LIMIT))? {
                if let Some(id) = id_of(&entry.name) {
                    named.insert(id.to_owned(), entry.name.to_string());
                }
            }
        }
        Ok(Self { to: to.clone(), named, checked: HashSet::new() })
    }

    fn keep(
        &mut self,
        client: &Client,
        memory: &Memory,
        dry_run: bool,
        report: &mut Report,
    ) -> homefs_core::Result<()> {
        let path = self.path_of(&memory.place)?;
        self.check_way(client, &path)?;
        let digest = memory.digest();
        let there = transfer::stat(client, &path)?;
        match &there {
            Some(stat) if stat.kind != Kind::File => return Err(in_the_way(&path)),
            Some(_) if client.meta(&path)?.other.get(IMPORTED) == Some(&digest) => {
                report.same += 1;
                return Ok(());
            }
            Some(_) => report.changed += 1,
            None => report.new += 1,
        }
        if dry_run {
            return Ok(());
        }
        let options =
            WriteOptions { parents: true, modified: memory.modified, ..WriteOptions::default() };
        client.write_from(&path, &mut Cursor::new(&memory.content), &options)?;
        let mut set = SetMeta::default();
        let values = memory.meta.iter().map(|(key, value)| (key.clone(), Some(value.clone())));
        set.values.extend(values);
        // Last, so that an import that was interrupted before goes over it again.
        set.values.insert(IMPORTED.into(), Some(digest));
        client.set_meta(&path, &set).map(drop)
    }

    fn path_of(&mut self, place: &Destination) -> homefs_core::Result<Path> {
        match place {
            Destination::At(below) => {
                below.names().try_fold(self.to.clone(), |path, name| path.join(name))
            }
            Destination::Named { words, id } => {
                let id = &blake3::hash(id.as_bytes()).to_hex()[..ID_DIGITS];
                let name = self.named.entry(id.to_owned());
                self.to.join(
                    name.or_insert_with(|| format!("{}-{id}.md", slug(words, SLUG_BYTES_MAX))),
                )
            }
        }
    }

    /// Fails if a directory on the way is a link, which could lead out of the place that was asked
    /// for, or a file.
    fn check_way(&mut self, client: &Client, path: &Path) -> homefs_core::Result<()> {
        let mut above = path.parent();
        while let Some(directory) = above.filter(|above| above.starts_with(&self.to)) {
            if !self.checked.contains(&directory) {
                let there = transfer::stat(client, &directory)?;
                if there.is_some_and(|stat| stat.kind != Kind::Directory) {
                    return Err(in_the_way(&directory));
                }
                self.checked.insert(directory.clone());
            }
            above = directory.parent();
        }
        Ok(())
    }
}

impl Memory {
    /// Returns a digest of everything that is imported of it.
    fn digest(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.modified.map_or(i64::MIN, |time| time.0).to_le_bytes());
        for part in self.meta.iter().flat_map(|(key, value)| [key, value]) {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        hasher.update(&self.content);
        hasher.finalize().to_hex()[..2 * ID_DIGITS].to_owned()
    }
}

impl Report {
    /// Prints what was done; anything left out makes the answer "no".
    fn finish(
        self,
        problems: &[String],
        others: u64,
        dry_run: bool,
        output: &Output,
    ) -> Result<()> {
        let Self { new, changed, same } = self;
        for problem in problems {
            output.say(format_args!("left out: {problem}"));
        }
        if others > 0 {
            output.say(format_args!("{} without memories", text::count(others, "file")));
        }
        let verb = if dry_run { "would import" } else { "imported" };
        let memories = text::count(new + changed, "memory");
        output.changed(
            &json!({
                "new": new,
                "changed": changed,
                "same": same,
                "left_out": problems,
                "others": others,
                "dry_run": dry_run,
            }),
            format_args!("{verb} {memories}: {new} new, {changed} changed; {same} already there"),
        )?;
        match problems.len() as u64 {
            0 => Ok(()),
            left => Err(Failure::no(format!("{} left out", text::count(left, "memory")))),
        }
    }
}

/// Returns the id at the end of a name, if there is one.
pub(super) fn id_of(name: &str) -> Option<&str> {
    let (_, id) = name.strip_suffix(".md")?.rsplit_once('-')?;
    let is_id = id.len() == ID_DIGITS && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_id.then_some(id)
}

fn in_the_way(path: &Path) -> Error {
    Error::new(ErrorKind::AlreadyExists, "something else is in the way").with_path(path)
}
