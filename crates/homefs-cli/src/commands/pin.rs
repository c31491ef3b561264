//! `homefs pin`.

use homefs_core::Path;
use serde_json::json;

use super::remote::advise;
use crate::context::Context;
use crate::error::Result;

/// Keep files on this machine, whatever the remote has; lists them without PATH
#[derive(clap::Args)]
pub(crate) struct Args {
    /// What to keep, with everything below it
    #[arg(value_parser = Path::parse)]
    path: Option<Path>,
    /// Keep it no longer
    #[arg(long, requires = "path")]
    rm: bool,
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let (client, output) = (context.client()?, &context.output);
        let Some(path) = self.path else {
            let shown = |path: &Path| vec![path.to_string()];
            let pins = client.pins().map_err(|error| advise(context, error))?;
            return output.listing(&pins, |path| json!(path), shown, &[]);
        };
        client.pin(&path, !self.rm).map_err(|error| advise(context, error))?;
        let kept = if self.rm { "no longer kept" } else { "kept" };
        output.changed(
            &json!({ "path": path, "pinned": !self.rm }),
            format_args!("{path} is {kept} on this machine"),
        )
    }
}
