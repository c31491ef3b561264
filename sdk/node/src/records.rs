//! What callers hear. Made by `cargo xtask gen`; do not edit.

#![allow(clippy::struct_field_names, reason = "as the command line names it")]

use std::collections::HashMap;

use homefs_wire::{records, words};
use napi_derive::napi;

use crate::shown::{Shown, words};

words! { Action Alike Direction Durability Kind Outcome Right SearchKind Side SourceChangeKind Strategy Tokenizer }

/// One of the contents of a conflict.
#[napi(object, object_from_js = false)]
pub struct ConflictSide {
    /// Its length in bytes.
    pub size: i64,
    /// The beginning of its digest.
    pub digest: String,
}

impl Shown for records::ConflictSide {
    type Js = ConflictSide;

    fn shown(self) -> ConflictSide {
        ConflictSide { size: self.size.shown(), digest: self.digest.shown() }
    }
}

/// One thing that two machines changed, and what was done about it.
#[napi(object, object_from_js = false)]
pub struct Conflicting {
    /// What names it: 16 hexadecimal digits.
    pub number: String,
    /// What was changed, as it is called now.
    pub path: String,
    /// What happened, in plain words.
    pub what: String,
    /// The machine that merged.
    pub machine: String,
    /// When, as RFC 3339.
    pub time: String,
    /// The content on this side, where it is about contents. The side of the machine that
    /// merged is what it had; to all others this side is what the remote had.
    pub ours: Option<ConflictSide>,
    /// The content on the other side.
    pub theirs: Option<ConflictSide>,
    /// Where the other content is, if it was put beside.
    pub beside: Option<String>,
}

impl Shown for records::Conflicting {
    type Js = Conflicting;

    fn shown(self) -> Conflicting {
        Conflicting {
            number: self.number.shown(),
            path: self.path.shown(),
            what: self.what.shown(),
            machine: self.machine.shown(),
            time: self.time.shown(),
            ours: self.ours.shown(),
            theirs: self.theirs.shown(),
            beside: self.beside.shown(),
        }
    }
}

/// One settled content of a file.
#[napi(object, object_from_js = false)]
pub struct Edition {
    /// The change that made it.
    pub version: i64,
    /// When, as RFC 3339.
    pub time: String,
    /// By whom.
    pub agent: String,
    /// The machine on which it was written, as people call it; none for this one.
    pub machine: Option<String>,
    /// Its length in bytes.
    pub size: i64,
}

impl Shown for records::Edition {
    type Js = Edition;

    fn shown(self) -> Edition {
        Edition {
            version: self.version.shown(),
            time: self.time.shown(),
            agent: self.agent.shown(),
            machine: self.machine.shown(),
            size: self.size.shown(),
        }
    }
}

/// One change that a watch saw.
#[napi(object, object_from_js = false)]
pub struct Event {
    /// What changed.
    pub path: String,
    /// What it is.
    #[napi(
        ts_type = "'file' | 'directory' | 'link' | 'pipe' | 'socket' | 'character device' | 'block device'"
    )]
    pub kind: String,
    /// What happened to it.
    #[napi(ts_type = "'changed' | 'removed'")]
    pub action: String,
    /// The change.
    pub version: i64,
    /// The space.
    pub space: String,
    /// When, as RFC 3339.
    pub time: String,
    /// By whom.
    pub agent: String,
}

impl Shown for records::Event {
    type Js = Event;

    fn shown(self) -> Event {
        Event {
            path: self.path.shown(),
            kind: self.kind.shown(),
            action: self.action.shown(),
            version: self.version.shown(),
            space: self.space.shown(),
            time: self.time.shown(),
            agent: self.agent.shown(),
        }
    }
}

/// How a recall judged a candidate.
#[napi(object, object_from_js = false)]
pub struct Explained {
    /// Where its file is.
    pub path: String,
    /// Its first and last line, counted from 1.
    #[napi(ts_type = "[number, number]")]
    pub lines: Vec<u32>,
    /// How well it fits.
    pub relevance: f64,
    /// The factor of its importance.
    pub importance: f64,
    /// The factor of its age.
    pub recency: f64,
    /// All together.
    pub score: f64,
    /// Its tokens.
    pub tokens: i64,
    /// What became of it.
    #[napi(
        ts_type = "'kept' | 'excerpted' | 'duplicate' | 'below_minimum' | 'no_answer' | 'no_room' | 'empty' | 'ignored'"
    )]
    pub outcome: String,
    /// What says the same.
    pub duplicate_of: Option<String>,
}

