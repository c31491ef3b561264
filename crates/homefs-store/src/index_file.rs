//! The file of a space's index, as those know it who do not read it.

use std::path::Path as HostPath;

use homefs_core::{Disk, Error, Result};

/// Its name in the folder of the space.
pub const NAME: &str = "index";

/// Removes the file of a space's index: it is made again when somebody searches.
pub fn remove(disk: &dyn Disk, dir: &HostPath) -> Result<()> {
    let path = dir.join(NAME);
    let exists = disk.exists(&path).map_err(|cause| Error::io("look for the index", cause))?;
    if exists {
        disk.remove(&path).map_err(|cause| Error::io("remove the index", cause))?;
    }
    Ok(())
}
