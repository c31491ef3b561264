//! Fetching contents that this machine does not have, when somebody reads them.

use std::sync::{Arc, Weak};
use std::time::Duration;

use bytes::Bytes;
use homefs_core::{Digest, Error, ErrorKind, RemoteAnswer, RemoteRequest, Result, Timestamp};
use parking_lot::Mutex;
use rustc_hash::FxHashSet;

use super::format::{Pack, PackId, keys, open_piece};
use super::known::Place;
use super::round::{Pair, object};
use super::status::Direction;
use crate::lender::Lender;

/// Packs that were asked for something, kept in mind.
const ASKED_MAX: usize = 1024;

/// A failure that took longer than this is told to whoever asks soon after, instead of letting
/// them wait for the next: a program that reads many files would never end.
const PATIENCE: Duration = Duration::from_secs(1);
/// How soon.
const PAUSE: Duration = Duration::from_secs(5);

/// What fetches contents of a space while it is attached to its remote.
pub(crate) struct Lending {
    // The space holds this, and the pair holds the space.
    pair: Weak<Pair>,
    /// Packs of which a piece was fetched: whoever reads a second one may want them all.
    asked: Mutex<FxHashSet<PackId>>,
    /// The last failure that took long, and when it was.
    failed: Mutex<Option<(Timestamp, Error)>>,
}

impl Lending {
    /// Fetches for the space of a pair.
    pub(crate) fn new(pair: &Arc<Pair>) -> Self {
        Self { pair: Arc::downgrade(pair), asked: Mutex::default(), failed: Mutex::default() }
    }

    fn get(&self, pair: &Pair, place: Place) -> Result<Vec<(Digest, Bytes)>> {
        let (pack, piece) = place;
        let is_second = {
            let mut asked = self.asked.lock();
            if asked.len() >= ASKED_MAX {
                asked.clear();
            }
            !asked.insert(pack)
        };
        let range = (!is_second).then(|| piece.range());
        let get = RemoteRequest::Get { key: keys::pack(pack), range, unless: None };
        let bytes = object(self.run(pair, get))?;
        if !is_second {
            return Ok(vec![(piece.digest, open_piece(piece.digest, &bytes, &*pair.sealer)?)]);
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
        let begun = clock.now();
        if let Some((at, error)) = &*self.failed.lock()
            && begun.since(*at) < PAUSE
        {
            return Err(error.clone());
        }
        let answer = pair.remote.run_one(request);
        if let Err(error) = &answer
            && error.kind() == ErrorKind::Unavailable
            && clock.now().since(begun) >= PATIENCE
        {
            *self.failed.lock() = Some((clock.now(), error.clone()));
        }
        answer
    }
}

impl Lender for Lending {
    fn fetch(&self, digest: Digest) -> Result<Vec<(Digest, Bytes)>> {
        let detached = || Error::new(ErrorKind::Unavailable, "the remote is not attached");
        let pair = self.pair.upgrade().ok_or_else(detached)?;
        let place = || -> Result<Place> {
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

/// Tells a reader of a content that is nowhere from one of a file that is not there.
fn lost(error: Error) -> Error {
    if error.kind() != ErrorKind::NotFound {
        return error;
    }
    let message = "the remote has lost the content; `homefs fsck --repair` on a machine that has \
                   it sends it again";
    Error::new(ErrorKind::Corrupt, message).with_source(error)
}
