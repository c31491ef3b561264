//! Contents on their way: which ones the remote lacks, and where to get those that are lacking
//! here.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use homefs_core::limits::LEAF_CHUNKS;
use homefs_core::{
    Condition, Digest, Error, ErrorCode, ErrorKind, RemoteAnswer, RemoteRequest, Result,
};
use homefs_store::chunks::Pins;
use homefs_store::record::Content;

use crate::format::{self, PackId, PackTable, PackWriter, Piece, keys, open_piece};
use crate::known::PackLocation;
use crate::round::{Pair, object, put};

/// A pack is closed when it has this many bytes.
const PACK_BYTES: usize = 8 << 20;
/// Packs sent at once: as much memory as a push takes.
const PACKS_AT_ONCE: usize = 4;
/// Requests of one batch for pieces.
pub(super) const GETS_AT_ONCE: usize = 32;
/// Pieces of a pack that are so close come with one request: what lies between costs less.
const GAP_BYTES: u64 = 64 << 10;
/// Bytes of one digest in a leaf.
const DIGEST_BYTES: usize = 32;

/// Contents of one space and its remote.
pub(super) struct Contents<'p> {
    pub(super) pair: &'p Pair,
    /// Where the contents of commits are that are not known yet.
    places: BTreeMap<Digest, PackLocation>,
}

