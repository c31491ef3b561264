//! Memories as JSON: what mem0 and AVM export, and objects of any kind that have a text.

use std::collections::BTreeMap;

use homefs_core::{Path, Timestamp};
use serde_json::{Map, Value};

use super::notes::Notes;
use super::{Destination, Format, Memory, MemorySet, times};

/// Names of the field that holds the text, in the order in which they are looked for.
const TEXT: &[&str] = &["memory", "text", "content", "page_content"];
const ID: &[&str] = &["id", "_id", "uuid"];
const TITLE: &[&str] = &["title", "name"];
const TAGS: &[&str] = &["tags", "categories", "keywords"];
const IMPORTANCE: &[&str] = &["importance"];
const SOURCE: &[&str] = &["source"];
const CREATED: &[&str] = &["created_at", "created", "createdAt", "date", "timestamp"];
const UPDATED: &[&str] = &["updated_at", "updated", "updatedAt", "modified"];
/// Fields of a record that are kept as they are, beside its metadata.
const KEPT: &[&str] = &["user_id", "agent_id", "run_id", "app_id", "session_id"];
/// The directory in which AVM keeps what agents remember.
const AVM_ROOT: &str = "/memory";

/// Tells whether a file of this name holds records.
pub(super) fn is_named(name: &str) -> bool {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    ["json", "jsonl", "ndjson"].iter().any(|known| ending.eq_ignore_ascii_case(known))
}

/// Tells whether a content begins as JSON does.
pub(super) fn looks_so(content: &[u8]) -> bool {
    let first = content.iter().find(|byte| !byte.is_ascii_whitespace());
    matches!(first, Some(b'{' | b'['))
}

/// Takes every record of a file as one memory; what is none is named with its place.
pub(super) fn read(name: &str, content: &[u8], format: Format, found: &mut MemorySet) {
    let mut take = |place: String, value: Result<Value, serde_json::Error>| {
        let origin = format!("{name}, {place}");
        let memory = value
            .map_err(|error| format!("not JSON: {error}"))
            .and_then(|value| memory(&value, format, &origin));
        match memory {
            Ok(memory) => found.memories.push(memory),
            Err(why) => found.problems.push(format!("{origin}: {why}")),
        }
    };
    if let Some(records) = whole(content) {
        for (number, record) in (1..).zip(records) {
            take(format!("record {number}"), Ok(record));
        }
        return;
    }
    for (number, line) in (1..).zip(content.split(|byte| *byte == b'\n')) {
        if !line.trim_ascii().is_empty() {
            take(format!("line {number}"), serde_json::from_slice(line));
        }
    }
}

/// Returns the records of a file that is one JSON document: an array, or an object with one.
fn whole(content: &[u8]) -> Option<Vec<Value>> {
    match serde_json::from_slice(content).ok()? {
        Value::Array(records) => Some(records),
        Value::Object(mut object) => {
            let list = ["results", "memories", "data", "items"]
                .into_iter()
                .find(|name| object.get(*name).is_some_and(Value::is_array));
            match list.and_then(|name| object.remove(name)) {
                Some(Value::Array(records)) => Some(records),
                _ => Some(vec![Value::Object(object)]),
            }
        }
        _ => None,
    }
}

/// An object with the metadata it carries; what the object itself says comes first.
struct Record<'a> {
    own: &'a Map<String, Value>,
    meta: Option<&'a Map<String, Value>>,
}

impl<'a> Record<'a> {
    fn get(&self, names: &[&str]) -> Option<&'a Value> {
        let maps = [Some(self.own), self.meta];
        let mut fields =
            maps.into_iter().flatten().flat_map(|map| names.iter().map(|n| map.get(*n)));
        fields.find_map(|value| value.filter(|value| !value.is_null()))
    }

    fn text(&self, names: &[&str]) -> Option<String> {
        self.get(names).and_then(scalar)
    }

    fn time(&self, names: &[&str]) -> Option<Timestamp> {
        match self.get(names)? {
            Value::String(text) => times::parse(text),
            Value::Number(number) => number.as_f64().and_then(times::of_number),
            _ => None,
        }
    }

    fn notes(&self) -> Notes {
        let tags = match self.get(TAGS) {
            Some(Value::Array(tags)) => tags.iter().filter_map(scalar).collect(),
            Some(Value::String(tags)) => tags.split(',').map(str::to_owned).collect(),
            _ => Vec::new(),
        };
        let importance = match self.get(IMPORTANCE) {
            Some(Value::String(text)) => text.parse().ok(),
            value => value.and_then(Value::as_f64),
        };
        Notes {
            title: self.text(TITLE),
            tags,
            importance,
            source: self.text(SOURCE),
            created: self.time(CREATED),
            other: self.other(),
        }
    }

    /// Returns plain values that have no meaning here, so that they can still be asked for.
    fn other(&self) -> BTreeMap<String, String> {
        let known = [TITLE, TAGS, IMPORTANCE, SOURCE, CREATED, UPDATED].concat();
        let meta = self.meta.into_iter().flatten();
        let meta = meta.filter(|(name, _)| !known.contains(&name.as_str()));
        let own = self.own.iter().filter(|(name, _)| KEPT.contains(&name.as_str()));
        own.chain(meta).filter_map(|(name, value)| Some((name.clone(), scalar(value)?))).collect()
    }
}

/// Returns a plain value as text.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(switch) => Some(switch.to_string()),
        _ => None,
    }
}

/// Makes a memory of a record; tells why if it is none.
fn memory(value: &Value, format: Format, origin: &str) -> Result<Memory, String> {
    let own = value.as_object().ok_or("not an object")?;
    let object = |name| own.get(name).and_then(Value::as_object);
    let record = Record { own, meta: object("metadata").or_else(|| object("meta")) };
    let text = TEXT.iter().find_map(|name| own.get(*name).and_then(Value::as_str));
    let text = text.filter(|text| !text.trim().is_empty());
    let text = text.ok_or_else(|| format!("no text: it has none of {}", TEXT.join(", ")))?;
    let mut notes = record.notes();
    let modified = record.time(UPDATED).or(notes.created);
    let path = own.get("path").and_then(Value::as_str);
    let is_avm = match format {
        Format::Avm => true,
        Format::Auto => path.is_some() && own.contains_key("meta"),
        _ => false,
    };
    let place = if is_avm {
        let path = path.ok_or("no path, which every record of AVM has")?;
        notes.source.get_or_insert_with(|| format!("avm:{path}"));
        Destination::At(avm_path(path).map_err(|error| error.to_string())?)
    } else {
        let system = if own.contains_key("memory") { "mem0" } else { "jsonl" };
        // Without an id, the text is what tells that a memory is there already.
        let id = record.text(ID).map_or_else(|| text.to_owned(), |id| format!("{system}:{id}"));
        if record.get(ID).is_some() {
            notes.source.get_or_insert_with(|| id.clone());
        }
        Destination::Named { words: notes.title.clone().unwrap_or_else(|| text.to_owned()), id }
    };
    let mut content = text.to_owned();
    // A file of AVM comes as it is; a text of a database becomes a file.
    if !is_avm && !content.ends_with('\n') {
        content.push('\n');
    }
    let (origin, content) = (origin.to_owned(), content.into_bytes());
    Ok(Memory { origin, place, content, modified, meta: notes.finish() })
}

/// Returns where a file of AVM goes.
fn avm_path(path: &str) -> homefs_core::Result<Path> {
    let path = Path::parse(path)?;
    let root = Path::parse(AVM_ROOT)?;
    Ok(path.strip_prefix(&root).filter(|below| !below.is_root()).unwrap_or(path))
}
