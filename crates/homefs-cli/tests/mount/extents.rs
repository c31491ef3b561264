//! Where files have data and holes, how long they may be, and how much room can be set aside.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use homefs_core::limits::FILE_BYTES_MAX;
use rustix::fs::{FallocateFlags, SeekFrom, XattrFlags, copy_file_range, fallocate, seek};
use rustix::io::Errno;

use crate::harness::{Mounted, is_plain};

const KIB: u64 = 1 << 10;

fn open(path: &Path) -> File {
    File::options().read(true).write(true).create(true).truncate(false).open(path).unwrap()
}

#[test]
fn holes_are_found_by_blocks() {
    let Some(mounted) = Mounted::new(30) else { return };
    let file = open(&mounted.path("sparse"));
    file.set_len(4_096 * KIB).unwrap();
    // In a chunk with a hole before and behind, over the edge of two chunks, and at the end.
    for (start, end) in [(16, 20), (1_020, 1_028), (4_092, 4_096)] {
        for block in start..end {
            file.write_all_at(&[1; 1 << 10], block * KIB).unwrap();
        }
    }
    let check = |from: u64, data: Result<u64, Errno>, hole: u64| {
        let found = |place| seek(&file, place).map(|at| at / KIB);
        assert_eq!(found(SeekFrom::Data(from * KIB)), data, "data from {from} KiB");
        assert_eq!(found(SeekFrom::Hole(from * KIB)), Ok(hole), "hole from {from} KiB");
    };
    let check_all = || {
        check(0, Ok(16), 0);
        check(16, Ok(16), 20);
        check(18, Ok(18), 20);
        check(20, Ok(1_020), 20);
        check(1_024, Ok(1_024), 1_028);
        check(1_028, Ok(4_092), 1_028);
        check(4_092, Ok(4_092), 4_096);
    };
    check_all();
    // Settled, it is the same.
    if !is_plain() {
        mounted.homefs(&["log", "sparse"]);
        check_all();
    }
    assert_eq!(seek(&file, SeekFrom::Data(4_096 * KIB)), Err(Errno::NXIO));
}

#[test]
fn more_than_the_disk_has_room_for_is_not_set_aside() {
    if is_plain() {
        return;
    }
    let Some(mounted) = Mounted::new(30) else { return };
    let file = open(&mounted.path("file"));
    let room = rustix::fs::statvfs(mounted.root()).unwrap();
    let more = room.f_bavail * room.f_frsize + (1 << 30);
    for flags in [FallocateFlags::empty(), FallocateFlags::KEEP_SIZE, FallocateFlags::ZERO_RANGE] {
        assert_eq!(fallocate(&file, flags, 0, more), Err(Errno::NOSPC), "{flags:?}");
        assert_eq!(file.metadata().unwrap().len(), 0, "{flags:?}");
    }
    // A hole takes no room, nor does what is there already.
    file.set_len(more).unwrap();
    fallocate(&file, FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE, 0, more).unwrap();
    fallocate(&file, FallocateFlags::empty(), more, 1 << 20).unwrap();
    assert_eq!(file.metadata().unwrap().len(), more + (1 << 20));
}

#[test]
fn what_would_make_a_file_too_long_is_refused_as_too_big() {
    if is_plain() {
        return;
    }
    let Some(mounted) = Mounted::new(30) else { return };
    let (file, other) = (open(&mounted.path("file")), open(&mounted.path("other")));
    other.write_all_at(b"some", 0).unwrap();
    let copy = |mut at: u64| copy_file_range(&other, Some(&mut 0), &file, Some(&mut at), 4);
    let failed = |outcome: io::Result<()>| Errno::from_io_error(&outcome.unwrap_err());
    assert_eq!(failed(file.set_len(FILE_BYTES_MAX + 1)), Some(Errno::FBIG));
    assert_eq!(failed(file.write_all_at(b"x", FILE_BYTES_MAX)), Some(Errno::FBIG));
    let beyond = fallocate(&file, FallocateFlags::empty(), FILE_BYTES_MAX, 1);
    assert_eq!(beyond, Err(Errno::FBIG));
    assert_eq!(copy(FILE_BYTES_MAX), Err(Errno::FBIG));
    assert_eq!(copy(FILE_BYTES_MAX - 3), Ok(3), "as much as fits");
    file.write_all_at(b"end", FILE_BYTES_MAX - 3).unwrap();
    assert_eq!(file.metadata().unwrap().len(), FILE_BYTES_MAX);
    // An attribute has the bound of ext4.
    let set = |len| rustix::fs::fsetxattr(&other, "user.a", &vec![1; len], XattrFlags::empty());
    assert_eq!((set(4_096), set(4_097)), (Ok(()), Err(Errno::NOSPC)));
}
