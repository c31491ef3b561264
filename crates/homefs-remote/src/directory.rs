//! A directory as a remote: one file per object, on a local or a network file system.
//!
//! A change of an object is decided under a lock that every homefs on every machine takes.
//! The lock is the draft itself, a file beside the object: who has locked it writes the content
//! into it and moves it over the object, which gives the lock up in the same step.
//! So no lock files stay behind, and what a crash leaves is the next writer's draft.
//!
//! A tag is made of inode, length and time of change. Each put moves that time forwards, because
//! two puts within one tick of the file system's clock could otherwise have equal tags.
//! Other programs do not take the lock: a change that one makes at the very moment of a put is
//! replaced by it.
//!
//! Whoever can write to the directory must not lead homefs out of it, or make it wait for ever: an
//! object is a plain file, and no symbolic link below the root is followed.

#![expect(
    clippy::disallowed_methods,
    reason = "files shared with other machines need locks and times, which Disk does not have; \
              simulations replace the whole remote"
)]

mod page;

use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path as HostPath, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use homefs_core::{
    Condition, Digest, Error, ErrorCode, ErrorKind, RemoteAnswer, RemoteRequest, Result, Tag,
    Timestamp,
};
use rustix::fs::OFlags;
use rustix::io::Errno;

use crate::bucket::{check_size, name};

/// What the names of drafts start with; such keys are refused and never listed.
const DRAFT: &str = ".homefs-draft-";
/// How long to wait before looking again whether another writer has finished.
const LOCKED: Duration = Duration::from_millis(2);

/// A directory with objects.
pub(crate) struct Directory {
    root: PathBuf,
}

impl Directory {
    /// Takes a directory that is there: a missing one may be a file system that is not mounted.
    pub(crate) fn open(root: &HostPath) -> Result<Self> {
        let found = fs::metadata(root);
        if !found.is_ok_and(|found| found.is_dir()) {
            let message = "there is no such directory: create it, or mount what it belongs to";
            let error = Error::new(ErrorKind::Invalid, message);
            return Err(error.with_path_text(format!("file://{}", root.display())));
        }
        Ok(Self { root: root.to_owned() })
    }

    /// Answers a request on a thread that may block.
    pub(crate) async fn answer(self: Arc<Self>, request: RemoteRequest) -> Result<RemoteAnswer> {
        let request = Arc::new(request);
        loop {
            let (directory, again) = (Arc::clone(&self), Arc::clone(&request));
            let answer = tokio::task::spawn_blocking(move || directory.attempt(&again)).await;
            let answer = answer.map_err(|cause| {
                Error::new(ErrorKind::Internal, "the thread of a request ended").with_source(cause)
            })?;
            match answer {
                Ok(Some(answer)) => return Ok(answer),
                Ok(None) => tokio::time::sleep(LOCKED).await,
                Err(Failure::Told(error)) => return Err(error),
                Err(Failure::Host(cause)) => return Err(self.error(name(&request).0, cause)),
            }
        }
    }

    /// Answers a request; nothing if another writer holds the object's lock.
    fn attempt(&self, request: &RemoteRequest) -> Result<Option<RemoteAnswer>, Failure> {
        match request {
            RemoteRequest::Get { key, range, unless } => {
                self.get(&self.place(key)?, range.as_ref(), unless.as_ref()).map(Some)
            }
            RemoteRequest::Put { key, content, condition } => {
                self.put(&self.place(key)?, content, condition)
            }
            RemoteRequest::Delete { key } => self.delete(&self.place(key)?),
            RemoteRequest::List { prefix, after } => {
                self.check_root()?;
                Ok(Some(page::list(&self.root, prefix, after.as_deref())?))
            }
        }
    }

    /// Returns the file of an object.
    fn place(&self, key: &str) -> Result<PathBuf> {
        if key.split('/').any(|part| part.starts_with(DRAFT)) {
            let message = format!("names that start with {DRAFT} are reserved");
            return Err(Error::new(ErrorKind::Invalid, message));
        }
        let place = self.root.join(key);
        let mut above = place.ancestors().skip(1).take_while(|dir| *dir != self.root);
        if let Some(link) = above.find(|dir| dir.is_symlink()) {
            let message = "a symbolic link in the directory of a remote is not followed";
            let error = Error::new(ErrorKind::Invalid, message);
            return Err(error.with_path_text(link.to_string_lossy()));
        }
        Ok(place)
    }

