//! `homefs gen-docs`, for those who work on homefs.

use std::path::PathBuf;

use clap::CommandFactory;
use homefs_core::Error;

use crate::cli::Cli;
use crate::context::Context;
use crate::error::Result;
use crate::{docs, host};

/// Write the reference of commands, faces and settings, and man pages on request
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Where to write cli.md, faces.md and settings.md
    #[arg(value_parser = host::local_path())]
    dir: PathBuf,
    /// Write man pages into this directory too
    #[arg(long, value_name = "DIR", value_parser = host::local_path())]
    man: Option<PathBuf>,
}

impl Args {
    pub(crate) fn run(self, _context: &Context) -> Result<()> {
        host::make_dirs(&self.dir)?;
        host::write(&self.dir.join("cli.md"), docs::commands(Cli::command()).as_bytes())?;
        host::write(&self.dir.join("faces.md"), docs::faces().as_bytes())?;
        host::write(&self.dir.join("settings.md"), docs::settings().as_bytes())?;
        if let Some(man) = self.man {
            host::make_dirs(&man)?;
            clap_mangen::generate_to(Cli::command(), &man)
                .map_err(|error| Error::io("write the man pages", error))?;
        }
        Ok(())
    }
}
