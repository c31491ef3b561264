//! Whether other users decide where a path of the host leads.
//!
//! A link of the user's own, or of the system, may be on the way: people keep their data elsewhere.
//! A link of anybody else leads where that one likes, and in a directory that everybody may write
//! to, without the sticky bit, everybody may replace what is there.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path as HostPath, PathBuf};
use std::{fs, io};

/// Most links on the way, as the system has it.
const LINKS_MAX: usize = 40;
/// The bit of a mode by which everybody may write, and that by which only owners may replace.
const EVERYBODY_WRITES: u32 = 0o002;
const STICKY: u32 = 0o1000;
/// File systems that have no modes of their own, by the numbers that `statfs` has for them. What
/// they show is made up, and keeps nobody out.
const WITHOUT_MODES: [i64; 7] = [
    0x4d44,      // FAT
    0x2011_BAB0, // exFAT
    0x5346_544e, // NTFS
    0x0102_1997, // 9P, by which WSL shows Windows' disks
    0xFF53_4D42, // CIFS
    0xFE53_4D42, // SMB 2
    0x6573_5546, // FUSE
];

/// Refuses a path that another user could have led elsewhere, or could lead there. What is not
/// there yet is fine.
///
/// # Errors
///
/// `PermissionDenied`, with what is wrong and where.
pub fn check_way(path: &HostPath) -> io::Result<()> {
    walk(path, check_directory)
}

/// Refuses a path that a link of another user leads elsewhere.
///
/// # Errors
///
/// `PermissionDenied`, with what is wrong and where.
pub fn check_links(path: &HostPath) -> io::Result<()> {
    walk(path, |_| Ok(()))
}

/// Goes along a path as the system does, and looks at every directory in which a name is found.
fn walk(path: &HostPath, look: impl Fn(&HostPath) -> io::Result<()>) -> io::Result<()> {
    let mut ahead: VecDeque<OsString> = names(&std::path::absolute(path)?);
    let mut at = PathBuf::from("/");
    let mut links = 0;
    while let Some(name) = ahead.pop_front() {
        if name == ".." {
            at.pop();
            continue;
        }
        look(&at)?;
        let next = at.join(&name);
        let found = match fs::symlink_metadata(&next) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        if !found.is_symlink() {
            at = next;
            continue;
        }
        if !is_trusted(found.uid()) {
            return Err(refused(&next, "is a link of another user"));
        }
        links += 1;
        if links > LINKS_MAX {
            return Err(refused(&next, "is one of too many links"));
        }
        let target = fs::read_link(&next)?;
        if target.is_absolute() {
            at = PathBuf::from("/");
        }
        let mut first = names(&target);
        first.append(&mut ahead);
        ahead = first;
    }
    Ok(())
}

/// Refuses a file that another user could have written, or could have led elsewhere. One that is
/// not there is fine.
///
/// # Errors
///
/// `PermissionDenied`, with what is wrong and where.
pub fn check_own_file(path: &HostPath) -> io::Result<()> {
    check_way(path)?;
    let found = match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        found => found?,
    };
    if !is_trusted(found.uid()) {
        return Err(refused(path, "belongs to another user"));
    }
    if found.mode() & EVERYBODY_WRITES != 0 && has_modes(path)? {
        return Err(refused(path, "can be written by everybody"));
    }
    Ok(())
}

/// Refuses a directory in which everybody may replace what is there.
fn check_directory(dir: &HostPath) -> io::Result<()> {
    let found = fs::metadata(dir)?;
    let mode = found.mode();
    if found.is_dir() && mode & EVERYBODY_WRITES != 0 && mode & STICKY == 0 && has_modes(dir)? {
        let why = "can be written by everybody, who could replace what is in it: take that away \
                   with `chmod o-w`, or set the sticky bit";
        return Err(refused(dir, why));
    }
    Ok(())
}

fn has_modes(path: &HostPath) -> io::Result<bool> {
    #[expect(clippy::useless_conversion, reason = "how wide it is depends on the machine")]
    let kind = i64::try_from(rustix::fs::statfs(path)?.f_type).unwrap_or_default();
    Ok(!WITHOUT_MODES.contains(&kind))
}

/// Tells whether what this user leaves about leads where this process may go: the system does, and
/// whoever it runs as.
fn is_trusted(uid: u32) -> bool {
    uid == 0 || uid == rustix::process::geteuid().as_raw()
}

/// Returns the names of a path, without what leads nowhere.
fn names(path: &HostPath) -> VecDeque<OsString> {
    let is_step = |component: &Component<'_>| {
        matches!(component, Component::Normal(_) | Component::ParentDir)
    };
    path.components().filter(is_step).map(|component| component.as_os_str().to_owned()).collect()
}

fn refused(path: &HostPath, why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, format!("{} {why}", path.display()))
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "links are made on the host")]
mod tests {
    use std::os::unix::fs::{PermissionsExt, lchown, symlink};

    use super::*;

    fn mode(path: &HostPath, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn own_links_are_fine_and_directories_of_everybody_are_not() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::create_dir_all(at("real/data")).unwrap();
        symlink("real", at("link")).unwrap();
        symlink(at("link/data"), at("data")).unwrap();
        symlink("loop", at("loop")).unwrap();
        fs::write(at("real/config"), "").unwrap();
        for fine in ["real/data", "link/data", "data", "data/not/there", "real/../data", "none/x"] {
            check_way(&at(fine)).unwrap();
        }
        check_own_file(&at("link/config")).unwrap();
        check_own_file(&at("link/none")).unwrap();
        let kind = |checked: io::Result<()>| checked.unwrap_err().kind();
        assert_eq!(kind(check_way(&at("loop/x"))), io::ErrorKind::PermissionDenied);
        mode(&at("real"), 0o777);
        for refused in ["real/data", "link/data", "data/not/there"] {
            assert_eq!(kind(check_way(&at(refused))), io::ErrorKind::PermissionDenied, "{refused}");
        }
        check_links(&at("data/not/there")).unwrap();
        mode(&at("real"), 0o1777);
        check_way(&at("data")).unwrap();
        mode(&at("real/config"), 0o666);
        assert_eq!(kind(check_own_file(&at("link/config"))), io::ErrorKind::PermissionDenied);
    }

    #[test]
    fn links_of_other_users_are_refused() {
        if !rustix::process::geteuid().is_root() {
            return;
        }
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::create_dir(at("real")).unwrap();
        symlink("real", at("link")).unwrap();
        fs::write(at("real/config"), "").unwrap();
        check_way(&at("link/x")).unwrap();
        lchown(at("link"), Some(65534), Some(65534)).unwrap();
        assert!(check_links(&at("link/x")).is_err());
        let error = check_way(&at("link/x")).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
        assert!(error.to_string().contains("another user"), "{error}");
        lchown(at("real/config"), Some(65534), Some(65534)).unwrap();
        let error = check_own_file(&at("real/config")).unwrap_err();
        assert!(error.to_string().contains("another user"), "{error}");
    }
}
