//! The floor: an empty filesystem in memory behind FUSE, with the settings of the mount of homefs.
//!
//! What it takes is what FUSE takes; nothing is kept, checked or recorded. It serves from a process
//! of its own, as homefs does, so that both pay for the same switches between processes.
//!
//! Opening a file or a directory, closing one and creating with an open file are answered "not
//! implemented" once, and the kernel never asks again: it makes a file with MKNOD and opens it by
//! itself. The flag for an atomic `O_TRUNC` must stay off, as an open that nobody hears of would
//! not cut the file.

mod answer;
mod filesystem;
mod tree;

use std::ffi::OsStr;
use std::io::{self, Read};

use anyhow::{Result, bail};
use fuser::{Config, Errno, FileAttr, FileType, INodeNo, MountOption, Request};
use parking_lot::RwLock;

use self::tree::{Draft, Tree};

/// Most bytes in one write request.
const WRITE_BYTES_MAX: u32 = 1 << 20;

/// The second process: serves an empty filesystem at a directory until its input ends.
pub(crate) fn serve(words: &[String]) -> Result<()> {
    let [dir] = words else { bail!("where should the floor be mounted?") };
    let mut config = Config::default();
    config.mount_options =
        vec![MountOption::DefaultPermissions, MountOption::FSName("floor".to_owned())];
    // As many as the mount of homefs has, or this is not its floor.
    config.n_threads = Some(homefs_fuse::THREADS);
    let session = fuser::spawn_mount(Floor { tree: RwLock::new(Tree::new()) }, dir, &config)?;
    println!("mounted");
    io::stdin().read_to_end(&mut Vec::new())?;
    Ok(session.umount_and_join()?)
}

struct Floor {
    tree: RwLock<Tree>,
}

impl Floor {
    fn make(
        &self,
        request: &Request,
        (parent, name): (INodeNo, &OsStr),
        (kind, permissions): (FileType, u32),
        content: &[u8],
    ) -> Result<FileAttr, Errno> {
        let owner = (request.uid(), request.gid());
        self.tree.write().make(parent, name, &Draft { kind, permissions, owner, content })
    }
}
