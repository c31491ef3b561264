//! The directory of the host where a home is mounted.

use std::path::{Path as HostPath, PathBuf};

use homefs_core::{Disk, Error, ErrorKind, HostDisk, Result};

use crate::operations::absolute;

/// Returns a directory as the kernel names it, though a dead mount may be there.
pub fn resolve(dir: &HostPath) -> Result<PathBuf> {
    let dir = absolute(dir)?;
    match (dir.parent().map(HostPath::canonicalize), dir.file_name()) {
        (Some(Ok(parent)), Some(name)) => {
            let place = parent.join(name);
            // A dead mount cannot be looked at, and is no link.
            Ok(place.canonicalize().unwrap_or(place))
        }
        _ => Ok(dir),
    }
}

/// Makes a directory ready to be mounted on: it is there, empty and not in the store's own.
pub(crate) fn prepare(dir: &HostPath, store: &HostPath) -> Result<PathBuf> {
    let at = |error: Error| error.with_path_text(dir.to_string_lossy());
    let place = absolute(dir)?;
    let existing = place.ancestors().find_map(|above| above.canonicalize().ok());
    let store = resolve(store)?;
    if place.starts_with(&store) || existing.is_some_and(|above| above.starts_with(&store)) {
        let message = "a home cannot be mounted inside the store's own directory";
        return Err(at(Error::new(ErrorKind::Invalid, message)));
    }
    let place = resolve(dir)?;
    homefs_fuse::mend_stale(&place)?;
    HostDisk
        .create_dir_all(&place)
        .map_err(|error| at(Error::io("make the directory to mount on", error)))?;
    let place = resolve(&place)?;
    if homefs_fuse::mounted()?.contains(&place) {
        return Err(taken(&place));
    }
    let names = HostDisk.list(&place);
    let names = names.map_err(|error| at(Error::io("list the directory to mount on", error)))?;
    if !names.is_empty() {
        let message = "the directory to mount on is not empty; its files would be hidden";
        return Err(at(Error::new(ErrorKind::NotEmpty, message)));
    }
    Ok(place)
}

/// Makes the error of a directory where homefs is mounted already.
pub(crate) fn taken(dir: &HostPath) -> Error {
    let message = "homefs is mounted here already; unmount it first";
    Error::new(ErrorKind::AlreadyExists, message).with_path_text(dir.to_string_lossy())
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests look at host files directly")]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn only_an_empty_directory_outside_the_store_is_mounted_on() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        let store = root.join("store");
        std::fs::create_dir_all(store.join("spaces")).unwrap();
        std::fs::create_dir_all(root.join("full/below")).unwrap();
        std::fs::write(root.join("file"), "x").unwrap();
        symlink(&store, root.join("link")).unwrap();
        symlink(root.join("new"), root.join("alias")).unwrap();
        for (dir, expected) in [
            ("new", Ok("new")),
            ("new", Ok("new")),
            ("alias", Ok("new")),
            ("some/where/deep", Ok("some/where/deep")),
            ("full", Err(ErrorKind::NotEmpty)),
            ("store", Err(ErrorKind::Invalid)),
            ("store/spaces/mount", Err(ErrorKind::Invalid)),
            ("link/mount", Err(ErrorKind::Invalid)),
        ] {
            let found = prepare(&root.join(dir), &store).map_err(|error| error.kind());
            assert_eq!(found, expected.map(|name| root.join(name)), "{dir}");
        }
        assert!(prepare(&root.join("file"), &store).is_err());
        assert!(!store.join("mount").exists() && !store.join("spaces/mount").exists());
    }
}
