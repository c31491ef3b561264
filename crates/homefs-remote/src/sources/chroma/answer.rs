//! What a server answers, read within bounds.
//!
//! A byte of JSON can cost sixteen of memory, and a server can say what it likes. So what no
//! collection has is not kept while it is read: more records than were asked for, more notes than
//! a record has, and what is nested in notes.

use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;

use homefs_core::{Error, ErrorKind, Result};
use serde::de::{
    DeserializeSeed, Error as DecodingError, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Number, Value};

/// Most records of one answer; longer ones are asked for in steps.
pub(super) const RECORDS_MAX: usize = 5000;
/// Most notes of one record or page.
const NOTES_MAX: usize = 256;
/// Most words that one note lists.
pub(super) const WORDS_MAX: usize = 256;
/// Most notes, and words that notes list, of all records of one answer.
const NOTED_MAX: usize = 2_000_000;
/// Longest refusal that is read.
const REFUSAL_BYTES_MAX: usize = 64 * 1024;

/// One record of a collection.
#[derive(Debug)]
pub(crate) struct Record {
    /// Its id.
    pub(crate) id: String,
    /// Its text, if it was asked for and there is one.
    pub(crate) document: Option<String>,
    /// What is noted about it, if that was asked for.
    pub(crate) metadata: Map<String, Value>,
}

impl Record {
    /// Returns about how much memory it takes.
    pub(super) fn held_bytes(&self) -> usize {
        let notes = self.metadata.iter();
        let notes = notes.map(|(key, note)| size_of::<String>() + key.len() + held_bytes(note));
        let document = self.document.as_ref().map_or(0, String::len);
        size_of::<Self>() + self.id.len() + document + notes.sum::<usize>()
    }
}

/// Returns about how much memory a note takes: a word in a list as much as one alone.
fn held_bytes(note: &Value) -> usize {
    let below = match note {
        Value::String(text) => text.len(),
        Value::Array(words) => words.iter().map(held_bytes).sum(),
        _ => 0,
    };
    size_of::<Value>() + below
}

/// What a query brings.
#[derive(Deserialize)]
pub(super) struct Answer {
    ids: Column<String>,
    documents: Option<Column<Option<String>>>,
    metadatas: Option<Noted>,
}

impl Answer {
    /// Puts the columns together.
    pub(super) fn records(self) -> Result<Vec<Record>> {
        let count = self.ids.0.len();
        let documents = self.documents.map_or_else(|| vec![None; count], |column| column.0);
        let metadatas = self.metadatas.map_or_else(|| vec![Map::new(); count], |column| column.0);
        if documents.len() != count || metadatas.len() != count {
            let message = "the server's answer has columns of different lengths";
            return Err(Error::new(ErrorKind::Unsupported, message));
        }
        let rows = self.ids.0.into_iter().zip(documents).zip(metadatas);
        Ok(rows.map(|((id, document), metadata)| Record { id, document, metadata }).collect())
    }
}

/// One value of each record.
struct Column<T>(Vec<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Column<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_seq(Values(PhantomData::<T>)).map(Self)
    }
}

/// The notes of each record.
struct Noted(Vec<Map<String, Value>>);

impl<'de> Deserialize<'de> for Noted {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_seq(Values(Notes(&Room::default()))).map(Self)
    }
}

/// Reads a value of each record.
struct Values<Seed>(Seed);

impl<'de, Seed: DeserializeSeed<'de> + Copy> Visitor<'de> for Values<Seed> {
    type Value = Vec<Seed::Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list of at most {RECORDS_MAX}")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element_seed(self.0)? {
            if values.len() == RECORDS_MAX {
                return Err(A::Error::invalid_length(RECORDS_MAX + 1, &self));
            }
            values.push(value);
        }
        Ok(values)
    }
}

/// How many notes and words may still come. What all records of an answer have counts together:
/// each of them has little, and a word of two bytes takes as much memory as one of twenty.
struct Room(Cell<usize>);

impl Default for Room {
    fn default() -> Self {
        Self(Cell::new(NOTED_MAX))
    }
}

