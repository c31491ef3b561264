//! `homefs attach`.

use std::collections::BTreeMap;

use homefs_api::source_address;
use homefs_core::Path;
use serde_json::json;

use crate::context::Context;
use crate::error::Result;

/// Show a folder, a bucket or a Chroma collection below a path
///
/// What is changed there stays in the home and never touches the source; `homefs changes PATH`
/// shows it. Credentials come from the environment of the process that owns the store.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A folder, `s3://bucket/prefix`, `gs://…`, `az://…` or `chroma://host:port/collection`
    source: String,
    /// Where it is shown: a new path, or an empty directory
    #[arg(value_parser = Path::parse)]
    path: Path,
    /// Refuse every change below the path
    #[arg(long)]
    read_only: bool,
    /// How the source is read, such as `suffix=.md`; may be given more than once
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = setting)]
    settings: Vec<(String, String)>,
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let address = source_address(&self.source)?;
        let settings: BTreeMap<String, String> = self.settings.into_iter().collect();
        // Whoever can start programs here can read the folder anyway.
        let client = context.operator_client()?;
        client.attach_source(&self.path, &address, &settings, self.read_only)?;
        let how = if self.read_only { ", read-only" } else { "" };
        context.output.changed(
            &json!({ "path": self.path, "source": address, "read_only": self.read_only }),
            format_args!("attached {address} at {}{how}", self.path),
        )
    }
}

fn setting(text: &str) -> std::result::Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("write KEY=VALUE")?;
    // A line end cannot be typed.
    Ok((key.to_owned(), value.replace("\\n", "\n")))
}
