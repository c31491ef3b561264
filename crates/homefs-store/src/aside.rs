//! The side file of a space whose base failed: its records, kept for the repair.
//!
//! Without it one broken base would hold the journal for every other space.

use std::path::Path as HostPath;

use homefs_core::{Disk, Error, ErrorKind, Result};

use crate::record::Record;

/// The name of the side file in a space's directory.
const FILE: &str = "aside.records";

/// Adds records to the side file; they are durable when this returns.
pub fn keep(dir: &HostPath, disk: &dyn Disk, batch: &[Record]) -> Result<()> {
    let path = dir.join(FILE);
    let failed =
        |cause| Error::io("set records aside", cause).with_path_text(path.display().to_string());
    disk.create_dir_all(dir).map_err(failed)?;
    let exists = disk.exists(&path).map_err(failed)?;
    let file = if exists { disk.open(&path) } else { disk.create(&path) }.map_err(failed)?;
    // Not at the end of the file: a crash may have left half a record there, behind which nothing
    // would be found.
    let mut offset = if exists { whole(&disk.read(&path).map_err(failed)?)?.1 } else { 0 };
    for record in batch {
        let mut payload = Vec::new();
        record.encode(&mut payload)?;
        let mut frame = Vec::with_capacity(payload.len() + 8);
        let len = u32::try_from(payload.len())
            .map_err(|_| Error::new(ErrorKind::Internal, "a record is longer than 4 GiB"))?;
        frame.extend_from_slice(&len.to_le_bytes());
        frame.extend_from_slice(&crc32fast::hash(&payload).to_le_bytes());
        frame.extend_from_slice(&payload);
        file.write_at(offset, &frame).map_err(failed)?;
        offset += frame.len() as u64;
    }
    file.sync().map_err(failed)?;
    disk.sync_dir(dir).map_err(failed)
}

/// Reads the side file of a space back, as far as it is whole; empty if there is none.
pub fn read(dir: &HostPath, disk: &dyn Disk) -> Result<Vec<Record>> {
    let path = dir.join(FILE);
    let failed =
        |cause| Error::io("read a side file", cause).with_path_text(path.display().to_string());
    if !disk.exists(&path).map_err(failed)? {
        return Ok(Vec::new());
    }
    Ok(whole(&disk.read(&path).map_err(failed)?)?.0)
}

/// Refuses to open a space whose records are set aside: its base is older than what was
/// acknowledged, and new changes would take their versions.
pub fn refuse(dir: &HostPath, disk: &dyn Disk) -> Result<()> {
    let path = dir.join(FILE);
    match disk.exists(&path) {
        Ok(false) => Ok(()),
        Ok(true) => {
            let message = "the base of the space failed and its last records are set aside: \
                           the store needs a repair";
            Err(Error::new(ErrorKind::Corrupt, message).with_path_text(path.display().to_string()))
        }
        Err(cause) => Err(Error::io("look for a side file", cause)),
    }
}

/// Returns the whole records at the start of a side file, and how many bytes they take.
fn whole(content: &[u8]) -> Result<(Vec<Record>, u64)> {
    let mut rest = content;
    let mut records = Vec::new();
    while let Some((head, body)) = rest.split_first_chunk::<8>() {
        let len = u32::from_le_bytes([head[0], head[1], head[2], head[3]]) as usize;
        let crc = u32::from_le_bytes([head[4], head[5], head[6], head[7]]);
        let Some((payload, after)) = body.split_at_checked(len) else { break };
        // No record is empty, but a file that grew without its content is all zeros.
        if len == 0 || crc32fast::hash(payload) != crc {
            break;
        }
        records.push(Record::decode(payload)?);
        rest = after;
    }
    Ok((records, (content.len() - rest.len()) as u64))
}

/// Renames the side file once its records are in a base again.
pub fn finish(dir: &HostPath, disk: &dyn Disk) -> Result<()> {
    let path = dir.join(FILE);
    if disk.exists(&path).unwrap_or(false) {
        let done = dir.join(format!("{FILE}.done"));
        disk.rename(&path, &done).map_err(|cause| Error::io("retire a side file", cause))?;
    }
    Ok(())
}
