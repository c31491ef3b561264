//! Keeping a store well: checking it, copying it while it is used, mending it when it is broken.
//!
//! Nothing here deletes data: what cannot be used is set aside under a name that says so.

use std::collections::BTreeMap;
use std::path::{Path as HostPath, PathBuf};
use std::sync::Arc;

use homefs_core::{Disk, Error, ErrorKind, Result, SpaceName};
use homefs_store::aside;
use homefs_store::base::{About, Base, Elsewhere, Salvaged, salvage};
use homefs_store::chunks::Chunks;
use homefs_store::ground::Components;
use homefs_store::index_file;
use homefs_store::journal::{self, JournalSettings};
use homefs_store::lock::StoreLock;
use homefs_store::record::{Change, Record};
use homefs_sync::{elsewhere, rebuild_copies};
use serde::{Deserialize, Serialize};

use crate::lost_changes;
use crate::store::{FORMAT_FILE, JOURNAL, MENDED_JOURNAL, Store, format_text, read_format};

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
        let mut findings = Vec::new();
        for name in inner.spaces.all()? {
            let checked = inner.spaces.get(&name).and_then(|space| {
                // What is not settled is counted in the space's usage but is in no base yet; a
                // space that is only opened now may have some of the last run.
                space.settle_due(None)?;
                inner.fold.catch_up(&name)?;
                space.base.verify(&mut |found| {
                    let place = format!("{name}: {}", found.subject);
                    findings.push(Finding { place, problem: found.problem, mended: None });
                })
            });
            match checked {
                Err(error) if is_about_the_store(&error) => {
                    let problem = error.to_string();
                    findings.push(Finding { place: name.to_string(), problem, mended: None });
                }
                other => other?,
            }
        }
        Ok(findings)
    }

    /// Compares the index of each space that has one with an index made of the space anew.
    pub fn verify_indexes(&self) -> Result<Vec<Finding>> {
        let inner = self.inner();
        inner.check_open()?;
        let mut findings = Vec::new();
        for name in inner.spaces.all()? {
            let wrong = inner.indexing.verify(&name).into_iter();
            findings.extend(wrong.map(|(at, problem, mended)| {
                let mended = mended.map(str::to_owned);
                Finding { place: format!("{name}: {at}"), problem, mended }
            }));
        }
        Ok(findings)
    }
}

/// Tells what is wrong with a store from what is wrong around it, such as too many open files or a
/// full disk, which says nothing of what is stored.
fn is_about_the_store(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Corrupt | ErrorKind::Unsupported | ErrorKind::NotFound)
}

/// Mends a store that does not open, as far as possible, and tells what was done and what is lost.
/// The readable part of a damaged journal or base is kept in use; the damaged files are set aside.
///
/// Contents that are damaged or lost are told by [`Store::verify`], which heals those that the
/// remote has; the others are an error to whoever reads them.
pub fn repair(dir: &HostPath, components: &Components) -> Result<Vec<Finding>> {
    let disk = &*components.disk;
    let has_journal = disk.exists(&dir.join(JOURNAL));
    if let Err(error) = read_format(dir, disk)
        && error.kind() == ErrorKind::NotEmpty
        && !has_journal.map_err(|cause| Error::io_at("look into", dir, cause))?
    {
        return Err(error.with_path_text(dir.display().to_string()));
    }
    let _lock = StoreLock::take(dir)?;
    let mut findings = Vec::new();
    let lost = repair_journal(dir, components, &mut findings)?;
    repair_format(dir, components, &mut findings)?;
    let mut records: BTreeMap<SpaceName, Vec<Record>> = BTreeMap::new();
    for payload in journal::salvage(&dir.join("journal"), disk)? {
        let record = Record::decode(&payload)?;
        records.entry(record.space.clone()).or_default().push(record);
    }
    for folder in ["agents", "shared"] {
        let above = dir.join("spaces").join(folder);
        let names =
            disk.list(&above).map_err(|cause| Error::io_at("list the spaces", &above, cause))?;
        for name in names.iter().filter_map(|name| format!("{folder}/{name}").parse().ok()) {
            records.entry(name).or_default();
        }
    }
    for (name, records) in records {
        let dir = dir.join("spaces").join(name.to_string());
        repair_space(&dir, &name, records, components, &mut findings)?;
        // It says only what the remote has, so a space is as good without it.
        if let Err(error) = rebuild_copies(&dir) {
            let (place, problem) = (name.to_string(), error.to_string());
            findings.push(Finding { place, problem, mended: None });
        }
    }
    findings.extend(lost_changes::name(dir, &lost, components));
    Ok(findings)
}

