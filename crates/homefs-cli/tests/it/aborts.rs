//! The abort hunt by MCP: no call of a tool ends the process, which may own everybody's mount.
//!
//! A server with little address space is asked every tool, by the schema that it tells of itself,
//! with what nests deep, is long or asks for much. What it answers does not matter here; that it
//! answers does. The hunt through the commands of the shell is in `homefs-shell`.

use rustix::process::{Pid, Resource, Rlimit, prlimit};
use serde_json::{Value, json};

use crate::harness::Home;
use crate::mcp::Served;

/// How much address space the server has: with the stacks of as many sessions as it keeps.
const ADDRESS_BYTES: u64 = 8 << 30;

/// How deep, how long and how many.
const DEEP: usize = 100_000;
const LONG: usize = 1 << 20;
const MANY: i64 = 1_000_000_000_000_000;

/// As deep as directories go in the longest path.
const DIRECTORIES: usize = 2000;

/// Returns the texts that are given where a text is wanted.
fn texts() -> Vec<String> {
    let nested = |open: &str, close: &str, depth| open.repeat(depth) + "a" + &close.repeat(depth);
    let mut texts =
        vec!["a".repeat(LONG), "a ".repeat(LONG / 2), "\"".repeat(LONG), "../".repeat(DEEP)];
    for (open, close) in [
        ("(", ")"),
        ("[", "]"),
        ("{", "}"),
        ("{a,", "}"),
        ("<", ">"),
        ("-", ""),
        ("*", ""),
        ("/a", ""),
    ] {
        texts.extend([200, 1900, DEEP].map(|depth| nested(open, close, depth)));
    }
    for probe in [":recall", ":search", ":context", ":timeline", ":recent", ":tags", "a.md:related"]
    {
        let query = nested("(", ")", 1000);
        texts.push(format!("/{probe}?q={query}&limit={MANY}&budget={MANY}&tokens={MANY}&n={MANY}"));
    }
    texts
}

/// Returns what is given for a property instead of something honest.
fn hostile(schema: &Value) -> Vec<Value> {
    let numbers = [json!(MANY), json!(-MANY), json!(u64::MAX), json!(1e300), json!(0)];
    match type_of(schema) {
        "string" => texts().into_iter().map(Value::from).collect(),
        "integer" | "number" => numbers.to_vec(),
        "array" => {
            let mut all: Vec<Value> = texts().into_iter().map(|text| json!([text])).collect();
            all.push(json!(vec!["a"; DEEP]));
            all.push(json!(vec![honest(&schema["items"]); DEEP]));
            all
        }
        _ => Vec::new(),
    }
}

/// Returns what somebody might mean.
fn honest(schema: &Value) -> Value {
    if let Some(first) = schema["enum"].get(0) {
        return first.clone();
    }
    match type_of(schema) {
        "integer" | "number" => json!(1),
        "array" => json!([honest(&schema["items"])]),
        "boolean" => json!(true),
        "object" => json!({}),
        _ => json!("/a.md"),
    }
}

fn type_of(schema: &Value) -> &str {
    let kind = &schema["type"];
    kind.as_str().or_else(|| kind[0].as_str()).unwrap_or("string")
}

#[test]
fn no_call_of_a_tool_ends_the_process() {
    let home = Home::new();
    let mut served = Served::start(&home, &[]);
    let few = Rlimit { current: Some(ADDRESS_BYTES), maximum: Some(ADDRESS_BYTES) };
    let process = Pid::from_child(served.child());
    prlimit(Some(process), Resource::As, few).expect("a limit can be lowered");
    served.call("create_directory", &json!({"path": "/d".repeat(DIRECTORIES)}));
    let tools = served.ask(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
    let tools = tools["result"]["tools"].as_array().expect("a list of tools").clone();
    assert!(tools.len() > 20, "{tools:?}");
    for tool in &tools {
        let name = tool["name"].as_str().expect("a name");
        let schema = &tool["inputSchema"];
        let properties = schema["properties"].as_object().cloned().unwrap_or_default();
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        let usual: Value = properties
            .iter()
            .filter(|(property, _)| required.contains(&json!(property)))
            .map(|(property, schema)| (property.clone(), honest(schema)))
            .collect();
        served.call("write_file", &json!({"path": "/a.md", "content": "a\n"}));
        served.call(name, &usual);
        for (property, schema) in &properties {
            for value in hostile(schema) {
                let mut arguments = usual.clone();
                arguments[property] = value;
                served.call(name, &arguments);
            }
        }
        let all = json!({"script": "echo ok"});
        let next = served.call("shell", &all);
        assert_eq!(next["result"]["content"][0]["text"], "ok\n", "after {name}: {next}");
    }
    // JSON itself: what nests too deep is no message.
    let deep = "[".repeat(DEEP) + &"]".repeat(DEEP);
    served.send(&format!(
        r#"{{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{{"name":"shell","arguments":{deep}}}}}"#
    ));
    served.send(&deep);
    let next = served.call("shell", &json!({"script": "echo ok"}));
    assert!(next.is_object(), "{next}");
    served.end();
}
