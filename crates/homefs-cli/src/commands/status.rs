//! `homefs status`.

use std::path::PathBuf;

use homefs_api::RemoteInfo;
use homefs_core::Timestamp;
use homefs_view::{
    Attachment, Freeable, IndexStatus, Load, Mount, RemoteStatus, SpaceSync, Status,
};
use serde_json::{Value, json};

use super::remote;
use crate::context::Context;
use crate::error::Result;
use crate::{json, text, time};

/// Show how the store is
#[derive(clap::Args)]
pub(crate) struct Args {}

/// Everything that is shown.
struct StatusReport {
    status: Status,
    abandoned_scripts: usize,
    remote: Option<RemoteInfo>,
    /// Those that do not answer.
    sources: Vec<Attachment>,
    mounts: Vec<Mount>,
    stale_mounts: Vec<PathBuf>,
}

impl Args {
    #[expect(clippy::unused_self, reason = "every command runs by value of its arguments")]
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let client = context.upkeep_client()?;
        let (status, remote, mounts) = (client.status()?, client.remote()?, client.mounts()?);
        let abandoned_scripts = client.abandoned_scripts()?;
        let stale_mounts = homefs_fuse::stale()?;
        let mut sources = client.sources()?;
        sources.retain(|source| source.trouble.is_some());
        let shown =
            StatusReport { status, abandoned_scripts, remote, sources, mounts, stale_mounts };
        if context.output.json {
            return context.output.json(&whole(&shown));
        }
        text::columns(&rows(&shown), &[]).into_iter().try_for_each(|line| context.output.line(line))
    }
}

/// Everything as JSON.
fn whole(shown: &StatusReport) -> Value {
    let StatusReport { status, abandoned_scripts, remote, sources, mounts, stale_mounts } = shown;
    let mut value =
        json!(json::status(status.clone(), remote.as_ref(), mounts.clone(), *abandoned_scripts));
    value["stale_mounts"] = json!(stale_mounts);
    value["sources_in_trouble"] = json!(sources);
    value
}

