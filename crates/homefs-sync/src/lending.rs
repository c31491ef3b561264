//! Fetching contents that this machine does not have, when somebody reads them.

use std::sync::{Arc, Weak};
use std::time::Duration;

use bytes::Bytes;
use homefs_core::{Digest, Error, ErrorKind, RemoteAnswer, RemoteRequest, Result, Timestamp};
use homefs_store::lender::Lender;
use parking_lot::Mutex;
use rustc_hash::FxHashSet;

use crate::format::{Pack, PackId, Piece, keys, open_piece};
use crate::known::PackLocation;
use crate::round::{Pair, object};
use crate::status::Direction;

/// Packs that were asked for something, kept in mind.
const ASKED_MAX: usize = 1024;

/// A piece of so many bytes is of a large file, whose other pieces are likely to be wanted.
const LARGE_BYTES: u32 = 256 << 10;
/// With a small piece come at most so many bytes of small ones beside it.
const BESIDE_BYTES: u64 = 1 << 20;

/// A failure that took longer than this is told to whoever asks soon after, instead of letting
/// them wait for the next: a program that reads many files would never end.
const PATIENCE: Duration = Duration::from_secs(1);
/// How soon.
const PAUSE: Duration = Duration::from_secs(5);

/// What fetches contents of a space while it is attached to its remote.
pub struct Lending {
    // The space holds this, and the pair holds the space.
    pair: Weak<Pair>,
    /// Packs of which a piece was fetched: whoever reads a second one may want those beside it.
    asked: Mutex<FxHashSet<PackId>>,
    /// The last failure that took long, and when it was.
    failed: Mutex<Option<(Timestamp, Error)>>,
}

impl Lending {
    /// Fetches for the space of a pair.
    pub fn new(pair: &Arc<Pair>) -> Self {
        Self { pair: Arc::downgrade(pair), asked: Mutex::default(), failed: Mutex::default() }
    }

    fn get(&self, pair: &Pair, place: PackLocation) -> Result<Vec<(Digest, Bytes)>> {
        let (pack, piece) = place;
        let is_second = {
            let mut asked = self.asked.lock();
            if asked.len() >= ASKED_MAX {
                asked.clear();
            }
            !asked.insert(pack)
        };
        let is_whole = is_second && piece.len >= LARGE_BYTES;
        let run = if is_second && !is_whole { beside(pair, place)? } else { vec![piece] };
        let range = || {
            let start = run.iter().map(|piece| piece.range().start).min().unwrap_or(0);
            start..run.iter().map(|piece| piece.range().end).max().unwrap_or(start)
        };
        let range = (!is_whole).then(range);
        let start = range.as_ref().map_or(0, |range| range.start);
        let get = RemoteRequest::Get { key: keys::pack(pack), range, unless: None };
        let bytes = object(self.run(pair, get))?;
        if !is_whole {
            // What comes along and is damaged is told to whoever reads it.
            let found = run.iter().map(|other| (other, open(other, start, &bytes, pair)));
            let is_told = |(other, found): &(&Piece, Result<_>)| {
                found.is_ok() || other.digest == piece.digest
            };
            return found.filter(is_told).map(|(_, found)| found).collect();
        }
        let whole = Pack::open(pack, bytes)?;
        let mut found = vec![(piece.digest, whole.piece(&piece, &*pair.sealer)?)];
        for table in pair.known.packs(Some(pack))? {
            for other in table.pieces.iter().filter(|other| other.digest != piece.digest) {
                found.push((other.digest, whole.piece(other, &*pair.sealer)?));
            }
        }
        Ok(found)
    }

    /// Makes a request, unless one has just failed after a long time.
    fn run(&self, pair: &Pair, request: RemoteRequest) -> Result<RemoteAnswer> {
        let clock = &pair.space.ground.clock;
        let begun = clock.steady();
        if let Some((at, error)) = &*self.failed.lock()
            && begun.since(*at) < PAUSE
        {
            return Err(error.clone());
        }
        let answer = pair.remote.run_one(request);
        if let Err(error) = &answer
            && error.kind() == ErrorKind::Unavailable
            && clock.steady().since(begun) >= PATIENCE
        {
            *self.failed.lock() = Some((clock.steady(), error.clone()));
        }
        answer
    }
}

impl Lender for Lending {
    fn fetch(&self, digest: Digest) -> Result<Vec<(Digest, Bytes)>> {
        let detached = || Error::new(ErrorKind::Unavailable, "the remote is not attached");
        let pair = self.pair.upgrade().ok_or_else(detached)?;
        let place = || -> Result<PackLocation> {
            pair.known.place(digest)?.ok_or_else(|| {
                let message = format!("no pack of the remote has the content {digest}");
                Error::new(ErrorKind::Corrupt, message)
            })
        };
        match self.get(&pair, place()?) {
            // The pack was dropped, and what is needed of it stands in another one.
            Err(error) if error.kind() == ErrorKind::NotFound => {
                pair.round(Direction::Pull)?;
                self.get(&pair, place()?).map_err(lost)
            }
            got => got,
        }
    }

    fn has(&self, digest: Digest) -> bool {
        let pair = self.pair.upgrade();
        pair.is_some_and(|pair| pair.known.has(digest).unwrap_or(false))
    }
}

/// Returns a small piece and the small ones beside it in its pack, in their order.
fn beside(pair: &Pair, (pack, piece): PackLocation) -> Result<Vec<Piece>> {
    let tables = pair.known.packs(Some(pack))?;
    let mut pieces: Vec<Piece> = tables.into_iter().flat_map(|table| table.pieces).collect();
    pieces.sort_unstable_by_key(|piece| piece.offset);
    let Some(at) = pieces.iter().position(|other| other.digest == piece.digest) else {
        return Ok(vec![piece]);
    };
    // Everything between two small ones that are taken is small too.
    let is_taken = |other: &Piece, bytes: &mut u64| {
        *bytes += u64::from(other.len);
        other.len < LARGE_BYTES && *bytes <= BESIDE_BYTES / 2
    };
    let (mut before, mut after) = (0, 0);
    let first = pieces[..at].iter().rev().take_while(|other| is_taken(other, &mut before)).count();
    let last = pieces[at + 1..].iter().take_while(|other| is_taken(other, &mut after)).count();
    Ok(pieces[at - first..=at + last].to_vec())
}

/// Takes a piece out of a range of its pack that begins at `start`.
fn open(piece: &Piece, start: u64, bytes: &Bytes, pair: &Pair) -> Result<(Digest, Bytes)> {
    let at = usize::try_from(piece.range().start.saturating_sub(start)).unwrap_or(usize::MAX);
    let stored = bytes.get(at..at.saturating_add(piece.len as usize));
    let stored = stored
        .ok_or_else(|| Error::new(ErrorKind::Corrupt, "a pack of the remote is too short"))?;
    Ok((piece.digest, open_piece(piece.digest, stored, &*pair.sealer)?))
}

/// Tells a reader of a content that is nowhere from one of a file that is not there.
fn lost(error: Error) -> Error {
    if error.kind() != ErrorKind::NotFound {
        return error;
    }
    let message = "the remote has lost the content; `homefs fsck --repair` on a machine that has \
                   it sends it again";
    Error::new(ErrorKind::Corrupt, message).with_source(error)
}
