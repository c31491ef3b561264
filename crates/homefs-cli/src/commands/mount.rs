//! `homefs mount`.
//!
//! In the background the command is run once more as a child that serves the mount. What the
//! child prints before it answers is the parent's output, and its exit code the parent's.

mod background;
mod unit;

use std::ffi::OsString;
use std::io;
use std::path::{Path as HostPath, PathBuf};
use std::sync::mpsc;
use std::thread;

use homefs_api::{Client, MountOptions, RemoteConfig, RemoteInfo};
use homefs_core::{Error, ErrorKind};
use serde_json::json;

use super::remote::Manner;
use super::take_up::{check_new, take_up};
use crate::context::Context;
use crate::error::{Failure, Result};
use crate::signals::Signals;
use crate::{host, logging, text};

/// Mount the home as a directory that every program can use
///
/// The directory is made if it is missing and must be empty. The mount stays until
/// `homefs unmount`.
///
/// With the address of a remote, a store that is new takes that remote up first, as
/// `homefs clone` does; one that has it is mounted as it is.
#[derive(clap::Args)]
#[command(override_usage = "homefs mount [OPTIONS] [ADDRESS] <DIR>")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct Args {
    /// Where to mount, or first the remote that the store has or takes up: `s3://bucket/prefix`,
    /// `gs://…`, `az://…` or `file:///dir`
    #[arg(value_name = "ADDRESS|DIR")]
    first: OsString,
    /// Where to mount, if a remote is named before
    // It is there if an address is, which the arguments about a remote need.
    #[arg(id = "address", value_name = "DIR", conflicts_with = "print_unit",
        value_parser = host::local_path())]
    second: Option<PathBuf>,
    /// Where to mount.
    #[arg(skip)]
    dir: PathBuf,
    #[command(flatten)]
    manner: Manner,
    /// Return once the mount answers (the default)
    #[arg(long, conflicts_with = "foreground")]
    daemon: bool,
    /// Stay until the mount ends; Ctrl-C ends it
    #[arg(long)]
    foreground: bool,
    /// Allow no changes through the mount
    #[arg(long)]
    read_only: bool,
    /// Let other users of this host in, as far as permission bits allow
    #[arg(long)]
    allow_other: bool,
    /// Keep and honour setuid, setgid and sticky bits and devices; needs --operator
    ///
    /// Without it a mount is `nosuid,nodev`, shows none of these bits and takes none. Only root
    /// can mount so that they have an effect.
    #[arg(long)]
    special: bool,
    /// Tell what goes on in this file; in the background it is mount.log in the store
    #[arg(long, value_name = "FILE", value_parser = host::local_path())]
    log: Option<PathBuf>,
    /// Print a systemd user unit that mounts here, and end
    #[arg(long)]
    print_unit: bool,
    /// Serve the mount in the background, as the child of this command
    #[arg(long, hide = true, conflicts_with = "foreground")]
    detached: bool,
}

/// The file that tells what a mount in the background does.
const LOG: &str = "mount.log";
/// Where the host says whether users may let others in.
const HOST_SETTINGS: &str = "/etc/fuse.conf";

impl Args {
    pub(crate) fn run(mut self, context: &Context) -> Result<()> {
        let address = self.places()?;
        if self.print_unit {
            return unit::print(&self, context);
        }
        // The parent has done it before it started a child.
        if let Some(address) = address
            && !self.detached
        {
            let config = std::mem::take(&mut self.manner).config(address);
            let apart = context.apart();
            let taken = take_up_once(&apart, &config);
            apart.close().and(taken)?;
        }
        if self.foreground || self.detached {
            return self.serve(context);
        }
        background::start(context)
    }

    /// Tells the directory from the address before it, and returns the latter.
    fn places(&mut self) -> Result<Option<String>> {
        let first = self.first.to_string_lossy().into_owned();
        if let Some(dir) = self.second.take() {
            self.dir = dir;
            return Ok(Some(first));
        }
        if homefs_api::is_address(&first) {
            return Err(Failure::new(format!(
                "{first}: it is an address; where shall it be mounted?"
            ))
            .hint("name the directory too: homefs mount ADDRESS DIR"));
        }
        self.dir = PathBuf::from(&self.first);
        Ok(None)
    }

    /// Mounts, and stays as long as this process has to.
    fn serve(&self, context: &Context) -> Result<()> {
        if self.detached {
            background::leave_terminal()?;
        }
        // Before the store starts its threads, which must not take the signals either.
        let signals = Signals::hold_back()?;
        self.check_allow_other()?;
        let client = context.client()?;
        self.start_log(context)?;
        let Self { read_only, allow_other, special, .. } = *self;
        let options = MountOptions { read_only, allow_other, special };
        client.mount(&self.dir, &options).map_err(advise)?;
        self.announce(context)?;
        if self.detached {
            if client.view_here().is_none() {
                // The owner serves it.
                return Ok(());
            }
            background::leave_output(&self.log_file(context)?)?;
        }
        stay(client, &self.dir, signals)
    }

