-- Files whose content of the last commit is nowhere: what stands for that, and for what they hold.
CREATE TABLE IF NOT EXISTS missing (
    node BLOB NOT NULL PRIMARY KEY,
    told BLOB NOT NULL,
    kept BLOB NOT NULL
) STRICT, WITHOUT ROWID;
