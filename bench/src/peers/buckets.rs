//! Other ways to get files into a bucket: copied by `rclone`, or through mounts of `rclone` and
//! `s3fs`. Each has the options of its good day.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, ensure};
use homefs_testkit::S3Server;

use crate::bucket::FarBucket;
use crate::clock;
use crate::places::is_mounted;

/// One of them.
pub(crate) struct BucketPeer {
    pub(crate) name: &'static str,
    program: &'static str,
    /// How many times as fast homefs must be at least.
    pub(crate) bar: f64,
    /// Sends the files; returns the milliseconds until the server has them all.
    pub(crate) send: fn(&Send<'_>) -> Result<f64>,
}

/// What is to be sent.
pub(crate) struct Send<'a> {
    pub(crate) bucket: &'a FarBucket,
    /// The folder of the files, without folders in it.
    pub(crate) source: &'a Path,
    pub(crate) count: usize,
    /// The folder of the bucket that they go to.
    pub(crate) prefix: String,
    /// An empty folder.
    pub(crate) work: &'a Path,
}

/// All of them.
pub(crate) const PEERS: &[BucketPeer] = &[
    BucketPeer { name: "rclone sync", program: "rclone", bar: 3.0, send: |send| copy(send, &[]) },
    BucketPeer {
        name: "rclone sync, 64 at once, unverified",
        program: "rclone",
        bar: 3.0,
        send: |send| copy(send, &["--transfers", "64", "--checkers", "64", "--s3-no-head"]),
    },
    BucketPeer {
        name: "rclone mount --vfs-cache-mode writes",
        program: "rclone",
        bar: 3.0,
        send: |send| write_through(send, rclone_mount),
    },
    BucketPeer { name: "s3fs", program: "s3fs", bar: 10.0, send: |send| write_through(send, s3fs) },
];

impl BucketPeer {
    /// Tells whether its program is there, and says so if it is not.
    pub(crate) fn is_there(&self) -> bool {
        let mut command = Command::new(self.program);
        let is_there = command.arg("--version").stdout(Stdio::null()).status().is_ok();
        if !is_there {
            println!("  {} is left out: the program is missing", self.name);
        }
        is_there
    }
}

/// Copies the files with `rclone sync`.
fn copy(send: &Send<'_>, words: &[&str]) -> Result<f64> {
    let start = clock::now();
    let status = rclone(send, "sync").arg(send.source).arg(place(send)).args(words).status()?;
    ensure!(status.success(), "rclone sync ended with {status}");
    arrived(send)?;
    Ok(start.elapsed().as_secs_f64() * 1e3)
}

/// Writes the files into a mount, one after the other.
fn write_through(send: &Send<'_>, mount: fn(&Send<'_>, &Path) -> Result<Command>) -> Result<f64> {
    let mut files = Vec::new();
    for entry in fs::read_dir(send.source)? {
        let entry = entry?;
        files.push((entry.file_name(), fs::read(entry.path())?));
    }
    let dir = send.work.join("mount");
    fs::create_dir(&dir)?;
    // They tell of their start there; what goes wrong shows in the writes.
    let server = mount(send, &dir)?.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let mounted = Mounted { server, dir: &dir };
    clock::wait_until("the mount", || is_mounted(&dir))?;
    let start = clock::now();
    for (name, content) in files {
        fs::write(dir.join(name), content)?;
    }
    arrived(send)?;
    let milliseconds = start.elapsed().as_secs_f64() * 1e3;
    drop(mounted);
    Ok(milliseconds)
}

/// A mount of a program that stays in the foreground.
struct Mounted<'a> {
    server: Child,
    dir: &'a Path,
}

impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        drop(Command::new("fusermount3").arg("-uz").arg(self.dir).status());
        drop(self.server.kill());
        drop(self.server.wait());
    }
}

/// Waits until the server has all files.
fn arrived(send: &Send<'_>) -> Result<()> {
    let prefix = format!("{}/", send.prefix);
    clock::wait_until("the bucket has the files", || {
        let objects = send.bucket.server.objects();
        let found = objects.range(prefix.clone()..).take_while(|(key, _)| key.starts_with(&prefix));
        found.filter(|(_, content)| !content.is_empty()).count() >= send.count
    })
}

fn rclone_mount(send: &Send<'_>, dir: &Path) -> Result<Command> {
    let mut command = rclone(send, "mount");
    command.arg(place(send)).arg(dir);
    let kept = send.work.join("kept");
    fs::create_dir(&kept)?;
    command.args(["--vfs-cache-mode", "writes", "--vfs-write-back", "0s", "--cache-dir"]).arg(kept);
    Ok(command)
}

/// Returns `rclone` with one of its commands, and what it must know of the server.
fn rclone(send: &Send<'_>, word: &str) -> Command {
    let mut command = Command::new("rclone");
    command.args([word, "--config", "", "--s3-provider", "Other", "--s3-force-path-style"]);
    command.args(["--s3-endpoint", &send.bucket.server.endpoint()]);
    command.args(["--s3-access-key-id", S3Server::ACCESS_KEY]);
    command.args(["--s3-secret-access-key", S3Server::SECRET_KEY]);
    command.args(["--s3-region", S3Server::REGION]);
    command
}

/// Returns where the files go, as `rclone` spells it.
fn place(send: &Send<'_>) -> String {
    format!(":s3:{}/{}", send.bucket.server.bucket(), send.prefix)
}

fn s3fs(send: &Send<'_>, dir: &Path) -> Result<Command> {
    use std::os::unix::fs::PermissionsExt;
    let key = send.work.join("key");
    fs::write(&key, format!("{}:{}", S3Server::ACCESS_KEY, S3Server::SECRET_KEY))?;
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600))?;
    // It mounts only a folder that is there.
    send.bucket.server.put(&format!("{}/", send.prefix), "");
    let bucket = format!("{}:/{}", send.bucket.server.bucket(), send.prefix);
    let key = key.to_str().context("the folder has a readable name")?;
    let (url, region) = (send.bucket.server.endpoint(), S3Server::REGION);
    let options = format!(
        "passwd_file={key},url={url},endpoint={region},use_path_request_style,\
         enable_noobj_cache,notsup_compat_dir"
    );
    let mut command = Command::new("s3fs");
    command.arg(bucket).arg(dir).args(["-f", "-o", &options]);
    Ok(command)
}
