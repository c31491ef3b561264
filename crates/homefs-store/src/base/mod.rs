//! What has been folded of one space: rows and small contents in one `SQLite` file.
//!
//! [`Base::fold`] applies a batch of records in one transaction. A commit is not synced, so power
//! loss may take the base back to its last [`Base::checkpoint`]; the journal releases records only
//! after it. Contents are owned by `history` alone: each of its rows holds one reference to a
//! blob, or one to each leaf of a large content; a row of a leaf holds one to each of its chunks.
//! The newest row of a node that has a content is that content and is never dropped while the node
//! can be read, so a node needs no reference of its own.

mod ages;
mod elsewhere;
mod fault;
mod fold;
mod here;
mod history;
mod lived;
mod lost;
mod mend;
mod pages;
mod read_only;
mod readable;
mod rows;
mod salvage;
mod schema;
mod sweep;
#[cfg(test)]
mod tests;
mod trim;
mod vacuum;
mod verify;

use std::collections::BTreeSet;
use std::path::{Path as HostPath, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use homefs_core::{ClientId, Digest, Error, ErrorKind, NodeId, Result, Timestamp, Version};
use parking_lot::Mutex;
use rusqlite::{Connection, OptionalExtension};

pub use self::elsewhere::{Elsewhere, Twin};
use self::fault::Fault;
pub use self::here::Present;
pub use self::history::{Past, tells_all};
use self::lived::Lived;
pub use self::salvage::{Salvaged, salvage};
pub use self::trim::Retention;
pub use self::vacuum::Freeable;
pub use self::verify::About;
#[cfg(test)]
pub use self::verify::Finding;
use crate::chunks::Chunks;
use crate::database;
use crate::descriptors::{self, Wakeful};
use crate::model::{Attrs, Grant, Quota, Usage};
use crate::put_away::PutAway;
use crate::record::{Content, Record};

/// How far the base is, and the numbers of the space there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Folded {
    /// Its version.
    pub version: Version,
    /// What lives in the space.
    pub usage: Usage,
    /// Bounds on it.
    pub quota: Quota,
}

/// A node as folded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeRow {
    /// The node.
    pub node: NodeId,
    /// Everything but its content and its names.
    pub attrs: Attrs,
    /// Its last change.
    pub version: Version,
    /// The last change of its content; 0 if it never had one.
    pub(crate) content_version: Version,
    /// What it holds; an empty inline content for an empty file, a directory or a link.
    pub content: Content,
}

impl NodeRow {
    /// Forgets everything that can be erased of a removed node.
    fn clear(&mut self) {
        self.content = Content::Inline(Bytes::new());
        self.attrs.xattrs.clear();
        self.attrs.target = "".into();
    }
}

/// `<store>/spaces/<kind>/<name>`: the folders whose entries lead to a base.
const FOLDERS_ABOVE: usize = 4;

/// The base of one space.
pub struct Base {
    file: PathBuf,
    chunks: Arc<Chunks>,
    /// `None` once it is closed.
    inner: Arc<Mutex<Option<Inner>>>,
}

struct Inner {
    connection: Wakeful,
    /// Chunks whose row is gone but perhaps not durably so. Their files go after a checkpoint:
    /// else power loss could bring back a row whose file is gone.
    dying: Vec<Digest>,
    /// How long the space has lived.
    lived: Lived,
    /// What the clock showed when the history was last trimmed.
    looked: Option<Timestamp>,
    /// When the whole history was last trimmed, and up to which version its parts were.
    trimmed: Option<(Duration, Version)>,
    /// Whether the names that lead to the file are durable.
    named: bool,
    /// Whether contents were fetched that are perhaps not durable.
    fetched: bool,
    /// Whether nothing can be written to the file.
    read_only: bool,
}

/// What a base has open: its file and the log beside it.
const DESCRIPTORS: usize = 2;

impl Inner {
    /// Starts with a connection that was opened at a moment.
    fn new(connection: Result<Connection, Fault>, file: &HostPath, now: Timestamp) -> Result<Self> {
        let opened = connection.and_then(|connection| Ok((ages::read(&connection)?, connection)));
        let (mut lived, connection) =
            opened.map_err(|fault| fault.into_error("open the base", file))?;
        let (dying, looked, trimmed) = (Vec::new(), lived.shown(), None);
        if lived.at.is_none() {
            // The first clock is the one that later ones are compared with.
            lived.look(now, Version(0));
        }
        let (named, fetched, read_only) = (false, false, false);
        let connection = Wakeful::new(connection, DESCRIPTORS);
        Ok(Self { connection, dying, lived, looked, trimmed, named, fetched, read_only })
    }
}

impl AsMut<Wakeful> for Inner {
    fn as_mut(&mut self) -> &mut Wakeful {
        &mut self.connection
    }
}

