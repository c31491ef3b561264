//! Byte pair encoding: of how many tokens a piece is made.

use std::{cmp::Reverse, collections::BinaryHeap};

use super::ranks::Ranks;

/// In pieces of so many bytes the next pair is looked for among all of them; most are words.
const SCANNED_MAX: usize = 64;
/// The rank of what is no token.
const NONE: u32 = u32::MAX;

/// Counts the tokens of a piece: the two neighbours that make the token of the lowest rank, the
/// first such two, become one, until no two make a token.
pub(super) fn merged(piece: &[u8], ranks: Ranks) -> usize {
    if piece.len() <= SCANNED_MAX { scanned(piece, ranks) } else { queued(piece, ranks) }
}

/// As [`merged`], for a short piece.
fn scanned(piece: &[u8], ranks: Ranks) -> usize {
    // Where each part begins, and behind the last one where it ends; and the rank of each part
    // together with the one behind it.
    let mut starts = [0_usize; SCANNED_MAX + 1];
    let mut pairs = [NONE; SCANNED_MAX + 1];
    let mut parts = piece.len();
    for (at, start) in starts.iter_mut().enumerate() {
        *start = at;
    }
    let rank = |start: usize, end: usize| ranks.rank(&piece[start..end]).unwrap_or(NONE);
    for at in 1..parts {
        pairs[at - 1] = rank(at - 1, at + 1);
    }
    while let Some((at, _)) = (0_usize..)
        .zip(&pairs[..parts])
        .filter(|(_, rank)| **rank != NONE)
        .min_by_key(|(at, rank)| (**rank, *at))
    {
        starts.copy_within(at + 2..=parts, at + 1);
        pairs.copy_within(at + 2..=parts, at + 1);
        parts -= 1;
        let with_next = |at: usize| match starts[..=parts].get(at + 2) {
            Some(end) => rank(starts[at], *end),
            None => NONE,
        };
        pairs[at] = with_next(at);
        if let Some(before) = at.checked_sub(1) {
            pairs[before] = with_next(before);
        }
    }
    parts
}

/// As [`merged`], for a piece so long that looking at all of it again and again takes too long.
fn queued(piece: &[u8], ranks: Ranks) -> usize {
    let len = piece.len();
    // By the byte that a part begins with: where the part before it begins, where the one behind
    // it does, and the rank of the two.
    let mut before: Vec<usize> = (0..len).map(|at| at.saturating_sub(1)).collect();
    let mut behind: Vec<usize> = (1..=len).collect();
    let mut pairs = vec![NONE; len];
    let mut queue = BinaryHeap::new();
    let rank = |at: usize, behind: &[usize]| {
        let end = behind.get(behind[at])?;
        ranks.rank(&piece[at..*end])
    };
    for (at, pair) in pairs.iter_mut().enumerate() {
        if let Some(rank) = rank(at, &behind) {
            *pair = rank;
            queue.push(Reverse((rank, at)));
        }
    }
    let mut parts = len;
    while let Some(Reverse((found, at))) = queue.pop() {
        if pairs[at] != found {
            // One of the two has become another since.
            continue;
        }
        let gone = behind[at];
        behind[at] = behind[gone];
        if let Some(before) = before.get_mut(behind[at]) {
            *before = at;
        }
        pairs[gone] = NONE;
        parts -= 1;
        let neighbour = (at > 0).then(|| before[at]);
        for at in [Some(at), neighbour].into_iter().flatten() {
            pairs[at] = rank(at, &behind).unwrap_or(NONE);
            if pairs[at] != NONE {
                queue.push(Reverse((pairs[at], at)));
            }
        }
    }
    parts
}
