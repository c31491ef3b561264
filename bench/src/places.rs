//! The three directories that the mount is measured in: one of the disk, one on the floor, one in
//! homefs. Both mounts are served by processes of their own.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use homefs_api::{Client, ClientOptions};
use rustix::fs::{IFlags, ioctl_getflags, ioctl_setflags};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::bench::Bench;
use crate::compare::Rounds;
use crate::home::who;
use crate::{child, clock};

/// How long a scenario may take before its mounts count as hung.
const PATIENCE: Duration = Duration::from_mins(15);

/// The directories, mounted as long as this lives.
pub(crate) struct Places {
    // Fields are dropped in this order: nobody may use a mount when it goes, and the folder goes
    // when nothing is mounted in it.
    client: Client,
    _homefs: Mounted,
    _floor: Mounted,
    _watchdog: Sender<()>,
    folder: TempDir,
}

impl Places {
    /// Mounts what is to be measured; the named scenario has the floor as its second process.
    pub(crate) fn open(bench: &Bench, scenario: &str) -> Result<Self> {
        let folder = bench.folder()?;
        let dir = |name: &str| {
            let dir = folder.path().join(name);
            fs::create_dir(&dir).map(|()| dir)
        };
        spread(&dir("ext4")?)?;
        let floor = Mounted::floor(scenario, &dir("floor")?)?;
        let store = folder.path().join("store");
        let homefs = Mounted::homefs(&store, &dir("homefs")?)?;
        let watchdog = watch([&floor, &homefs].map(Mounted::end));
        let client = Client::open(ClientOptions::new(&store, who()))?;
        ensure!(client.view_here().is_none(), "the mount must own the store");
        Ok(Self { client, _homefs: homefs, _floor: floor, _watchdog: watchdog, folder })
    }

    /// Returns a folder of the disk that is not measured.
    pub(crate) fn aside(&self) -> &Path {
        self.folder.path()
    }

    /// Gives each place its turn.
    pub(crate) fn each<T>(&self, mut act: impl FnMut(&Path) -> Result<T>) -> Result<[T; 3]> {
        let [ext4, floor, homefs] =
            ["ext4", "floor", "homefs"].map(|name| self.folder.path().join(name));
        let acted = [act(&ext4)?, act(&floor)?, act(&homefs)?];
        self.wait_for_fold()?;
        Ok(acted)
    }

    /// Gives each place its turn, round by round; the round has a number.
    pub(crate) fn in_turn<T>(
        &self,
        bench: &Bench,
        mut act: impl FnMut(&Path, usize) -> Result<T>,
    ) -> Result<Rounds<T>> {
        let mut rounds = Rounds::default();
        for round in 0..bench.rounds() {
            rounds.push(self.each(|dir| act(dir, round))?);
        }
        Ok(rounds)
    }

    /// Waits until homefs has folded, so that it does not disturb the others.
    fn wait_for_fold(&self) -> Result<()> {
        clock::wait_until("the fold catches up", || {
            self.client
                .status()
                .is_ok_and(|status| status.load.is_some_and(|load| load.unfolded_bytes == 0))
        })
    }
}

/// A mount and the process that serves it.
struct Mounted {
    server: Child,
    /// What ends it, if the end of its input does not.
    unmount: Option<Command>,
    /// Where the kernel is told to give it up.
    abort: PathBuf,
}

/// How a mount that hangs is ended.
type End = (PathBuf, Pid);

impl Mounted {
    fn floor(scenario: &str, dir: &Path) -> Result<Self> {
        let (server, said) = child::start(scenario, &[word(dir)?])?;
        ensure!(said.trim() == "mounted", "the floor was not mounted: {said}");
        Ok(Self { server, unmount: None, abort: abort_file(dir)? })
    }

    fn homefs(store: &Path, dir: &Path) -> Result<Self> {
        let program = std::env::current_exe()?.with_file_name("homefs");
        ensure!(
            program.exists(),
            "there is no {}: build it with `cargo build --release --package homefs-cli`",
            program.display()
        );
        let (place, store, log) = (word(dir)?, word(store)?, store.with_extension("log"));
        let mut mount = Command::new(&program);
        mount.args(["mount", place, "--foreground", "--store", store, "--log", word(&log)?]);
        let mut server = mount.stdin(Stdio::null()).stdout(Stdio::null()).spawn()?;
        let mut unmount = Command::new(&program);
        unmount.args(["unmount", place, "--store", store, "--quiet"]).stdout(Stdio::null());
        clock::wait_until("homefs is mounted", || {
            is_mounted(dir) || !matches!(server.try_wait(), Ok(None))
        })?;
        ensure!(is_mounted(dir), "homefs was not mounted");
        Ok(Self { server, unmount: Some(unmount), abort: abort_file(dir)? })
    }

    fn end(&self) -> End {
        (self.abort.clone(), Pid::from_child(&self.server))
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        if let Some(unmount) = &mut self.unmount {
            drop(unmount.status());
        }
        // This ends the input of the process too. If it does not end, the watchdog helps.
        drop(self.server.wait());
    }
}

/// Ends mounts that hang, so that whoever waits for them gets an error. It watches until the sender
/// is dropped.
fn watch(ends: [End; 2]) -> Sender<()> {
    let (sender, ended) = channel();
    thread::spawn(move || {
        if ended.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
            for (abort, server) in ends {
                // The kernel gives a mount up when its process is gone too, unless that one waits
                // for the mount itself. Not every host shows the files of the first way.
                if fs::write(abort, "1").is_err() {
                    let _ = kill_process(server, Signal::KILL);
                }
            }
        }
    });
    sender
}

/// Asks ext4 to spread the directories below this one over the disk, as it does with those of its
/// root. Where much was removed lately it makes a file thirty times as slowly, which is no good day.
fn spread(dir: &Path) -> Result<()> {
    let opened = File::open(dir)?;
    let flags = ioctl_getflags(&opened).unwrap_or(IFlags::empty());
    // Another filesystem than ext4 may refuse, and may not need it.
    let _ = ioctl_setflags(&opened, flags | IFlags::TOPDIR);
    Ok(())
}

fn abort_file(dir: &Path) -> Result<PathBuf> {
    let device = rustix::fs::minor(fs::metadata(dir)?.dev());
    Ok(format!("/sys/fs/fuse/connections/{device}/abort").into())
}

/// Tells whether something is mounted at a directory.
pub(crate) fn is_mounted(dir: &Path) -> bool {
    let device = |dir: &Path| fs::metadata(dir).map(|found| found.dev()).ok();
    dir.parent().is_some_and(|parent| device(parent) != device(dir))
}

fn word(path: &Path) -> Result<&str> {
    path.to_str().context("the folder has a readable name")
}