    /// Reads an object.
    fn get(
        &self,
        place: &HostPath,
        range: Option<&Range<u64>>,
        unless: Option<&Tag>,
    ) -> Result<RemoteAnswer, Failure> {
        let Some((mut file, found)) = present(place)? else {
            self.check_root()?;
            return Err(told(ErrorKind::NotFound, "there is no such object"));
        };
        let tag = tag(&found);
        if unless == Some(&tag) {
            return Ok(RemoteAnswer::Unchanged);
        }
        let range = range.cloned().unwrap_or(0..found.len());
        if range.start >= found.len() && !(range.is_empty() && found.len() == 0) {
            let error =
                Error::new(ErrorKind::Invalid, "the range starts after the end of the object");
            return Err(Failure::Told(error.with_code(ErrorCode::BeyondEnd)));
        }
        let length = range.end.min(found.len()) - range.start;
        check_size(length)?;
        file.seek(SeekFrom::Start(range.start))?;
        let mut content = Vec::with_capacity(usize::try_from(length).unwrap_or_default());
        (&file).take(length).read_to_end(&mut content)?;
        // Puts replace the whole file, but another program may have written into this one.
        if content.len() as u64 != length || self::tag(&file.metadata()?) != tag {
            return Err(told(ErrorKind::Unavailable, "the object changed while it was read"));
        }
        Ok(RemoteAnswer::Object { content: content.into(), tag, modified: modified(&found) })
    }

    /// Stores an object if the condition holds.
    fn put(
        &self,
        place: &HostPath,
        content: &Bytes,
        condition: &Condition,
    ) -> Result<Option<RemoteAnswer>, Failure> {
        let dir = place.parent().unwrap_or(&self.root);
        let locked = self.create_dirs(dir).and_then(|()| Draft::lock(place));
        let Some(mut draft) = locked.or_else(missing_is_none)? else {
            self.check_root()?;
            return Ok(None);
        };
        let moved = draft.fill(place, content, condition);
        let moved = moved.and_then(|()| Ok(fs::rename(&draft.path, place)?));
        if let Err(failure) = moved {
            // Nobody else can have moved or removed it, because it is still locked.
            draft.discard()?;
            self.prune(place);
            return Err(failure);
        }
        File::open(dir)?.sync_all()?;
        Ok(Some(RemoteAnswer::Stored { tag: tag(&draft.file.metadata()?) }))
    }

    /// Removes an object, and the directories that it leaves empty.
    fn delete(&self, place: &HostPath) -> Result<Option<RemoteAnswer>, Failure> {
        if present(place)?.is_none() {
            self.check_root()?;
            return Ok(Some(RemoteAnswer::Deleted));
        }
        let locked = Draft::lock(place).or_else(missing_is_none)?;
        let Some(draft) = locked else { return Ok(None) };
        fs::remove_file(place).map(Some).or_else(missing_is_none)?;
        File::open(place.parent().unwrap_or(&self.root))?.sync_all()?;
        draft.discard()?;
        self.prune(place);
        Ok(Some(RemoteAnswer::Deleted))
    }

    /// Removes the directories above an object that have nothing in them.
    fn prune(&self, place: &HostPath) {
        for dir in place.ancestors().skip(1).take_while(|dir| *dir != self.root) {
            if fs::remove_dir(dir).is_err() {
                break;
            }
        }
    }

    /// Creates the directories between the root and `dir`, never the root itself.
    fn create_dirs(&self, dir: &HostPath) -> io::Result<()> {
        if dir == self.root || dir.is_dir() {
            return Ok(());
        }
        let above = dir.parent().unwrap_or(&self.root);
        self.create_dirs(above)?;
        match fs::create_dir(dir) {
            Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists && dir.is_dir() => Ok(()),
            created => created.and_then(|()| File::open(above)?.sync_all()),
        }
    }

    /// Fails if the root is gone: then nothing can be said of its objects.
    fn check_root(&self) -> Result<()> {
        if self.root.is_dir() {
            return Ok(());
        }
        let message = "the directory of the remote is not there: is it mounted?";
        Err(Error::new(ErrorKind::Unavailable, message))
    }

    /// Makes an error of a failed host call.
    fn error(&self, attempt: &str, cause: io::Error) -> Error {
        if let Err(error) = self.check_root() {
            return error;
        }
        let kind = match cause.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                ErrorKind::Denied
            }
            io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded
            | io::ErrorKind::FileTooLarge => ErrorKind::LimitExceeded,
            io::ErrorKind::InvalidFilename
            | io::ErrorKind::IsADirectory
            | io::ErrorKind::NotADirectory
            | io::ErrorKind::AlreadyExists => ErrorKind::Invalid,
            io::ErrorKind::Unsupported => ErrorKind::Unsupported,
            _ => ErrorKind::Unavailable,
        };
        Error::new(kind, format!("cannot {attempt}: {cause}")).with_source(cause)
    }
}

