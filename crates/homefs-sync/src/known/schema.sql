-- How far this machine and the remote agree; exactly one row.
CREATE TABLE head (
    one    INTEGER PRIMARY KEY CHECK (one = 1),
    -- The last HEAD that was looked at, with its tag.
    seen   BLOB,
    -- The space's last version that its commit has.
    cursor INTEGER NOT NULL,
    -- Access to the space, as that commit has it.
    access BLOB,
    -- The number of the last commit with a purge that this machine heard of.
    purged INTEGER NOT NULL,
    -- The pull that is under way: the number of its change here, the HEAD that it takes over, and
    -- the objects that lead there, so that it can be finished whatever becomes of the remote.
    pull   BLOB,
    -- Fields of the newest index that later homefs understand.
    fields BLOB
) STRICT;
INSERT INTO head VALUES (1, NULL, 0, NULL, 0, NULL, NULL);
-- Every node as the last known commit has it, the gone ones too.
CREATE TABLE nodes (id BLOB NOT NULL PRIMARY KEY, entry BLOB NOT NULL) STRICT, WITHOUT ROWID;
-- Whose each name is at the last known commit.
CREATE TABLE links (
    parent BLOB NOT NULL,
    name   TEXT NOT NULL,
    node   BLOB NOT NULL,
    PRIMARY KEY (parent, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX links_by_node ON links (node);
-- Where contents are, and since when the tree no longer names them.
CREATE TABLE contents (
    digest BLOB NOT NULL PRIMARY KEY,
    pack   BLOB NOT NULL,
    start  INTEGER NOT NULL,
    len    INTEGER NOT NULL,
    unused INTEGER
) STRICT, WITHOUT ROWID;
-- Packs that were sent, or were about to be, for a commit that is not HEAD yet.
CREATE TABLE uploads (
    pack   BLOB NOT NULL PRIMARY KEY,
    pieces BLOB NOT NULL,
    there  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- Commits that were sent but not known to be HEAD, with the version that each has, and its bytes.
-- All of them follow the last known commit.
CREATE TABLE attempts (
    commit_id TEXT NOT NULL PRIMARY KEY,
    version   INTEGER NOT NULL,
    object    BLOB NOT NULL
) STRICT, WITHOUT ROWID;
-- Machines that pushed, each with the number of its last commit, and its last ones by name.
CREATE TABLE machines (
    id   INTEGER PRIMARY KEY,
    name TEXT    NOT NULL,
    seq  INTEGER NOT NULL,
    last BLOB    NOT NULL
) STRICT;
-- Contents that were purged and did not come back.
CREATE TABLE purged (digest BLOB NOT NULL PRIMARY KEY) STRICT, WITHOUT ROWID;
-- Conflicts that are open: told is 0 until a commit has it. One that was resolved here stays,
-- without a conflict, until a commit has that.
CREATE TABLE conflicts (
    number INTEGER PRIMARY KEY,
    conflict  BLOB,
    told   INTEGER NOT NULL
) STRICT;
-- Readable copies; told is 0 until a commit has it. One that was removed stays, without a digest,
-- until a commit has that.
CREATE TABLE readable (
    key    TEXT NOT NULL PRIMARY KEY,
    digest BLOB,
    tag    TEXT,
    told   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- What came from outside last: whoever goes on from there began with this text. It is of use as long
-- as the object is known to show that digest.
CREATE TABLE outside (key TEXT NOT NULL PRIMARY KEY, shows BLOB NOT NULL, text BLOB NOT NULL)
    STRICT, WITHOUT ROWID;
-- Nodes whose readable copy may not be what it should, and since when.
CREATE TABLE copies_due (node BLOB NOT NULL PRIMARY KEY, since INTEGER NOT NULL)
    STRICT, WITHOUT ROWID;
-- Nodes whose contents stay on this machine.
CREATE TABLE pins (node BLOB NOT NULL PRIMARY KEY) STRICT, WITHOUT ROWID;
