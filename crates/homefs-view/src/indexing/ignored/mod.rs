//! Which files are no memories: rules about paths, and what is no text.
//!
//! The one place that knows them. A file that is ignored stays in the index, with its words and
//! without vectors, so that grep and a search of all files find it. The rules are those of the
//! space, for whoever asks: a file of rules that an agent may not see ignores for it what it
//! ignores for others, and is told to nobody.

mod pattern;
#[cfg(test)]
mod tests;

use homefs_core::NodeId;
use homefs_search::index::{File, Ignored, Index};
use rustc_hash::{FxHashMap, FxHashSet};

use super::seen::{Read, SeenFile};
use pattern::Patterns;

/// The names of files of rules, in a directory the later before the earlier.
const NAMES: [&str; 2] = [".gitignore", ".homefsignore"];
/// A longer file of rules has none: nobody wrote it.
const RULES_BYTES_MAX: usize = 256 << 10;

/// What is ignored if no file of rules says otherwise, as if it stood above each space.
///
/// `build` and `dist` are names of folders that people have too, so that notes in them are kept.
const DEFAULTS: &str = "\
**/build/**
!**/build/**/
!**/build/**/*.md
!**/build/**/*.txt
**/dist/**
!**/dist/**/
!**/dist/**/*.md
!**/dist/**/*.txt
.*/
.gitignore
.homefsignore
node_modules/
bower_components/
target/
__pycache__/
venv/
site-packages/
*.egg-info/
*.lock
*.lockb
package-lock.json
npm-shrinkwrap.json
pnpm-lock.yaml
packages.lock.json
gradle.lockfile
go.sum
*.min.js
*.min.mjs
*.min.css
*.bundle.js
*.js.map
*.mjs.map
*.css.map
";

/// The rules of a space.
pub(super) struct Rules {
    defaults: Patterns,
    /// Files of rules by their nodes: the directory, and which of the names.
    sources: FxHashMap<u128, Source>,
    /// The patterns of a directory, those that count more last.
    directories: FxHashMap<Box<str>, Vec<(usize, u128, Patterns)>>,
    /// Files that had several names when they were looked at, of which the index has one.
    several: FxHashSet<u128>,
}

/// A file of rules.
#[derive(PartialEq)]
struct Source {
    /// Its directory, with a slash at its end.
    directory: Box<str>,
    /// The place of its name among [`NAMES`].
    rank: usize,
    text: Box<str>,
}

impl Rules {
    /// Returns the rules of a space by what its index knows.
    pub(super) fn of(index: &Index) -> Self {
        let mut rules = Self::with(DEFAULTS);
        for file in index.files().filter(|file| !file.rules.is_empty()) {
            rules.put(file.node, source(file));
        }
        rules
    }

    /// Returns rules that hold everywhere, and no files of rules.
    fn with(defaults: &str) -> Self {
        Self {
            defaults: Patterns::new(defaults),
            sources: FxHashMap::default(),
            directories: FxHashMap::default(),
            several: FxHashSet::default(),
        }
    }

    /// Completes what is seen of a file: whether it is ignored, and what it says of others.
    /// Returns the files of an index that must be looked at again because of that.
    pub(super) fn take(&mut self, index: &Index, seen: &mut SeenFile) -> Vec<NodeId> {
        let SeenFile { file, names, read } = seen;
        if let Read::Whole(bytes) = read
            && rank(&file.path).is_some()
            && bytes.len() <= RULES_BYTES_MAX
        {
            file.rules = String::from_utf8_lossy(bytes).into();
        }
        let others = self.note(index, file.node, Some(file));
        if names.is_empty() {
            self.several.remove(&file.node);
        } else {
            self.several.insert(file.node);
        }
        // One of several names may be for everybody, and the others in a cache.
        let is_kept = |name: &&str| self.says(name) != Some(true);
        let mut all = names.iter().map(|name| &**name);
        let path = all.find(is_kept).unwrap_or(&file.path);
        // What somebody calls or tags is meant to be known, whatever it holds.
        let is_noted = !file.title.is_empty() || !file.tags.is_empty();
        file.ignored = match self.says(path) {
            Some(true) => Ignored::ByRule,
            None if read.is_binary() && !is_noted => Ignored::ByContent,
            _ => Ignored::No,
        };
        others
    }

