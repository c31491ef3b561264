//! From a store to the host.

use std::fs::Metadata;
use std::io::Write;
use std::path::{Path as HostPath, PathBuf};

use homefs_api::Client;
use homefs_core::{Error, ErrorKind, Path, Result};
use homefs_view::{Found, Kind, Moment, Stat};

use super::{LeftOut, Meter, Modes, Report, host_digest, not_as_written, stored_digest};
use crate::error::Failure;
use crate::output::Output;
use crate::progress::Progress;
use crate::{host, pages};

/// Copies a file, a link or a whole directory of the store to `to`.
pub(crate) fn export(
    client: &Client,
    from: &Path,
    to: &HostPath,
    modes: Modes,
    output: &Output,
) -> Result<Report, Failure> {
    let mut report = Report::default();
    let top = Found { path: from.clone(), stat: client.stat(from)? };
    let is_directory = top.stat.kind == Kind::Directory;
    let mut items = vec![top];
    if is_directory {
        items.extend(pages::all(|after| client.walk(from, after, pages::LIMIT))?);
    }
    for item in &mut items {
        item.stat.mode = modes.of(item.stat.mode);
    }
    let files = items.iter().filter(|item| item.stat.kind == Kind::File);
    let progress = Progress::new(output, files.map(|item| item.stat.size).sum());
    let mut left_out = LeftOut::default();
    for item in &items {
        if left_out.has(&item.path) {
            continue;
        }
        let host = place(from, &item.path, to);
        if let Err(error) = copy(client, item, &host, &progress, &mut report) {
            report.leave_out(error)?;
            left_out = LeftOut(Some(item.path.clone()));
        }
    }
    // Directories last and deepest first: every file made in one changes its time, and its mode
    // may forbid to make any.
    for item in items.iter().rev().filter(|item| item.stat.kind == Kind::Directory) {
        let host = place(from, &item.path, to);
        if host::metadata(&host)?.is_some_and(|metadata| metadata.is_dir()) {
            host::set_attrs(&host, item.stat.mode, item.stat.modified)
                .or_else(|error| report.leave_out(error))?;
        }
    }
    Ok(report)
}

/// Returns where on the host a node belongs.
fn place(from: &Path, path: &Path, to: &HostPath) -> PathBuf {
    let below = path.strip_prefix(from).unwrap_or_else(Path::root);
    below.names().fold(to.to_owned(), |host, name| host.join(name))
}

fn copy(
    client: &Client,
    item: &Found,
    host: &HostPath,
    progress: &Progress,
    report: &mut Report,
) -> Result<()> {
    let there = host::metadata(host)?;
    match item.stat.kind {
        Kind::Directory => {
            report.directories += 1;
            match there {
                Some(metadata) if metadata.is_dir() => Ok(()),
                // A link to a directory could lead the copy out of the place it was asked to fill.
                Some(_) => Err(in_the_way(host)),
                None => host::make_dirs(host),
            }
        }
        Kind::Link => {
            report.links += 1;
            copy_link(client, item, host, there)
        }
        Kind::File => copy_file(client, item, host, there, progress, report),
        Kind::Special(_) => {
            let message = format!("a {} is not exported", item.stat.kind.word());
            Err(Error::new(ErrorKind::Invalid, message).with_path(&item.path))
        }
    }
}

fn copy_link(
    client: &Client,
    item: &Found,
    host: &HostPath,
    there: Option<Metadata>,
) -> Result<()> {
    let target = client.read_link(&item.path)?;
    let same = match there {
        Some(metadata) if metadata.is_symlink() => host::read_link(host)? == *target,
        Some(_) => return Err(in_the_way(host)),
        None => false,
    };
    if !same {
        if host::metadata(host)?.is_some() {
            host::remove(host)?;
        }
        host::symlink(&target, host)?;
    }
    host::set_link_time(host, item.stat.modified)
}

fn copy_file(
    client: &Client,
    item: &Found,
    host: &HostPath,
    there: Option<Metadata>,
    progress: &Progress,
    report: &mut Report,
) -> Result<()> {
    let Stat { size, mode, modified, .. } = item.stat;
    if let Some(metadata) = there {
        if !metadata.is_file() {
            return Err(in_the_way(host));
        }
        let same_times = host::modified(&metadata) == modified;
        if metadata.len() == size
            && (same_times || host_digest(host)? == stored_digest(client, &item.path)?)
        {
            progress.add(size);
            report.same += 1;
            if same_times && host::mode(&metadata) == mode {
                return Ok(());
            }
            return host::set_attrs(host, mode, modified);
        }
    }
    // The draft takes the file's place only when it is whole, so an interruption leaves either the
    // old file or the new one.
    let draft = draft_of(host);
    let mut writer = Meter::new(host::create(&draft)?, progress);
    client.read_to(&item.path, Moment::Now, &mut writer)?;
    writer.flush().map_err(|error| host::failed("write the host file", &draft, error))?;
    if host_digest(&draft)? != writer.hasher.finalize() {
        return Err(not_as_written(&host.display()));
    }
    host::set_attrs(&draft, mode, modified)?;
    host::rename(&draft, host)?;
    report.copied += 1;
    report.bytes += writer.bytes;
    Ok(())
}

fn draft_of(host: &HostPath) -> PathBuf {
    // Named by a digest: the longest names leave no room for a suffix.
    let name = blake3::hash(host.as_os_str().as_encoded_bytes()).to_hex();
    host.with_file_name(format!(".homefs-{}", &name[..16]))
}

fn in_the_way(host: &HostPath) -> Error {
    Error::new(ErrorKind::AlreadyExists, "something else is in the way on the host")
        .with_path_text(host.display().to_string())
}
