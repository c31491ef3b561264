//! Copying a whole store: a backup while it is used, and a store made of one.
//!
//! A copy is made beside its name and gets it when it is whole, so that whatever has the name is a
//! whole copy; and its `format` file comes last, so that nothing takes half of one for a store.

use std::path::{Path as HostPath, PathBuf};

use homefs_core::{Digest, Disk, Error, ErrorKind, Result};
use homefs_store::base::Base;
use homefs_store::chunks::{Chunks, Pins};
use homefs_store::ground::Components;

use crate::store::{FORMAT_FILE, Store, format_text};

/// What follows the name of a copy that is not whole.
const UNFINISHED: &str = ".unfinished";

impl Store {
    /// Copies the store, as it is now, to a new directory that is itself a store. Everything
    /// acknowledged before the call is in it; writers go on meanwhile.
    pub fn backup(&self, to: &HostPath) -> Result<()> {
        let inner = self.inner();
        inner.check_open()?;
        let disk = &*inner.ground.disk;
        make_beside(to, disk, |draft| {
            for space in inner.spaces.open_now() {
                space.settle_due(None)?;
            }
            inner.fold.checkpoint()?;
            for name in inner.spaces.all()? {
                let space = inner.spaces.get(&name)?;
                let target = draft.join("spaces").join(name.to_string());
                disk.create_dir_all(&target)
                    .map_err(|cause| Error::io_at("back up", &target, cause))?;
                // The chunks that the copy names, and nothing removes them while the pins are held.
                let mut pins = Pins::new(&space.chunks);
                let digests = {
                    let _paused = inner.fold.pause();
                    let _kept = space.kept.read();
                    space.base.copy_into(&target.join(Base::FILE))?;
                    let digests = space.chunks.list()?;
                    for &digest in &digests {
                        pins.add(digest);
                    }
                    digests
                };
                sync_file(&target.join(Base::FILE), disk)?;
                copy_chunks(&space.chunks, &digests, &target, disk)?;
                disk.sync_dir(&target).map_err(|cause| Error::io_at("back up", &target, cause))?;
            }
            Ok(format_text().into_bytes())
        })
    }
}

/// Makes a store out of a backup, in a new directory.
pub fn restore_store(backup: &HostPath, dir: &HostPath, components: &Components) -> Result<()> {
    let disk = &*components.disk;
    let mark = backup.join(FORMAT_FILE);
    if !disk.exists(&mark).map_err(|cause| Error::io_at("read the backup", backup, cause))? {
        let message = "is not a whole backup: its `format` file is missing";
        let place = backup.display().to_string();
        return Err(Error::new(ErrorKind::Invalid, message).with_path_text(place));
    }
    make_beside(dir, disk, |draft| {
        copy_tree(&backup.join("spaces"), &draft.join("spaces"), disk)?;
        disk.read(&mark).map_err(|cause| Error::io_at("read the backup", &mark, cause))
    })
}

/// Fills a directory beside `to`, ends it with the format that `fill` returns and renames it. What
/// an earlier attempt left there goes first, and what a failure leaves goes too.
fn make_beside(
    to: &HostPath,
    disk: &dyn Disk,
    fill: impl FnOnce(&HostPath) -> Result<Vec<u8>>,
) -> Result<()> {
    check_empty(to, disk)?;
    let draft = beside(to);
    let clear =
        || disk.remove_dir_all(&draft).map_err(|cause| Error::io_at("clear", &draft, cause));
    clear()?;
    let make = || -> Result<()> {
        disk.create_dir_all(&draft).map_err(|cause| Error::io_at("make", &draft, cause))?;
        let format = fill(&draft)?;
        let mark = draft.join(FORMAT_FILE);
        disk.replace(&mark, &format).map_err(|cause| Error::io_at("write", &mark, cause))?;
        let above = to.parent().filter(|above| !above.as_os_str().is_empty());
        let above = above.unwrap_or(HostPath::new("."));
        disk.rename(&draft, to)
            .and_then(|()| disk.sync_dir(above))
            .map_err(|cause| Error::io_at("name the copy", to, cause))
    };
    make().inspect_err(|_| drop(clear()))
}

/// Returns the name of a copy until it is whole.
fn beside(to: &HostPath) -> PathBuf {
    let mut name = to.file_name().unwrap_or_default().to_owned();
    name.push(UNFINISHED);
    to.with_file_name(name)
}

fn check_empty(dir: &HostPath, disk: &dyn Disk) -> Result<()> {
    let names = disk.list(dir).map_err(|cause| Error::io_at("look into", dir, cause))?;
    if names.is_empty() {
        return Ok(());
    }
    let message = "is not empty: choose a new directory";
    Err(Error::new(ErrorKind::AlreadyExists, message).with_path_text(dir.display().to_string()))
}

fn copy_chunks(
    chunks: &Chunks,
    digests: &[Digest],
    target: &HostPath,
    disk: &dyn Disk,
) -> Result<()> {
    let mut folders = Vec::new();
    for &digest in digests {
        // Read through the store, so that a damaged chunk is found now and not when needed.
        let content = chunks.get(digest)?;
        let name = digest.to_string();
        let folder = target.join("chunks").join(&name[..2]);
        disk.create_dir_all(&folder).map_err(|cause| Error::io_at("back up", &folder, cause))?;
        write_file(&folder.join(&name), &content, disk)?;
        folders.push(folder);
    }
    folders.dedup();
    let synced = folders.iter().try_for_each(|folder| disk.sync_dir(folder));
    synced.map_err(|cause| Error::io_at("back up", target, cause))
}

fn copy_tree(from: &HostPath, to: &HostPath, disk: &dyn Disk) -> Result<()> {
    disk.create_dir_all(to).map_err(|cause| Error::io_at("restore", to, cause))?;
    for name in disk.list(from).map_err(|cause| Error::io_at("read the backup", from, cause))? {
        let (from, to) = (from.join(&name), to.join(&name));
        if from.is_dir() {
            copy_tree(&from, &to, disk)?;
        } else {
            let content =
                disk.read(&from).map_err(|cause| Error::io_at("read the backup", &from, cause))?;
            write_file(&to, &content, disk)?;
        }
    }
    disk.sync_dir(to).map_err(|cause| Error::io_at("restore", to, cause))
}

fn write_file(path: &HostPath, content: &[u8], disk: &dyn Disk) -> Result<()> {
    let write = || {
        let file = disk.create(path)?;
        file.write_at(0, content)?;
        file.sync()
    };
    write().map_err(|cause| Error::io_at("write", path, cause))
}

fn sync_file(path: &HostPath, disk: &dyn Disk) -> Result<()> {
    disk.open(path).and_then(|file| file.sync()).map_err(|cause| Error::io_at("sync", path, cause))
}
