//! Files in memory, shared with everyone who has them open.
#![expect(unsafe_code, reason = "a shared mapping is memory that others change")]

use std::os::fd::AsFd;
use std::ptr;

use rustix::io::Result;
use rustix::mm::{MapFlags, MsyncFlags, ProtFlags, mmap, msync, munmap};

/// The first bytes of a file.
pub(crate) struct Mapped {
    start: *mut u8,
    len: usize,
}

impl Mapped {
    /// Maps the first `len` bytes, for writing too if `writable`.
    ///
    /// The caller touches only what is inside the file: beyond its end is a signal.
    pub(crate) fn new(file: impl AsFd, len: usize, writable: bool) -> Result<Self> {
        let write = if writable { ProtFlags::WRITE } else { ProtFlags::empty() };
        let protection = ProtFlags::READ | write;
        // SAFETY: The kernel chooses an address that nothing else uses.
        let start =
            unsafe { mmap(ptr::null_mut(), len, protection, MapFlags::SHARED, file.as_fd(), 0) }?;
        Ok(Self { start: start.cast(), len })
    }

    /// Reads a part.
    pub(crate) fn read(&self, offset: usize, len: usize) -> Vec<u8> {
        assert!(offset + len <= self.len, "the part is mapped");
        // SAFETY: The part is mapped. Each byte is read once, as others may change it.
        (offset..offset + len).map(|at| unsafe { self.start.add(at).read_volatile() }).collect()
    }

    /// Fills a part with a byte.
    pub(crate) fn fill(&self, offset: usize, len: usize, byte: u8) {
        assert!(offset + len <= self.len, "the part is mapped");
        // SAFETY: The part is mapped, for writing, or the signal ends the test.
        unsafe { ptr::write_bytes(self.start.add(offset), byte, len) }
    }

    /// Waits until what was filled is in the file.
    pub(crate) fn sync(&self) -> Result<()> {
        // SAFETY: The range is the mapping.
        unsafe { msync(self.start.cast(), self.len, MsyncFlags::SYNC) }
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: The range is the mapping, and nothing refers to it any more.
        let _ = unsafe { munmap(self.start.cast(), self.len) };
    }
}
