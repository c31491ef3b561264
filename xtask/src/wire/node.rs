//! Node's records, options and methods: what its macros make types of.

use std::fmt::Write as _;

use homefs_wire::operations::camel_case;
use serde_json::Value;

use super::Made;
use super::kinds::{Argument, Field, Kind, Method, Table};

/// What callers may hear or say that stands for nothing.
const SIGNAL: &str =
    "    /// Ends the wait.\n    #[napi(ts_type = \"AbortSignal\")]\n    pub signal: Option<()>,\n";

/// Everything of Node that is made.
pub(super) fn made(table: &Table) -> Vec<Made> {
    let whole = |path, text: String| Made { path, text: super::formatted(&text), between: None };
    vec![
        whole("sdk/node/src/records.rs", records(table)),
        whole("sdk/node/src/calls.rs", calls(table)),
    ]
}

fn records(table: &Table) -> String {
    let mut text = String::from(
        "//! What callers hear. Made by `cargo xtask gen`; do not edit.\n\n\
         #![allow(clippy::struct_field_names, reason = \"as the command line names it\")]\n\n\
         use std::collections::HashMap;\n\n\
         use homefs_wire::{records, words};\nuse napi_derive::napi;\n\n\
         use crate::shown::{Shown, words};\n\n",
    );
    let names: Vec<&str> = table.words.iter().map(|words| words.name.as_str()).collect();
    add(&mut text, format_args!("words! {{ {} }}\n", names.join(" ")));
    for record in &table.records {
        text.push('\n');
        text.push_str(&comment("", &record.doc));
        add(
            &mut text,
            format_args!(
                "#[napi(object, object_from_js = false)]\npub struct {} {{\n",
                record.name
            ),
        );
        for field in &record.fields {
            text.push_str(&comment("    ", &heard_doc(field)));
            if let Some(kind) = told(&field.kind, table) {
                add(&mut text, format_args!("    #[napi(ts_type = \"{kind}\")]\n"));
            }
            add(&mut text, format_args!("    pub {}: {},\n", field.name, heard(&field.kind)));
        }
        add(
            &mut text,
            format_args!(
                "}}\n\nimpl Shown for records::{0} {{\n    type Js = {0};\n\n    fn shown(self) -> {0} {{\n        {0} {{\n",
                record.name
            ),
        );
        for field in &record.fields {
            add(&mut text, format_args!("            {0}: self.{0}.shown(),\n", field.name));
        }
        text.push_str("        }\n    }\n}\n");
    }
    text
}

fn calls(table: &Table) -> String {
    let mut text = String::from(
        "//! The methods of a home that only translate, and their options. Made by `cargo xtask gen`; do\n\
         //! not edit.\n\n\
         #![allow(\n    clippy::doc_markdown,\n    clippy::struct_excessive_bools,\n    dead_code,\n    \
         reason = \"they have the words of the table, and `index.cjs` acts on a signal\"\n)]\n\n\
         use std::collections::HashMap;\n\n\
         use homefs_wire::methods;\n\
         use napi::Env;\nuse napi::bindgen_prelude::{Either, PromiseRaw};\nuse napi_derive::napi;\n\n\
         use crate::home::Home;\nuse crate::options::taken;\n\
         use crate::records::{",
    );
    let methods = || table.methods.iter().filter(|method| !method.is_own);
    let mut answered: Vec<&str> =
        methods().filter_map(|method| record_of(&method.answer)).collect();
    answered.sort_unstable();
    answered.dedup();
    add(&mut text, format_args!("{}}};\n", answered.join(", ")));
    for method in methods().filter(|method| has_options(method)) {
        add(
            &mut text,
            format_args!("\n/// What `{}` can be told by name.\n", camel_case(method.name)),
        );
        add(
            &mut text,
            format_args!(
                "#[napi(object, object_to_js = false)]\n#[derive(Default)]\npub struct {} {{\n",
                options_of(method)
            ),
        );
        for option in method.arguments.iter().filter(|argument| argument.is_named) {
            text.push_str(&comment("    ", &option_doc(option)));
            if let Some(kind) = said(&option.kind, table) {
                add(&mut text, format_args!("    #[napi(ts_type = \"{kind}\")]\n"));
            }
            add(
                &mut text,
                format_args!("    pub {}: Option<{}>,\n", option.name, given(bare(&option.kind))),
            );
        }
        text.push_str(SIGNAL);
        text.push_str("}\n");
    }
    text.push_str("\n#[napi]\nimpl Home {\n");
    for method in methods() {
        text.push_str(&method_pair(method));
    }
    text.push_str("}\n");
    text
}

