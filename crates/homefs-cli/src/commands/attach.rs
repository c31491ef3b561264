//! `homefs attach`.

use std::collections::BTreeMap;
use std::path::Path as HostPath;

use homefs_core::Path;
use serde_json::json;

use crate::context::Context;
use crate::error::{Failure, Result};
use crate::host;

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
        let address =
            if self.source.contains("://") { self.source.clone() } else { folder(&self.source)? };
        let settings: BTreeMap<String, String> = self.settings.into_iter().collect();
        let client = context.client()?;
        client.attach_source(&self.path, &address, &settings, self.read_only)?;
        let how = if self.read_only { ", read-only" } else { "" };
        context.output.changed(
            &json!({ "path": self.path, "source": address, "read_only": self.read_only }),
            format_args!("attached {address} at {}{how}", self.path),
        )
    }
}

/// Returns a folder as every process names it.
fn folder(text: &str) -> Result<String> {
    let folder = host::follow(HostPath::new(text))?;
    let not_text = || Failure::new("the folder's path is not UTF-8");
    folder.into_os_string().into_string().map_err(|_| not_text())
}

fn setting(text: &str) -> std::result::Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("write KEY=VALUE")?;
    // A line end cannot be typed.
    Ok((key.to_owned(), value.replace("\\n", "\n")))
}