impl Base {
    /// The name of the file in a space's directory.
    pub const FILE: &str = "base.db";

    /// Opens the base in `dir`, or makes one whose root directory was made `now`.
    pub fn open(dir: &HostPath, chunks: Arc<Chunks>, now: Timestamp) -> Result<Self> {
        let prepare = |error| {
            Error::io("make the directory of a space", error).with_path_text(dir.to_string_lossy())
        };
        // The store is three folders above; the folder itself may be missing.
        let store = dir.ancestors().nth(FOLDERS_ABOVE - 1).unwrap_or(dir);
        if chunks.disk().is_read_only(store).map_err(prepare)? {
            return Self::open_read_only(dir.join(Self::FILE), chunks, now);
        }
        chunks.disk().create_dir_all(dir).map_err(prepare)?;
        Self::open_file(dir.join(Self::FILE), chunks, now)
    }

    /// Opens a base where nothing can be written; one that is missing is empty. It keeps its file
    /// open: what is folded into it is in memory.
    fn open_read_only(file: PathBuf, chunks: Arc<Chunks>, now: Timestamp) -> Result<Self> {
        let there = chunks.disk().exists(&file);
        let there = there.map_err(|cause| Error::io("look for the base", cause))?;
        let connection = if there {
            read_only::open(&file)
        } else {
            schema::open(HostPath::new(":memory:"), Some(now))
        };
        let mut inner = Inner::new(connection, &file, now)?;
        inner.read_only = there;
        Ok(Self { file, chunks, inner: Arc::new(Mutex::new(Some(inner))) })
    }

    /// Opens a base under another name than [`Base::FILE`], or makes it.
    pub fn open_file(file: PathBuf, chunks: Arc<Chunks>, now: Timestamp) -> Result<Self> {
        descriptors::make_room(DESCRIPTORS);
        database::make(&file).map_err(|cause| Error::io_at("make the base", &file, cause))?;
        let inner = Inner::new(schema::open(&file, Some(now)), &file, now)?;
        Ok(Self { file, chunks, inner: descriptors::share(inner) })
    }

    /// Returns how far the base is.
    pub fn folded(&self) -> Result<Folded> {
        self.run("read the numbers of the base", |inner| rows::folded(&inner.connection))
    }

    /// Returns a living node.
    pub fn node(&self, node: NodeId) -> Result<Option<NodeRow>> {
        let columns = rows::NODE;
        let sql = format!("SELECT {columns} FROM nodes n WHERE id = ?1 AND state = 0");
        self.run("read a node", |inner| {
            let mut statement = inner.connection.prepare_cached(&sql)?;
            let mut found = statement.query([node.to_bytes()])?;
            found.next()?.map(|row| rows::node(row, 0)).transpose()
        })
    }

    /// Returns all names in a directory and what they mean, in no order.
    pub fn children(&self, parent: NodeId) -> Result<Vec<(Box<str>, NodeRow)>> {
        let columns = rows::NODE;
        // In the order of nodes each page of them is read once. The limit, which is none, keeps
        // the order from being optimised away.
        let sql = format!(
            "SELECT {columns}, e.name
             FROM (SELECT name, node FROM entries WHERE parent = ?1 ORDER BY node LIMIT -1) e
             CROSS JOIN nodes n ON n.id = e.node"
        );
        self.run("list a directory", |inner| {
            let mut statement = inner.connection.prepare_cached(&sql)?;
            let mut found = statement.query([parent.to_bytes()])?;
            let mut children = Vec::new();
            while let Some(row) = found.next()? {
                let name = row.get_ref(rows::NODE_COLUMNS)?.as_str()?.into();
                children.push((name, rows::node(row, 0)?));
            }
            Ok(children)
        })
    }

    /// Returns the names that lead to a node, each with its directory.
    pub fn parents(&self, node: NodeId) -> Result<Vec<(NodeId, Box<str>)>> {
        self.run("find the names of a node", |inner| {
            let mut statement = inner
                .connection
                .prepare_cached("SELECT parent, name FROM entries WHERE node = ?1")?;
            let mut found = statement.query([node.to_bytes()])?;
            let mut parents = Vec::new();
            while let Some(row) = found.next()? {
                parents.push((rows::id(row, 0)?, row.get_ref(1)?.as_str()?.into()));
            }
            Ok(parents)
        })
    }

    /// Returns the nodes that have several names.
    pub fn linked(&self) -> Result<Vec<NodeId>> {
        self.run("find the nodes with several names", |inner| {
            let mut statement = inner
                .connection
                .prepare_cached("SELECT node FROM entries GROUP BY node HAVING COUNT(*) > 1")?;
            let mut found = statement.query([])?;
            let mut nodes = Vec::new();
            while let Some(row) = found.next()? {
                nodes.push(rows::id(row, 0)?);
            }
            Ok(nodes)
        })
    }

