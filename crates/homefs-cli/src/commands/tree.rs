//! `homefs tree`.

use homefs_api::Client;
use homefs_core::Path;
use homefs_engine::{Entry, Found, Kind};

use super::ls::shown_name;
use crate::context::Context;
use crate::error::Result;
use crate::output::Output;
use crate::{json, pages, text};

/// Show everything below a directory as a tree
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The directory
    #[arg(value_parser = Path::parse, default_value = "/")]
    path: Path,
}

#[derive(Default)]
struct Counts {
    directories: u64,
    files: u64,
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let (client, output) = (context.client()?, &context.output);
        if output.json {
            let items = pages::all(|after| client.walk(&self.path, after, pages::LIMIT))?;
            return output.json(&items.iter().map(json::found).collect::<Vec<_>>());
        }
        output.line(&self.path)?;
        let mut counts = Counts::default();
        branch(client, output, &self.path, "", &mut counts)?;
        output.say(format_args!(
            "{}, {}",
            text::count(counts.directories, "directory"),
            text::count(counts.files, "file")
        ));
        Ok(())
    }
}

/// Prints what is in one directory; as deep as a path can be, which is bounded.
fn branch(
    client: &Client,
    output: &Output,
    dir: &Path,
    indent: &str,
    counts: &mut Counts,
) -> Result<()> {
    let entries = pages::all(|after| client.list(dir, after, pages::LIMIT))?;
    let last = entries.len().saturating_sub(1);
    for (index, Entry { name, stat }) in entries.into_iter().enumerate() {
        let item = Found { path: dir.join(&name)?, stat };
        let (mark, below) =
            if index == last { ("└── ", "    ") } else { ("├── ", "│   ") };
        output.line(format_args!("{indent}{mark}{}", shown_name(output, &item)))?;
        if item.stat.kind == Kind::Directory {
            counts.directories += 1;
            branch(client, output, &item.path, &format!("{indent}{below}"), counts)?;
        } else {
            counts.files += 1;
        }
    }
    Ok(())
}
