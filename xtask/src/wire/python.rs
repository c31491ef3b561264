//! Python's records, words, stubs, coroutines, and the methods in Rust below them.

use std::fmt::Write as _;

use serde_json::Value;

use super::Made;
use super::kinds::{Argument, Field, Kind, Method, Record, Table};

/// What records of Python have beside their fields, by hand in `_record.py`.
const BESIDE: &[(&str, &str)] =
    &[("Recall", "Quoted"), ("Remembered", "Placed"), ("Standing", "Quoted"), ("Stat", "Node")];
/// Records that are plain dictionaries in Python, with all that is in them.
const PLAIN: &[&str] = &[
    "Freeable",
    "IndexStatus",
    "Load",
    "Mount",
    "Remote",
    "RemoteStatus",
    "Requests",
    "SpaceSync",
    "Status",
];
/// Words of Python itself, which nothing of ours can be called.
const TAKEN: &[&str] = &["from"];
/// What stands around what is made in a file that is written by hand.
const MARKS: [&str; 2] =
    ["    # Made by `cargo xtask gen` from here", "    # to here; do not edit."];
/// Longest line.
const WIDTH: usize = 100;

/// Everything of Python that is made.
pub(super) fn made(table: &Table) -> Vec<Made> {
    let whole = |path, text| Made { path, text, between: None };
    let part = |path, text| Made { path, text, between: Some(MARKS) };
    vec![
        whole("sdk/python/homefs/_records.py", records(table)),
        whole("sdk/python/homefs/_words.py", words(table)),
        part("sdk/python/homefs/_homefs.pyi", methods(table, false)),
        part("sdk/python/homefs/aio.py", methods(table, true)),
        whole("sdk/python/src/calls.rs", calls(table)),
    ]
}

fn is_shown(record: &Record) -> bool {
    !PLAIN.contains(&record.name.as_str())
}

fn records(table: &Table) -> String {
    let mut text = String::from(
        "\"\"\"What calls return, as `homefs --json` shows it. Made by `cargo xtask gen`; do not edit.\n\n\
         Times are text as RFC 3339 in UTC, with all digits that the store has; `moment` reads one.\n\
         \"\"\"\n\n\
         from __future__ import annotations\n\n\
         from dataclasses import dataclass\n\
         from typing import Any\n\n\
         from homefs._record import Node, Placed, Quoted, Record, moment\n\n\
         __all__ = [\n    \"Entry\",\n    \"Record\",\n    \"moment\",\n",
    );
    let shown = || table.records.iter().filter(|record| is_shown(record));
    for record in shown() {
        add(&mut text, format_args!("    \"{}\",\n", record.name));
    }
    text.push_str("]\n");
    for record in shown() {
        let beside = BESIDE.iter().find(|(name, _)| *name == record.name);
        let bases =
            beside.map_or_else(|| "Record".to_owned(), |(_, base)| format!("{base}, Record"));
        add(
            &mut text,
            format_args!("\n\n@dataclass(frozen=True)\nclass {}({bases}):\n", record.name),
        );
        text.push_str(&docstring("    ", &record.doc));
        text.push('\n');
        for field in &record.fields {
            add(
                &mut text,
                format_args!("    {}: {}\n", spelt(&field.name), shown_as(&field.kind, "tuple")),
            );
            text.push_str(&docstring("    ", &field.doc));
        }
        text.push_str(&conversions(record));
    }
    text.push_str("\n\n#: What a listing has of each name.\nEntry = Stat\n");
    text
}

