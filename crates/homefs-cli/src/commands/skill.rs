//! `homefs skill`.

use std::fmt::Write as _;
use std::path::{Path as HostPath, PathBuf};

use clap::CommandFactory;
use homefs_view::Who;
use serde_json::json;

use crate::cli::Cli;
use crate::context::Context;
use crate::error::Result;
use crate::host;

/// Write a SKILL.md that tells an agent how to use its home well
///
/// Programs that know agent skills have a folder for them, such as ~/.claude/skills: name it, and
/// the skill goes to homefs/SKILL.md below it. Without a folder it is printed.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The folder of skills
    #[arg(value_parser = host::local_path())]
    dir: Option<PathBuf>,
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let skill = text(&context.who()?);
        let output = &context.output;
        let Some(dir) = self.dir else {
            if output.json {
                return output.json(&json!({ "skill": skill }));
            }
            return output.line(skill.trim_end());
        };
        let file = put(&dir, &skill)?;
        if output.json {
            return output.json(&json!({ "file": file.to_string_lossy() }));
        }
        output.say(format_args!("an agent that reads {} knows its home", file.display()));
        Ok(())
    }
}

/// Writes the skill into a folder of skills; returns where.
pub(super) fn put(dir: &HostPath, skill: &str) -> Result<PathBuf> {
    let dir = dir.join("homefs");
    host::make_dirs(&dir)?;
    let file = dir.join("SKILL.md");
    host::write(&file, skill.as_bytes())?;
    Ok(file)
}

/// What an agent needs of the commands, in the order of its work. What each does is said by its
/// help.
const COMMANDS: [&[&str]; 4] = [
    &["context", "recall", "remember", "search", "forget"],
    &["ls", "tree", "cat", "write", "append", "edit", "grep", "find", "mv", "rm", "tag"],
    &["log", "diff", "restore", "trash"],
    &["sh", "attach", "sources"],
];

/// What stands before the commands.
const BEGINNING: &str = "\
---
name: homefs
description: A home of files and memories that last between sessions, found by words and meaning. \
Use it to recall what is known before starting a task, and to keep decisions, preferences, facts \
and results for later.
---

# Your home

Your home outlives this session. If there are MCP tools of homefs, use them; else run `homefs`.

## How to use it well

1. Begin with `homefs context`: what is pinned, and what matters most.
2. Before you answer from memory, or begin a task: `homefs recall \"the question\"`.
3. As you learn something that a later session needs, keep it at once: `homefs remember \"one fact, \
with its why\" --tag topic`. One fact a memory; `--importance 0.9` for what must not be missed, \
`--ttl 7d` for what passes. What nobody will ask for is not worth keeping, and secrets do not \
belong here.
4. Longer things are files: `homefs write notes/plan.md < text`. Paths begin at `/`, directories \
are made; `/shared/NAME` is read by other agents too.
5. If a memory is wrong, edit or forget it instead of adding another.
6. Nothing is lost by accident: `log` has every version of a file, `restore` brings one back, \
`trash restore` what was removed.
7. For several steps at once: `homefs sh -c 'grep -rl margin notes | xargs wc -l'`.
8. In a mount the home is a directory; `cat ':recall?q=the+question'` answers there.
";

/// Makes the skill of an agent.
pub(super) fn text(who: &Who) -> String {
    let mut skill = BEGINNING.to_owned();
    let add = |skill: &mut String, line: std::fmt::Arguments<'_>| {
        skill.write_fmt(line).expect("a string takes any text");
    };
    add(&mut skill, format_args!("\n## Commands\n\nYou are agent `{}`", who.agent));
    if who.agent.as_str() == "me" {
        skill.push_str(".\n");
    } else {
        add(&mut skill, format_args!(": `homefs --agent-id {} ...`.\n", who.agent));
    }
    let root = Cli::command();
    for names in COMMANDS {
        skill.push('\n');
        for name in names {
            let about = root.find_subcommand(name).and_then(clap::Command::get_about);
            let about = about.map_or(String::new(), ToString::to_string);
            add(&mut skill, format_args!("- `{name}`: {about}\n"));
        }
    }
    skill.push_str("\n`homefs COMMAND --help` tells more.\n");
    skill
}

#[cfg(test)]
mod tests {
    use homefs_core::AgentId;
    use homefs_view::{Count as _, Tokenizer, Who};

    use super::*;

    #[test]
    fn a_skill_is_short_and_says_what_help_says() {
        for agent in ["me", "a-rather-long-name-of-an-agent"] {
            let agent = AgentId::new(agent).unwrap();
            let skill = text(&Who { agent: agent.clone(), operator: false, all: false });
            let tokens = Tokenizer::O200k.count(&skill);
            assert!(tokens <= 800, "{tokens} tokens:\n{skill}");
            assert!(skill.contains(agent.as_str()));
            for name in COMMANDS.iter().flat_map(|names| names.iter()) {
                let root = Cli::command();
                let about = root.find_subcommand(name).and_then(clap::Command::get_about);
                let about = about.unwrap_or_else(|| panic!("there is no command {name}"));
                assert!(skill.contains(&format!("`{name}`: {about}")), "{name}");
            }
        }
    }
}
