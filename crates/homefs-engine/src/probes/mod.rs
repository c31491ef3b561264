//! Probes: virtual nodes that answer when they are read.
//!
//! `:recent` in a directory, `notes.md:tags` beside a node. The table below is all there is: to
//! add a probe, write one file with its [`Probe`] and add a line. A probe works through the
//! methods of a [`View`] alone, so it cannot show what the agent may not see.

mod all_tags;
mod conflicts;
mod diff;
mod help;
mod history;
mod meta;
mod name;
mod recent;
mod stats;
mod table;
mod tags;
#[cfg(test)]
mod tests;
mod ttl;

use homefs_core::limits::PAGE_ENTRIES_MAX;
use homefs_core::{Error, ErrorKind, Path, Result, Version};

use crate::model::{Found, Kind};
use crate::view::View;

pub(crate) use name::{Arguments, Name};

/// Every probe, in the order in which `:help` shows them.
pub(crate) const PROBES: &[Probe] = &[
    help::PROBE,
    recent::PROBE,
    stats::PROBE,
    all_tags::PROBE,
    conflicts::PROBE,
    meta::PROBE,
    tags::PROBE,
    ttl::PROBE,
    history::PROBE,
    diff::PROBE,
];

/// Most nodes that one answer looks at.
const SEEN_MAX: usize = 200_000;

/// One kind of virtual node.
pub(crate) struct Probe {
    /// What stands after the colon.
    pub(crate) word: &'static str,
    /// Where it stands.
    pub(crate) on: On,
    /// The arguments that it takes; `query` is what is asked for.
    pub(crate) arguments: &'static [&'static str],
    /// What it answers, in one line.
    pub(crate) help: &'static str,
    /// Answers: for a node, or for a directory and everything below it.
    pub(crate) read: fn(&View, &Path, &Arguments) -> Result<String>,
    /// Takes what is written, if anything can be.
    pub(crate) write: Option<Write>,
}

/// Takes what is written to a probe of a node.
type Write = fn(&View, &Path, &str) -> Result<Version>;

/// Where a probe stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum On {
    /// Alone in a directory.
    Directory,
    /// After the name of any node.
    Node,
    /// After the name of a file.
    File,
}

impl On {
    /// Tells whether the probe can stand at a node of a kind; a link is what it leads to.
    pub(crate) fn fits(self, kind: Kind) -> bool {
        match self {
            Self::Directory => matches!(kind, Kind::Directory | Kind::Link),
            Self::Node => true,
            Self::File => matches!(kind, Kind::File | Kind::Link),
        }
    }
}

/// Looks at everything below a directory that the agent may see, up to a bound; tells whether the
/// bound was reached.
fn each(view: &View, directory: &Path, mut see: impl FnMut(&Found)) -> Result<bool> {
    let mut after = None;
    let mut seen = 0;
    loop {
        let page = view.walk(directory, after.as_deref(), PAGE_ENTRIES_MAX)?;
        seen += page.items.len();
        page.items.iter().for_each(&mut see);
        match page.next {
            None => return Ok(false),
            Some(_) if seen >= SEEN_MAX => return Ok(true),
            next => after = next,
        }
    }
}

/// What is said under an answer that did not look at everything.
fn note(cut: bool) -> String {
    if cut { format!("Only the first {SEEN_MAX} nodes were looked at.") } else { String::new() }
}

/// Turns what has no answer into none: it was removed meanwhile, is only on the way to what may be
/// read, or is a directory that only shows spaces.
fn if_there<T>(answer: Result<T>) -> Result<Option<T>> {
    use ErrorKind::{Denied, IsADirectory, NotFound};
    match answer {
        Err(error) if matches!(error.kind(), NotFound | Denied | IsADirectory) => Ok(None),
        answer => answer.map(Some),
    }
}

fn invalid(message: String) -> Error {
    Error::new(ErrorKind::Invalid, message)
}