/// Marks a store anew whose format file is lost or damaged; what else it has names its own format.
fn repair_format(
    dir: &HostPath,
    components: &Components,
    findings: &mut Vec<Finding>,
) -> Result<()> {
    let (place, disk) = (dir.join(FORMAT_FILE), &*components.disk);
    let Err(error) = read_format(dir, disk) else { return Ok(()) };
    let mended = match error.kind() {
        ErrorKind::NotEmpty => "written anew".to_owned(),
        ErrorKind::Corrupt => {
            format!("written anew, the old one is in {}", set_aside(&place, components)?.display())
        }
        _ => return Err(error.with_path_text(dir.display().to_string())),
    };
    let written = disk.replace(&place, format_text().as_bytes());
    written.map_err(|cause| Error::io_at("write", &place, cause))?;
    let place = place.display().to_string();
    let problem = "it does not name the format of the store".to_owned();
    findings.push(Finding { place, problem, mended: Some(mended) });
    Ok(())
}

/// Mends the journal; returns the records that are lost, as far as they can be read.
fn repair_journal(
    dir: &HostPath,
    components: &Components,
    findings: &mut Vec<Finding>,
) -> Result<Vec<Vec<u8>>> {
    let disk = &*components.disk;
    let (place, mended) = (dir.join(JOURNAL), dir.join(MENDED_JOURNAL));
    let there =
        |path: &HostPath| disk.exists(path).map_err(|cause| Error::io_at("look at", path, cause));
    if there(&mended)? {
        // An earlier repair ended here. What it wrote counts only once the journal was set aside.
        if there(&place)? {
            set_aside(&mended, components)?;
        } else {
            put_in_use(&mended, &place, disk)?;
        }
    }
    let Err(problem) = journal::check(&place, disk) else { return Ok(Vec::new()) };
    if problem.kind() != ErrorKind::Corrupt {
        return Err(problem);
    }
    let payloads = journal::salvage(&place, disk)?;
    let lost = journal::beyond(&place, disk)?;
    journal::write_new(&mended, components.disk.clone(), JournalSettings::default(), &payloads)?;
    let aside = set_aside(&place, components)?;
    put_in_use(&mended, &place, disk)?;
    findings.push(Finding {
        place: place.display().to_string(),
        problem: problem.to_string(),
        mended: Some(format!(
            "{} records before the damage are in use, the damaged journal is in {}",
            payloads.len(),
            aside.display()
        )),
    });
    Ok(lost)
}

fn put_in_use(mended: &HostPath, place: &HostPath, disk: &dyn Disk) -> Result<()> {
    let moved = disk.rename(mended, place);
    let synced = moved.and_then(|()| place.parent().map_or(Ok(()), |above| disk.sync_dir(above)));
    synced.map_err(|cause| Error::io_at("put in use", place, cause))
}

/// Mends one space; `records` are those in the journal.
fn repair_space(
    dir: &HostPath,
    name: &SpaceName,
    mut records: Vec<Record>,
    components: &Components,
    findings: &mut Vec<Finding>,
) -> Result<()> {
    let disk = &*components.disk;
    // It may have seen changes that the repair drops; it is made again.
    index_file::remove(disk, dir)?;
    let chunks = Arc::new(Chunks::new(dir.join("chunks"), components.disk.clone()));
    let set_aside = aside::read(dir, disk)?;
    let set_aside_count = set_aside.len();
    records.extend(set_aside);
    records.sort_by_key(|record| record.version);
    let elsewhere = elsewhere(dir, &chunks);
    match check_space(dir, &chunks, &records, &elsewhere, components) {
        Ok(None) => {}
        Ok(Some(problem)) => {
            let saved = replace_base(dir, &chunks, &records, &elsewhere, components)?;
            findings.push(Finding { place: name.to_string(), problem, mended: Some(saved.saved) });
            findings.extend(saved.lost.into_iter().map(|(path, problem)| {
                let place = format!("{name}: {path}");
                Finding { place, problem, mended: None }
            }));
        }
        // A newer homefs wrote it. The other spaces can be mended all the same.
        Err(error) if error.kind() == ErrorKind::Unsupported => {
            let problem = error.to_string();
            findings.push(Finding { place: name.to_string(), problem, mended: None });
            return Ok(());
        }
        Err(error) => return Err(error),
    }
    if set_aside_count > 0 {
        aside::finish(dir, disk)?;
        findings.push(Finding {
            place: name.to_string(),
            problem: format!("{set_aside_count} records were set aside"),
            mended: Some("they are in the base again".into()),
        });
    }
    Ok(())
}

