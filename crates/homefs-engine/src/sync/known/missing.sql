-- Files whose content of the last commit is nowhere, and the digest that stands for what they hold.
CREATE TABLE IF NOT EXISTS missing (
    node BLOB NOT NULL PRIMARY KEY,
    kept BLOB NOT NULL
) STRICT, WITHOUT ROWID;
