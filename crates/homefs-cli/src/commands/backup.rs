//! `homefs backup`.

use std::path::{PathBuf, absolute};

use crate::context::Context;
use crate::error::Result;
use crate::host;

/// Copy the whole store, consistently, while it is in use
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A new or empty directory for the copy
    #[arg(value_name = "DIR", value_parser = host::local_path())]
    to: PathBuf,
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        // The owner makes the copy, and its working directory may be another.
        let to = absolute(&self.to)
            .map_err(|error| host::failed("find the directory", &self.to, error))?;
        context.upkeep_client()?.backup(&to)?;
        context.output.changed(
            &serde_json::json!({ "backup": to }),
            format_args!(
                "backed up to {0}; `homefs restore-store {0}` brings it back",
                to.display()
            ),
        )
    }
}
