-- Numbers of a space as of the last folded record; exactly one row.
CREATE TABLE meta (
    one         INTEGER PRIMARY KEY CHECK (one = 1),
    version     INTEGER NOT NULL,
    bytes       INTEGER NOT NULL,
    nodes       INTEGER NOT NULL,
    quota_bytes INTEGER,
    quota_nodes INTEGER
) STRICT;

-- How long the space has lived, in nanoseconds, what the clock showed then, and what it has shown
-- since if that is doubted; exactly one row.
CREATE TABLE lived (
    one   INTEGER PRIMARY KEY CHECK (one = 1),
    time  INTEGER NOT NULL,
    at    INTEGER,
    doubt BLOB
) STRICT;

-- How long the space had lived at which version, now and then.
CREATE TABLE ages (
    lived   INTEGER PRIMARY KEY,
    version INTEGER NOT NULL
) STRICT;

-- Every node with its last change, the removed ones too. `lineage` is the first node of the file
-- that people know, NULL for the node itself.
CREATE TABLE nodes (
    id              BLOB    NOT NULL PRIMARY KEY,
    kind            INTEGER NOT NULL,
    mode            INTEGER NOT NULL,
    uid             INTEGER NOT NULL,
    gid             INTEGER NOT NULL,
    links           INTEGER NOT NULL,
    created         INTEGER NOT NULL,
    modified        INTEGER NOT NULL,
    changed         INTEGER NOT NULL,
    accessed        INTEGER NOT NULL,
    expires         INTEGER,
    target          TEXT    NOT NULL,
    xattrs          BLOB,
    size            INTEGER NOT NULL,
    digest          BLOB,
    leaves          BLOB,
    version         INTEGER NOT NULL,
    content_version INTEGER NOT NULL,
    agent           TEXT,
    state           INTEGER NOT NULL,
    path            TEXT,
    lineage         BLOB
) STRICT, WITHOUT ROWID;
CREATE INDEX nodes_by_version ON nodes (version);
CREATE INDEX nodes_by_expiry ON nodes (expires) WHERE expires IS NOT NULL AND state = 0;
CREATE INDEX trash_by_version ON nodes (version, id) WHERE state = 1;
CREATE INDEX trash_by_path ON nodes (path, version) WHERE state = 1;
CREATE INDEX nodes_by_lineage ON nodes (lineage) WHERE lineage IS NOT NULL;

-- Names in directories.
CREATE TABLE entries (
    parent BLOB NOT NULL,
    name   TEXT NOT NULL,
    node   BLOB NOT NULL,
    PRIMARY KEY (parent, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX entries_by_node ON entries (node);

-- Settled contents of files. Rows hold the references to blobs and leaves; the newest row of a
-- node that has a content is that content; older ones may be of nodes whose lineage it goes on
-- with. `machine` is where it was written, NULL for here.
CREATE TABLE history (
    node    BLOB    NOT NULL,
    version INTEGER NOT NULL,
    time    INTEGER NOT NULL,
    agent   TEXT    NOT NULL,
    size    INTEGER NOT NULL,
    digest  BLOB,
    leaves  BLOB,
    machine TEXT,
    PRIMARY KEY (node, version)
) STRICT, WITHOUT ROWID;

-- Small contents; one without bytes is absent: only the remote has it.
CREATE TABLE blobs (
    number INTEGER PRIMARY KEY,
    digest BLOB    NOT NULL UNIQUE,
    refs   INTEGER NOT NULL,
    bytes  BLOB    NOT NULL
) STRICT;
CREATE INDEX blobs_unused ON blobs (digest) WHERE refs = 0;
CREATE INDEX blobs_absent ON blobs (digest) WHERE length(bytes) = 0;

-- Leaves (leaf = 1) and chunks (leaf = 0) of large contents, which are files. The file of a chunk
-- that the remote has (remote = 1) may be missing.
CREATE TABLE pieces (
    digest BLOB    NOT NULL,
    leaf   INTEGER NOT NULL,
    refs   INTEGER NOT NULL,
    remote INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (digest, leaf)
) STRICT, WITHOUT ROWID;
CREATE INDEX pieces_unused ON pieces (digest) WHERE refs = 0;

-- What a purge left without any reference, to be purged everywhere.
CREATE TABLE purged (
    digest  BLOB    NOT NULL PRIMARY KEY,
    version INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Names in directories under which nothing of an attached source is shown, and since when.
CREATE TABLE hidden (
    parent BLOB    NOT NULL,
    name   TEXT    NOT NULL,
    time   INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (parent, name)
) STRICT, WITHOUT ROWID;

-- Files that were renamed to backups of their names in the last seconds: from where, and when.
CREATE TABLE put_away (
    parent BLOB    NOT NULL,
    name   TEXT    NOT NULL,
    node   BLOB    NOT NULL PRIMARY KEY,
    time   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Rules of access.
CREATE TABLE grants (
    is_group INTEGER NOT NULL,
    subject  TEXT    NOT NULL,
    prefix   TEXT    NOT NULL,
    access   INTEGER NOT NULL,
    PRIMARY KEY (is_group, subject, prefix, access)
) STRICT, WITHOUT ROWID;

-- The last request of every client.
CREATE TABLE clients (
    client  INTEGER PRIMARY KEY,
    number  INTEGER NOT NULL,
    version INTEGER NOT NULL,
    time    INTEGER NOT NULL
) STRICT;
