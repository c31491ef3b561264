//! A mounted home of its own for every test.

use std::fs::{self, File, Permissions};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use homefs_api::{Client, ClientOptions};
use homefs_core::AgentId;
use homefs_view::Who;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::tools::say;
use crate::watchdog::Watchdog;

/// A mount with its store, and a plain directory beside it.
///
/// Dropping it unmounts, and fails the test if the watchdog had to end the mount.
pub(crate) struct Mounted {
    options: Vec<&'static str>,
    limit: Duration,
    serving: Option<Serving>,
    // Last, so that it is removed when the mount is gone.
    base: TempDir,
}

/// The process that serves the mount.
struct Serving {
    process: Child,
    watchdog: Watchdog,
}

impl Mounted {
    /// Mounts a new home; `None` where that is not possible, after saying so.
    ///
    /// A test that works on it for longer than `limit_seconds` fails.
    pub(crate) fn new(limit_seconds: u64) -> Option<Self> {
        Self::with(limit_seconds, &[])
    }

    /// As [`Self::new`], with more arguments for `homefs mount`.
    pub(crate) fn with(limit_seconds: u64, options: &[&'static str]) -> Option<Self> {
        if !is_plain() && !can_mount() {
            return None;
        }
        // The directory for temporary files of the host may be in memory, where no crash and no
        // sparse file is like on a disk.
        let base = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).expect("make a directory");
        // Some suites act as other users, who have to pass through.
        fs::set_permissions(base.path(), Permissions::from_mode(0o755)).expect("open it");
        for name in ["mount", "plain", "home"] {
            fs::create_dir(base.path().join(name)).expect("make a directory");
        }
        let mut mounted = Self {
            options: options.to_vec(),
            limit: Duration::from_secs(limit_seconds),
            serving: None,
            base,
        };
        mounted.start();
        Some(mounted)
    }

