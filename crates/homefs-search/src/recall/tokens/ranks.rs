//! The tokens of a vocabulary, found by their bytes.
//!
//! A table is made by `examples/token_tables.rs` and is read as it is: how many buckets there are,
//! where each begins and the last one ends, and the buckets. In a bucket each token is its length
//! in a byte, its rank in three, and its bytes.

/// The most bytes that a token can have in a table.
const TOKEN_BYTES_MAX: usize = u8::MAX as usize;
/// What stands before a token in its bucket: length and rank.
const HEAD_BYTES: usize = 4;

/// A vocabulary: tokens, each with its rank. Of lower ranks larger tokens are made first.
#[derive(Clone, Copy)]
pub(super) struct Ranks(&'static [u8]);

impl Ranks {
    /// The vocabulary of GPT-4o.
    pub(super) const O200K: Self = Self(include_bytes!("../../../models/tokens/o200k_base.table"));
    /// The vocabulary of GPT-4.
    pub(super) const CL100K: Self =
        Self(include_bytes!("../../../models/tokens/cl100k_base.table"));

    /// The rank of a token, if these bytes are one.
    pub(super) fn rank(self, token: &[u8]) -> Option<u32> {
        let buckets = self.number(0);
        let bucket = bucket_of(token, buckets);
        let (mut at, end) = (self.number(1 + bucket) as usize, self.number(2 + bucket) as usize);
        while at < end {
            let [len, rank @ ..] = self.0[at..].first_chunk::<HEAD_BYTES>()?;
            let (start, len) = (at + HEAD_BYTES, usize::from(*len));
            at = start + len;
            if self.0[start..at] == *token {
                return Some(u32::from_le_bytes([rank[0], rank[1], rank[2], 0]));
            }
        }
        None
    }

    /// A number of the head of the table.
    fn number(self, index: u32) -> u32 {
        let at = index as usize * 4;
        self.0[at..].first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes))
    }
}

/// The bucket of a token, of a power of two of them.
fn bucket_of(token: &[u8], buckets: u32) -> u32 {
    let mut hash = token.len() as u64;
    let mut add =
        |word: u64| hash = (hash.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let (words, rest) = token.as_chunks();
    for word in words {
        add(u64::from_le_bytes(*word));
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    add(u64::from_le_bytes(last));
    // The high half depends on all bits.
    let high = (hash >> 32) as u32;
    high & (buckets - 1)
}

/// Makes the table of a vocabulary, given as its tokens in the order of their ranks; `None` if they
/// are more or longer than a table can tell.
pub fn token_table(tokens: &[Vec<u8>]) -> Option<Vec<u8>> {
    let is_small = tokens.len() < 1 << 24 && tokens.iter().all(|one| one.len() <= TOKEN_BYTES_MAX);
    let buckets = u32::try_from(tokens.len().next_power_of_two() / 2).ok().filter(|_| is_small)?;
    let mut held = vec![Vec::new(); buckets.max(1) as usize];
    for (rank, token) in (0_u32..).zip(tokens) {
        let bucket: &mut Vec<u8> = &mut held[bucket_of(token, buckets.max(1)) as usize];
        bucket.push(u8::try_from(token.len()).ok()?);
        bucket.extend_from_slice(&rank.to_le_bytes()[..3]);
        bucket.extend_from_slice(token);
    }
    let mut table = u32::to_le_bytes(buckets.max(1)).to_vec();
    let mut at = table.len() + (held.len() + 1) * 4;
    table.extend(u32::try_from(at).ok()?.to_le_bytes());
    for bucket in &held {
        at += bucket.len();
        table.extend(u32::try_from(at).ok()?.to_le_bytes());
    }
    table.extend(held.concat());
    Some(table)
}
