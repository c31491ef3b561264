//! `NAME:meta`: what is noted about a node, as lines `key: value`.

use homefs_core::{Path, Result, Version};
use homefs_store::meta::SetMeta;

use super::{Arguments, On, Probe, invalid};
use crate::view::View;

pub(super) const PROBE: Probe = Probe {
    word: "meta",
    on: On::Node,
    arguments: &[],
    help: "its metadata as lines `key: value`; a written line sets its key, an empty value unsets",
    read,
    write: Some(write),
};

fn read(view: &View, node: &Path, _: &Arguments) -> Result<String> {
    let metadata = view.meta(node)?;
    let line = |(key, value): (&str, String)| match &*value {
        "" => format!("{key}:\n"),
        value => format!("{key}: {value}\n"),
    };
    Ok(metadata.lines().into_iter().map(line).collect())
}

fn write(view: &View, node: &Path, text: &str) -> Result<Version> {
    let mut set = SetMeta::default();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let (key, value) = line
            .split_once(':')
            .ok_or_else(|| invalid(format!("{line:?} is not of the form `key: value`")))?;
        set.values.insert(key.trim().to_owned(), Some(value.trim().to_owned()));
    }
    view.set_meta(node, &set)
}