/// Writes how a record is made of plain data, and made such again, where that is not as it stands.
fn conversions(record: &Record) -> String {
    let mut into = String::new();
    let mut out = String::new();
    for Field { name, kind, .. } in &record.fields {
        if TAKEN.contains(&name.as_str()) {
            add(&mut into, format_args!("        fields[\"{name}_\"] = fields.pop(\"{name}\")\n"));
            add(&mut out, format_args!("        fields[\"{name}\"] = fields.pop(\"{name}_\")\n"));
        }
        match kind {
            Kind::List(item) => {
                if let Kind::Record(of) = &**item {
                    add(
                        &mut into,
                        format_args!(
                            "        fields[\"{name}\"] = tuple(map({of}._of, fields[\"{name}\"]))\n"
                        ),
                    );
                }
            }
            Kind::Maybe(inner) => {
                if let Kind::Record(of) = &**inner {
                    add(
                        &mut into,
                        format_args!(
                            "        if fields[\"{name}\"] is not None:\n            fields[\"{name}\"] = {of}._of(fields[\"{name}\"])\n"
                        ),
                    );
                }
            }
            _ => {}
        }
    }
    let mut text = String::new();
    if !into.is_empty() {
        add(
            &mut text,
            format_args!(
                "\n    @classmethod\n    def _of(cls, fields: dict[str, Any]) -> Record:\n{into}        return super()._of(fields)\n"
            ),
        );
    }
    if !out.is_empty() {
        add(
            &mut text,
            format_args!(
                "\n    def as_dict(self) -> dict[str, Any]:\n        \"\"\"Returns the fields by name, as JSON has them.\"\"\"\n        fields = super().as_dict()\n{out}        return fields\n"
            ),
        );
    }
    text
}

fn words(table: &Table) -> String {
    let mut text = String::from(
        "\"\"\"Words of which an argument is one. Made by `cargo xtask gen`; do not edit.\"\"\"\n\n\
         from typing import Literal\n",
    );
    for words in &table.words {
        let quoted: Vec<String> = words.listed.iter().map(|word| format!("\"{word}\"")).collect();
        text.push('\n');
        for line in &words.doc {
            add(&mut text, format_args!("#: {line}\n"));
        }
        let line = format!("{} = Literal[{}]\n", words.name, quoted.join(", "));
        if line.len() <= WIDTH {
            text.push_str(&line);
        } else {
            add(
                &mut text,
                format_args!("{} = Literal[\n    {},\n]\n", words.name, quoted.join(",\n    ")),
            );
        }
    }
    text
}

/// Writes the methods of a home: as stubs, or as coroutines that call those.
fn methods(table: &Table, is_async: bool) -> String {
    let mut text = String::new();
    for method in &table.methods {
        let answer = answered(&method.answer);
        let word = if is_async { "    async def" } else { "    def" };
        let arguments: Vec<String> = signature(method, |argument| {
            let usual = argument.usual.as_ref().map(|usual| format!(" = {}", literal(usual)));
            format!("{}: {}{}", spelt(argument.name), taken_as(argument), usual.unwrap_or_default())
        });
        let arguments = [vec!["self".to_owned()], arguments].concat();
        text.push_str(&called(word, method.name, &arguments, &format!(" -> {answer}:\n")));
        text.push_str(&docstring("        ", &method.doc));
        if is_async {
            let passed: Vec<String> = method
                .arguments
                .iter()
                .map(|argument| {
                    let name = spelt(argument.name);
                    if argument.is_named { format!("{name}={name}") } else { name }
                })
                .collect();
            let returns = if answer == "None" { "        " } else { "        return " };
            let line = format!(
                "{returns}await self._answer(self._twin().{}({}))\n",
                method.name,
                passed.join(", ")
            );
            if line.len() <= WIDTH + 1 {
                text.push_str(&line);
            } else {
                let call =
                    called("            ", &format!("self._twin().{}", method.name), &passed, "\n");
                add(&mut text, format_args!("{returns}await self._answer(\n{call}        )\n"));
            }
            text.push('\n');
        }
    }
    text
}

/// Writes a head or a call: on one line, or on one for each argument.
fn called(before: &str, name: &str, arguments: &[String], after: &str) -> String {
    let indent = " ".repeat(before.len() - before.trim_start().len());
    let gap = if before.trim().is_empty() { "" } else { " " };
    let line = format!("{before}{gap}{name}({}){after}", arguments.join(", "));
    if line.len() <= WIDTH + 1 {
        return line;
    }
    let lines: Vec<String> = arguments.iter().map(|one| format!("{indent}    {one},\n")).collect();
    format!("{before}{gap}{name}(\n{}{indent}){after}", lines.concat())
}

