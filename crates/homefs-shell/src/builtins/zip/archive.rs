//! The format of zip: members one after another, and a list of them at the end.

use std::io::{Read as _, Write as _};

use bytes::Bytes;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};
use homefs_core::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// What begins a member, its line in the list, and the end of the list.
const MEMBER: &[u8] = b"PK\x03\x04";
const LISTED: &[u8] = b"PK\x01\x02";
const END: &[u8] = b"PK\x05\x06";

/// How a content is kept.
const STORED: u16 = 0;
const DEFLATED: u16 = 8;

/// That a content is encrypted, that lengths stand behind it, and that a name is UTF-8.
const ENCRYPTED: u16 = 1;
const LENGTHS_BEHIND: u16 = 1 << 3;
const UNICODE: u16 = 1 << 11;

/// Version 3.0, on a system with permission bits; and what a reader must understand.
const MADE_BY: [u8; 2] = [30, 3];
const VERSION: u16 = 20;

/// Begins the time of a change to the second, in universal time.
const UNIX_TIME: &[u8] = &[0x55, 0x54, 5, 0];

/// A file, directory or link in an archive.
pub(super) struct Member {
    pub(super) name: String,
    /// How long the content is.
    pub(super) size: usize,
    /// When it was last changed.
    pub(super) modified: Timestamp,
    /// The kind and the permission bits; 0 if they are not known.
    pub(super) mode: u32,
    /// The content as it is kept.
    pub(super) packed: Bytes,
    method: u16,
    flags: u16,
    crc: u32,
}

impl Member {
    /// Packs a content, as hard as `level` says; what packing does not make smaller stays as it is.
    pub(super) fn new(
        name: String,
        content: Bytes,
        level: u32,
        mode: u32,
        modified: Timestamp,
    ) -> Self {
        let flags = if name.is_ascii() { 0 } else { UNICODE };
        let (size, crc) = (content.len(), crc(&content));
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::new(level));
        let deflated = encoder.write_all(&content).and_then(|()| encoder.finish());
        let (method, packed) = match deflated {
            Ok(deflated) if deflated.len() < size => (DEFLATED, deflated.into()),
            _ => (STORED, content),
        };
        Self { name, size, modified, mode, packed, method, flags, crc }
    }

    pub(super) fn is_stored(&self) -> bool {
        self.method == STORED
    }

    /// Unpacks the content, if it has at most so many bytes. What is said of its length is not
    /// believed.
    pub(super) fn content(&self, most: usize) -> Result<Vec<u8>, String> {
        let mut content = Vec::new();
        match self.method {
            _ if self.flags & ENCRYPTED != 0 => return Err("is encrypted".into()),
            _ if self.size > most => return Err(format!("has more than {most} bytes")),
            STORED => content.extend_from_slice(&self.packed),
            DEFLATED => {
                let mut unpacked = DeflateDecoder::new(&*self.packed).take(self.size as u64 + 1);
                let read = unpacked.read_to_end(&mut content);
                read.map_err(|_| "invalid compressed data to inflate")?;
            }
            other => return Err(format!("unsupported compression method {other}")),
        }
        let found = crc(&content);
        if content.len() != self.size || found != self.crc {
            return Err(format!("bad CRC {found:08x}  (should be {:08x})", self.crc));
        }
        Ok(content)
    }

    /// Writes what stands before the content and in the list alike, and returns what follows there:
    /// the name, and the time to the second.
    fn write_head(&self, out: &mut Vec<u8>, zone: &TimeZone) -> Option<Vec<u8>> {
        let seconds = i32::try_from(self.modified.seconds()).unwrap_or(0).to_le_bytes();
        let extra = [UNIX_TIME, &[1], &seconds].concat();
        let (time, date) = to_dos(self.modified, zone);
        for number in [VERSION, self.flags & !LENGTHS_BEHIND, self.method, time, date] {
            out.extend(number.to_le_bytes());
        }
        for number in [self.crc, short(self.packed.len())?, short(self.size)?] {
            out.extend(number.to_le_bytes());
        }
        for length in [self.name.len(), extra.len()] {
            out.extend(u16::try_from(length).ok()?.to_le_bytes());
        }
        Some([self.name.as_bytes(), &extra].concat())
    }
}

/// Reads the list of an archive.
pub(super) fn read(content: &Bytes, zone: &TimeZone) -> Result<Vec<Member>, &'static str> {
    const NONE: &str = "is no zip archive";
    const BROKEN: &str = "is a damaged zip archive";
    // A comment of at most 64 KiB may stand behind the list.
    let from = content.len().saturating_sub(usize::from(u16::MAX) + 22);
    let end = memchr::memmem::rfind(&content[from..], END).ok_or(NONE)? + from;
    content.get(end..end + 22).ok_or(BROKEN)?;
    let count = u16_at(content, end + 10).ok_or(BROKEN)?;
    let length = u32_at(content, end + 12).ok_or(BROKEN)? as usize;
    let listed = u32_at(content, end + 16).ok_or(BROKEN)?;
    if count == u16::MAX || listed == u32::MAX {
        return Err("is an archive of the form zip64, which is not read here");
    }
    // What stands before an archive, as in a program that unpacks itself, moves all of it.
    let mut at = end.checked_sub(length).ok_or(BROKEN)?;
    let moved = at.checked_sub(listed as usize).ok_or(BROKEN)?;
    let members = (0..count).map(|_| member(content, &mut at, moved, zone));
    members.collect::<Option<_>>().ok_or(BROKEN)
}

