-- Files that are left out of pushes, because their contents are lost.
CREATE TABLE IF NOT EXISTS withheld (
    node BLOB NOT NULL PRIMARY KEY
) STRICT, WITHOUT ROWID;
