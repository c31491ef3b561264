//! Probes: virtual nodes that answer when they are read.
//!
//! `:recent` in a directory, `notes.md:tags` beside a node. The table below is all there is: to
//! add a probe, write one file with its [`Probe`] and add a line. A probe works through the
//! methods of a [`View`] alone, so it cannot show what the agent may not see.

mod all_tags;
mod conflicts;
mod context;
mod diff;
mod help;
mod history;
mod links;
mod meta;
mod name;
mod recall;
mod recent;
mod related;
mod search;
mod stale;
mod stats;
mod table;
mod tags;
#[cfg(test)]
mod tests;
mod timeline;
mod ttl;

use std::str::FromStr;

use homefs_core::limits::PAGE_ENTRIES_MAX;
use homefs_core::{Error, ErrorKind, Path, Result, Version};
use homefs_store::model::{Found, Kind};

use crate::pages;
use crate::view::View;

pub(crate) use name::{Arguments, Name};

/// Every probe, in the order in which `:help` shows them.
pub(crate) const PROBES: &[Probe] = &[
    help::PROBE,
    recall::PROBE,
    search::PROBE,
    context::PROBE,
    timeline::PROBE,
    stale::PROBE,
    recent::PROBE,
    stats::PROBE,
    all_tags::PROBE,
    conflicts::PROBE,
    meta::PROBE,
    tags::PROBE,
    ttl::PROBE,
    history::PROBE,
    diff::PROBE,
    related::PROBE,
    links::PROBE,
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

/// Says that a name is not made which is nearly that of a probe.
pub(crate) fn mistyped(probe: &Probe, node: &str) -> Error {
    invalid(format!("is no probe, did you mean {node}:{}?", probe.word))
}

/// Looks at everything below a directory that the agent may see, up to a bound; tells whether the
/// bound was reached.
fn each(view: &View, directory: &Path, mut see: impl FnMut(&Found)) -> Result<bool> {
    let mut seen = 0;
    let walked = pages::each(
        |after| view.walk(directory, after, PAGE_ENTRIES_MAX),
        |found| {
            // None is no error: it is enough.
            if seen == SEEN_MAX {
                return Err(None);
            }
            seen += 1;
            see(&found);
            Ok(())
        },
    );
    match walked {
        Ok(()) => Ok(false),
        Err(None) => Ok(true),
        Err(Some(error)) => Err(error),
    }
}

/// What is said under an answer that did not look at everything.
fn note(cut: bool) -> String {
    if cut { format!("Only the first {SEEN_MAX} nodes were looked at.") } else { String::new() }
}

/// Returns what is asked for.
fn question(arguments: &Arguments) -> Result<&str> {
    let asked = arguments.get("query").filter(|query| !query.trim().is_empty());
    asked.ok_or_else(|| invalid("what is asked for? say `q=` and some words".into()))
}

/// Returns the number that an argument says.
fn number<N: FromStr>(arguments: &Arguments, key: &str, usual: N) -> Result<N> {
    let Some(text) = arguments.get(key) else { return Ok(usual) };
    text.parse().map_err(|_| invalid(format!("{key} is a number, not {text:?}")))
}

/// Reads an argument that is 0 or 1.
fn flag(arguments: &Arguments, key: &str) -> Result<bool> {
    match arguments.get(key) {
        None | Some("0") => Ok(false),
        Some("1") => Ok(true),
        Some(other) => Err(invalid(format!("{key} is 0 or 1, not {other:?}"))),
    }
}

fn invalid(message: String) -> Error {
    Error::new(ErrorKind::Invalid, message)
}
