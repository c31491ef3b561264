//! LMDB without sync, each put a transaction of its own.

use std::path::Path;

use anyhow::Result;
use lmdb::{Database, DatabaseFlags, Environment, EnvironmentFlags, Transaction, WriteFlags};

use super::{Key, Peer};

/// Room that a database may grow to.
const MAP_BYTES: usize = 8 << 30;

/// An open database.
pub(crate) struct Lmdb {
    environment: Environment,
    database: Database,
    name: &'static str,
}

impl Lmdb {
    /// Makes a database that writes by system calls, as LMDB does by default.
    pub(crate) fn open(folder: &Path) -> Result<Self> {
        let flags = EnvironmentFlags::NO_SYNC | EnvironmentFlags::NO_SUB_DIR;
        Self::with(&folder.join("peer.lmdb"), flags, "LMDB (no sync)")
    }

    /// Makes a database that writes into its memory map, which a stray pointer can damage.
    pub(crate) fn open_mapped(folder: &Path) -> Result<Self> {
        let flags = EnvironmentFlags::NO_SYNC
            | EnvironmentFlags::NO_SUB_DIR
            | EnvironmentFlags::WRITE_MAP
            | EnvironmentFlags::MAP_ASYNC;
        Self::with(&folder.join("mapped.lmdb"), flags, "LMDB (no sync, write map)")
    }

    fn with(path: &Path, flags: EnvironmentFlags, name: &'static str) -> Result<Self> {
        let environment = Environment::new().set_flags(flags).set_map_size(MAP_BYTES).open(path)?;
        let database = environment.create_db(None, DatabaseFlags::empty())?;
        Ok(Self { environment, database, name })
    }
}

impl Peer for Lmdb {
    fn name(&self) -> &'static str {
        self.name
    }

    fn put(&mut self, key: &Key, content: &[u8]) -> Result<()> {
        let mut transaction = self.environment.begin_rw_txn()?;
        transaction.put(self.database, &key.path, &content, WriteFlags::empty())?;
        Ok(transaction.commit()?)
    }

    fn get(&mut self, key: &Key) -> Result<Vec<u8>> {
        let transaction = self.environment.begin_ro_txn()?;
        Ok(transaction.get(self.database, &key.path)?.to_vec())
    }
}
