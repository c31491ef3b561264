//! What callers hear of the store, its remote and its sources.

use std::collections::BTreeMap;

use homefs_core::{AgentId, Path, SpaceName, Timestamp};

use super::{IndexStatus, records};
use crate::words::{Kind, SourceChangeKind};

records! {
    /// What a sync did to one space.
    #[derive(Eq)]
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

    /// One thing that two machines changed, and what was done about it.
    #[derive(Eq)]
    pub struct Conflicting {
        /// What names it: 16 hexadecimal digits.
        pub number: String,
        /// What was changed, as it is called now.
        pub path: Path,
        /// What happened, in plain words.
        pub what: String,
        /// The machine that merged.
        pub machine: String,
        /// When.
        pub time: Timestamp,
        /// The content on this side, where it is about contents. The side of the machine that
        /// merged is what it had; to all others this side is what the remote had.
        pub ours: Option<ConflictSide>,
        /// The content on the other side.
        pub theirs: Option<ConflictSide>,
        /// Where the other content is, if it was put beside.
        pub beside: Option<Path>,
    }

    /// One of the contents of a conflict.
    #[derive(Eq)]
    pub struct ConflictSide {
        /// Its length in bytes.
        pub size: u64,
        /// The beginning of its digest.
        pub digest: String,
    }

    /// A folder, bucket or collection that is attached.
    #[derive(Eq)]
    pub struct Source {
        /// Where it is shown.
        pub path: Path,
        /// Its address.
        pub source: String,
        /// How it is read, by the names that its kind has for it.
        pub settings: BTreeMap<String, String>,
        /// Whether changes are refused.
        pub read_only: bool,
        /// Why it does not answer, if it did not when it was last asked.
        pub trouble: Option<String>,
    }

    /// One thing that was changed over a source.
    #[derive(Eq)]
    pub struct SourceChange {
        /// Where.
        pub path: Path,
        /// What was done.
        pub change: SourceChangeKind,
        /// What is there now; for what was removed, nothing.
        pub kind: Option<Kind>,
    }

    /// The remote of a store.
    #[derive(Default, Eq)]
    pub struct Remote {
        /// Where it is; none if the store's file cannot be read.
        pub address: Option<String>,
        /// The server.
        pub endpoint: Option<String>,
        /// The region of an S3 bucket.
        pub region: Option<String>,
        /// Whether an S3 bucket is named in the path.
        pub path_style: Option<bool>,
        /// Whether no other machine ever writes there.
        pub single_writer: Option<bool>,
        /// The agent whose home is at the address itself.
        pub home_at_prefix: Option<AgentId>,
        /// What people call this machine.
        pub machine: Option<String>,
        /// Whether this machine only reads there.
        pub read_only: Option<bool>,
        /// Why the owner leaves it alone, if it does.
        pub unused: Option<String>,
        // A message between processes leaves nothing out, so it carries this record with it only.
        /// How the store and its remote stand; in a status only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub status: Option<RemoteStatus>,
    }

    /// How a store and its remote stand.
    #[derive(Default, Eq)]
    pub struct RemoteStatus {
        /// What was asked of the remote; told to operators only.
        pub requests: Option<Requests>,
        /// Bytes sent.
        pub sent_bytes: Option<u64>,
        /// Bytes received.
        pub received_bytes: Option<u64>,
        /// How each space stands.
        pub spaces: Vec<SpaceSync>,
    }

    /// What was asked of a remote.
    #[derive(Copy, Default, Eq)]
    pub struct Requests {
        /// Reads.
        pub gets: u64,
        /// Writes.
        pub puts: u64,
        /// Deletions.
        pub deletes: u64,
        /// Listings.
        pub lists: u64,
        /// How many failed.
        pub failures: u64,
    }

    /// How a space and its remote stand.
    #[derive(Eq)]
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
        /// Files that keep an older content here, because the remote names a newer one and does
        /// not have it.
        pub missing: Vec<Path>,
        /// Conflicts that nobody has resolved.
        pub conflicts: u64,
        /// Why the last try failed, if it did.
        pub failure: Option<String>,
        /// When it is tried again.
        pub retry_at: Option<Timestamp>,
    }

    /// What would free room on a full disk.
    #[derive(Copy, Default, Eq)]
    pub struct Freeable {
        /// Contents of what is in the trash.
        pub trash_bytes: u64,
        /// Older contents of what is not.
        pub history_bytes: u64,
    }

    /// What all homes of a store cost together.
    #[derive(Copy, Eq)]
    pub struct Load {
        /// Spaces open now.
        pub spaces_open: usize,
        /// Bytes in the journal that are not released yet.
        pub journal_bytes: u64,
        /// Bytes in the journal that power loss would take.
        pub unsynced_bytes: u64,
        /// Bytes in the journal that are not folded yet.
        pub unfolded_bytes: u64,
        /// Bytes of small contents in memory.
        pub memory_bytes: u64,
        /// Bytes of unsettled contents in memory.
        pub staging_bytes: u64,
    }

    /// A mount that an owner serves.
    #[derive(Eq)]
    pub struct Mount {
        /// Where it is.
        pub dir: String,
        /// Whose home it shows.
        pub agent: AgentId,
        /// Whether nothing can be changed through it.
        pub read_only: bool,
        /// Since when it is there.
        pub since: Timestamp,
    }

    /// How a store is.
    #[derive(Eq)]
    pub struct Status {
        /// Its directory.
        pub dir: String,
        /// The process that owns it.
        pub pid: u32,
        /// The version of homefs that the owner runs.
        pub version: String,
        /// The format of its directory.
        pub format: u32,
        /// What all homes cost together; told to operators only.
        pub load: Option<Load>,
        /// Why the store takes no more changes, if it does not.
        pub poisoned: Option<String>,
        /// Why folding fails, if it does.
        pub fold_failure: Option<String>,
        /// Spaces that can only be read, or not even that, and why.
        pub failed_spaces: Vec<(SpaceName, String)>,
        /// Free bytes of the disk.
        pub disk_free_bytes: u64,
        /// What would free room, if the disk is full.
        pub disk_full: Option<Freeable>,
        /// How the open indexes are doing.
        pub indexes: Vec<IndexStatus>,
        /// Why docs get no vectors, if the embedder fails.
        pub embedder_failure: Option<String>,
        /// The remote, if there is one.
        pub remote: Option<Remote>,
        /// What it is mounted at.
        pub mounts: Vec<Mount>,
        /// Scripts of the owner that were given up and run on.
        pub abandoned_scripts: usize,
    }
}

impl Requests {
    /// Returns how many there were.
    pub fn count(&self) -> u64 {
        self.gets + self.puts + self.deletes + self.lists
    }
}