/// Writes arguments, with a mark before those that are named.
fn signature(method: &Method, write: impl Fn(&Argument) -> String) -> Vec<String> {
    let (named, placed): (Vec<_>, Vec<_>) = method.arguments.iter().partition(|one| one.is_named);
    let mut all: Vec<String> = placed.into_iter().map(&write).collect();
    if !named.is_empty() {
        all.push("*".to_owned());
    }
    all.extend(named.into_iter().map(write));
    all
}

/// Writes what Python takes for an argument.
fn taken_as(argument: &Argument) -> String {
    let taken = taken_kind(&argument.kind);
    match &argument.usual {
        Some(Value::Array(_) | Value::Object(_)) => format!("{taken} | None"),
        _ => taken,
    }
}

fn taken_kind(kind: &Kind) -> String {
    match kind {
        Kind::Path => "StrPath".into(),
        Kind::Moment => "int | str".into(),
        Kind::Duration | Kind::Number => "float".into(),
        Kind::Content => "Content".into(),
        Kind::Words(name) => name.clone(),
        Kind::List(_) => "str | Sequence[str]".into(),
        Kind::Map(value) => format!("Mapping[str, {}]", taken_kind(value)),
        Kind::Maybe(inner) => format!("{} | None", taken_kind(inner)),
        other => shown_as(other, "tuple"),
    }
}

/// Writes what a method returns: lists may be changed by whoever gets one, what is in records not.
fn answered(kind: &Kind) -> String {
    shown_as(kind, "list")
}

fn shown_as(kind: &Kind, list: &str) -> String {
    match kind {
        Kind::Nothing => "None".into(),
        Kind::Bool => "bool".into(),
        Kind::Integer(_) => "int".into(),
        Kind::Number | Kind::Duration => "float".into(),
        Kind::Content => "bytes".into(),
        Kind::Record(name) if PLAIN.contains(&name.as_str()) => "dict[str, Any]".into(),
        Kind::Record(name) => name.clone(),
        Kind::List(item) if list == "list" => format!("list[{}]", shown_as(item, "tuple")),
        Kind::List(item) => format!("tuple[{}, ...]", shown_as(item, list)),
        Kind::Pair(item) => format!("tuple[{0}, {0}]", shown_as(item, list)),
        Kind::Map(value) => format!("dict[str, {}]", shown_as(value, list)),
        Kind::Maybe(inner) => format!("{} | None", shown_as(inner, list)),
        Kind::Text | Kind::Path | Kind::Time | Kind::Moment | Kind::Words(_) => "str".into(),
    }
}

/// Writes a value as Python does.
fn literal(value: &Value) -> String {
    match value {
        Value::Null | Value::Array(_) | Value::Object(_) => "None".into(),
        Value::Bool(true) => "True".into(),
        Value::Bool(false) => "False".into(),
        other => other.to_string(),
    }
}

fn spelt(name: &str) -> String {
    if TAKEN.contains(&name) { format!("{name}_") } else { name.to_owned() }
}

fn docstring(indent: &str, lines: &[String]) -> String {
    match lines {
        [] => String::new(),
        [line] if line.len() + indent.len() + 6 <= WIDTH => format!("{indent}\"\"\"{line}\"\"\"\n"),
        lines => {
            let text: Vec<String> = lines
                .iter()
                .map(|line| if line.is_empty() { "\n".into() } else { format!("{indent}{line}\n") })
                .collect();
            let text = text.concat();
            format!("{indent}\"\"\"{}{indent}\"\"\"\n", &text[indent.len()..])
        }
    }
}