impl Shown for records::Explained {
    type Js = Explained;

    fn shown(self) -> Explained {
        Explained {
            path: self.path.shown(),
            lines: self.lines.shown(),
            relevance: self.relevance.shown(),
            importance: self.importance.shown(),
            recency: self.recency.shown(),
            score: self.score.shown(),
            tokens: self.tokens.shown(),
            outcome: self.outcome.shown(),
            duplicate_of: self.duplicate_of.shown(),
        }
    }
}

/// What forgetting took away, and where.
#[napi(object, object_from_js = false)]
pub struct Forgotten {
    /// Where it was.
    pub path: String,
    /// How many nodes.
    pub nodes: i64,
    /// How many bytes they held last.
    pub bytes: i64,
    /// The places from which it is erased for good; none if it is in the trash.
    pub erased_from: Vec<String>,
    /// Until when it can be brought back, unless it is erased, as RFC 3339.
    pub in_trash_until: Option<String>,
    /// How far the erasing has come beyond this machine, if there is a remote.
    pub remote: Option<PurgedThere>,
}

impl Shown for records::Forgotten {
    type Js = Forgotten;

    fn shown(self) -> Forgotten {
        Forgotten {
            path: self.path.shown(),
            nodes: self.nodes.shown(),
            bytes: self.bytes.shown(),
            erased_from: self.erased_from.shown(),
            in_trash_until: self.in_trash_until.shown(),
            remote: self.remote.shown(),
        }
    }
}

/// What would free room on a full disk.
#[napi(object, object_from_js = false)]
pub struct Freeable {
    /// Contents of what is in the trash.
    pub trash_bytes: i64,
    /// Older contents of what is not.
    pub history_bytes: i64,
}

impl Shown for records::Freeable {
    type Js = Freeable;

    fn shown(self) -> Freeable {
        Freeable {
            trash_bytes: self.trash_bytes.shown(),
            history_bytes: self.history_bytes.shown(),
        }
    }
}

/// One rule of access.
#[napi(object, object_from_js = false)]
pub struct Grant {
    /// Where, inside the space.
    pub path: String,
    /// Who: an agent, or a group as `group:NAME`.
    pub subject: String,
    /// What.
    #[napi(ts_type = "'read' | 'write' | 'manage'")]
    pub right: String,
}

impl Shown for records::Grant {
    type Js = Grant;

    fn shown(self) -> Grant {
        Grant { path: self.path.shown(), subject: self.subject.shown(), right: self.right.shown() }
    }
}

/// A part of a file that a search found.
#[napi(object, object_from_js = false)]
pub struct Hit {
    /// Where its file is.
    pub path: String,
    /// The last change of the file.
    pub version: i64,
    /// Its first and last line, counted from 1.
    #[napi(ts_type = "[number, number]")]
    pub lines: Vec<u32>,
    /// The headings it stands under, or the title of the file; may be empty.
    pub title: String,
    /// How well it fits, from 0 to 1.
    pub score: f64,
    /// The part of words, from 0 to 1.
    pub text_score: f64,
    /// The part of meaning, from 0 to 1.
    pub vector_score: f64,
    /// The sentence that fits best.
    pub excerpt: String,
    /// When the file was last written, as RFC 3339.
    pub modified: String,
}

impl Shown for records::Hit {
    type Js = Hit;

    fn shown(self) -> Hit {
        Hit {
            path: self.path.shown(),
            version: self.version.shown(),
            lines: self.lines.shown(),
            title: self.title.shown(),
            score: self.score.shown(),
            text_score: self.text_score.shown(),
            vector_score: self.vector_score.shown(),
            excerpt: self.excerpt.shown(),
            modified: self.modified.shown(),
        }
    }
}

