//! `FILE:diff`: what changed between two versions of a file.

use homefs_core::time::{Moment, moment};
use homefs_core::{Path, Result, Version};

use super::{Arguments, On, Probe, invalid};
use crate::view::View;

pub(super) const PROBE: Probe = Probe {
    word: "diff",
    on: On::File,
    arguments: &["from", "to"],
    help: "what the last change changed, or what changed between two versions or times",
    read,
    write: None,
};

fn read(view: &View, file: &Path, arguments: &Arguments) -> Result<String> {
    let here = view.here();
    let at = |key| arguments.get(key).map(|text| moment(text, &here)).transpose();
    let to = at("to")?.unwrap_or(Moment::Now);
    let from = at("from")?.map_or_else(|| made_from(view, file, to), Ok)?;
    view.diff(file, from, to)
}

/// Finds what the content of a moment was made from: the version before it.
fn made_from(view: &View, file: &Path, to: Moment) -> Result<Moment> {
    let before = match to {
        Moment::Now => None,
        Moment::Version(version) => Some(Version(version.0.saturating_add(1))),
        Moment::Time(_) => return Err(invalid("from what? say `from=` too".into())),
    };
    // The newest is `to` itself; a first version was made from nothing and differs from nothing.
    let editions = view.log(file, before, 2)?;
    Ok(editions.last().map_or(to, |edition| Moment::Version(edition.version)))
}
