//! From the host into a store.

use std::fs::Metadata;
use std::path::{Path as HostPath, PathBuf};

use homefs_api::Client;
use homefs_core::{Error, ErrorKind, Path, Result};
use homefs_view::{Kind, SetAttrs, Stat, WriteOptions};

use super::{LeftOut, Meter, Modes, Report, host_digest, not_as_written, stat, stored_digest};
use crate::host;
use crate::output::Output;
use crate::progress::Progress;

/// One thing to import.
struct Item {
    host: PathBuf,
    path: Path,
    metadata: Metadata,
}

/// Copies a file, a link or a whole directory of the host to `to`.
///
/// `all` tells whether the view starts above the spaces, which decides what names are reserved.
pub(crate) fn import(
    client: &Client,
    from: &HostPath,
    to: &Path,
    all: bool,
    modes: Modes,
    output: &Output,
) -> Result<Report> {
    let mut report = Report::default();
    let items = scan(from, to, all, &mut report)?;
    let files = items.iter().filter(|item| item.metadata.is_file());
    let progress = Progress::new(output, files.map(|item| item.metadata.len()).sum());
    let mut left_out = LeftOut::default();
    for item in &items {
        if left_out.has(&item.path) {
            continue;
        }
        if let Err(error) = copy(client, item, modes, &progress, &mut report) {
            report.leave_out(error)?;
            left_out = LeftOut(Some(item.path.clone()));
        }
    }
    // Directories last and deepest first: every entry made in one changes its time.
    for item in items.iter().rev().filter(|item| item.metadata.is_dir() && !item.path.is_root()) {
        if let Some(there) = stat(client, &item.path)?.filter(|stat| stat.kind == Kind::Directory) {
            keep_attrs(client, item, modes, &there).or_else(|error| report.leave_out(error))?;
        }
    }
    Ok(report)
}

/// Lists everything to import, directories before what is in them.
fn scan(from: &HostPath, to: &Path, all: bool, report: &mut Report) -> Result<Vec<Item>> {
    let metadata = host::existing(from)?;
    let mut items = Vec::new();
    let mut pending = vec![Item { host: from.to_owned(), path: to.clone(), metadata }];
    while let Some(item) = pending.pop() {
        if item.metadata.is_dir() {
            let children = children(&item, all, report).or_else(|error| {
                report.leave_out(error)?;
                Ok::<_, Error>(Vec::new())
            })?;
            // The stack gives them back in order.
            pending.extend(children.into_iter().rev());
        }
        items.push(item);
    }
    Ok(items)
}

fn children(dir: &Item, all: bool, report: &mut Report) -> Result<Vec<Item>> {
    let names = host::names(&dir.host)?;
    let mut items = Vec::with_capacity(names.len());
    for name in &names {
        let host = dir.host.join(name);
        let Some(plain) = name.to_str() else {
            report.problems.push(format!("{}: the name is not UTF-8", host.display()));
            continue;
        };
        let mut free = plain.to_owned();
        while is_reserved(&dir.path, &free, all)
            || (free != plain && names.contains(&(&free).into()))
        {
            free.push_str("-imported");
        }
        let found = || Ok((dir.path.join(&free)?, host::existing(&host)?));
        match found() {
            Ok((path, metadata)) => {
                if free != plain {
                    report.renamed.push((host.display().to_string(), path.to_string()));
                }
                items.push(Item { host, path, metadata });
            }
            Err(error) => report.leave_out(error)?,
        }
    }
    Ok(items)
}

/// Tells whether the root of a space keeps the name for itself.
fn is_reserved(dir: &Path, name: &str, all: bool) -> bool {
    let mut above = dir.names();
    let is_space_root = match (above.next(), above.next(), above.next()) {
        (None, ..) => !all,
        (Some("shared"), Some(_), None) => true,
        (Some("agents"), Some(_), None) => all,
        _ => false,
    };
    is_space_root && matches!(name, ".homefs" | "shared")
}

