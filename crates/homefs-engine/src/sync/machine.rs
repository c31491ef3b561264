//! Which machine this store is, to others that share its remote.

use std::path::Path as HostPath;

use homefs_core::{Disk, Error, ErrorKind, Result};

use super::format::MachineId;

/// The file in the store's directory: 16 hexadecimal digits and a line end.
const FILE: &str = "machine";

/// Returns the id of the store, which is `drawn` if it has none yet.
///
/// It is drawn once: a store that is copied to another machine must not keep it, so a backup
/// leaves the file out.
pub(crate) fn machine_id(dir: &HostPath, disk: &dyn Disk, drawn: u64) -> Result<MachineId> {
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
    disk.replace(&path, format!("{id}\n").as_bytes())
        .map_err(|cause| at(Error::io("write the machine's id", cause)))?;
    Ok(id)
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
}
