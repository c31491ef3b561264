//! The host's disk as a seam, so that tests can forget, reorder and fail what was written.

use std::io;
use std::path::{Path as HostPath, PathBuf};

/// A place for files on the host.
///
/// Every method may fail with any [`io::Error`]; a full disk is `StorageFull`.
/// A rename, a creation or a removal survives power loss only after [`Disk::sync_dir`].
/// What is created is for the user alone, whatever the process lets others have by its umask.
pub trait Disk: Send + Sync {
    /// Creates a directory and those above it.
    fn create_dir_all(&self, dir: &HostPath) -> io::Result<()>;
    /// Lists the names in a directory, in no order; a missing directory is empty.
    fn list(&self, dir: &HostPath) -> io::Result<Vec<String>>;
    /// Creates a file that must not exist, for reading and writing.
    fn create(&self, path: &HostPath) -> io::Result<Box<dyn DiskFile>>;
    /// Opens an existing file for reading and writing; for reading alone where it cannot be
    /// written.
    fn open(&self, path: &HostPath) -> io::Result<Box<dyn DiskFile>>;
    /// Tells whether a file or directory is there.
    fn exists(&self, path: &HostPath) -> io::Result<bool>;
    /// Moves a file over whatever the target names, or a directory over an empty one.
    fn rename(&self, from: &HostPath, to: &HostPath) -> io::Result<()>;
    /// Removes a file.
    fn remove(&self, path: &HostPath) -> io::Result<()>;
    /// Removes a directory with everything below it; one that is not there is as good.
    fn remove_dir_all(&self, dir: &HostPath) -> io::Result<()>;
    /// Makes the names in a directory survive power loss.
    fn sync_dir(&self, dir: &HostPath) -> io::Result<()>;
    /// Tells whether nothing in a directory can be made or changed.
    fn is_read_only(&self, _dir: &HostPath) -> io::Result<bool> {
        Ok(false)
    }
    /// Refuses a directory to which a link of another user leads.
    ///
    /// # Errors
    ///
    /// `PermissionDenied`, with what is wrong and where.
    fn check_links(&self, _dir: &HostPath) -> io::Result<()> {
        Ok(())
    }
    /// Takes a directory and everything in it from other users, if they can get into it.
    ///
    /// # Errors
    ///
    /// `PermissionDenied` if it is open to others and belongs to one of them.
    fn make_private(&self, _dir: &HostPath) -> io::Result<()> {
        Ok(())
    }
    /// Returns the free and the total bytes of the file system that holds `path`.
    fn space_bytes(&self, path: &HostPath) -> io::Result<(u64, u64)>;

    /// Reads a whole file.
    fn read(&self, path: &HostPath) -> io::Result<Vec<u8>> {
        let file = self.open(path)?;
        let mut content = vec![0; usize::try_from(file.len()?).map_err(io::Error::other)?];
        file.read_at(0, &mut content)?;
        Ok(content)
    }

    /// Replaces a whole file atomically; it is durable when this returns.
    fn replace(&self, path: &HostPath, content: &[u8]) -> io::Result<()> {
        let mut draft = path.as_os_str().to_owned();
        draft.push(".draft");
        let draft = PathBuf::from(draft);
        if self.exists(&draft)? {
            self.remove(&draft)?;
        }
        let file = self.create(&draft)?;
        if let Err(error) = file.write_at(0, content) {
            // A full disk needs the room; a draft that stays is removed by the next one.
            self.remove(&draft).ok();
            return Err(error);
        }
        file.sync()?;
        self.rename(&draft, path)?;
        path.parent().map_or(Ok(()), |dir| self.sync_dir(dir))
    }
}

/// One open file of a [`Disk`].
pub trait DiskFile: Send + Sync {
    /// Returns the length in bytes.
    fn len(&self) -> io::Result<u64>;
    /// Tells whether the file has no bytes.
    fn is_empty(&self) -> io::Result<bool> {
        self.len().map(|len| len == 0)
    }
    /// Fills `buffer` from `offset`; fewer bytes there is `UnexpectedEof`.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()>;
    /// Writes all of `content` at `offset`.
    fn write_at(&self, offset: u64, content: &[u8]) -> io::Result<()>;
    /// Gives the file `len` bytes of zeros that are really on the disk, so that later writes into
    /// them cannot find it full.
    fn allocate(&self, len: u64) -> io::Result<()>;
    /// Gives the file exactly `len` bytes, whatever they hold, so that nobody else can have their
    /// room; a shorter length gives room back.
    fn reserve(&self, len: u64) -> io::Result<()>;
    /// Makes the content survive power loss.
    fn sync(&self) -> io::Result<()>;
    /// Maps the file's present length for writing, where allocated bytes are promised to stay
    /// writable; `None` where the file system cannot promise that (then write by `write_at`).
    fn map(&self) -> io::Result<Option<Box<dyn DiskMap>>>;
}

/// A file mapped into memory. What is stored in it belongs to the kernel at once, so it survives
/// the death of the process; [`DiskFile::sync`] makes it survive power loss.
pub trait DiskMap: Send {
    /// Returns the whole mapping.
    fn bytes(&mut self) -> &mut [u8];
}