    /// Notes a file as it is now, or that it is gone; returns the files of an index that are
    /// judged in another way because of that.
    pub(super) fn note(&mut self, index: &Index, node: u128, now: Option<&File>) -> Vec<NodeId> {
        let now = now.filter(|file| !file.rules.is_empty()).and_then(source);
        let before = self.sources.get(&node);
        if before == now.as_ref() {
            return Vec::new();
        }
        let mut above: Vec<Box<str>> = Vec::new();
        above.extend(before.map(|source| source.directory.clone()));
        above.extend(now.as_ref().map(|source| source.directory.clone()));
        // Of a file without a path, or with other names too, the index does not tell which rules it has.
        let is_unsure = |file: &File| file.path.is_empty() || self.several.contains(&file.node);
        let is_below = |file: &&File| {
            is_unsure(file) || above.iter().any(|above| file.path.starts_with(&**above))
        };
        let below: Vec<(&File, bool, Option<bool>)> = index
            .files()
            .filter(is_below)
            .map(|file| (file, is_unsure(file), self.says(&file.path)))
            .collect();
        self.put(node, now);
        let is_news = |(file, is_unsure, before): &(&File, bool, Option<bool>)| {
            file.node != node && (*is_unsure || self.says(&file.path) != *before)
        };
        below.into_iter().filter(is_news).map(|(file, ..)| NodeId(file.node)).collect()
    }

    /// Puts a file of rules in place of what was known of its node.
    fn put(&mut self, node: u128, now: Option<Source>) {
        if let Some(before) = self.sources.remove(&node)
            && let Some(known) = self.directories.get_mut(&before.directory)
        {
            known.retain(|(_, other, _)| *other != node);
            if known.is_empty() {
                self.directories.remove(&before.directory);
            }
        }
        let Some(now) = now else { return };
        let known = self.directories.entry(now.directory.clone()).or_default();
        known.push((now.rank, node, Patterns::new(&now.text)));
        known.sort_by_key(|(rank, node, _)| (*rank, *node));
        self.sources.insert(node, now);
    }

    /// Tells whether rules ignore a file by its path; `None` if they say nothing. In a directory
    /// that is ignored everything is, and what rules in it say does not matter.
    fn says(&self, path: &str) -> Option<bool> {
        let slashes = path.match_indices('/').map(|(at, _)| at).skip(1);
        for end in slashes {
            if self.says_of(&path[..end], true) == Some(true) {
                return Some(true);
            }
        }
        if path.is_empty() { None } else { self.says_of(path, false) }
    }

    /// Tells what the nearest rules say of a file or directory, whatever they say of those above.
    fn says_of(&self, path: &str, is_directory: bool) -> Option<bool> {
        if !self.directories.is_empty() {
            for (at, _) in path.rmatch_indices('/') {
                let (directory, below) = path.split_at(at + 1);
                let mut known = self.directories.get(directory).into_iter().flatten().rev();
                let said = known.find_map(|(_, _, patterns)| patterns.says(below, is_directory));
                if said.is_some() {
                    return said;
                }
            }
        }
        self.defaults.says(path.strip_prefix('/').unwrap_or(path), is_directory)
    }
}

/// Tells which of [`NAMES`] a path ends with.
fn rank(path: &str) -> Option<usize> {
    let (_, name) = path.rsplit_once('/')?;
    NAMES.iter().position(|known| *known == name)
}

/// Returns a file as a file of rules. One with several names counts where the index knows it.
fn source(file: &File) -> Option<Source> {
    let rank = rank(&file.path)?;
    let directory = file.path[..file.path.len() - NAMES[rank].len()].into();
    Some(Source { directory, rank, text: file.rules.clone() })
}
