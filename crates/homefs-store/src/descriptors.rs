//! How many files the databases of a process keep open, whoever holds the spaces.
//!
//! A space costs two descriptors for its base and three for what it knows of its remote, and a
//! process may have 1,024 or fewer. So a database that is idle lets its files go when another one
//! needs them, and opens them again when it is asked. The limit is of the process, so this is too.

use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use rusqlite::Connection;
use rusqlite::config::DbConfig;
use rustix::process::{Resource, getrlimit};

/// Every database that was opened, as long as somebody holds it.
static DATABASES: Mutex<Vec<Weak<dyn Resting>>> = Mutex::new(Vec::new());
/// Descriptors that they have open.
static OPEN: AtomicUsize = AtomicUsize::new(0);
/// Rises with each use of a database.
static USES: AtomicU64 = AtomicU64::new(0);
/// The databases may have one of so many descriptors: sockets, chunks and the program around a
/// store need some too.
const SHARE: u64 = 2;
/// What stays open at least, however low the limit is.
const LEAST: usize = 16;

/// A database that can let its files go.
trait Resting: Send + Sync {
    /// Returns its last use; `None` if its files are closed, or somebody uses them now.
    fn idle_since(&self) -> Option<u64>;
    /// Lets the files go, unless somebody uses them now.
    fn rest(&self);
}

impl<T: AsMut<Wakeful> + Send> Resting for Mutex<Option<T>> {
    fn idle_since(&self) -> Option<u64> {
        let mut database = self.try_lock()?;
        let Wakeful { connection, used, .. } = database.as_mut()?.as_mut();
        connection.as_ref().map(|_| *used)
    }

    fn rest(&self) {
        if let Some(mut database) = self.try_lock()
            && let Some(database) = database.as_mut()
        {
            database.as_mut().rest();
        }
    }
}

/// The connection to a database, or none while it rests.
pub struct Wakeful {
    connection: Option<Connection>,
    /// How many descriptors it has while it is open.
    descriptors: usize,
    used: u64,
}

impl Wakeful {
    /// Keeps a connection that has so many descriptors.
    pub fn new(connection: Connection, descriptors: usize) -> Self {
        OPEN.fetch_add(descriptors, Ordering::Relaxed);
        Self { connection: Some(connection), descriptors, used: next_use() }
    }

    /// Notes a use, and opens the files again if it rests.
    pub fn wake<E>(&mut self, open: impl FnOnce() -> Result<Connection, E>) -> Result<(), E> {
        self.used = next_use();
        if self.connection.is_none() {
            make_room(self.descriptors);
            self.connection = Some(open()?);
            OPEN.fetch_add(self.descriptors, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Lets the files go.
    fn rest(&mut self) {
        let Some(connection) = self.connection.take() else { return };
        OPEN.fetch_sub(self.descriptors, Ordering::Relaxed);
        // What is not copied into the database yet stays beside it: copying would make whoever
        // needs the descriptors wait for the disk. If this fails, it is copied.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).ok();
    }
}

impl AsMut<Self> for Wakeful {
    fn as_mut(&mut self) -> &mut Self {
        self
    }
}

impl Drop for Wakeful {
    fn drop(&mut self) {
        if self.connection.is_some() {
            OPEN.fetch_sub(self.descriptors, Ordering::Relaxed);
        }
    }
}

impl Deref for Wakeful {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.connection.as_ref().expect("whoever works on a database woke it under its lock")
    }
}

impl DerefMut for Wakeful {
    fn deref_mut(&mut self) -> &mut Connection {
        self.connection.as_mut().expect("whoever works on a database woke it under its lock")
    }
}

/// Shares a database with those who look for one that can rest; `None` is one that is closed.
pub fn share<T>(database: T) -> Arc<Mutex<Option<T>>>
where
    T: AsMut<Wakeful> + Send + 'static,
{
    let database = Arc::new(Mutex::new(Some(database)));
    let shared = Arc::downgrade(&database);
    let mut databases = DATABASES.lock();
    // Now and then, so that it costs nothing.
    if databases.len() == databases.capacity() {
        databases.retain(|known| known.strong_count() > 0);
    }
    databases.push(shared as Weak<dyn Resting>);
    database
}

/// Lets those rest that were idle longest, if so many more descriptors would be too many.
pub fn make_room(descriptors: usize) {
    let most = most();
    if OPEN.load(Ordering::Relaxed) + descriptors <= most {
        return;
    }
    let known: Vec<_> = DATABASES.lock().iter().filter_map(Weak::upgrade).collect();
    let mut idle: Vec<_> = known.iter().filter_map(|one| Some((one.idle_since()?, one))).collect();
    idle.sort_unstable_by_key(|(used, _)| *used);
    // A few more than needed, so that not each of the next ones looks at all.
    let wanted = (most - most / 8).saturating_sub(descriptors);
    for (_, database) in idle {
        if OPEN.load(Ordering::Relaxed) <= wanted {
            break;
        }
        database.rest();
    }
}

/// Returns how many descriptors the databases of this process may have.
fn most() -> usize {
    // Asked each time: a program may change its limit.
    let limit = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    usize::try_from(limit / SHARE).unwrap_or(usize::MAX).max(LEAST)
}

fn next_use() -> u64 {
    USES.fetch_add(1, Ordering::Relaxed)
}
