//! What every operation is called in every face, or why a face does without it.
//!
//! The page `docs/faces.md` is made from this table, and tests hold it against the table of
//! operations and against the faces themselves. Python and Node share a column: they have the same
//! methods, in the spelling of each.

use Cell::{As, No};

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

/// One operation in all faces.
#[derive(Clone, Copy, Debug)]
pub struct FaceRow {
    /// The operation, as the table of operations names it.
    pub operation: &'static str,
    cli: Cell,
    shell: Cell,
    mcp: Cell,
    sdk: Cell,
    mount: Cell,
}

impl FaceRow {
    /// Returns what the operation is in a face.
    pub fn at(&self, face: Face) -> Way {
        let cell = match face {
            Face::Cli => self.cli,
            Face::Shell => self.shell,
            Face::Mcp => self.mcp,
            Face::Python | Face::Node => self.sdk,
            Face::Mount => self.mount,
        };
        match cell {
            As(name) if face == Face::Node => Way::Named(camel_case(name)),
            As(name) => Way::Named(name.to_owned()),
            No(why) => Way::Absent(why),
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Cell {
    As(&'static str),
    No(&'static str),
}

const fn row(
    operation: &'static str,
    cli: Cell,
    shell: Cell,
    mcp: Cell,
    sdk: Cell,
    mount: Cell,
) -> FaceRow {
    FaceRow { operation, cli, shell, mcp, sdk, mount }
}

/// Spells a name as JavaScript does.
fn camel_case(name: &str) -> String {
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

/// Every operation, in the order of the table of operations.
#[rustfmt::skip]
pub const FACES: &[FaceRow] = &[
    row("read", As("cat"), As("cat"), As("read_text_file"), As("read"), As("read")),
    row("read_many", A_PART, As("grep -r"), A_PART, A_PART, A_PART),
    row("read_at", No("`cat` prints the whole, pipes cut it"), As("head -c"), As("read_text_file"), As("read_bytes"), As("pread")),
    row("read_past", As("cat --version"), No("`homefs restore` makes it the present"), As("history"), As("read"), BY_COMMAND),
    row("write", As("write"), As("cat >"), As("write_file"), As("write"), As("write")),
    row("append", As("append"), As("cat >>"), BY_SHELL, As("append"), As("write with O_APPEND")),
    row("edit", As("edit"), No("`sed -i` does it"), No("`edit_file` does several edits as one write"), As("edit"), No("editors write the whole")),
    row("write_at", WHOLE, WHOLE, WHOLE, WHOLE, As("pwrite")),
    row("truncate", WHOLE, As("truncate"), WHOLE, WHOLE, As("truncate")),
    row("stat", As("stat"), As("stat"), As("get_file_info"), As("stat"), As("stat")),
    row("set_attrs", No("by the shell: `homefs exec chmod`"), As("chmod"), BY_SHELL, No("by `sh`: `chmod`, `touch`"), As("chmod")),
    row("xattrs", As("stat"), No("`homefs meta` has what homefs notes"), No("`get_file_info` has what homefs notes"), No("`meta` has what homefs notes"), As("getxattr")),
    row("meta", As("meta"), As("homefs meta"), BY_SHELL, As("meta"), As("cat FILE:meta")),
    row("set_meta", As("meta"), As("homefs meta"), BY_SHELL, As("set_meta"), As("write to FILE:meta")),
    row("read_link", As("stat"), As("readlink"), As("get_file_info"), As("readlink"), As("readlink")),
    row("make_dir", As("mkdir"), As("mkdir"), As("create_directory"), As("mkdir"), As("mkdir")),
    row("symlink", As("ln --symbolic"), As("ln -s"), BY_SHELL, As("symlink"), As("symlink")),
    row("link", As("ln"), As("ln"), BY_SHELL, As("link"), As("link")),
    row("remove", As("rm"), As("rm"), As("memory"), As("delete"), As("unlink")),
    row("rename", As("mv"), As("mv"), As("move_file"), As("mv"), As("rename")),
    row("copy", As("cp"), As("cp"), BY_SHELL, As("cp"), No("programs copy bytes")),
    row("list", As("ls"), As("ls"), As("list_directory"), As("ls"), As("readdir")),
    row("walk", As("tree"), As("find"), No("`directory_tree` lists directory by directory"), As("walk"), As("find")),
    row("find", As("find"), No("the shell's `find` walks, as GNU's"), No("`search_files` walks, with the words of the official server"), As("find"), As("find")),
    row("log", As("log"), As("homefs log"), As("history"), As("log"), As("cat FILE:history")),
    row("diff", As("diff"), As("homefs diff"), As("history"), As("diff"), As("cat FILE:diff")),
    row("restore", As("restore"), As("homefs restore"), As("restore"), As("restore"), BY_COMMAND),
    row("trash", As("trash"), As("homefs trash"), BY_SHELL, As("trash"), BY_COMMAND),
    row("untrash", As("trash restore"), As("homefs untrash"), As("restore"), As("untrash"), BY_COMMAND),
    row("empty_trash", As("trash empty"), PERSON, PERSON, PERSON, BY_COMMAND),
    row("purge", As("purge"), PERSON, PERSON, As("purge"), BY_COMMAND),
    row("search", As("search"), As("search"), As("search"), As("search"), As("cat :search?q=")),
    row("unseen", As("search"), A_PART, A_PART, A_PART, BY_COMMAND),
    row("related", As("related"), As("homefs related"), BY_SHELL, As("related"), As("cat FILE:related")),
    row("recall", As("recall"), As("recall"), As("recall"), As("recall"), As("cat :recall?q=")),
    row("remember", As("remember"), As("remember"), As("remember"), As("remember"), BY_COMMAND),
    row("forget", As("forget"), As("homefs forget"), As("forget"), As("forget"), BY_COMMAND),
    row("links", As("links"), As("cat FILE:links"), No("`read_text_file` of FILE:links"), As("links"), As("cat FILE:links")),
    row("tags", As("tags"), As("homefs tags"), BY_SHELL, As("tags"), As("cat :tags")),
    row("timeline", As("timeline"), As("cat :timeline"), No("`read_text_file` of :timeline"), As("timeline"), As("cat :timeline")),
    row("stale", As("stale"), As("cat :stale"), No("`read_text_file` of :stale"), As("stale"), As("cat :stale")),
    row("context", As("context"), As("homefs context"), As("context"), As("context"), As("cat :context")),
    row("cursor", As("watch --cursor"), No("a script does not wait for changes"), No("resources have subscriptions"), As("cursor"), No("the kernel is told of changes")),
    row("watch", As("watch"), No("a script does not wait for changes"), No("resources have subscriptions"), As("watch"), As("inotify")),
    row("grant", As("grant"), PERSON, PERSON, As("grant"), BY_COMMAND),
    row("revoke", As("revoke"), PERSON, PERSON, As("revoke"), BY_COMMAND),
    row("grants", As("grants"), PERSON, PERSON, As("grants"), BY_COMMAND),
    row("set_member", As("group add"), PERSON, PERSON, PERSON, BY_COMMAND),
    row("groups", As("group list"), PERSON, PERSON, PERSON, BY_COMMAND),
    row("spaces", As("spaces"), As("homefs status"), BY_SHELL, As("spaces"), As("ls shared")),
    row("agents", As("agents"), PERSON, PERSON, As("agents"), BY_COMMAND),
    row("set_quota", As("spaces quota"), PERSON, PERSON, PERSON, BY_COMMAND),
    row("barrier", As("write --durable"), No("the owner syncs by itself"), No("the owner syncs by itself"), As("barrier"), As("fsync")),
    row("status", As("status"), STORE, STORE, As("status"), As("cat :stats")),
    row("verify", As("fsck"), STORE, PERSON, PERSON, NO_CALL),
    row("verify_indexes", As("fsck"), STORE, PERSON, PERSON, NO_CALL),
    row("backup", As("backup"), STORE, PERSON, PERSON, NO_CALL),
    row("remote", As("remote ls"), STORE, PERSON, As("status"), NO_CALL),
    row("remote_add", As("remote add"), STORE, PERSON, As("remote_add"), NO_CALL),
    row("remote_rm", As("remote rm"), STORE, PERSON, As("remote_rm"), NO_CALL),
    row("remote_check", As("remote check"), STORE, PERSON, PERSON, NO_CALL),
    row("remote_spaces", As("clone"), STORE, PERSON, PERSON, NO_CALL),
    row("sync", As("sync"), STORE, No("the owner syncs by itself"), As("sync"), BY_COMMAND),
    row("gc", As("gc"), STORE, PERSON, PERSON, NO_CALL),
    row("mend", As("fsck"), STORE, PERSON, PERSON, NO_CALL),
    row("conflicts", As("conflicts"), As("cat :conflicts"), No("`read_text_file` of :conflicts"), As("conflicts"), As("cat :conflicts")),
    row("resolve", As("resolve"), PERSON, PERSON, As("resolve"), BY_COMMAND),
    row("purge_receipt", As("purge"), PERSON, PERSON, No("`purge` returns it"), NO_CALL),
    row("pin", As("pin"), STORE, PERSON, As("pin"), BY_COMMAND),
    row("pins", As("pin"), STORE, PERSON, As("pins"), BY_COMMAND),
    row("barrier_remote", As("write --pushed"), STORE, No("the owner syncs by itself"), As("write"), NO_CALL),
    row("attach_source", As("attach"), PERSON, PERSON, As("attach"), BY_COMMAND),
    row("detach_source", As("detach"), PERSON, PERSON, As("detach"), BY_COMMAND),
    row("sources", As("sources"), PERSON, PERSON, As("sources"), BY_COMMAND),
    row("refresh_source", As("sources --refresh"), PERSON, PERSON, No("a source is looked at again by itself"), BY_COMMAND),
    row("source_changes", As("changes"), PERSON, PERSON, As("changes"), BY_COMMAND),
    row("write_back", As("write-back"), PERSON, PERSON, As("write_back"), BY_COMMAND),
    row("discard_source_changes", As("changes --discard"), PERSON, PERSON, As("discard_changes"), BY_COMMAND),
    row("candidates", A_PART, As("grep -r"), As("shell"), A_PART, NO_CALL),
    row("grep", As("grep"), No("the shell's `grep` is GNU's"), As("grep"), As("grep"), No("programs read the files")),
    row("abandoned_scripts", As("status"), STORE, STORE, As("status"), NO_CALL),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operations::OPERATIONS;

    #[test]
    fn every_operation_has_a_row_and_no_other() {
        let named = |names: &mut dyn Iterator<Item = &'static str>| names.collect::<Vec<_>>();
        let rows = named(&mut FACES.iter().map(|row| row.operation));
        assert_eq!(rows, named(&mut OPERATIONS.iter().map(|operation| operation.name)));
    }

    #[test]
    fn every_cell_says_something() {
        for row in FACES {
            for face in Face::ALL {
                let says = match row.at(face) {
                    Way::Named(name) => !name.is_empty(),
                    // A reason is more than a word.
                    Way::Absent(why) => why.contains(' '),
                };
                assert!(says, "{} in {}", row.operation, face.name());
            }
        }
    }

    #[test]
    fn names_are_spelt_as_each_language_does() {
        let row = FACES.iter().find(|row| row.operation == "set_meta").unwrap();
        assert_eq!(row.at(Face::Python), Way::Named("set_meta".into()));
        assert_eq!(row.at(Face::Node), Way::Named("setMeta".into()));
    }
}
