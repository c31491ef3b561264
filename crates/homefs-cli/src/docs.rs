//! The reference pages under `docs/`, made from the commands and settings themselves.

use std::fmt::Write;

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

fn add(page: &mut String, text: std::fmt::Arguments<'_>) {
    page.write_fmt(text).expect("a string takes any text");
}
