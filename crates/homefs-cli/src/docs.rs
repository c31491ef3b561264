//! The reference pages under `docs/`, made from the commands and settings themselves.

use std::fmt::Write;

use homefs_api::{Face, OPERATIONS, Way};

use crate::settings::{
    DEADLINE_MS_DEFAULT, EMBEDDER_DEFAULT, KNOWN, VARIABLES, engine_defaults, variable_name,
};

/// Returns the reference of all commands.
pub(crate) fn commands(mut root: clap::Command) -> String {
    root.build();
    let mut page = String::from(
        "# Commands\n\nMade by `homefs gen-docs`; do not edit.\n\
         Exit codes: 0 done, 1 \"no\" (nothing found, differs, conflict), 2 error, 130 interrupted.\n\
         Data goes to standard output, talk to standard error.\n",
    );
    section(&mut page, &root, 2);
    page
}

fn section(page: &mut String, command: &clap::Command, level: usize) {
    let name = command.get_bin_name().unwrap_or("homefs");
    let about = command.get_long_about().or_else(|| command.get_about()).cloned();
    let mut shown = command.clone().term_width(80).about(about.unwrap_or_default());
    if level > 2 {
        // Shown once, with the root.
        shown = shown.mut_args(|arg| if arg.is_global_set() { arg.hide(true) } else { arg });
    }
    let help = shown.render_help().to_string();
    let help: Vec<_> = help.lines().map(str::trim_end).collect();
    let (heading, help) = ("#".repeat(level), help.join("\n"));
    add(page, format_args!("\n{heading} `{name}`\n\n```text\n{}\n```\n", help.trim_end()));
    let public = |command: &&clap::Command| !command.is_hide_set() && command.get_name() != "help";
    for below in command.get_subcommands().filter(public) {
        section(page, below, 3);
    }
}

/// Returns the reference of all settings and environment variables.
pub(crate) fn settings() -> String {
    let mut page = String::from(
        "# Settings\n\nMade by `homefs gen-docs`; do not edit.\n\
         A setting is looked for in this order: flag, environment variable, config file, default.\n\
         `homefs config` shows every value and where it came from; `homefs config path` shows where \
         the config file is.\n\
         The config file is TOML with the keys below; an unknown key is an error.\n\n\
         | key | environment variable | default | unit | meaning |\n|---|---|---|---|---|\n",
    );
    let engine = engine_defaults();
    for known in &KNOWN {
        let default = match known.key {
            "store" => "$XDG_DATA_HOME/homefs",
            "agent_id" => "me",
            "deadline_ms" => DEADLINE_MS_DEFAULT,
            "offline" => "false",
            "embedder" => EMBEDDER_DEFAULT,
            key => engine.get(key).map_or("", String::as_str),
        };
        let (key, unit, meaning) = (known.key, known.unit, known.meaning);
        let variable = variable_name(key);
        let default = if default.is_empty() { "none".to_owned() } else { format!("`{default}`") };
        add(
            &mut page,
            format_args!("| `{key}` | `{variable}` | {default} | {unit} | {meaning} |\n"),
        );
    }
    page.push_str("\nOther environment variables:\n\n| name | meaning |\n|---|---|\n");
    for (name, meaning) in VARIABLES {
        add(&mut page, format_args!("| `{name}` | {meaning} |\n"));
    }
    page
}

