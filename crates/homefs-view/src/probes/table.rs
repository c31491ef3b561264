//! Answers as tables: Markdown for people, JSON for programs.

use homefs_core::Result;
use serde_json::{Map, Value};

use super::{Arguments, invalid};

/// The rows of an answer.
pub(super) struct Table<const COLUMNS: usize> {
    pub(super) columns: [&'static str; COLUMNS],
    pub(super) rows: Vec<[Value; COLUMNS]>,
    /// What is said below the rows; nothing if empty.
    pub(super) note: String,
}

impl<const COLUMNS: usize> Table<COLUMNS> {
    /// Returns the answer in the format that was asked for.
    pub(super) fn text(&self, arguments: &Arguments) -> Result<String> {
        match arguments.get("format") {
            None | Some("text") => Ok(self.markdown()),
            Some("json") => Ok(self.json()),
            Some(other) => Err(invalid(format!("format is text or json, not {other:?}"))),
        }
    }

    fn markdown(&self) -> String {
        let mut text = String::new();
        let mut line = |cells: &[String]| {
            for cell in cells {
                text.push_str("| ");
                text.push_str(cell);
                text.push(' ');
            }
            text.push_str("|\n");
        };
        line(&self.columns.map(str::to_owned));
        line(&self.columns.map(|_| "---".to_owned()));
        for row in &self.rows {
            line(&row.each_ref().map(cell));
        }
        if !self.note.is_empty() {
            text.push('\n');
            text.push_str(&self.note);
            text.push('\n');
        }
        text
    }

    fn json(&self) -> String {
        let object = |row: &[Value; COLUMNS]| {
            let named = self.columns.iter().map(|column| (*column).to_owned());
            named.zip(row.iter().cloned()).collect::<Map<_, _>>()
        };
        let rows: Vec<Value> = self.rows.iter().map(|row| object(row).into()).collect();
        format!("{}\n", Value::from(rows))
    }
}

/// Returns a value as it stands in a cell: names may have anything in them.
fn cell(value: &Value) -> String {
    let Value::String(text) = value else { return value.to_string() };
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '|' => shown.push_str("\\|"),
            letter if letter.is_control() => shown.extend(letter.escape_default()),
            letter => shown.push(letter),
        }
    }
    shown
}