impl<'p> Contents<'p> {
    /// Looks for contents where they are known to be, and first in these packs.
    pub(super) fn new<'t>(pair: &'p Pair, packs: impl IntoIterator<Item = &'t PackTable>) -> Self {
        let pieces = packs.into_iter().flat_map(|table| {
            table.pieces.iter().map(|piece| (piece.digest, (table.pack, *piece)))
        });
        Self { pair, places: pieces.collect() }
    }

    /// Sends what the remote must have before a commit names it, and returns where it is then.
    ///
    /// The last packs come back as requests, to be sent together with the commit.
    pub(super) fn send<'c>(
        &self,
        contents: impl IntoIterator<Item = &'c format::Content>,
    ) -> Result<(Vec<PackTable>, Vec<RemoteRequest>)> {
        let mut sending = Sending::new(self.pair, confirmed(self.pair)?)?;
        for digest in self.pieces(contents)? {
            if !sending.is_there(digest)? {
                sending.add(&self.here(digest)?)?;
            }
            sending.flush()?;
        }
        sending.close()?;
        Ok((sending.packs, sending.requests))
    }

    /// Sends pieces in new packs although others have them, or had them: those of one group are
    /// fetched at once. What nobody has any more is left out.
    pub(super) fn send_again(
        &self,
        groups: impl IntoIterator<Item = BTreeSet<Digest>>,
    ) -> Result<(Vec<PackTable>, Vec<RemoteRequest>)> {
        let mut sending = Sending::new(self.pair, Vec::new())?;
        for group in groups {
            let found = match self.fetch(group.clone()) {
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    let here = |digest| Some((digest, self.here(digest).ok()?));
                    group.into_iter().filter_map(here).collect()
                }
                found => found?,
            };
            for bytes in found.values() {
                sending.add(bytes)?;
                sending.flush()?;
            }
        }
        sending.close()?;
        Ok((sending.packs, sending.requests))
    }

    /// Returns every piece of contents that is stored somewhere: small contents, chunks, and the
    /// leaves that name too many of them.
    pub(super) fn pieces<'c>(
        &self,
        contents: impl IntoIterator<Item = &'c format::Content>,
    ) -> Result<BTreeSet<Digest>> {
        let mut all = BTreeSet::new();
        for content in contents {
            match content {
                format::Content::Empty => {}
                format::Content::Small { digest, .. } => drop(all.insert(*digest)),
                format::Content::Chunked { size, pieces } => {
                    all.extend(pieces);
                    if format::Content::names_leaves(*size) {
                        for leaf in pieces.iter().filter(|leaf| **leaf != Digest::HOLE) {
                            all.extend(self.pair.space.chunks.leaf_digests(*leaf)?);
                        }
                    }
                }
            }
        }
        all.remove(&Digest::HOLE);
        Ok(all)
    }

    /// Returns every piece that a content of the remote has; what a leaf names that is nowhere
    /// cannot be told, and nobody can use it.
    pub(super) fn pieces_there(&self, content: &format::Content) -> Result<BTreeSet<Digest>> {
        match self.pieces([content]) {
            Err(error) if error.kind() == ErrorKind::Corrupt => {}
            pieces => return pieces,
        }
        let mut all: BTreeSet<Digest> = content.pieces().iter().copied().collect();
        all.remove(&Digest::HOLE);
        for leaf in self.fetch_there(all.clone())?.values() {
            let (digests, _) = leaf.as_chunks::<DIGEST_BYTES>();
            all.extend(digests.iter().map(|&digest| Digest(digest)));
        }
        all.remove(&Digest::HOLE);
        Ok(all)
    }

    /// Makes a content ready to be given to a file of the space; its bytes are fetched only if
    /// `now`. The pins keep what was stored for it until the record that names it is folded.
    pub(super) fn ready(
        &self,
        content: &format::Content,
        now: bool,
    ) -> Result<(Content, Option<Pins>)> {
        match content {
            format::Content::Empty => Ok((Content::Inline(Bytes::new()), None)),
            format::Content::Small { digest, .. } if now => {
                Ok((Content::Inline(self.piece(*digest)?), None))
            }
            format::Content::Small { digest, size } => {
                let content = Content::Blob { digest: *digest, size: u64::from(*size) };
                let pins = self.pair.space.chunks.pin(&content)?;
                Ok((content, Some(pins)))
            }
            format::Content::Chunked { size, pieces } => {
                let chunks = &self.pair.space.chunks;
                let mut pins = Pins::new(chunks);
                let leaves = if format::Content::names_leaves(*size) {
                    let leaves = pieces.iter().copied().filter(|leaf| *leaf != Digest::HOLE);
                    for bytes in self.fetch(leaves.collect())?.values() {
                        chunks.put(bytes, &mut pins)?;
                    }
                    pieces.clone()
                } else {
                    let leaf = |run: &[Digest]| {
                        let flat: Vec<u8> = run.iter().flat_map(|digest| digest.0).collect();
                        chunks.put(&flat, &mut pins)
                    };
                    pieces.chunks(LEAF_CHUNKS).map(leaf).collect::<Result<_>>()?
                };
                let content = Content::Chunked { size: *size, leaves };
                let pins = chunks.pin(&content)?;
                Ok((content, Some(pins)))
            }
        }
    }

    /// Returns all bytes of a content, to be merged.
    pub(super) fn bytes(&self, content: &format::Content) -> Result<Bytes> {
        let format::Content::Chunked { size, .. } = content else {
            return match self.ready(content, true)?.0 {
                Content::Inline(bytes) => Ok(bytes),
                _ => Err(Error::new(ErrorKind::Internal, "a small content is not inline")),
            };
        };
        let (content, mut pins) = self.ready(content, false)?;
        let chunks = &self.pair.space.chunks;
        if let (Content::Chunked { leaves, .. }, Some(pins)) = (&content, &mut pins) {
            for leaf in leaves.iter().filter(|leaf| **leaf != Digest::HOLE) {
                let named = chunks.leaf_digests(*leaf)?;
                let stored = named.into_iter().filter(|digest| *digest != Digest::HOLE);
                for bytes in self.fetch(stored.collect())?.values() {
                    chunks.put(bytes, pins)?;
                }
            }
        }
        let len = usize::try_from(*size).unwrap_or(usize::MAX);
        self.pair.space.read_content(&content, 0, len)
    }

    /// Fetches pieces that are not here, all at once, and returns all of them.
    pub(super) fn fetch(&self, digests: BTreeSet<Digest>) -> Result<BTreeMap<Digest, Bytes>> {
        self.fetch_each(digests, Err)
    }

    /// Fetches pieces that are not here, all at once; those that the remote does not have are left
    /// out.
    pub(super) fn fetch_there(&self, digests: BTreeSet<Digest>) -> Result<BTreeMap<Digest, Bytes>> {
        self.fetch_each(digests, |error| if is_lost(error.kind()) { Ok(()) } else { Err(error) })
    }

    /// Fetches pieces; `failed` decides about each failure whether it is one of all.
    fn fetch_each(
        &self,
        digests: BTreeSet<Digest>,
        failed: impl Fn(Error) -> Result<()>,
    ) -> Result<BTreeMap<Digest, Bytes>> {
        let mut found = BTreeMap::new();
        let mut missing: BTreeMap<PackId, Vec<Piece>> = BTreeMap::new();
        for digest in digests {
            if let Ok(bytes) = self.here(digest) {
                found.insert(digest, bytes);
                continue;
            }
            match self.place(digest) {
                Ok((pack, piece)) => missing.entry(pack).or_default().push(piece),
                Err(error) => failed(error)?,
            }
        }
        let Pair { remote, sealer, .. } = self.pair;
        let runs = missing
            .into_iter()
            .flat_map(|(pack, pieces)| runs(pieces).into_iter().map(move |pieces| (pack, pieces)));
        for packs in runs.collect::<Vec<_>>().chunks(GETS_AT_ONCE) {
            let get = |(pack, pieces): &(PackId, Vec<Piece>)| {
                let start = pieces.iter().map(|piece| piece.range().start).min();
                let end = pieces.iter().map(|piece| piece.range().end).max();
                let range = start.zip(end).map(|(start, end)| start..end);
                RemoteRequest::Get { key: keys::pack(*pack), range, unless: None }
            };
            let answers = remote.run(packs.iter().map(get).collect());
            for ((_, pieces), answer) in packs.iter().zip(answers) {
                let bytes = match object(answer).map_err(beyond_end) {
                    Err(error) => {
                        failed(error)?;
                        continue;
                    }
                    Ok(bytes) => bytes,
                };
                let start = pieces.iter().map(|piece| piece.offset).min().unwrap_or(0);
                for piece in pieces {
                    let at = (piece.offset - start) as usize;
                    let stored = bytes.get(at..at.saturating_add(piece.len as usize));
                    let opened = stored
                        .ok_or_else(too_short)
                        .and_then(|stored| open_piece(piece.digest, stored, &**sealer));
                    match opened {
                        Ok(bytes) => drop(found.insert(piece.digest, bytes)),
                        Err(error) => failed(error)?,
                    }
                }
            }
        }
        Ok(found)
    }

    fn piece(&self, digest: Digest) -> Result<Bytes> {
        let mut found = self.fetch(BTreeSet::from([digest]))?;
        found.remove(&digest).ok_or_else(|| nowhere(digest))
    }

    /// Returns a piece that this machine has.
    pub(super) fn here(&self, digest: Digest) -> Result<Bytes> {
        let space = &self.pair.space;
        if let Ok(Some(bytes)) = space.base.blob(digest) {
            return Ok(bytes);
        }
        space.chunks.get_here(digest)
    }

    /// Returns where the remote should have a piece.
    pub(super) fn place(&self, digest: Digest) -> Result<PackLocation> {
        match self.places.get(&digest) {
            Some(place) => Ok(*place),
            None => self.pair.known.place(digest)?.ok_or_else(|| nowhere(digest)),
        }
    }

    /// Returns how many bytes of the remote pieces take.
    pub(super) fn stored_bytes(&self, digests: &BTreeSet<Digest>) -> u64 {
        let lens = digests.iter().filter_map(|digest| self.places.get(digest));
        lens.map(|(_, piece)| u64::from(piece.len)).sum()
    }
}