/// How the index of a space is doing.
#[napi(object, object_from_js = false)]
pub struct IndexStatus {
    /// Its space.
    pub space: String,
    /// Files in it.
    pub files: i64,
    /// Docs in it.
    pub docs: i64,
    /// Docs that wait for their vectors.
    pub waiting: i64,
    /// The embedder that gives docs their vectors.
    pub embedder: String,
    /// Bytes of memory, nearly.
    pub memory_bytes: i64,
    /// Bytes of its file.
    pub file_bytes: i64,
    /// Searches that looked into it since it was opened.
    pub searches: i64,
}

impl Shown for records::IndexStatus {
    type Js = IndexStatus;

    fn shown(self) -> IndexStatus {
        IndexStatus {
            space: self.space.shown(),
            files: self.files.shown(),
            docs: self.docs.shown(),
            waiting: self.waiting.shown(),
            embedder: self.embedder.shown(),
            memory_bytes: self.memory_bytes.shown(),
            file_bytes: self.file_bytes.shown(),
            searches: self.searches.shown(),
        }
    }
}

/// A link in a note.
#[napi(object, object_from_js = false)]
pub struct LinkTo {
    /// What is written.
    pub target: String,
    /// The note it leads to, if there is one.
    pub path: Option<String>,
}

impl Shown for records::LinkTo {
    type Js = LinkTo;

    fn shown(self) -> LinkTo {
        LinkTo { target: self.target.shown(), path: self.path.shown() }
    }
}

/// What a note links to, and what links to it.
#[napi(object, object_from_js = false)]
pub struct Links {
    /// Links in the note, in order.
    pub to: Vec<LinkTo>,
    /// Notes with a link to it.
    pub from: Vec<String>,
}

impl Shown for records::Links {
    type Js = Links;

    fn shown(self) -> Links {
        Links { to: self.to.shown(), from: self.from.shown() }
    }
}

/// What all homes of a store cost together.
#[napi(object, object_from_js = false)]
pub struct Load {
    /// Spaces open now.
    pub spaces_open: i64,
    /// Bytes in the journal that are not released yet.
    pub journal_bytes: i64,
    /// Bytes in the journal that power loss would take.
    pub unsynced_bytes: i64,
    /// Bytes in the journal that are not folded yet.
    pub unfolded_bytes: i64,
    /// Bytes of small contents in memory.
    pub memory_bytes: i64,
    /// Bytes of unsettled contents in memory.
    pub staging_bytes: i64,
}

impl Shown for records::Load {
    type Js = Load;

    fn shown(self) -> Load {
        Load {
            spaces_open: self.spaces_open.shown(),
            journal_bytes: self.journal_bytes.shown(),
            unsynced_bytes: self.unsynced_bytes.shown(),
            unfolded_bytes: self.unfolded_bytes.shown(),
            memory_bytes: self.memory_bytes.shown(),
            staging_bytes: self.staging_bytes.shown(),
        }
    }
}

/// A line that matches. What is not UTF-8 is shown as U+FFFD, and line ends are left out.
#[napi(object, object_from_js = false)]
pub struct Match {
    /// Its file.
    pub path: String,
    /// Its number, counted from 1.
    pub line: i64,
    /// What it says.
    pub text: String,
    /// The lines before it.
    pub before: Vec<String>,
    /// The lines after it.
    pub after: Vec<String>,
}

impl Shown for records::Match {
    type Js = Match;

    fn shown(self) -> Match {
        Match {
            path: self.path.shown(),
            line: self.line.shown(),
            text: self.text.shown(),
            before: self.before.shown(),
            after: self.after.shown(),
        }
    }
}

/// What is noted about a file or directory.
#[napi(object, object_from_js = false)]
pub struct Metadata {
    /// Where it is.
    pub path: String,
    /// How much it matters, from 0 to 1.
    pub importance: Option<f64>,
    /// Its tags.
    pub tags: Vec<String>,
    /// From when on it is no longer there, as RFC 3339.
    pub expires: Option<String>,
    /// Where it comes from.
    pub source: Option<String>,
    /// What it is called.
    pub title: Option<String>,
    /// Other notes by key.
    pub other: HashMap<String, String>,
}

impl Shown for records::Metadata {
    type Js = Metadata;

    fn shown(self) -> Metadata {
        Metadata {
            path: self.path.shown(),
            importance: self.importance.shown(),
            tags: self.tags.shown(),
            expires: self.expires.shown(),
            source: self.source.shown(),
            title: self.title.shown(),
            other: self.other.shown(),
        }
    }
}

