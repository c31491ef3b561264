//! Puts pages together from their chunks, and says what is wrong with those that cannot be.

use std::collections::BTreeMap;

use bytes::Bytes;
use homefs_core::{Error, ErrorCode, ErrorKind, Result};
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
        return Err(Error::new(ErrorKind::Unavailable, message).with_code(ErrorCode::NotWhole));
    }
    if chunks.iter().all(|chunk| !chunk.metadata.contains_key(key)) {
        return loosely(chunks, settings);
    }
    let mut ordered = BTreeMap::new();
    for chunk in chunks {
        let index = match chunk.metadata.get(key) {
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

/// The metadata in which splitters of `LangChain` say at which character of the page a chunk begins.
const START: &str = "start_index";
/// What `LlamaIndex` keeps of a chunk, as JSON, and what that calls the same.
const NODE: (&str, &str) = ("_node_content", "start_char_idx");
/// What may be missing between two chunks are blanks that a splitter left out.
const GAP_MAX: usize = 2;

/// Puts a page together whose chunks have no number: by where they say that they begin, or else in
/// the order in which the collection has them, which is that in which they were added.
fn loosely(chunks: Vec<Record>, settings: &ChromaSettings) -> Result<Bytes> {
    let starts: Option<Vec<usize>> = chunks.iter().map(start_of).collect();
    let texts = chunks.into_iter().map(|chunk| {
        let none = || corrupt(format!("chunk {:?} has no text", chunk.id));
        chunk.document.ok_or_else(none)
    });
    let texts: Vec<String> = texts.collect::<Result<_>>()?;
    // Several chunks that all begin at the same place were counted in something else, such as the
    // leaves of a document.
    let Some(starts) = starts.filter(|starts| is_distinct(starts)) else {
        let between = if settings.separator.is_empty() { "\n" } else { &settings.separator };
        return Ok(texts.join(between).into());
    };
    let mut placed: Vec<(usize, String)> = starts.into_iter().zip(texts).collect();
    placed.sort_by_key(|(start, _)| *start);
    let (mut page, mut end) = (String::new(), placed.first().map_or(0, |(start, _)| *start));
    for (start, text) in placed {
        let length = text.chars().count();
        // Chunks overlap, so that a search finds what lies at their borders.
        let twice = end.saturating_sub(start);
        let new = text.char_indices().nth(twice).map_or(text.len(), |(at, _)| at);
        if twice > 0 && page.ends_with(&text[..new]) {
            page.push_str(&text[new..]);
        } else {
            let gap = if twice > 0 { 1 } else { (start - end).min(GAP_MAX) };
            page.extend(std::iter::repeat_n('\n', gap));
            page.push_str(&text);
        }
        end = end.max(start + length);
    }
    Ok(page.into())
}

fn is_distinct(starts: &[usize]) -> bool {
    let mut sorted = starts.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    sorted.len() == starts.len()
}

/// Returns the character of its page at which a chunk begins, if it says so.
fn start_of(chunk: &Record) -> Option<usize> {
    let (node, start) = NODE;
    let said = if let Some(said) = chunk.metadata.get(START) {
        number(said)
    } else {
        let node: Value = serde_json::from_str(chunk.metadata.get(node)?.as_str()?).ok()?;
        number(node.get(start)?)
    };
    usize::try_from(said?).ok()
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
    Error::new(ErrorKind::Corrupt, message).with_code(ErrorCode::NotWhole)
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
            (Err(error), Err(word)) => {
                assert!(error.message().contains(word), "{error}");
                assert_eq!(error.code(), Some(ErrorCode::NotWhole), "{error}");
            }
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
    fn chunks_without_numbers_are_put_where_they_begin_or_as_they_were_added() {
        let start = |start: usize| json!({ "start_index": start });
        let node = |start: usize| {
            let node = json!({ "start_char_idx": start, "text": "" }).to_string();
            json!({ "_node_content": node })
        };
        // As LangChain's splitters cut `one two ü three`: with overlap, and without outer blanks.
        check(
            &[(start(8), Some("ü three")), (start(0), Some("one two")), (start(4), Some("two ü"))],
            Ok("one two ü three"),
        );
        check(&[(start(0), Some("one")), (start(5), Some("two"))], Ok("one\n\ntwo"));
        check(&[(node(3), Some("twotail")), (node(0), Some("onetwo"))], Ok("onetwotail"));
        // What does not say again what stands there is no overlap.
        check(&[(start(0), Some("one")), (start(2), Some("two"))], Ok("one\ntwo"));
        // Of leaves each begins at 0.
        check(&[(start(0), Some("leaf 1")), (start(0), Some("leaf 2"))], Ok("leaf 1\nleaf 2"));
        check(&[(json!({}), Some("b")), (json!({}), Some("a"))], Ok("b\na"));
        check(&[(json!({}), Some("b")), (start(0), Some("a"))], Ok("b\na"));
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
        check(&[(json!({}), Some("a")), (json!({}), None)], Err("no text"));
        check(&[(index(json!("x")), Some("a"))], Err("no number"));
        check(&[(index(json!([0])), Some("a"))], Err("no number"));
        check(&[(index(json!(0.5)), Some("a"))], Err("no number"));
        check(&[(index(json!(0)), None)], Err("no text"));
        let of = |edition: &str, index: u8| json!({ "edition": edition, "chunk_index": index });
        check(&[(of("1", 0), Some("a")), (of("2", 1), Some("b"))], Err("being published"));
    }
}