/// Puts pieces of a pack together that lie close to each other.
fn runs(mut pieces: Vec<Piece>) -> Vec<Vec<Piece>> {
    pieces.sort_unstable_by_key(|piece| piece.offset);
    let mut runs: Vec<Vec<Piece>> = Vec::new();
    for piece in pieces {
        match runs.last_mut() {
            Some(run) if run.last().is_some_and(|last| is_close(last, &piece)) => run.push(piece),
            _ => runs.push(vec![piece]),
        }
    }
    runs
}

fn is_close(last: &Piece, next: &Piece) -> bool {
    next.range().start <= last.range().end + GAP_BYTES
}

/// Tells whether the remote does not have what was asked for.
pub(super) fn is_lost(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::Corrupt | ErrorKind::NotFound)
}

fn too_short() -> Error {
    Error::new(ErrorKind::Corrupt, "a pack of the remote is too short")
}

/// What a get of a part of a pack says if the pack ends before that part. Any other refusal says
/// nothing of the pack: what is taken for lost is merged no more.
pub(super) fn beyond_end(error: Error) -> Error {
    let is_beyond = error.code() == Some(ErrorCode::BeyondEnd);
    if is_beyond { too_short().with_source(error) } else { error }
}

fn nowhere(digest: Digest) -> Error {
    Error::new(ErrorKind::Corrupt, format!("no pack of the remote has the content {digest}"))
}

