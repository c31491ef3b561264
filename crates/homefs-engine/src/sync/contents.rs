//! Contents on their way: which ones the remote lacks, and where to get those that are lacking
//! here.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use homefs_core::limits::LEAF_CHUNKS;
use homefs_core::{Condition, Digest, Error, ErrorKind, RemoteRequest, Result};

use super::format::{
    self, Entry, Pack, PackId, PackTable, PackWriter, Piece, State, keys, open_piece, seal_piece,
};
use super::round::{Pair, object, put};
use crate::chunks::Pins;
use crate::record::Content;

/// A pack is closed when it has this many bytes.
const PACK_BYTES: usize = 8 << 20;
/// Chunks fetched at once.
const CHUNKS_AT_ONCE: usize = 32;

/// Contents of one space and its remote.
pub(super) struct Contents<'p, 'a> {
    pair: &'p Pair<'a>,
    /// Where the contents of commits are that are not known yet.
    places: BTreeMap<Digest, (PackId, Piece)>,
    opened: RefCell<BTreeMap<PackId, Pack>>,
}

/// What a push sends before its commit.
pub(super) struct ToSend {
    pub(super) requests: Vec<RemoteRequest>,
    pub(super) packs: Vec<PackTable>,
    pub(super) pieces: Vec<Digest>,
}

impl<'p, 'a> Contents<'p, 'a> {
    /// Looks for contents where they are known to be.
    pub(super) fn new(pair: &'p Pair<'a>) -> Self {
        Self { pair, places: BTreeMap::new(), opened: RefCell::default() }
    }

    /// Looks also into packs of commits that are being pulled.
    pub(super) fn with_packs(pair: &'p Pair<'a>, packs: &[PackTable]) -> Self {
        let pieces = packs.iter().flat_map(|table| {
            table.pieces.iter().map(|piece| (piece.digest, (table.pack, *piece)))
        });
        Self { places: pieces.collect(), ..Self::new(pair) }
    }

    /// Collects what the remote must have before a commit names it.
    pub(super) fn to_send(&self, entries: &[Entry]) -> Result<ToSend> {
        let Pair { space, known, sealer, .. } = self.pair;
        let mut send = ToSend { requests: Vec::new(), packs: Vec::new(), pieces: Vec::new() };
        let mut writer = PackWriter::new(*sealer)?;
        let mut done = BTreeSet::new();
        for content in contents_of(entries) {
            match content {
                format::Content::Empty => {}
                format::Content::Small { digest, .. } => {
                    if done.insert(*digest) && !known.has(*digest)? {
                        writer.add(&space.base.blob(*digest)?)?;
                        if writer.bytes() >= PACK_BYTES {
                            let full = std::mem::replace(&mut writer, PackWriter::new(*sealer)?);
                            send.close(full);
                        }
                    }
                }
                format::Content::Chunked { size, pieces } => {
                    for piece in self.named(*size, pieces)? {
                        if done.insert(piece) && !known.has(piece)? {
                            let (_, sealed) = seal_piece(&space.chunks.get(piece)?, *sealer)?;
                            let key = keys::chunk(*sealer, piece);
                            send.requests.push(put(key, sealed, Condition::Any));
                            send.pieces.push(piece);
                        }
                    }
                }
            }
        }
        if writer.bytes() > 0 {
            send.close(writer);
        }
        Ok(send)
    }

    /// Returns every piece of a large content that is stored: leaves, where it names those, and
    /// chunks.
    fn named(&self, size: u64, pieces: &[Digest]) -> Result<Vec<Digest>> {
        let mut named: Vec<Digest> = pieces.to_vec();
        if format::Content::names_leaves(size) {
            for leaf in pieces.iter().filter(|leaf| **leaf != Digest::HOLE) {
                named.extend(self.pair.space.chunks.leaf_digests(*leaf)?);
            }
        }
        named.retain(|piece| *piece != Digest::HOLE);
        Ok(named)
    }

