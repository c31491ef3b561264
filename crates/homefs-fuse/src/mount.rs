//! A mounted view: its threads, and its end.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use fuser::{Config, MountOption, Session, SessionACL};
use homefs_core::{Error, ErrorKind, Result};
use homefs_view::View;
use parking_lot::{Condvar, Mutex};
use serde::{Deserialize, Serialize};

use crate::deadline::Deadlines;
use crate::face::Face;
use crate::host;
use crate::inodes::Inodes;
use crate::invalidation::{Invalidations, Teller};
use crate::listing::Listings;

/// How many threads serve one mount. One is much slower, because it sleeps on another core than
/// its caller's, and a few are enough; the rest is for calls that wait for a remote, of which the
/// kernel makes up to twelve of its own accord, to read ahead.
pub const THREADS: usize = 16;

/// How a home is mounted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MountOptions {
    /// Nothing can be changed through the mount.
    pub read_only: bool,
    /// Other users of the host may use it too, as far as permission bits allow.
    pub allow_other: bool,
    /// Special bits are shown and kept, and they and devices work as far as the host lets the user
    /// have that; for operators.
    pub special: bool,
}

/// A mounted view; dropping it unmounts.
pub struct Mount {
    dir: PathBuf,
    ended: Arc<Ended>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Default)]
struct Ended {
    flag: Mutex<bool>,
    signal: Condvar,
}

impl Mount {
    /// Mounts a view at a directory of the host, and serves it on threads of its own.
    ///
    /// # Errors
    ///
    /// `Denied` if special bits are wanted by somebody but an operator.
    pub fn start(view: &View, dir: &Path, options: &MountOptions) -> Result<Self> {
        if options.special && !view.who().operator {
            let message = "a mount with special bits and devices is an operator's: add --operator";
            return Err(Error::new(ErrorKind::Denied, message));
        }
        let view = if options.special { view.clone() } else { view.plain() };
        let failed =
            |what: &str, cause| Error::io(what, cause).with_path_text(dir.to_string_lossy());
        let nodes = Arc::new(view.nodes());
        let root = nodes.root();
        let stat = nodes.stat(&root)?;
        let inodes = Arc::new(Inodes::new(root, &stat));
        let invalidations = Arc::new(Invalidations::new(inodes.clone(), nodes.shared_place()));
        let face = Face {
            nodes: nodes.clone(),
            inodes: inodes.clone(),
            listings: Listings::default(),
            deadlines: Deadlines::start()?,
            invalidations: invalidations.clone(),
            owner: (rustix::process::getuid().as_raw(), rustix::process::getgid().as_raw()),
            special: options.special,
        };
        let session =
            Session::new(face, dir, &config(options)).map_err(|cause| failed("mount", cause))?;
        let teller = Teller::start(invalidations.clone(), &session, dir)?;
        nodes.observe(invalidations);
        let ended = Arc::new(Ended::default());
        let signal = ended.clone();
        let thread = thread::Builder::new()
            .name("homefs-mount".into())
            .spawn(move || {
                if let Err(error) = session.run() {
                    tracing::error!(%error, "the mount ended");
                }
                // Nobody waits for a kernel that is gone.
                nodes.ignore();
                drop(teller);
                for (node, holds) in inodes.clear() {
                    nodes.release(&node, holds);
                }
                *signal.flag.lock() = true;
                signal.signal.notify_all();
            })
            .map_err(|cause| failed("start the threads of the mount", cause))?;
        Ok(Self { dir: dir.to_owned(), ended, thread: Mutex::new(Some(thread)) })
    }

    /// Returns where it is mounted.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Tells whether the kernel still has the mount.
    pub fn is_alive(&self) -> bool {
        !*self.ended.flag.lock()
    }

    /// Waits until the mount ended, by whoever unmounted it.
    pub fn wait(&self) {
        let mut flag = self.ended.flag.lock();
        self.ended.signal.wait_while(&mut flag, |ended| !*ended);
    }

    /// Takes the mount away; `lazy` detaches it even if it is in use. Returns once nothing is
    /// served any more; what is detached lazily is served until its last user closes it.
    pub fn unmount(&self, lazy: bool) -> Result<()> {
        if !self.is_alive() {
            return Ok(());
        }
        host::unmount(&self.dir, lazy)?;
        if !lazy {
            self.wait();
        }
        Ok(())
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        if let Err(error) = self.unmount(false).or_else(|_| self.unmount(true)) {
            tracing::error!(%error, "cannot unmount");
            return;
        }
        if !self.is_alive()
            && let Some(thread) = self.thread.lock().take()
            && thread.join().is_err()
        {
            tracing::error!("the thread of the mount panicked");
        }
    }
}

fn config(options: &MountOptions) -> Config {
    let mut config = Config::default();
    config.mount_options = vec![
        MountOption::FSName("homefs".into()),
        MountOption::Subtype("homefs".into()),
        MountOption::DefaultPermissions,
        if options.read_only { MountOption::RO } else { MountOption::RW },
    ];
    // The host gives these to root alone.
    config.mount_options.extend(if options.special && rustix::process::getuid().is_root() {
        [MountOption::Suid, MountOption::Dev]
    } else {
        [MountOption::NoSuid, MountOption::NoDev]
    });
    config.acl = if options.allow_other { SessionACL::All } else { SessionACL::Owner };
    config.n_threads = Some(THREADS);
    config
}
