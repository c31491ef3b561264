//! `homefs tree`.

use homefs_core::Path;
use homefs_view::Kind;

use super::ls::shown_name;
use crate::context::Context;
use crate::error::Result;
use crate::{json, pages, text};

/// Show everything below a directory as a tree
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The directory
    #[arg(value_parser = Path::parse, default_value = "/")]
    path: Path,
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let (client, output) = (context.client()?, &context.output);
        if output.json {
            let items = pages::all(|after| client.walk(&self.path, after, pages::LIMIT))?;
            return output.json(&items.iter().map(json::found).collect::<Vec<_>>());
        }
        output.line(&self.path)?;
        let (mut directories, mut files) = (0, 0);
        client.draw(&self.path, None, |branch, found| -> Result<()> {
            let is_directory = found.stat.kind == Kind::Directory;
            *(if is_directory { &mut directories } else { &mut files }) += 1;
            output.line(format_args!("{branch}{}", shown_name(output, found)))
        })?;
        output.say(format_args!(
            "{}, {}",
            text::count(directories, "directory"),
            text::count(files, "file")
        ));
        Ok(())
    }
}
