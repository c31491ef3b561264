//! A whole tree as text, to be compared.

use std::collections::BTreeMap;
use std::path::Path;

use rustix::fs::{FileType, Mode, OFlags};

use super::step::{ATTRIBUTES, Step};
use super::world::{Outcome, World};

/// More than any file has.
const BYTES_MAX: usize = 16 << 20;

/// Describes every node below a directory: attributes, names, links and content.
pub(super) fn describe(root: &Path) -> BTreeMap<String, String> {
    let mut world = World::new(root);
    let mut found = BTreeMap::new();
    let mut pending = vec![String::from(".")];
    while let Some(path) = pending.pop() {
        let mut text = Vec::new();
        for step in questions(&path) {
            let outcome = world.perform(&step);
            let is_dir = |node: &super::world::Node| node.kind == FileType::Directory;
            if matches!(&outcome, Ok(Outcome::Node(node)) if is_dir(node)) {
                let entries = std::fs::read_dir(root.join(&path)).expect("it is a directory");
                let names = entries.map(|entry| entry.expect("it is listed").file_name());
                pending.extend(names.map(|name| format!("{path}/{}", name.display())));
            }
            text.push(format!("{outcome:?}"));
        }
        found.insert(path, text.join("\n"));
    }
    found
}

/// Returns the steps that show a node.
fn questions(path: &str) -> Vec<Step> {
    let path = || path.to_owned();
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW;
    let mut steps = vec![
        Step::Stat { path: path() },
        Step::List { path: path() },
        Step::ReadLink { path: path() },
        Step::ListAttributes { path: path() },
        Step::Close { slot: 0 },
        Step::Open { slot: 0, path: path(), flags, mode: Mode::empty() },
        Step::ReadAt { slot: 0, offset: 0, len: BYTES_MAX },
    ];
    steps.extend(
        ATTRIBUTES.iter().map(|name| Step::GetAttribute { path: path(), name: (*name).to_owned() }),
    );
    steps
}
