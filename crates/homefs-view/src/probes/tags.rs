//! `NAME:tags`: the tags of a node, one on each line.

use homefs_core::{Path, Result, Version};
use homefs_store::meta::SetMeta;

use super::{Arguments, On, Probe};
use crate::view::View;

pub(super) const PROBE: Probe = Probe {
    word: "tags",
    on: On::Node,
    arguments: &[],
    help: "its tags, one on each line; written tags take their place",
    read,
    write: Some(write),
};

fn read(view: &View, node: &Path, _: &Arguments) -> Result<String> {
    Ok(view.meta(node)?.tags.into_iter().map(|tag| tag + "\n").collect())
}

fn write(view: &View, node: &Path, text: &str) -> Result<Version> {
    view.set_meta(node, &SetMeta::one("tags", text))
}
