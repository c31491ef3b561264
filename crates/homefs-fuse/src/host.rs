//! What the host knows of mounts, whether their owner lives or not.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use homefs_core::{Error, ErrorKind, Result};
use rustix::fs::Access;
use rustix::io::Errno;
use rustix::mount::UnmountFlags;
use rustix::process::Pid;
use rustix::thread::CapabilitySet;

use crate::dying;

/// What the kernel calls a mount of homefs: the first by the helper, the second without it.
const NAMES: [[&[u8]; 2]; 2] = [[b"fuse.homefs", b"homefs"], [b"fuse", b"homefs"]];
pub(crate) const DEVICE: &str = "/dev/fuse";
const TABLE: &str = "/proc/self/mountinfo";
/// Mounts and unmounts for users who may not do so themselves.
const HELPER: &str = "fusermount3";
/// How a container gets what a mount needs.
const IN_CONTAINER: &str = "run a container with `--device /dev/fuse --cap-add SYS_ADMIN`";

/// How a mount is whose owner serves it no more.
enum Stale {
    /// The owner is dead.
    Dead,
    /// The owner was killed, and waits with its last thread for programs that wait for it.
    Dying(u32, Pid),
}

/// Detaches the mount of a dead owner at `dir`, if there is one; tells whether there was.
///
/// An owner that was killed and cannot end is helped to its end.
pub fn mend_stale(dir: &Path) -> Result<bool> {
    let mut mended = false;
    // A mount made over a stale one leaves that below it.
    while let Some(stale) = stale_at(dir) {
        match stale {
            Stale::Dead => unmount(dir, true)?,
            Stale::Dying(connection, process) => dying::end(dir, connection, process)?,
        }
        mended = true;
    }
    Ok(mended)
}

/// Lists where homefs is mounted on this host by an owner that is dead or was killed.
pub fn stale() -> Result<Vec<PathBuf>> {
    let mut places = mounted()?;
    places.retain(|dir| stale_at(dir).is_some());
    Ok(places)
}

/// Takes a mount away from outside; `lazy` detaches it even if it is in use.
///
/// # Errors
///
/// `Unavailable` if it is in use, `NotFound` if nothing is mounted there.
pub fn unmount(dir: &Path, lazy: bool) -> Result<()> {
    let flags = if lazy { UnmountFlags::DETACH } else { UnmountFlags::empty() };
    let failed = match rustix::mount::unmount(dir, flags | UnmountFlags::NOFOLLOW) {
        Ok(()) => return Ok(()),
        Err(Errno::PERM) => return ask_helper(dir, lazy),
        Err(Errno::BUSY) => busy(),
        Err(Errno::INVAL | Errno::NOENT) => {
            Error::new(ErrorKind::NotFound, "nothing is mounted here")
        }
        Err(error) => Error::io("unmount the directory", error.into()),
    };
    Err(failed.with_path_text(dir.to_string_lossy()))
}

/// Checks that this process can mount; the error says what is missing and how to get it.
pub fn check_available() -> Result<()> {
    match rustix::fs::access(DEVICE, Access::READ_OK | Access::WRITE_OK) {
        Ok(()) => {}
        Err(Errno::NOENT) => {
            let message = format!(
                "mounting needs {DEVICE}, which is missing; load the kernel module with \
                 `modprobe fuse`, or {IN_CONTAINER}"
            );
            return Err(Error::new(ErrorKind::Unsupported, message));
        }
        Err(error) => {
            let message = format!(
                "mounting needs {DEVICE}, which this user may not use; `chmod 666 {DEVICE}` \
                 allows it, or {IN_CONTAINER}"
            );
            return Err(
                Error::new(ErrorKind::Unsupported, message).with_source(io::Error::from(error))
            );
        }
    }
    let sets = rustix::thread::capabilities(None)
        .map_err(|error| Error::io("ask what this process may do", error.into()))?;
    if sets.effective.contains(CapabilitySet::SYS_ADMIN) {
        return Ok(());
    }
    if rustix::process::geteuid().is_root() {
        let message = format!("this root may not mount; {IN_CONTAINER}");
        return Err(Error::new(ErrorKind::Unsupported, message));
    }
    match Command::new(HELPER).arg("--version").stdout(Stdio::null()).status() {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(no_helper()),
        Err(error) => Err(Error::io("run fusermount3", error)),
    }
}

/// Lists where homefs is mounted on this host, by any owner, dead ones included.
pub fn mounted() -> Result<Vec<PathBuf>> {
    Ok(mounts()?.into_iter().map(|(_, dir)| dir).collect())
}

/// Returns the number of the kernel's connection with the mount that is seen at `dir`, if homefs
/// is mounted there.
pub(crate) fn connection(dir: &Path) -> Option<u32> {
    // One that is mounted over another comes after it.
    let (number, _) = mounts().ok()?.into_iter().rfind(|(_, place)| place == dir)?;
    Some(number)
}

