//! `homefs mcp install` and `homefs mcp uninstall`.

use std::io::Write as _;
use std::path::{Path as HostPath, PathBuf};

use homefs_api::settings::variable;
use homefs_core::{AgentId, Error};
use serde_json::json;
use similar::TextDiff;

use super::Offer;
use super::clients::{Client, Start};
use crate::commands::skill;
use crate::context::Context;
use crate::error::{Failure, Result};
use crate::{host, output};

/// What is added to the name of a file for the copy that is kept of it.
const COPY: &str = "homefs-copy";

#[derive(clap::Args)]
pub(super) struct InstallArgs {
    #[command(flatten)]
    place: ConfigArgs,
    #[command(flatten)]
    offer: Offer,
    /// Write a skill for the program too, as `homefs skill` does
    #[arg(long)]
    skill: bool,
}

#[derive(clap::Args)]
pub(super) struct UninstallArgs {
    #[command(flatten)]
    place: ConfigArgs,
}

/// Which file is changed, and whether to ask.
#[derive(clap::Args)]
struct ConfigArgs {
    /// The program
    #[arg(value_name = "PROGRAM")]
    client: Client,
    /// What the program calls the server
    #[arg(long, default_value = "homefs")]
    name: String,
    /// The config file; where the program looks if not given
    #[arg(long, value_name = "FILE", value_parser = host::local_path())]
    config: Option<PathBuf>,
    /// Do it without asking
    #[arg(long, short, conflicts_with = "print")]
    yes: bool,
    /// Show the change and do nothing
    #[arg(long)]
    print: bool,
}

impl InstallArgs {
    pub(super) fn run(self, context: &Context) -> Result<()> {
        let settings = context.settings()?;
        let who = context.who()?;
        let program = std::env::current_exe()
            .map_err(|error| Error::io("find the program of this process", error))?;
        let mut arguments = vec!["mcp".to_owned()];
        arguments.extend(["--store".into(), absolute(&settings.store)?]);
        arguments.extend(["--agent-id".into(), who.agent.as_str().into()]);
        for (given, flag) in [(who.operator, "--operator"), (who.all, "--all")] {
            arguments.extend(given.then(|| flag.to_owned()));
        }
        if let Some(groups) = context.groups() {
            let names: Vec<&str> = groups.iter().map(AgentId::as_str).collect();
            arguments.extend(["--groups".to_owned(), names.join(",")]);
        }
        arguments.extend(self.offer.arguments());
        let start = Start { program: absolute(&program)?, arguments };
        self.place.change(context, Some(&start))?;
        if self.place.print {
            return Ok(());
        }
        let output = &context.output;
        match self.place.skills() {
            Some(dir) if self.skill => {
                let file = skill::put(&dir, &skill::text(&who))?;
                output.say(format_args!("{} is written", file.display()));
            }
            Some(dir) => output.say(format_args!(
                "hint: --skill, or `homefs skill {}`, tells its agent how to use the home well",
                dir.display()
            )),
            None if self.skill => {
                let message = format!("{} has no known folder of skills", self.place.client.name());
                return Err(Failure::new(message).hint("name it: homefs skill DIR"));
            }
            None => {}
        }
        Ok(())
    }
}

impl UninstallArgs {
    pub(super) fn run(self, context: &Context) -> Result<()> {
        self.place.change(context, None)
    }
}

impl ConfigArgs {
    fn change(&self, context: &Context, start: Option<&Start>) -> Result<()> {
        let file = self.file()?;
        let before = match host::metadata(&file)? {
            Some(_) => Some(host::read_text(&file)?),
            None => None,
        };
        let old = before.as_deref().unwrap_or_default();
        let new = if start.is_none() && before.is_none() {
            String::new()
        } else {
            self.client.with_server(old, &self.name, start).map_err(|failure| Failure {
                message: format!("{}: {}", file.display(), failure.message),
                ..failure
            })?
        };
        let changes = new != old;
        show(context, &file, old, &new)?;
        if !changes || self.print {
            return Ok(());
        }
        let question = format!("write {}?", file.display());
        if !self.yes && !output::confirm(&question) {
            return Err(Failure::no("nothing is changed").hint("--yes does it without asking"));
        }
        put(&file, before.as_deref(), &new)?;
        let client = self.client.name();
        context.output.say(match start {
            Some(_) => format!("{client} starts homefs as {:?} from its next start on", self.name),
            None => format!("{client} starts {:?} no more", self.name),
        });
        Ok(())
    }

    /// Returns the program's folder of skills.
    fn skills(&self) -> Option<PathBuf> {
        self.client.skills(HostPath::new(&variable("HOME")?))
    }

    fn file(&self) -> Result<PathBuf> {
        let usual = || -> Result<PathBuf> {
            let home = variable("HOME").ok_or_else(|| {
                Failure::new("HOME is not set").hint("--config names the config file")
            })?;
            Ok(self.client.file(HostPath::new(&home)))
        };
        let file = self.config.clone().map_or_else(usual, Ok)?;
        // A link is a person's own way to keep the file elsewhere.
        if host::metadata(&file)?.is_some() { Ok(host::follow(&file)?) } else { Ok(file) }
    }
}

/// Shows how a file changes.
fn show(context: &Context, file: &HostPath, old: &str, new: &str) -> Result<()> {
    let (output, name) = (&context.output, file.display().to_string());
    let diff = TextDiff::from_lines(old, new).unified_diff().header(&name, &name).to_string();
    if output.json {
        return output.json(&json!({ "file": name, "changes": old != new, "diff": diff }));
    }
    if old == new {
        output.say(format_args!("{name} is so already"));
        return Ok(());
    }
    output.line(diff.trim_end())?;
    output.flush()
}

/// Writes a file anew, at once and with the rights it had; what it was before stays beside it.
fn put(file: &HostPath, before: Option<&str>, after: &str) -> Result<()> {
    if let Some(parent) = file.parent() {
        host::make_dirs(parent)?;
    }
    let write = |place: &HostPath, text: &str| -> Result<()> {
        let mut created = host::create(place)?;
        let written = created.write_all(text.as_bytes()).and_then(|()| created.sync_all());
        Ok(written.map_err(|error| host::failed("write the file", place, error))?)
    };
    let fresh = file.with_added_extension("homefs-new");
    write(&fresh, after)?;
    if let Some(before) = before {
        write(&file.with_added_extension(COPY), before)?;
        let metadata = host::existing(file)?;
        host::set_attrs(&fresh, host::mode(&metadata), crate::time::now())?;
    }
    Ok(host::rename(&fresh, file)?)
}

fn absolute(path: &HostPath) -> Result<String> {
    let path = std::path::absolute(path)
        .map_err(|error| Error::io("find the present directory", error))?;
    Ok(path.to_string_lossy().into_owned())
}
