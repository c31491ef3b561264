//! The end of files whose time is over.
//!
//! An expired file is no longer there: the tree hides it at every lookup. Sweeping then sends it
//! to the trash by ordinary records, so that every follower and other machine learns of it. The
//! fold sweeps when the next file expires and when a space is opened; a change that needs the name
//! of an expired file does not wait for that. The records are in the name of [`AgentId::KEEPER`]: nobody
//! asked for that change at that moment, and who wrote the file last did not remove it.

use std::time::Duration;

use homefs_core::{AgentId, NodeId, Result, Timestamp};

use crate::draft::Draft;
use crate::guard::Permit;
use crate::observers::Audience;
use crate::space::{Author, Space};
use crate::tree::{Answer, Halt, Tree};

/// Most files that one record removes.
const BATCH: usize = 256;

impl Space {
    /// Returns when the next file expires; `None` if none does, or if it could not be removed.
    pub fn next_expiry(&self) -> Option<Timestamp> {
        let first =
            self.tree.read().expiring(Timestamp(i64::MIN)).next().map(|(expires, _)| expires);
        first.filter(|_| self.failed.get().is_none())
    }

    /// Returns when the next file expires after a moment.
    pub(crate) fn next_expiry_after(&self, moment: Timestamp) -> Option<Timestamp> {
        let after = moment.after(Duration::from_nanos(1));
        let next = self.tree.read().expiring(after).next().map(|(expires, _)| expires);
        next.filter(|_| self.failed.get().is_none())
    }

    /// Sends everything that has expired for certain to the trash. What has expired only by a
    /// clock that is doubted stays, hidden, and is there again should the clock be wrong.
    pub fn sweep(&self) -> Result<()> {
        loop {
            let now = self.ground.clock.now();
            if self.next_expiry().is_none_or(|first| first > now) {
                return Ok(());
            }
            let passed = self.base.passed(now)?.min(now);
            let due: Vec<NodeId> = {
                let tree = self.tree.read();
                let all = tree.expiring(Timestamp(i64::MIN));
                let expired = all.take_while(|(expires, _)| *expires <= passed);
                expired.map(|(_, node)| node).take(BATCH).collect()
            };
            if due.is_empty() {
                return Ok(());
            }
            self.expire_all(&due).or_error(&self.name)?;
        }
    }

    /// Sends one expired file to the trash.
    pub fn expire(&self, node: NodeId) -> Result<(), Halt> {
        self.expire_all(&[node])
    }

    fn expire_all(&self, due: &[NodeId]) -> Result<(), Halt> {
        for node in due {
            self.load_names(*node)?;
        }
        // Later: the fold must not wait for a mount, and every face hides the file already.
        let author =
            Author { audience: Audience::Later, ..Author::new(AgentId::new(AgentId::KEEPER)?) };
        let done = self.change_now(&author, Permit::follower(), |tree, draft| {
            due.iter().try_for_each(|node| draft_expiry(tree, draft, *node))
        });
        done.map(drop)
    }
}

/// Takes all names away from a file, if it still has expired.
fn draft_expiry(tree: &Tree, draft: &mut Draft<'_>, node: NodeId) -> Result<(), Halt> {
    if !tree.is_expired(node) {
        return Ok(());
    }
    let known = tree.node(node)?;
    let path = tree.path_of(node)?;
    draft.bind(known.parent, &known.name, None);
    for (parent, name) in &known.other_names {
        draft.bind(*parent, name, None);
    }
    (0..known.attrs.links.max(1)).try_for_each(|_| draft.drop_name(tree, node, &path))
}
