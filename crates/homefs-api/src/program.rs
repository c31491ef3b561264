//! Where the command `homefs` is, for programs that are not it and need it.

use std::env;
use std::ffi::OsStr;
use std::path::PathBuf;

use homefs_core::{Error, ErrorKind, Result};
use rustix::fs::{Access, access};

/// What the command is called.
const NAME: &str = "homefs";

/// Finds the command on a PATH, as a shell does; `what` needs it. What a PATH names relative to
/// whatever directory the process is in is left out.
pub(crate) fn find(path: Option<&OsStr>, what: &str) -> Result<PathBuf> {
    let folders = env::split_paths(path.unwrap_or_default()).filter(|folder| folder.is_absolute());
    let mut programs = folders.map(|folder| folder.join(NAME));
    let found = programs
        .find(|program| program.is_file() && access(program.as_path(), Access::EXEC_OK).is_ok());
    found.ok_or_else(|| {
        let message = format!(
            "{what} need the command {NAME}, which is not on the PATH: \
             cargo install --path crates/homefs-cli"
        );
        Error::new(ErrorKind::Unsupported, message)
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a program is a file of the host")]
    fn the_first_program_of_that_name_is_found() {
        let dir = tempfile::tempdir().unwrap();
        let folder = |name: &str, mode: Option<u32>| {
            let folder = dir.path().join(name);
            std::fs::create_dir(&folder).unwrap();
            if let Some(mode) = mode {
                std::fs::File::create(folder.join(NAME)).unwrap();
                let mode = std::fs::Permissions::from_mode(mode);
                std::fs::set_permissions(folder.join(NAME), mode).unwrap();
            }
            folder
        };
        let (none, text) = (folder("none", None), folder("text", Some(0o644)));
        std::fs::create_dir(none.join(NAME)).unwrap();
        let (first, second) = (folder("first", Some(0o755)), folder("second", Some(0o755)));
        let path = |folders: &[&PathBuf]| env::join_paths(folders).unwrap();
        let (here, nothing) = (PathBuf::from("."), PathBuf::new());
        let all = path(&[&here, &nothing, &none, &text, &first, &second]);
        assert_eq!(find(Some(&all), "workers").unwrap(), first.join(NAME));
        for path in [Some(path(&[&here, &none, &text])), None] {
            let error = find(path.as_deref(), "workers").unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Unsupported);
            assert!(error.message().starts_with("workers need the command homefs"), "{error}");
        }
    }
}
