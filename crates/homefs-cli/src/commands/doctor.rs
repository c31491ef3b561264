//! `homefs doctor`.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::path::Path as HostPath;

use homefs_api::{RemoteConfig, look_at_remote};
use homefs_core::{Disk, HostDisk, SpaceName};
use homefs_view::Status;
use rustix::fs::Access;
use serde::Serialize;

use super::remote;
use crate::context::Context;
use crate::error::{Failure, Result};
use crate::output::Style;
use crate::{host, text};

/// Tell what is wrong with settings and store and how to mend it
///
/// Exits with 1 if something is wrong.
#[derive(clap::Args)]
pub(crate) struct Args {}

/// How one thing is.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    Ok,
    Warn,
    Bad,
}

/// One thing that was looked at.
#[derive(Serialize)]
struct Check {
    what: &'static str,
    state: Verdict,
    detail: String,
    mend: Option<String>,
}

fn check(
    state: Verdict,
    what: &'static str,
    detail: impl Into<String>,
    mend: impl Into<String>,
) -> Check {
    let mend = Some(mend.into()).filter(|mend| !mend.is_empty());
    Check { what, state, detail: detail.into(), mend }
}

/// Below this a busy store soon finds the disk full.
const FREE_BYTES_LOW: u64 = 1 << 30;
/// Below this not even one more journal segment is sure to fit.
const FREE_BYTES_OUT: u64 = 64 << 20;

impl Args {
    #[expect(clippy::unused_self, reason = "every command runs by value of its arguments")]
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let checks = checks(context);
        let output = &context.output;
        if output.json {
            output.json(&checks)?;
        } else {
            for check in &checks {
                let (style, word) = match check.state {
                    Verdict::Ok => (Style::Green, "ok  "),
                    Verdict::Warn => (Style::Yellow, "warn"),
                    Verdict::Bad => (Style::Red, "bad "),
                };
                let word = output.paint(style, word);
                output.line(format_args!("{word}  {:<9}  {}", check.what, check.detail))?;
                if let Some(mend) = &check.mend {
                    output.line(format_args!("                 to mend it: {mend}"))?;
                }
            }
        }
        match checks.iter().filter(|check| check.state == Verdict::Bad).count() as u64 {
            0 => Ok(()),
            bad => Err(Failure::no(text::count(bad, "problem"))),
        }
    }
}

/// Looks at everything, from the outside in; what rests on a bad thing is not looked at.
fn checks(context: &Context) -> Vec<Check> {
    let settings = match context.settings() {
        Ok(settings) => settings,
        Err(failure) => return vec![bad("settings", &failure)],
    };
    let read = match &settings.file {
        Some(file) if file.exists() => format!("read from {}", file.display()),
        Some(file) => format!("all default, there is no {}", file.display()),
        None => "all default, nothing says where a config file is".into(),
    };
    let mut checks = vec![check(Verdict::Ok, "settings", read, "")];
    if let Some(server) = settings.embedder.in_the_open() {
        checks.push(check(Verdict::Warn, "embedder", remote::listeners(server), ""));
    }
    checks.extend(mounts());
    let dir = &settings.store;
    match host::metadata(dir) {
        Ok(Some(_)) if dir.is_dir() => checks.push(directory(dir)),
        Ok(Some(_)) => {
            let detail = format!("{} is not a directory", dir.display());
            let mend = "move it away, or name another directory with --store";
            checks.push(check(Verdict::Bad, "directory", detail, mend));
            return checks;
        }
        Ok(None) => {
            let detail = format!("{} does not exist yet", dir.display());
            checks.push(check(Verdict::Warn, "directory", detail, "the first write makes it"));
            return checks;
        }
        Err(error) => {
            let mend = "name another directory with --store";
            checks.push(check(Verdict::Bad, "directory", Failure::from(error).told(), mend));
            return checks;
        }
    }
    checks.extend(space(dir));
    checks.extend(socket(dir));
    match context.upkeep_client().and_then(|client| Ok(client.status()?)) {
        Ok(status) => {
            checks.push(privacy(dir));
            checks.extend(store(&status));
            checks.extend(remotes(context, &status));
        }
        Err(failure) => checks.push(bad("store", &failure)),
    }
    checks
}

fn bad(what: &'static str, failure: &Failure) -> Check {
    let mend = failure.hints.first().cloned().unwrap_or_default();
    check(Verdict::Bad, what, failure.told(), mend)
}

/// Looks whether this host can mount, and for mounts whose owner died.
fn mounts() -> Vec<Check> {
    let mut checks = vec![match homefs_fuse::check_available() {
        Ok(()) => check(Verdict::Ok, "mount", "this host can mount", ""),
        Err(error) => check(Verdict::Warn, "mount", Failure::from(error).told(), ""),
    }];
    for dir in homefs_fuse::stale().unwrap_or_default() {
        let detail = format!("the owner of the mount at {} died", dir.display());
        let mend = format!("mount it again, or `homefs unmount {}`", dir.display());
        checks.push(check(Verdict::Warn, "mount", detail, mend));
    }
    checks
}