fn member(content: &Bytes, at: &mut usize, moved: usize, zone: &TimeZone) -> Option<Member> {
    let head = content.get(*at..*at + 46).filter(|head| head.starts_with(LISTED))?;
    let length = |at: usize| u16_at(head, at).map(usize::from);
    let name = content.get(*at + 46..)?.get(..length(28)?)?;
    let extra = content.get(*at + 46 + name.len()..)?.get(..length(30)?)?;
    *at += 46 + name.len() + extra.len() + length(32)?;
    let local = moved + u32_at(head, 42)? as usize;
    content.get(local..).filter(|member| member.starts_with(MEMBER))?;
    let local_length = |at: usize| u16_at(content, local + at).map(usize::from);
    let from = local + 30 + local_length(26)? + local_length(28)?;
    let packed = from..from + u32_at(head, 20)? as usize;
    let exact = memchr::memmem::find(extra, UNIX_TIME).and_then(|at| u32_at(extra, at + 5));
    let modified = match exact {
        Some(seconds) => Timestamp(i64::from(seconds.cast_signed()) * 1_000_000_000),
        None => from_dos(u16_at(head, 12)?, u16_at(head, 14)?, zone),
    };
    Some(Member {
        name: String::from_utf8_lossy(name).into_owned(),
        size: u32_at(head, 24)? as usize,
        modified,
        mode: if head[5] == MADE_BY[1] { u16_at(head, 40)?.into() } else { 0 },
        packed: (packed.end <= content.len()).then(|| content.slice(packed))?,
        method: u16_at(head, 10)?,
        flags: u16_at(head, 8)?,
        crc: u32_at(head, 16)?,
    })
}

/// Writes an archive; `None` if it is too large for the form.
pub(super) fn write(members: &[Member], zone: &TimeZone) -> Option<Vec<u8>> {
    let (mut out, mut list) = (Vec::new(), Vec::new());
    for member in members {
        let at = short(out.len())?.to_le_bytes();
        out.extend(MEMBER);
        let named = member.write_head(&mut out, zone)?;
        out.extend([&named, &*member.packed].concat());
        list.extend([LISTED, &MADE_BY].concat());
        member.write_head(&mut list, zone)?;
        // Neither a comment nor another disk; then what DOS and Unix know of it, and where it is.
        let directory = u32::from(member.name.ends_with('/')) << 4;
        let known = (member.mode << 16 | directory).to_le_bytes();
        list.extend([&[0; 6][..], &known, &at, &named].concat());
    }
    let (at, length) = (short(out.len())?.to_le_bytes(), short(list.len())?.to_le_bytes());
    let count = u16::try_from(members.len()).ok().filter(|count| *count < u16::MAX)?.to_le_bytes();
    out.extend([&list, END, &[0; 4], &count, &count, &length, &at, &[0; 2]].concat());
    Some(out)
}

fn crc(content: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(content);
    crc.sum()
}

/// Returns a length as the form has it, which keeps the largest for itself.
fn short(length: usize) -> Option<u32> {
    u32::try_from(length).ok().filter(|length| *length < u32::MAX)
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|bytes| u16::from_le_bytes(*bytes))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
}

/// Returns a moment of a time zone in two numbers, of which one step is two seconds.
fn to_dos(moment: Timestamp, zone: &TimeZone) -> (u16, u16) {
    let at = jiff::Timestamp::from_nanosecond(i128::from(moment.0)).unwrap_or_default();
    let at = at.to_zoned(zone.clone());
    let part = |part: i8| u16::from(part.unsigned_abs());
    let years = u16::try_from(at.year() - 1980).unwrap_or(0).min(127);
    let time = part(at.hour()) << 11 | part(at.minute()) << 5 | (part(at.second()) / 2);
    (time, years << 9 | part(at.month()) << 5 | part(at.day()))
}

fn from_dos(time: u16, date: u16, zone: &TimeZone) -> Timestamp {
    let part = |number: u16, bits: u16| i8::try_from(number & bits).unwrap_or(0);
    let year = 1980 + i16::try_from(date >> 9).unwrap_or(0);
    let (month, day) = (part(date >> 5, 15), part(date, 31));
    let (hour, minute) = (part(time >> 11, 31), part(time >> 5, 63));
    let at = DateTime::new(year, month, day, hour, minute, part(time, 29) * 2, 0);
    let at = at.ok().and_then(|at| at.to_zoned(zone.clone()).ok());
    Timestamp(at.map_or(0, |at| at.timestamp().as_second() * 1_000_000_000))
}
