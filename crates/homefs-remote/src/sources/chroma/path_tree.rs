//! The document in which a collection says which pages it has, and who may see them.
//!
//! It is one JSON object, `{path: {isPublic, groups, …}}`, plain or compressed by gzip and then
//! written in Base64, since documents are text.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::io::{Read, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use homefs_core::{Error, ErrorKind, Result};
use serde::Deserializer;
use serde::de::{Error as DecodingError, MapAccess, Visitor};
use serde_json::{Map, Value};

use super::answer::{Said, WORDS_MAX};
use super::catalogue::Access;
use super::room::Room;

/// The id of the document.
pub(crate) const PATH_TREE: &str = "__path_tree__";
/// The key by which a tree says that a page is cut into chunks at line ends only.
pub(crate) const WHOLE_LINES: &str = "wholeLines";
/// Largest tree; a page takes about a hundred bytes.
const BYTES_MAX: u64 = 128 * 1024 * 1024;

/// What a tree says, path by path.
pub(crate) type PathTree = BTreeMap<String, Map<String, Value>>;

/// Reads the document.
pub(crate) fn decode(document: &str) -> Result<PathTree> {
    let (mut tree, mut room) = (PathTree::new(), Room::default());
    read(document, |path, entry| {
        room.take(path.len())?;
        tree.insert(path, entry);
        Ok(())
    })?;
    Ok(tree)
}

/// Reads the document, and gives every path in it and what is said of it to `take`.
pub(super) fn read(
    document: &str,
    take: impl FnMut(String, Map<String, Value>) -> Result<()>,
) -> Result<()> {
    let text = document.trim();
    let json =
        if text.starts_with('{') { Cow::Borrowed(text.as_bytes()) } else { unpack(text)?.into() };
    let mut paths = Paths { take, refused: None };
    let mut from = serde_json::Deserializer::from_slice(&json);
    let read = from.deserialize_map(&mut paths).and_then(|()| from.end());
    if let Some(refused) = paths.refused {
        return Err(refused);
    }
    read.map_err(|cause| {
        Error::new(ErrorKind::Corrupt, format!("{PATH_TREE} is not a JSON object of paths"))
            .with_source(cause)
    })
}

/// Takes one path after another, so that they are not all in memory with what is said of them.
struct Paths<Take> {
    take: Take,
    /// Why no more are taken.
    refused: Option<Error>,
}

impl<'de, Take: FnMut(String, Map<String, Value>) -> Result<()>> Visitor<'de> for &mut Paths<Take> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of paths")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut paths: A) -> Result<(), A::Error> {
        while let Some((path, Said(said))) = paths.next_entry()? {
            let entry = match said {
                Value::Object(entry) => entry,
                Value::Null => Map::new(),
                // What is said of the page is not understood, so nobody is allowed.
                other => Map::from_iter([("isPublic".to_owned(), other)]),
            };
            if let Err(refused) = (self.take)(path, entry) {
                self.refused = Some(refused);
                return Err(DecodingError::custom("refused"));
            }
        }
        Ok(())
    }
}

/// Writes the document.
pub(crate) fn encode(tree: &PathTree) -> Result<String> {
    let internal =
        |why: String| Error::new(ErrorKind::Internal, format!("cannot write {PATH_TREE}: {why}"));
    let json = serde_json::to_vec(tree).map_err(|cause| internal(cause.to_string()))?;
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    let packed = packed.write_all(&json).and_then(|()| packed.finish());
    Ok(STANDARD.encode(packed.map_err(|cause| internal(cause.to_string()))?))
}

/// Undoes Base64 and gzip.
fn unpack(text: &str) -> Result<Vec<u8>> {
    let corrupt = |why: String| {
        Error::new(
            ErrorKind::Corrupt,
            format!("{PATH_TREE} is neither JSON nor gzip in Base64: {why}"),
        )
    };
    // Some encoders break lines.
    let text: String = text.split_ascii_whitespace().collect();
    let packed = STANDARD.decode(text).map_err(|cause| corrupt(cause.to_string()))?;
    let mut json = Vec::new();
    let mut unpacked = GzDecoder::new(&*packed).take(BYTES_MAX + 1);
    unpacked.read_to_end(&mut json).map_err(|cause| corrupt(cause.to_string()))?;
    if json.len() as u64 > BYTES_MAX {
        let message = format!("{PATH_TREE} has more than {BYTES_MAX} bytes");
        return Err(Error::new(ErrorKind::LimitExceeded, message));
    }
    Ok(json)
}