/// Writes a method that returns a promise, and its twin that blocks.
fn method_pair(method: &Method) -> String {
    let mut arguments: Vec<String> = Vec::new();
    for argument in method.arguments.iter().filter(|argument| !argument.is_named) {
        let kind = given(bare(&argument.kind));
        let kind = if argument.usual.is_some() { format!("Option<{kind}>") } else { kind };
        arguments.push(format!("{}: {kind}", spelt(argument.name)));
    }
    if has_options(method) {
        arguments.push(format!("options: Option<{}>", options_of(method)));
    }
    let arguments = arguments.join(", ");
    let fields: Vec<String> = method
        .arguments
        .iter()
        .map(|argument| {
            let place = if argument.is_named { "options." } else { "" };
            let usual = match &argument.usual {
                Some(Value::String(text)) => format!(".unwrap_or_else(|| {text:?}.into())"),
                Some(usual @ (Value::Bool(_) | Value::Number(_))) => format!(".unwrap_or({usual})"),
                _ => String::new(),
            };
            let given = if argument.is_named { argument.name } else { spelt(argument.name) };
            format!("{}: taken({place}{given}{usual})?", argument.name)
        })
        .collect();
    let fields =
        if fields.is_empty() { " {}".to_owned() } else { format!(" {{ {} }}", fields.join(", ")) };
    let has_named = method.arguments.iter().any(|argument| argument.is_named);
    let options = if has_named {
        "let options = options.unwrap_or_default();\n"
    } else if has_options(method) {
        "let _ = options;\n"
    } else {
        ""
    };
    let make = format!("|| {{ {options} Ok(methods::{}{fields}) }}", method.holder);
    let (name, answer, doc) = (method.name, heard(&method.answer), comment("    ", &method.doc));
    format!(
        "{doc}    #[napi(strict)]\n    pub fn {name}<'env>(&self, env: &'env Env, {arguments}) -> napi::Result<PromiseRaw<'env, {answer}>> {{\n\
         self.ask(env, {make})\n}}\n\n\
         {doc}    ///\n    /// Blocks until it is done.\n    #[napi(strict)]\n    pub fn {name}_sync(&self, {arguments}) -> napi::Result<{answer}> {{\n\
         self.ask_sync({make})\n}}\n\n"
    )
}

/// Tells whether a method takes an object at its end: what may take long can be given a signal.
fn has_options(method: &Method) -> bool {
    method.waits || method.arguments.iter().any(|argument| argument.is_named)
}

fn options_of(method: &Method) -> String {
    let name = camel_case(method.name);
    let (initial, rest) = name.split_at(1);
    format!("{}{rest}Options", initial.to_uppercase())
}

/// Returns what a field is, and how a time is written.
fn heard_doc(field: &Field) -> Vec<String> {
    let mut doc = field.doc.clone();
    if let (Kind::Time, Some(last)) = (bare(&field.kind), doc.last_mut()) {
        *last = format!("{}, as RFC 3339.", last.trim_end_matches('.'));
    }
    doc
}

/// Returns what an option is, and what if nobody says.
fn option_doc(option: &Argument) -> Vec<String> {
    let mut doc = option.doc.clone();
    let usual = match &option.usual {
        Some(Value::String(word)) => format!("`{word}`"),
        Some(usual @ (Value::Bool(true) | Value::Number(_))) => usual.to_string(),
        _ => return doc,
    };
    if let Some(last) = doc.last_mut() {
        if last.len() + usual.len() < 70 {
            *last = format!("{}; {usual} if not given.", last.trim_end_matches('.'));
        } else {
            doc.push(format!("It is {usual} if not given."));
        }
    }
    doc
}