/// Writes the methods that only translate, in Rust.
fn calls(table: &Table) -> String {
    let mut text = String::from(
        "//! The methods of a home that only translate. Made by `cargo xtask gen`; do not edit.\n\n\
         #![allow(\n    clippy::doc_markdown,\n    clippy::fn_params_excessive_bools,\n    clippy::too_many_arguments,\n    \
         reason = \"they have the words and arguments of Python's methods\"\n)]\n\n\
         use std::collections::BTreeMap;\n\n\
         use homefs_wire::methods;\n\
         use pyo3::prelude::*;\n\n\
         use crate::arguments::{MomentArg, PathArg, Seconds, TimeArg, Words, taken};\n\
         use crate::home::Home;\n\n\
         #[pymethods]\nimpl Home {\n",
    );
    for method in table.methods.iter().filter(|method| !method.is_own) {
        for line in &method.doc {
            add(
                &mut text,
                format_args!("    ///{}{line}\n", if line.is_empty() { "" } else { " " }),
            );
        }
        let given = signature(method, |argument| {
            let usual = argument.usual.as_ref().map(|usual| format!("={}", literal_of_rust(usual)));
            format!("{}{}", spelt(argument.name), usual.unwrap_or_default())
        });
        if method.arguments.iter().any(|argument| argument.usual.is_some()) {
            add(&mut text, format_args!("    #[pyo3(signature = ({}))]\n", given.join(", ")));
        }
        let mut arguments = vec!["&self".to_owned(), "py: Python<'_>".to_owned()];
        arguments.extend(
            method.arguments.iter().map(|one| format!("{}: {}", spelt(one.name), rust_of(one))),
        );
        text.push_str(&called("    fn", method.name, &arguments, " -> PyResult<Py<PyAny>> {\n"));
        let fields: Vec<String> = method
            .arguments
            .iter()
            .map(|one| format!("{}: taken({})?", one.name, spelt(one.name)))
            .collect();
        let fields = if fields.is_empty() {
            " {}".to_owned()
        } else {
            format!(" {{ {} }}", fields.join(", "))
        };
        let class = class_of(&method.answer);
        add(
            &mut text,
            format_args!(
                "        self.ask(py, || Ok(methods::{}{fields}), \"{class}\")\n    }}\n\n",
                method.holder
            ),
        );
    }
    text.truncate(text.trim_end().len());
    text.push_str("\n}\n");
    super::formatted(&text)
}

/// Returns the class of the records that are answered, if they are such.
fn class_of(kind: &Kind) -> &str {
    match kind {
        Kind::Record(name) if !PLAIN.contains(&name.as_str()) => name,
        Kind::List(item) => class_of(item),
        _ => "",
    }
}

/// Returns the type of Rust that an argument of Python is read as.
fn rust_of(argument: &Argument) -> String {
    let taken = rust_kind(&argument.kind);
    match &argument.usual {
        Some(Value::Array(_) | Value::Object(_)) => format!("Option<{taken}>"),
        Some(Value::String(_)) => "&str".into(),
        _ => taken,
    }
}

fn rust_kind(kind: &Kind) -> String {
    match kind {
        Kind::Bool => "bool".into(),
        Kind::Integer(format) if format == "uint" => "usize".into(),
        Kind::Integer(format) if format == "uint32" => "u32".into(),
        Kind::Integer(_) => "u64".into(),
        Kind::Number => "f64".into(),
        Kind::Path => "PathArg".into(),
        Kind::Time => "TimeArg".into(),
        Kind::Moment => "MomentArg".into(),
        Kind::Duration => "Seconds".into(),
        Kind::Words(_) => "&str".into(),
        Kind::List(_) => "Words".into(),
        Kind::Map(value) => format!("BTreeMap<String, {}>", rust_kind(value)),
        Kind::Maybe(inner) => format!("Option<{}>", rust_kind(inner)),
        _ => "String".into(),
    }
}

/// Writes a value as a signature of a method in Rust has it.
fn literal_of_rust(value: &Value) -> String {
    match value {
        Value::Null | Value::Array(_) | Value::Object(_) => "None".into(),
        other => other.to_string(),
    }
}

fn add(text: &mut String, more: std::fmt::Arguments<'_>) {
    text.write_fmt(more).expect("a string takes any text");
}
