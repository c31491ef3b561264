//! A thread that does not keep open what its process has open.
//!
//! The kernel ends a thread that makes it forget a page or a name only when it has forgotten it,
//! and for that it may wait for a program whose call nobody answers any more, since all other
//! threads were killed. With the descriptors of the process in its hands, such a thread would
//! keep the mount and the store from everybody for ever. With one of its own, the store is free
//! as soon as the others are dead, and the calls that they had taken up end with an error.
#![expect(unsafe_code, reason = "a table of descriptors is the kernel's, not a value of Rust")]

use std::ffi::c_uint;
use std::io;
use std::os::fd::{AsRawFd, RawFd};

use rustix::fs::{Mode, OFlags};
use rustix::ioctl::{self, Setter};

use crate::host::DEVICE;

/// `CLOSE_RANGE_UNSHARE`: what is closed is closed for this thread only.
const UNSHARE: c_uint = 1 << 1;
/// `FUSE_DEV_IOC_CLONE`: makes an open device one more of the connection that is named.
const CLONE: ioctl::Opcode = ioctl::opcode::read::<u32>(229, 0);

/// Gives the calling thread a table of descriptors of its own, with a single one in it: another of
/// the connection that `device` is of, with the same number.
///
/// # Errors
///
/// If the kernel is too old for it (5.9); the thread then is as it was.
pub(crate) fn stand_apart(device: RawFd) -> io::Result<()> {
    let number = c_uint::try_from(device).map_err(io::Error::other)?;
    close_range(number + 1, c_uint::MAX, UNSHARE)?;
    if number > 0 {
        close_range(0, number - 1, 0)?;
    }
    let own = rustix::fs::open(DEVICE, OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?;
    // SAFETY: the device takes a pointer to the number of a descriptor, which is open.
    unsafe { ioctl::ioctl(&own, Setter::<CLONE, u32>::new(number))? };
    // SAFETY: nothing of the process is touched: in this table the number is this thread's.
    match unsafe { libc::dup3(own.as_raw_fd(), device, libc::O_CLOEXEC) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

fn close_range(first: c_uint, last: c_uint, flags: c_uint) -> io::Result<()> {
    // SAFETY: only the table of this thread changes, which owns nothing that is in it.
    match unsafe { libc::syscall(libc::SYS_close_range, first, last, flags) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}
