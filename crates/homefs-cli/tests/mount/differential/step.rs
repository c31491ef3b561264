//! What can be done, and a random choice of it.

use rustix::fs::{FallocateFlags, Mode, OFlags, RenameFlags, XattrFlags};

use crate::random::Random;

/// Open files of one sequence.
pub(super) const SLOTS: u64 = 4;

/// Names of extended attributes.
pub(super) const ATTRIBUTES: &[&str] = &["user.one", "user.two"];

/// The number of an open file.
pub(super) type Slot = usize;

/// One call, or a few that belong together.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Open {
        slot: Slot,
        path: String,
        flags: OFlags,
        mode: Mode,
    },
    Close {
        slot: Slot,
    },
    Read {
        slot: Slot,
        len: usize,
    },
    ReadAt {
        slot: Slot,
        offset: u64,
        len: usize,
    },
    Write {
        slot: Slot,
        byte: u8,
        len: usize,
    },
    WriteAt {
        slot: Slot,
        offset: u64,
        byte: u8,
        len: usize,
    },
    Resize {
        slot: Slot,
        size: u64,
    },
    Allocate {
        slot: Slot,
        flags: FallocateFlags,
        offset: u64,
        len: u64,
    },
    /// Reads the file by its data extents; what is between them is zero.
    ReadExtents {
        slot: Slot,
    },
    CopyRange {
        from: Slot,
        from_offset: u64,
        to: Slot,
        to_offset: u64,
        len: usize,
    },
    MapRead {
        slot: Slot,
        offset: usize,
        len: usize,
    },
    MapWrite {
        slot: Slot,
        offset: usize,
        byte: u8,
        len: usize,
        sync: bool,
    },
    Sync {
        slot: Slot,
    },
    StatOpen {
        slot: Slot,
    },
    Stat {
        path: String,
    },
    Truncate {
        path: String,
        size: u64,
    },
    Rename {
        from: String,
        to: String,
        flags: RenameFlags,
    },
    Link {
        from: String,
        to: String,
    },
    Symlink {
        target: String,
        path: String,
    },
    ReadLink {
        path: String,
    },
    Unlink {
        path: String,
    },
    MakeDir {
        path: String,
        mode: Mode,
    },
    RemoveDir {
        path: String,
    },
    List {
        path: String,
    },
    SetMode {
        path: String,
        mode: Mode,
    },
    /// Sets the modification time, long ago.
    SetTime {
        path: String,
        seconds: i64,
        nanoseconds: i64,
    },
    SetAttribute {
        path: String,
        name: String,
        byte: u8,
        len: usize,
        flags: XattrFlags,
    },
    GetAttribute {
        path: String,
        name: String,
    },
    RemoveAttribute {
        path: String,
        name: String,
    },
    ListAttributes {
        path: String,
    },
}

impl Step {
    /// Returns the same step without special bits.
    pub(super) fn plain(mut self) -> Self {
        if let Self::Open { mode, .. } | Self::MakeDir { mode, .. } | Self::SetMode { mode, .. } =
            &mut self
        {
            *mode &= Mode::RWXU | Mode::RWXG | Mode::RWXO;
        }
        self
    }
}

/// Chooses a step; its number is the content that it writes.
pub(super) fn any(random: &mut Random, number: u64) -> Step {
    let byte = u8::try_from(number % 255 + 1).expect("it fits");
    match random.below(10) {
        0 | 1 => open(random),
        2..=5 => with_file(random, byte),
        6 | 7 => with_names(random),
        _ => with_attributes(random, byte),
    }
}

fn open(random: &mut Random) -> Step {
    let slot = slot(random);
    if random.once_in(12) {
        return Step::Close { slot };
    }
    let mut flags = random.pick(&[OFlags::RDWR, OFlags::RDWR, OFlags::WRONLY, OFlags::RDONLY]);
    let more = [
        (OFlags::CREATE, 2),
        (OFlags::EXCL, 6),
        (OFlags::TRUNC, 5),
        (OFlags::APPEND, 4),
        (OFlags::DIRECTORY, 20),
        (OFlags::NOFOLLOW, 8),
    ];
    for (flag, times) in more {
        if random.once_in(times) {
            flags |= flag;
        }
    }
    // Without O_CREAT, what O_EXCL does is undefined; with both O_CREAT and O_DIRECTORY, it has
    // changed between kernels.
    flags -= if flags.contains(OFlags::CREATE) { OFlags::DIRECTORY } else { OFlags::EXCL };
    Step::Open { slot, path: path(random), flags, mode: mode(random) }
}

