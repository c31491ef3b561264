//! The one table of operations.
//!
//! A row says whether the operation reads, changes, or asks the remote, which may take minutes; who
//! may ask for it ([`Needs`]); who answers it (the view, the store, its remotes, or the owner's
//! shells); its name as a message and as a method, its arguments as they are borrowed, and its
//! answer. What owns its arguments ([`Request`]), what
//! answers it ([`Response`], [`dispatch`]) and the methods of [`Client`] follow from that.

use std::collections::BTreeMap;
use std::path::{Path as HostPath, PathBuf};
use std::time::Duration;

use bytes::Bytes;
use homefs_core::{AgentId, Error, ErrorKind, Path, Result, SpaceName, Version};
use homefs_engine::{
    Attachment, Conflict, Cursor, Edit, Edition, Entry, Finding, Forgotten, Found, Grant,
    GrepOptions, Grepped, Hit, Links, Metadata, Moment, Noted, Page, Purged, PurgedThere, Quota,
    RecallOptions, Recalled, RememberOptions, Remembered, RenameMode, Right, SearchOptions,
    SetAttrs, SetMeta, Side, SourceChange, SpaceInfo, Standing, Stat, Status, Subject, Swept,
    SyncOptions, Synced, TimelineOptions, Tokenizer, Trashed, Watched, Who, WriteOptions, Xattrs,
};
use homefs_remote::Capabilities;
use serde::{Deserialize, Serialize};

use crate::client::Client;
use crate::lent::Lent;
use crate::remotes::{RemoteConfig, RemoteInfo};
use crate::role::Opened;

/// What is known of an operation without calling it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    /// Its name, the same in every face.
    pub name: &'static str,
    /// Whether it changes what a view shows.
    pub changes: bool,
    /// Whether it may take minutes, because it asks the remote.
    pub asks: bool,
    /// Who may ask for it.
    pub needs: Needs,
    /// What it does, in one line.
    pub summary: &'static str,
}

/// Who may ask for an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Any agent: it sees and changes what the guard lets it.
    Agent,
    /// Whoever may manage the path that it is about, which the guard asks for.
    Manage,
    /// An operator: it is about all homes, or about the host.
    Operator,
}

impl Operation {
    /// Refuses whoever may not ask for it.
    pub(crate) fn check(&self, who: &Who) -> Result<()> {
        if self.needs == Needs::Operator && !who.operator {
            let message = format!("{} is for operators: it is about all homes", self.name);
            return Err(Error::new(ErrorKind::Denied, message));
        }
        Ok(())
    }

    /// Finds an operation by its name.
    pub fn find(name: &str) -> Option<&'static Self> {
        OPERATIONS.iter().find(|operation| operation.name == name)
    }
}

/// The owned form of an argument.
macro_rules! owned {
    (&str) => { String };
    (&[u8]) => { Bytes };
    (&[$kind:ty]) => { Vec<$kind> };
    (&HostPath) => { PathBuf };
    (Option<&str>) => { Option<String> };
    (Option<&$kind:ty>) => { Option<$kind> };
    (&$kind:ty) => { $kind };
    ($kind:ty) => { $kind };
}

/// Makes the owned form of an argument.
macro_rules! own {
    ($value:ident &[u8]) => {
        Bytes::copy_from_slice($value)
    };
    // The owner works in another directory.
    ($value:ident &HostPath) => {
        absolute($value)?
    };
    ($value:ident &$($kind:tt)+) => {
        $value.to_owned()
    };
    ($value:ident Option<&str>) => {
        $value.map(str::to_owned)
    };
    ($value:ident Option<&$kind:ty>) => {
        $value.cloned()
    };
    ($value:ident $($kind:tt)+) => {
        $value
    };
}

/// Borrows an argument from its owned form.
macro_rules! lend {
    ($value:ident &$($kind:tt)+) => {
        &$value
    };
    ($value:ident Option<&str>) => {
        $value.as_deref()
    };
    ($value:ident Option<&$kind:ty>) => {
        $value.as_ref()
    };
    ($value:ident $($kind:tt)+) => {
        $value
    };
}

macro_rules! changes {
    (reads) => {
        false
    };
    ($other:ident) => {
        true
    };
}

macro_rules! asks {
    (asks) => {
        true
    };
    ($other:ident) => {
        false
    };
}

