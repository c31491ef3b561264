//! A folder of the host leads nowhere else, whatever happens in it meanwhile.
#![expect(clippy::disallowed_methods, reason = "a folder of the host")]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path as HostPath;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use homefs_core::{ErrorKind, Path, Source, SourceKind, SourceTarget};
use homefs_remote::{FolderSource, FolderTarget};

use super::conformance::{check, files, path, walk};

fn open(dir: &HostPath) -> Arc<dyn Source> {
    Arc::new(FolderSource::open(dir).expect("it is there"))
}

#[test]
fn a_folder_keeps_the_promises() {
    let dir = tempfile::tempdir().unwrap();
    for (file, content) in files() {
        let place = dir.path().join(&file[1..]);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(place, content).unwrap();
    }
    check(open(dir.path()));
}

#[test]
fn links_are_shown_and_never_followed() {
    let (dir, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::write(outside.path().join("secret"), "geheim").unwrap();
    fs::create_dir(dir.path().join("real")).unwrap();
    fs::write(dir.path().join("real/file"), "x").unwrap();
    symlink(outside.path(), dir.path().join("out")).unwrap();
    symlink(outside.path().join("secret"), dir.path().join("file")).unwrap();
    symlink("real", dir.path().join("in")).unwrap();
    symlink("..", dir.path().join("up")).unwrap();
    symlink("loop", dir.path().join("loop")).unwrap();
    let source = open(dir.path());
    assert_eq!(
        source.stat(&path("/in")).unwrap().kind,
        SourceKind::Link { target: "real".to_owned() }
    );
    for link in ["/out/secret", "/file", "/in/file", "/up/x", "/loop", "/out", "/in"] {
        assert!(source.read(&path(link), 0, 9).is_err(), "{link}");
        assert!(source.list(&path(link), None).is_err(), "{link}");
    }
    assert_eq!(walk(&*source, &Path::root()).len(), 6);
    assert_eq!(walk(&*source, &Path::root())["/real/file"], "x");
}

#[test]
fn what_cannot_be_shown_is_told() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join(OsStr::from_bytes(b"bad\xff")), "x").unwrap();
    symlink(OsStr::from_bytes(b"\xfe"), dir.path().join("link")).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        dir.path().join("pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    fs::write(dir.path().join("good\nname"), "x").unwrap();
    let source = open(dir.path());
    let page = source.list_all(&Path::root()).unwrap();
    assert_eq!(
        page.entries.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(),
        ["good\nname"]
    );
    let mut told: Vec<String> = page.unshown.iter().map(ToString::to_string).collect();
    told.sort();
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(told[0].contains("bad\u{fffd}") && told[0].contains("UTF-8"), "{told:?}");
    // Whoever opens a pipe waits for a writer; a source does not.
    assert_eq!(source.read(&path("/pipe"), 0, 1).unwrap_err().kind(), ErrorKind::Unsupported);
}

#[test]
fn what_is_written_back_keeps_permissions_and_no_special_bits() {
    let dir = tempfile::tempdir().unwrap();
    let place = dir.path().join("tool");
    fs::write(&place, "program").unwrap();
    fs::set_permissions(&place, fs::Permissions::from_mode(0o6750)).unwrap();
    let mut parts = [Bytes::from_static(b"another"), Bytes::new()].into_iter();
    let target = FolderTarget::open(dir.path()).unwrap();
    target.write(&path("/tool"), &mut || Ok(parts.next().unwrap())).unwrap();
    assert_eq!(fs::read_to_string(&place).unwrap(), "another");
    assert_eq!(fs::metadata(&place).unwrap().permissions().mode() & 0o7777, 0o750);
}

#[test]
fn a_large_directory_is_shown_by_pages() {
    let dir = tempfile::tempdir().unwrap();
    let mut names: Vec<String> = (0..10_003).map(|number| format!("n{number}")).collect();
    for name in &names {
        fs::write(dir.path().join(name), "").unwrap();
    }
    names.sort();
    let source = open(dir.path());
    let first = source.list(&Path::root(), None).unwrap();
    assert_eq!((first.entries.len(), first.next.is_some()), (10_000, true));
    let all = source.list_all(&Path::root()).unwrap();
    assert_eq!(all.entries.into_iter().map(|(name, _)| name).collect::<Vec<_>>(), names);
}

#[test]
fn a_directory_that_is_swapped_for_a_link_leads_nowhere() {
    let (dir, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::write(outside.path().join("file"), "geheim").unwrap();
    fs::create_dir(dir.path().join("d")).unwrap();
    fs::write(dir.path().join("d/file"), "fine").unwrap();
    symlink(outside.path(), dir.path().join("swap")).unwrap();
    let source = open(dir.path());
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                let place = |name| dir.path().join(name);
                let flags = rustix::fs::RenameFlags::EXCHANGE;
                let cwd = rustix::fs::CWD;
                rustix::fs::renameat_with(cwd, place("d"), cwd, place("swap"), flags).unwrap();
            }
        });
        let (mut fine, mut refused) = (0, 0);
        for _ in 0..200_000 {
            match source.read(&path("/d/file"), 0, 100) {
                Ok(content) => {
                    assert_eq!(content, "fine");
                    fine += 1;
                }
                Err(_) => refused += 1,
            }
            if fine > 500 && refused > 500 {
                break;
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
}

#[test]
fn a_missing_folder_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let error = FolderSource::open(&dir.path().join("none")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    fs::write(dir.path().join("file"), "x").unwrap();
    let error = FolderSource::open(&dir.path().join("file")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotADirectory);
}