/// Checks a base and folds the records. Returns what is wrong with the base, if anything; damaged
/// contents are not.
fn check_space(
    dir: &HostPath,
    chunks: &Arc<Chunks>,
    records: &[Record],
    elsewhere: &Elsewhere,
    components: &Components,
) -> Result<Option<String>> {
    let file = dir.join(Base::FILE);
    let there =
        components.disk.exists(&file).map_err(|cause| Error::io_at("look at", &file, cause))?;
    if !there && (!elsewhere.nodes.is_empty() || !chunks.list()?.is_empty()) {
        return Ok(Some("the base is missing".into()));
    }
    let mut problems = Vec::new();
    let mut work = || -> Result<()> {
        let base = Base::open(dir, chunks.clone(), components.clock.now())?;
        let is_settled =
            |change: &Change| !matches!(change, Change::Patch { .. } | Change::Zero { .. });
        let is_settled = records.iter().flat_map(|record| &record.changes).all(is_settled);
        base.verify(&mut |found| match found.about {
            About::Content => {}
            About::Usage if !is_settled => {}
            About::Usage | About::Rows => problems.push(found),
        })?;
        if problems.is_empty() {
            base.fold(records)?;
            base.checkpoint()?;
        }
        Ok(())
    };
    match work() {
        Err(error) if error.kind() == ErrorKind::Corrupt => Ok(Some(error.to_string())),
        Err(error) => Err(error),
        Ok(()) => Ok(problems.first().map(|found| {
            let more = problems.len() - 1;
            format!("{}: {} (and {more} more problems)", found.subject, found.problem)
        })),
    }
}

/// Puts a new base in place of a damaged one, with everything that can be saved.
fn replace_base(
    dir: &HostPath,
    chunks: &Arc<Chunks>,
    records: &[Record],
    elsewhere: &Elsewhere,
    components: &Components,
) -> Result<Salvaged> {
    let disk = &*components.disk;
    let file = dir.join(Base::FILE);
    // Under another name until it is whole: a repair that is cut short can be started again.
    let mended = dir.join(format!("{}.mended", Base::FILE));
    for stale in [mended.clone(), dir.join(format!("{}.mended-wal", Base::FILE))] {
        if disk.exists(&stale).map_err(|cause| Error::io_at("look at", &stale, cause))? {
            disk.remove(&stale).map_err(|cause| Error::io_at("remove", &stale, cause))?;
        }
    }
    let fresh = Base::open_file(mended.clone(), chunks.clone(), components.clock.now())?;
    let mut saved = salvage(&file, &fresh, records, elsewhere)?;
    fresh.close();
    if disk.exists(&file).map_err(|cause| Error::io_at("look at", &file, cause))? {
        let damaged = set_aside(&file, components)?;
        saved.saved = format!("{}; the damaged base is in {}", saved.saved, damaged.display());
    }
    disk.rename(&mended, &file)
        .and_then(|()| disk.sync_dir(dir))
        .map_err(|cause| Error::io_at("put a base in place", &file, cause))?;
    Ok(saved)
}

/// Renames what is damaged, to a name that is free.
fn set_aside(path: &HostPath, components: &Components) -> Result<PathBuf> {
    let disk = &*components.disk;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    for number in 1.. {
        let target = path.with_file_name(format!("{name}.damaged-{number}"));
        if disk.exists(&target).map_err(|cause| Error::io_at("look at", &target, cause))? {
            continue;
        }
        disk.rename(path, &target).map_err(|cause| Error::io_at("set aside", path, cause))?;
        // What SQLite keeps beside a database belongs to it.
        for suffix in ["-wal", "-shm"] {
            let beside = path.with_file_name(format!("{name}{suffix}"));
            if disk.exists(&beside).map_err(|cause| Error::io_at("look at", &beside, cause))? {
                let target = path.with_file_name(format!("{name}.damaged-{number}{suffix}"));
                disk.rename(&beside, &target)
                    .map_err(|cause| Error::io_at("set aside", &beside, cause))?;
            }
        }
        return Ok(target);
    }
    Err(Error::new(ErrorKind::Internal, "no free name to set damaged files aside"))
}