/// Why an attempt failed: as said here, or as the host says.
enum Failure {
    Told(Error),
    Host(io::Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Told(error)
    }
}

impl From<io::Error> for Failure {
    fn from(cause: io::Error) -> Self {
        Self::Host(cause)
    }
}

fn told(kind: ErrorKind, message: &str) -> Failure {
    Failure::Told(Error::new(kind, message))
}

/// The next content of an object, and the lock of whoever may store it.
struct Draft {
    path: PathBuf,
    file: File,
}

impl Draft {
    /// Takes the lock of an object; nothing if another writer has it. `NotFound` says that another
    /// writer has just ended, and maybe left no directory.
    fn lock(place: &HostPath) -> io::Result<Option<Self>> {
        // The name is hashed, because a longest name leaves no room for an ending.
        let digest = Digest::of(place.file_name().unwrap_or_default().as_encoded_bytes());
        let path = place.with_file_name(format!("{DRAFT}{}", &digest.to_string()[..16]));
        let mut options = plain();
        let file = options.write(true).create(true).truncate(false).open(&path)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(cause)) => return Err(cause),
            Ok(()) => {}
        }
        // Who had the lock before may have moved this very file over the object. It is opened
        // again and not only looked at, because that is when a network file system asks afresh.
        let now = plain().open(&path)?.metadata()?;
        let same = identity(&now) == identity(&file.metadata()?);
        Ok(same.then_some(Self { path, file }))
    }

    /// Writes the content if the condition holds, durably, and as a state of its own.
    fn fill(
        &mut self,
        place: &HostPath,
        content: &Bytes,
        condition: &Condition,
    ) -> Result<(), Failure> {
        let before = present(place)?.map(|(_, found)| found);
        let holds = match (condition, &before) {
            (Condition::Any, _) | (Condition::Absent, None) => true,
            (Condition::Unchanged(expected), Some(found)) => tag(found) == *expected,
            (Condition::Absent, Some(_)) | (Condition::Unchanged(_), None) => false,
        };
        if !holds {
            return Err(told(ErrorKind::Conflict, "the object is not as the put expects it"));
        }
        self.file.set_len(0)?;
        self.file.write_all(content)?;
        // Only what has reached a network file system has its final time.
        self.file.sync_all()?;
        if let Some(before) = before {
            self.move_time_after(&before)?;
        }
        Ok(())
    }

    /// Removes the draft while it is locked.
    fn discard(self) -> io::Result<()> {
        fs::remove_file(&self.path)
    }

    /// Gives the draft a time of change after that of the object that it replaces.
    fn move_time_after(&mut self, before: &Metadata) -> io::Result<()> {
        let earlier = before.modified()?;
        // The second step is for file systems that keep whole seconds, or every other one.
        for step in [Duration::from_nanos(1), Duration::from_secs(2)] {
            if self.file.metadata()?.modified()? > earlier {
                break;
            }
            self.file.set_modified(earlier + step)?;
            self.file.sync_all()?;
        }
        Ok(())
    }
}

/// Returns how a plain file is opened: a symbolic link is an error, and a pipe does not wait.
fn plain() -> OpenOptions {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(flags.bits().cast_signed());
    options
}

/// Opens the file of an object; nothing if there is none.
fn present(place: &HostPath) -> io::Result<Option<(File, Metadata)>> {
    let file = match plain().open(place) {
        Err(cause)
            if matches!(cause.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
                || cause.raw_os_error() == Some(Errno::LOOP.raw_os_error()) =>
        {
            return Ok(None);
        }
        opened => opened?,
    };
    let found = file.metadata()?;
    Ok(found.is_file().then_some((file, found)))
}

/// Returns what names the state of an object.
fn tag(found: &Metadata) -> Tag {
    let (seconds, nanos) = (found.mtime(), found.mtime_nsec());
    Tag::new(format!("{:x}-{seconds:x}.{nanos:x}-{:x}", found.ino(), found.len()))
}

/// Returns when an object was stored.
fn modified(found: &Metadata) -> Timestamp {
    let seconds = found.mtime().saturating_mul(1_000_000_000);
    Timestamp(seconds.saturating_add(found.mtime_nsec()))
}

/// Returns what tells files apart that exist at the same time.
fn identity(found: &Metadata) -> (u64, u64) {
    (found.dev(), found.ino())
}

/// Takes it as nothing if something is not there.
fn missing_is_none<T>(cause: io::Error) -> io::Result<Option<T>> {
    if cause.kind() == io::ErrorKind::NotFound { Ok(None) } else { Err(cause) }
}