fn with_file(random: &mut Random, byte: u8) -> Step {
    let slot = slot(random);
    let (offset, len) = (offset(random), length(random));
    let (place, size) = (index(offset), len as u64);
    match random.below(16) {
        0 | 1 => Step::Read { slot, len },
        2 | 3 => Step::ReadAt { slot, offset, len },
        4 | 5 => Step::Write { slot, byte, len },
        6 | 7 => Step::WriteAt { slot, offset, byte, len },
        8 => Step::Resize { slot, size: offset },
        9 => Step::Allocate { slot, flags: allocation(random), offset, len: size },
        10 => Step::ReadExtents { slot },
        11 => {
            let to = self::slot(random);
            let to_offset = self::offset(random);
            Step::CopyRange { from: slot, from_offset: offset, to, to_offset, len }
        }
        12 => Step::MapRead { slot, offset: place, len },
        13 => Step::MapWrite { slot, offset: place, byte, len, sync: random.once_in(3) },
        14 if random.once_in(4) => Step::Sync { slot },
        _ => Step::StatOpen { slot },
    }
}

fn with_names(random: &mut Random) -> Step {
    let (path, other) = (path(random), path(random));
    match random.below(10) {
        0 | 1 => {
            let flags = [RenameFlags::empty(), RenameFlags::NOREPLACE, RenameFlags::EXCHANGE];
            Step::Rename { from: path, to: other, flags: random.pick(&flags) }
        }
        2 => Step::Link { from: path, to: other },
        3 => Step::Symlink { target: random.pick(&["a", "../b", "d/c", "none"]).into(), path },
        4 => Step::ReadLink { path },
        5 => Step::Unlink { path },
        6 | 7 => Step::MakeDir { path: path_to(random, &["d", "e"]), mode: mode(random) },
        8 => Step::RemoveDir { path },
        _ => Step::List { path },
    }
}

fn with_attributes(random: &mut Random, byte: u8) -> Step {
    let path = path(random);
    let name = random.pick(ATTRIBUTES).to_owned();
    match random.below(10) {
        0 | 1 => Step::Stat { path },
        2 => Step::Truncate { path, size: offset(random) },
        3 => Step::SetMode { path, mode: mode(random) },
        4 => {
            let seconds = i64::try_from(random.below(1_000_000_000)).expect("it fits");
            let nanoseconds = i64::try_from(random.below(1_000_000_000)).expect("it fits");
            Step::SetTime { path, seconds, nanoseconds }
        }
        5 | 6 => {
            let flags = [XattrFlags::empty(), XattrFlags::CREATE, XattrFlags::REPLACE];
            let len = index(random.below(200));
            Step::SetAttribute { path, name, byte, len, flags: random.pick(&flags) }
        }
        7 => Step::GetAttribute { path, name },
        8 => Step::RemoveAttribute { path, name },
        _ => Step::ListAttributes { path },
    }
}

fn slot(random: &mut Random) -> Slot {
    index(random.below(SLOTS))
}

/// Returns one of a few paths, so that calls meet each other; `d` and `e` are mostly directories.
fn path(random: &mut Random) -> String {
    path_to(random, &["a", "b", "c", "a", "b", "c", "d", "e"])
}

fn path_to(random: &mut Random, names: &[&str]) -> String {
    let depth = random.pick(&[0, 0, 1, 1, 2]);
    let way: String = (0..depth).map(|_| random.pick(&["d/", "d/", "e/"])).collect();
    way + random.pick(names)
}

fn mode(random: &mut Random) -> Mode {
    Mode::from_raw_mode(random.pick(&[0o644, 0o755, 0o600, 0o777, 0o000, 0o4755, 0o1777]))
}

/// Returns a place near the beginning, or across the bounds of pages, of the content that a record
/// carries and of chunks.
fn offset(random: &mut Random) -> u64 {
    let around = random.pick(&[0, 0, 0, 4_096, 8_192, 65_536, 65_536, 1 << 20, 2 << 20]);
    (around + random.below(3_000)).saturating_sub(1_000)
}

fn length(random: &mut Random) -> usize {
    let end = random.pick(&[10, 100, 5_000, 5_000, 100_000, 1_200_000]);
    index(random.below(end))
}

fn allocation(random: &mut Random) -> FallocateFlags {
    let keep = FallocateFlags::KEEP_SIZE;
    random.pick(&[
        FallocateFlags::empty(),
        keep,
        FallocateFlags::PUNCH_HOLE | keep,
        FallocateFlags::ZERO_RANGE,
        FallocateFlags::ZERO_RANGE | keep,
    ])
}

/// Returns a small number as an index.
pub(super) fn index(number: u64) -> usize {
    usize::try_from(number).expect("it is small")
}