    fn check_allow_other(&self) -> Result<()> {
        if !self.allow_other || rustix::process::geteuid().is_root() {
            return Ok(());
        }
        let settings = host::read_text(HostPath::new(HOST_SETTINGS)).unwrap_or_default();
        if settings.lines().any(|line| line.trim() == "user_allow_other") {
            return Ok(());
        }
        Err(Failure::new("this host does not let users share a mount")
            .hint(format!("as root, add the line user_allow_other to {HOST_SETTINGS}")))
    }

    fn log_file(&self, context: &Context) -> Result<PathBuf> {
        Ok(match &self.log {
            Some(log) => log.clone(),
            // Where nothing can be written there is nothing to be told but what was asked for.
            None if context.client()?.is_read_only() => "/dev/null".into(),
            None => context.settings()?.store.join(LOG),
        })
    }

    fn start_log(&self, context: &Context) -> Result<()> {
        if self.detached || self.log.is_some() {
            let file = self.log_file(context)?;
            let length = host::metadata(&file)?.map_or(0, |metadata| metadata.len());
            if length > logging::BYTES_MAX {
                host::rename(&file, &file.with_added_extension("old"))?;
            }
            logging::start(host::append(&file)?);
        } else {
            logging::start(io::stderr());
        }
        Ok(())
    }

    fn announce(&self, context: &Context) -> Result<()> {
        let dir = homefs_api::resolve_mount_dir(&self.dir)?;
        let (agent, output) = (&context.settings()?.agent, &context.output);
        tracing::info!(?dir, %agent, "mounted");
        if output.json {
            output.json(&json!({ "dir": dir, "agent": agent, "read_only": self.read_only }))?;
        } else {
            let dir = text::printable(&dir.to_string_lossy());
            output.line(format_args!("mounted {dir} as {agent}"))?;
        }
        output.flush()
    }
}

/// Makes sure that the store has the remote: a new store takes it up, one that has it is left as it
/// is, and any other is refused, so that nothing of it goes where nobody meant it to go.
fn take_up_once(context: &Context, config: &RemoteConfig) -> Result<()> {
    config.check()?;
    homefs_fuse::check_available()?;
    let store = &context.settings()?.store;
    if host::metadata(&store.join("format"))?.is_some()
        && let Some(RemoteInfo { config: Some(here), .. }) = context.upkeep_client()?.remote()?
    {
        if here.is_same_remote(config) {
            return Ok(());
        }
        let (address, store, other) = (&config.address, store.display(), here.address);
        return Err(Failure::new(format!(
            "{address}: the store {store} has another remote, {other}"
        ))
        .hint("--store names another store; it is made if it is missing"));
    }
    check_new(context)?;
    if take_up(context, config, true)?.is_empty() {
        let address = &config.address;
        context.output.say(format_args!("{address}: nothing was there yet; it begins with this"));
    }
    Ok(())
}

fn advise(error: Error) -> Failure {
    let hint = match error.kind() {
        ErrorKind::NotEmpty => "name an empty or a new directory",
        ErrorKind::AlreadyExists => "`homefs status` shows what is mounted where",
        _ => return error.into(),
    };
    Failure { hints: vec![hint.to_owned()], code: 2, ..error.into() }
}

/// Why a mount ends.
enum End {
    /// A signal asked for it.
    Asked(Result<(), Error>),
    /// It was unmounted.
    Unmounted(Result<(), Error>),
}

/// Waits for the end of the mount, and brings it about when a signal asks for it.
fn stay(client: &Client, dir: &HostPath, signals: Signals) -> Result<()> {
    let (ends, end) = mpsc::channel();
    let (asked, unmounted) = (ends.clone(), ends);
    spawn("homefs-signals", move || drop(asked.send(End::Asked(signals.wait()))))?;
    let (waiting, place) = (client.clone(), dir.to_owned());
    spawn("homefs-wait", move || {
        drop(unmounted.send(End::Unmounted(waiting.wait_for_unmount(&place))));
    })?;
    match end.recv().expect("both threads say how they end") {
        End::Asked(asked) => {
            asked?;
            // Whoever asks twice does not want to wait.
            signals.release()?;
            tracing::info!("asked to end");
            if client.view_here().is_none() {
                client.unmount(dir, false).or_else(|_| client.unmount(dir, true))?;
            }
            // An owner unmounts when it closes the store.
            Ok(())
        }
        End::Unmounted(unmounted) => {
            unmounted?;
            tracing::info!("unmounted");
            if homefs_fuse::mend_stale(&homefs_api::resolve_mount_dir(dir)?)? {
                return Err(Failure::new("the process that served the mount died")
                    .hint("mount it again; nothing that was written is lost"));
            }
            Ok(())
        }
    }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<()> {
    let thread = thread::Builder::new().name(name.into()).spawn(work);
    thread.map_err(|error| Error::io("start a thread", error))?;
    Ok(())
}
