//! `homefs tag`.

use homefs_core::Path;
use homefs_view::SetMeta;

use crate::context::Context;
use crate::error::Result;
use crate::{json, text};

/// Show, add and take away tags of a file
///
/// Without tags it shows them. `homefs tags` lists those of all files.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The file or directory
    #[arg(value_parser = Path::parse)]
    path: Path,
    /// `tag` or `+tag` adds, `-tag` takes away
    #[arg(value_name = "TAG", allow_hyphen_values = true, value_parser = tag)]
    tags: Vec<String>,
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let (client, output) = (context.client()?, &context.output);
        if self.tags.is_empty() {
            let tags = client.meta(&self.path)?.tags;
            return output.listing(&tags, String::clone, |tag| vec![text::printable(tag)], &[]);
        }
        let mut set = SetMeta::default();
        for tag in self.tags {
            match tag.strip_prefix('-') {
                Some(tag) => set.remove_tags.push(tag.to_owned()),
                None => set.add_tags.push(tag.strip_prefix('+').unwrap_or(&tag).to_owned()),
            }
        }
        let version = client.set_meta(&self.path, &set)?;
        output.changed(
            &json::changed(&self.path, version),
            format_args!("tagged {}, version {version}", self.path),
        )
    }
}

fn tag(text: &str) -> Result<String, &'static str> {
    if text.starts_with("--") {
        return Err("it looks like an option");
    }
    Ok(text.into())
}