impl Room {
    /// Makes room for one more.
    fn take<E: DecodingError>(&self) -> Result<(), E> {
        let left = self.0.get().checked_sub(1);
        let left = left.ok_or_else(|| E::custom(format!("more than {NOTED_MAX} notes")))?;
        self.0.set(left);
        Ok(())
    }
}

/// Reads what is noted about a record; nothing is as good as no notes.
#[derive(Clone, Copy)]
struct Notes<'r>(&'r Room);

impl<'de> DeserializeSeed<'de> for Notes<'_> {
    type Value = Map<String, Value>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_option(self)
    }
}

impl<'de> Visitor<'de> for Notes<'_> {
    type Value = Map<String, Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Pairs(self.0).expecting(f)
    }

    fn visit_none<E: DecodingError>(self) -> Result<Self::Value, E> {
        Ok(Map::new())
    }

    fn visit_unit<E: DecodingError>(self) -> Result<Self::Value, E> {
        Ok(Map::new())
    }

    fn visit_some<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_map(Pairs(self.0))
    }
}

/// Reads notes.
struct Pairs<'r>(&'r Room);

impl<'de> Visitor<'de> for Pairs<'_> {
    type Value = Map<String, Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object of at most {NOTES_MAX} notes")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<Self::Value, A::Error> {
        let mut notes = Map::new();
        while let Some(key) = pairs.next_key()? {
            if notes.len() == NOTES_MAX {
                return Err(A::Error::invalid_length(NOTES_MAX + 1, &self));
            }
            self.0.take()?;
            let note = Reader { lists: true, notes: false, room: self.0 };
            notes.insert(key, pairs.next_value_seed(note)?);
        }
        Ok(notes)
    }
}

/// What is said of a page: notes, or what should have been some.
pub(super) struct Said(pub(super) Value);

impl<'de> Deserialize<'de> for Said {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let room = Room::default();
        Reader { lists: true, notes: true, room: &room }.deserialize(from).map(Self)
    }
}

/// Reads what is no deeper than it may be. A note is a word, a number, yes or no, nothing, or a list
/// of these. Whatever else it is becomes an empty object, which says something, and nothing that
/// anybody understands.
struct Reader<'r> {
    /// Whether it may be a list.
    lists: bool,
    /// Whether it may be notes.
    notes: bool,
    /// For what it lists or notes.
    room: &'r Room,
}

impl<'de> DeserializeSeed<'de> for Reader<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Value, D::Error> {
        from.deserialize_any(self)
    }
}

/// Stands for what is not understood.
fn odd() -> Value {
    Value::Object(Map::new())
}

impl<'de> Visitor<'de> for Reader<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a note")
    }

    fn visit_bool<E: DecodingError>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E: DecodingError>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: DecodingError>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: DecodingError>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or_else(odd, Value::Number))
    }

    fn visit_str<E: DecodingError>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E: DecodingError>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E: DecodingError>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut words = Vec::new();
        if self.lists {
            while words.len() < WORDS_MAX {
                let word = Reader { lists: false, notes: false, room: self.room };
                let Some(word) = list.next_element_seed(word)? else {
                    return Ok(Value::Array(words));
                };
                self.room.take()?;
                words.push(word);
            }
        }
        let mut is_whole = self.lists;
        while list.next_element::<IgnoredAny>()?.is_some() {
            is_whole = false;
        }
        Ok(if is_whole { Value::Array(words) } else { odd() })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<Value, A::Error> {
        if self.notes {
            return Pairs(self.room).visit_map(pairs).map(Value::Object);
        }
        while pairs.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(odd())
    }
}