    /// Returns the lineage of a node, living or not: the first node of the file that people know.
    pub fn lineage(&self, node: NodeId) -> Result<NodeId> {
        self.run("read the lineage of a node", |inner| {
            let mut statement =
                inner.connection.prepare_cached("SELECT lineage FROM nodes WHERE id = ?1")?;
            let mut found = statement.query([node.to_bytes()])?;
            let lineage = found.next()?.map(|row| rows::optional(row, 0, rows::id)).transpose()?;
            Ok(lineage.flatten().unwrap_or(node))
        })
    }

    /// Returns the nodes whose lineage is another than themselves, each with it.
    pub fn lineages(&self) -> Result<Vec<(NodeId, NodeId)>> {
        self.run("read the lineages", |inner| {
            let mut statement = inner
                .connection
                .prepare_cached("SELECT id, lineage FROM nodes WHERE lineage IS NOT NULL")?;
            let mut found = statement.query([])?;
            let mut lineages = Vec::new();
            while let Some(row) = found.next()? {
                lineages.push((rows::id(row, 0)?, rows::id(row, 1)?));
            }
            Ok(lineages)
        })
    }

    /// Returns the node of a lineage, a living one first.
    pub fn of_lineage(&self, lineage: NodeId) -> Result<Option<NodeId>> {
        self.run("find the node of a lineage", |inner| {
            let mut statement = inner.connection.prepare_cached(
                "SELECT id, state FROM nodes WHERE lineage = ?1 AND lineage IS NOT NULL
                 UNION ALL
                 SELECT id, state FROM nodes WHERE id = ?1 AND lineage IS NULL
                 ORDER BY state LIMIT 1",
            )?;
            let mut found = statement.query([lineage.to_bytes()])?;
            found.next()?.map(|row| rows::id(row, 0)).transpose()
        })
    }

    /// Returns the living nodes that expire, each with when.
    pub fn expiring(&self) -> Result<BTreeSet<(Timestamp, NodeId)>> {
        self.run("find what expires", |inner| {
            let mut statement = inner.connection.prepare_cached(
                "SELECT expires, id FROM nodes WHERE expires IS NOT NULL AND state = 0",
            )?;
            let mut found = statement.query([])?;
            let mut expiring = BTreeSet::new();
            while let Some(row) = found.next()? {
                expiring.insert((Timestamp(row.get(0)?), rows::id(row, 1)?));
            }
            Ok(expiring)
        })
    }

    /// Reads a small content and checks it against its digest; `None` if it is absent.
    pub fn blob(&self, digest: Digest) -> Result<Option<Bytes>> {
        self.run("read a content", |inner| {
            let mut statement =
                inner.connection.prepare_cached("SELECT bytes FROM blobs WHERE digest = ?1")?;
            let mut found = statement.query([digest.0])?;
            let Some(row) = found.next()? else {
                // A record that is not folded yet may name what only the remote has.
                if self.chunks.is_pinned(digest) {
                    return Ok(None);
                }
                return Err(Fault::Damaged(format!("content {digest} is missing")));
            };
            let bytes = Bytes::copy_from_slice(row.get_ref(0)?.as_blob()?);
            if bytes.is_empty() {
                return Ok(None);
            }
            if Digest::of(&bytes) != digest {
                return Err(Fault::Damaged(format!("content {digest} is not what was written")));
            }
            Ok(Some(bytes))
        })
    }

    /// Returns every rule of access.
    pub fn grants(&self) -> Result<Vec<Grant>> {
        self.run("read the grants", |inner| {
            let mut statement = inner
                .connection
                .prepare_cached("SELECT is_group, subject, prefix, access FROM grants")?;
            let mut found = statement.query([])?;
            let mut grants = Vec::new();
            while let Some(row) = found.next()? {
                grants.push(rows::grant(row)?);
            }
            Ok(grants)
        })
    }

    /// Returns the names under which nothing of a source is shown, with their directories and since
    /// when.
    pub fn hidden(&self) -> Result<Vec<(NodeId, Box<str>, Timestamp)>> {
        self.run("read what is hidden", |inner| {
            let mut statement =
                inner.connection.prepare_cached("SELECT parent, name, time FROM hidden")?;
            let mut found = statement.query([])?;
            let mut hidden = Vec::new();
            while let Some(row) = found.next()? {
                hidden.push((rows::id(row, 0)?, row.get(1)?, Timestamp(row.get(2)?)));
            }
            Ok(hidden)
        })
    }

    /// Returns the files that were renamed to backups of their names a moment ago.
    pub fn put_away(&self) -> Result<PutAway> {
        self.run("read what was put away", |inner| fold::put_away::read(&inner.connection))
    }