    /// Returns the pieces that entries name, which the remote therefore has.
    pub(super) fn pieces_of<'e>(
        &self,
        entries: impl IntoIterator<Item = &'e Entry>,
    ) -> Vec<Digest> {
        let chunked = contents_of(entries).filter_map(|content| match content {
            format::Content::Chunked { size, pieces } => self.named(*size, pieces).ok(),
            _ => None,
        });
        chunked.flatten().collect()
    }

    /// Makes a content ready to be given to a file of the space. The pins keep what was stored
    /// for it until the record that names it is folded.
    pub(super) fn ready(&self, content: &format::Content) -> Result<(Content, Option<Pins>)> {
        match content {
            format::Content::Empty => Ok((Content::Inline(Bytes::new()), None)),
            format::Content::Small { digest, .. } => {
                Ok((Content::Inline(self.small(*digest)?), None))
            }
            format::Content::Chunked { size, pieces } => {
                let chunks = &self.pair.space.chunks;
                let mut pins = Pins::new(chunks);
                self.store(pieces, &mut pins)?;
                let leaves = if format::Content::names_leaves(*size) {
                    for leaf in pieces.iter().filter(|leaf| **leaf != Digest::HOLE) {
                        self.store(&chunks.leaf_digests(*leaf)?, &mut pins)?;
                    }
                    pieces.clone()
                } else {
                    let leaf = |run: &[Digest]| {
                        let flat: Vec<u8> = run.iter().flat_map(|digest| digest.0).collect();
                        chunks.put(&flat, &mut pins)
                    };
                    pieces.chunks(LEAF_CHUNKS).map(leaf).collect::<Result<_>>()?
                };
                Ok((Content::Chunked { size: *size, leaves }, Some(pins)))
            }
        }
    }

    /// Returns all bytes of a content, to be merged.
    pub(super) fn bytes(&self, content: &format::Content) -> Result<Bytes> {
        match self.ready(content)? {
            (Content::Inline(bytes), _) => Ok(bytes),
            (content, _pins) => {
                let len = usize::try_from(content.size()).unwrap_or(usize::MAX);
                self.pair.space.read_content(&content, 0, len)
            }
        }
    }

    /// Stores pieces here that are not here yet.
    fn store(&self, pieces: &[Digest], pins: &mut Pins) -> Result<()> {
        let Pair { space, remote, sealer, .. } = self.pair;
        let mut missing = Vec::new();
        for piece in pieces.iter().copied().filter(|piece| *piece != Digest::HOLE) {
            // Pinned before it is looked for, so that it is not swept meanwhile.
            pins.add(piece);
            if space.chunks.get(piece).is_err() {
                missing.push(piece);
            }
        }
        for batch in missing.chunks(CHUNKS_AT_ONCE) {
            let get = |piece: &Digest| RemoteRequest::Get {
                key: keys::chunk(*sealer, *piece),
                range: None,
                unless: None,
            };
            let answers = remote.run(batch.iter().map(get).collect());
            for (piece, answer) in batch.iter().zip(answers) {
                let bytes = open_piece(*piece, &object(answer)?, *sealer)?;
                space.chunks.put(&bytes, pins)?;
            }
        }
        Ok(())
    }

    fn small(&self, digest: Digest) -> Result<Bytes> {
        let Pair { space, known, sealer, .. } = self.pair;
        if let Ok(bytes) = space.base.blob(digest) {
            return Ok(bytes);
        }
        let place = match self.places.get(&digest) {
            Some(place) => Some(*place),
            None => known.place(digest)?,
        };
        let (pack, piece) = place.ok_or_else(|| {
            let message = format!("no pack of the remote has the content {digest}");
            Error::new(ErrorKind::Corrupt, message)
        })?;
        self.open([pack])?;
        let opened = self.opened.borrow();
        let pack = opened
            .get(&pack)
            .ok_or_else(|| Error::new(ErrorKind::Internal, "a pack was not opened"))?;
        pack.piece(&piece, *sealer)
    }

    /// Fetches the packs of small contents that are not here, all at once.
    pub(super) fn fetch_packs<'e>(
        &self,
        entries: impl IntoIterator<Item = &'e Entry>,
    ) -> Result<()> {
        let mut packs = BTreeSet::new();
        for content in contents_of(entries) {
            if let format::Content::Small { digest, .. } = content
                && let Some((pack, _)) = self.places.get(digest)
                && self.pair.space.base.blob(*digest).is_err()
            {
                packs.insert(*pack);
            }
        }
        self.open(packs)
    }

    fn open(&self, packs: impl IntoIterator<Item = PackId>) -> Result<()> {
        let missing: Vec<PackId> =
            packs.into_iter().filter(|pack| !self.opened.borrow().contains_key(pack)).collect();
        let get = |pack: &PackId| RemoteRequest::Get {
            key: keys::pack(*pack),
            range: None,
            unless: None,
        };
        let answers = self.pair.remote.run(missing.iter().map(get).collect());
        for (id, answer) in missing.into_iter().zip(answers) {
            self.opened.borrow_mut().insert(id, Pack::open(id, object(answer)?)?);
        }
        Ok(())
    }
}

impl ToSend {
    fn close(&mut self, writer: PackWriter<'_>) {
        let (table, bytes) = writer.finish();
        self.requests.push(put(keys::pack(table.pack), bytes, Condition::Any));
        self.packs.push(table);
    }
}

/// Returns the contents of living entries.
fn contents_of<'e>(
    entries: impl IntoIterator<Item = &'e Entry>,
) -> impl Iterator<Item = &'e format::Content> {
    entries.into_iter().filter_map(|entry| match &entry.state {
        State::Living(living) => Some(&living.content),
        State::Gone(_) => None,
    })
}
