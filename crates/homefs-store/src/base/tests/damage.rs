//! Damaged files: refused or told of, never a panic.

use homefs_core::{ErrorKind, HostDisk, NodeId, Result};
use proptest::prelude::*;
use tempfile::TempDir;

use super::super::{Base, Elsewhere, salvage};
use super::{Rig, SIZES, content, entry, node, time};
use crate::chunks::Chunks;
use crate::model::{Kind, Usage};
use crate::record::Content;

/// The bytes of a small sound base.
#[expect(clippy::disallowed_methods, reason = "the test looks at the raw file")]
fn sound() -> Vec<u8> {
    let mut rig = Rig::new();
    rig.usage = Usage { bytes: 8 * 40, nodes: 8 };
    for number in 2..10u128 {
        let name = format!("file-{number}");
        let bytes = format!("content {number} ").repeat(4);
        rig.fold(vec![
            node(number, Kind::File),
            entry(NodeId::ROOT, &name, Some(number)),
            content(number, &bytes.as_bytes()[..40]),
        ]);
    }
    rig.base.checkpoint().unwrap();
    let file = rig.file();
    drop(rig.base);
    std::fs::read(file).unwrap()
}

/// Opens a base of these bytes and reads all of it.
#[expect(clippy::disallowed_methods, reason = "the test plays the failing disk")]
fn read_all(bytes: &[u8]) -> Result<()> {
    let dir = TempDir::new().unwrap();
    std::fs::write(dir.path().join("base.db"), bytes).unwrap();
    let chunks =
        Chunks::with_sizes(dir.path().join("chunks"), std::sync::Arc::new(HostDisk), SIZES);
    let base = Base::open(dir.path(), std::sync::Arc::new(chunks), time(0))?;
    base.folded()?;
    for (_, row) in base.children(NodeId::ROOT)? {
        if let Content::Blob { digest, .. } = row.content {
            base.blob(digest)?;
        }
        base.editions(row.node, None, 10)?;
        base.parents(row.node)?;
    }
    base.trash(None, 10)?;
    base.grants()?;
    base.changes_since(homefs_core::Version(0), 100)?;
    base.verify(&mut |_| {})
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn damage_is_corrupt_and_never_a_panic(
        places in prop::collection::vec((any::<prop::sample::Index>(), 1u8..), 1..20)
    ) {
        static SOUND: std::sync::OnceLock<Vec<u8>> = std::sync::OnceLock::new();
        let mut bytes = SOUND.get_or_init(sound).clone();
        for (place, flip) in places {
            // The numbers of the format are tested elsewhere: damaged, they are another format.
            let place = 100 + place.index(bytes.len() - 100);
            bytes[place] ^= flip;
        }
        if let Err(error) = read_all(&bytes) {
            prop_assert_eq!(error.kind(), ErrorKind::Corrupt, "{:?}", error);
        }
    }
}

#[test]
fn a_cut_or_foreign_file_is_corrupt() {
    let sound = sound();
    assert!(read_all(&sound).is_ok());
    for bytes in [&sound[..sound.len() / 2], &sound[..1000], &b"not a database at all"[..]] {
        let error = read_all(bytes).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt, "{error:?}");
        assert!(error.path().unwrap().ends_with("base.db"));
    }
}

#[test]
fn an_old_edition_with_a_damaged_number_is_not_taken_for_the_newest() {
    let mut rig = Rig::new();
    rig.usage = Usage { bytes: 3, nodes: 1 };
    let made = vec![node(2, Kind::File), entry(NodeId::ROOT, "a", Some(2)), content(2, b"one")];
    rig.fold(made);
    rig.fold(vec![content(2, b"six")]);
    rig.fold(vec![content(2, b"two")]);
    {
        let inner = rig.base.inner.lock();
        let connection = &inner.as_ref().expect("it is open").connection;
        connection.execute("UPDATE history SET version = version + 89 WHERE version < 3", [])
    }
    .expect("rows to damage");
    rig.base.checkpoint().unwrap();
    let (file, fresh) = (rig.file(), Rig::new());
    salvage(&file, &fresh.base, &[], &Elsewhere::nothing()).unwrap();
    let newest = fresh.base.node(NodeId(2)).unwrap().unwrap();
    let Content::Blob { digest, .. } = newest.content else { panic!("{newest:?}") };
    assert_eq!(fresh.base.blob(digest).unwrap().as_deref(), Some(&b"two"[..]));
    let editions = fresh.base.editions(NodeId(2), None, 9).unwrap();
    let times: Vec<_> = editions.iter().map(|edition| (edition.version.0, edition.time)).collect();
    assert_eq!(times, [(3, time(3)), (2, time(2)), (1, time(1))]);
    assert_eq!(fresh.findings(), []);
}
