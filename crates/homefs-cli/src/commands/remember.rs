//! `homefs remember`.

use homefs_core::{Path, SpaceName};
use homefs_view::{Alike, RememberOptions};

use super::question;
use crate::context::Context;
use crate::error::Result;

/// Keep a text as a memory: a Markdown file under /memories
///
/// Prints its path. A memory is a file like any other: read it, edit it, list its versions. The
/// same text again makes it new again; another text under a title that you gave before replaces
/// what you said then, which stays in its history.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// What to remember; `-` or nothing reads it from standard input
    #[arg(value_name = "TEXT", allow_hyphen_values = true, value_parser = super::write::argument)]
    text: Option<String>,
    /// What it is called; its file is named after it
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// How much it matters, from 0 to 1
    #[arg(long, value_name = "NUMBER")]
    importance: Option<f64>,
    /// A tag; may be given again
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
    /// When it is forgotten by itself: 7d, 12h or 2026-01-31T12:00:00Z
    #[arg(long, value_name = "TIME")]
    ttl: Option<String>,
    /// The space it goes to, such as shared/market; the agent's home if not given
    #[arg(long)]
    space: Option<SpaceName>,
    /// Where it comes from
    #[arg(long, value_name = "TEXT")]
    source: Option<String>,
    /// If nearly the same is remembered already, add what is new to it, or link to it
    #[arg(long, value_parser = question::word::<Alike>(Alike::WORDS))]
    alike: Option<Alike>,
    /// The memory that it takes the place of, by path or handle: recall marks that one as older
    #[arg(long, value_name = "PATH", value_parser = Path::parse)]
    supersedes: Option<Path>,
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let text = question::read_kept(context, self.text)?;
        let options = RememberOptions {
            title: self.title,
            importance: self.importance,
            tags: self.tags,
            ttl: self.ttl,
            space: self.space,
            source: self.source,
            alike: self.alike,
            supersedes: self.supersedes,
        };
        let kept = context.client()?.remember(&text, &options)?;
        let output = &context.output;
        if output.json {
            return output.json(&kept);
        }
        match &kept.alike {
            Some(old) if *old == kept.path => output.say("merged with what was there"),
            Some(old) => output.say(format_args!("linked to {old}, which says nearly the same")),
            None => {}
        }
        output.line(&kept.path)
    }
}
