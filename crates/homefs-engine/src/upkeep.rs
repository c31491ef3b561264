//! Keeping a store well: checking it, copying it while it is used, mending it when it is broken.
//!
//! Nothing here deletes data: what cannot be used is set aside under a name that says so.

use std::path::{Path as HostPath, PathBuf};

use homefs_core::{Disk, Error, ErrorKind, Result, SpaceName};
use serde::{Deserialize, Serialize};

use crate::aside;
use crate::base::{Base, salvage};
use crate::chunks::Chunks;
use crate::ground::Components;
use crate::journal::{self, JournalSettings};
use crate::lock::StoreLock;
use crate::store::{FORMAT_FILE, Store, format_text};

/// Something that a check found wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// What it is about.
    pub place: String,
    /// What is wrong with it.
    pub problem: String,
    /// What was done about it, if anything.
    pub mended: Option<String>,
}

impl Store {
    /// Checks every checksum and reference of every space.
    pub fn verify(&self) -> Result<Vec<Finding>> {
        let inner = self.inner();
        inner.check_open()?;
        inner.fold.catch_up()?;
        let mut findings = Vec::new();
        for name in inner.spaces.all()? {
            let checked = inner.spaces.get(&name).and_then(|space| {
                space.base.verify(&mut |found| {
                    let place = format!("{name}: {}", found.subject);
                    findings.push(Finding { place, problem: found.problem, mended: None });
                })
            });
            if let Err(error) = checked {
                let problem = error.to_string();
                findings.push(Finding { place: name.to_string(), problem, mended: None });
            }
        }
        Ok(findings)
    }

    /// Copies the store, as it is now, to a new directory that is itself a store. Everything
    /// acknowledged before the call is in it; writers go on meanwhile.
    pub fn backup(&self, to: &HostPath) -> Result<()> {
        let inner = self.inner();
        inner.check_open()?;
        let disk = &*inner.ground.disk;
        check_empty(to, disk)?;
        for space in inner.spaces.open_now() {
            space.settle_due(None)?;
        }
        inner.fold.checkpoint()?;
        // Held to the end: a fold could remove chunks that the copies still name.
        let _paused = inner.fold.pause();
        for name in inner.spaces.all()? {
            let space = inner.spaces.get(&name)?;
            let target = to.join("spaces").join(name.to_string());
            disk.create_dir_all(&target).map_err(|cause| failed("back up", &target, cause))?;
            space.base.copy_into(&target.join(Base::FILE))?;
            copy_chunks(&space.chunks, &target, disk)?;
        }
        // Last: without it the copy is no store, so half a backup is not taken for a whole one.
        let mark = to.join(FORMAT_FILE);
        disk.replace(&mark, format_text().as_bytes()).map_err(|cause| failed("back up", &mark, cause))
    }
}

/// Makes a store out of a backup, in a new directory.
pub fn restore_store(backup: &HostPath, dir: &HostPath, components: &Components) -> Result<()> {
    let disk = &*components.disk;
    let mark = backup.join(FORMAT_FILE);
    if !disk.exists(&mark).map_err(|cause| failed("read the backup", backup, cause))? {
        let message = "is not a whole backup: its `format` file is missing";
        let place = backup.display().to_string();
        return Err(Error::new(ErrorKind::Invalid, message).with_path_text(place));
    }
    check_empty(dir, disk)?;
    copy_tree(&backup.join("spaces"), &dir.join("spaces"), disk)?;
    let content = disk.read(&mark).map_err(|cause| failed("read the backup", &mark, cause))?;
    let mark = dir.join(FORMAT_FILE);
    disk.replace(&mark, &content).map_err(|cause| failed("restore", &mark, cause))
}

/// Mends a store that does not open, as far as possible, and tells what was done. The readable
/// part of a damaged journal or base is kept in use; the damaged files are set aside.
pub fn repair(dir: &HostPath, components: &Components) -> Result<Vec<Finding>> {
    let disk = &*components.disk;
    let _lock = StoreLock::take(dir)?;
    let mut findings = Vec::new();
    repair_journal(dir, components, &mut findings)?;
    for folder in ["agents", "shared"] {
        let above = dir.join("spaces").join(folder);
        let mut names =
            disk.list(&above).map_err(|cause| failed("list the spaces", &above, cause))?;
        names.sort();
        for name in names {
            if let Ok(space) = format!("{folder}/{name}").parse::<SpaceName>() {
                repair_space(&above.join(&name), &space, components, &mut findings)?;
            }
        }
    }
    Ok(findings)
}

fn repair_journal(
    dir: &HostPath,
    components: &Components,
    findings: &mut Vec<Finding>,
) -> Result<()> {
    let place = dir.join("journal");
    let Err(problem) = journal::check(&place, &*components.disk) else { return Ok(()) };
    if problem.kind() != ErrorKind::Corrupt {
        return Err(problem);
    }
    let payloads = journal::salvage(&place, &*components.disk)?;
    let aside = set_aside(&place, components)?;
    journal::write_new(&place, components.disk.clone(), JournalSettings::default(), &payloads)?;
    findings.push(Finding {
        place: place.display().to_string(),
        problem: problem.to_string(),
        mended: Some(format!(
            "{} records before the damage are in use, the damaged journal is in {}",
            payloads.len(),
            aside.display()
        )),
    });
    Ok(())
}

