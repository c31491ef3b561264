//! Programs that speak MCP, and where each keeps which servers it starts: one row each.

use std::path::{Path as HostPath, PathBuf};

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstRootNode};
use toml_edit::{Array, DocumentMut, Item, Table};

use crate::error::{Failure, Result};

/// A program that speaks MCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Client {
    ClaudeCode,
    ClaudeDesktop,
    Cursor,
    Vscode,
    Codex,
    Gemini,
}

/// How a program keeps its servers.
struct Row {
    /// What people call it.
    name: &'static str,
    /// The config file, from the user's home.
    file: &'static str,
    /// As a part of the file; each server is a member of it.
    servers: &'static str,
    form: Form,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Json,
    /// JSON that says how a server is talked to.
    TypedJson,
    Toml,
}

/// How a server is started.
pub(super) struct Start {
    pub(super) program: String,
    pub(super) arguments: Vec<String>,
}

/// Where programs of a desktop keep their settings, from the user's home.
macro_rules! settings {
    ($file:literal) => {
        if cfg!(target_os = "macos") {
            concat!("Library/Application Support/", $file)
        } else {
            concat!(".config/", $file)
        }
    };
}

impl Client {
    fn row(self) -> Row {
        let (name, file, servers, form) = match self {
            Self::ClaudeCode => ("Claude Code", ".claude.json", "mcpServers", Form::TypedJson),
            Self::ClaudeDesktop => {
                let file = settings!("Claude/claude_desktop_config.json");
                ("Claude Desktop", file, "mcpServers", Form::Json)
            }
            Self::Cursor => ("Cursor", ".cursor/mcp.json", "mcpServers", Form::Json),
            Self::Vscode => {
                ("VS Code", settings!("Code/User/mcp.json"), "servers", Form::TypedJson)
            }
            Self::Codex => ("Codex", ".codex/config.toml", "mcp_servers", Form::Toml),
            Self::Gemini => ("Gemini", ".gemini/settings.json", "mcpServers", Form::Json),
        };
        Row { name, file, servers, form }
    }

    /// Returns what people call it.
    pub(super) fn name(self) -> &'static str {
        self.row().name
    }

    /// Returns its config file, for the user whose home this is.
    pub(super) fn file(self, home: &HostPath) -> PathBuf {
        home.join(self.row().file)
    }

    /// Returns the folder in which it looks for skills, for the user whose home this is, if it has
    /// one that is known.
    pub(super) fn skills(self, home: &HostPath) -> Option<PathBuf> {
        match self {
            Self::ClaudeCode => Some(home.join(".claude/skills")),
            Self::Codex => Some(home.join(".codex/skills")),
            Self::ClaudeDesktop | Self::Cursor | Self::Vscode | Self::Gemini => None,
        }
    }

    /// Returns the config file's text with a server in it, or without it; all else stays.
    pub(super) fn with_server(
        self,
        text: &str,
        server: &str,
        start: Option<&Start>,
    ) -> Result<String> {
        let row = self.row();
        match row.form {
            Form::Toml => in_toml(text, row.servers, server, start),
            form => in_json(text, row.servers, server, start, form == Form::TypedJson),
        }
    }
}

fn in_json(
    text: &str,
    servers: &str,
    server: &str,
    start: Option<&Start>,
    typed: bool,
) -> Result<String> {
    // An empty file is as good as none.
    let text = if text.trim().is_empty() { "{}\n" } else { text };
    let root = CstRootNode::parse(text, &ParseOptions::default()).map_err(unreadable)?;
    let not_object = |what: &str| Failure::new(format!("{what} is not an object"));
    let top = root.object_value_or_create().ok_or_else(|| not_object("the file"))?;
    let Some(start) = start else {
        if let Some(known) = top.object_value(servers).and_then(|all| all.get(server)) {
            known.remove();
        }
        return Ok(root.to_string());
    };
    let all = top.object_value_or_create(servers).ok_or_else(|| not_object(servers))?;
    let text_of = |text: &str| CstInputValue::String(text.into());
    let arguments = start.arguments.iter().map(|word| text_of(word)).collect();
    let mut members = vec![
        ("command".to_owned(), text_of(&start.program)),
        ("args".to_owned(), CstInputValue::Array(arguments)),
    ];
    if typed {
        members.insert(0, ("type".to_owned(), text_of("stdio")));
    }
    let value = CstInputValue::Object(members);
    match all.get(server) {
        Some(known) => known.set_value(value),
        None => drop(all.append(server, value)),
    }
    Ok(root.to_string())
}

fn in_toml(text: &str, servers: &str, server: &str, start: Option<&Start>) -> Result<String> {
    let mut document: DocumentMut = text.parse().map_err(unreadable)?;
    let Some(start) = start else {
        if let Some(all) = document.get_mut(servers).and_then(Item::as_table_like_mut) {
            all.remove(server);
        }
        return Ok(document.to_string());
    };
    let all = document.entry(servers).or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    let all =
        all.as_table_like_mut().ok_or_else(|| Failure::new(format!("{servers} is not a table")))?;
    let mut table = Table::new();
    table.insert("command", start.program.as_str().into());
    table.insert("args", Item::Value(start.arguments.iter().collect::<Array>().into()));
    all.insert(server, Item::Table(table));
    Ok(document.to_string())
}

fn unreadable(error: impl std::fmt::Display) -> Failure {
    Failure::new(format!("the config file cannot be read: {error}"))
        .hint("mend it first; it stays as it is")
}
