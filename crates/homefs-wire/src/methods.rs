//! The table of methods: what a program can ask of a home, in every language and by every protocol.
//!
//! A row says whether the method changes anything, whether it may wait long, its name, its
//! arguments with what they are if nobody says, and its answer. Arguments before the `;` are given
//! by position, those after it by name. A row that ends with the name of an operation asks just that,
//! with the same arguments in the same order; what the others do is in `homefs_api::calls`. The
//! methods of both SDKs, their types and their asynchronous twins are made from here by `cargo xtask
//! gen`.
//!
//! `soon` is what ends soon, `late` what may wait for a remote, a disk or a person, and `own` what
//! each SDK has its own form of, because it hands over memory, signals or iterators.

use std::collections::BTreeMap;
use std::time::Duration;

use homefs_core::time::Moment;
use homefs_core::{AgentId, Path, SpaceName, Timestamp, Version};

use crate::records::{
    Conflicting, Edition, Forgotten, Grant, Hit, Links, Match, Metadata, Noted, Output, Recall,
    Remembered, Source, SourceChange, Space, Standing, Stat, Status, Synced, Tag, Trashed,
};
use crate::words::{Alike, Direction, Durability, Right, SearchKind, Side, Strategy, Tokenizer};

/// A method of a home, as a value that holds its arguments.
pub trait Method {
    /// What it answers.
    type Answer;
    /// Its name, as Python spells it.
    const NAME: &'static str;
    /// Whether it changes anything.
    const CHANGES: bool;
    /// Whether it may wait for long.
    const WAITS: bool;
}

macro_rules! changes {
    (reads) => {
        false
    };
    (changes) => {
        true
    };
}

macro_rules! waits {
    (late) => {
        true
    };
    ($other:ident) => {
        false
    };
}

/// Makes the description of an argument.
#[cfg(feature = "schema")]
macro_rules! argument {
    ($generator:ident $is_named:literal $name:ident [$($doc:literal)*] $kind:ty) => {
        crate::schema::argument::<$kind>(
            $generator, stringify!($name), $is_named, concat!($($doc, "\n"),*), None)
    };
    ($generator:ident $is_named:literal $name:ident [$($doc:literal)*] $kind:ty, $usual:expr) => {{
        let usual: $kind = $usual;
        crate::schema::argument::<$kind>(
            $generator, stringify!($name), $is_named, concat!($($doc, "\n"),*),
            serde_json::to_value(usual).ok())
    }};
}

