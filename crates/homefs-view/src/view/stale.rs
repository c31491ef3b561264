//! Files that nobody needs any more, as far as one can tell.

use std::time::Duration;

use homefs_core::{NodeId, Path, Result};
use homefs_store::reads::{Minutes, moment};

use super::View;
use super::scopes::Which;
use super::timeline::in_order;
use crate::memory::Noted;

/// The length of a day.
const DAY: Duration = Duration::from_hours(24);

impl View {
    /// Lists files that were neither written nor read for some days, those of least value first:
    /// by importance, then by how long ago. Reads count on this machine only, and those that the
    /// kernel answers from its cache are not seen.
    pub fn stale(&self, days: u32, limit: usize, below: &Path) -> Result<Vec<Noted>> {
        let searched = self.asked(&[], below, Which::Memories)?;
        let since = self.store.ground.clock.now().before(DAY.saturating_mul(days)).0;
        let reads: Vec<Minutes> = searched.iter().map(|one| one.space.last_reads()).collect();
        let mut found = Vec::new();
        for (scope, one) in searched.iter().enumerate() {
            let index = one.index();
            for file in index.files() {
                let node = NodeId(file.node);
                let read = reads[scope].get(&node).map_or(i64::MIN, |minute| moment(*minute).0);
                let used = file.modified.max(read);
                if used < since {
                    found.push(((file.importance, used, scope), (scope, node)));
                }
            }
        }
        found.sort_unstable_by(|one, other| {
            let ((importance, used, scope), (others, other_used, other_scope)) = (one.0, other.0);
            let order = importance.total_cmp(&others);
            order.then_with(|| (used, scope).cmp(&(other_used, other_scope)))
        });
        self.noted(&searched, &reads, in_order(&searched, &found), limit)
    }
}
