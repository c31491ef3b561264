//! What tools take, as schemas that every client understands.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

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

/// Says of words that are told one by one, each with what it means, which there are.
fn one_of_words(object: &mut JsonObject) {
    let Some(Value::Array(choices)) = object.get("oneOf") else { return };
    let words: Option<Vec<Value>> =
        choices.iter().map(|choice| choice.get("const").cloned()).collect();
    if let Some(words) = words {
        object.remove("oneOf");
        object.insert("type".into(), json!("string"));
        object.insert("enum".into(), Value::Array(words));
    }
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
            one_of_words(object);
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

#[cfg(test)]
mod tests {
    use homefs_view::{Alike, SearchKind};

    use super::*;

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only what it says of itself is asked")]
    struct Given {
        /// What to do
        alike: Option<Alike>,
        /// By what
        #[schemars(default)]
        kind: SearchKind,
    }

    #[test]
    fn words_are_a_list_without_what_each_means() {
        let properties = &input::<Given>()["properties"];
        let alike =
            json!({ "description": "What to do", "type": "string", "enum": ["merge", "link"] });
        assert_eq!(properties["alike"], alike);
        let kind = json!({
            "description": "By what", "type": "string", "enum": ["hybrid", "text", "vector"],
            "default": "hybrid",
        });
        assert_eq!(properties["kind"], kind);
    }
}
