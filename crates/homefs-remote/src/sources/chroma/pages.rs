//! Puts pages together from their chunks, and says what is wrong with those that cannot be.

use std::collections::BTreeMap;

use bytes::Bytes;
use homefs_core::{Error, ErrorKind, Result};
use serde_json::{Map, Value};

use super::ChromaSettings;
use super::client::Record;

/// The key under which published chunks name the edition of the file that they are from.
pub(crate) const EDITION: &str = "edition";

/// Returns what a record calls its page: by the first of the keys that it has as text.
pub(super) fn slug_of<'a>(
    metadata: &'a Map<String, Value>,
    settings: &ChromaSettings,
) -> Option<&'a str> {
    settings.page_keys.iter().find_map(|key| metadata.get(key)?.as_str())
}

/// Puts a page together.
pub(super) fn assemble(chunks: Vec<Record>, settings: &ChromaSettings) -> Result<Bytes> {
    let key = &settings.index_key;
    let count = chunks.len();
    if count == 0 {
        return Err(corrupt("the collection names this page and has no chunk of it".to_owned()));
    }
    let editions: Vec<_> = chunks.iter().map(|chunk| chunk.metadata.get(EDITION)).collect();
    if editions.iter().any(|edition| *edition != editions[0]) {
        let message = "the page is just being published: its chunks are of several editions";
        return Err(Error::new(ErrorKind::Unavailable, message));
    }
    let mut ordered = BTreeMap::new();
    for chunk in chunks {
        let index = match chunk.metadata.get(key) {
            // A page of one chunk needs no order.
            None if count == 1 => 0,
            Some(value) => number(value).ok_or_else(|| {
                corrupt(format!("{key} of chunk {:?} is no number: {value}", chunk.id))
            })?,
            None => return Err(corrupt(format!("chunk {:?} of {count} has no {key}", chunk.id))),
        };
        let Some(document) = chunk.document else {
            return Err(corrupt(format!("chunk {:?} has no text", chunk.id)));
        };
        if ordered.insert(index, document).is_some() {
            return Err(corrupt(format!("two chunks have {key} {index}")));
        }
    }
    // Some count from one.
    let start = ordered.keys().next().copied().unwrap_or_default().clamp(0, 1);
    if let Some(missing) =
        (start..).zip(ordered.keys()).find_map(|(want, have)| (want != *have).then_some(want))
    {
        return Err(corrupt(format!("the chunk with {key} {missing} is missing")));
    }
    let parts: Vec<String> = ordered.into_values().collect();
    Ok(parts.join(&settings.separator).into())
}

/// Reads a whole number, however it is written.
fn number(value: &Value) -> Option<i64> {
    let whole = |number: f64| {
        let exact = number.fract() == 0.0 && number.abs() < 9.0e15;
        #[expect(clippy::cast_possible_truncation, reason = "it is whole and small enough")]
        exact.then_some(number as i64)
    };
    match value {
        Value::Number(number) => number.as_i64().or_else(|| whole(number.as_f64()?)),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

fn corrupt(message: String) -> Error {
    Error::new(ErrorKind::Corrupt, message)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(chunks: &[(Value, Option<&str>)], expected: Result<&str, &str>) {
        let record = |(at, (metadata, document)): (usize, &(Value, Option<&str>))| Record {
            id: format!("id{at}"),
            document: document.map(str::to_owned),
            metadata: metadata.as_object().cloned().unwrap_or_default(),
        };
        let chunks = chunks.iter().enumerate().map(record).collect();
        match (assemble(chunks, &ChromaSettings::default()), expected) {
            (Ok(found), Ok(expected)) => assert_eq!(found, expected),
            (Err(error), Err(word)) => assert!(error.message().contains(word), "{error}"),
            (found, expected) => panic!("{found:?} instead of {expected:?}"),
        }
    }

    #[test]
    fn chunks_are_put_in_order_however_their_numbers_are_written() {
        let index = |value: Value| json!({ "chunk_index": value });
        check(&[(index(json!(1)), Some("b")), (index(json!(0)), Some("a"))], Ok("ab"));
        check(&[(index(json!("2")), Some("b")), (index(json!(1.0)), Some("a"))], Ok("ab"));
        check(&[(json!({}), Some("only"))], Ok("only"));
        check(&[(index(json!(0)), Some(""))], Ok(""));
    }

    #[test]
    fn a_page_that_is_not_whole_says_why() {
        let index = |value: Value| json!({ "chunk_index": value });
        check(&[], Err("no chunk"));
        check(
            &[(index(json!(0)), Some("a")), (index(json!(2)), Some("c"))],
            Err("chunk_index 1 is missing"),
        );
        check(&[(index(json!(5)), Some("a"))], Err("chunk_index 1 is missing"));
        check(&[(index(json!(-1)), Some("a"))], Err("chunk_index 0 is missing"));
        check(&[(index(json!(0)), Some("a")), (index(json!(0)), Some("b"))], Err("two chunks"));
        check(&[(index(json!(0)), Some("a")), (json!({}), Some("b"))], Err("has no chunk_index"));
        check(&[(index(json!("x")), Some("a"))], Err("no number"));
        check(&[(index(json!([0])), Some("a"))], Err("no number"));
        check(&[(index(json!(0.5)), Some("a"))], Err("no number"));
        check(&[(index(json!(0)), None)], Err("no text"));
        let of = |edition: &str, index: u8| json!({ "edition": edition, "chunk_index": index });
        check(&[(of("1", 0), Some("a")), (of("2", 1), Some("b"))], Err("being published"));
    }
}
