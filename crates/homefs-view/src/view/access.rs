//! Who may do what, and the spaces there are.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use homefs_core::{AgentId, Error, ErrorKind, Path, Result, SpaceName, Version};
use homefs_store::guard::{GROUPS, Permit, Reach};
use homefs_store::model::{Durability, Grant, Kind, Quota, Right, Subject, Usage};
use homefs_store::record::Change;
use homefs_store::space::Space;
use homefs_store::tree::{Answer, fail};
use serde::{Deserialize, Serialize};

use super::View;

/// The group whose members open sessions with whatever groups they name: services that act for
/// people whom homefs does not know.
pub const CLAIMANTS: &str = "claimants";

/// The groups of a session that was opened for somebody else than the agent.
pub(super) struct Claim {
    pub(super) groups: BTreeSet<AgentId>,
    /// Whether an operator opened it, who may name any group; an agent may name one only as long
    /// as [`View::with_groups`] lets it. The session is no operator's.
    pub(super) by_operator: bool,
}

/// A space as an agent sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpaceInfo {
    /// Its name.
    pub name: SpaceName,
    /// Where it is in this view.
    pub path: Path,
    /// What lives in it; nothing is told to an agent that sees a part only.
    pub usage: Usage,
    /// Its bounds.
    pub quota: Quota,
    /// What the agent may do in all of it; `None` if its grants cover a part only.
    pub right: Option<Right>,
}

impl View {
    /// Gives an agent or a group a right below a path of a shared space.
    pub fn grant(&self, path: &Path, subject: &Subject, right: Right) -> Result<Version> {
        self.set_grant(path, subject, Some(right))
    }

    /// Takes back what was granted to an agent or a group at exactly this path.
    pub fn revoke(&self, path: &Path, subject: &Subject) -> Result<Version> {
        self.set_grant(path, subject, None)
    }

    fn set_grant(&self, path: &Path, subject: &Subject, right: Option<Right>) -> Result<Version> {
        let done = self.at(path, Right::Manage, |place, permit| {
            if let SpaceName::Home(_) = place.space.name {
                let message = "a home belongs to its agent alone; grants are for shared spaces";
                return Err(fail(ErrorKind::Unsupported, message));
            }
            place.space.change(&self.author, permit, |tree, draft| {
                let (subject, prefix) = (subject.clone(), Path::clone(&place.path));
                if let Some(right) = right {
                    let grant = Grant { subject, prefix, right };
                    draft.push(Change::Grant { grant, holds: true });
                    return Ok(());
                }
                let held = tree.grants().iter();
                for grant in held.filter(|held| held.subject == subject && held.prefix == prefix) {
                    draft.push(Change::Grant { grant: grant.clone(), holds: false });
                }
                if draft.changes.is_empty() {
                    return Err(fail(ErrorKind::NotFound, "no such grant"));
                }
                Ok(())
            })
        })?;
        self.finish(done, Durability::Memory)
    }

    /// Lists the grants of the space at a path, prefixes as paths of this view: those that concern
    /// the agent, and those at what it manages.
    pub fn grants(&self, path: &Path) -> Result<Vec<Grant>> {
        self.look_at(path, |place, permit| {
            let mut shown = Vec::new();
            for grant in place.space.look(permit, |tree| Ok(tree.grants().to_vec()))? {
                let manages = place.reach.permit(&grant.prefix, Right::Manage).is_ok();
                if (manages || self.concerns(&grant.subject)?)
                    && let Some(prefix) = self.path_in_view(&place.space.name, &grant.prefix)
                {
                    shown.push(Grant { prefix, ..grant });
                }
            }
            shown.sort();
            Ok(shown)
        })
    }

    /// Tells whether a grant to this subject is one to the agent.
    pub(super) fn concerns(&self, subject: &Subject) -> Result<bool> {
        match subject {
            Subject::Agent(agent) => Ok(*agent == self.who.agent),
            Subject::Group(group) => self.speaks_for(group),
        }
    }

    /// Tells whether what a group may do the view may do: now, whatever was so when it was opened.
    fn speaks_for(&self, group: &AgentId) -> Result<bool> {
        match &self.claim {
            None => self.is_member(group.as_str()),
            Some(claim) if !claim.groups.contains(group) => Ok(false),
            Some(claim) if claim.by_operator => Ok(true),
            Some(_) => Ok(self.is_member(group.as_str())? || self.is_member(CLAIMANTS)?),
        }
    }

    /// Returns those groups of a session for which the view still speaks.
    pub(super) fn claimed_groups(&self, claim: &Claim) -> Result<BTreeSet<String>> {
        let mut groups = BTreeSet::new();
        for group in &claim.groups {
            if self.speaks_for(group)? {
                groups.insert(group.to_string());
            }
        }
        Ok(groups)
    }

    /// Refuses to open a session with groups for which the agent may not speak.
    pub(super) fn check_speaks_for(&self, groups: &BTreeSet<AgentId>) -> Result<()> {
        for group in groups {
            if !self.speaks_for(group)? {
                let message = format!(
                    "a session with the group {group} is for its members, operators and members of \
                     the group {CLAIMANTS}"
                );
                return Err(Error::new(ErrorKind::Denied, message));
            }
        }
        Ok(())
    }