/// Finds who answers.
macro_rules! target {
    ($opened:ident opened) => {
        $opened
    };
    ($opened:ident $target:ident) => {
        $opened.$target
    };
}

macro_rules! needs {
    (agent) => {
        Needs::Agent
    };
    (manage) => {
        Needs::Manage
    };
    (operator) => {
        Needs::Operator
    };
}

macro_rules! operation {
    ($effect:ident $needs:ident $method:ident $doc:literal) => {
        Operation {
            name: stringify!($method),
            changes: changes!($effect),
            asks: asks!($effect),
            needs: needs!($needs),
            summary: $doc.trim_ascii(),
        }
    };
}

macro_rules! client_method {
    // Written by hand, because it waits.
    (reads $needs:ident watch $($rest:tt)*) => {};
    // Written by hand, because it names the agent.
    (asks $needs:ident sync $($rest:tt)*) => {};
    // Also here, the owner must be free to leave meanwhile.
    (asks $needs:ident $method:ident $doc:literal $target:ident $variant:ident
        ( $($argument:ident: [$($kind:tt)+]),* ) -> $answer:ty) => {
        #[doc = $doc]
        pub fn $method(&self, $($argument: $($kind)+),*) -> Result<$answer> {
            let request = Request::$variant { $($argument: own!($argument $($kind)+)),* };
            match self.ask_remote(&request)? {
                Response::$variant(answer) => Ok(answer),
                _ => Err(unlike(stringify!($method))),
            }
        }
    };
    ($effect:ident $needs:ident $method:ident $doc:literal $target:ident $variant:ident
        ( $($argument:ident: [$($kind:tt)+]),* ) -> $answer:ty) => {
        #[doc = $doc]
        pub fn $method(&self, $($argument: $($kind)+),*) -> Result<$answer> {
            if let Some(opened) = self.here() {
                const { operation!($effect $needs $method $doc) }.check(opened.view.who())?;
                return target!(opened $target).$method($($argument),*).outcome();
            }
            let request = Request::$variant { $($argument: own!($argument $($kind)+)),* };
            match self.send(request)? {
                Response::$variant(answer) => Ok(answer),
                _ => Err(unlike(stringify!($method))),
            }
        }
    };
}

