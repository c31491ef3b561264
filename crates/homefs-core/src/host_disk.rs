//! The real disk.
#![expect(unsafe_code, reason = "mapping a file is unsafe: another process could truncate it")]
#![expect(clippy::disallowed_methods, reason = "the one place where host files are touched")]

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path as HostPath;

use memmap2::{Advice, MmapMut, MmapOptions};
use rustix::fs::{Access, FallocateFlags, access, fallocate};
use rustix::io::Errno;

use crate::{Disk, DiskFile, DiskMap};

/// The disk of the machine.
#[derive(Debug, Default)]
pub struct HostDisk;

impl Disk for HostDisk {
    fn create_dir_all(&self, dir: &HostPath) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(PRIVATE_DIR).create(dir)
    }

    fn read(&self, path: &HostPath) -> io::Result<Vec<u8>> {
        // A model that a user gives may be another user's file, for reading only.
        fs::read(path)
    }

    fn list(&self, dir: &HostPath) -> io::Result<Vec<String>> {
        match fs::read_dir(dir) {
            Ok(entries) => entries
                .map(|entry| entry.map(|entry| entry.file_name().to_string_lossy().into_owned()))
                .collect(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    fn create(&self, path: &HostPath) -> io::Result<Box<dyn DiskFile>> {
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create_new(true).mode(PRIVATE_FILE).open(path)?;
        Ok(Box::new(HostFile { file }))
    }

    fn open(&self, path: &HostPath) -> io::Result<Box<dyn DiskFile>> {
        use io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
        let file = match OpenOptions::new().read(true).write(true).open(path) {
            Err(error) if matches!(error.kind(), PermissionDenied | ReadOnlyFilesystem) => {
                File::open(path)?
            }
            opened => opened?,
        };
        Ok(Box::new(HostFile { file }))
    }

    fn exists(&self, path: &HostPath) -> io::Result<bool> {
        path.try_exists()
    }

    fn rename(&self, from: &HostPath, to: &HostPath) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove(&self, path: &HostPath) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn remove_dir_all(&self, dir: &HostPath) -> io::Result<()> {
        match fs::remove_dir_all(dir) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed,
        }
    }

    fn sync_dir(&self, dir: &HostPath) -> io::Result<()> {
        File::open(dir)?.sync_all()
    }

    fn is_read_only(&self, dir: &HostPath) -> io::Result<bool> {
        match access(dir, Access::WRITE_OK) {
            Ok(()) | Err(Errno::NOENT) => Ok(false),
            Err(Errno::ROFS | Errno::ACCESS | Errno::PERM) => Ok(true),
            Err(cause) => Err(cause.into()),
        }
    }

    fn check_links(&self, dir: &HostPath) -> io::Result<()> {
        crate::check_links(dir)
    }

    fn make_private(&self, dir: &HostPath) -> io::Result<()> {
        let metadata = fs::metadata(dir)?;
        if metadata.mode() & OTHERS == 0 {
            return Ok(());
        }
        if metadata.uid() != rustix::process::geteuid().as_raw() && !is_root() {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        // From below, so that one that was interrupted is found undone.
        make_private_below(dir)?;
        set_mode(dir, PRIVATE_DIR)
    }

    fn space_bytes(&self, path: &HostPath) -> io::Result<(u64, u64)> {
        let stat = rustix::fs::statvfs(path)?;
        Ok((stat.f_bavail * stat.f_frsize, stat.f_blocks * stat.f_frsize))
    }
}

/// What others than the user may do, of a mode.
const OTHERS: u32 = 0o077;
const PRIVATE_DIR: u32 = 0o700;
const PRIVATE_FILE: u32 = 0o600;

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Takes everything in a directory from other users.
fn make_private_below(dir: &HostPath) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let (path, kind) = entry.and_then(|entry| Ok((entry.path(), entry.file_type()?)))?;
        if kind.is_dir() {
            make_private_below(&path)?;
            set_mode(&path, PRIVATE_DIR)?;
        } else if !kind.is_symlink() {
            set_mode(&path, PRIVATE_FILE)?;
        }
    }
    Ok(())
}

/// Sets a mode, where the file system has modes and the file is the user's.
fn set_mode(path: &HostPath, mode: u32) -> io::Result<()> {
    match fs::set_permissions(path, Permissions::from_mode(mode)) {
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::PermissionDenied | io::ErrorKind::Unsupported
            ) =>
        {
            Ok(())
        }
        set => set,
    }
}

struct HostFile {
    file: File,
}

/// File systems that overwrite in place, so that an allocated byte stays writable on a full disk.
/// Copy-on-write and network file systems are not among them.
const IN_PLACE_MAGICS: [i64; 4] = [
    0xEF53,      // ext2, ext3, ext4
    0x5846_5342, // xfs
    0x0102_1994, // tmpfs
    0xF2F5_2010, // f2fs
];

impl DiskFile for HostFile {
    fn len(&self) -> io::Result<u64> {
        self.file.metadata().map(|meta| meta.len())
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.file.read_exact_at(buffer, offset)
    }

    fn write_at(&self, offset: u64, content: &[u8]) -> io::Result<()> {
        self.file.write_all_at(content, offset)
    }

    fn allocate(&self, len: u64) -> io::Result<()> {
        // Zeros are written rather than only reserved, so that the first sync of a record does
        // not also have to convert extents.
        static ZEROS: [u8; 256 * 1024] = [0; 256 * 1024];
        let mut offset = 0;
        while offset < len {
            let count = (len - offset).min(ZEROS.len() as u64);
            let zeros = &ZEROS[..usize::try_from(count).map_err(io::Error::other)?];
            self.file.write_all_at(zeros, offset)?;
            offset += count;
        }
        Ok(())
    }

    fn reserve(&self, len: u64) -> io::Result<()> {
        let present = self.len()?;
        if len <= present {
            return self.file.set_len(len);
        }
        match fallocate(&self.file, FallocateFlags::empty(), present, len - present) {
            Ok(()) => Ok(()),
            // A file system that reserves nothing has zeros written to it.
            Err(Errno::OPNOTSUPP | Errno::NOSYS) => self.allocate(len),
            Err(cause) => {
                // What it got before it found the disk full.
                self.file.set_len(present)?;
                Err(cause.into())
            }
        }
    }

    fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    fn map(&self) -> io::Result<Option<Box<dyn DiskMap>>> {
        let magic = rustix::fs::fstatfs(&self.file)?.f_type;
        #[expect(clippy::useless_conversion, reason = "the type differs between targets")]
        if !IN_PLACE_MAGICS.contains(&i64::from(magic)) {
            return Ok(None);
        }
        // SAFETY: the journal's files belong to the store, whose lock this process holds, and
        // nothing in homefs truncates a mapped file. Another program that does so anyway makes
        // the kernel end this process, as it would for every mapped database.
        let map = unsafe { MmapOptions::new().map_mut(&self.file)? };
        // A forked child must not write into the parent's journal.
        map.advise(Advice::DontFork)?;
        Ok(Some(Box::new(HostMap { map })))
    }
}

struct HostMap {
    map: MmapMut,
}

impl DiskMap for HostMap {
    fn bytes(&mut self) -> &mut [u8] {
        &mut self.map
    }
}
