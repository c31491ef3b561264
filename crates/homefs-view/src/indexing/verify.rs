//! Comparing an index with what it is made from.

use std::sync::Arc;

use homefs_core::{Embedder, Error, ErrorKind, NodeId, Result, SpaceName};
use homefs_search::embed::BuiltIn;
use homefs_search::index::{Body, Doc, Index};
use homefs_search::rank::{self, Kind, Question, Scope};
use homefs_search::text::Need;
use homefs_store::index_file;
use homefs_store::space::Space;
use rustc_hash::FxHashSet;

use super::file::IndexFile;
use super::ignored::Rules;
use super::of_space::names_in;
use super::seen::{NodeSnapshot, see};
use super::{Indexing, SpaceIndex};

/// Words of the space that are looked for in both indexes.
const WORDS: usize = 200;
/// Hits that are compared for each.
const HITS: usize = 1000;
/// The shortest and longest word that is looked for, in bytes.
const WORD_BYTES: (usize, usize) = (4, 32);
/// How often a space is looked at that changes meanwhile.
const TRIES: usize = 5;

/// What is wrong: where, what, and what is done about it.
pub(crate) type Wrong = Vec<(String, String, Option<&'static str>)>;

impl Indexing {
    /// Checks the index of a space, if there is one. Nothing is changed by it: an index that is
    /// wrong may be deleted, and is made again.
    pub(crate) fn verify(&self, name: &SpaceName) -> Wrong {
        let mut wrong = Wrong::new();
        if let Err(error) = self.verify_into(name, &mut wrong) {
            wrong.push(("index".into(), error.to_string(), None));
        }
        wrong
    }

    fn verify_into(&self, name: &SpaceName, wrong: &mut Wrong) -> Result<()> {
        let spaces = &self.spaces;
        let is_open =
            |space: &Arc<Space>| space.name == *name && SpaceIndex::opened(space).is_some();
        if !spaces.open_now().iter().any(is_open) {
            let path = spaces.dir_of(name).join(index_file::NAME);
            let exists = spaces.ground().disk.exists(&path);
            if !exists.map_err(|cause| Error::io("look for the index", cause))? {
                return Ok(());
            }
            if let Some(damage) = damage(&*spaces.get(name)?)? {
                wrong.push(("index".into(), damage, Some("it is made again from the space")));
            }
        }
        let space = spaces.get(name)?;
        let index = self.current(&space)?;
        wrong.extend(self.compare(&space, &index)?);
        Ok(())
    }

    /// Compares an index with one made anew, at a moment at which the space stands still.
    fn compare(&self, space: &Space, index: &SpaceIndex) -> Result<Wrong> {
        for _ in 0..TRIES {
            let version = space.tree.read().version();
            // Which file goes on as which is what the fold knows.
            self.fold.catch_up(&space.name)?;
            index.catch_up(space)?;
            let (fresh, words) = make(space)?;
            let wrong = differences(space, &index.index.read(), &fresh, &words);
            if wrong.is_empty() || version == space.tree.read().version() {
                return Ok(wrong);
            }
        }
        let message = "the space changes too fast to be compared with its index";
        Err(Error::new(ErrorKind::Unavailable, message))
    }
}

/// Tells what cannot be read of the file of an index that nobody has open.
fn damage(space: &Space) -> Result<Option<String>> {
    let disk = space.ground.disk.clone();
    let content = disk.read(&space.dir.join(index_file::NAME));
    let content = content.map_err(|cause| Error::io("read the index", cause))?;
    let mut index = empty()?;
    let (file, taken) = IndexFile::open(disk, &space.dir, |frame| index.apply(frame))?;
    let unread = (content.len() as u64).saturating_sub(file.len());
    Ok(match taken {
        Err(error) => Some(error.to_string()),
        Ok(()) if unread > 0 => Some(format!("the last {unread} bytes of its file say nothing")),
        Ok(()) => None,
    })
}

/// Returns an empty index. Whose vectors its docs get is not compared: they come later.
fn empty() -> Result<Index> {
    Index::new(BuiltIn::Static.name(), BuiltIn::Static.dimensions()?)
}

/// Makes an index of a space anew, and picks some words of what it says.
fn make(space: &Space) -> Result<(Index, Vec<String>)> {
    let mut fresh = empty()?;
    let (mut words, mut known) = (FxHashSet::default(), FxHashSet::default());
    let mut rules = Rules::of(&fresh);
    let mut left = vec![NodeId::ROOT];
    while let Some(node) = left.pop() {
        // A file may have several names.
        if !known.insert(node) {
            continue;
        }
        match see(space, node)? {
            NodeSnapshot::Gone => {}
            NodeSnapshot::Directory(_) => left.extend(names_in(space, node)?),
            NodeSnapshot::File(mut seen) => {
                seen.file.lineage = space.base.lineage(node)?.0;
                if let Body::Text(text) | Body::Beginning(text) = seen.read.body()
                    && words.len() < WORDS
                {
                    words.extend(a_word(text));
                }
                // Those that were taken before the rules for them.
                for other in rules.take(&fresh, &mut seen) {
                    known.remove(&other);
                    left.push(other);
                }
                fresh.put(*seen.file, seen.read.body());
            }
        }
    }
    Ok((fresh, words.into_iter().collect()))
}

/// Returns the first plain word of a text that is neither short nor long.
fn a_word(text: &[u8]) -> Option<String> {
    let (shortest, longest) = WORD_BYTES;
    let words = text.split(|byte| !byte.is_ascii_alphanumeric());
    let word = words.take(100).find(|word| (shortest..=longest).contains(&word.len()))?;
    Some(String::from_utf8_lossy(word).into_owned())
}

fn differences(space: &Space, index: &Index, fresh: &Index, words: &[String]) -> Wrong {
    let mut wrong = Wrong::new();
    let mut found = |path: &str, what: &str| wrong.push((path.to_owned(), what.to_owned(), None));
    for file in fresh.files() {
        match index.file(file.node) {
            None => found(&file.path, "is not in the index"),
            Some(known) if known != file => found(&file.path, "has other facts in the index"),
            Some(_) if !same_docs(space, index, fresh, file.node) => {
                found(&file.path, "says something else in the index");
            }
            Some(_) => {}
        }
    }
    for file in index.files().filter(|file| fresh.file(file.node).is_none()) {
        // What has expired stays in the index until it is swept, and is never shown.
        if !space.tree.read().is_expired(NodeId(file.node)) {
            found(&file.path, "is in the index but not in the space");
        }
    }
    if !wrong.is_empty() {
        return wrong;
    }
    for word in words {
        let need = Need::of_literal(word, false);
        if index.candidates(&need) != fresh.candidates(&need) {
            wrong.push((
                "index".into(),
                format!("grep is told of other files with {word:?}"),
                None,
            ));
        }
        if hits(index, word) != hits(fresh, word) {
            wrong.push(("index".into(), format!("other docs are found by {word:?}"), None));
        }
    }
    wrong
}

/// Tells whether both know the same docs and links of a file.
fn same_docs(space: &Space, index: &Index, fresh: &Index, node: u128) -> bool {
    let docs = |index: &Index| -> Vec<_> {
        let docs = index.docs_of(node).filter_map(|doc| index.doc(doc));
        docs.map(|Doc { bytes, lines, title, digest, .. }| (bytes, lines, title.to_owned(), digest))
            .collect()
    };
    let known = docs(index);
    // What only the remote had may have come here since, without a word to the index.
    let was_absent = space.chunks.lender().is_some() && known.iter().all(|doc| doc.0.is_empty());
    was_absent || (known == docs(fresh) && index.links(node) == fresh.links(node))
}

/// Returns the docs with a word, by file and place.
fn hits(index: &Index, word: &str) -> Vec<(u128, u32)> {
    let question = Question { text: word, kind: Kind::Text, plain: true, ..Question::default() };
    let hits = rank::search(&[Scope::whole(index)], &question, HITS);
    let place = |hit: rank::Hit| index.doc(hit.doc).map(|doc| (doc.file.node, doc.bytes.start));
    let mut places: Vec<_> = hits.into_iter().filter_map(place).collect();
    places.sort_unstable();
    places
}