    /// Returns the last folded request of a client and the version it made.
    pub(crate) fn client_last(&self, client: ClientId) -> Result<Option<(u64, Version)>> {
        self.run("read a client", |inner| {
            let mut statement = inner
                .connection
                .prepare_cached("SELECT number, version FROM clients WHERE client = ?1")?;
            let mut found = statement.query([rows::client_column(client)])?;
            // The client chooses the number, so it may use all bits.
            let last = |row: &rusqlite::Row<'_>| {
                Ok((row.get::<_, i64>(0)?.cast_unsigned(), rows::version(row, 1)?))
            };
            found.next()?.map(last).transpose()
        })
    }

    /// Applies records in one transaction, in order; those folded before are left out.
    pub fn fold(&self, batch: &[Record]) -> Result<()> {
        self.run("fold records", |inner| {
            if std::mem::take(&mut inner.read_only) {
                inner.connection = Wakeful::new(read_only::in_memory(&self.file)?, 0);
            }
            // Only one base folds at a time, so it may use more memory meanwhile.
            inner.connection.pragma_update(None, "cache_size", schema::CACHE_FOLDING)?;
            let done = fold::fold(inner, &self.chunks, batch);
            inner.connection.pragma_update(None, "cache_size", schema::CACHE)?;
            done
        })
    }

    /// Makes everything folded survive power loss, then removes the files of chunks that nothing
    /// names any more.
    pub fn checkpoint(&self) -> Result<()> {
        self.run("checkpoint the base", |inner| {
            if !inner.named {
                // Not when it is opened: most who open a space only read.
                let up_to_store = self.file.ancestors().skip(1).take(FOLDERS_ABOVE);
                for folder in up_to_store {
                    let synced = self.chunks.disk().sync_dir(folder);
                    synced.map_err(|cause| Error::io("sync the folder of a space", cause))?;
                }
                inner.named = true;
            }
            checkpoint(&inner.connection)?;
            sweep::remove_files(inner, &self.chunks)
        })
    }

    /// Removes files of chunks that neither a row nor a pin names: a crash left them. To be called
    /// only when every record in the journal is pinned or folded.
    pub(crate) fn remove_orphans(&self) -> Result<()> {
        self.run("remove unused chunks", |inner| {
            checkpoint(&inner.connection)?;
            inner.dying.extend(self.chunks.list()?);
            sweep::remove_files(inner, &self.chunks)
        })
    }

    /// Writes a copy of the base, as it is now, to a file that does not exist.
    pub fn copy_into(&self, file: &HostPath) -> Result<()> {
        self.run("copy the base", |inner| {
            database::make(file).map_err(|cause| Error::io_at("make the copy", file, cause))?;
            let name = file.to_string_lossy();
            inner.connection.execute("VACUUM INTO ?1", [name])?;
            Ok(())
        })
    }

    /// Lets the file go, whoever still holds the base; later calls fail with `Closed`.
    pub fn close(&self) {
        drop(self.inner.lock().take());
    }

    /// Bounds the file of the base to what it has, as a full disk does, or no longer.
    #[cfg(any(test, feature = "testing"))]
    pub fn set_full(&self, full: bool) -> Result<()> {
        let pages = if full { 1 } else { i64::from(u32::MAX) - 1 };
        self.run("bound the base", |inner| {
            // SQLite does not go below the present length.
            let sql = format!("PRAGMA max_page_count = {pages}");
            Ok(inner.connection.query_row(&sql, [], |_| Ok(()))?)
        })
    }

    /// Keeps the base still while a test looks at its file.
    #[cfg(any(test, feature = "testing"))]
    pub fn still<T>(&self, look: impl FnOnce() -> T) -> T {
        let _inner = self.inner.lock();
        look()
    }

    /// Runs `work` alone on the connection and names the file in its failure.
    fn run<T>(&self, what: &str, work: impl FnOnce(&mut Inner) -> Result<T, Fault>) -> Result<T> {
        let mut inner = self.inner.lock();
        let closed = || Error::new(ErrorKind::Closed, "the store is closed").into();
        let done = inner.as_mut().ok_or_else(closed).and_then(|inner| {
            inner.connection.wake(|| schema::open(&self.file, None))?;
            work(inner)
        });
        done.map_err(|fault| fault.into_error(what, &self.file))
    }
}

fn checkpoint(connection: &Connection) -> Result<(), Fault> {
    let busy: bool =
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    if busy {
        let message = "another reader of the base keeps it from being checkpointed";
        return Err(Error::new(ErrorKind::Unavailable, message).into());
    }
    Ok(())
}

/// Tells whether a chunk or leaf has a row, whatever its references.
fn has_piece(connection: &Connection, digest: Digest) -> Result<bool, Fault> {
    let mut statement =
        connection.prepare_cached("SELECT 1 FROM pieces WHERE digest = ?1 LIMIT 1")?;
    Ok(statement.query_row([digest.0], |_| Ok(())).optional()?.is_some())
}
