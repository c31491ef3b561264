//! A real file system that is small enough to be filled, or that nobody may write to.
#![expect(clippy::disallowed_methods, reason = "the disk is one of the host's")]

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path as HostPath, PathBuf};
use std::process::Command;

use crate::programs::{program, say_skipped};

/// What another program fills the disk with.
const OTHERS: &str = "of-others";

/// A mounted file system, which goes when this is dropped.
#[derive(Debug)]
pub struct SmallDisk {
    dir: PathBuf,
    image: Option<PathBuf>,
}

impl SmallDisk {
    /// Mounts one in memory, of so many bytes, at a directory; says why not if that is not allowed.
    pub fn in_memory(dir: &HostPath, bytes: u64) -> Option<Self> {
        let size = format!("size={bytes}");
        run("mount", &["-t", "tmpfs", "-o", &size, "homefs-test", &dir.to_string_lossy()])?;
        Some(Self { dir: dir.to_owned(), image: None })
    }

    /// Mounts an ext4 of so many bytes in a file beside the directory.
    ///
    /// # Panics
    /// If that file cannot be made.
    pub fn ext4(dir: &HostPath, bytes: u64) -> Option<Self> {
        let image = dir.with_extension("image");
        let made = File::create(&image).and_then(|file| file.set_len(bytes));
        made.expect("the host has room");
        run("mkfs.ext4", &["-q", "-F", &image.to_string_lossy()])?;
        run("mount", &["-o", "loop", &image.to_string_lossy(), &dir.to_string_lossy()])?;
        Some(Self { dir: dir.to_owned(), image: Some(image) })
    }

    /// Lets others fill the disk to the last block.
    ///
    /// # Panics
    /// If it fails otherwise than by being full.
    pub fn fill(&self) {
        let mut file = File::create(self.dir.join(OTHERS)).expect("a name needs no block");
        for part in [1 << 20, 1 << 12] {
            let zeros = vec![0; part];
            let error = loop {
                if let Err(error) = file.write_all(&zeros) {
                    break error;
                }
            };
            assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        }
    }

    /// Lets others remove what they had.
    ///
    /// # Panics
    /// If they had nothing.
    pub fn clear(&self) {
        fs::remove_file(self.dir.join(OTHERS)).expect("others had something");
    }

    /// Lets nobody write from now on, or everybody again.
    ///
    /// # Panics
    /// If the file system is in use for writing.
    pub fn set_read_only(&self, read_only: bool) {
        let how = if read_only { "remount,ro" } else { "remount,rw" };
        let done = run("mount", &["-o", how, &self.dir.to_string_lossy()]);
        done.expect("what was mounted can be mounted so");
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Detached though a process that a failed test left still uses it.
        run("umount", &["-l", &self.dir.to_string_lossy()]);
        self.image.as_ref().map(fs::remove_file);
    }
}

/// Runs a program that only root may; says so where it does not work.
fn run(name: &str, arguments: &[&str]) -> Option<()> {
    let found = program(name)?;
    let output = Command::new(found).args(arguments).output().ok()?;
    if !output.status.success() {
        let why = String::from_utf8_lossy(&output.stderr);
        say_skipped(&format!("{name} does not work here, it takes root: {}", why.trim()));
        return None;
    }
    Some(())
}
