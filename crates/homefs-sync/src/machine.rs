//! Which machine this store is, to others that share its remote.
//!
//! A store that was copied, or put back from a snapshot, has the id of another one. It finds out by
//! the history of the remote, which then has commits of its own id that it never made: from there
//! on it is a new machine. Nothing else has to be undone, since what it knew of the remote was
//! copied with it.

use std::path::{Path as HostPath, PathBuf};
use std::sync::Arc;

use homefs_core::{Disk, Error, ErrorKind, Result};
use parking_lot::Mutex;

use crate::format::{Author, MachineId};

/// The file in the store's directory: 16 hexadecimal digits and a line end.
const FILE: &str = "machine";

/// The machine that takes part.
pub struct Machine {
    id: Mutex<MachineId>,
    /// What people call it.
    name: Box<str>,
    /// Drawn for every opening of the store.
    incarnation: u64,
    file: PathBuf,
    disk: Arc<dyn Disk>,
}

impl Machine {
    /// Reads which machine the store is, or makes it the one that is `drawn`; a backup leaves the
    /// file out.
    pub fn of_store(dir: &HostPath, disk: &Arc<dyn Disk>, name: &str, drawn: u64) -> Result<Self> {
        let id = Mutex::new(machine_id(dir, &**disk, drawn)?);
        let (file, disk) = (dir.join(FILE), disk.clone());
        Ok(Self { id, name: name.into(), incarnation: drawn, file, disk })
    }

    /// Returns what others know it by.
    pub fn id(&self) -> MachineId {
        *self.id.lock()
    }

    /// Returns what people call it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns it as the author of commits in an agent's name.
    pub fn author(&self, agent: homefs_core::AgentId) -> Author {
        let (machine, incarnation) = (self.id(), self.incarnation);
        Author { machine, machine_name: self.name.clone(), agent, incarnation }
    }

    /// Becomes another machine, because somebody else is `taken`; once, whoever finds it out.
    pub(crate) fn become_another(&self, taken: MachineId, drawn: u64) -> Result<()> {
        let mut id = self.id.lock();
        if *id == taken {
            write(&self.file, &*self.disk, MachineId(drawn))?;
            tracing::warn!(was = %taken, "this store is a copy, or an older state, of another one");
            *id = MachineId(drawn);
        }
        Ok(())
    }
}

/// Returns the id of the store, which is `drawn` if it has none yet.
pub fn machine_id(dir: &HostPath, disk: &dyn Disk, drawn: u64) -> Result<MachineId> {
    let path = dir.join(FILE);
    let at = |error: Error| error.with_path_text(path.display().to_string());
    if disk.exists(&path).map_err(|cause| at(Error::io("look for the machine's id", cause)))? {
        let content = disk.read(&path);
        let content = content.map_err(|cause| at(Error::io("read the machine's id", cause)))?;
        let text = str::from_utf8(&content).ok().map(str::trim_ascii_end);
        let id = text.filter(|text| text.len() == 16).map(|text| u64::from_str_radix(text, 16));
        return match id {
            Some(Ok(id)) => Ok(MachineId(id)),
            _ => Err(at(Error::new(ErrorKind::Corrupt, "the machine's id is not readable"))),
        };
    }
    let id = MachineId(drawn);
    write(&path, disk, id)?;
    Ok(id)
}

fn write(path: &HostPath, disk: &dyn Disk, id: MachineId) -> Result<()> {
    disk.replace(path, format!("{id}\n").as_bytes()).map_err(|cause| {
        Error::io("write the machine's id", cause).with_path_text(path.display().to_string())
    })
}

#[cfg(test)]
mod tests {
    use homefs_core::HostDisk;
    use tempfile::TempDir;

    use super::*;

    #[test]
    fn an_id_is_drawn_once() {
        let dir = TempDir::new().unwrap();
        assert_eq!(machine_id(dir.path(), &HostDisk, 0x12).unwrap(), MachineId(0x12));
        assert_eq!(machine_id(dir.path(), &HostDisk, 0x34).unwrap(), MachineId(0x12));
        HostDisk.replace(&dir.path().join(FILE), b"another\n").unwrap();
        let error = machine_id(dir.path(), &HostDisk, 0x34).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt);
    }

    #[test]
    fn who_finds_its_id_taken_is_another_from_then_on() {
        let dir = TempDir::new().unwrap();
        let disk: Arc<dyn Disk> = Arc::new(HostDisk);
        let open = |drawn| Machine::of_store(dir.path(), &disk, "desk", drawn).unwrap();
        let machine = open(1);
        machine.become_another(MachineId(1), 2).unwrap();
        machine.become_another(MachineId(1), 3).unwrap();
        assert_eq!(machine.id(), MachineId(2));
        assert_eq!(open(4).id(), MachineId(2));
    }
}
