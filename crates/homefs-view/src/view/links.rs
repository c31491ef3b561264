//! Links between notes.
//!
//! `[[note]]` means the nearest file of that name: one in the same directory, else the one with the
//! shortest path, spaces of others last. `[[folder/note]]` must end so. `[text](note.md)` is a path
//! from the directory of the note. What the agent may not read is as if it were not there, so that
//! a link may lead one agent to another file than another agent.

use homefs_core::{ErrorKind, NodeId, Path, Result};
use homefs_search::docs::{Link, LinkKind};
use homefs_search::rank::Names as _;
use rustc_hash::FxHashMap;

use super::View;
use super::scopes::{Searched, Which};
use super::timeline::Listed;
use crate::memory::{LinkTo, Links};

impl View {
    /// Returns where the links of a note lead, and the notes with a link to it.
    pub fn links(&self, path: &Path) -> Result<Links> {
        let stat = self.stat(path)?;
        let searched = self.searched(&[], &Path::root(), Which::All)?;
        let own = searched.iter().position(|one| one.space.name == stat.space);
        let Some(note) = own.and_then(|scope| self.note(&searched, (scope, stat.node))) else {
            return Ok(Links::default());
        };
        let links = searched[note.listed.0].index().links(stat.node.0).to_vec();
        let wanted = links.iter().filter(|link| is_inside(link)).map(|link| key(&link.target));
        let mut namesakes: Namesakes = wanted.map(|key| (key, Vec::new())).collect();
        let own_key = key(note.path.as_str());
        namesakes.entry(own_key.clone()).or_default();
        let pointing = self.survey_links(&searched, &mut namesakes, &own_key);
        let mut found = Links::default();
        for link in links.iter().filter(|link| is_inside(link)) {
            if found.to.iter().all(|known| known.target != link.target) {
                let to = self.follow_link(&note, link, &namesakes)?;
                found.to.push(LinkTo { target: link.target.clone(), path: to });
            }
        }
        for (from, links) in pointing {
            let Some(from) = self.note(&searched, from).filter(|from| from.path != note.path)
            else {
                continue;
            };
            for link in &links {
                if self.follow_link(&from, link, &namesakes)?.as_ref() == Some(&note.path) {
                    found.from.push(from.path);
                    break;
                }
            }
        }
        found.from.sort();
        Ok(found)
    }

    /// Looks at every file that may be read: fills in those that have one of the names, and
    /// returns those with links that may mean the name `own`.
    fn survey_links(
        &self,
        searched: &[Searched],
        namesakes: &mut Namesakes,
        own: &str,
    ) -> Vec<(Listed, Vec<Link>)> {
        let (mut named, mut pointing) = (Vec::new(), Vec::new());
        for (scope, one) in searched.iter().enumerate() {
            let index = one.index();
            for file in index.files() {
                let listed = (scope, NodeId(file.node));
                let key_of_file = key(&one.path_of(file));
                let links = index.links(file.node).iter();
                let meant = links.filter(|link| is_inside(link) && key(&link.target) == own);
                let meant: Vec<Link> = meant.cloned().collect();
                let is_named = namesakes.contains_key(&key_of_file);
                if (is_named || !meant.is_empty()) && one.admits(file) {
                    if is_named {
                        named.push((key_of_file, listed));
                    }
                    if !meant.is_empty() {
                        pointing.push((listed, meant));
                    }
                }
            }
        }
        for (key, listed) in named {
            if let Some(note) = self.note(searched, listed) {
                namesakes.entry(key).or_default().push(note);
            }
        }
        pointing
    }

    /// Returns a file as a note, if it is there and may be read.
    fn note(&self, searched: &[Searched], listed: Listed) -> Option<Note> {
        let one = &searched[listed.0];
        let inner = one.place_of(listed.1).ok()??;
        Some(Note { listed, path: self.path_in_view(&one.space.name, &inner)? })
    }

    /// Returns where a link of a note leads.
    fn follow_link(&self, from: &Note, link: &Link, names: &Namesakes) -> Result<Option<Path>> {
        use ErrorKind::{Denied, Invalid, NotADirectory, NotFound};
        if link.kind == LinkKind::Wiki {
            let namesakes = names.get(&key(&link.target)).into_iter().flatten();
            let meant = namesakes.filter(|note| ends_with(&note.path, &link.target));
            let nearest = meant.min_by_key(|note| {
                let is_elsewhere = note.path.parent() != from.path.parent();
                let is_apart = note.listed.0 != from.listed.0;
                (is_elsewhere, is_apart, note.path.names().count(), &note.path)
            });
            return Ok(nearest.map(|note| note.path.clone()));
        }
        let target = decoded(&link.target);
        for target in [target.clone(), format!("{target}.md")] {
            let Some(path) = relative(&from.path, &target) else { continue };
            match self.known(&path) {
                Ok(_) => return Ok(Some(path)),
                // Not there, hidden, behind a file, or behind links that go round in circles.
                Err(error)
                    if matches!(error.kind(), NotFound | Denied | NotADirectory | Invalid) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }
}

/// Files by their names, as [`key`] has them.
type Namesakes = FxHashMap<String, Vec<Note>>;

/// A file that may be read.
struct Note {
    listed: Listed,
    path: Path,
}

/// Tells whether a link leads to another file here.
fn is_inside(link: &Link) -> bool {
    !link.target.is_empty() && !link.is_address()
}

/// Returns the last name of a path or link as it is compared: without `.md`, in small letters.
fn key(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    let name = decoded(name).to_lowercase();
    name.strip_suffix(".md").map(str::to_owned).unwrap_or(name)
}

/// Tells whether the last names of a path are those of a link.
fn ends_with(path: &Path, target: &str) -> bool {
    let wanted: Vec<String> = target.split('/').filter(|name| !name.is_empty()).map(key).collect();
    let names: Vec<String> = path.names().rev().take(wanted.len()).map(key).collect();
    names.iter().rev().eq(&wanted)
}

/// Returns the path that a target means in the directory of a note.
fn relative(from: &Path, target: &str) -> Option<Path> {
    let mut at = if target.starts_with('/') { Path::root() } else { from.parent()? };
    for name in target.split('/') {
        at = match name {
            "" | "." => at,
            ".." => at.parent()?,
            name => at.join(name).ok()?,
        };
    }
    Some(at)
}

/// Reads `%20` as the letter it stands for; what stands for nothing stays.
fn decoded(target: &str) -> String {
    let mut bytes = Vec::with_capacity(target.len());
    let mut rest = target.as_bytes();
    while let Some((&first, behind)) = rest.split_first() {
        let digits = behind.get(..2).filter(|_| first == b'%');
        let code = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        let code = code.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(code.unwrap_or(first));
        rest = &behind[if code.is_some() { 2 } else { 0 }..];
    }
    String::from_utf8(bytes).unwrap_or_else(|_| target.to_owned())
}
