//! `homefs watch`.

use std::time::Duration;

use homefs_core::Path;
use homefs_view::{Cursor, Event};

use crate::context::Context;
use crate::error::Result;
use crate::output::Style;
use crate::{pages, text, time};

/// Print changes as they happen, until Ctrl-C
///
/// With --json every change is one line; a line that has a `cursor` is a place to go on from
/// with --since.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only changes at or below this path
    #[arg(value_parser = Path::parse, default_value = "/")]
    path: Path,
    /// Start after this cursor instead of now
    #[arg(long, value_name = "CURSOR")]
    since: Option<Cursor>,
    /// Print what has changed already, then end
    #[arg(long)]
    once: bool,
    /// End after this many changes and those made together with the last
    #[arg(long, value_name = "NUMBER")]
    count: Option<usize>,
    /// Print the cursor of this moment and end
    #[arg(long, conflicts_with_all = ["since", "once", "count"])]
    cursor: bool,
}

/// One call waits this long, well below any deadline of a client.
const WAIT: Duration = Duration::from_secs(1);

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let (client, output) = (context.client()?, &context.output);
        if self.cursor {
            return output.line(client.cursor()?);
        }
        let mut cursor = match self.since {
            Some(cursor) => cursor,
            None => client.cursor()?,
        };
        let mut left = self.count.unwrap_or(usize::MAX);
        let wait = if self.once { Duration::ZERO } else { WAIT };
        while left > 0 {
            let watched = client.watch(&self.path, &cursor, wait, left.min(pages::LIMIT))?;
            cursor = watched.cursor;
            if watched.gap {
                output.say("far behind: of changes long ago only the outcome is known");
            }
            let seen = watched.events.len();
            for (index, event) in watched.events.iter().enumerate() {
                // Only after the last event of an answer is its cursor exact.
                print(context, event, (index + 1 == seen).then_some(&cursor))?;
            }
            output.flush()?;
            left = left.saturating_sub(seen);
            if self.once && seen == 0 {
                break;
            }
        }
        output.say(format_args!("go on with --since {cursor}"));
        Ok(())
    }
}

fn print(context: &Context, event: &Event, cursor: Option<&Cursor>) -> Result<()> {
    if context.output.json {
        let mut value = serde_json::json!(event);
        if let Some(cursor) = cursor {
            value["cursor"] = cursor.to_string().into();
        }
        return context.output.json(&value);
    }
    context.output.line(format_args!(
        "{}  {}  {}  {}",
        context.output.paint(Style::Dim, &time::local(event.time)),
        event.action.word(),
        text::printable(event.path.as_str()),
        context.output.paint(Style::Dim, &format!("v{} by {}", event.version, event.agent)),
    ))
}