/// Packs in the making.
struct Sending<'p> {
    pair: &'p Pair,
    writer: PackWriter<'p>,
    /// Packs of an earlier attempt that are there.
    sent: Vec<PackTable>,
    packs: Vec<PackTable>,
    requests: Vec<RemoteRequest>,
}

impl<'p> Sending<'p> {
    fn new(pair: &'p Pair, sent: Vec<PackTable>) -> Result<Self> {
        let writer = PackWriter::new(&*pair.sealer, (pair.draw)())?;
        Ok(Self { pair, writer, sent, packs: Vec::new(), requests: Vec::new() })
    }

    /// Tells whether the remote has a piece, be it in a pack that no commit names yet.
    fn is_there(&mut self, digest: Digest) -> Result<bool> {
        let has = |table: &PackTable| table.pieces.iter().any(|piece| piece.digest == digest);
        if self.packs.iter().any(has) || self.pair.known.has(digest)? {
            return Ok(true);
        }
        let Some(at) = self.sent.iter().position(has) else { return Ok(false) };
        self.packs.push(self.sent.swap_remove(at));
        Ok(true)
    }

    fn add(&mut self, content: &[u8]) -> Result<()> {
        self.writer.add(content)?;
        if self.writer.bytes() >= PACK_BYTES { self.close() } else { Ok(()) }
    }

    /// Sends the packs that are closed, if they are many.
    fn flush(&mut self) -> Result<()> {
        if self.requests.len() >= PACKS_AT_ONCE {
            let requests = std::mem::take(&mut self.requests);
            self.pair.remote.run(requests).into_iter().collect::<Result<Vec<_>>>()?;
            self.pair.known.upload(&self.packs, true)?;
        }
        Ok(())
    }

    fn close(&mut self) -> Result<()> {
        if self.writer.is_empty() {
            return Ok(());
        }
        let next = PackWriter::new(&*self.pair.sealer, (self.pair.draw)())?;
        let (table, bytes) = std::mem::replace(&mut self.writer, next).finish();
        self.pair.known.upload(std::slice::from_ref(&table), false)?;
        self.requests.push(put(keys::pack(table.pack), bytes, Condition::Any));
        self.packs.push(table);
        Ok(())
    }
}

/// Returns the packs of earlier attempts that the remote has; a crash may have come between
/// sending one and hearing of it.
fn confirmed(pair: &Pair) -> Result<Vec<PackTable>> {
    // Of two packs with one piece, a purge would find only one.
    pair.give_up_uploads(|table| {
        let mut is_elsewhere = false;
        // What a commit names that may be HEAD stays.
        if pair.known.is_attempting()? {
            return Ok(false);
        }
        for piece in &table.pieces {
            is_elsewhere = is_elsewhere || pair.known.has(piece.digest)?;
        }
        Ok(is_elsewhere)
    })?;
    let (known, unsure): (Vec<_>, Vec<_>) =
        pair.known.uploads()?.into_iter().partition(|(_, there)| *there);
    let mut packs: Vec<PackTable> = known.into_iter().map(|(table, _)| table).collect();
    let list = |(table, _): &(PackTable, bool)| RemoteRequest::List {
        prefix: keys::pack(table.pack),
        after: None,
    };
    let answers = pair.remote.run(unsure.iter().map(list).collect());
    for ((table, _), answer) in unsure.into_iter().zip(answers) {
        match answer? {
            RemoteAnswer::Listed { objects, .. } if !objects.is_empty() => {
                pair.known.upload(std::slice::from_ref(&table), true)?;
                packs.push(table);
            }
            _ => pair.known.forget_upload(table.pack)?,
        }
    }
    Ok(packs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_after_the_end_of_a_pack_makes_it_too_short() {
        let refused = || Error::new(ErrorKind::Invalid, "the server answered 412");
        assert!(!is_lost(beyond_end(refused()).kind()), "its content may be there all the same");
        let beyond = refused().with_code(ErrorCode::BeyondEnd);
        assert!(is_lost(beyond_end(beyond).kind()));
    }
}
