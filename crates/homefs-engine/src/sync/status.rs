//! What a caller says and hears of a store's remote: plain data, every field meaningful as it
//! stands.

use std::time::Duration;

use homefs_core::{AgentId, Path, RemoteCounters, SpaceName, Timestamp};
use serde::{Deserialize, Serialize};

/// How a store takes part in its remote.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttachOptions {
    /// What people call this machine.
    pub machine_name: String,
    /// The agent whose home is at the remote's prefix itself, as in a bucket that was adopted;
    /// other spaces are below their own names.
    pub home_at_prefix: Option<AgentId>,
}

/// Which way changes go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Both ways: afterwards the space and its remote agree.
    #[default]
    Both,
    /// From the remote to here.
    Pull,
    /// From here to the remote.
    Push,
}

/// What to sync.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SyncOptions {
    /// Which way.
    pub direction: Direction,
    /// One space, or all that are here or there.
    pub space: Option<SpaceName>,
    /// The agent whose home is served too, though it may never have been here. Faces
    /// name their own agent.
    pub agent: Option<AgentId>,
    /// Whether that is the only home; shared spaces are synced in any case.
    pub one_home: bool,
    /// How long to go on through outages; `None` fails at the first failure.
    pub wait: Option<Duration>,
    /// Whether the readable copies are written too; else that is done later.
    pub copies: bool,
}

/// What a sync did to one space.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Synced {
    /// The space.
    pub space: SpaceName,
    /// The number of the commit that this machine and the remote agree on; 0 before the first.
    pub commit: u64,
    /// Nodes that changed here.
    pub pulled: u64,
    /// Nodes that changed there.
    pub pushed: u64,
    /// Conflicts that were noted.
    pub conflicts: u64,
}

/// How a space and its remote stand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpaceSync {
    /// The space.
    pub space: SpaceName,
    /// The number of the last commit that this machine knows; 0 before the first.
    pub commit: u64,
    /// When this machine and the remote last agreed.
    pub agreed: Option<Timestamp>,
    /// Versions made here that the remote lacks.
    pub ahead: u64,
    /// Since when something waits to be pushed.
    pub waiting_since: Option<Timestamp>,
    /// Readable copies that are still to be written.
    pub copies_due: u64,
    /// Files that are not pushed, because their contents are lost here and nowhere else.
    pub withheld: Vec<Path>,
    /// Files that keep an older content here, because the remote names a newer one and does not
    /// have it.
    pub missing: Vec<Path>,
    /// Conflicts that nobody has resolved.
    pub conflicts: u64,
    /// Why the last try failed, if it did.
    pub failure: Option<String>,
    /// When it is tried again.
    pub retry_at: Option<Timestamp>,
}

/// How a store and its remote stand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemoteStatus {
    /// Where the remote is, without secrets.
    pub address: String,
    /// What people call this machine.
    pub machine: String,
    /// What was asked of the remote and moved for all homes since it was attached; told to
    /// operators only.
    pub counters: Option<RemoteCounters>,
    /// The spaces that are followed.
    pub spaces: Vec<SpaceSync>,
}
