-- What is about to be taken over from outside, and the number of the change that does it. A row ends
-- when that is noted among the readable copies.
CREATE TABLE IF NOT EXISTS imports (
    key    TEXT NOT NULL PRIMARY KEY,
    number INTEGER NOT NULL,
    shows  BLOB NOT NULL,
    tag    TEXT NOT NULL,
    text   BLOB
) STRICT, WITHOUT ROWID;