/// Lists the mounts of homefs with the numbers of their connections.
fn mounts() -> Result<Vec<(u32, PathBuf)>> {
    #[expect(clippy::disallowed_methods, reason = "it is the kernel's, not the store's")]
    let table = std::fs::read(TABLE)
        .map_err(|error| Error::io("read the table of mounts", error).with_path_text(TABLE))?;
    Ok(table.split(|byte| *byte == b'\n').filter_map(mount).collect())
}

/// Tells how a mount of homefs at `dir` is, if its owner serves it no more.
fn stale_at(dir: &Path) -> Option<Stale> {
    let connection = connection(dir)?;
    // Before anything is asked that such an owner would never answer.
    if let Some(process) = dying::server(connection) {
        return Some(Stale::Dying(connection, process));
    }
    // Unlike `stat`, this asks the owner though the kernel knows all attributes.
    (rustix::fs::statfs(dir).err() == Some(Errno::NOTCONN)).then_some(Stale::Dead)
}

/// Returns connection and mount point of a line of the table, if homefs is mounted there.
fn mount(line: &[u8]) -> Option<(u32, PathBuf)> {
    let mut fields = line.split(|byte| *byte == b' ').skip(2);
    // The device has the number of the connection: `0:57`.
    let connection = str::from_utf8(fields.next()?).ok()?.strip_prefix("0:")?.parse().ok()?;
    let place = fields.nth(1)?;
    // Optional fields end with a hyphen; type and source follow.
    let mut names = fields.skip_while(|field| *field != b"-").skip(1);
    NAMES
        .contains(&[names.next()?, names.next()?])
        .then(|| (connection, OsString::from_vec(unescape(place)).into()))
}

/// Reads the octal codes with which the kernel writes white space and backslashes.
fn unescape(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        let code = after.get(..3).filter(|_| byte == b'\\');
        let code = code.and_then(|code| std::str::from_utf8(code).ok());
        let code = code.and_then(|code| u8::from_str_radix(code, 8).ok());
        plain.push(code.unwrap_or(byte));
        rest = if code.is_some() { &after[3..] } else { after };
    }
    plain
}

fn ask_helper(dir: &Path, lazy: bool) -> Result<()> {
    let mut helper = Command::new(HELPER);
    helper.arg("-u").args(lazy.then_some("-z")).arg("--").arg(dir).env("LC_ALL", "C");
    let answer = helper.output().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => no_helper(),
        _ => Error::io("run fusermount3", error),
    })?;
    if answer.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&answer.stderr);
    let said = said.trim();
    let failed = if said.contains("busy") {
        busy()
    } else if said.contains("not found") || said.contains("Invalid argument") {
        Error::new(ErrorKind::NotFound, "nothing is mounted here")
    } else {
        Error::new(ErrorKind::Denied, format!("cannot unmount the directory: {said}"))
    };
    Err(failed.with_path_text(dir.to_string_lossy()))
}

fn busy() -> Error {
    Error::new(
        ErrorKind::Unavailable,
        "the mount is in use; close the programs that work in it, or detach it lazily",
    )
}

fn no_helper() -> Error {
    Error::new(
        ErrorKind::Unsupported,
        "mounting needs fusermount3, which is missing; install the package fuse3 \
         (`apt install fuse3`, `dnf install fuse3` or `pacman -S fuse3`)",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mounts_of_homefs_are_found_among_others() {
        let check = |line: &str, place: Option<&str>| {
            let expected = place.map(|place| (32, PathBuf::from(place)));
            assert_eq!(mount(line.as_bytes()), expected, "{line}");
        };
        let rest = "rw,nosuid shared:7 - fuse.homefs homefs rw,user_id=0";
        check(&format!("36 25 0:32 / /a/memory {rest}"), Some("/a/memory"));
        check(&format!("36 25 0:32 / /a\\040b\\134c {rest}"), Some("/a b\\c"));
        check(&format!("36 25 0:32 / /a\\04 {rest}"), Some("/a\\04"));
        check("36 25 0:32 / /a rw - fuse.homefs homefs rw", Some("/a"));
        check("36 25 0:32 / /a rw - fuse homefs rw", Some("/a"));
        check("36 25 0:32 / /a rw - fuse other rw", None);
        check("36 25 0:32 / /a rw - fuse.other homefs rw", None);
        check("36 25 0:32 / /a rw shared:1 - ext4 fuse.homefs rw", None);
        check("", None);
    }

    #[test]
    fn a_plain_directory_is_no_mount() {
        let dir = std::env::temp_dir();
        assert!(!mend_stale(&dir).unwrap());
        assert!(!mounted().unwrap().contains(&dir));
        let missing = dir.join("homefs-never-made");
        assert_eq!(unmount(&missing, false).unwrap_err().kind(), ErrorKind::NotFound);
    }
}