fn load_rows(load: &Load) -> [(&'static str, String); 6] {
    [
        ("journal", text::size(load.journal_bytes)),
        ("not yet synced", text::size(load.unsynced_bytes)),
        ("not yet folded", text::size(load.unfolded_bytes)),
        ("in memory", text::size(load.memory_bytes)),
        ("in staging", text::size(load.staging_bytes)),
        ("spaces open", load.spaces_open.to_string()),
    ]
}

fn rows(shown: &StatusReport) -> Vec<Vec<String>> {
    let StatusReport { status, abandoned_scripts, remote, sources, mounts, stale_mounts } = shown;
    let owner = if status.pid == std::process::id() {
        "this command".to_owned()
    } else {
        format!("process {}", status.pid)
    };
    let mut rows = vec![
        ("store", status.dir.clone()),
        ("owner", format!("{owner}, homefs {}", status.version)),
        ("format", status.format.to_string()),
    ];
    rows.extend(status.load.iter().flat_map(load_rows));
    rows.extend([
        ("disk free", text::size(status.disk_free_bytes)),
        ("remote", remote.as_ref().map_or_else(|| "none".to_owned(), remote::describe)),
    ]);
    let standing = status.remote.as_ref().and_then(|remote| remote.status.as_ref());
    rows.extend(standing.into_iter().flat_map(|status| remote_rows(status, time::now())));
    rows.extend(status.indexes.iter().map(|index| ("index", indexed(index))));
    if let Some(why) = &status.embedder_failure {
        rows.push(("embedder fails", format!("{why}; searches go by words until it works")));
    }
    for source in sources {
        let (path, why) = (&source.path, source.trouble.as_deref().unwrap_or_default());
        rows.push(("source away", format!("{path}: {}", text::printable(why))));
    }
    for Mount { dir, agent, read_only, since } in mounts {
        let since = time::local(*since);
        let changes = if *read_only { ", read-only" } else { "" };
        rows.push(("mount", format!("{dir} as {agent}{changes}, since {since}")));
    }
    for dir in stale_mounts {
        let dir = dir.display();
        rows.push(("dead mount", format!("{dir}; `homefs unmount {dir}` takes it away")));
    }
    if *abandoned_scripts > 0 {
        rows.push(("scripts given up", format!("{abandoned_scripts} of the owner still run")));
    }
    if let Some(why) = &status.poisoned {
        rows.push(("read-only", why.clone()));
    }
    if let Some(freeable) = &status.disk_full {
        rows.push(("disk full", full(freeable)));
    }
    if let Some(why) = &status.fold_failure {
        rows.push(("folding fails", why.clone()));
    }
    for (space, why) in &status.failed_spaces {
        rows.push(("failed space", format!("{space}: {why}")));
    }
    rows.into_iter().map(|(key, value)| vec![key.to_owned(), value]).collect()
}

/// Tells what can be done where the disk is full.
fn full(freeable: &Freeable) -> String {
    let Freeable { trash_bytes, history_bytes } = freeable;
    format!(
        "`homefs trash empty` frees up to {}, `homefs purge PATH` what is there; older versions \
         hold up to {} (history_versions_max, history_days_max)",
        text::size(*trash_bytes),
        text::size(*history_bytes)
    )
}

/// Tells how far an index is, with a bar while docs wait for their vectors.
fn indexed(index: &IndexStatus) -> String {
    let IndexStatus { space, files, docs, waiting, embedder, file_bytes, .. } = index;
    let (files, size) = (text::count(*files, "file"), text::size(*file_bytes));
    let docs_all = text::count(*docs, "doc");
    let whole = format!("{space}: {files}, {docs_all}, {size}, vectors by {embedder}");
    if *waiting == 0 {
        return whole;
    }
    let filled = docs.saturating_sub(*waiting) * 20 / (*docs).max(1);
    let bar: String = (0..20).map(|step| if step < filled { '#' } else { '.' }).collect();
    format!("{whole} [{bar}] {waiting} to come")
}

fn remote_rows(status: &RemoteStatus, now: Timestamp) -> Vec<(&'static str, String)> {
    let requests = status.requests.unwrap_or_default();
    let size = |bytes: Option<u64>| text::size(bytes.unwrap_or_default());
    let (sent, received) = (size(status.sent_bytes), size(status.received_bytes));
    let (requests, failed) = (requests.count(), requests.failures);
    let asked = format!("{requests}, {failed} failed; {sent} sent, {received} received");
    let mut rows = vec![("requests", asked)];
    for space in &status.spaces {
        rows.push(("sync", format!("{}: {}", space.space, standing(space, now))));
        for path in &space.withheld {
            let why = "its content is damaged, and nowhere else; write it again, or remove it";
            rows.push(("not pushed", format!("{}{path}: {why}", space.space)));
        }
        for path in &space.missing {
            let why = "the remote names a newer content and does not have it, so this machine \
                       keeps what it has; `homefs fsck --repair` where the newer one is sends it \
                       again, and so does writing the file";
            rows.push(("not pulled", format!("{}{path}: {why}", space.space)));
        }
        if let Some(why) = &space.failure {
            let retry = space.retry_at.map_or_else(String::new, |at| {
                format!("; next try in {} s", at.since(now).as_secs())
            });
            rows.push(("sync fails", format!("{}: {why}{retry}", space.space)));
        }
    }
    rows
}

/// Returns how far a space and its remote agree.
fn standing(space: &SpaceSync, now: Timestamp) -> String {
    let mut parts = vec![format!("commit {}", space.commit)];
    if let Some(agreed) = space.agreed {
        parts.push(format!("agreed {}", text::age(now, agreed)));
    }
    if space.ahead > 0 {
        let since = space.waiting_since.map_or_else(String::new, |since| {
            format!(", the oldest made {}", text::age(now, since))
        });
        parts.push(format!("{} to push{since}", text::count(space.ahead, "change")));
    }
    if space.copies_due > 0 {
        let copies = space.copies_due;
        parts.push(format!("{copies} of the readable copies to write"));
    }
    if space.conflicts > 0 {
        parts.push(text::count(space.conflicts, "conflict"));
    }
    parts.join(", ")
}
