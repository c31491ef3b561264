//! What tools take and answer, as schemas that every client understands.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// Describes what a tool takes.
///
/// Simpler than what the type says: clients hand schemas to models, and some of those take neither
/// references nor a choice of types.
pub(super) fn input<T: JsonSchema>() -> JsonObject {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let mut value = schema.to_value();
    simplify(&mut value);
    let Value::Object(mut object) = value else { return JsonObject::new() };
    object.remove("title");
    object.remove("description");
    object.entry("properties").or_insert_with(|| json!({}));
    object
}

fn simplify(value: &mut Value) {
    match value {
        Value::Object(object) => {
            if let Some(Value::Array(kinds)) = object.get_mut("type") {
                kinds.retain(|kind| kind != "null");
                if let [only] = &kinds[..] {
                    let only = only.clone();
                    object.insert("type".into(), only);
                }
            }
            if let Some(Value::Array(choices)) = object.get_mut("anyOf") {
                choices.retain(|choice| choice.get("type") != Some(&json!("null")));
                if let [Value::Object(only)] = &mut choices[..] {
                    let mut only = std::mem::take(only);
                    object.remove("anyOf");
                    // What the member says is nearer than what its type says.
                    only.append(object);
                    *object = only;
                }
            }
            if object.get("type").is_some_and(|kind| kind == "integer" || kind == "number") {
                object.remove("format");
            }
            if object.get("default") == Some(&Value::Null) {
                object.remove("default");
            }
            if let Some(Value::Array(values)) = object.get_mut("enum") {
                values.retain(|value| !value.is_null());
            }
            object.values_mut().for_each(simplify);
        }
        Value::Array(values) => values.iter_mut().for_each(simplify),
        _ => {}
    }
}

/// Describes an answer that has a text, and more members.
pub(super) fn output(members: Value) -> JsonObject {
    let mut properties = Map::new();
    let text = json!({ "type": "string", "description": "The answer as text" });
    properties.insert("content".into(), text);
    if let Value::Object(members) = members {
        properties.extend(members);
    }
    let mut schema = Map::new();
    schema.insert("type".into(), json!("object"));
    schema.insert("properties".into(), properties.into());
    schema.insert("required".into(), json!(["content"]));
    schema
}

/// Describes an answer that has a text alone.
pub(super) fn text() -> JsonObject {
    output(json!({}))
}

/// Describes an answer that has a text, and the version of the file that it is about.
pub(super) fn versioned() -> JsonObject {
    output(json!({ "version": version() }))
}

/// Describes the version of a file.
pub(super) fn version() -> Value {
    json!({ "type": "integer", "description": "The version of the file, for expected_version" })
}