    /// Tells whether the agent itself is in a group.
    fn is_member(&self, group: &str) -> Result<bool> {
        let Some(space) = self.store.spaces.existing(&SpaceName::shared(GROUPS)?)? else {
            return Ok(false);
        };
        let path = member_path(group, &self.who.agent)?;
        let found = space.look(Permit::follower(), |tree| tree.find(&path, false));
        let is_nothing = |error: &Error| error.kind() == ErrorKind::NotFound;
        Ok(found.or_none(&space.name, is_nothing)?.is_some())
    }

    /// Adds an agent to a group, or takes it out; for operators.
    pub fn set_member(&self, group: &AgentId, agent: &AgentId, member: bool) -> Result<()> {
        self.check_operator("groups are changed by an operator")?;
        let space = self.store.spaces.get(&SpaceName::shared(GROUPS)?)?;
        let path = member_path(group.as_str(), agent)?;
        let permit = self.reach(&space)?.permit(&path, Right::Write)?;
        let done = space.change(&self.author, permit, |tree, draft| {
            if member {
                let slot = draft.slot(tree, &path, true)?;
                if slot.node.is_none() {
                    let attrs = draft.attrs(Kind::File, None);
                    draft.make(slot.parent, slot.name, attrs)?;
                }
                return Ok(());
            }
            let slot = tree.slot(&path, false)?;
            let node = slot.node.ok_or_else(|| fail(ErrorKind::NotFound, "is not a member"))?;
            draft.unlink(tree, slot, node, &path)
        });
        let membership = format!("{agent} in group {group}");
        done.or_error(&space.name).map_err(|error| error.with_path_text(membership))?;
        // What they may see of sources is another, at once.
        for space in self.store.spaces.open_now() {
            space.ask_again_for_groups();
        }
        Ok(())
    }

    /// Lists the groups and their members; for operators.
    pub fn groups(&self) -> Result<BTreeMap<AgentId, Vec<AgentId>>> {
        self.check_operator("groups are listed by an operator")?;
        let Some(space) = self.store.spaces.existing(&SpaceName::shared(GROUPS)?)? else {
            return Ok(BTreeMap::new());
        };
        let found = space.look(self.reach(&space)?.permit(&Path::root(), Right::Read)?, |tree| {
            let mut groups = BTreeMap::new();
            for (group, &node) in tree.names(homefs_core::NodeId::ROOT)? {
                let mut members: Vec<AgentId> =
                    tree.names(node)?.keys().filter_map(|name| AgentId::new(name).ok()).collect();
                members.sort();
                if let Ok(group) = AgentId::new(group)
                    && !members.is_empty()
                {
                    groups.insert(group, members);
                }
            }
            Ok(groups)
        });
        found.or_error(&space.name)
    }

    /// Lists the spaces that the agent sees.
    pub fn spaces(&self) -> Result<Vec<SpaceInfo>> {
        let mut infos = Vec::new();
        for (_, space, reach) in self.seen_spaces()? {
            let Some(path) = self.path_of(&space.name) else { continue };
            let right = reach.right_at(&Path::root());
            let tree = space.tree.read();
            let (usage, quota) =
                if right.is_some() { (tree.usage(), tree.quota()) } else { Default::default() };
            infos.push(SpaceInfo { name: space.name.clone(), path, usage, quota, right });
        }
        Ok(infos)
    }

    /// Returns the spaces of which the agent sees anything, by their names in order.
    pub(crate) fn seen_spaces(&self) -> Result<Vec<(String, Arc<Space>, Reach)>> {
        self.seen_spaces_that(|_| Ok(true))
    }

    /// As [`View::seen_spaces`], those that are wanted alone; the others are not opened.
    pub(super) fn seen_spaces_that(
        &self,
        wanted: impl Fn(&SpaceName) -> Result<bool>,
    ) -> Result<Vec<(String, Arc<Space>, Reach)>> {
        self.store.check_open()?;
        let mut names = self.seen_shared()?;
        match &self.home {
            Some(home) => names.push(home.name.clone()),
            None => names.extend(self.store.spaces.homes()?),
        }
        let mut seen = Vec::new();
        for name in names {
            if !wanted(&name)? {
                continue;
            }
            let space = self.store.spaces.get(&name)?;
            let reach = self.reach(&space)?;
            seen.push((name.to_string(), space, reach));
        }
        seen.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(seen)
    }

    /// Lists the agents that have a home: all to an operator, else the agent itself.
    pub fn agents(&self) -> Result<Vec<AgentId>> {
        if !self.who.operator {
            return Ok(vec![self.who.agent.clone()]);
        }
        let homes = self.store.spaces.homes()?.into_iter();
        Ok(homes
            .filter_map(|name| match name {
                SpaceName::Home(agent) => Some(agent),
                SpaceName::Shared(_) => None,
            })
            .collect())
    }

    /// Bounds what may live in the space at a path; for operators.
    pub fn set_quota(&self, path: &Path, quota: Quota) -> Result<Version> {
        self.check_operator("quotas are set by an operator")?;
        let done = self.at(path, Right::Manage, |place, permit| {
            place.space.change(&self.author, permit, |_, draft| {
                draft.push(Change::Quota { quota });
                Ok(())
            })
        })?;
        self.finish(done, Durability::Memory)
    }

    fn check_operator(&self, message: &str) -> Result<()> {
        if self.who.operator {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Denied, message))
    }
}

fn member_path(group: &str, agent: &AgentId) -> Result<Path> {
    Path::root().join(group)?.join(agent.as_str())
}
