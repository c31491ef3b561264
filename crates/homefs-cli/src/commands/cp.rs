//! `homefs cp`.

use std::path::{Path as HostPath, PathBuf};

use homefs_core::{Error, ErrorKind, Path};
use homefs_view::Kind;

use crate::context::Context;
use crate::error::{Failure, Result};
use crate::transfer::{self, Modes};
use crate::{host, json};

/// Copy files, also from and to the host
///
/// Inside a store a copy shares the bytes. A host path is written host:./file; copies from and
/// to the host keep modes and times and are read back and compared.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// What to copy, such as notes/a.md or host:./a.md
    #[arg(value_parser = Endpoint::parse)]
    from: Endpoint,
    /// Where to, or the directory to copy it into
    #[arg(value_parser = Endpoint::parse)]
    to: Endpoint,
    /// Copy directories with everything in them
    #[arg(short, long)]
    recursive: bool,
    #[command(flatten)]
    modes: Modes,
}

/// A path here or there.
#[derive(Clone)]
enum Endpoint {
    Store(Path),
    Host(PathBuf),
}

impl Endpoint {
    fn parse(text: &str) -> homefs_core::Result<Self> {
        match text.strip_prefix("host:") {
            Some(path) if homefs_api::is_address(path) => {
                Err(Error::new(ErrorKind::Invalid, "it is an address, not a path of this host"))
            }
            Some(path) => Ok(Self::Host(path.into())),
            None => Path::parse(text).map(Self::Store),
        }
    }
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        self.modes.check(context)?;
        let (client, output) = (context.client()?, &context.output);
        match (self.from, self.to) {
            (Endpoint::Store(from), Endpoint::Store(to)) => {
                let from = client.path_meant(&from)?;
                let to = client.into_directory(from.name(), to)?;
                let version =
                    client.copy(&from, &to, self.recursive).map_err(with_recursive_hint)?;
                let sentence = format!("copied {from} to {to}");
                output.changed(&json::changed(&to, version), sentence)
            }
            (Endpoint::Host(from), Endpoint::Store(to)) => {
                need_recursive(host::existing(&from)?.is_dir(), self.recursive, from.display())?;
                let name = from.file_name().and_then(|name| name.to_str());
                let to = client.into_directory(name, to)?;
                let all = context.who()?.all;
                let report = transfer::import(client, &from, &to, all, self.modes, output)?;
                report.finish(output, "copied")
            }
            (Endpoint::Store(from), Endpoint::Host(to)) => {
                let from = client.path_meant(&from)?;
                let is_directory = client.stat(&from)?.kind == Kind::Directory;
                need_recursive(is_directory, self.recursive, &from)?;
                let to = into_host_directory(from.name(), to)?;
                let report = transfer::export(client, &from, &to, self.modes, output)?;
                report.finish(output, "copied")
            }
            (Endpoint::Host(_), Endpoint::Host(_)) => {
                Err(Failure::new("one side of a copy must be in the store")
                    .hint("the system's own cp copies on the host"))
            }
        }
    }
}

fn into_host_directory(name: Option<&str>, to: PathBuf) -> homefs_core::Result<PathBuf> {
    let is_directory = host::metadata(&to)?.is_some() && HostPath::is_dir(&to);
    Ok(match name {
        Some(name) if is_directory => to.join(name),
        _ => to,
    })
}

fn need_recursive(is_directory: bool, recursive: bool, path: impl std::fmt::Display) -> Result<()> {
    if is_directory && !recursive {
        let error = Error::new(ErrorKind::IsADirectory, "is a directory");
        return Err(with_recursive_hint(error.with_path_text(path.to_string())));
    }
    Ok(())
}

fn with_recursive_hint(error: Error) -> Failure {
    let is_directory = error.kind() == ErrorKind::IsADirectory;
    let failure = Failure::from(error);
    if is_directory { failure.hint("-r copies whole directories") } else { failure }
}
