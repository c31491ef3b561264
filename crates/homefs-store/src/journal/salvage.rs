//! What can be saved of a journal that does not open.

use std::path::Path as HostPath;
use std::sync::Arc;

use homefs_core::{Disk, Result};

use super::recover::{self, Chain};
use super::{Effect, Journal, JournalSettings};

/// Tells why the journal in `dir` does not open, if it does not.
pub fn check(dir: &HostPath, disk: &dyn Disk) -> Result<()> {
    recover::recover(dir, disk, false, &mut |_, _, _| Ok(true)).map(drop)
}

/// Returns the records before the damage.
pub fn salvage(dir: &HostPath, disk: &dyn Disk) -> Result<Vec<Vec<u8>>> {
    let mut payloads = Vec::new();
    Chain::find(dir, disk)?.walk(&mut |_, payload, _| {
        payloads.push(payload.to_vec());
        Ok(true)
    })?;
    Ok(payloads)
}

/// Returns what can be read of the records behind the damage, those that are damaged first as they
/// are; none of them is to be trusted.
pub fn beyond(dir: &HostPath, disk: &dyn Disk) -> Result<Vec<Vec<u8>>> {
    let mut payloads = Vec::new();
    Chain::find(dir, disk)?.walk_beyond(&mut |payload| payloads.push(payload.to_vec()))?;
    Ok(payloads)
}

/// Starts a journal in `dir` with these records.
pub fn write_new(
    dir: &HostPath,
    disk: Arc<dyn Disk>,
    settings: JournalSettings,
    payloads: &[Vec<u8>],
) -> Result<()> {
    let journal = Journal::open(dir, disk, settings, Box::new(|| Ok(())))?;
    for payload in payloads {
        journal.append(Effect::Keeps, |buffer| {
            buffer.extend_from_slice(payload);
            Ok(())
        })?;
    }
    journal.close()
}
