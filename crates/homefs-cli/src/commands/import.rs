//! `homefs import`.

use std::path::PathBuf;

use homefs_core::{Error, ErrorKind, Path};

use crate::context::Context;
use crate::error::Result;
use crate::host;
use crate::memories::{self, Format};
use crate::transfer::{self, Modes};

/// Copy a directory of the host into the store, or memories that another system kept
///
/// Modes, times and links are kept and every copy is read back and compared. Repeating an
/// interrupted import goes on where it stopped. What cannot be imported is named at the end.
///
/// With --memories it takes a folder of Markdown, a MEMORY.md or CLAUDE.md, or an export of mem0
/// or AVM or any JSON with texts. Titles, tags, importance and times become metadata. Repeating it
/// changes what has changed at its origin and doubles nothing.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The directory on the host, or with --memories a file
    #[arg(value_name = "DIR", value_parser = host::local_path())]
    from: PathBuf,
    /// Where to put what is in it; / if not given, or /memories with --memories
    #[arg(value_parser = Path::parse, value_name = "PATH")]
    to: Option<Path>,
    /// Take memories rather than files
    #[arg(long)]
    memories: bool,
    /// What the memories are kept in
    #[arg(long, value_enum, default_value_t = Format::Auto, requires = "memories")]
    format: Format,
    /// Make a memory of each `##` section of a Markdown file
    #[arg(long, requires = "memories")]
    split: bool,
    /// Only tell what would be imported
    #[arg(long, requires = "memories")]
    dry_run: bool,
    #[command(flatten)]
    modes: Modes,
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        self.modes.check(context)?;
        let mut from = self.from;
        if host::existing(&from)?.is_symlink() {
            from = host::follow(&from)?;
        }
        if self.memories {
            let to = self.to.map_or_else(|| Path::parse("/memories"), Ok)?;
            let found = memories::find(&from, self.format, self.split)?;
            return found.keep(context.client()?, &to, self.dry_run, &context.output);
        }
        if !from.is_dir() {
            return Err(Error::new(ErrorKind::NotADirectory, "not a directory on the host")
                .with_path_text(from.display().to_string())
                .into());
        }
        let to = self.to.unwrap_or_else(Path::root);
        let (client, all) = (context.client()?, context.who()?.all);
        let report = transfer::import(client, &from, &to, all, self.modes, &context.output)?;
        // What an import reports as done shall not be lost to a power cut a moment later.
        client.barrier()?;
        report.finish(&context.output, "imported")
    }
}