/// A mount that an owner serves.
#[napi(object, object_from_js = false)]
pub struct Mount {
    /// Where it is.
    pub dir: String,
    /// Whose home it shows.
    pub agent: String,
    /// Whether nothing can be changed through it.
    pub read_only: bool,
    /// Since when it is there, as RFC 3339.
    pub since: String,
}

impl Shown for records::Mount {
    type Js = Mount;

    fn shown(self) -> Mount {
        Mount {
            dir: self.dir.shown(),
            agent: self.agent.shown(),
            read_only: self.read_only.shown(),
            since: self.since.shown(),
        }
    }
}

/// A file as timelines and lists of stale files show it.
#[napi(object, object_from_js = false)]
pub struct Noted {
    /// Where it is.
    pub path: String,
    /// Its title, or its first heading or words.
    pub title: String,
    /// When it was last written, as RFC 3339.
    pub modified: String,
    /// How much it matters.
    pub importance: f64,
    /// Its tags.
    pub tags: Vec<String>,
    /// When it was last read on this machine, as far as anybody noticed, as RFC 3339.
    pub read: Option<String>,
    /// Its node.
    pub node: String,
}

impl Shown for records::Noted {
    type Js = Noted;

    fn shown(self) -> Noted {
        Noted {
            path: self.path.shown(),
            title: self.title.shown(),
            modified: self.modified.shown(),
            importance: self.importance.shown(),
            tags: self.tags.shown(),
            read: self.read.shown(),
            node: self.node.shown(),
        }
    }
}

/// What came of a script.
#[napi(object, object_from_js = false)]
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

impl Shown for records::Output {
    type Js = Output;

    fn shown(self) -> Output {
        Output {
            stdout: self.stdout.shown(),
            stderr: self.stderr.shown(),
            status: self.status.shown(),
            truncated: self.truncated.shown(),
        }
    }
}

/// How far the purges of a space have come beyond this machine.
#[napi(object, object_from_js = false)]
pub struct PurgedThere {
    /// The last commit that purged something; none while a purge made here is still to be
    /// pushed, or where nothing was ever purged.
    pub commit: Option<i64>,
    /// Machines that have pushed before, and have not said yet that they erased it too.
    pub waiting: Vec<String>,
}

impl Shown for records::PurgedThere {
    type Js = PurgedThere;

    fn shown(self) -> PurgedThere {
        PurgedThere { commit: self.commit.shown(), waiting: self.waiting.shown() }
    }
}

/// The memories that answer a question and fit a budget.
#[napi(object, object_from_js = false)]
pub struct Recall {
    /// Compact Markdown to be quoted, the most useful first.
    pub text: String,
    /// Its tokens.
    pub tokens: i64,
    /// What the text is made of, in its order.
    pub memories: Vec<Recollection>,
    /// How every candidate was judged; none unless that was asked.
    pub explained: Vec<Explained>,
    /// Files that were asked for by their names only, since their contents are not here yet.
    pub unseen: i64,
    /// Where sources are attached whose files were not searched; `grep` finds their lines.
    pub unsearched: Vec<String>,
}

impl Shown for records::Recall {
    type Js = Recall;

    fn shown(self) -> Recall {
        Recall {
            text: self.text.shown(),
            tokens: self.tokens.shown(),
            memories: self.memories.shown(),
            explained: self.explained.shown(),
            unseen: self.unseen.shown(),
            unsearched: self.unsearched.shown(),
        }
    }
}

/// One memory of a recall.
#[napi(object, object_from_js = false)]
pub struct Recollection {
    /// Where its file is.
    pub path: String,
    /// The handle of its file, which every face takes instead of the path.
    pub handle: String,
    /// The last change of the file.
    pub version: i64,
    /// The first and last line that is quoted, counted from 1.
    #[napi(ts_type = "[number, number]")]
    pub lines: Vec<u32>,
    /// What is quoted.
    pub text: String,
    /// Relevance, importance and recency together.
    pub score: f64,
    /// When the file was last written, as RFC 3339.
    pub modified: String,
    /// Whether another memory was said to take its place.
    pub older: bool,
    /// Its tokens, citation included.
    pub tokens: i64,
}

