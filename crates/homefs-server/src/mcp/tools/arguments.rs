//! What a model gives to a tool: read as it was meant, or refused in words that it can act on.
//!
//! The schema that the model was shown is what its arguments are held against, so that a refusal
//! names what the model knows. Models write names that they know from other tools; where only one
//! argument can be meant, it is.

use homefs_core::{Error, ErrorKind, Result};
use rmcp::model::JsonObject;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// What models call the same thing, in small letters and without signs: an argument of a tool is
/// taken by the names that stand beside its own.
const ALIASES: &[&[&str]] = &[
    &["question", "query", "q", "search", "pattern", "regex", "prompt"],
    &["text", "content", "contents", "filetext", "body", "memory", "data"],
    &["script", "command", "cmd", "code", "bash"],
    &["path", "filepath", "file", "filename", "dir", "directory", "folder", "below"],
    &["paths", "files", "filepaths"],
    &["source", "from", "src", "oldpath"],
    &["destination", "to", "dest", "dst", "target", "newpath"],
    &["limit", "maxresults", "topk", "count", "numresults", "headlimit"],
    &["offset", "startline", "fromline", "firstline"],
    &["maxtokens", "budget", "tokens", "tokenlimit"],
    &["oldtext", "oldstr", "oldstring", "old", "search", "find"],
    &["newtext", "newstr", "newstring", "new", "replace", "replacement"],
    &["expectedoccurrences", "expectedreplacements", "occurrences"],
    &["timeoutseconds", "timeout"],
    &["ignorecase", "caseinsensitive", "i"],
    &["glob", "include", "filepattern"],
    &["stdin", "input"],
];
/// Names that are more alike than this, of 1, are taken for slips of the pen.
const ALIKE: f64 = 0.75;
/// So much is shown of a value that is refused.
const SHOWN_CHARS: usize = 60;

/// Returns the arguments of a tool by the names that it has for them.
pub(super) fn checked(tool: &str, schema: &JsonObject, given: Value) -> Result<Value> {
    let mut given = given;
    with_integers(&mut given);
    value(tool, "the arguments", &Value::Object(schema.clone()), given)
}

/// Reads arguments that were checked.
pub(super) fn arguments<T: DeserializeOwned>(given: Value) -> Result<T> {
    serde_json::from_value(given).map_err(|error| refused(error.to_string()))
}

/// Returns the name that was most likely meant.
pub(super) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let alike = known.map(|known| (strsim::jaro_winkler(&plain(name), &plain(known)), known));
    let best = alike.max_by(|(one, _), (other, _)| one.total_cmp(other))?;
    (best.0 > ALIKE).then_some(best.1)
}

fn refused(message: String) -> Error {
    Error::new(ErrorKind::Invalid, message)
}

/// Makes integers of numbers such as `2.0`: JSON has one kind of number, and some clients write all
/// of them so.
fn with_integers(value: &mut Value) {
    match value {
        Value::Number(number) => {
            let whole = number.as_f64().filter(|_| number.is_f64());
            if let Some(whole) = whole.and_then(|whole| format!("{whole}").parse::<i64>().ok()) {
                *value = whole.into();
            }
        }
        Value::Array(values) => values.iter_mut().for_each(with_integers),
        Value::Object(members) => members.values_mut().for_each(with_integers),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

/// Returns a name without what people spell in many ways.
fn plain(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).flat_map(char::to_lowercase).collect()
}

/// Holds a value against its schema; `place` is what the caller calls it.
fn value(tool: &str, place: &str, schema: &Value, given: Value) -> Result<Value> {
    let kind = schema["type"].as_str().unwrap_or_default();
    let wanted = match (kind, &given) {
        ("string", Value::String(text)) => match schema["enum"].as_array() {
            Some(known) if !known.iter().any(|known| known == text) => one_of(known),
            _ => return Ok(given),
        },
        ("string", _) => {
            schema["enum"].as_array().map_or("a text".to_owned(), |known| one_of(known))
        }
        ("boolean", Value::Bool(_)) | ("number", Value::Number(_)) | ("", _) => return Ok(given),
        ("boolean", _) => "true or false".into(),
        ("number", _) => "a number".into(),
        ("integer", Value::Number(number)) => {
            let least = schema["minimum"].as_i64();
            let is_whole = number.is_i64() || number.is_u64();
            let is_less =
                number.as_i64().is_some_and(|number| least.is_some_and(|least| number < least));
            if is_whole && !is_less {
                return Ok(given);
            }
            least.map_or("a whole number".into(), |least| format!("a whole number from {least}"))
        }
        ("integer", _) => "a whole number".into(),
        ("array", Value::Array(_)) => {
            let Value::Array(items) = given else { return Ok(given) };
            let items = items
                .into_iter()
                .enumerate()
                .map(|(at, item)| value(tool, &format!("{place}[{at}]"), &schema["items"], item));
            return items.collect::<Result<_>>().map(Value::Array);
        }
        ("array", _) => "a list".into(),
        (_, Value::Object(_)) => {
            let Value::Object(members) = given else { return Ok(given) };
            return object(tool, place, schema, members).map(Value::Object);
        }
        _ => "an object".into(),
    };
    let shown: String = given.to_string().chars().take(SHOWN_CHARS).collect();
    Err(refused(format!("{place} must be {wanted}, not {shown}")))
}

fn one_of(known: &[Value]) -> String {
    let names: Vec<&str> = known.iter().filter_map(Value::as_str).collect();
    format!("one of {}", names.join(", "))
}

/// Holds the members of an object against its schema.
fn object(
    tool: &str,
    place: &str,
    schema: &Value,
    members: Map<String, Value>,
) -> Result<Map<String, Value>> {
    let none = Map::new();
    let known = schema["properties"].as_object().unwrap_or(&none);
    // What models write for nothing.
    let given = members.into_iter().filter(|(_, given)| !given.is_null());
    let (mut taken, others): (Map<_, _>, Map<_, _>) =
        given.partition(|(name, _)| known.contains_key(name));
    for (name, given) in others {
        let free = known.keys().map(String::as_str).filter(|known| !taken.contains_key(*known));
        let meant = meant(&name, free).ok_or_else(|| unknown(tool, place, &name, known))?;
        taken.insert(meant.to_owned(), given);
    }
    let in_place = |name: &str| {
        if place.contains('[') { format!("{place}.{name}") } else { name.to_owned() }
    };
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if !taken.contains_key(name) {
            return Err(refused(format!("{tool} needs {}", in_place(name))));
        }
    }
    let held = taken.into_iter().map(|(name, given)| {
        let held = value(tool, &in_place(&name), &known[&name], given)?;
        Ok((name, held))
    });
    held.collect()
}

