//! Tells a forked child that it does not own what its parent opened.
//!
//! The kernel wipes one page of memory in every child, so that the check is a plain read.
#![expect(unsafe_code, reason = "an anonymous map is asked of the kernel by address")]

use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use homefs_core::{Error, ErrorKind, Result};
use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous};

/// The process that made it.
#[derive(Clone, Copy)]
pub(super) struct ForkMark {
    process: &'static AtomicU32,
    id: u32,
}

impl ForkMark {
    /// Marks this process.
    pub(super) fn new() -> Result<Self> {
        let process = page()?;
        let id = std::process::id();
        // A child that opens a store of its own writes its own id into its wiped page.
        process.store(id, Ordering::Relaxed);
        Ok(Self { process, id })
    }

    /// Tells whether this is still the process that made the mark.
    pub(super) fn is_here(self) -> bool {
        self.process.load(Ordering::Relaxed) == self.id
    }

    /// Refuses in every other process.
    pub(super) fn check(self) -> Result<()> {
        if self.is_here() {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Closed, "the store belongs to the parent process"))
    }
}

/// Returns the first word of the page that no child inherits; made once, never unmapped.
fn page() -> Result<&'static AtomicU32> {
    static PAGE: OnceLock<&'static AtomicU32> = OnceLock::new();
    if let Some(page) = PAGE.get() {
        return Ok(page);
    }
    let failed = |errno: rustix::io::Errno| Error::io("map a page that forks wipe", errno.into());
    // SAFETY: the kernel chooses the address, so nothing that is mapped is replaced; one page is
    // larger than a word and aligned for it, starts as zeros, and is never unmapped.
    let page = unsafe {
        let flags = (ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE);
        let address = mmap_anonymous(ptr::null_mut(), 4096, flags.0, flags.1).map_err(failed)?;
        madvise(address, 4096, Advice::LinuxWipeOnFork).map_err(failed)?;
        &*address.cast::<AtomicU32>()
    };
    // Two threads may both get here: the page of the one that loses is left unused.
    Ok(PAGE.get_or_init(|| page))
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    use super::*;

    #[test]
    fn a_forked_child_is_told_apart() {
        let mark = ForkMark::new().unwrap();
        assert!(mark.check().is_ok());
        let mut command = Command::new("true");
        // SAFETY: the child only reads a word of memory before it starts the command.
        unsafe {
            command.pre_exec(move || {
                if mark.is_here() { Err(std::io::ErrorKind::Other.into()) } else { Ok(()) }
            });
        }
        assert!(command.status().unwrap().success());
        assert!(mark.is_here());
    }
}
