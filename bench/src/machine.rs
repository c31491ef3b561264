//! What is known of the machine, without naming it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Returns a short neutral description.
pub(crate) fn name() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{cores}-core-{}-{}", std::env::consts::OS, std::env::consts::ARCH)
}

/// Returns the folder of this crate.
pub(crate) fn bench_folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Does something on one core, and so do the processes that it starts.
///
/// Left alone, the kernel puts one pair of speakers on one core and another pair on two, where
/// waking a sleeping core takes four times as long.
pub(crate) fn on_one_core<T>(act: impl FnOnce() -> Result<T>) -> Result<T> {
    let cores = sched_getaffinity(None)?;
    let mut one = CpuSet::new();
    one.set((0..CpuSet::MAX_CPU).find(|&core| cores.is_set(core)).context("a core to run on")?);
    sched_setaffinity(None, &one)?;
    let done = act();
    sched_setaffinity(None, &cores)?;
    done
}

/// Returns the commit that is measured, marked if the working tree differs from it.
pub(crate) fn commit() -> String {
    let described = Command::new("git")
        .args(["describe", "--always", "--dirty", "--abbrev=12"])
        .current_dir(bench_folder())
        .output();
    match described {
        Ok(output) if output.status.success() => {
            String::from_utf8_lossy(&output.stdout).trim().to_owned()
        }
        _ => "unknown".to_owned(),
    }
}

/// Returns how many processes wanted a core during the last minute.
pub(crate) fn load() -> f64 {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().and_then(|word| word.parse().ok()).unwrap_or(f64::NAN)
}

/// Returns the memory of this process, in bytes.
pub(crate) fn resident_bytes() -> u64 {
    number_after("/proc/self/status", "VmRSS:") * 1024
}

/// Returns how many bytes this process has caused to be written to the disk.
pub(crate) fn written_bytes() -> u64 {
    number_after("/proc/self/io", "write_bytes:")
}

/// Returns the number that follows a word in a file of the kernel.
fn number_after(file: &str, word: &str) -> u64 {
    let text = fs::read_to_string(file).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(word)).unwrap_or_default();
    line.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// Returns how much of the disk a folder takes, in bytes.
pub(crate) fn disk_bytes(folder: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt;
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| match entry.metadata() {
            Ok(found) if found.is_dir() => disk_bytes(&entry.path()),
            Ok(found) => found.blocks() * 512,
            Err(_) => 0,
        })
        .sum()
}