macro_rules! operations {
    ($(
        #[doc = $doc:literal]
        $effect:ident $needs:ident $target:ident $variant:ident $method:ident
            ( $($argument:ident: [$($kind:tt)+]),* ) -> $answer:ty;
    )*) => {
        /// Every operation, in the order of the table.
        pub const OPERATIONS: &[Operation] = &[$(operation!($effect $needs $method $doc)),*];

        /// A call of an operation, with its arguments.
        #[derive(Clone, Debug, Serialize, Deserialize)]
        #[expect(missing_docs, reason = "the arguments are those of the view's method")]
        pub enum Request {
            $( #[doc = $doc] $variant { $($argument: owned!($($kind)+)),* }, )*
        }

        /// The answer to a [`Request`].
        #[derive(Clone, Debug, Serialize, Deserialize)]
        #[expect(clippy::large_enum_variant, reason = "a message has its answer in a box")]
        pub enum Response {
            $( #[doc = concat!("Answers `", stringify!($method), "`.")] $variant($answer), )*
        }

        impl Request {
            /// Returns what is known of the operation it asks for.
            pub fn operation(&self) -> &'static Operation {
                match self {
                    $( Self::$variant { .. } => const { &operation!($effect $needs $method $doc) }, )*
                }
            }
        }

        impl Client {
            $( client_method! {
                $effect $needs $method $doc $target $variant ( $($argument: [$($kind)+]),* ) -> $answer
            } )*
        }

        impl Lent {
            $( #[doc = $doc]
            pub fn $method(&self, $($argument: $($kind)+),*) -> Result<$answer> {
                let request = Request::$variant { $($argument: own!($argument $($kind)+)),* };
                match self.request(&request)? {
                    Response::$variant(answer) => Ok(answer),
                    _ => Err(unlike(stringify!($method))),
                }
            } )*
        }

        /// Answers a request here.
        pub(crate) fn dispatch(opened: &Opened, request: Request) -> Result<Response> {
            let operation = request.operation();
            let _span = tracing::debug_span!("dispatch", operation = operation.name).entered();
            operation.check(opened.view.who())?;
            match request {
                $( Request::$variant { $($argument),* } => target!(opened $target)
                    .$method($(lend!($argument $($kind)+)),*)
                    .outcome()
                    .map(Response::$variant), )*
            }
        }
    };
}

operations! {
    /// Reads a whole file.
    reads agent view Read read(path: [&Path]) -> Bytes;
    /// Reads small files one after another, as many as fit into one answer.
    reads agent view ReadMany read_many(paths: [&[Path]]) -> Vec<Bytes>;
    /// Reads a part of a file; fewer bytes at its end.
    reads agent view ReadAt read_at(path: [&Path], offset: [u64], len: [usize]) -> Bytes;
    /// Reads a part of a file as it was.
    reads agent view ReadPast read_past(path: [&Path], moment: [Moment], offset: [u64], len: [usize])
        -> Bytes;
    /// Writes a whole file.
    changes agent view Write write(path: [&Path], content: [&[u8]], options: [&WriteOptions])
        -> Version;
    /// Adds to the end of a file.
    changes agent view Append append(path: [&Path], content: [&[u8]], options: [&WriteOptions])
        -> Version;
    /// Changes a text in one place.
    changes agent view Edit edit(path: [&Path], edit: [&Edit], options: [&WriteOptions]) -> Version;
    /// Writes a part of a file, not yet a version of its history.
    changes agent view WriteAt write_at(path: [&Path], offset: [u64], content: [&[u8]]) -> Version;
    /// Cuts or lengthens a file, not yet a version of its history.
    changes agent view Truncate truncate(path: [&Path], size: [u64]) -> Version;
    /// Tells what is known of a node; a last link is not followed.
    reads agent view Stat stat(path: [&Path]) -> Stat;
    /// Sets attributes of a node.
    changes agent view SetAttrs set_attrs(path: [&Path], attrs: [&SetAttrs]) -> Version;
    /// Returns the extended attributes of a node.
    reads agent view Xattrs xattrs(path: [&Path]) -> Xattrs;
    /// Returns what is noted about a node.
    reads agent view Meta meta(path: [&Path]) -> Metadata;
    /// Notes something about a node.
    changes agent view SetMeta set_meta(path: [&Path], set: [&SetMeta]) -> Version;
    /// Returns where a symbolic link points.
    reads agent view ReadLink read_link(path: [&Path]) -> String;
    /// Makes a directory.
    changes agent view MakeDir make_dir(path: [&Path], parents: [bool]) -> Version;
    /// Makes a symbolic link.
    changes agent view Symlink symlink(target: [&str], path: [&Path]) -> Version;
    /// Gives a file one more name.
    changes agent view Link link(existing: [&Path], new: [&Path]) -> Version;
    /// Removes a node to the trash.
    changes agent view Remove remove(path: [&Path], recursive: [bool]) -> Version;
    /// Renames a node within its space.
    changes agent view Rename rename(from: [&Path], to: [&Path], mode: [RenameMode]) -> Version;
    /// Copies a node.
    changes agent view Copy copy(from: [&Path], to: [&Path], recursive: [bool]) -> Version;
    /// Lists a directory, page by page.
    reads agent view List list(path: [&Path], after: [Option<&str>], limit: [usize]) -> Page<Entry>;
    /// Lists everything below a directory, page by page.
    reads agent view Walk walk(path: [&Path], after: [Option<&str>], limit: [usize]) -> Page<Found>;
    /// Finds nodes below a directory by a pattern, page by page.
    reads agent view Find find(path: [&Path], glob: [&str], after: [Option<&str>], limit: [usize])
        -> Page<Found>;
    /// Lists the settled contents of a file, newest first.
    reads agent view Log log(path: [&Path], before: [Option<Version>], limit: [usize])
        -> Vec<Edition>;
    /// Shows how a file differs between two moments, as a unified diff.
    reads agent view Diff diff(path: [&Path], from: [Moment], to: [Moment]) -> String;
    /// Makes an old content of a file the present one.
    changes agent view Restore restore(path: [&Path], moment: [Moment]) -> Version;
    /// Lists what was removed and can be brought back, page by page.
    reads agent view Trash trash(after: [Option<&str>], limit: [usize]) -> Page<Trashed>;
    /// Brings back what was removed.
    changes agent view Untrash untrash(path: [&Path], to: [Option<&Path>]) -> Version;
    /// Ends what is in the trash, and gives its room back.
    changes agent view EmptyTrash empty_trash() -> Purged;
    /// Erases a node from the tree, the history and the trash.
    changes agent view Purge purge(path: [&Path]) -> Purged;
    /// Finds docs by words and meaning, the best first.
    reads agent view Search search(query: [&str], options: [&SearchOptions]) -> Vec<Hit>;
    /// Counts the files that a search knows by their names only, since their contents are not here.
    reads agent view Unseen unseen(below: [&Path]) -> u64;
    /// Finds the files that are most like a file.
    reads agent view Related related(path: [&Path], limit: [usize]) -> Vec<Hit>;
    /// Returns the memories that answer a question best and fit a budget, as text to be quoted.
    reads agent view Recall recall(question: [&str], options: [&RecallOptions]) -> Recalled;
    /// Keeps a text as a file of its own, with what is known about it.
    changes agent view Remember remember(text: [&str], options: [&RememberOptions]) -> Remembered;
    /// Lets a memory go: to the trash, or for good.
    changes agent view Forget forget(path: [&Path], purge: [bool]) -> Forgotten;
    /// Lists what a note links to, and what links to it.
    reads agent view Links links(path: [&Path]) -> Links;
    /// Counts the tags at and below a path.
    reads agent view Tags tags(path: [&Path]) -> Vec<(String, u64)>;
    /// Lists files by when they were written, newest first.
    reads agent view Timeline timeline(options: [&TimelineOptions]) -> Vec<Noted>;
    /// Lists files that nobody has read for long and that matter little.
    reads agent view Stale stale(days: [u32], limit: [usize], below: [&Path]) -> Vec<Noted>;
    /// Returns what an agent should know at its start, within a budget.
    reads agent view Context context(max_tokens: [usize], tokenizer: [Tokenizer]) -> Standing;
    /// Returns the cursor from which changes after now can be watched.
    reads agent view Cursor cursor() -> Cursor;
    /// Waits for changes below a path and returns them.
    reads agent view Watch watch(path: [&Path], since: [&Cursor], wait: [Duration], limit: [usize])
        -> Watched;
    /// Gives an agent or group a right below a path.
    changes manage view Grant grant(path: [&Path], subject: [&Subject], right: [Right]) -> Version;
    /// Takes the rights of an agent or group at a path away.
    changes manage view Revoke revoke(path: [&Path], subject: [&Subject]) -> Version;
    /// Lists the rules of access that hold at a path.
    reads agent view Grants grants(path: [&Path]) -> Vec<Grant>;
    /// Puts an agent into a group or takes it out.
    changes operator view SetMember set_member(group: [&AgentId], agent: [&AgentId], member: [bool]) -> ();
    /// Lists the groups and their members.
    reads operator view Groups groups() -> BTreeMap<AgentId, Vec<AgentId>>;
    /// Lists the spaces that the agent sees.
    reads agent view Spaces spaces() -> Vec<SpaceInfo>;
    /// Lists the agents that have a home.
    reads agent view Agents agents() -> Vec<AgentId>;
    /// Bounds what may live in a space.
    changes operator view SetQuota set_quota(path: [&Path], quota: [Quota]) -> Version;
    /// Returns when everything acknowledged so far survives power loss.
    reads agent view Barrier barrier() -> ();
    /// Tells how the store is.
    reads agent view Status status() -> Status;
    /// Checks every checksum and reference of the store and lists what is wrong.
    reads operator store Verify verify() -> Vec<Finding>;
    /// Compares every index with the files it is made of and lists what is wrong.
    reads operator store VerifyIndexes verify_indexes() -> Vec<Finding>;
    /// Copies the live store into a new directory.
    reads operator store Backup backup(to: [&HostPath]) -> ();
    /// Tells which remote the store has.
    reads agent remotes Remote remote() -> Option<RemoteInfo>;
    /// Finds out what a remote honours, and makes it the store's.
    asks operator remotes RemoteAdd remote_add(config: [&RemoteConfig]) -> Capabilities;
    /// Fetches what only the remote has, and lets the remote go.
    asks operator remotes RemoteRemove remote_rm(force: [bool]) -> u64;
    /// Finds out what the store's remote honours.
    asks operator remotes RemoteCheck remote_check() -> Capabilities;
    /// Lists the spaces that the remote has.
    asks operator remotes RemoteSpaces remote_spaces() -> Vec<SpaceName>;
    /// Makes spaces and their remote agree.
    asks agent opened Sync sync(options: [&SyncOptions]) -> Vec<Synced>;
    /// Ends what nobody needs in the remote, or tells what that would be.
    asks operator remotes Gc gc(dry_run: [bool]) -> Vec<(SpaceName, Swept)>;
    /// Sends again what the remote has lost, and lists what was wrong.
    asks operator remotes Mend mend() -> Vec<Finding>;
    /// Lists the conflicts that nobody has resolved, oldest first.
    reads agent view Conflicts conflicts() -> Vec<Conflict>;
    /// Closes conflicts by number, path or pattern, with one of their contents if asked.
    asks agent view Resolve resolve(which: [&str], take: [Option<Side>]) -> Vec<Conflict>;
    /// Tells how far purges in the space at a path have come beyond this machine.
    reads agent view PurgeReceipt purge_receipt(path: [&Path]) -> Option<PurgedThere>;
    /// Keeps everything at and below a path on this machine, or no longer.
    asks agent view Pin pin(path: [&Path], pinned: [bool]) -> ();
    /// Lists the paths that are kept on this machine.
    reads agent view Pins pins() -> Vec<Path>;
    /// Returns when everything acknowledged so far is in the remote.
    asks agent view BarrierRemote barrier_remote(wait: [Duration]) -> ();
    /// Shows a source below a path.
    asks manage view AttachSource attach_source(
        path: [&Path], address: [&str], settings: [&BTreeMap<String, String>], read_only: [bool])
        -> ();
    /// Shows a source no longer; what the space has itself stays.
    changes manage view DetachSource detach_source(path: [&Path]) -> ();
    /// Lists the sources that are attached.
    reads agent view Sources sources() -> Vec<Attachment>;
    /// Looks for what has changed at a source.
    asks agent view RefreshSource refresh_source(path: [&Path]) -> ();
    /// Lists what was changed over a source.
    asks agent view SourceChanges source_changes(path: [&Path]) -> Vec<SourceChange>;
    /// Does to a source what was changed over it.
    asks agent view WriteBack write_back(path: [&Path]) -> Vec<SourceChange>;
    /// Gives up what was changed over a source.
    asks agent view DiscardSourceChanges discard_source_changes(path: [&Path]) -> ();
    /// Names the files below a directory in which a regular expression may match, if that is known.
    reads agent view Candidates candidates(below: [&Path], pattern: [&str], fold_case: [bool])
        -> Option<Vec<Path>>;
    /// Finds the lines of files that match a pattern, page by page.
    reads agent view Grep grep(pattern: [&str], options: [&GrepOptions]) -> Grepped;
    /// Counts the scripts that the owner gave up and that run on nevertheless.
    reads agent workers AbandonedScripts abandoned_scripts() -> usize;
}

/// Lets a row name a method that cannot fail.
trait Outcome {
    type Answer;
    fn outcome(self) -> Result<Self::Answer>;
}

impl<T> Outcome for Result<T> {
    type Answer = T;
    fn outcome(self) -> Self {
        self
    }
}

impl<T> Outcome for Option<T> {
    type Answer = Self;
    fn outcome(self) -> Result<Self> {
        Ok(self)
    }
}

impl Outcome for usize {
    type Answer = Self;
    fn outcome(self) -> Result<Self> {
        Ok(self)
    }
}

impl Outcome for Status {
    type Answer = Self;
    fn outcome(self) -> Result<Self> {
        Ok(self)
    }
}

/// Returns a place on the host as every process names it.
pub(crate) fn absolute(place: &HostPath) -> Result<PathBuf> {
    std::path::absolute(place).map_err(|error| {
        Error::io("find the present directory", error).with_path_text(place.to_string_lossy())
    })
}

/// Makes the error of an answer to another question.
pub(crate) fn unlike(operation: &str) -> Error {
    Error::new(ErrorKind::Internal, format!("the owner answered something else than {operation}"))
}
