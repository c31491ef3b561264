//! The list of behaviours that the SDKs share is well-formed.

use std::collections::BTreeSet;

use homefs_core::ErrorKind;
use serde_json::{Map, Value};

/// Stand-ins for values, and what may stand in for an expected value only.
const VALUES: [&str; 5] = ["$bytes", "$repeat", "$saved", "$host_dir", "$host_address"];
const EXPECTED: [&str; 8] =
    ["$any", "$type", "$contains", "$fields", "$len", "$at_most", "$all", "$not"];

fn shared() -> Value {
    serde_json::from_str(include_str!("../../../../sdk/behaviours.json")).expect("it is JSON")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn names(value: &Value) -> Vec<&str> {
    list(value).iter().filter_map(Value::as_str).collect()
}

/// Fails if a value has a stand-in that is not known here, or uses what was not saved.
fn check_value(value: &Value, known: &[&str], saved: &BTreeSet<&str>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                assert!(!key.starts_with('$') || known.contains(&key.as_str()), "{key}");
                assert!(!key.starts_with('$') || fields.len() == 1, "{key} is not alone");
                if key == "$saved" {
                    let name = value.as_str().or_else(|| list(value).first()?.as_str());
                    assert!(saved.contains(name.expect("a name")), "{value} was not saved");
                } else {
                    check_value(value, known, saved);
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| check_value(item, known, saved)),
        _ => {}
    }
}

/// Fails if arguments are not those of a method.
fn check_arguments(arguments: &Map<String, Value>, method: &Value) {
    let (positional, options) = (names(&method["positional"]), names(&method["options"]));
    let given = positional.iter().take_while(|name| arguments.contains_key(**name)).count();
    for name in arguments.keys() {
        let known =
            positional[..given].contains(&name.as_str()) || options.contains(&name.as_str());
        assert!(known, "{name} is no argument, or one before it is missing");
    }
}

fn check_step<'a>(step: &'a Value, methods: &Value, saved: &mut BTreeSet<&'a str>) {
    const KEYS: [&str; 9] =
        ["home", "call", "next", "args", "returns", "raises", "code", "path", "save"];
    let fields = step.as_object().expect("a step is an object");
    assert!(fields.keys().all(|key| KEYS.contains(&key.as_str())), "{fields:?}");
    assert!(!(fields.contains_key("returns") && fields.contains_key("raises")), "{fields:?}");
    assert!(fields.contains_key("call") != fields.contains_key("next"), "{fields:?}");
    if let Some(next) = fields.get("next") {
        assert!(saved.contains(next.as_str().expect("a name")), "{next} was not saved");
    }
    if let Some(call) = fields.get("call") {
        let method = methods.get(call.as_str().expect("a name")).expect("a known method");
        let none = Map::new();
        let arguments = fields.get("args").map_or(&none, |given| given.as_object().expect("named"));
        check_arguments(arguments, method);
        arguments.values().for_each(|argument| check_value(argument, &VALUES, saved));
    }
    let expected = [&VALUES[..], &EXPECTED].concat();
    fields.get("returns").into_iter().for_each(|value| check_value(value, &expected, saved));
    match fields.get("raises") {
        None => {
            assert!(!fields.contains_key("path") && !fields.contains_key("code"), "{fields:?}");
        }
        Some(Value::String(kind)) => {
            assert!(ErrorKind::ALL.iter().any(|known| known.name() == kind), "{kind}");
        }
        Some(other) => check_value(other, &["$any"], saved),
    }
    saved.extend(fields.get("save").and_then(Value::as_str));
}

#[test]
fn every_step_calls_a_method_as_it_is() {
    let shared = shared();
    let mut seen = BTreeSet::new();
    for behaviour in list(&shared["behaviours"]) {
        let name = behaviour["name"].as_str().expect("a name");
        assert!(seen.insert(name), "{name} is there twice");
        let mut saved = BTreeSet::new();
        let steps = list(&behaviour["steps"]);
        assert!(!steps.is_empty(), "{name}");
        for step in steps {
            check_step(step, &shared["methods"], &mut saved);
        }
    }
    assert!(seen.len() >= 60, "only {} behaviours", seen.len());
}

#[test]
fn every_method_is_called() {
    let shared = shared();
    let steps = list(&shared["behaviours"]).iter().flat_map(|behaviour| list(&behaviour["steps"]));
    let called: BTreeSet<_> = steps.filter_map(|step| step["call"].as_str()).collect();
    let methods = shared["methods"].as_object().expect("methods by name");
    assert_eq!(called, methods.keys().map(String::as_str).collect());
}
