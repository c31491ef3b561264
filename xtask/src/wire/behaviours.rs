//! The methods that `sdk/behaviours.json` lists, for those who run what it says.

use super::Made;
use super::kinds::{Kind, Method, Table};

/// What stands around the methods.
const MARKS: [&str; 2] = ["  \"methods\": {", "  },\n  \"behaviours\""];
/// What is no method that answers once.
const WATCH: &str = r#"    "watch": {"positional": ["path"], "options": ["since", "timeout"], "returns": "iterator of records"}"#;

/// The part of the list that is made.
pub(super) fn made(table: &Table) -> Vec<Made> {
    let mut lines: Vec<String> = table.methods.iter().map(line).collect();
    lines.push(WATCH.to_owned());
    let text = lines.join(",\n") + "\n";
    vec![Made { path: "sdk/behaviours.json", text, between: Some(MARKS) }]
}

fn line(method: &Method) -> String {
    let names = |is_named: bool| {
        let of = method.arguments.iter().filter(|argument| argument.is_named == is_named);
        let names: Vec<String> = of.map(|argument| format!("\"{}\"", argument.name)).collect();
        names.join(", ")
    };
    format!(
        "    \"{}\": {{\"positional\": [{}], \"options\": [{}], \"returns\": \"{}\"}}",
        method.name,
        names(false),
        names(true),
        returns(&method.answer)
    )
}

fn returns(kind: &Kind) -> String {
    match kind {
        Kind::Nothing => "nothing".into(),
        Kind::Bool => "boolean".into(),
        Kind::Integer(_) | Kind::Number => "number".into(),
        Kind::Path => "path".into(),
        Kind::Content => "bytes".into(),
        Kind::Record(_) => "record".into(),
        Kind::List(item) => format!("[{}]", returns(item)),
        _ => "text".into(),
    }
}
