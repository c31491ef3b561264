//! What is known of a space besides its base: what its remote had when both last agreed.

use std::collections::BTreeMap;

use homefs_core::{AgentId, Digest, NodeId, Version};

use crate::model::Attrs;
use crate::record::Content;

/// A living node as it is known elsewhere.
pub struct Twin {
    /// Everything but its content and its names; who owns it is not known there.
    pub attrs: Attrs,
    /// Who made its last change.
    pub agent: AgentId,
    /// Its names, each with its directory.
    pub names: Vec<(NodeId, Box<str>)>,
    /// What it holds.
    pub content: Content,
    /// The first node of the file that people know.
    pub lineage: NodeId,
}

/// What is known elsewhere of a space.
pub struct Elsewhere {
    /// The space's version up to which this is all.
    pub version: Version,
    /// The living nodes.
    pub nodes: BTreeMap<NodeId, Twin>,
    /// Tells whether a content can be fetched.
    pub has: Box<dyn Fn(Digest) -> bool>,
}

impl Elsewhere {
    /// Knows nothing, as for a space without a remote.
    pub fn nothing() -> Self {
        Self { version: Version(0), nodes: BTreeMap::new(), has: Box::new(|_| false) }
    }
}
