//! Mounts whose process was killed and cannot end.
//!
//! Its last thread makes the kernel forget what a program is reading or changing, and waits for
//! that program, which waits for an answer that nobody gives any more. The kernel ends a
//! connection by itself when its last descriptor is closed, and that thread has it; so somebody
//! else has to say that it is over.

use std::io;
use std::path::Path;

use homefs_core::{Error, ErrorKind, Result};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::mount::UnmountFlags;
use rustix::process::{Pid, PidfdFlags, pidfd_open};

/// What the name of the thread begins with; the number of the connection follows, so that others
/// can tell which mount it serves. The kernel keeps 15 bytes of a name.
const NAME: &str = "homefs-inv";
const NAME_BYTES_MAX: usize = 15;
/// Where the kernel lets the owner of a connection end it.
const CONNECTIONS: &str = "/sys/fs/fuse/connections";
/// How long a killed process may take to end by itself, and when its connection has ended.
const SECONDS: [i64; 2] = [1, 10];

/// Names the thread that makes the kernel forget what it knows by a connection.
pub(crate) fn thread_name(connection: Option<u32>) -> String {
    let name = connection.map(|number| format!("{NAME}{number}"));
    name.filter(|name| name.len() <= NAME_BYTES_MAX).unwrap_or_else(|| NAME.into())
}

/// Returns the process that serves a connection, if it was killed and is not dead.
#[expect(clippy::disallowed_methods, reason = "it is the kernel's, not the store's")]
pub(crate) fn server(connection: u32) -> Option<Pid> {
    let name = thread_name(Some(connection));
    let is_it = |task: &Path| {
        let read = |file| std::fs::read_to_string(task.join(file)).unwrap_or_default();
        read("comm").trim() == name && is_killed(&read("status"))
    };
    let processes = std::fs::read_dir("/proc").ok()?.flatten();
    let mut processes = processes.filter_map(|entry| {
        let number: i32 = entry.file_name().to_str()?.parse().ok()?;
        let tasks = std::fs::read_dir(entry.path().join("task")).ok()?.flatten();
        tasks.into_iter().any(|task| is_it(&task.path())).then_some(number)
    });
    Pid::from_raw(processes.next()?)
}

/// Ends the connection of a mount whose process was killed, unless that is soon dead by itself.
pub(crate) fn end(dir: &Path, connection: u32, process: Pid) -> Result<()> {
    let [soon, longest] = SECONDS;
    if is_dead_within(process, soon)? {
        return Ok(());
    }
    abort(dir, connection).map_err(|error| {
        let process = process.as_raw_pid();
        let shown = dir.display();
        let message = format!(
            "its process {process} was killed and waits for programs that use the mount; \
             `umount -f {shown}` as root ends that"
        );
        Error::new(ErrorKind::Denied, message).with_path_text(shown.to_string()).with_source(error)
    })?;
    if is_dead_within(process, longest)? {
        return Ok(());
    }
    let message = format!("its process {} was killed and does not end", process.as_raw_pid());
    Err(Error::new(ErrorKind::Unavailable, message).with_path_text(dir.to_string_lossy()))
}

/// Tells whether the status of a thread says that it was killed.
fn is_killed(status: &str) -> bool {
    const KILL: u64 = 1 << (libc::SIGKILL - 1);
    let pending = status.lines().find_map(|line| line.strip_prefix("SigPnd:"));
    pending.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok()).unwrap_or(0) & KILL != 0
}

fn is_dead_within(process: Pid, seconds: i64) -> Result<bool> {
    let wait = || -> rustix::io::Result<bool> {
        let process = match pidfd_open(process, PidfdFlags::empty()) {
            Err(Errno::SRCH) => return Ok(true),
            opened => opened?,
        };
        let timeout = Timespec { tv_sec: seconds, tv_nsec: 0 };
        let mut end = [PollFd::new(&process, PollFlags::IN)];
        Ok(poll(&mut end, Some(&timeout))? > 0)
    };
    wait().map_err(|error| Error::io("wait for the end of a process", error.into()))
}

/// Ends a connection; whoever waits for an answer gets an error.
fn abort(dir: &Path, connection: u32) -> io::Result<()> {
    let all = UnmountFlags::FORCE | UnmountFlags::DETACH | UnmountFlags::NOFOLLOW;
    match rustix::mount::unmount(dir, all) {
        // The one who mounted may end it too, if the host shows connections.
        Err(Errno::PERM) =>
        {
            #[expect(clippy::disallowed_methods, reason = "it is the kernel's, not the store's")]
            std::fs::write(format!("{CONNECTIONS}/{connection}/abort"), "1")
        }
        ended => Ok(ended?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_tells_its_connection_by_its_name() {
        assert_eq!(thread_name(Some(57)), "homefs-inv57");
        assert_eq!(thread_name(Some(12_345)), "homefs-inv12345");
        // Cut short it would be the name of another.
        assert_eq!(thread_name(Some(123_456)), "homefs-inv");
        assert_eq!(thread_name(None), "homefs-inv");
    }

    #[test]
    fn only_a_thread_that_was_killed_counts_as_dying() {
        let status = |bits| format!("Name:\thomefs-inv57\nSigPnd:\t{bits}\nShdPnd:\tffffffff\n");
        assert!(is_killed(&status("0000000000000100")));
        assert!(is_killed(&status("0000000000004102")));
        for bits in ["0000000000000000", "0000000000004002", "", "x"] {
            assert!(!is_killed(&status(bits)), "{bits}");
        }
        assert!(!is_killed(""));
    }

    #[test]
    fn a_thread_that_lives_is_not_dying() {
        let name = thread_name(Some(99_999));
        let (end, ended) = std::sync::mpsc::channel::<()>();
        let thread = std::thread::Builder::new().name(name);
        let thread = thread.spawn(move || ended.recv()).unwrap();
        assert_eq!(server(99_999), None);
        drop(end);
        assert!(thread.join().unwrap().is_err());
    }
}
