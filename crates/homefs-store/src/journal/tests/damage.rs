//! One journal of several segments, damaged at every byte in turn.

use std::collections::BTreeMap;
use std::path::PathBuf;

use homefs_core::ErrorKind;
use homefs_testkit::CrashDisk;

use super::super::format::{FRAME_BYTES, Header};
use super::super::recover::recover;
use super::*;

/// A journal with a sync mark in its middle, and where everything in it lies.
struct Recorded {
    files: BTreeMap<PathBuf, Vec<u8>>,
    // Per file: the used bytes of the header or of a record, and the position damaged with them.
    parts: BTreeMap<PathBuf, Vec<(std::ops::Range<usize>, Position)>>,
    ends: Vec<Position>,
}

fn record() -> Recorded {
    let disk = CrashDisk::new();
    let journal = open(&disk).unwrap();
    let mut ends: Vec<Position> = Vec::new();
    for number in 0..50 {
        ends.push(append(&journal, &payload(number)).unwrap());
        if number == 12 || number == 28 {
            journal.barrier(ends[number]).unwrap();
            wait_for_mark(&disk, ends[number]);
        }
    }
    // The spare files that a live journal keeps are not part of it.
    disk.crash_process();
    recover(HostPath::new(DIR), &disk, false, &mut |_, _, _| Ok(true)).unwrap();
    let files = disk.files();
    assert!(files.len() >= 3 && mark(&disk).synced == ends[28]);
    let headers: BTreeMap<_, _> = files
        .iter()
        .map(|(path, bytes)| (path, Header::decode(&bytes[..4096]).unwrap().unwrap()))
        .collect();
    let mut parts: BTreeMap<_, Vec<_>> =
        headers.iter().map(|(path, h)| ((*path).clone(), vec![(0..44, h.start)])).collect();
    let mut start = Position(0);
    for (number, &end) in ends.iter().enumerate() {
        let holders = headers.iter().filter(|(_, header)| header.start <= start);
        let (path, header) = holders.max_by_key(|(_, header)| header.start).unwrap();
        let offset = usize::try_from(4096 + start.0 - header.start.0).unwrap();
        let bytes = payload(number).len() + usize::try_from(FRAME_BYTES).unwrap();
        parts.get_mut(*path).unwrap().push((offset..offset + bytes, start));
        start = end;
    }
    Recorded { files, parts, ends }
}

impl Recorded {
    /// Opens the journal with `path` holding `bytes` instead, where everything from `damage` on
    /// cannot be read: it is refused if a mark covers that, else cut there.
    fn check(&self, path: &PathBuf, bytes: &[u8], damage: Option<Position>, case: usize) {
        let disk = CrashDisk::new();
        for (other, bytes) in self.files.iter().filter(|(other, _)| *other != path) {
            disk.plant(other, bytes);
        }
        disk.plant(path, bytes);
        let synced = mark(&disk).synced;
        let recovered = recover(HostPath::new(DIR), &disk, false, &mut |_, _, _| Ok(true));
        let name = path.display();
        if damage.is_some_and(|damage| damage < synced) {
            let error = recovered.err().unwrap_or_else(|| panic!("{name} {case}: not refused"));
            assert_eq!(error.kind(), ErrorKind::Corrupt, "{name} {case}");
            assert!(error.path().is_some() && error.message().contains("byte"), "{error}");
            return;
        }
        let mut kept = self.ends.iter().filter(|&&end| damage.is_none_or(|damage| end <= damage));
        let end = kept.next_back().copied().unwrap_or_default();
        let recovered = recovered.unwrap_or_else(|error| panic!("{name} {case}: {error:?}"));
        assert_eq!(recovered.end, end, "{name} {case}");
        // Now and then the whole way: read, append the lost records again, open once more.
        if case.is_multiple_of(211) {
            drop(recovered);
            let journal = open(&disk).unwrap();
            let count = payloads(&journal).len();
            assert_eq!(payloads(&journal), (0..count).map(payload).collect::<Vec<_>>());
            append(&journal, &payload(count)).unwrap();
            disk.crash_process();
            assert_eq!(payloads(&open(&disk).unwrap()).len(), count + 1, "{name} {case}");
        }
    }
}

#[test]
fn a_flipped_bit_anywhere_is_refused_or_cut_or_harmless() {
    let recorded = record();
    for (path, parts) in &recorded.parts {
        let mut bytes = recorded.files[path].clone();
        for at in 0..bytes.len() {
            let hit = parts.iter().find(|(range, _)| range.contains(&at));
            bytes[at] ^= 1 << (at % 8);
            recorded.check(path, &bytes, hit.map(|(_, position)| *position), at);
            bytes[at] ^= 1 << (at % 8);
        }
    }
}

#[test]
fn a_file_cut_anywhere_is_refused_or_cut_or_harmless() {
    let recorded = record();
    for (path, parts) in &recorded.parts {
        for length in 0..recorded.files[path].len() {
            let hit = parts.iter().find(|(range, _)| range.end > length);
            let bytes = &recorded.files[path][..length];
            recorded.check(path, bytes, hit.map(|(_, position)| *position), length);
        }
    }
}

#[test]
fn a_missing_file_is_refused_or_cut() {
    let recorded = record();
    for (path, parts) in &recorded.parts {
        let disk = CrashDisk::new();
        recorded.files.iter().filter(|(p, _)| *p != path).for_each(|(p, b)| disk.plant(p, b));
        let synced = mark(&disk).synced;
        let recovered = recover(HostPath::new(DIR), &disk, false, &mut |_, _, _| Ok(true));
        if parts[0].1 < synced {
            assert_eq!(recovered.err().unwrap().kind(), ErrorKind::Corrupt);
        } else {
            assert_eq!(recovered.unwrap().end, parts[0].1);
        }
    }
}

#[test]
fn a_newer_format_is_refused_by_name() {
    let recorded = record();
    let (path, bytes) = recorded.files.iter().next().unwrap();
    let mut bytes = bytes.clone();
    bytes[8] = 2;
    let checksum = crc32fast::hash(&bytes[..40]);
    bytes[40..44].copy_from_slice(&checksum.to_le_bytes());
    let disk = CrashDisk::new();
    disk.plant(path, &bytes);
    let error = open(&disk).err().unwrap();
    assert_eq!((error.kind(), error.path()), (ErrorKind::Unsupported, path.to_str()));
    assert!(error.message().contains("format 2"), "{error}");
}

#[test]
fn no_bytes_at_all_make_recovery_panic() {
    let mut random: u64 = 1;
    for case in 0..300_usize {
        let disk = CrashDisk::new();
        for file in 0..3 {
            let bytes: Vec<u8> = (0..case * 31)
                .map(|_| {
                    random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    (random >> 56).to_le_bytes()[0]
                })
                .collect();
            disk.plant(&HostPath::new(DIR).join(format!("{file:020}.seg")), &bytes);
        }
        assert_eq!(open(&disk).unwrap().end(), Position(0));
    }
}
