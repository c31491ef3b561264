//! A journal that format 1 wrote, kept as it was.

use std::path::PathBuf;

use homefs_core::{Disk, HostDisk};
use homefs_testkit::CrashDisk;

use super::*;

#[test]
fn a_journal_of_format_1_opens() {
    let golden = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden/journal-1");
    #[expect(clippy::disallowed_methods, reason = "a switch of the developer, not a setting")]
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        write_golden(&golden);
    }
    let disk = CrashDisk::new();
    let names = HostDisk.list(&golden).unwrap();
    assert!(names.len() >= 2, "the golden journal has several segments");
    for name in names {
        disk.plant(&HostPath::new(DIR).join(&name), &HostDisk.read(&golden.join(&name)).unwrap());
    }
    assert!(mark(&disk).synced > Position(0));
    let journal = open(&disk).unwrap();
    assert_eq!(payloads(&journal), (0..30).map(payload).collect::<Vec<_>>());
    append(&journal, &payload(30)).unwrap();
    assert_eq!(payloads(&journal).len(), 31);
}

fn write_golden(golden: &HostPath) {
    let disk = CrashDisk::new();
    let journal = open(&disk).unwrap();
    for number in 0..30 {
        append(&journal, &payload(number)).unwrap();
    }
    journal.close().unwrap();
    HostDisk.create_dir_all(golden).unwrap();
    for (path, bytes) in disk.files() {
        HostDisk.replace(&golden.join(path.file_name().unwrap()), &bytes).unwrap();
    }
}