/// Reads who may see a page. What is not understood allows nobody.
pub(super) fn access(entry: &Map<String, Value>) -> Access {
    let groups = match entry.get("groups") {
        None | Some(Value::Null) => Some(Vec::new()),
        Some(Value::Array(groups)) => {
            groups.iter().map(|group| group.as_str().map(str::to_owned)).collect()
        }
        // Metadata could hold no lists for long, and an empty one is an empty text.
        Some(Value::String(groups)) if groups.is_empty() => Some(Vec::new()),
        // As many as a list may have: a group takes more memory than its comma.
        Some(Value::String(groups)) => (groups.split(',').take(WORDS_MAX + 1).count() <= WORDS_MAX)
            .then(|| groups.split(',').map(|group| group.trim().to_owned()).collect()),
        Some(_) => None,
    };
    match (entry.get("isPublic"), groups) {
        (Some(Value::Bool(true)), _) => Access::Public,
        (None | Some(Value::Null), Some(groups)) if groups.is_empty() => Access::Public,
        (None | Some(Value::Null | Value::Bool(false)), Some(groups)) => Access::Groups(groups),
        _ => Access::Groups(Vec::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_reads_back_in_every_spelling() {
        let plain = r#"{"a/b": {"isPublic": true, "groups": []}, "c": null}"#;
        let tree = decode(plain).unwrap();
        assert_eq!(tree.keys().collect::<Vec<_>>(), ["a/b", "c"]);
        let packed = encode(&tree).unwrap();
        assert_eq!(decode(&packed).unwrap(), tree);
        let (first, second) = packed.split_at(20);
        assert_eq!(decode(&format!("{first}\n{second}\n")).unwrap(), tree);
    }

    #[test]
    fn what_is_no_tree_is_told() {
        for text in ["", "[]", "{", "no base64 at all!", "aGVsbG8=", "{\"a\": 1"] {
            assert_eq!(decode(text).unwrap_err().kind(), ErrorKind::Corrupt, "{text}");
        }
    }

    #[test]
    fn what_is_not_understood_allows_nobody() {
        let check = |entry: &str, expected: Option<&[&str]>| {
            let tree = decode(&format!("{{\"a\": {entry}}}")).unwrap();
            let found = match access(&tree["a"]) {
                Access::Public => None,
                Access::Groups(groups) => Some(groups),
            };
            let expected = expected.map(|groups| groups.iter().map(|g| (*g).to_owned()).collect());
            assert_eq!(found, expected, "{entry}");
        };
        check("{}", None);
        check("null", None);
        check(r#"{"isPublic": true}"#, None);
        check(r#"{"isPublic": true, "groups": ["x"]}"#, None);
        check(r#"{"isPublic": false}"#, Some(&[]));
        check(r#"{"isPublic": false, "groups": ["a", "b"]}"#, Some(&["a", "b"]));
        check(r#"{"groups": "a, b"}"#, Some(&["a", "b"]));
        check(r#"{"isPublic": "yes"}"#, Some(&[]));
        check(r#"{"isPublic": 1, "groups": ["a"]}"#, Some(&[]));
        check(r#"{"groups": [1]}"#, Some(&[]));
        check(r#"{"groups": {"a": true}}"#, Some(&[]));
        check("7", Some(&[]));
        check("[]", Some(&[]));
        // Nobody is in a group without a name.
        check(r#"{"groups": ""}"#, None);
        check(r#"{"groups": " , "}"#, Some(&["", ""]));
        check(r#"{"groups": [""]}"#, Some(&[""]));
        check(r#"{"groups": "*"}"#, Some(&["*"]));
        check(r#"{"groups": ["a,b", "A", "\u0430"]}"#, Some(&["a,b", "A", "\u{430}"]));
        check(r#"{"groups": [["a"]]}"#, Some(&[]));
        check(r#"{"groups": false}"#, Some(&[]));
        let many = vec!["\"a\""; 1000].join(",");
        check(&format!(r#"{{"groups": [{many}]}}"#), Some(&[]));
        let text = |count: usize| format!(r#"{{"groups": "{}"}}"#, vec!["a"; count].join(","));
        check(&text(WORDS_MAX), Some(&["a"; WORDS_MAX]));
        check(&text(WORDS_MAX + 1), Some(&[]));
        check(&text(1_000_000), Some(&[]));
        check(r#"{"isPublic": [true]}"#, Some(&[]));
        check(r#"{"isPublic": {"a": true}}"#, Some(&[]));
    }
}