/// Returns what may be missing as it is if it is not.
fn bare(kind: &Kind) -> &Kind {
    match kind {
        Kind::Maybe(inner) => inner,
        other => other,
    }
}

fn record_of(kind: &Kind) -> Option<&str> {
    match kind {
        Kind::Record(name) => Some(name),
        Kind::List(item) => record_of(item),
        _ => None,
    }
}

/// Returns the type of Rust in which a value leaves for JavaScript.
fn heard(kind: &Kind) -> String {
    match kind {
        Kind::Nothing => "()".into(),
        Kind::Bool => "bool".into(),
        Kind::Integer(format) if format == "uint32" => "u32".into(),
        Kind::Integer(format) if format == "int32" => "i32".into(),
        Kind::Integer(_) => "i64".into(),
        Kind::Number | Kind::Duration => "f64".into(),
        Kind::Record(name) => name.clone(),
        Kind::List(item) | Kind::Pair(item) => format!("Vec<{}>", heard(item)),
        Kind::Map(value) => format!("HashMap<String, {}>", heard(value)),
        Kind::Maybe(inner) => format!("Option<{}>", heard(inner)),
        _ => "String".into(),
    }
}

/// Returns the type of Rust in which an argument comes from JavaScript.
fn given(kind: &Kind) -> String {
    match kind {
        Kind::Integer(format) if format.starts_with("uint") && format != "uint64" => "u32".into(),
        Kind::Moment => "Either<i64, String>".into(),
        Kind::List(_) => "Either<String, Vec<String>>".into(),
        Kind::Map(value) => format!("HashMap<String, {}>", given(value)),
        Kind::Maybe(inner) => format!("Option<{}>", given(inner)),
        other => heard(other),
    }
}

/// Returns the type of TypeScript that an answer has, if that of Rust does not say it.
fn told(kind: &Kind, table: &Table) -> Option<String> {
    match kind {
        Kind::Words(name) => Some(union(table.words(name))),
        Kind::Pair(item) => Some(format!("[{0}, {0}]", script(item))),
        Kind::List(item) => told(item, table).map(|item| format!("Array<{item}>")),
        Kind::Maybe(inner) => told(inner, table),
        _ => None,
    }
}

/// Returns the type of TypeScript that an argument has, if that of Rust does not say it.
fn said(kind: &Kind, table: &Table) -> Option<String> {
    match kind {
        Kind::Map(value) if matches!(**value, Kind::Maybe(_)) => {
            Some("Record<string, string | null>".into())
        }
        Kind::List(_) => Some("string | Array<string>".into()),
        other => told(other, table),
    }
}

fn script(kind: &Kind) -> &'static str {
    if matches!(kind, Kind::Integer(_) | Kind::Number) { "number" } else { "string" }
}

fn union(words: &[String]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    quoted.join(" | ")
}

fn comment(indent: &str, lines: &[String]) -> String {
    let line = |line: &String| {
        let gap = if line.is_empty() { "" } else { " " };
        format!("{indent}///{gap}{}\n", named(line))
    };
    lines.iter().map(line).collect()
}

/// Names an argument so that TypeScript takes it: `new` is a word of the language there.
fn spelt(name: &'static str) -> &'static str {
    if name == "new" { "new_one" } else { name }
}

/// Spells names of several words as JavaScript does.
fn named(line: &str) -> String {
    line.split('`')
        .enumerate()
        .map(|(at, part)| {
            let is_name = at % 2 == 1
                && part.contains('_')
                && part.chars().all(|c| c.is_ascii_lowercase() || c == '_');
            if is_name { camel_case(part) } else { part.to_owned() }
        })
        .collect::<Vec<_>>()
        .join("`")
}

fn add(text: &mut String, more: std::fmt::Arguments<'_>) {
    text.write_fmt(more).expect("a string takes any text");
}