macro_rules! declared {
    ($(
        $(#[doc = $doc:literal])+
        $effect:ident $manner:ident $method:ident $name:ident (
            $( $(#[doc = $place_doc:literal])* $place:ident : $place_kind:ty $(= $place_usual:expr)? ),*
            $(; $( $(#[doc = $option_doc:literal])* $option:ident : $option_kind:ty $(= $option_usual:expr)? ),+ )?
        ) -> $answer:ty $(= $operation:ident)?;
    )*) => {
        $(
            $(#[doc = $doc])+
            #[derive(Clone, Debug, PartialEq)]
            #[allow(missing_docs, reason = "an argument whose name says what it is has no words")]
            pub struct $method {
                $( $(#[doc = $place_doc])* pub $place: $place_kind, )*
                $( $( $(#[doc = $option_doc])* pub $option: $option_kind, )+ )?
            }

            impl Method for $method {
                type Answer = $answer;
                const NAME: &'static str = stringify!($name);
                const CHANGES: bool = changes!($effect);
                const WAITS: bool = waits!($manner);
            }
        )*

        /// Describes every method, in the order of the table.
        #[cfg(feature = "schema")]
        pub fn described(generator: &mut schemars::SchemaGenerator) -> Vec<crate::schema::Described> {
            vec![$( crate::schema::Described {
                name: stringify!($name),
                method: stringify!($method),
                doc: concat!($($doc, "\n"),+),
                changes: changes!($effect),
                manner: stringify!($manner),
                arguments: vec![
                    $( argument!(generator false $place [$($place_doc)*] $place_kind $(, $place_usual)?), )*
                    $( $( argument!(generator true $option [$($option_doc)*] $option_kind $(, $option_usual)?), )+ )?
                ],
                answer: generator.subschema_for::<$answer>().to_value(),
            } ),*]
        }
    };
}

/// Content that is written or read: text, or bytes. It only says so; SDKs hand over memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {}

/// Hands the rows to a macro.
#[macro_export]
macro_rules! methods {
    ($take:ident) => {
        $take! {
            /// Writes a whole file and returns its version; missing directories are made.
            changes own Write write(path: Path, content: Content;
                /// Only if the file's last change is this one; 0 means that nothing is there.
                expected_version: Option<u64>,
                /// When the call returns: when the change survives the end of the process (`memory`, if not
                /// given), power loss (`journal`), or the loss of the machine (`remote`).
                durability: Option<Durability>
            ) -> Version;

            /// Adds to the end of a file, which is made if it is missing; returns its version.
            changes own Append append(path: Path, content: Content;
                expected_version: Option<u64>,
                durability: Option<Durability>
            ) -> Version;

            /// Returns the text of a file; of an old version or moment if one is given.
            reads own Read read(path: Path; version: Option<Moment>) -> String;

            /// Returns the bytes of a file, or of a part of it; fewer at its end.
            reads own ReadBytes read_bytes(
                path: Path, offset: u64 = 0, length: Option<usize>;
                version: Option<Moment>
            ) -> Content;

            /// Replaces a text that occurs once in a file, or all its occurrences; returns the version.
            changes soon Edit edit(path: Path, old: String, new: String;
                /// Replace every occurrence; else there must be exactly one.
                all: bool = false,
                /// Only if the file's last change is this one.
                expected_version: Option<u64>,
                /// When the call returns: when the change survives the end of the process, power loss, or
                /// the loss of the machine.
                durability: Durability = Durability::Memory
            ) -> Version;

            /// Inserts lines after a line, 0 being before the first; returns the file's version.
            changes soon Insert insert(path: Path, line: usize, text: String;
                /// Only if the file's last change is this one.
                expected_version: Option<u64>,
                /// When the call returns: when the change survives the end of the process, power loss, or
                /// the loss of the machine.
                durability: Durability = Durability::Memory
            ) -> Version;

            /// Tells what is known of a node; a last link is not followed.
            reads soon StatOf stat(path: Path) -> Stat;

            /// Tells whether there is something at a path.
            reads soon Exists exists(path: Path) -> bool;

            /// Tells whether there is a file at a path.
            reads soon IsFile is_file(path: Path) -> bool;

            /// Tells whether there is a directory at a path.
            reads soon IsDir is_dir(path: Path) -> bool;

            /// Lists a directory by name, the root if none is given; a file is listed as itself.
            reads soon Ls ls(path: Option<Path>) -> Vec<Stat>;

            /// Shows everything below a directory as a tree, at most so many levels of it.
            reads soon Tree tree(path: Option<Path>, depth: Option<usize>) -> String;

            /// Finds nodes below a directory by a pattern; one without `/` matches names at any depth.
            ///
            /// With `/` it matches the path below the directory, where `**` stands for any number of
            /// directories.
            reads soon Find find(pattern: String = "**".into(), path: Option<Path>) -> Vec<Path>;

            /// Finds lines that match a regular expression, or a plain text if `literal` is set.
            ///
            /// Files of an attached source that cannot be read are left out; `sources` says which source
            /// does not answer, and why.
            reads soon Grep grep(pattern: String, path: Option<Path>;
                /// Only in files whose names match, such as `*.md`.
                glob: Option<String>,
                /// Take upper and lower case as the same.
                ignore_case: bool = false,
                /// The pattern is a text, not a regular expression.
                literal: bool = false,
                /// Most matches.
                limit: usize = 1000,
                /// Lines to show before each match.
                before: usize = 0,
                /// Lines to show after each match.
                after: usize = 0
            ) -> Vec<Match>;

            /// Lists everything below a directory.
            reads soon Walk walk(path: Option<Path>) -> Vec<Stat>;

            /// Makes a directory, and those on the way to it; returns its version.
            changes soon Mkdir mkdir(path: Path;
                /// Make missing directories on the way, and be content with one that exists.
                parents: bool = true
            ) -> Version = make_dir;

            /// Removes a node to the trash; a directory that is not empty only if asked.
            changes soon Delete delete(path: Path;
                /// Directories too, with everything in them.
                recursive: bool = false
            ) -> Version = remove;

            /// Moves a node to a path, or into a directory; also to another space.
            ///
            /// That is one step within a space; to another space it is a copy and a removal.
            changes soon Mv mv(source: Path, target: Path;
                /// Fail if the new path exists.
                no_replace: bool = false,
                /// Swap the two.
                exchange: bool = false
            ) -> Version;

            /// Copies a node to a path, or into a directory; a directory only if asked.
            changes soon Cp cp(source: Path, target: Path;
                /// Directories too, with everything in them.
                recursive: bool = false
            ) -> Version;

            /// Makes a symbolic link at a path.
            changes soon Symlink symlink(target: String, path: Path) -> Version = symlink;

            /// Gives a file one more name.
            changes soon Link link(existing: Path, new: Path) -> Version = link;

            /// Returns where a symbolic link points.
            reads soon Readlink readlink(path: Path) -> String = read_link;

            /// Finds notes by words and meaning, the best first; every write that returned before is seen.
            ///
            /// In a query, `"two words"` are a phrase, `pref*` finds words that begin so, `-word` leaves
            /// out, and `tag:t`, `path:notes`, `after:2026-01-31` and `before:2026-01-31` narrow. What is
            /// attached is not searched: `sources` lists it, and `grep` finds its lines.
            reads soon Search search(query: String;
                /// Most hits.
                limit: usize = 10,
                /// By words, by meaning, or by both.
                kind: SearchKind = SearchKind::Hybrid,
                /// Only in this space, such as `shared/market`, or in these.
                space: Vec<SpaceName> = Vec::new(),
                /// Only at and below this path.
                below: Option<Path>,
                /// Also what is no memory: what an ignore rule names, and files that are no text.
                all: bool = false
            ) -> Vec<Hit>;

            /// Finds the files that are most like a file.
            reads soon Related related(path: Path;
                /// Most hits.
                limit: usize = 10
            ) -> Vec<Hit> = related;

            /// Answers a question with the memories that matter, within a budget of tokens.
            reads soon RecallBy recall(question: String, max_tokens: usize = 2000;
                /// What counts beside relevance.
                strategy: Strategy = Strategy::Balanced,
                /// Only in this space, such as `shared/market`, or in these.
                space: Vec<SpaceName> = Vec::new(),
                /// Only at and below this path.
                below: Option<Path>,
                /// What is less relevant is left out.
                min_score: f32 = 0.0,
                /// Whose tokens are counted.
                tokenizer: Tokenizer = Tokenizer::O200k,
                /// Cite paths and versions instead of handles.
                paths: bool = false,
                /// Tell how every candidate was judged.
                explain: bool = false
            ) -> Recall;

            /// Keeps a text as a memory: a Markdown file below /memories. The same text again makes it
            /// new again; another text under the same title replaces what the agent said before.
            changes soon Remember remember(text: String;
                /// What it is called; its file is named after it, or after its first words.
                title: Option<String>,
                /// How much it matters, from 0 to 1.
                importance: Option<f64>,
                /// Its tags.
                tags: Vec<String> = Vec::new(),
                /// When it is forgotten by itself: `7d`, `12h` or a time as RFC 3339.
                ttl: Option<String>,
                /// The space it goes to, such as `shared/market`; the agent's home if not given.
                space: Option<SpaceName>,
                /// Where it comes from.
                source: Option<String>,
                /// If nearly the same is remembered already, add what is new to it, or link to it.
                alike: Option<Alike>,
                /// The memory that it takes the place of: a recall puts the new one first and marks
                /// that one as older.
                supersedes: Option<Path>
            ) -> Remembered;

            /// Lets a memory go, to the trash or for good; works on every file and directory.
            changes soon Forget forget(path: Path;
                /// Erase it from the files, the history, the trash and the index, and with the next sync
                /// from the remote.
                purge: bool = false
            ) -> Forgotten = forget;

            /// Erases a node from the tree, the history and the trash; tells what that took.
            changes soon Purge purge(path: Path) -> Forgotten;

            /// Returns what an agent should know at its start, within a budget of tokens.
            reads soon Context context(max_tokens: usize = 2000;
                /// Whose tokens are counted.
                tokenizer: Tokenizer = Tokenizer::O200k
            ) -> Standing;

            /// Lists what a note links to, and what links to it.
            reads soon LinksOf links(path: Path) -> Links = links;

            /// Counts the tags at and below a path.
            reads soon Tags tags(path: Option<Path>) -> Vec<Tag>;

            /// Lists files by when they were last written, newest first.
            reads soon Timeline timeline(below: Option<Path>;
                /// Not before this: a date, `2h ago` or `yesterday`.
                after: Option<Timestamp>,
                /// Before this.
                before: Option<Timestamp>,
                /// Most files.
                limit: usize = 20
            ) -> Vec<Noted>;

            /// Lists files that nobody has read for long and that matter little.
            reads soon Stale stale(below: Option<Path>;
                /// Neither read nor written for this many days.
                days: u32 = 90,
                /// Most files.
                limit: usize = 20
            ) -> Vec<Noted>;

            /// Lists the versions of a file, newest first, also of a removed one.
            reads soon Log log(path: Path;
                /// Most versions.
                limit: usize = 100,
                /// Only those before this version.
                before: Option<u64>
            ) -> Vec<Edition>;

            /// Shows how a file differs between two moments; from the version before the last to now.
            ///
            /// A moment is a version, or a time such as `2h ago`, `yesterday` or RFC 3339. What is shown is a
            /// unified diff, empty if they do not differ.
            reads soon Diff diff(path: Path, from: Option<Moment>, to: Option<Moment>) -> String;

            /// Makes an old version of a file the present one; returns the new version.
            changes soon Restore restore(path: Path, version: Moment) -> Version = restore;

            /// Lists what was removed and can be brought back, the last first.
            reads soon Trash trash() -> Vec<Trashed>;

            /// Brings back what the last removal of a path took, there or to another path.
            changes soon Untrash untrash(path: Path;
                /// Another path than that where it was.
                to: Option<Path>
            ) -> Version = untrash;

            /// Returns the cursor of this moment, from which changes can be watched.
            reads soon Cursor cursor() -> String;

            /// Returns what is noted about a node.
            reads soon Meta meta(path: Path) -> Metadata = meta;

            /// Notes something about a node; what is not named stays, and an empty value removes.
            changes soon SetMeta set_meta(path: Path;
                /// How much it matters, from 0 to 1.
                importance: Option<f64>,
                /// What it is called.
                title: Option<String>,
                /// Where it comes from.
                source: Option<String>,
                /// When it expires: `7d`, `1d12h`, `30m`, a time as RFC 3339, or `never`.
                ttl: Option<String>,
                /// Its tags, in the place of those that it has.
                tags: Option<Vec<String>>,
                /// Tags to add.
                add_tags: Vec<String> = Vec::new(),
                /// Tags to take away.
                remove_tags: Vec<String> = Vec::new(),
                /// Other notes by key; an empty one, or none, takes it away.
                other: BTreeMap<String, Option<String>> = BTreeMap::new()
            ) -> Version;

            /// Lets an agent, or a group as `group:name`, use a part of a shared space.
            changes soon GrantTo grant(path: Path, who: String, right: Right) -> Version;

            /// Takes the rights of an agent or group at a path away.
            changes soon Revoke revoke(path: Path, who: String) -> Version;

            /// Lists the rules of access that hold at a path.
            reads soon Grants grants(path: Option<Path>) -> Vec<Grant>;

            /// Lists the spaces that the agent sees.
            reads soon Spaces spaces() -> Vec<Space>;

            /// Lists the agents that have a home; for operators.
            reads soon Agents agents() -> Vec<AgentId> = agents;

            /// Makes spaces and their remote agree; with `wait` it goes on through outages.
            changes late Sync sync(;
                /// Which way.
                direction: Direction = Direction::Both,
                /// One space, such as `shared/market`; all if not given.
                space: Option<SpaceName>,
                /// Go on through outages until all is there; so it does if a timeout is given.
                wait: Option<bool>,
                /// Give up waiting after so long.
                timeout: Option<Duration>
            ) -> Vec<Synced>;

            /// Tells how the store is.
            reads soon StatusOf status() -> Status;

            /// Lists the conflicts that nobody has resolved, oldest first.
            reads soon Conflicts conflicts() -> Vec<Conflicting> = conflicts;

            /// Closes conflicts by number, path or pattern, with one of their contents if asked.
            changes late Resolve resolve(which: String, take: Option<Side>) -> Vec<Conflicting> = resolve;

            /// Attaches a remote to the store, where copies of all its homes are kept.
            changes late RemoteAdd remote_add(address: String;
                /// The server, such as `http://127.0.0.1:9000`.
                endpoint: Option<String>,
                /// The region of an S3 bucket.
                region: Option<String>,
                /// Name an S3 bucket in the host's name instead of the path.
                virtual_host: bool = false,
                /// No other machine ever writes there.
                single_writer: bool = false,
                /// What history calls this machine; its host name if not given.
                machine: Option<String>,
                /// Only read there, and send nothing.
                read_only: bool = false
            ) -> ();

            /// Fetches what only the remote has, unless forgone by `force`, and lets it go; returns how many
            /// bytes were fetched.
            changes late RemoteRm remote_rm(;
                /// Let it go though what only it has is then out of reach.
                force: bool = false
            ) -> u64 = remote_rm;

            /// Keeps everything at and below a path on this machine.
            changes late Pin pin(path: Path) -> ();

            /// Keeps it there no longer.
            changes late Unpin unpin(path: Path) -> ();

            /// Lists the paths that are kept on this machine.
            reads soon Pins pins() -> Vec<Path> = pins;

            /// Shows a folder, a bucket or a collection below a path.
            ///
            /// What is changed there stays in the home and never touches the source by itself.
            changes late Attach attach(source: String, path: Path;
                /// Refuse every change below the path.
                read_only: bool = false,
                /// How the source is read, by the names that its kind has for it.
                settings: BTreeMap<String, String> = BTreeMap::new()
            ) -> ();

            /// Shows a source no longer; what the home has itself stays.
            changes soon Detach detach(path: Path) -> () = detach_source;

            /// Lists the sources that are attached.
            reads soon Sources sources() -> Vec<Source> = sources;

            /// Looks at once for what has changed at a source.
            reads late Refresh refresh(path: Path) -> () = refresh_source;

            /// Lists what was changed over a source.
            reads late Changes changes(path: Path) -> Vec<SourceChange> = source_changes;

            /// Gives up what was changed over a source.
            changes late DiscardChanges discard_changes(path: Path) -> () = discard_source_changes;

            /// Does to a source what was changed over it; lists what was done. What was written there
            /// after it was changed here is refused, unless it is to be overwritten.
            changes late WriteBack write_back(path: Path; overwrite: bool = false)
                -> Vec<SourceChange> = write_back;

            /// Returns when everything acknowledged so far survives power loss.
            reads late Barrier barrier() -> () = barrier;

            /// Runs a script on the files of the home, in a worker if it was opened with `workers`.
            changes own Sh sh(script: String;
                session: Option<String>,
                timeout: Option<Duration>,
                stdin: Option<Content>
            ) -> Output;

            /// Ends the use of the home; later calls fail.
            reads own Close close() -> ();
        }
    };
}

methods!(declared);