impl Shown for records::Recollection {
    type Js = Recollection;

    fn shown(self) -> Recollection {
        Recollection {
            path: self.path.shown(),
            handle: self.handle.shown(),
            version: self.version.shown(),
            lines: self.lines.shown(),
            text: self.text.shown(),
            score: self.score.shown(),
            modified: self.modified.shown(),
            older: self.older.shown(),
            tokens: self.tokens.shown(),
        }
    }
}

/// A memory that was kept.
#[napi(object, object_from_js = false)]
pub struct Remembered {
    /// Where.
    pub path: String,
    /// The change that made it.
    pub version: i64,
    /// The memory that was nearly the same, if one was looked for and found.
    pub alike: Option<String>,
}

impl Shown for records::Remembered {
    type Js = Remembered;

    fn shown(self) -> Remembered {
        Remembered {
            path: self.path.shown(),
            version: self.version.shown(),
            alike: self.alike.shown(),
        }
    }
}

/// The remote of a store.
#[napi(object, object_from_js = false)]
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
    pub home_at_prefix: Option<String>,
    /// What people call this machine.
    pub machine: Option<String>,
    /// Whether this machine only reads there.
    pub read_only: Option<bool>,
    /// Why the owner leaves it alone, if it does.
    pub unused: Option<String>,
    /// How the store and its remote stand; in a status only.
    pub status: Option<RemoteStatus>,
}

impl Shown for records::Remote {
    type Js = Remote;

    fn shown(self) -> Remote {
        Remote {
            address: self.address.shown(),
            endpoint: self.endpoint.shown(),
            region: self.region.shown(),
            path_style: self.path_style.shown(),
            single_writer: self.single_writer.shown(),
            home_at_prefix: self.home_at_prefix.shown(),
            machine: self.machine.shown(),
            read_only: self.read_only.shown(),
            unused: self.unused.shown(),
            status: self.status.shown(),
        }
    }
}

/// How a store and its remote stand.
#[napi(object, object_from_js = false)]
pub struct RemoteStatus {
    /// What was asked of the remote; told to operators only.
    pub requests: Option<Requests>,
    /// Bytes sent.
    pub sent_bytes: Option<i64>,
    /// Bytes received.
    pub received_bytes: Option<i64>,
    /// How each space stands.
    pub spaces: Vec<SpaceSync>,
}

impl Shown for records::RemoteStatus {
    type Js = RemoteStatus;

    fn shown(self) -> RemoteStatus {
        RemoteStatus {
            requests: self.requests.shown(),
            sent_bytes: self.sent_bytes.shown(),
            received_bytes: self.received_bytes.shown(),
            spaces: self.spaces.shown(),
        }
    }
}

/// What was asked of a remote.
#[napi(object, object_from_js = false)]
pub struct Requests {
    /// Reads.
    pub gets: i64,
    /// Writes.
    pub puts: i64,
    /// Deletions.
    pub deletes: i64,
    /// Listings.
    pub lists: i64,
    /// How many failed.
    pub failures: i64,
}

impl Shown for records::Requests {
    type Js = Requests;

    fn shown(self) -> Requests {
        Requests {
            gets: self.gets.shown(),
            puts: self.puts.shown(),
            deletes: self.deletes.shown(),
            lists: self.lists.shown(),
            failures: self.failures.shown(),
        }
    }
}

/// A folder, bucket or collection that is attached.
#[napi(object, object_from_js = false)]
pub struct Source {
    /// Where it is shown.
    pub path: String,
    /// Its address.
    pub source: String,
    /// How it is read, by the names that its kind has for it.
    pub settings: HashMap<String, String>,
    /// Whether changes are refused.
    pub read_only: bool,
    /// Why it does not answer, if it did not when it was last asked.
    pub trouble: Option<String>,
}

impl Shown for records::Source {
    type Js = Source;

    fn shown(self) -> Source {
        Source {
            path: self.path.shown(),
            source: self.source.shown(),
            settings: self.settings.shown(),
            read_only: self.read_only.shown(),
            trouble: self.trouble.shown(),
        }
    }
}

