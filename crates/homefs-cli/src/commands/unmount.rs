//! `homefs unmount`.

use std::path::PathBuf;

use homefs_core::{Error, ErrorKind};
use serde_json::json;

use crate::context::Context;
use crate::error::{Failure, Result};
use crate::host;

/// Take a mount away
///
/// Returns when nothing uses the mount any more and its store is free.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Where it is mounted
    #[arg(value_parser = host::local_path())]
    dir: PathBuf,
    /// Detach it at once; programs that use it go on until they close it
    #[arg(long)]
    lazy: bool,
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let dir = homefs_api::resolve_mount_dir(&self.dir)?;
        let shown = dir.display();
        let stale = homefs_fuse::mend_stale(&dir)?;
        if !stale {
            if !homefs_fuse::mounted()?.contains(&dir) {
                return Err(Failure::no(format!("homefs is not mounted at {shown}"))
                    .hint("`homefs status` shows what is mounted where"));
            }
            unmount(context, &dir, self.lazy).map_err(|error| advise(error, &dir))?;
        }
        let what = if stale { "the dead mount" } else { "the mount" };
        let value = json!({ "dir": dir, "stale": stale });
        context.output.changed(&value, format_args!("took {what} at {shown} away"))
    }
}

/// Asks the owner if it serves the mount; else the host takes it away.
fn unmount(context: &Context, dir: &std::path::Path, lazy: bool) -> homefs_core::Result<()> {
    // Looking for an owner must not make a store, and a store that does not open is no reason to
    // leave a mount.
    let there = context.settings().is_ok_and(|settings| settings.store.is_dir());
    let client = there.then(|| context.upkeep_client().ok()).flatten();
    let Some(client) = client else { return homefs_fuse::unmount(dir, lazy) };
    match client.unmount(dir, lazy) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return homefs_fuse::unmount(dir, lazy);
        }
        Err(error) => return Err(error),
    }
    if !lazy && client.mounts()?.is_empty() {
        // The owner ends now, or has no reason to stay the owner: when this returns, the store is
        // free. If another mount was faster, it is not this one's matter.
        client.take_over().ok();
    }
    Ok(())
}

fn advise(error: Error, dir: &std::path::Path) -> Failure {
    let busy = error.kind() == ErrorKind::Unavailable;
    let mut failure = Failure::from(error);
    if busy {
        failure.hints = vec![
            format!("`fuser -vm {}` shows which programs use it", dir.display()),
            "--lazy detaches it at once; they go on until they close it".to_owned(),
        ];
    }
    failure
}
