//! What a caller says and hears of a store's remote: plain data, every field meaningful as it
//! stands.

use std::time::Duration;

use homefs_core::{AgentId, SpaceName};
use serde::{Deserialize, Serialize};

pub use homefs_wire::records::{SpaceSync, Synced};
pub use homefs_wire::words::Direction;

/// How a store takes part in its remote.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttachOptions {
    /// What people call this machine.
    pub machine_name: String,
    /// The agent whose home is at the remote's prefix itself, as in a bucket that was adopted;
    /// other spaces are below their own names.
    pub home_at_prefix: Option<AgentId>,
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
