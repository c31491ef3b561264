//! Rows found by looking at every page of a damaged base, where no tree of pages leads to them.
//!
//! A row says by itself how long it is and what its columns are, so it is found wherever it stands
//! in a page whose own list of rows is damaged. Where that list is sound only rows in it count:
//! between them may be what is left of others. What is found is put into tables in memory, which
//! are then read like those of any base.

use homefs_core::Digest;
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use super::fault::Fault;

/// Every base has pages of this length.
const PAGE_BYTES: usize = 4096;
/// Pages of tables with numbered rows; only `blobs` matters here.
const NUMBERED: u8 = 0x0d;
/// Pages of tables by key, and of indexes: those that lead to others, and the last.
const BY_KEY_INNER: u8 = 0x02;
const BY_KEY_LEAF: u8 = 0x0a;
/// What follows of a row that does not fit its page: bytes of each page after the number of the
/// next.
const OVERFLOW_BYTES: usize = PAGE_BYTES - 4;
/// Bytes of a long row that stay in its page, at least.
const LOCAL_MIN: usize = (PAGE_BYTES - 12) * 32 / 255 - 23;
/// The longest row that stays whole in a page, of a table by key and of a numbered one.
const LOCAL_MAX: usize = (PAGE_BYTES - 12) * 64 / 255 - 23;
const LOCAL_MAX_NUMBERED: usize = PAGE_BYTES - 35;

/// A base whose pages can be given back has a map of which page leads to which, in the second page
/// and then in one of so many; nothing in it is a row.
const MAPPED_PAGES: usize = PAGE_BYTES / 5 + 1;

/// What a column can hold.
#[derive(Clone, Copy, PartialEq)]
enum Column {
    Null,
    Number,
    Text,
    Bytes,
    /// Bytes of this length.
    Key(u64),
    /// The same, or nothing.
    MaybeNumber,
    MaybeText,
    MaybeBytes,
    MaybeKey(u64),
}

use Column::{Bytes, Key, MaybeBytes, MaybeKey, MaybeNumber, MaybeText, Null, Number, Text};

/// The columns of a table, and how its rows are put into the table in memory.
struct Shape {
    columns: &'static [Column],
    /// Rows from before an upgrade lack the last columns.
    columns_min: usize,
    insert: &'static str,
}

