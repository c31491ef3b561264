//! `homefs import`.

use std::path::PathBuf;

use homefs_core::{Error, ErrorKind, Path};

use crate::context::Context;
use crate::error::Result;
use crate::{host, transfer};

/// Copy a directory of the host into the store
///
/// Modes, times and links are kept and every copy is read back and compared. Repeating an
/// interrupted import goes on where it stopped. What cannot be imported is named at the end.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The directory on the host
    #[arg(value_name = "DIR")]
    from: PathBuf,
    /// Where to put what is in it
    #[arg(value_parser = Path::parse, default_value = "/", value_name = "PATH")]
    to: Path,
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let mut from = self.from;
        if host::existing(&from)?.is_symlink() {
            from = host::follow(&from)?;
        }
        if !from.is_dir() {
            return Err(Error::new(ErrorKind::NotADirectory, "not a directory on the host")
                .with_path_text(from.display().to_string())
                .into());
        }
        let (client, all) = (context.client()?, context.who()?.all);
        let report = transfer::import(client, &from, &self.to, all, &context.output)?;
        // What an import reports as done shall not be lost to a power cut a moment later.
        client.barrier()?;
        report.finish(&context.output, "imported")
    }
}