fn copy(
    client: &Client,
    item: &Item,
    modes: Modes,
    progress: &Progress,
    report: &mut Report,
) -> Result<()> {
    let there = stat(client, &item.path)?;
    let kind = item.metadata.file_type();
    if kind.is_dir() {
        report.directories += 1;
        match there {
            Some(stat) if stat.kind == Kind::Directory => Ok(()),
            Some(_) => Err(in_the_way(&item.path)),
            None => client.make_dir(&item.path, true).map(drop),
        }
    } else if kind.is_symlink() {
        report.links += 1;
        copy_link(client, item, there.as_ref())
    } else if kind.is_file() {
        copy_file(client, item, modes, there, progress, report)
    } else {
        let why = "neither a file, a directory nor a link";
        Err(Error::new(ErrorKind::Invalid, why).with_path_text(item.host.display().to_string()))
    }
}

fn copy_link(client: &Client, item: &Item, there: Option<&Stat>) -> Result<()> {
    let target = host::read_link(&item.host)?.into_string().map_err(|_| {
        Error::new(ErrorKind::Invalid, "the target of the link is not UTF-8")
            .with_path_text(item.host.display().to_string())
    })?;
    let modified = host::modified(&item.metadata);
    if let Some(stat) = there.filter(|stat| stat.kind == Kind::Link) {
        if client.read_link(&item.path)? == target {
            return if stat.modified == modified { Ok(()) } else { keep_time(client, item) };
        }
        client.remove(&item.path, false)?;
    }
    client.symlink(&target, &item.path)?;
    keep_time(client, item)
}

/// Gives a link the time that its original has; modes of links mean nothing.
fn keep_time(client: &Client, item: &Item) -> Result<()> {
    let modified = Some(host::modified(&item.metadata));
    let attrs = SetAttrs { modified, ..SetAttrs::default() };
    client.set_attrs(&item.path, &attrs).map(drop)
}

fn copy_file(
    client: &Client,
    item: &Item,
    modes: Modes,
    there: Option<Stat>,
    progress: &Progress,
    report: &mut Report,
) -> Result<()> {
    let (size, modified) = (item.metadata.len(), host::modified(&item.metadata));
    if there.as_ref().is_some_and(|stat| stat.kind != Kind::File) {
        return Err(in_the_way(&item.path));
    }
    if let Some(stat) = there.filter(|stat| stat.size == size) {
        let same = stat.modified == modified
            || host_digest(&item.host)? == stored_digest(client, &item.path)?;
        if same {
            progress.add(size);
            report.same += 1;
            return keep_attrs(client, item, modes, &stat);
        }
    }
    let options = WriteOptions {
        parents: true,
        mode: Some(modes.of(host::mode(&item.metadata))),
        modified: Some(modified),
        ..WriteOptions::default()
    };
    let mut reader = Meter::new(host::open(&item.host)?, progress);
    client.write_from(&item.path, &mut reader, &options)?;
    if stored_digest(client, &item.path)? != reader.hasher.finalize() {
        return Err(not_as_written(&item.path));
    }
    report.copied += 1;
    report.bytes += reader.bytes;
    keep_attrs(client, item, modes, &client.stat(&item.path)?)
}

/// Something of another kind has the name. A link would even be written through, perhaps out of
/// the tree that is imported.
fn in_the_way(path: &Path) -> Error {
    Error::new(ErrorKind::AlreadyExists, "something else is in the way").with_path(path)
}

/// Gives a node the mode and time that its original has.
fn keep_attrs(client: &Client, item: &Item, modes: Modes, there: &Stat) -> Result<()> {
    let (mode, modified) = (modes.of(host::mode(&item.metadata)), host::modified(&item.metadata));
    if there.mode == mode && there.modified == modified {
        return Ok(());
    }
    let attrs = SetAttrs { mode: Some(mode), modified: Some(modified), ..SetAttrs::default() };
    client.set_attrs(&item.path, &attrs).map(drop)
}
