//! `homefs meta`.

use homefs_core::Path;
use homefs_view::SetMeta;

use crate::context::Context;
use crate::error::Result;
use crate::{json, text};

/// Show or set what is noted about a file
///
/// Without options it shows. An empty value takes a note away; writing the file keeps its notes.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The file or directory
    #[arg(value_parser = Path::parse)]
    path: Path,
    /// How much it matters, from 0 to 1
    #[arg(long, value_name = "NUMBER")]
    importance: Option<String>,
    /// What it is called
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Where it comes from
    #[arg(long, value_name = "TEXT")]
    source: Option<String>,
    /// When it expires: 7d, 1d12h, 30m, 2026-01-31T12:00:00Z or never
    #[arg(long, value_name = "TIME")]
    ttl: Option<String>,
    /// Set a key to a value
    #[arg(long, value_name = "KEY=VALUE", value_parser = pair)]
    set: Vec<(String, String)>,
    /// Take a key away
    #[arg(long, value_name = "KEY")]
    unset: Vec<String>,
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let (client, output) = (context.client()?, &context.output);
        let named = [
            ("importance", self.importance),
            ("title", self.title),
            ("source", self.source),
            ("ttl", self.ttl),
        ];
        let named = named.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
        let mut set = SetMeta::default();
        set.values.extend(named.chain(self.set).map(|(key, value)| (key, Some(value))));
        set.values.extend(self.unset.into_iter().map(|key| (key, None)));
        if !set.values.is_empty() {
            let version = client.set_meta(&self.path, &set)?;
            return output.changed(
                &json::changed(&self.path, version),
                format_args!("noted about {}, version {version}", self.path),
            );
        }
        let metadata = client.meta(&self.path)?;
        if output.json {
            return output.json(&metadata);
        }
        let lines = metadata.lines().into_iter().filter(|(_, value)| !value.is_empty());
        let rows: Vec<_> =
            lines.map(|(key, value)| vec![key.to_owned(), text::printable(&value)]).collect();
        text::columns(&rows, &[]).into_iter().try_for_each(|line| output.line(line))
    }
}

fn pair(text: &str) -> Result<(String, String), &'static str> {
    let (key, value) = text.split_once('=').ok_or("write it as KEY=VALUE")?;
    Ok((key.into(), value.into()))
}
