//! Names of the files whose last changes a damaged journal has lost.

use std::collections::BTreeMap;
use std::path::Path as HostPath;
use std::sync::Arc;

use homefs_core::{NodeId, SpaceName, Version};
use homefs_store::base::Base;
use homefs_store::chunks::Chunks;
use homefs_store::ground::Components;
use homefs_store::record::{Change, Record};

use crate::store::JOURNAL;
use crate::upkeep::Finding;

/// What lost records changed in one space.
#[derive(Default)]
struct Changed {
    /// The nodes, each with the first change that is lost.
    nodes: BTreeMap<NodeId, Version>,
    /// Names that they gave, each with its directory.
    names: BTreeMap<NodeId, (NodeId, Arc<str>)>,
}

/// Tells of every file that lost records changed; the spaces are mended already.
pub(crate) fn name(dir: &HostPath, lost: &[Vec<u8>], components: &Components) -> Vec<Finding> {
    let mut spaces: BTreeMap<SpaceName, Changed> = BTreeMap::new();
    let mut unreadable = 0;
    for payload in lost {
        match Record::decode(payload) {
            Ok(record) => spaces.entry(record.space.clone()).or_default().note(record),
            Err(_) => unreadable += 1,
        }
    }
    let mut findings = Vec::new();
    for (space, changed) in spaces {
        let dir = dir.join("spaces").join(space.to_string());
        let chunks = Arc::new(Chunks::new(dir.join("chunks"), components.disk.clone()));
        // A space that cannot be opened is told of by itself.
        let base = Base::open(&dir, chunks, components.clock.now()).ok();
        for (node, version) in &changed.nodes {
            let place = format!("{space}: {}", changed.path(*node, base.as_ref()));
            let problem = format!("its changes from version {version} on are lost");
            findings.push(Finding { place, problem, mended: None });
        }
    }
    if unreadable > 0 {
        let problem = format!("changes that cannot be read are lost: {unreadable}");
        findings.push(Finding { place: JOURNAL.into(), problem, mended: None });
    }
    findings
}

impl Changed {
    fn note(&mut self, record: Record) {
        let version = record.version;
        for change in record.changes {
            let node = match change {
                Change::Entry { parent, name, node } => {
                    self.names.extend(node.map(|node| (node, (parent, name))));
                    parent
                }
                Change::Node { node, .. }
                | Change::Make { node, .. }
                | Change::Content { node, .. }
                | Change::Pulled { node, .. }
                | Change::Patch { node, .. }
                | Change::Zero { node, .. }
                | Change::Purge { node }
                | Change::Remove { node, .. }
                | Change::Succeed { node, .. } => node,
                Change::Erase { .. }
                | Change::Hide { .. }
                | Change::Grant { .. }
                | Change::Quota { .. } => continue,
            };
            self.nodes.entry(node).or_insert(version);
        }
    }

    /// Returns the path of a node, by names in the base and those that are lost with it.
    fn path(&self, node: NodeId, base: Option<&Base>) -> String {
        let (mut at, mut below) = (node, String::new());
        for _ in 0..=self.names.len() {
            if let Some(path) = base.and_then(|base| base.path_of(at).ok().flatten()) {
                let path = format!("{}{below}", path.trim_end_matches('/'));
                return if path.is_empty() { "/".into() } else { path };
            }
            let Some((above, name)) = self.names.get(&at) else { break };
            below = format!("/{name}{below}");
            at = *above;
        }
        format!("node {node}{below}")
    }
}