fn repair_space(
    dir: &HostPath,
    name: &SpaceName,
    components: &Components,
    findings: &mut Vec<Finding>,
) -> Result<()> {
    let disk = components.disk.clone();
    let chunks = || std::sync::Arc::new(Chunks::new(dir.join("chunks"), disk.clone()));
    let now = components.clock.now();
    let mut problems = Vec::new();
    let checked = Base::open(dir, chunks(), now)
        .and_then(|base| base.verify(&mut |found| problems.push(found)));
    match checked {
        Err(error) if error.kind() == ErrorKind::Corrupt => {
            let file = dir.join(Base::FILE);
            let damaged = set_aside(&file, components)?;
            let base = Base::open(dir, chunks(), now)?;
            let saved = salvage(&damaged, &base)?;
            findings.push(Finding {
                place: name.to_string(),
                problem: error.to_string(),
                mended: Some(format!("{saved}; the damaged base is in {}", damaged.display())),
            });
        }
        Err(error) => return Err(error),
        Ok(()) => findings.extend(problems.into_iter().map(|found| Finding {
            place: format!("{name}: {}", found.subject),
            problem: found.problem,
            mended: None,
        })),
    }
    let records = aside::read(dir, &*disk)?;
    if !records.is_empty() {
        let base = Base::open(dir, chunks(), now)?;
        base.fold(&records)?;
        base.checkpoint()?;
        aside::finish(dir, &*disk)?;
        findings.push(Finding {
            place: name.to_string(),
            problem: format!("{} records were set aside", records.len()),
            mended: Some("they are in the base again".into()),
        });
    }
    Ok(())
}

/// Renames what is damaged, to a name that is free.
fn set_aside(path: &HostPath, components: &Components) -> Result<PathBuf> {
    let disk = &*components.disk;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    for number in 1.. {
        let target = path.with_file_name(format!("{name}.damaged-{number}"));
        if disk.exists(&target).map_err(|cause| failed("look at", &target, cause))? {
            continue;
        }
        disk.rename(path, &target).map_err(|cause| failed("set aside", path, cause))?;
        // What SQLite keeps beside a database belongs to it.
        for suffix in ["-wal", "-shm"] {
            let beside = path.with_file_name(format!("{name}{suffix}"));
            if disk.exists(&beside).map_err(|cause| failed("look at", &beside, cause))? {
                let target = path.with_file_name(format!("{name}.damaged-{number}{suffix}"));
                disk.rename(&beside, &target).map_err(|cause| failed("set aside", &beside, cause))?;
            }
        }
        return Ok(target);
    }
    Err(Error::new(ErrorKind::Internal, "no free name to set damaged files aside"))
}

fn check_empty(dir: &HostPath, disk: &dyn Disk) -> Result<()> {
    let names = disk.list(dir).map_err(|cause| failed("look into", dir, cause))?;
    if names.is_empty() {
        return disk.create_dir_all(dir).map_err(|cause| failed("make", dir, cause));
    }
    let message = "is not empty: choose a new directory";
    Err(Error::new(ErrorKind::AlreadyExists, message).with_path_text(dir.display().to_string()))
}

fn copy_chunks(chunks: &Chunks, target: &HostPath, disk: &dyn Disk) -> Result<()> {
    for digest in chunks.list()? {
        // Read through the store, so that a damaged chunk is found now and not when needed.
        let content = chunks.get(digest)?;
        let name = digest.to_string();
        let folder = target.join("chunks").join(&name[..2]);
        disk.create_dir_all(&folder).map_err(|cause| failed("back up", &folder, cause))?;
        write_file(&folder.join(&name), &content, disk)?;
    }
    Ok(())
}

fn copy_tree(from: &HostPath, to: &HostPath, disk: &dyn Disk) -> Result<()> {
    disk.create_dir_all(to).map_err(|cause| failed("restore", to, cause))?;
    for name in disk.list(from).map_err(|cause| failed("read the backup", from, cause))? {
        let (from, to) = (from.join(&name), to.join(&name));
        if from.is_dir() {
            copy_tree(&from, &to, disk)?;
        } else {
            let content =
                disk.read(&from).map_err(|cause| failed("read the backup", &from, cause))?;
            write_file(&to, &content, disk)?;
        }
    }
    disk.sync_dir(to).map_err(|cause| failed("restore", to, cause))
}

fn write_file(path: &HostPath, content: &[u8], disk: &dyn Disk) -> Result<()> {
    let write = || {
        let file = disk.create(path)?;
        file.write_at(0, content)?;
        file.sync()
    };
    write().map_err(|cause| failed("write", path, cause))
}

fn failed(what: &str, path: &HostPath, cause: std::io::Error) -> Error {
    Error::io(what, cause).with_path_text(path.display().to_string())
}