const SHAPES: [Shape; 7] = [
    Shape {
        columns: &[
            Key(16),
            Number,
            Number,
            Number,
            Number,
            Number,
            Number,
            Number,
            Number,
            Number,
            MaybeNumber,
            Text,
            MaybeBytes,
            Number,
            MaybeKey(32),
            MaybeBytes,
            Number,
            Number,
            MaybeText,
            Number,
            MaybeText,
            MaybeKey(16),
        ],
        columns_min: 21,
        insert: "INSERT OR IGNORE INTO nodes VALUES
            (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17,?18,?19,?20,?21,?22)",
    },
    Shape {
        columns: &[Key(16), Text, Key(16)],
        columns_min: 3,
        insert: "INSERT OR IGNORE INTO entries VALUES (?1, ?2, ?3)",
    },
    // The index by nodes has every name a second time.
    Shape {
        columns: &[Key(16), Key(16), Text],
        columns_min: 3,
        insert: "INSERT OR IGNORE INTO entries VALUES (?2, ?3, ?1)",
    },
    Shape {
        columns: &[Key(16), Number, Number, Text, Number, MaybeKey(32), MaybeBytes, MaybeText],
        columns_min: 7,
        insert: "INSERT OR IGNORE INTO history VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    },
    Shape {
        columns: &[Key(32), Number, Number, Number],
        columns_min: 3,
        insert: "INSERT OR IGNORE INTO pieces VALUES (?1, ?2, ?3, ifnull(?4, 0))",
    },
    Shape {
        columns: &[Number, Text, Text, Number],
        columns_min: 4,
        insert: "INSERT OR IGNORE INTO grants VALUES (?1, ?2, ?3, ?4)",
    },
    Shape {
        columns: &[Key(16), Text, Number],
        columns_min: 2,
        insert: "INSERT OR IGNORE INTO hidden VALUES (?1, ?2, ifnull(?3, 0))",
    },
];

/// A small content: its number, which stands elsewhere, its digest, its references, its bytes.
const BLOB: [Column; 4] = [Null, Key(32), Number, Bytes];

/// Puts every row but those of contents that stands anywhere in a file of pages into a base in
/// memory.
pub(super) fn rows(file: &[u8]) -> Result<Connection, Fault> {
    let scratch = Connection::open_in_memory()?;
    scratch.execute_batch(include_str!("schema.sql"))?;
    scratch.execute_batch("BEGIN")?;
    // Contents of files stand in pages of numbered rows and in those that follow them, whose first
    // byte is zero: nothing in them is taken for a row.
    let pages = file.as_chunks::<PAGE_BYTES>().0.iter().enumerate();
    let has_maps = file.get(52..56).is_some_and(|root| root != [0; 4]);
    let is_row = |index: usize| !has_maps || !index.wrapping_sub(1).is_multiple_of(MAPPED_PAGES);
    let pages = pages.filter(|(index, _)| is_row(*index));
    for (index, page) in pages.filter(|(_, page)| ![0, NUMBERED, 5].contains(&page[0])) {
        let places = listed(page).unwrap_or_else(|| (0..PAGE_BYTES - 1).collect());
        for at in places {
            // Most places are none: the length of the header, or the type of the key, tell.
            let (header_bytes, key) = (page[at], u64::from(page[at + 1]));
            let shapes = SHAPES.iter().filter(|shape| shape.columns[0].admits(key));
            for shape in shapes.filter(|_| (3..0x80).contains(&header_bytes)) {
                let Some(values) = row(file, index, at, shape.columns, shape.columns_min) else {
                    continue;
                };
                let mut statement = scratch.prepare_cached(shape.insert)?;
                // A value that a column refuses is damaged.
                statement.execute(params_from_iter(values)).ok();
            }
        }
    }
    scratch.execute_batch("COMMIT")?;
    Ok(scratch)
}

/// Returns where the rows of a page begin, by its own list; `None` if that is damaged.
fn listed(page: &[u8; PAGE_BYTES]) -> Option<Vec<usize>> {
    let number = |at: usize| usize::from(u16::from_be_bytes([page[at], page[at + 1]]));
    let (list, above) = match page[0] {
        BY_KEY_LEAF => (8, 0),
        // Each row follows the number of the page before it.
        BY_KEY_INNER => (12, 4),
        _ => return None,
    };
    let end = list + 2 * number(3);
    if end > PAGE_BYTES {
        return None;
    }
    (list..end).step_by(2).map(|at| row_at(page, number(at), end, above)).collect()
}

/// Returns where the header of a row begins, if a row can stand at a place of its page.
fn row_at(page: &[u8; PAGE_BYTES], at: usize, least: usize, above: usize) -> Option<usize> {
    if at < least {
        return None;
    }
    let (total, used) = varint(page.get(at + above..)?)?;
    let start = at + above + used;
    let (header_bytes, mut read) = varint(page.get(start..)?)?;
    let (header_bytes, mut sum) = (usize::try_from(header_bytes).ok()?, header_bytes);
    let header = page.get(start..start + header_bytes)?;
    while read < header_bytes {
        let (kind, used) = varint(&header[read..])?;
        sum += stored_bytes(kind);
        read += used;
    }
    (sum == total).then_some(start)
}

/// Calls `take` with every small content that stands anywhere in a file of pages and is what its
/// digest says.
pub(super) fn blobs(file: &[u8], mut take: impl FnMut(Digest, &[u8])) {
    let pages = file.as_chunks::<PAGE_BYTES>().0.iter().enumerate();
    for (index, page) in
        pages.filter(|(_, page)| ![0, BY_KEY_INNER, 5, BY_KEY_LEAF].contains(&page[0]))
    {
        for at in 0..PAGE_BYTES {
            // The length of the header is one byte for lengths that small contents have.
            if page.get(at + 1..at + 3) != Some(&[0, 12 + 2 * 32]) {
                continue;
            }
            let Some(values) = row(file, index, at, &BLOB, BLOB.len()) else { continue };
            let [_, Value::Blob(digest), _, Value::Blob(bytes)] = &values[..] else { continue };
            let Ok(digest) = <[u8; 32]>::try_from(&digest[..]) else { continue };
            if Digest::of(bytes).0 == digest {
                take(Digest(digest), bytes);
            }
        }
    }
}

/// Reads the row whose header is at a place of a page, if one with these columns is there.
fn row(
    file: &[u8],
    page: usize,
    at: usize,
    columns: &[Column],
    columns_min: usize,
) -> Option<Vec<Value>> {
    let bytes = &file[page * PAGE_BYTES..][at..PAGE_BYTES];
    let (header_bytes, mut read) = varint(bytes)?;
    let header_bytes = usize::try_from(header_bytes).ok()?;
    if header_bytes <= columns_min || header_bytes > bytes.len() {
        return None;
    }
    let mut types = Vec::with_capacity(columns.len());
    while read < header_bytes {
        let (kind, used) = varint(&bytes[read..header_bytes])?;
        if !columns.get(types.len())?.admits(kind) {
            return None;
        }
        types.push(kind);
        read += used;
    }
    if types.len() < columns_min {
        return None;
    }
    let body: u64 = types.iter().map(|kind| stored_bytes(*kind)).sum();
    let total = header_bytes.checked_add(usize::try_from(body).ok()?)?;
    let whole = payload(file, page, at, total, columns[0] == Null)?;
    let mut rest = &whole[header_bytes..];
    let mut values = Vec::with_capacity(columns.len());
    for kind in types {
        let (value, later) = rest.split_at(usize::try_from(stored_bytes(kind)).ok()?);
        values.push(value_of(kind, value)?);
        rest = later;
    }
    values.resize(columns.len(), Value::Null);
    Some(values)
}

/// Collects the bytes of a row, from its own page and those that follow.
fn payload(file: &[u8], page: usize, at: usize, total: usize, numbered: bool) -> Option<Vec<u8>> {
    let here = &file[page * PAGE_BYTES..][at..PAGE_BYTES];
    let most = if numbered { LOCAL_MAX_NUMBERED } else { LOCAL_MAX };
    if total <= most {
        return here.get(..total).map(<[u8]>::to_vec);
    }
    if total > file.len() {
        return None;
    }
    let rest = LOCAL_MIN + (total - LOCAL_MIN) % OVERFLOW_BYTES;
    let local = if rest <= most { rest } else { LOCAL_MIN };
    let mut bytes = here.get(..local)?.to_vec();
    let mut next = here.get(local..local + 4)?;
    while bytes.len() < total {
        let number = u32::from_be_bytes(next.try_into().ok()?) as usize;
        let start = number.checked_sub(1)?.checked_mul(PAGE_BYTES)?;
        let page = file.get(start..start + PAGE_BYTES)?;
        next = &page[..4];
        bytes.extend_from_slice(&page[4..4 + OVERFLOW_BYTES.min(total - bytes.len())]);
    }
    Some(bytes)
}

impl Column {
    /// Tells whether the column can hold what a serial type of `SQLite` says.
    fn admits(self, kind: u64) -> bool {
        let is_number = matches!(kind, 1..=6 | 8 | 9);
        let is_text = kind >= 13 && kind % 2 == 1;
        let is_bytes = kind >= 12 && kind.is_multiple_of(2);
        let is_key = |len: u64| kind == 12 + 2 * len;
        match self {
            Null => kind == 0,
            Number => is_number,
            Text => is_text,
            Bytes => is_bytes,
            Key(len) => is_key(len),
            MaybeNumber => kind == 0 || is_number,
            MaybeText => kind == 0 || is_text,
            MaybeBytes => kind == 0 || is_bytes,
            MaybeKey(len) => kind == 0 || is_key(len),
        }
    }
}

/// Returns how many bytes a value of a serial type takes.
fn stored_bytes(kind: u64) -> u64 {
    match kind {
        0 | 8 | 9 => 0,
        1..=4 => kind,
        5 => 6,
        6 | 7 => 8,
        _ => kind.saturating_sub(12) / 2,
    }
}

fn value_of(kind: u64, bytes: &[u8]) -> Option<Value> {
    Some(match kind {
        0 => Value::Null,
        8 => Value::Integer(0),
        9 => Value::Integer(1),
        1..=6 => {
            let sign = if bytes[0] < 0x80 { 0 } else { -1 };
            Value::Integer(bytes.iter().fold(sign, |number, &byte| number << 8 | i64::from(byte)))
        }
        _ if kind % 2 == 1 => Value::Text(String::from_utf8(bytes.to_vec()).ok()?),
        _ => Value::Blob(bytes.to_vec()),
    })
}

/// Reads a number of variable length, and how many bytes it takes; none here needs more than four.
fn varint(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut number = 0;
    for (index, &byte) in bytes.iter().take(4).enumerate() {
        number = number << 7 | u64::from(byte & 0x7f);
        if byte < 0x80 {
            return Some((number, index + 1));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A base file with rows that fill pages, and contents of every length that matters.
    fn base() -> (Vec<u8>, Vec<Vec<u8>>) {
        let dir = tempfile::TempDir::new().unwrap();
        let file = dir.path().join("base.db");
        let connection = Connection::open(&file).unwrap();
        connection.execute_batch(include_str!("schema.sql")).unwrap();
        let lengths = [1usize, 40, 488, 489, 1002, 3900, 4061, 4062, 4100, 9000, 65_536];
        let contents: Vec<Vec<u8>> = lengths
            .into_iter()
            .map(|len| (0..len).map(|at| (at * 7 + len).to_le_bytes()[0]).collect())
            .collect();
        for (number, bytes) in (0i64..).zip(&contents) {
            connection
                .execute(
                    "INSERT INTO blobs (digest, refs, bytes) VALUES (?1, ?2, ?3)",
                    (Digest::of(bytes).0, number, bytes),
                )
                .unwrap();
        }
        for number in 0..300i64 {
            let name = format!("{number}").repeat(1 + usize::try_from(number % 40).unwrap());
            connection
                .execute(
                    "INSERT INTO entries VALUES (?1, ?2, ?3)",
                    ([1u8; 16], name, (i128::from(number) << 60).to_be_bytes()),
                )
                .unwrap();
            connection
                .execute(
                    "INSERT INTO history VALUES (?1, ?2, -5, 'me', 70000, NULL, ?3, NULL)",
                    ((i128::from(number) << 60).to_be_bytes(), number, vec![7u8; 32 * 50]),
                )
                .unwrap();
        }
        drop(connection);
        #[expect(clippy::disallowed_methods, reason = "the test looks at the raw file")]
        (std::fs::read(&file).unwrap(), contents)
    }

    fn count(connection: &Connection, table: &str) -> i64 {
        let sql = format!("SELECT count(*) FROM {table}");
        connection.query_row(&sql, [], |row| row.get(0)).unwrap()
    }

    #[test]
    fn every_row_is_found_though_no_page_says_where() {
        let (mut file, contents) = base();
        // The schema goes, so that nothing leads to any page.
        file[100..PAGE_BYTES].fill(0);
        let sound = rows(&file).unwrap();
        assert_eq!((count(&sound, "entries"), count(&sound, "history")), (300, 300));
        // And what each page says of its rows.
        for page in file.as_chunks_mut::<PAGE_BYTES>().0.iter_mut().skip(1) {
            if page[0] != 0 {
                page[1..8].fill(0xee);
            }
        }
        let rows = rows(&file).unwrap();
        assert!(count(&rows, "entries") >= 300);
        assert_eq!(count(&rows, "history"), 300);
        let odd = "SELECT count(*) FROM history WHERE time <> -5 OR length(leaves) <> 1600";
        assert_eq!(rows.query_row(odd, [], |row| row.get::<_, i64>(0)).unwrap(), 0);
        let mut found = std::collections::BTreeSet::new();
        blobs(&file, |_, bytes| found.extend([bytes.to_vec()]));
        assert!(contents.iter().all(|bytes| found.contains(bytes)), "{}", found.len());
    }
}
