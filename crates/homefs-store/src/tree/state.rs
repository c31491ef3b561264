//! What the overlay tells of its state, and what it is told of who follows it.

use homefs_core::{ClientId, NodeId, Timestamp, Version};

use super::{Node, Recent, Sources, Tree, Unindexed};
use crate::model::{Grant, Quota, Usage};
use crate::put_away::PutAway;

impl Tree {
    /// Returns a node that is in memory and has a name.
    pub fn named(&self, node: NodeId) -> Option<&Node> {
        self.nodes.get(&node).map(|known| &**known)
    }

    /// Tells whether a node has no name any more but faces that hold it.
    pub fn is_orphan(&self, node: NodeId) -> bool {
        self.orphans.contains_key(&node)
    }

    /// Returns the last change.
    pub fn version(&self) -> Version {
        self.version
    }

    /// Returns what lives in the space.
    pub fn usage(&self) -> Usage {
        self.usage
    }

    /// Returns how much may live in it.
    pub fn quota(&self) -> Quota {
        self.quota
    }

    /// Returns who else may see it.
    pub fn grants(&self) -> &[Grant] {
        &self.grants
    }

    /// Tells whether the content of a file is not settled.
    pub fn is_staged(&self, node: NodeId) -> bool {
        self.staged.contains(&node)
    }

    /// Returns the files whose contents are not settled.
    pub fn staged(&self) -> impl ExactSizeIterator<Item = NodeId> {
        self.staged.iter().copied()
    }

    /// Returns how much memory unsettled contents hold.
    pub fn staging_bytes(&self) -> u64 {
        self.staging_bytes
    }

    /// Returns the size of a chunk.
    pub fn chunk_bytes(&self) -> u64 {
        self.chunk_bytes
    }

    /// Returns the changes after a version, the oldest first, unless they are forgotten.
    pub fn changes_after(&self, version: Version) -> Option<impl Iterator<Item = &Recent>> {
        let from = self.recent.partition_point(|recent| recent.version <= version);
        (version >= self.recent_after).then(|| self.recent.range(from..))
    }

    /// Forgets what changed: who asks for it asks the base.
    pub(crate) fn forget_changes(&mut self) {
        self.recent.clear();
        self.recent_after = self.version;
    }

    /// Keeps the last request of a client as the base has it, unless a later one is known.
    pub(crate) fn keep_client(&mut self, client: ClientId, last: (u64, Version)) {
        self.clients.entry(client).or_insert(last);
    }

    /// Forgets the last requests that were answered up to a version, if there are more than `most`.
    pub(crate) fn forget_clients(&mut self, most: usize, answered: Version) {
        if self.clients.len() > most {
            self.clients.retain(|_, (_, version)| *version > answered);
        }
    }

    /// Returns the files that expire, in the order in which they do, from a moment on.
    pub fn expiring(&self, from: Timestamp) -> impl Iterator<Item = (Timestamp, NodeId)> + '_ {
        self.expiring.range((from, NodeId(0))..).copied()
    }

    /// Returns the files that were renamed to backups a moment ago.
    pub fn put_away(&self) -> &PutAway {
        &self.put_away
    }

    /// Returns what attached sources have below directories of the space.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// As [`Self::sources`], to note what they said of themselves.
    pub(crate) fn sources_mut(&mut self) -> &mut Sources {
        &mut self.sources
    }

    /// Notes from now on what changes, for an index; or no longer.
    pub fn set_indexed(&mut self, is_indexed: bool) {
        self.unindexed = is_indexed.then(Unindexed::default);
    }

    /// Returns what the index has not looked at, while there is one.
    pub fn unindexed(&self) -> Option<&Unindexed> {
        self.unindexed.as_ref()
    }

    /// As [`Self::unindexed`], to take some of it.
    pub fn unindexed_mut(&mut self) -> Option<&mut Unindexed> {
        self.unindexed.as_mut()
    }

    /// Lets the index, if there is one, look at nodes again.
    pub fn note_unindexed(&mut self, nodes: impl IntoIterator<Item = NodeId>) {
        if let Some(unindexed) = &mut self.unindexed {
            unindexed.nodes.extend(nodes);
        }
    }

    /// As [`Self::note_unindexed`], of nodes whose lineage may have changed.
    pub fn note_lineages(&mut self, nodes: impl IntoIterator<Item = NodeId>) {
        if let Some(unindexed) = &mut self.unindexed {
            for node in nodes {
                unindexed.nodes.insert(node);
                unindexed.lineages.insert(node);
            }
        }
    }
}
