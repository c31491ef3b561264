//! The socket in a store's directory.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path as HostPath, PathBuf};
use std::time::Duration;

use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};

const NAME: &str = "socket";
/// The name a socket has until it is ready; only the owner of the store makes one.
const DRAFT: &str = "socket.draft";
/// Longest path of a socket, the NUL at its end not counted.
const ADDRESS_BYTES_MAX: usize = 107;
const BACKLOG: i32 = 128;

/// Listens in `dir`, in place of an owner that died; call it only as the owner of the store.
pub(crate) fn listen(dir: &HostPath) -> io::Result<UnixListener> {
    let dir_fd = open_dir(dir)?;
    match rustix::fs::unlinkat(&dir_fd, DRAFT, AtFlags::empty()) {
        Ok(()) | Err(rustix::io::Errno::NOENT) => {}
        Err(error) => return Err(error.into()),
    }
    let socket = new_socket()?;
    rustix::net::bind(&socket, &address(dir, &dir_fd, DRAFT)?)?;
    // The name appears only when the socket is ready and closed to other users.
    rustix::fs::chmodat(&dir_fd, DRAFT, Mode::RUSR | Mode::WUSR, AtFlags::empty())?;
    rustix::net::listen(&socket, BACKLOG)?;
    rustix::fs::renameat(&dir_fd, DRAFT, &dir_fd, NAME)?;
    Ok(socket.into())
}

/// Connects to the owner's socket in `dir`; `timeout` bounds this and every later send and read.
pub(crate) fn connect(dir: &HostPath, timeout: Duration) -> io::Result<UnixStream> {
    let dir_fd = open_dir(dir)?;
    let socket = new_socket()?;
    // Connecting waits like a send does when the owner's backlog is full.
    set_socket_timeout(&socket, Timeout::Send, Some(timeout))?;
    set_socket_timeout(&socket, Timeout::Recv, Some(timeout))?;
    rustix::net::connect(&socket, &address(dir, &dir_fd, NAME)?)?;
    Ok(socket.into())
}

/// Removes the socket in `dir`; call it only as the owner of the store.
pub(crate) fn remove(dir: &HostPath) -> io::Result<()> {
    Ok(rustix::fs::unlinkat(open_dir(dir)?, NAME, AtFlags::empty())?)
}

fn open_dir(dir: &HostPath) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(rustix::fs::open(dir, flags, Mode::empty())?)
}

fn new_socket() -> io::Result<OwnedFd> {
    Ok(rustix::net::socket_with(
        AddressFamily::UNIX,
        SocketType::STREAM,
        SocketFlags::CLOEXEC,
        None,
    )?)
}

/// Returns an address for `name` in `dir`, which a long path reaches by its open directory.
fn address(dir: &HostPath, dir_fd: &OwnedFd, name: &str) -> io::Result<SocketAddrUnix> {
    let mut path = dir.join(name);
    if path.as_os_str().as_bytes().len() > ADDRESS_BYTES_MAX {
        path = PathBuf::from(format!("/proc/self/fd/{}/{name}", dir_fd.as_raw_fd()));
    }
    Ok(SocketAddrUnix::new(path.as_path())?)
}