/// One thing that was changed over a source.
#[napi(object, object_from_js = false)]
pub struct SourceChange {
    /// Where.
    pub path: String,
    /// What was done.
    #[napi(ts_type = "'removed' | 'added' | 'changed' | 'conflicting'")]
    pub change: String,
    /// What is there now; for what was removed, nothing.
    #[napi(
        ts_type = "'file' | 'directory' | 'link' | 'pipe' | 'socket' | 'character device' | 'block device'"
    )]
    pub kind: Option<String>,
}

impl Shown for records::SourceChange {
    type Js = SourceChange;

    fn shown(self) -> SourceChange {
        SourceChange {
            path: self.path.shown(),
            change: self.change.shown(),
            kind: self.kind.shown(),
        }
    }
}

/// A space that the agent sees.
#[napi(object, object_from_js = false)]
pub struct Space {
    /// Its name.
    pub space: String,
    /// Where it is seen.
    pub path: String,
    /// Bytes that live in it.
    pub bytes: i64,
    /// Nodes that live in it.
    pub nodes: i64,
    /// Most bytes.
    pub bytes_max: Option<i64>,
    /// Most nodes.
    pub nodes_max: Option<i64>,
    /// What the agent may do there.
    #[napi(ts_type = "'read' | 'write' | 'manage'")]
    pub right: Option<String>,
}

impl Shown for records::Space {
    type Js = Space;

    fn shown(self) -> Space {
        Space {
            space: self.space.shown(),
            path: self.path.shown(),
            bytes: self.bytes.shown(),
            nodes: self.nodes.shown(),
            bytes_max: self.bytes_max.shown(),
            nodes_max: self.nodes_max.shown(),
            right: self.right.shown(),
        }
    }
}

/// How a space and its remote stand.
#[napi(object, object_from_js = false)]
pub struct SpaceSync {
    /// The space.
    pub space: String,
    /// The number of the last commit that this machine knows; 0 before the first.
    pub commit: i64,
    /// When this machine and the remote last agreed, as RFC 3339.
    pub agreed: Option<String>,
    /// Versions made here that the remote lacks.
    pub ahead: i64,
    /// Since when something waits to be pushed, as RFC 3339.
    pub waiting_since: Option<String>,
    /// Readable copies that are still to be written.
    pub copies_due: i64,
    /// Files that are not pushed, because their contents are lost here and nowhere else.
    pub withheld: Vec<String>,
    /// Files that keep an older content here, because the remote names a newer one and does
    /// not have it.
    pub missing: Vec<String>,
    /// Conflicts that nobody has resolved.
    pub conflicts: i64,
    /// Why the last try failed, if it did.
    pub failure: Option<String>,
    /// When it is tried again, as RFC 3339.
    pub retry_at: Option<String>,
}

impl Shown for records::SpaceSync {
    type Js = SpaceSync;

    fn shown(self) -> SpaceSync {
        SpaceSync {
            space: self.space.shown(),
            commit: self.commit.shown(),
            agreed: self.agreed.shown(),
            ahead: self.ahead.shown(),
            waiting_since: self.waiting_since.shown(),
            copies_due: self.copies_due.shown(),
            withheld: self.withheld.shown(),
            missing: self.missing.shown(),
            conflicts: self.conflicts.shown(),
            failure: self.failure.shown(),
            retry_at: self.retry_at.shown(),
        }
    }
}

/// What an agent should know at its start.
#[napi(object, object_from_js = false)]
pub struct Standing {
    /// Compact Markdown: what is pinned, what matters most, and what else there is.
    pub text: String,
    /// Its tokens.
    pub tokens: i64,
}

impl Shown for records::Standing {
    type Js = Standing;

    fn shown(self) -> Standing {
        Standing { text: self.text.shown(), tokens: self.tokens.shown() }
    }
}

/// What is known of a file or directory without reading it.
#[napi(object, object_from_js = false)]
pub struct Stat {
    /// Where it is.
    pub path: String,
    /// What it is.
    #[napi(
        ts_type = "'file' | 'directory' | 'link' | 'pipe' | 'socket' | 'character device' | 'block device'"
    )]
    pub kind: String,
    /// Its length in bytes; of a link that of its target.
    pub size: i64,
    /// Permission bits as octal text, such as `0644`.
    pub mode: String,
    /// Owning user on the host.
    pub uid: u32,
    /// Owning group on the host.
    pub gid: u32,
    /// Names that lead to it.
    pub links: u32,
    /// When it was made, as RFC 3339.
    pub created: String,
    /// When its content last changed, as RFC 3339.
    pub modified: String,
    /// When anything about it last changed, as RFC 3339.
    pub changed: String,
    /// From when on it is no longer there, as RFC 3339.
    pub expires: Option<String>,
    /// Its last change.
    pub version: i64,
    /// The space that holds it.
    pub space: String,
    /// Its node, the same through renames.
    pub node: String,
}

