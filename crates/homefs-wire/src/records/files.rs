//! What callers hear of files and directories, their past, and who may do what.

use std::collections::BTreeMap;

use homefs_core::time::rfc3339;
use homefs_core::{AgentId, NodeId, Path, SpaceName, Timestamp, Version};

use super::records;
use crate::words::{Action, Kind, Right};

records! {
    /// What is known of a file or directory without reading it.
    pub struct Stat {
        /// Where it is.
        pub path: Path,
        /// What it is.
        pub kind: Kind,
        /// Its length in bytes; of a link that of its target.
        pub size: u64,
        /// Permission bits as octal text, such as `0644`.
        pub mode: String,
        /// Owning user on the host.
        pub uid: u32,
        /// Owning group on the host.
        pub gid: u32,
        /// Names that lead to it.
        pub links: u32,
        /// When it was made.
        pub created: Timestamp,
        /// When its content last changed.
        pub modified: Timestamp,
        /// When anything about it last changed.
        pub changed: Timestamp,
        /// From when on it is no longer there.
        pub expires: Option<Timestamp>,
        /// Its last change.
        pub version: Version,
        /// The space that holds it.
        pub space: SpaceName,
        /// Its node, the same through renames.
        pub node: NodeId,
    }

    /// What is noted about a file or directory.
    pub struct Metadata {
        /// Where it is.
        pub path: Path,
        /// How much it matters, from 0 to 1.
        pub importance: Option<f64>,
        /// Its tags.
        pub tags: Vec<String>,
        /// From when on it is no longer there.
        pub expires: Option<Timestamp>,
        /// Where it comes from.
        pub source: Option<String>,
        /// What it is called.
        pub title: Option<String>,
        /// Other notes by key.
        pub other: BTreeMap<String, String>,
    }

    /// A line that matches. What is not UTF-8 is shown as U+FFFD, and line ends are left out.
    #[derive(Eq)]
    pub struct Match {
        /// Its file.
        pub path: Path,
        /// Its number, counted from 1.
        pub line: u64,
        /// What it says.
        pub text: String,
        /// The lines before it.
        pub before: Vec<String>,
        /// The lines after it.
        pub after: Vec<String>,
    }

    /// One settled content of a file.
    #[derive(Eq)]
    pub struct Edition {
        /// The change that made it.
        pub version: Version,
        /// When.
        pub time: Timestamp,
        /// By whom.
        pub agent: AgentId,
        /// The machine on which it was written, as people call it; none for this one.
        pub machine: Option<String>,
        /// Its length in bytes.
        pub size: u64,
    }

    /// A removed file or directory that can be brought back.
    #[derive(Eq)]
    pub struct Trashed {
        /// Where it was.
        pub path: Path,
        /// What it was.
        pub kind: Kind,
        /// Its length in bytes.
        pub size: u64,
        /// The change that removed it.
        pub version: Version,
        /// When.
        pub time: Timestamp,
        /// By whom.
        pub agent: AgentId,
        /// Its node.
        pub node: NodeId,
    }

    /// One change that a watch saw.
    #[derive(Eq)]
    pub struct Event {
        /// What changed.
        pub path: Path,
        /// What it is.
        pub kind: Kind,
        /// What happened to it.
        pub action: Action,
        /// The change.
        pub version: Version,
        /// The space.
        pub space: SpaceName,
        /// When.
        pub time: Timestamp,
        /// By whom.
        pub agent: AgentId,
    }

    /// One rule of access.
    pub struct Grant {
        /// Where, inside the space.
        pub path: Path,
        /// Who: an agent, or a group as `group:NAME`.
        pub subject: String,
        /// What.
        pub right: Right,
    }

    /// A space that the agent sees.
    pub struct Space {
        /// Its name.
        pub space: SpaceName,
        /// Where it is seen.
        pub path: Path,
        /// Bytes that live in it.
        pub bytes: u64,
        /// Nodes that live in it.
        pub nodes: u64,
        /// Most bytes.
        pub bytes_max: Option<u64>,
        /// Most nodes.
        pub nodes_max: Option<u64>,
        /// What the agent may do there.
        pub right: Option<Right>,
    }

    /// What came of a script.
    pub struct Output {
        /// What it wrote to standard output; what is not UTF-8 is shown as U+FFFD.
        pub stdout: String,
        /// What it wrote to standard error, and why it was stopped.
        pub stderr: String,
        /// Its exit status; 124 if it ran out of time, 137 if another limit stopped it, 130 if it
        /// was interrupted.
        pub status: i32,
        /// Whether output was cut off at the limit.
        pub truncated: bool,
    }
}

impl Metadata {
    /// Returns every key with its value as text, as it is set; the value of a key that is not set is
    /// empty.
    pub fn lines(&self) -> Vec<(&str, String)> {
        let text = |value: &Option<String>| value.clone().unwrap_or_default();
        let importance = self.importance.map(|importance| importance.to_string());
        let mut lines = vec![
            ("importance", importance.unwrap_or_default()),
            ("tags", self.tags.join(",")),
            ("ttl", self.expires.map(rfc3339).unwrap_or_default()),
            ("source", text(&self.source)),
            ("title", text(&self.title)),
        ];
        lines.extend(self.other.iter().map(|(key, value)| (key.as_str(), value.clone())));
        lines
    }
}
