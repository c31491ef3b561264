//! A page of a directory's objects, in the order of their keys.

use std::fs;
use std::io;
use std::path::Path as HostPath;

use homefs_core::{REMOTE_PAGE_OBJECTS_MAX, RemoteAnswer, RemoteObject, check_key};

use super::{DRAFT, modified, tag};

/// Lists the objects below `root`.
pub(super) fn list(root: &HostPath, prefix: &str, after: Option<&str>) -> io::Result<RemoteAnswer> {
    let mut page = Page { prefix, after, objects: Vec::new() };
    page.walk(root, "")?;
    let more = page.objects.len() > REMOTE_PAGE_OBJECTS_MAX;
    page.objects.truncate(REMOTE_PAGE_OBJECTS_MAX);
    Ok(RemoteAnswer::Listed { objects: page.objects, more })
}

/// One page of a listing that is being made.
struct Page<'a> {
    prefix: &'a str,
    after: Option<&'a str>,
    objects: Vec<RemoteObject>,
}

impl Page<'_> {
    /// Adds the objects below `dir`, whose keys start with `start`, until the page overflows.
    fn walk(&mut self, dir: &HostPath, start: &str) -> io::Result<()> {
        let entries = match fs::read_dir(dir) {
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(()),
            entries => entries?,
        };
        // With its slash, a directory has the place among its siblings that its objects have.
        let mut names = Vec::new();
        for entry in entries {
            let entry = entry?;
            let (kind, Ok(name)) = (entry.file_type()?, entry.file_name().into_string()) else {
                continue;
            };
            if kind.is_dir() {
                names.push(format!("{start}{name}/"));
            } else if kind.is_file() && !name.starts_with(DRAFT) {
                names.push(format!("{start}{name}"));
            }
        }
        names.sort_unstable();
        for key in names {
            if self.objects.len() > REMOTE_PAGE_OBJECTS_MAX {
                break;
            }
            let name = key[start.len()..].trim_end_matches('/');
            if key.ends_with('/') {
                if self.reaches(&key) {
                    self.walk(&dir.join(name), &key)?;
                }
            } else if key.starts_with(self.prefix) && self.after.is_none_or(|after| *key > *after) {
                self.add(&dir.join(name), key)?;
            }
        }
        Ok(())
    }

    /// Tells whether the page may have keys that start with this one.
    fn reaches(&self, start: &str) -> bool {
        let asked = start.starts_with(self.prefix) || self.prefix.starts_with(start);
        asked && self.after.is_none_or(|after| start > after || after.starts_with(start))
    }

    /// Adds an object, unless it has gone meanwhile or has a name that no key can have.
    fn add(&mut self, place: &HostPath, key: String) -> io::Result<()> {
        if check_key(&key).is_err() {
            return Ok(());
        }
        match fs::symlink_metadata(place) {
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => {}
            found => {
                let found = found?;
                let (tag, modified) = (tag(&found), modified(&found));
                self.objects.push(RemoteObject { key, size_bytes: found.len(), tag, modified });
            }
        }
        Ok(())
    }
}
