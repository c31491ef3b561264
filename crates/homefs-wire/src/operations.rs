//! The table of operations: what a view, a store and its owner can be asked.
//!
//! A row says whether the operation reads or changes; whether it ends soon, or asks a remote or a
//! source, which may take minutes; who may ask for it ([`Needs`]); who answers it (the view, the
//! store, its remotes, or the owner's shells); its name as a message and as a method, its arguments
//! as they are borrowed, and its answer; then what it is called at the command line, in the shell, by
//! MCP clients, in SDKs and in a mount, or why it is not there. Python and Node share a column: they
//! have the same methods, in the spelling of each.
//!
//! Whoever makes something of the rows names a macro that takes them (`operations!`): messages and
//! their answers are made so in `homefs-api`, which has the types that rows name.

use Cell::{As, No};

/// What is known of an operation without calling it.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    /// Its name, the same in every face.
    pub name: &'static str,
    /// Whether it changes what a view shows.
    pub changes: bool,
    /// Whether it may take minutes, because it asks a remote or a source.
    pub asks: bool,
    /// Who may ask for it.
    pub needs: Needs,
    /// What it does, in one line.
    pub summary: &'static str,
    cells: [Cell; 5],
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
    /// Finds an operation by its name.
    pub fn find(name: &str) -> Option<&'static Self> {
        OPERATIONS.iter().find(|operation| operation.name == name)
    }

    /// Returns what the operation is in a face.
    pub fn at(&self, face: Face) -> Way {
        let [cli, shell, mcp, sdk, mount] = self.cells;
        let cell = match face {
            Face::Cli => cli,
            Face::Shell => shell,
            Face::Mcp => mcp,
            Face::Python | Face::Node => sdk,
            Face::Mount => mount,
        };
        match cell {
            As(name) if face == Face::Node => Way::Named(camel_case(name)),
            As(name) => Way::Named(name.to_owned()),
            No(why) => Way::Absent(why),
        }
    }
}

/// A way in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Face {
    /// A command of `homefs`.
    Cli,
    /// A builtin of the shell.
    Shell,
    /// A tool for MCP clients.
    Mcp,
    /// A method of Python's home.
    Python,
    /// A method of Node's home.
    Node,
    /// What a program does in a mount.
    Mount,
}

impl Face {
    /// Every face, in the order of the page.
    pub const ALL: [Self; 6] =
        [Self::Cli, Self::Shell, Self::Mcp, Self::Python, Self::Node, Self::Mount];

    /// Returns what the face is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cli => "cli",
            Self::Shell => "shell",
            Self::Mcp => "mcp",
            Self::Python => "python",
            Self::Node => "node",
            Self::Mount => "mount",
        }
    }
}

/// What one operation is in one face.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Way {
    /// Its name there.
    Named(String),
    /// Why it is not there.
    Absent(&'static str),
}

