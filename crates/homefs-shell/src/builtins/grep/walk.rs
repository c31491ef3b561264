//! Which files a search reads, in the order of their names.

use std::vec::IntoIter;

use homefs_core::Path;
use homefs_view::{Entry, Kind};

use super::options::{Directories, Options};
use crate::builtins::tool::Ground;
use crate::candidates::LinePattern;

/// A file to search, and how it is called.
pub(crate) struct Target {
    pub(crate) name: String,
    pub(crate) path: Path,
    /// Somebody named it, so that it has to be there.
    pub(crate) is_named: bool,
}

impl Target {
    /// Returns the target and its path, for [`Files::ahead`](crate::files::Files::ahead).
    pub(super) fn with_path(self) -> (Self, Option<Path>) {
        let path = self.path.clone();
        (self, Some(path))
    }
}

/// Goes through everything below a directory.
pub(crate) struct Walk<'a> {
    ground: &'a Ground,
    options: &'a Options,
    steps: Vec<Step>,
    /// Files to read if an index named them, in the order of the walk.
    chosen: Option<IntoIter<Target>>,
}

struct Step {
    name: String,
    path: Path,
    entries: IntoIter<Entry>,
}

/// Links that lead in circles end here.
const DEPTH_MAX: usize = 128;

impl<'a> Walk<'a> {
    /// Starts below a directory that is called `name`; an empty name shows only what is below.
    pub(crate) fn new(
        ground: &'a Ground,
        options: &'a Options,
        name: &str,
        path: &Path,
        wanted: Option<&LinePattern>,
    ) -> Self {
        let mut walk = Self { ground, options, steps: Vec::new(), chosen: None };
        // Through links a walk sees files that are not below the directory.
        let wanted = wanted.filter(|_| options.directories == Directories::Recurse);
        let found = wanted.and_then(|wanted| ground.candidates.below(path, wanted));
        match found {
            Some(found) => walk.chosen = Some(walk.choose(name, path, found).into_iter()),
            None => walk.enter(name.to_owned(), path.clone()),
        }
        walk
    }

    fn enter(&mut self, name: String, path: Path) {
        if let Ok(entries) = self.ground.files.children(&path) {
            self.steps.push(Step { name, path, entries: entries.into_iter() });
        }
    }

    /// Puts what an index named into the order of the walk, without what the walk leaves out.
    fn choose(&self, name: &str, path: &Path, mut found: Vec<Path>) -> Vec<Target> {
        found.sort_by(|a, b| a.names().cmp(b.names()));
        found.dedup();
        let above = path.names().count();
        let mut targets = Vec::new();
        for file in found.into_iter().filter(|file| file.starts_with(path) && file != path) {
            let below: Vec<&str> = file.names().skip(above).collect();
            let (last, parents) = below.split_last().expect("it is below the directory");
            if !self.options.wants(last) || parents.iter().any(|name| self.options.leaves_out(name))
            {
                continue;
            }
            let name = join(name, &below.join("/"));
            targets.push(Target { name, path: file, is_named: false });
        }
        targets
    }
}

impl Iterator for Walk<'_> {
    type Item = Target;

    fn next(&mut self) -> Option<Target> {
        if let Some(chosen) = &mut self.chosen {
            return chosen.next();
        }
        loop {
            let step = self.steps.last_mut()?;
            let Some(entry) = step.entries.next() else {
                self.steps.pop();
                continue;
            };
            let name = join(&step.name, &entry.name);
            let Ok(path) = step.path.join(&entry.name) else { continue };
            let kind = match entry.stat.kind {
                Kind::Link if self.options.directories == Directories::RecurseThroughLinks => {
                    let Ok((_, stat)) = self.ground.files.stat_followed(&path) else { continue };
                    stat.kind
                }
                kind => kind,
            };
            match kind {
                Kind::Directory if self.options.leaves_out(&entry.name) => {}
                Kind::Directory if self.steps.len() < DEPTH_MAX => self.enter(name, path),
                Kind::File if self.options.wants(&entry.name) => {
                    return Some(Target { name, path, is_named: false });
                }
                _ => {}
            }
        }
    }
}

fn join(directory: &str, name: &str) -> String {
    match directory {
        "" => name.to_owned(),
        _ if directory.ends_with('/') => format!("{directory}{name}"),
        _ => format!("{directory}/{name}"),
    }
}
