//! What methods look like to whoever makes something of their table.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::Value;

use crate::methods::Content;
use crate::records::Event;

/// A method, described.
#[derive(Clone, Debug)]
pub struct Described {
    /// Its name, as Python spells it.
    pub name: &'static str,
    /// The type that holds its arguments.
    pub method: &'static str,
    /// What it does, in lines that each begin with a blank.
    pub doc: &'static str,
    /// Whether it changes anything.
    pub changes: bool,
    /// `soon`, `late` or `own`.
    pub manner: &'static str,
    /// Its arguments, in order.
    pub arguments: Vec<Argument>,
    /// The schema of what it answers.
    pub answer: Value,
}

/// An argument of a method.
#[derive(Clone, Debug)]
pub struct Argument {
    /// Its name.
    pub name: &'static str,
    /// Whether it is given by name.
    pub is_named: bool,
    /// What it is, in lines that each begin with a blank; may be empty.
    pub doc: &'static str,
    /// Its schema.
    pub schema: Value,
    /// What it is if nobody says; null if that is nothing, and `None` if it must be given.
    pub usual: Option<Value>,
}

/// Everything that there is to describe: the methods, and the records and words that they name.
pub fn described() -> (Vec<Described>, serde_json::Map<String, Value>) {
    let settings = schemars::generate::SchemaSettings::draft2020_12().for_serialize();
    let mut generator = settings.into_generator();
    let methods = crate::methods::described(&mut generator);
    // A watch is no method that answers, but its events are records.
    generator.subschema_for::<Event>();
    (methods, generator.take_definitions(true))
}

/// Describes an argument of a type.
pub(crate) fn argument<T: JsonSchema>(
    generator: &mut SchemaGenerator,
    name: &'static str,
    is_named: bool,
    doc: &'static str,
    usual: Option<Value>,
) -> Argument {
    let schema = generator.subschema_for::<T>().to_value();
    let usual = usual.or_else(|| may_be_null(&schema).then_some(Value::Null));
    Argument { name, is_named, doc, schema, usual }
}

/// Tells whether a value may be missing.
pub fn may_be_null(schema: &Value) -> bool {
    let is_null = |schema: &Value| schema["type"] == "null";
    let lists = |key: &str, found: &dyn Fn(&Value) -> bool| {
        schema[key].as_array().is_some_and(|items| items.iter().any(found))
    };
    lists("type", &|kind| kind == "null") || lists("anyOf", &is_null)
}

impl JsonSchema for Content {
    fn schema_name() -> Cow<'static, str> {
        "Content".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "binary" })
    }
}
