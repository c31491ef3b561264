//! `homefs status`.

use std::path::PathBuf;

use homefs_api::MountInfo;
use homefs_engine::Status;
use rustix::io::Errno;
use serde::{Serialize, Serializer};
use serde_json::json;

use crate::context::Context;
use crate::error::Result;
use crate::{text, time};

/// Show how the store is
#[derive(clap::Args)]
pub(crate) struct Args {}

/// Everything that is shown.
#[derive(Serialize)]
struct Shown {
    #[serde(flatten)]
    status: Status,
    #[serde(serialize_with = "mounts_json")]
    mounts: Vec<MountInfo>,
    stale_mounts: Vec<PathBuf>,
}

impl Args {
    #[expect(clippy::unused_self, reason = "every command runs by value of its arguments")]
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let client = context.upkeep_client()?;
        let (status, mounts) = (client.status()?, client.mounts()?);
        let shown = Shown { status, mounts, stale_mounts: stale_mounts()? };
        if context.output.json {
            return context.output.json(&shown);
        }
        text::columns(&rows(&shown), &[]).into_iter().try_for_each(|line| context.output.line(line))
    }
}

/// Lists where homefs is mounted on this host by an owner that died.
pub(super) fn stale_mounts() -> Result<Vec<PathBuf>> {
    let mut mounts = homefs_fuse::mounted()?;
    // This asks the owner, whatever the kernel still knows of the mount.
    mounts.retain(|dir| rustix::fs::statfs(dir).err() == Some(Errno::NOTCONN));
    Ok(mounts)
}

fn mounts_json<S: Serializer>(mounts: &[MountInfo], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(mounts.iter().map(|MountInfo { dir, agent, read_only, since }| {
        let since = time::rfc3339(*since);
        json!({ "dir": dir, "agent": agent, "read_only": read_only, "since": since })
    }))
}

fn rows(Shown { status, mounts, stale_mounts }: &Shown) -> Vec<Vec<String>> {
    let owner = if status.pid == std::process::id() {
        "this command".to_owned()
    } else {
        format!("process {}", status.pid)
    };
    let mut rows = vec![
        ("store", status.dir.clone()),
        ("owner", format!("{owner}, homefs {}", status.version)),
        ("format", status.format.to_string()),
        ("journal", text::size(status.journal_bytes)),
        ("not yet synced", text::size(status.unsynced_bytes)),
        ("not yet folded", text::size(status.unfolded_bytes)),
        ("in memory", text::size(status.memory_bytes)),
        ("in staging", text::size(status.staging_bytes)),
        ("spaces open", status.spaces_open.to_string()),
        ("disk free", text::size(status.disk_free_bytes)),
        ("sync", "no remote attached".to_owned()),
    ];
    for MountInfo { dir, agent, read_only, since } in mounts {
        let (dir, since) = (dir.display(), time::local(*since));
        let changes = if *read_only { ", read-only" } else { "" };
        rows.push(("mount", format!("{dir} as {agent}{changes}, since {since}")));
    }
    for dir in stale_mounts {
        let dir = dir.display();
        rows.push(("dead mount", format!("{dir}; `homefs unmount {dir}` takes it away")));
    }
    if let Some(why) = &status.poisoned {
        rows.push(("read-only", why.clone()));
    }
    if let Some(why) = &status.fold_failure {
        rows.push(("folding fails", why.clone()));
    }
    for (space, why) in &status.failed_spaces {
        rows.push(("failed space", format!("{space}: {why}")));
    }
    rows.into_iter().map(|(key, value)| vec![key.to_owned(), value]).collect()
}