fn directory(dir: &HostPath) -> Check {
    let shown = dir.display();
    match rustix::fs::access(dir, Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK) {
        Ok(()) => check(Verdict::Ok, "directory", format!("{shown} can be written"), ""),
        Err(error) => {
            let mend = format!("chown or chmod u+rwx {shown}, or mount it for writing");
            check(Verdict::Bad, "directory", format!("{shown} cannot be written: {error}"), mend)
        }
    }
}

/// Looks who else can get into the store, which opening it takes from them.
fn privacy(dir: &HostPath) -> Check {
    let shown = dir.display();
    match dir.metadata() {
        Ok(metadata) if metadata.mode() & 0o077 != 0 => {
            let mend = format!("chmod -R go= {shown}, or choose a disk that keeps modes");
            let detail = format!("other users can get into {shown}");
            check(Verdict::Bad, "privacy", detail, mend)
        }
        _ => check(Verdict::Ok, "privacy", format!("{shown} is for you alone"), ""),
    }
}

fn space(dir: &HostPath) -> Option<Check> {
    let (free, _) = HostDisk.space_bytes(dir).ok()?;
    let detail = format!("{} free", text::size(free));
    let mend = "make room; `homefs purge` erases what is no longer needed";
    Some(match free {
        0..FREE_BYTES_OUT => check(Verdict::Bad, "disk", detail, mend),
        FREE_BYTES_OUT..FREE_BYTES_LOW => check(Verdict::Warn, "disk", detail, mend),
        _ => check(Verdict::Ok, "disk", detail, ""),
    })
}

/// Looks for the socket of an owner that died; asked before this process may become the owner.
fn socket(dir: &HostPath) -> Option<Check> {
    let refused = UnixStream::connect(dir.join("socket")).err()?;
    (refused.kind() == io::ErrorKind::ConnectionRefused).then(|| {
        let detail = "the last owner died and left its socket; the next one replaces it";
        check(Verdict::Ok, "socket", detail, "")
    })
}

fn store(status: &Status) -> Vec<Check> {
    let owner = if status.pid == std::process::id() {
        "no other process has it open".to_owned()
    } else {
        format!("process {} has it open and answers", status.pid)
    };
    let detail = format!("opens, format {}; {owner}", status.format);
    let mut checks = vec![check(Verdict::Ok, "store", detail, "")];
    if let Some(why) = &status.poisoned {
        let mend = "look at the disk, then end the owner; the next one reads what is safe";
        checks.push(check(Verdict::Bad, "journal", format!("read-only: {why}"), mend));
    }
    if let Some(why) = &status.fold_failure {
        let detail = format!("changes stay in the journal: {why}");
        checks.push(check(Verdict::Bad, "folding", detail, "it is tried again; look at the disk"));
    }
    for (name, why) in &status.failed_spaces {
        let detail = format!("{name} is read-only: {why}");
        checks.push(check(Verdict::Bad, "space", detail, "`homefs fsck --repair`"));
    }
    checks
}

/// Looks whether the remote is used, and whether that succeeds.
fn remotes(context: &Context, status: &Status) -> Vec<Check> {
    let Ok(Some(info)) = context.upkeep_client().and_then(|client| Ok(client.remote()?)) else {
        return Vec::new();
    };
    let shown = remote::describe(&info);
    if info.unused.is_some() {
        let mend = "`homefs remote rm --force` forgets it, `homefs remote add` attaches it again";
        return vec![check(Verdict::Warn, "remote", shown, mend)];
    }
    let mut checks = vec![check(Verdict::Ok, "remote", shown, "")];
    if let Some(config) = &info.config {
        if let Some(server) = config.in_the_open() {
            checks.push(check(Verdict::Warn, "remote", remote::listeners(&server), ""));
        }
        checks.extend(places(config));
    }
    let standing = status.remote.as_ref().and_then(|remote| remote.status.as_ref());
    for space in standing.into_iter().flat_map(|standing| &standing.spaces) {
        if let Some(why) = &space.failure {
            let detail = format!("{} is not in step: {why}", space.space);
            checks.push(check(Verdict::Warn, "remote", detail, "it is tried again by itself"));
        }
    }
    checks
}

/// Looks whether the remote answers, and for spaces there whose HEAD is gone.
fn places(config: &RemoteConfig) -> Vec<Check> {
    let contents = match look_at_remote(config) {
        Ok(contents) => contents,
        Err(error) => {
            let failure = remote::with_hints(error, Vec::new());
            let mend = failure.hints.first().cloned().unwrap_or_default();
            return vec![check(Verdict::Warn, "remote", failure.told(), mend)];
        }
    };
    let lost = |space: &SpaceName| {
        let address = &config.address;
        let detail = format!("{address}: {space} has commits, but its .homefs/HEAD is gone");
        let mend = "put HEAD back from the bucket's older versions if it keeps any; else \
                    `homefs remote rm` and `homefs remote add` send what is here again";
        check(Verdict::Bad, "remote", detail, mend)
    };
    contents.places.headless.iter().map(lost).collect()
}
