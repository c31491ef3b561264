//! Views that answer from memory or not at all.

use homefs_core::{Error, ErrorKind};

use crate::common::{open, parents, path, view_of};

fn waits<T>(answer: Result<T, Error>) -> bool {
    answer.is_err_and(|error| error.kind() == ErrorKind::Unavailable)
}

#[test]
fn a_hasty_view_does_at_once_or_not_at_all() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let view = view_of(&store, "me");
    view.write(&path("/notes/a"), b"1", &parents()).unwrap();
    view.write(&path("/notes/large"), &vec![7; 200_000], &parents()).unwrap();
    view.symlink("notes/a", &path("/link")).unwrap();
    view.make_dir(&path("/shared/m"), true).unwrap();
    store.close().unwrap();

    let store = open(dir.path());
    let view = view_of(&store, "me");
    let (hasty, note) = (view.hasty(), path("/notes/a"));
    assert!(waits(hasty.stat(&note)) && waits(hasty.read_at(&note, 0, 10)));
    assert!(waits(hasty.append(&note, b"2", &parents())));
    assert_eq!(&view.read(&note).unwrap()[..], b"1", "what was refused was not done");
    assert_eq!(&hasty.read(&note).unwrap()[..], b"1");
    assert_eq!(&hasty.read(&path("/link")).unwrap()[..], b"1", "a link is no reason to wait");
    assert_eq!(hasty.stat(&note).unwrap().size, 1);
    hasty.append(&note, b"2", &parents()).unwrap();
    hasty.write(&path("/notes/b"), b"new", &parents()).unwrap();
    assert_eq!(&view.read(&note).unwrap()[..], b"12");
    assert_eq!(hasty.stat(&path("/notes/c")).unwrap_err().kind(), ErrorKind::NotFound);

    let large = path("/notes/large");
    assert_eq!(view.read(&large).unwrap().len(), 200_000);
    assert!(waits(hasty.read_at(&large, 0, 10)), "chunks are on the disk");
    assert!(waits(hasty.stat(&path("/shared/m"))), "another space may have to be opened");
}