/// Finds the argument that goes by another name, if only one can be meant.
fn meant<'a>(name: &str, free: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name = plain(name);
    let beside = |known: &str| {
        let known = plain(known);
        ALIASES.iter().any(|names| names.contains(&&*name) && names.contains(&&*known))
    };
    let (mut same, mut other) = (None, Vec::new());
    for known in free {
        if plain(known) == name {
            same = Some(known);
        } else if beside(known) {
            other.push(known);
        }
    }
    same.or_else(|| if let [only] = other[..] { Some(only) } else { None })
}

/// Says that there is no such argument, and which there are.
fn unknown(tool: &str, place: &str, name: &str, known: &Map<String, Value>) -> Error {
    let whose = if place.contains('[') { place } else { tool };
    if known.is_empty() {
        return refused(format!("{whose} takes no arguments, not even {name:?}"));
    }
    let names: Vec<&str> = known.keys().map(String::as_str).collect();
    let near = nearest(name, names.iter().copied());
    let near = near.map_or(String::new(), |near| format!("; did you mean {near}?"));
    let joint = if near.is_empty() { "; it" } else { " It" };
    let names = names.join(", ");
    refused(format!("{whose} has no argument {name:?}{near}{joint} takes {names}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn schema() -> JsonObject {
        let edits = json!({ "type": "array", "items": { "type": "object",
            "properties": { "oldText": { "type": "string" }, "newText": { "type": "string" } },
            "required": ["oldText", "newText"] } });
        let schema = json!({ "type": "object", "required": ["path"], "properties": {
            "path": { "type": "string" },
            "head": { "type": "integer", "minimum": 0 },
            "sortBy": { "type": "string", "enum": ["name", "size"] },
            "dry_run": { "type": "boolean" },
            "edits": edits,
        } });
        schema.as_object().expect("it is an object").clone()
    }

    #[test]
    fn arguments_are_taken_by_the_names_that_models_use() {
        for (given, expected) in [
            (json!({"path": "a", "head": 2.0}), json!({"path": "a", "head": 2})),
            (json!({"file_path": "a"}), json!({"path": "a"})),
            (json!({"filePath": "a", "head": null}), json!({"path": "a"})),
            (json!({"path": "a", "sort_by": "size"}), json!({"path": "a", "sortBy": "size"})),
            (json!({"path": "a", "dryRun": true}), json!({"path": "a", "dry_run": true})),
            (
                json!({"path": "a", "edits": [{"old_string": "x", "new_str": "y"}]}),
                json!({"path": "a", "edits": [{"oldText": "x", "newText": "y"}]}),
            ),
        ] {
            assert_eq!(checked("tool", &schema(), given.clone()).unwrap(), expected, "{given}");
        }
    }

    #[test]
    fn what_is_refused_is_told_in_the_callers_words() {
        for (given, expected) in [
            (json!({}), "tool needs path"),
            (json!(3), "the arguments must be an object, not 3"),
            (json!({"path": 7}), "path must be a text, not 7"),
            (json!({"path": "a", "head": -1}), "head must be a whole number from 0, not -1"),
            (json!({"path": "a", "head": 1.5}), "head must be a whole number from 0, not 1.5"),
            (json!({"path": "a", "head": "9"}), "head must be a whole number, not \"9\""),
            (json!({"path": "a", "dry_run": "yes"}), "dry_run must be true or false, not \"yes\""),
            (
                json!({"path": "a", "sortBy": "age"}),
                "sortBy must be one of name, size, not \"age\"",
            ),
            (
                json!({"path": "a", "haed": 1}),
                "tool has no argument \"haed\"; did you mean head? It takes path, head, sortBy, \
                 dry_run, edits",
            ),
            (
                json!({"path": "a", "colour": 1}),
                "tool has no argument \"colour\"; it takes path, head, sortBy, dry_run, edits",
            ),
            (json!({"path": "a", "edits": "all"}), "edits must be a list, not \"all\""),
            (json!({"path": "a", "edits": [{"oldText": "x"}]}), "tool needs edits[0].newText"),
            (
                json!({"path": "a", "edits": [{"oldText": "x", "newText": 1}]}),
                "edits[0].newText must be a text, not 1",
            ),
            // Two names for one argument: one of them says something else.
            (json!({"path": "a", "file": "b"}), "tool has no argument \"file\""),
        ] {
            let said = checked("tool", &schema(), given.clone()).unwrap_err().to_string();
            let order = |text: &str| {
                let mut words: Vec<String> = text
                    .split([' ', ','])
                    .map(str::to_owned)
                    .filter(|word| !word.is_empty())
                    .collect();
                words.sort();
                words
            };
            assert!(
                order(&said) == order(expected) || said.starts_with(expected),
                "{given}: {said}"
            );
        }
    }
}
