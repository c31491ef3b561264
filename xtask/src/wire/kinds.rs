//! The table of methods as schemas tell it, in kinds that languages have types for.

use homefs_wire::schema::{self, may_be_null};
use serde_json::{Map, Value};

/// Methods, records and words, as something is made of them.
pub(super) struct Table {
    pub(super) methods: Vec<Method>,
    pub(super) records: Vec<Record>,
    pub(super) words: Vec<Words>,
}

/// A method.
pub(super) struct Method {
    pub(super) name: &'static str,
    /// The type that holds its arguments.
    pub(super) holder: &'static str,
    /// What it does, in lines; the first is the summary.
    pub(super) doc: Vec<String>,
    /// Whether SDKs have their own form of it.
    pub(super) is_own: bool,
    pub(super) waits: bool,
    pub(super) arguments: Vec<Argument>,
    pub(super) answer: Kind,
}

/// An argument of a method.
pub(super) struct Argument {
    pub(super) name: &'static str,
    pub(super) is_named: bool,
    pub(super) doc: Vec<String>,
    pub(super) kind: Kind,
    /// What it is if nobody says; `None` if it must be given.
    pub(super) usual: Option<Value>,
}

/// A record.
pub(super) struct Record {
    pub(super) name: String,
    pub(super) doc: Vec<String>,
    pub(super) fields: Vec<Field>,
}

/// A field of a record.
pub(super) struct Field {
    pub(super) name: String,
    pub(super) doc: Vec<String>,
    pub(super) kind: Kind,
}

/// Words of which one is said.
pub(super) struct Words {
    pub(super) name: String,
    pub(super) doc: Vec<String>,
    pub(super) listed: Vec<String>,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Nothing,
    Bool,
    /// A whole number, and the name of its format.
    Integer(String),
    Number,
    Text,
    Path,
    Time,
    Moment,
    Duration,
    /// Text or bytes.
    Content,
    Words(String),
    Record(String),
    List(Box<Kind>),
    /// Two of a kind, or of two kinds.
    Pair(Box<Kind>),
    Map(Box<Kind>),
    Maybe(Box<Kind>),
}

impl Table {
    /// Reads what `homefs-wire` says of itself.
    pub(super) fn read() -> Self {
        let (methods, definitions) = schema::described();
        let read = |schema: &Value| Kind::read(schema, &definitions);
        let methods = methods.into_iter().map(|method| Method {
            name: method.name,
            holder: method.method,
            doc: lines(method.doc),
            is_own: method.manner == "own",
            waits: method.manner == "late",
            answer: read(&method.answer),
            arguments: method
                .arguments
                .into_iter()
                .map(|argument| Argument {
                    name: argument.name,
                    is_named: argument.is_named,
                    doc: lines(argument.doc),
                    kind: read(&argument.schema),
                    usual: argument.usual,
                })
                .collect(),
        });
        let record = |(name, definition): (&String, &Value)| {
            let properties = definition["properties"].as_object()?;
            // Objects have no order in JSON; what is required is listed in that of the type.
            let required = definition["required"].as_array()?.iter().filter_map(Value::as_str);
            let mut names: Vec<&str> = required.collect();
            names.extend(
                properties
                    .keys()
                    .map(String::as_str)
                    .filter(|name| !names.contains(name))
                    .collect::<Vec<_>>(),
            );
            let field = |name: &str| Field {
                name: name.to_owned(),
                doc: described(&properties[name]),
                kind: read(&properties[name]),
            };
            let fields = names.into_iter().map(field).collect();
            Some(Record { name: name.clone(), doc: described(definition), fields })
        };
        let words = |(name, definition): (&String, &Value)| {
            let words = words(definition)?;
            Some(Words { name: name.clone(), doc: described(definition), listed: words })
        };
        Self {
            methods: methods.collect(),
            records: definitions
                .iter()
                .filter(|(name, _)| *name != "Duration")
                .filter_map(record)
                .collect(),
            words: definitions.iter().filter_map(words).collect(),
        }
    }

    /// Returns the words of a name.
    pub(super) fn words(&self, name: &str) -> &[String] {
        self.words.iter().find(|words| words.name == name).map_or(&[], |words| &words.listed)
    }
}

impl Kind {
    fn read(schema: &Value, definitions: &Map<String, Value>) -> Self {
        let read = |schema: &Value| Box::new(Self::read(schema, definitions));
        if let Some(name) = schema["$ref"].as_str() {
            let name = name.rsplit('/').next().unwrap_or_default();
            return match definitions.get(name) {
                _ if name == "Duration" => Self::Duration,
                Some(definition) if words(definition).is_some() => Self::Words(name.to_owned()),
                _ => Self::Record(name.to_owned()),
            };
        }
        if may_be_null(schema) {
            return Self::Maybe(read(&without_null(schema)));
        }
        let format = schema["format"].as_str().unwrap_or_default();
        match (schema["type"].as_str(), format) {
            (_, "moment") => Self::Moment,
            (Some("string"), "path") => Self::Path,
            (Some("string"), "date-time") => Self::Time,
            (Some("string"), "binary") => Self::Content,
            (Some("string"), _) => Self::Text,
            (Some("integer"), format) => Self::Integer(format.to_owned()),
            (Some("number"), _) => Self::Number,
            (Some("boolean"), _) => Self::Bool,
            (Some("null"), _) => Self::Nothing,
            (Some("array"), _) if schema["prefixItems"].is_array() => {
                Self::Pair(read(&schema["prefixItems"][0]))
            }
            (Some("array"), _) => Self::List(read(&schema["items"])),
            (Some("object"), _) => Self::Map(read(&schema["additionalProperties"])),
            _ => unreachable!("a schema that nothing is made of: {schema}"),
        }
    }
}

/// Returns what a value is if it is not missing.
fn without_null(schema: &Value) -> Value {
    if let Some(choices) = schema["anyOf"].as_array() {
        return choices.iter().find(|choice| choice["type"] != "null").cloned().unwrap_or_default();
    }
    let mut schema = schema.clone();
    let kinds: Vec<Value> = schema["type"].as_array().cloned().unwrap_or_default();
    let kinds: Vec<Value> = kinds.into_iter().filter(|kind| kind != "null").collect();
    schema["type"] = if kinds.len() == 1 { kinds[0].clone() } else { kinds.into() };
    schema
}

/// Returns the words that a definition lists, if it is such.
fn words(definition: &Value) -> Option<Vec<String>> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let listed = |value: &Value| {
        value["enum"].as_array().map(|words| words.iter().filter_map(text).collect())
    };
    if let Some(words) = listed(definition) {
        return Some(words);
    }
    let choices = definition["oneOf"].as_array()?;
    let word = |choice: &Value| -> Vec<String> {
        text(&choice["const"]).map(|word| vec![word]).or_else(|| listed(choice)).unwrap_or_default()
    };
    Some(choices.iter().flat_map(word).collect())
}

fn described(schema: &Value) -> Vec<String> {
    lines(schema["description"].as_str().unwrap_or_default())
}

/// Returns the lines of a comment, without the blank that each begins with.
fn lines(doc: &str) -> Vec<String> {
    doc.lines().map(|line| line.strip_prefix(' ').unwrap_or(line).to_owned()).collect()
}
