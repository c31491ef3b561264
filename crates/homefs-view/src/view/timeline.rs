//! Files in the order in which they were written.

use std::cmp::Reverse;

use homefs_core::{NodeId, Path, Result, Timestamp};
use homefs_search::index::File;
use homefs_search::rank::Names as _;
use homefs_store::reads::{Minutes, moment};

use super::View;
use super::scopes::{Searched, Which};
use crate::memory::{Noted, TimelineOptions};

/// What is read of a file that has neither title nor heading, to call it by its first words.
const FIRST_BYTES: u32 = 256;
/// The length of a title made of first words, in bytes, about.
const TITLE_BYTES: usize = 80;

/// A file of one of the searched spaces.
pub(super) type Listed = (usize, NodeId);

impl View {
    /// Lists files by the time they were last written, newest first.
    pub fn timeline(&self, options: &TimelineOptions) -> Result<Vec<Noted>> {
        let searched = self.asked(&[], &options.below, Which::Memories)?;
        let is_meant = |file: &File| {
            options.after.is_none_or(|after| file.modified >= after.0)
                && options.before.is_none_or(|before| file.modified < before.0)
        };
        let mut found: Vec<((Reverse<i64>, usize), Listed)> = Vec::new();
        for (scope, one) in searched.iter().enumerate() {
            let index = one.index();
            let meant = index.files().filter(|file| is_meant(file));
            found.extend(
                meant.map(|file| ((Reverse(file.modified), scope), (scope, NodeId(file.node)))),
            );
        }
        found.sort_unstable();
        let reads: Vec<Minutes> = searched.iter().map(|one| one.space.last_reads()).collect();
        self.noted(&searched, &reads, in_order(&searched, &found), options.limit)
    }

    /// Tells of the first files of a list that may be read.
    pub(super) fn noted(
        &self,
        searched: &[Searched],
        reads: &[Minutes],
        list: impl Iterator<Item = Listed>,
        limit: usize,
    ) -> Result<Vec<Noted>> {
        let mut noted = Vec::new();
        for (scope, node) in list {
            if noted.len() >= limit {
                break;
            }
            let (one, read) = (&searched[scope], reads[scope].get(&node));
            let Some(file) = one.index().file(node.0).cloned() else { continue };
            if let Some(inner) = one.place_of(node)?
                && let Some(path) = self.path_in_view(&one.space.name, &inner)
            {
                noted.push(Noted {
                    title: title(one, &file, &path),
                    path,
                    node,
                    modified: Timestamp(file.modified),
                    importance: file.importance,
                    tags: file.tags.into_iter().map(Into::into).collect(),
                    read: read.map(|minute| moment(*minute)),
                });
            }
        }
        Ok(noted)
    }
}

/// Returns the files of a sorted list that are admitted; those of one key by their paths.
///
/// No file is asked for its path before the list comes to it: that takes long, and most are never
/// shown.
pub(super) fn in_order<'a, K: PartialEq>(
    searched: &'a [Searched],
    sorted: &'a [(K, Listed)],
) -> impl Iterator<Item = Listed> + 'a {
    let groups = sorted.chunk_by(|one, other| one.0 == other.0);
    groups.flat_map(|group| {
        let by_path = |found: &(K, Listed)| {
            let (scope, node) = found.1;
            let one = &searched[scope];
            let index = one.index();
            let file = index.file(node.0).filter(|file| one.admits(file))?;
            Some((one.path_of(file).into_owned(), (scope, node)))
        };
        let mut listed: Vec<_> = group.iter().filter_map(by_path).collect();
        listed.sort_unstable();
        listed.into_iter().map(|(_, listed)| listed)
    })
}

/// Returns what a file is called: its title, its first heading, its first words, or its name.
fn title(one: &Searched, file: &File, path: &Path) -> String {
    if !file.title.is_empty() {
        return file.title.as_ref().into();
    }
    let first = {
        let index = one.index();
        let first = index.docs_of(file.node).next().and_then(|doc| index.doc(doc));
        first.map(|doc| (doc.title.to_owned(), doc.bytes))
    };
    let (heading, bytes) = first.unwrap_or_default();
    if !heading.is_empty() {
        return heading;
    }
    let end = bytes.end.min(bytes.start.saturating_add(FIRST_BYTES));
    // What cannot be read now, as without the network, has at least a name.
    let text = one.read(NodeId(file.node), bytes.start..end).unwrap_or_default();
    let words = first_words(&text);
    if words.is_empty() { path.name().unwrap_or_default().to_owned() } else { words }
}

/// Returns the beginning of the first line that says something.
fn first_words(text: &str) -> String {
    let marks = |letter: char| letter.is_whitespace() || "#>*-".contains(letter);
    let said = text.lines().map(|line| line.trim_matches(marks)).find(|line| !line.is_empty());
    let line = said.unwrap_or_default();
    if line.len() <= TITLE_BYTES {
        return line.trim_end_matches(char::REPLACEMENT_CHARACTER).to_owned();
    }
    let cut = &line[..line.floor_char_boundary(TITLE_BYTES)];
    let whole = cut.rfind(char::is_whitespace).map_or(cut, |end| &cut[..end]);
    format!("{}…", whole.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_called_by_its_first_words() {
        let long = "word ".repeat(40);
        let cut = format!("{}word…", "word ".repeat(15));
        for (text, expected) in [
            ("\n\n- **one** thing\ntwo", "one** thing"),
            ("---\n> quoted", "quoted"),
            ("  \n", ""),
            ("", ""),
            (&*long, &*cut),
            (&*"é".repeat(90), &*format!("{}…", "é".repeat(40))),
        ] {
            assert_eq!(first_words(text), expected, "{text:?}");
        }
    }
}
