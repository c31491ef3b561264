//! Which files a search has to read: the seam for an index.

use std::sync::Arc;

use homefs_core::Path;

use crate::home::Home;

/// What a search looks for: text that any matching file must contain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinePattern {
    /// The pattern as a regular expression of crate `regex`, matched line by line.
    pub pattern: String,
    /// Letters match in either case.
    pub ignore_case: bool,
}

/// Says which files can contain a match.
pub trait Candidates: Send + Sync {
    /// Returns every file below `directory` that can contain a match, or more; `None` means that
    /// all of them have to be read. A file that is left out is never read, so it must be one in
    /// which no line matches as it is now. The order does not matter.
    fn below(&self, directory: &Path, wanted: &LinePattern) -> Option<Vec<Path>>;
}

/// Leaves out what the indexes of a home know to hold no match.
pub(crate) struct Indexed(pub(crate) Arc<dyn Home>);

impl Candidates for Indexed {
    fn below(&self, directory: &Path, wanted: &LinePattern) -> Option<Vec<Path>> {
        // Whatever is wrong with an index, the files themselves have the answer.
        self.0.candidates(directory, &wanted.pattern, wanted.ignore_case).ok().flatten()
    }
}

/// Leaves out nothing.
#[derive(Clone, Copy, Debug)]
pub struct AllFiles;

impl Candidates for AllFiles {
    fn below(&self, _: &Path, _: &LinePattern) -> Option<Vec<Path>> {
        None
    }
}