impl Shown for records::Stat {
    type Js = Stat;

    fn shown(self) -> Stat {
        Stat {
            path: self.path.shown(),
            kind: self.kind.shown(),
            size: self.size.shown(),
            mode: self.mode.shown(),
            uid: self.uid.shown(),
            gid: self.gid.shown(),
            links: self.links.shown(),
            created: self.created.shown(),
            modified: self.modified.shown(),
            changed: self.changed.shown(),
            expires: self.expires.shown(),
            version: self.version.shown(),
            space: self.space.shown(),
            node: self.node.shown(),
        }
    }
}

/// How a store is.
#[napi(object, object_from_js = false)]
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
    #[napi(ts_type = "Array<[string, string]>")]
    pub failed_spaces: Vec<Vec<String>>,
    /// Free bytes of the disk.
    pub disk_free_bytes: i64,
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
    pub abandoned_scripts: i64,
}

impl Shown for records::Status {
    type Js = Status;

    fn shown(self) -> Status {
        Status {
            dir: self.dir.shown(),
            pid: self.pid.shown(),
            version: self.version.shown(),
            format: self.format.shown(),
            load: self.load.shown(),
            poisoned: self.poisoned.shown(),
            fold_failure: self.fold_failure.shown(),
            failed_spaces: self.failed_spaces.shown(),
            disk_free_bytes: self.disk_free_bytes.shown(),
            disk_full: self.disk_full.shown(),
            indexes: self.indexes.shown(),
            embedder_failure: self.embedder_failure.shown(),
            remote: self.remote.shown(),
            mounts: self.mounts.shown(),
            abandoned_scripts: self.abandoned_scripts.shown(),
        }
    }
}

/// What a sync did to one space.
#[napi(object, object_from_js = false)]
pub struct Synced {
    /// The space.
    pub space: String,
    /// The number of the commit that this machine and the remote agree on; 0 before the first.
    pub commit: i64,
    /// Nodes that changed here.
    pub pulled: i64,
    /// Nodes that changed there.
    pub pushed: i64,
    /// Conflicts that were noted.
    pub conflicts: i64,
}

impl Shown for records::Synced {
    type Js = Synced;

    fn shown(self) -> Synced {
        Synced {
            space: self.space.shown(),
            commit: self.commit.shown(),
            pulled: self.pulled.shown(),
            pushed: self.pushed.shown(),
            conflicts: self.conflicts.shown(),
        }
    }
}

/// A tag, and how many files have it.
#[napi(object, object_from_js = false)]
pub struct Tag {
    /// The tag.
    pub tag: String,
    /// How many files have it.
    pub count: i64,
}

impl Shown for records::Tag {
    type Js = Tag;

    fn shown(self) -> Tag {
        Tag { tag: self.tag.shown(), count: self.count.shown() }
    }
}

/// A removed file or directory that can be brought back.
#[napi(object, object_from_js = false)]
pub struct Trashed {
    /// Where it was.
    pub path: String,
    /// What it was.
    #[napi(
        ts_type = "'file' | 'directory' | 'link' | 'pipe' | 'socket' | 'character device' | 'block device'"
    )]
    pub kind: String,
    /// Its length in bytes.
    pub size: i64,
    /// The change that removed it.
    pub version: i64,
    /// When, as RFC 3339.
    pub time: String,
    /// By whom.
    pub agent: String,
    /// Its node.
    pub node: String,
}

impl Shown for records::Trashed {
    type Js = Trashed;

    fn shown(self) -> Trashed {
        Trashed {
            path: self.path.shown(),
            kind: self.kind.shown(),
            size: self.size.shown(),
            version: self.version.shown(),
            time: self.time.shown(),
            agent: self.agent.shown(),
            node: self.node.shown(),
        }
    }
}