    /// Returns a host path beside the mount.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.base.path().join(name)
    }

    /// Returns a host path in the mount.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    /// Returns the root of the mount.
    pub(crate) fn root(&self) -> PathBuf {
        self.beside("mount")
    }

    /// Serves the mount again after [`Self::kill`].
    pub(crate) fn start(&mut self) {
        if is_plain() {
            return;
        }
        let log = self.beside("mount.log");
        let mut process = self
            .command()
            .arg("mount")
            .arg(self.root())
            .arg("--foreground")
            .args(&self.options)
            .stderr(File::options().create(true).append(true).open(&log).expect("make the log"))
            .spawn()
            .expect("start homefs");
        let watchdog = Watchdog::start(Pid::from_child(&process), self.limit);
        // The one line that it prints says that the mount answers.
        let mut line = String::new();
        let output = process.stdout.take().expect("standard output is piped");
        BufReader::new(output).read_line(&mut line).expect("the line is text");
        // Kept before anything can fail, so that dropping cleans up.
        let device = |path: PathBuf| fs::metadata(path).expect("the directory is there").dev();
        let serving = self.serving.insert(Serving { process, watchdog });
        let said = || fs::read_to_string(&log).unwrap_or_default();
        assert!(!line.is_empty(), "homefs mount did not start: {}", said());
        let (inside, outside) =
            (device(self.base.path().join("mount")), device(self.base.path().into()));
        assert_ne!(inside, outside, "nothing is mounted after {line:?}: {}", said());
        serving.watchdog.mounted(inside);
    }

    /// Kills the process that serves the mount, without warning.
    pub(crate) fn kill(&mut self) {
        self.kill_only();
        let Some(serving) = &mut self.serving else { return };
        let start = Instant::now();
        while serving.process.try_wait().expect("it can be asked").is_none() {
            if start.elapsed() > Duration::from_secs(5) {
                // It may have died while a program waited for it and it for the program, which
                // is what `homefs unmount` ends.
                let root = self.root();
                drop(self.command().arg("unmount").arg(root).status());
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        self.wait_for_death();
    }

    /// Kills the process that serves the mount, without waiting until it is dead.
    pub(crate) fn kill_only(&mut self) {
        let Some(serving) = &mut self.serving else { return };
        serving.process.kill().expect("the process can be killed");
    }

    /// Waits until the process that was killed is dead.
    pub(crate) fn wait_for_death(&mut self) {
        let Some(mut serving) = self.serving.take() else { return };
        serving.process.wait().expect("it can be waited for");
        assert!(!serving.watchdog.dismiss(), "the mount hung");
    }

    /// Returns the process that serves the mount.
    pub(crate) fn process(&self) -> u32 {
        self.serving.as_ref().expect("the mount is served").process.id()
    }

    /// Stops the process that serves the mount, so that nothing answers any more.
    pub(crate) fn stop(&mut self) {
        let serving = self.serving.as_ref().expect("the mount is served");
        kill_process(Pid::from_child(&serving.process), Signal::STOP).expect("it can be stopped");
    }

    /// Ends a mount that hangs and tells whether the watchdog aborted it.
    pub(crate) fn was_aborted(mut self) -> bool {
        let mut serving = self.serving.take().expect("the mount is served");
        serving.process.wait().expect("the process ends");
        serving.watchdog.dismiss()
    }

    /// Returns a homefs command on the same store, without any environment but the home's.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_homefs"));
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.beside("home"))
            .env("TZ", "UTC")
            .env("NO_COLOR", "1")
            .env("HOMEFS_STORE", self.beside("store"))
            .current_dir(self.base.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs a homefs command that must succeed and returns what it prints.
    pub(crate) fn homefs(&self, arguments: &[&str]) -> String {
        let output = self.command().args(arguments).output().expect("run homefs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "homefs {arguments:?}: {said}");
        String::from_utf8(output.stdout).expect("the output is text")
    }

    /// Returns a client of the process that serves the mount, for the agent of the mount.
    pub(crate) fn client(&self) -> Client {
        let agent = AgentId::new("me").expect("a valid name");
        let who = Who { agent, operator: false, all: false };
        Client::open(ClientOptions::new(self.beside("store"), who)).expect("the owner answers")
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        if is_plain() {
            return;
        }
        let mut aborted = false;
        let mut unmounted = false;
        if let Some(mut serving) = self.serving.take() {
            let root = self.root();
            if !std::thread::panicking() {
                unmounted = self
                    .command()
                    .arg("unmount")
                    .arg(&root)
                    .status()
                    .is_ok_and(|status| status.success());
            }
            if !unmounted {
                drop(serving.process.kill());
            }
            drop(serving.process.wait());
            aborted = serving.watchdog.dismiss();
        }
        detach(&self.root());
        if !std::thread::panicking() {
            assert!(!aborted, "the mount hung");
        }
    }
}

/// Takes away what may be left of a mount.
pub(crate) fn detach(dir: &Path) {
    for line in [["umount", "-l"], ["fusermount3", "-uz"]] {
        let mut command = Command::new(line[0]);
        command.arg(line[1]).arg(dir).stdout(Stdio::null()).stderr(Stdio::null());
        drop(command.status());
    }
}

/// Tells whether the suites run on a plain directory.
pub(crate) fn is_plain() -> bool {
    std::env::var("HOMEFS_TEST_PLAIN").is_ok_and(|value| value == "1")
}

/// Tells whether long loops are wanted.
pub(crate) fn is_extended() -> bool {
    std::env::var("HOMEFS_EXTENDED").is_ok_and(|value| value == "1")
}

/// Tells whether this process is the host's administrator.
pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Tells whether this host can mount, and says so if it cannot.
fn can_mount() -> bool {
    if let Err(error) = File::options().read(true).write(true).open("/dev/fuse") {
        say(&format!("skipped, nothing is tested: /dev/fuse cannot be opened: {error}"));
        return false;
    }
    let helper = Command::new("fusermount3").arg("-V").stdout(Stdio::null()).status();
    if !is_root() && helper.is_err() {
        say("skipped, nothing is tested: fusermount3 is missing; install the package fuse3");
        return false;
    }
    true
}
