//! `homefs remember`.

use homefs_core::SpaceName;
use homefs_engine::{Alike, RememberOptions};

use super::question;
use crate::context::Context;
use crate::error::Result;
use crate::json;

/// Keep a text as a memory: a Markdown file under /memories
///
/// Prints its path. A memory is a file like any other: read it, edit it, list its versions.
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
    #[arg(long, value_enum)]
    alike: Option<Near>,
}

/// What becomes of a memory that is there already, nearly.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Near {
    Merge,
    Link,
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
            alike: self.alike.map(|near| match near {
                Near::Merge => Alike::Merge,
                Near::Link => Alike::Link,
            }),
        };
        let kept = context.client()?.remember(&text, &options)?;
        let output = &context.output;
        if output.json {
            return output.json(&json::remembered(&kept));
        }
        match &kept.alike {
            Some(old) if *old == kept.path => output.say("merged with what was there"),
            Some(old) => output.say(format_args!("linked to {old}, which says nearly the same")),
            None => {}
        }
        output.line(&kept.path)
    }
}