/// Returns the table of operations and faces.
pub(crate) fn faces() -> String {
    let mut page = String::from(
        "# Faces\n\nMade by `homefs gen-docs`; do not edit.\n\
         Every operation, and what it is called in every face.\n\
         A number stands where a face does without it; the reasons are below.\n\
         The asynchronous methods of Python and Node have the same names; the blocking ones of Node \
         end in `Sync`.\n\n| operation | does |",
    );
    for face in Face::ALL {
        add(&mut page, format_args!(" {} |", face.name()));
    }
    page.push_str("\n|---|---|---|---|---|---|---|---|\n");
    let mut reasons: Vec<&str> = Vec::new();
    for row in OPERATIONS {
        add(&mut page, format_args!("| `{}` | {} |", row.name, row.summary));
        for face in Face::ALL {
            match row.at(face) {
                Way::Named(name) => add(&mut page, format_args!(" `{name}` |")),
                Way::Absent(why) => {
                    let known = reasons.iter().position(|reason| *reason == why);
                    let number = known.unwrap_or_else(|| {
                        reasons.push(why);
                        reasons.len() - 1
                    });
                    add(&mut page, format_args!(" {} |", number + 1));
                }
            }
        }
        page.push('\n');
    }
    page.push_str("\nWhy a face does without an operation:\n\n");
    for (index, reason) in reasons.iter().enumerate() {
        add(&mut page, format_args!("{}. {reason}\n", index + 1));
    }
    page
}

fn add(page: &mut String, text: std::fmt::Arguments<'_>) {
    page.write_fmt(text).expect("a string takes any text");
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use clap::CommandFactory;
    use homefs_api::Operation;
    use homefs_server::tools;
    use serde_json::Value;

    use super::*;
    use crate::cli::Cli;
    use crate::host;

    /// Hands every name that a face has to `check`.
    fn each(face: Face, mut check: impl FnMut(&str, &str)) {
        for row in OPERATIONS {
            if let Way::Named(name) = row.at(face) {
                check(row.name, &name);
            }
        }
    }

    #[test]
    fn every_command_of_the_table_exists() {
        each(Face::Cli, |operation, name| {
            let mut command = Cli::command();
            for word in name.split(' ') {
                if let Some(option) = word.strip_prefix("--") {
                    let known =
                        command.get_arguments().any(|known| known.get_long() == Some(option));
                    assert!(known, "{operation} is not {name}");
                } else {
                    let below = command.find_subcommand(word).cloned();
                    command = below.unwrap_or_else(|| panic!("{operation} is not {name}"));
                }
            }
        });
    }

    #[test]
    fn every_tool_of_the_table_does_what_it_says() {
        each(Face::Mcp, |operation, name| {
            let tool = tools().find(|tool| tool.name == name);
            let tool = tool.unwrap_or_else(|| panic!("{operation} is not {name}"));
            assert!(tool.operations.contains(&operation), "{name} does not {operation}");
        });
        // What the table says is missing is missing, but by scripts.
        for tool in tools().filter(|tool| tool.name != "shell") {
            for operation in tool.operations {
                let way = Operation::find(operation).map(|row| row.at(Face::Mcp));
                assert!(matches!(way, Some(Way::Named(_))), "{} does {operation}", tool.name);
            }
        }
    }

    #[test]
    fn every_method_of_the_table_exists() {
        let sdk = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../sdk");
        let python = host::read_text(&sdk.join("python/homefs/_homefs.pyi")).unwrap();
        let node = sdk.join("node/src");
        let files = host::names(&node).unwrap().into_iter().map(|name| node.join(name));
        let texts = files.filter(|file| file.is_file()).map(|file| host::read_text(&file).unwrap());
        let node: String = texts.collect();
        each(Face::Python, |operation, name| {
            assert!(python.contains(&format!("    def {name}(")), "{operation} is not {name}");
            // Every method of Node has a twin, but for the one that is an iterator.
            let twin = if name == "watch" { " watcher".into() } else { format!(" {name}_sync") };
            assert!(node.contains(&twin), "{operation} has no{twin} in Node");
        });
        for row in OPERATIONS.iter().filter(|row| matches!(row.at(Face::Python), Way::Absent(_))) {
            let name = row.name;
            assert!(!python.contains(&format!("    def {name}(")), "Python has {name}");
        }
    }

    #[test]
    fn every_method_of_the_table_has_behaviours() {
        let text = include_str!("../../../sdk/behaviours.json");
        let shared: Value = serde_json::from_str(text).unwrap();
        each(Face::Python, |operation, name| {
            assert!(shared["methods"].get(name).is_some(), "{operation} is not {name}");
        });
    }
}
