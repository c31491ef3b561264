//! `homefs restore-store`.

use std::path::PathBuf;

use homefs_view::Components;

use crate::context::Context;
use crate::error::{Failure, Result};
use crate::host;

/// Make a store from a backup, in the directory that --store names
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The directory of the backup
    #[arg(value_name = "DIR", value_parser = host::local_path())]
    backup: PathBuf,
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let store = &context.settings()?.store;
        homefs_view::restore_store(&self.backup, store, &Components::host()).map_err(|error| {
            Failure::from(error).hint("--store names a new or empty directory to restore into")
        })?;
        context.output.changed(
            &serde_json::json!({ "store": store }),
            format_args!("restored the store to {}", store.display()),
        )
    }
}
