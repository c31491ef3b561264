//! `homefs ls`.

use homefs_api::Client;
use homefs_core::Path;
use homefs_view::{Entry, Found, Kind};

use crate::context::Context;
use crate::error::Result;
use crate::output::{Output, Style};
use crate::{json, pages, text, time};

/// List a directory
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The directory, or a file
    #[arg(value_parser = Path::parse, default_value = "/")]
    path: Path,
    /// Show mode, size, time and version too
    #[arg(short, long)]
    long: bool,
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let client = context.client()?;
        let stat = client.stat(&self.path)?;
        let items = if stat.kind == Kind::Directory {
            pages::all(|after| client.list(&self.path, after, pages::LIMIT))?
                .into_iter()
                .map(|Entry { name, stat }| Ok(Found { path: self.path.join(&name)?, stat }))
                .collect::<homefs_core::Result<_>>()?
        } else {
            vec![Found { path: self.path.clone(), stat }]
        };
        let output = &context.output;
        let short = |item: &Found| vec![shown_name(output, item)];
        let long = |item: &Found| long_row(client, output, item);
        if self.long {
            output.listing(&items, json::found, long, &[1, 2])
        } else {
            output.listing(&items, json::found, short, &[])
        }
    }
}

/// Returns the last name of a node, marked if it is a directory.
pub(crate) fn shown_name(output: &Output, item: &Found) -> String {
    let name = text::printable(item.path.name().unwrap_or("/"));
    match item.stat.kind {
        Kind::Directory => output.paint(Style::Blue, &format!("{name}/")),
        Kind::File | Kind::Link | Kind::Special(_) => name,
    }
}

fn long_row(client: &Client, output: &Output, item: &Found) -> Vec<String> {
    let mut name = shown_name(output, item);
    if item.stat.kind == Kind::Link {
        // A link that is removed meanwhile is shown without its target.
        name.push_str(" -> ");
        name.push_str(&text::printable(&client.read_link(&item.path).unwrap_or_default()));
    }
    let size = match item.stat.kind {
        Kind::Directory => text::count(item.stat.size, "entry"),
        Kind::File | Kind::Link | Kind::Special(_) => text::size(item.stat.size),
    };
    let version = format!("v{}", item.stat.version);
    vec![text::mode(&item.stat), size, version, time::local(item.stat.modified), name]
}