#[derive(Clone, Copy, Debug)]
enum Cell {
    As(&'static str),
    No(&'static str),
}

/// Spells a name as JavaScript does.
pub fn camel_case(name: &str) -> String {
    let mut parts = name.split('_');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |spelt, part| {
        let (initial, rest) = part.split_at(part.len().min(1));
        spelt + &initial.to_uppercase() + rest
    })
}

/// A person decides it, at the command line.
const PERSON: Cell = No("for people, at the command line");
/// It is about the store, and a script or a mount has a home.
const STORE: Cell = No("about the store, not a home");
/// A file system has no such call.
const NO_CALL: Cell = No("file systems have no call for it");
/// MCP clients have few tools, since each costs tokens; the shell has the rest.
const BY_SHELL: Cell = No("by the tool `shell`");
/// What a mount offers besides files.
const BY_COMMAND: Cell = No("by the command line, also while mounted");
/// Another operation is made of it.
const A_PART: Cell = No("a part of other operations");
/// Another operation does it there.
const WHOLE: Cell =
    No("files are written as a whole; a mount, and a file that Python opens, write parts");

macro_rules! changes {
    (reads) => {
        false
    };
    (changes) => {
        true
    };
}

macro_rules! asks {
    (asks) => {
        true
    };
    (soon) => {
        false
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

macro_rules! described {
    ($(
        #[doc = $doc:literal]
        $effect:ident $manner:ident $needs:ident $target:ident $variant:ident $method:ident
            ( $($argument:ident: [$($kind:tt)+]),* ) -> $answer:ty
            => [$($cell:expr),+];
    )*) => {
        /// Every operation, in the order of the table.
        pub const OPERATIONS: &[Operation] = &[$(Operation {
            name: stringify!($method),
            changes: changes!($effect),
            asks: asks!($manner),
            needs: needs!($needs),
            summary: $doc.trim_ascii(),
            cells: [$($cell),+],
        }),*];
    };
}

/// Hands the rows to a macro.
#[macro_export]
macro_rules! operations {
    ($take:ident) => {
        $take! {
            /// Reads a whole file.
            reads soon agent view Read read(path: [&Path]) -> Bytes
                => [As("cat"), As("cat"), As("read_text_file"), As("read"), As("read")];
            /// Reads small files one after another, as many as fit into one answer.
            reads soon agent view ReadMany read_many(paths: [&[Path]]) -> Vec<Bytes>
                => [A_PART, As("grep -r"), A_PART, A_PART, A_PART];
            /// Reads a part of a file; fewer bytes at its end.
            reads soon agent view ReadAt read_at(path: [&Path], offset: [u64], len: [usize]) -> Bytes
                => [No("`cat` prints the whole, pipes cut it"), As("head -c"),
                    As("read_text_file"), As("read_bytes"), As("pread")];
            /// Reads a part of a file as it was.
            reads soon agent view ReadPast read_past(
                path: [&Path], moment: [Moment], offset: [u64], len: [usize]) -> Bytes
                => [As("cat --version"), No("`homefs restore` makes it the present"),
                    As("history"), As("read"), BY_COMMAND];
            /// Writes a whole file.
            changes soon agent view Write write(
                path: [&Path], content: [&[u8]], options: [&WriteOptions]) -> Version
                => [As("write"), As("cat >"), As("write_file"), As("write"), As("write")];
            /// Adds to the end of a file.
            changes soon agent view Append append(
                path: [&Path], content: [&[u8]], options: [&WriteOptions]) -> Version
                => [As("append"), As("cat >>"), BY_SHELL, As("append"),
                    As("write with O_APPEND")];
            /// Changes a text in one place.
            changes soon agent view Edit edit(path: [&Path], edit: [&Edit], options: [&WriteOptions])
                -> Version
                => [As("edit"), No("`sed -i` does it"),
                    No("`edit_file` does several edits as one write"), As("edit"),
                    No("editors write the whole")];
            /// Writes a part of a file, not yet a version of its history.
            changes soon agent view WriteAt write_at(path: [&Path], offset: [u64], content: [&[u8]])
                -> Version
                => [WHOLE, WHOLE, WHOLE, WHOLE, As("pwrite")];
            /// Cuts or lengthens a file, not yet a version of its history.
            changes soon agent view Truncate truncate(path: [&Path], size: [u64]) -> Version
                => [WHOLE, As("truncate"), WHOLE, WHOLE, As("truncate")];
            /// Tells what is known of a node; a last link is not followed.
            reads soon agent view Stat stat(path: [&Path]) -> Stat
                => [As("stat"), As("stat"), As("get_file_info"), As("stat"), As("stat")];
            /// Sets attributes of a node.
            changes soon agent view SetAttrs set_attrs(path: [&Path], attrs: [&SetAttrs]) -> Version
                => [No("by the shell: `homefs exec chmod`"), As("chmod"), BY_SHELL,
                    No("by `sh`: `chmod`, `touch`"), As("chmod")];
            /// Returns the extended attributes of a node.
            reads soon agent view Xattrs xattrs(path: [&Path]) -> Xattrs
                => [As("stat"), No("`homefs meta` has what homefs notes"),
                    No("`get_file_info` has what homefs notes"),
                    No("`meta` has what homefs notes"), As("getxattr")];
            /// Returns what is noted about a node.
            reads soon agent view Meta meta(path: [&Path]) -> Metadata
                => [As("meta"), As("homefs meta"), BY_SHELL, As("meta"), As("cat FILE:meta")];
            /// Notes something about a node.
            changes soon agent view SetMeta set_meta(path: [&Path], set: [&SetMeta]) -> Version
                => [As("meta"), As("homefs meta"), BY_SHELL, As("set_meta"),
                    As("write to FILE:meta")];
            /// Returns where a symbolic link points.
            reads soon agent view ReadLink read_link(path: [&Path]) -> String
                => [As("stat"), As("readlink"), As("get_file_info"), As("readlink"),
                    As("readlink")];
            /// Makes a directory.
            changes soon agent view MakeDir make_dir(path: [&Path], parents: [bool]) -> Version
                => [As("mkdir"), As("mkdir"), As("create_directory"), As("mkdir"), As("mkdir")];
            /// Makes a symbolic link.
            changes soon agent view Symlink symlink(target: [&str], path: [&Path]) -> Version
                => [As("ln --symbolic"), As("ln -s"), BY_SHELL, As("symlink"), As("symlink")];
            /// Gives a file one more name.
            changes soon agent view Link link(existing: [&Path], new: [&Path]) -> Version
                => [As("ln"), As("ln"), BY_SHELL, As("link"), As("link")];
            /// Removes a node to the trash.
            changes soon agent view Remove remove(path: [&Path], recursive: [bool]) -> Version
                => [As("rm"), As("rm"), As("memory"), As("delete"), As("unlink")];
            /// Renames a node within its space.
            changes soon agent view Rename rename(from: [&Path], to: [&Path], mode: [RenameMode])
                -> Version
                => [As("mv"), As("mv"), As("move_file"), As("mv"), As("rename")];
            /// Copies a node.
            changes soon agent view Copy copy(from: [&Path], to: [&Path], recursive: [bool]) -> Version
                => [As("cp"), As("cp"), BY_SHELL, As("cp"), No("programs copy bytes")];
            /// Lists a directory, page by page.
            reads soon agent view List list(path: [&Path], after: [Option<&str>], limit: [usize])
                -> Page<Entry>
                => [As("ls"), As("ls"), As("list_directory"), As("ls"), As("readdir")];
            /// Lists everything below a directory, page by page.
            reads soon agent view Walk walk(path: [&Path], after: [Option<&str>], limit: [usize])
                -> Page<Found>
                => [As("tree"), As("find"), No("`directory_tree` lists directory by directory"),
                    As("walk"), As("find")];
            /// Finds nodes below a directory by a pattern, page by page.
            reads soon agent view Find find(
                path: [&Path], glob: [&str], after: [Option<&str>], limit: [usize]) -> Page<Found>
                => [As("find"), No("the shell's `find` walks, as GNU's"),
                    No("`search_files` walks, with the words of the official server"), As("find"),
                    As("find")];
            /// Lists the settled contents of a file, newest first.
            reads soon agent view Log log(path: [&Path], before: [Option<Version>], limit: [usize])
                -> Vec<Edition>
                => [As("log"), As("homefs log"), As("history"), As("log"),
                    As("cat FILE:history")];
            /// Shows how a file differs between two moments, as a unified diff.
            reads soon agent view Diff diff(path: [&Path], from: [Moment], to: [Moment]) -> String
                => [As("diff"), As("homefs diff"), As("history"), As("diff"),
                    As("cat FILE:diff")];
            /// Makes an old content of a file the present one.
            changes soon agent view Restore restore(path: [&Path], moment: [Moment]) -> Version
                => [As("restore"), As("homefs restore"), As("restore"), As("restore"),
                    BY_COMMAND];
            /// Lists what was removed and can be brought back, page by page.
            reads soon agent view Trash trash(after: [Option<&str>], limit: [usize]) -> Page<Trashed>
                => [As("trash"), As("homefs trash"), BY_SHELL, As("trash"), BY_COMMAND];
            /// Brings back what was removed.
            changes soon agent view Untrash untrash(path: [&Path], to: [Option<&Path>]) -> Version
                => [As("trash restore"), As("homefs untrash"), As("restore"), As("untrash"),
                    BY_COMMAND];
            /// Ends what is in the trash, and gives its room back.
            changes soon agent view EmptyTrash empty_trash() -> Purged
                => [As("trash empty"), PERSON, PERSON, PERSON, BY_COMMAND];
            /// Erases a node from the tree, the history and the trash.
            changes soon agent view Purge purge(path: [&Path]) -> Purged
                => [As("purge"), PERSON, PERSON, As("purge"), BY_COMMAND];
            /// Finds docs by words and meaning, the best first.
            reads soon agent view Search search(query: [&str], options: [&SearchOptions]) -> Vec<Hit>
                => [As("search"), As("search"), As("search"), As("search"), As("cat :search?q=")];
            /// Counts the files that a search knows by their names only, since their contents are not here.
            reads soon agent view Unseen unseen(below: [&Path]) -> u64
                => [As("search"), A_PART, A_PART, A_PART, BY_COMMAND];
            /// Finds the files that are most like a file.
            reads soon agent view Related related(path: [&Path], limit: [usize]) -> Vec<Hit>
                => [As("related"), As("homefs related"), BY_SHELL, As("related"),
                    As("cat FILE:related")];
            /// Returns the memories that answer a question best and fit a budget, as text to be quoted.
            reads soon agent view Recall recall(question: [&str], options: [&RecallOptions])
                -> Recalled
                => [As("recall"), As("recall"), As("recall"), As("recall"), As("cat :recall?q=")];
            /// Keeps a text as a file of its own, with what is known about it.
            changes soon agent view Remember remember(text: [&str], options: [&RememberOptions])
                -> Remembered
                => [As("remember"), As("remember"), As("remember"), As("remember"), BY_COMMAND];
            /// Lets a memory go: to the trash, or for good.
            changes soon agent view Forget forget(path: [&Path], purge: [bool]) -> Forgotten
                => [As("forget"), As("homefs forget"), As("forget"), As("forget"), BY_COMMAND];
            /// Lists what a note links to, and what links to it.
            reads soon agent view Links links(path: [&Path]) -> Links
                => [As("links"), As("cat FILE:links"), No("`read_text_file` of FILE:links"),
                    As("links"), As("cat FILE:links")];
            /// Counts the tags at and below a path.
            reads soon agent view Tags tags(path: [&Path]) -> Vec<(String, u64)>
                => [As("tags"), As("homefs tags"), BY_SHELL, As("tags"), As("cat :tags")];
            /// Lists files by when they were written, newest first.
            reads soon agent view Timeline timeline(options: [&TimelineOptions]) -> Vec<Noted>
                => [As("timeline"), As("cat :timeline"), No("`read_text_file` of :timeline"),
                    As("timeline"), As("cat :timeline")];
            /// Lists files that nobody has read for long and that matter little.
            reads soon agent view Stale stale(days: [u32], limit: [usize], below: [&Path])
                -> Vec<Noted>
                => [As("stale"), As("cat :stale"), No("`read_text_file` of :stale"), As("stale"),
                    As("cat :stale")];
            /// Returns what an agent should know at its start, within a budget.
            reads soon agent view Context context(max_tokens: [usize], tokenizer: [Tokenizer])
                -> Standing
                => [As("context"), As("homefs context"), As("context"), As("context"),
                    As("cat :context")];
            /// Returns the cursor from which changes after now can be watched.
            reads soon agent view Cursor cursor() -> Cursor
                => [As("watch --cursor"), No("a script does not wait for changes"),
                    No("resources have subscriptions"), As("cursor"),
                    No("the kernel is told of changes")];
            /// Waits for changes below a path and returns them.
            reads soon agent view Watch watch(
                path: [&Path], since: [&Cursor], wait: [Duration], limit: [usize]) -> Watched
                => [As("watch"), No("a script does not wait for changes"),
                    No("resources have subscriptions"), As("watch"), As("inotify")];
            /// Gives an agent or group a right below a path.
            changes soon manage view Grant grant(path: [&Path], subject: [&Subject], right: [Right])
                -> Version
                => [As("grant"), PERSON, PERSON, As("grant"), BY_COMMAND];
            /// Takes the rights of an agent or group at a path away.
            changes soon manage view Revoke revoke(path: [&Path], subject: [&Subject]) -> Version
                => [As("revoke"), PERSON, PERSON, As("revoke"), BY_COMMAND];
            /// Lists the rules of access that hold at a path.
            reads soon agent view Grants grants(path: [&Path]) -> Vec<Grant>
                => [As("grants"), PERSON, PERSON, As("grants"), BY_COMMAND];
            /// Puts an agent into a group or takes it out.
            changes soon operator view SetMember set_member(
                group: [&AgentId], agent: [&AgentId], member: [bool]) -> ()
                => [As("group add"), PERSON, PERSON, PERSON, BY_COMMAND];
            /// Lists the groups and their members.
            reads soon operator view Groups groups() -> BTreeMap<AgentId, Vec<AgentId>>
                => [As("group list"), PERSON, PERSON, PERSON, BY_COMMAND];
            /// Lists the spaces that the agent sees.
            reads soon agent view Spaces spaces() -> Vec<SpaceInfo>
                => [As("spaces"), As("homefs status"), BY_SHELL, As("spaces"), As("ls shared")];
            /// Lists the agents that have a home.
            reads soon agent view Agents agents() -> Vec<AgentId>
                => [As("agents"), PERSON, PERSON, As("agents"), BY_COMMAND];
            /// Bounds what may live in a space.
            changes soon operator view SetQuota set_quota(path: [&Path], quota: [Quota]) -> Version
                => [As("spaces quota"), PERSON, PERSON, PERSON, BY_COMMAND];
            /// Returns when everything acknowledged so far survives power loss.
            reads soon agent view Barrier barrier() -> ()
                => [As("write --durable"), No("the owner syncs by itself"),
                    No("the owner syncs by itself"), As("barrier"), As("fsync")];
            /// Tells how the store is.
            reads soon agent view Status status() -> Status
                => [As("status"), STORE, STORE, As("status"), As("cat :stats")];
            /// Checks every checksum and reference of the store and lists what is wrong.
            reads soon operator store Verify verify() -> Vec<Finding>
                => [As("fsck"), STORE, PERSON, PERSON, NO_CALL];
            /// Compares every index with the files it is made of and lists what is wrong.
            reads soon operator store VerifyIndexes verify_indexes() -> Vec<Finding>
                => [As("fsck"), STORE, PERSON, PERSON, NO_CALL];
            /// Copies the live store into a new directory.
            reads soon operator store Backup backup(to: [&HostPath]) -> ()
                => [As("backup"), STORE, PERSON, PERSON, NO_CALL];
            /// Tells which remote the store has.
            reads soon agent remotes Remote remote() -> Option<RemoteInfo>
                => [As("remote ls"), STORE, PERSON, As("status"), NO_CALL];
            /// Finds out what a remote honours, and makes it the store's.
            changes asks operator remotes RemoteAdd remote_add(config: [&RemoteConfig])
                -> Capabilities
                => [As("remote add"), STORE, PERSON, As("remote_add"), NO_CALL];
            /// Fetches what only the remote has, and lets the remote go.
            changes asks operator remotes RemoteRemove remote_rm(force: [bool]) -> u64
                => [As("remote rm"), STORE, PERSON, As("remote_rm"), NO_CALL];
            /// Finds out what the store's remote honours.
            reads asks operator remotes RemoteCheck remote_check() -> Capabilities
                => [As("remote check"), STORE, PERSON, PERSON, NO_CALL];
            /// Lists the spaces that the remote has.
            reads asks operator remotes RemoteSpaces remote_spaces() -> Vec<SpaceName>
                => [As("clone"), STORE, PERSON, PERSON, NO_CALL];
            /// Makes spaces and their remote agree.
            changes asks agent opened Sync sync(options: [&SyncOptions]) -> Vec<Synced>
                => [As("sync"), STORE, No("the owner syncs by itself"), As("sync"), BY_COMMAND];
            /// Ends what nobody needs in the remote, or tells what that would be.
            changes asks operator remotes Gc gc(dry_run: [bool]) -> Vec<(SpaceName, Swept)>
                => [As("gc"), STORE, PERSON, PERSON, NO_CALL];
            /// Sends again what the remote has lost, and lists what was wrong.
            changes asks operator remotes Mend mend() -> Vec<Finding>
                => [As("fsck"), STORE, PERSON, PERSON, NO_CALL];
            /// Lists the conflicts that nobody has resolved, oldest first.
            reads soon agent view Conflicts conflicts() -> Vec<Conflict>
                => [As("conflicts"), As("cat :conflicts"), No("`read_text_file` of :conflicts"),
                    As("conflicts"), As("cat :conflicts")];
            /// Closes conflicts by number, path or pattern, with one of their contents if asked.
            changes asks agent view Resolve resolve(which: [&str], take: [Option<Side>])
                -> Vec<Conflict>
                => [As("resolve"), PERSON, PERSON, As("resolve"), BY_COMMAND];
            /// Tells how far purges in the space at a path have come beyond this machine.
            reads soon agent view PurgeReceipt purge_receipt(path: [&Path]) -> Option<PurgedThere>
                => [As("purge"), PERSON, PERSON, No("`purge` returns it"), NO_CALL];
            /// Keeps everything at and below a path on this machine, or no longer.
            changes asks agent view Pin pin(path: [&Path], pinned: [bool]) -> ()
                => [As("pin"), STORE, PERSON, As("pin"), BY_COMMAND];
            /// Lists the paths that are kept on this machine.
            reads soon agent view Pins pins() -> Vec<Path>
                => [As("pin"), STORE, PERSON, As("pins"), BY_COMMAND];
            /// Returns when everything acknowledged so far is in the remote.
            reads asks agent view BarrierRemote barrier_remote(wait: [Duration]) -> ()
                => [As("write --pushed"), STORE, No("the owner syncs by itself"), As("write"),
                    NO_CALL];
            /// Shows a source below a path.
            changes asks manage view AttachSource attach_source(
                 path: [&Path], address: [&str], settings: [&BTreeMap<String, String>], read_only: [bool]) -> ()
                => [As("attach"), PERSON, PERSON, As("attach"), BY_COMMAND];
            /// Shows a source no longer; what the space has itself stays.
            changes soon manage view DetachSource detach_source(path: [&Path]) -> ()
                => [As("detach"), PERSON, PERSON, As("detach"), BY_COMMAND];
            /// Lists the sources that are attached.
            reads soon agent view Sources sources() -> Vec<Attachment>
                => [As("sources"), As("homefs sources"), BY_SHELL, As("sources"), BY_COMMAND];
            /// Looks for what has changed at a source.
            reads asks agent view RefreshSource refresh_source(path: [&Path]) -> ()
                => [As("sources --refresh"), As("homefs sources --refresh"), As("list_directory"),
                    As("refresh"), BY_COMMAND];
            /// Lists what was changed over a source.
            reads asks agent view SourceChanges source_changes(path: [&Path]) -> Vec<SourceChange>
                => [As("changes"), PERSON, PERSON, As("changes"), BY_COMMAND];
            /// Does to a source what was changed over it.
            changes asks agent view WriteBack write_back(path: [&Path], overwrite: [bool])
                -> Vec<SourceChange>
                => [As("write-back"), PERSON, PERSON, As("write_back"), BY_COMMAND];
            /// Gives up what was changed over a source.
            changes asks agent view DiscardSourceChanges discard_source_changes(path: [&Path]) -> ()
                => [As("changes --discard"), PERSON, PERSON, As("discard_changes"), BY_COMMAND];
            /// Names the files below a directory in which a regular expression may match, if that is known.
            reads soon agent view Candidates candidates(
                below: [&Path], pattern: [&str], fold_case: [bool]) -> Option<Vec<Path>>
                => [A_PART, As("grep -r"), As("shell"), A_PART, NO_CALL];
            /// Finds the lines of files that match a pattern, page by page.
            reads soon agent view Grep grep(pattern: [&str], options: [&GrepOptions]) -> Grepped
                => [As("grep"), No("the shell's `grep` is GNU's"), As("grep"), As("grep"),
                    No("programs read the files")];
            /// Counts the scripts that the owner gave up and that run on nevertheless.
            reads soon agent workers AbandonedScripts abandoned_scripts() -> usize
                => [As("status"), STORE, STORE, As("status"), NO_CALL];
            /// Returns where the file is that a path means by its handle; any other path as it is.
            reads soon agent view Meant meant(path: [&Path]) -> Path
                => [A_PART, A_PART, A_PART, A_PART, BY_COMMAND];
        }
    };
}

operations!(described);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_says_something() {
        for row in OPERATIONS {
            for face in Face::ALL {
                let says = match row.at(face) {
                    Way::Named(name) => !name.is_empty(),
                    // A reason is more than a word.
                    Way::Absent(why) => why.contains(' '),
                };
                assert!(says, "{} in {}", row.name, face.name());
            }
        }
    }

    #[test]
    fn what_asks_a_remote_need_not_change_anything() {
        let asking = OPERATIONS.iter().filter(|row| row.asks && !row.changes);
        let names: Vec<&str> = asking.map(|row| row.name).collect();
        let expected =
            ["remote_check", "remote_spaces", "barrier_remote", "refresh_source", "source_changes"];
        assert_eq!(names, expected);
    }

    #[test]
    fn names_are_spelt_as_each_language_does() {
        let row = Operation::find("set_meta").unwrap();
        assert_eq!(row.at(Face::Python), Way::Named("set_meta".into()));
        assert_eq!(row.at(Face::Node), Way::Named("setMeta".into()));
    }
}
