//! Long loads of other programs, only when the run is extended.

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::harness::{Mounted, is_extended};
use crate::tools::{both, find, program, run, say};

/// Ways of reading and writing that `fio` uses.
const ENGINES: &[&str] = &["psync", "mmap", "libaio"];

/// Lengths of its blocks; the second crosses the bounds of chunks.
const BLOCKS: [&str; 2] = ["4k", "68k"];

/// The file system class of `stress-ng`, without what has nothing to do with files in a directory
/// or changes the host.
const STRESSORS: &[&str] = &[
    "access",
    "chattr",
    "chdir",
    "chmod",
    "chown",
    "copy-file",
    "dentry",
    "dir",
    "dirdeep",
    "dirmany",
    "dnotify",
    "dup",
    "fallocate",
    "fcntl",
    "fiemap",
    "file-ioctl",
    "filename",
    "flock",
    "fpunch",
    "fsize",
    "fstat",
    "getdent",
    "handle",
    "hdd",
    "inode-flags",
    "inotify",
    "iomix",
    "lease",
    "link",
    "locka",
    "lockf",
    "lockofd",
    "mknod",
    "open",
    "rename",
    "symlink",
    "sync-file",
    "touch",
    "utime",
    "xattr",
];

/// What `stress-ng` says when it does not find what a stressor needs.
const NOT_IMPLEMENTED: i32 = 4;

#[test]
fn blocks_written_by_several_jobs_are_verified() {
    if !is_extended() {
        return;
    }
    let Some(fio) = find("fio") else { return };
    for (engine, block) in ENGINES.iter().flat_map(|engine| BLOCKS.map(|block| (engine, block))) {
        let Some(mounted) = Mounted::new(300) else { return };
        run(program(&fio, &mounted.beside("home"))
            .args(["--name=job", "--rw=randrw", "--size=24m", "--numjobs=4"])
            .args(["--verify=crc32c", "--verify_fatal=1", "--do_verify=1", "--fsync=200"])
            .args(["--iodepth=8", "--randseed=7", "--thread"])
            .args([format!("--ioengine={engine}"), format!("--bs={block}")])
            .arg(format!("--directory={}", mounted.root().display())));
    }
}

#[test]
fn every_stressor_of_files_ends_as_on_the_host() {
    if !is_extended() {
        return;
    }
    let Some(stress) = find("stress-ng") else { return };
    let Some(mounted) = Mounted::new(600) else { return };
    let start = |stressor: &str, dir: &Path| -> Output {
        program(&stress, &mounted.beside("home"))
            .args([&format!("--{stressor}"), "2", "--timeout", "2s", "--verify", "--temp-path"])
            .arg(dir)
            .output()
            .expect("the program starts")
    };
    let mut failed = Vec::new();
    for stressor in STRESSORS {
        let expected = start(stressor, &mounted.beside("plain"));
        if !expected.status.success() {
            say(&format!("{stressor} is left out: it fails on the host too"));
            continue;
        }
        let found = start(stressor, &mounted.root());
        match found.status.code() {
            Some(0) => {}
            Some(NOT_IMPLEMENTED) => say(&format!("{stressor} does not apply to a mount")),
            _ => failed.push(format!("{stressor}: {}", both(&found))),
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    let left: Vec<_> =
        fs::read_dir(mounted.root()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(left.is_empty(), "{left:?}");
}
