//! What is known of a space besides its base: what its remote had when both last agreed.

use std::collections::BTreeMap;

use homefs_core::{AgentId, Digest, NodeId, Version};

use crate::model::Attrs;
use crate::record::Content;

/// A living node as it is known elsewhere.
pub(crate) struct Twin {
    /// Everything but its content and its names; who owns it is not known there.
    pub(crate) attrs: Attrs,
    /// Who made its last change.
    pub(crate) agent: AgentId,
    /// Its names, each with its directory.
    pub(crate) names: Vec<(NodeId, Box<str>)>,
    /// What it holds.
    pub(crate) content: Content,
    /// The first node of the file that people know.
    pub(crate) lineage: NodeId,
}

/// What is known elsewhere of a space.
pub(crate) struct Elsewhere {
    /// The space's version up to which this is all.
    pub(crate) version: Version,
    /// The living nodes.
    pub(crate) nodes: BTreeMap<NodeId, Twin>,
    /// Tells whether a content can be fetched.
    pub(crate) has: Box<dyn Fn(Digest) -> bool>,
}

impl Elsewhere {
    /// Knows nothing, as for a space without a remote.
    pub(crate) fn nothing() -> Self {
        Self { version: Version(0), nodes: BTreeMap::new(), has: Box::new(|_| false) }
    }
}