/// Says what a refusal means; of what the server says, only Chroma's own message is shown.
pub(super) fn refusal(status: u16, content: &[u8]) -> Error {
    #[derive(Default, Deserialize)]
    struct Said {
        message: String,
    }
    let said = content.get(..REFUSAL_BYTES_MAX).unwrap_or(content);
    let said: Said = serde_json::from_slice(said).unwrap_or_default();
    let said: String = said.message.chars().filter(|c| !c.is_control()).take(200).collect();
    let (kind, why) = match status {
        300..=399 => (
            ErrorKind::Unsupported,
            "the server sends requests elsewhere, where they do not go: name that place, with \
             chromas:// for TLS",
        ),
        401 | 403 => (ErrorKind::Denied, "the server refused the token (CHROMA_API_KEY)"),
        404 => (ErrorKind::NotFound, "the server has no such collection"),
        409 => (ErrorKind::Conflict, "the server has it otherwise"),
        408 | 429 | 500.. => (ErrorKind::Unavailable, "the server cannot answer now"),
        _ => (ErrorKind::Invalid, "the server refused the request"),
    };
    let colon = if said.is_empty() { "" } else { ": " };
    Error::new(kind, format!("{why} ({status}){colon}{said}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_kept_as_far_as_it_is_one() {
        let check = |json: &str, expected: &str| {
            let (from, room) = (&mut serde_json::Deserializer::from_str(json), Room::default());
            let note = Reader { lists: true, notes: false, room: &room };
            let found = note.deserialize(from).unwrap();
            assert_eq!(found.to_string(), expected, "{json}");
        };
        for plain in ["null", "true", "-7", "0.5", "18446744073709551615", r#""a""#, r#"["a",1]"#] {
            check(plain, plain);
        }
        check("[]", "[]");
        check(r#"{"a": {"b": [1]}}"#, "{}");
        check(r#"["a", ["b"], {"c": 1}]"#, r#"["a",{},{}]"#);
        let list = |count: usize| format!("[{}]", vec!["1"; count].join(","));
        check(&list(WORDS_MAX), &list(WORDS_MAX));
        check(&list(WORDS_MAX + 1), "{}");
        check(&list(WORDS_MAX + 2), "{}");
    }

    #[test]
    fn what_a_record_lists_is_counted() {
        let record = |note: Value| Record {
            id: String::new(),
            document: None,
            metadata: [("a".to_owned(), note)].into_iter().collect(),
        };
        let plain = record(0.into()).held_bytes();
        let listed = record(vec![Value::from(0); WORDS_MAX].into()).held_bytes();
        assert_eq!(listed - plain, WORDS_MAX * size_of::<Value>());
        let words = record(vec![Value::from("word"); WORDS_MAX].into()).held_bytes();
        assert_eq!(words - listed, WORDS_MAX * "word".len());
    }

    #[test]
    fn an_answer_that_costs_more_than_it_may_is_no_answer() {
        let is_read = |json: &str| serde_json::from_str::<Answer>(json).is_ok();
        let ids = |count: usize| format!(r#"{{"ids": [{}]}}"#, vec!["\"\""; count].join(","));
        assert!(is_read(&ids(RECORDS_MAX)));
        assert!(!is_read(&ids(RECORDS_MAX + 1)));
        let notes = |count: usize| {
            let notes: Vec<String> = (0..count).map(|key| format!("\"{key}\": 0")).collect();
            format!(r#"{{"ids": ["a"], "metadatas": [{{{}}}]}}"#, notes.join(","))
        };
        assert!(is_read(&notes(NOTES_MAX)));
        assert!(!is_read(&notes(NOTES_MAX + 1)));
        // A small answer that would take much memory.
        let list = format!("[{}]", vec!["0"; WORDS_MAX].join(","));
        let notes: Vec<String> = (0..NOTES_MAX).map(|key| format!("\"{key}\": {list}")).collect();
        let lists = |count: usize| {
            let (ids, notes) = (vec!["\"\""; count].join(","), format!("{{{}}}", notes.join(",")));
            let notes = vec![notes; count].join(",");
            format!(r#"{{"ids": [{ids}], "metadatas": [{notes}]}}"#)
        };
        assert!(is_read(&lists(NOTED_MAX / NOTES_MAX / (WORDS_MAX + 1))));
        assert!(!is_read(&lists(NOTED_MAX / NOTES_MAX / (WORDS_MAX + 1) + 1)));
        for open in ["[", "{\"\":"] {
            let deep = open.repeat(100_000);
            assert!(!is_read(&format!(r#"{{"ids": ["a"], "metadatas": [{{"a": {deep}"#)));
        }
    }
}
