//! HEAD: the one object of a space that changes, small enough to be polled.

use bytes::Bytes;
use homefs_core::{Digest, Error, ErrorKind, Result};
use serde::{Deserialize, Serialize};

use super::ids::{CommitId, IndexId, SEQ_MAX, digest_of_text};
use super::sealer::Sealer;
use super::{FORMAT, check_format, corrupt, ensure};

/// The longest that HEAD is.
const HEAD_BYTES_MAX: usize = 4096;
/// Most commits that HEAD names besides the last: as many as may follow an index.
pub const HEAD_RECENT_MAX: usize = 8;

/// Fields that are about one HEAD, and not carried on to the next.
const OF_ONE_HEAD: [&str; 2] = ["checkpoint", "signature"];

/// Fields of HEAD that this homefs does not use.
type More = serde_json::Map<String, serde_json::Value>;

/// Where the history of a space stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The last commit.
    pub commit: CommitId,
    /// The newest index; there is none before the first is written.
    pub index: Option<IndexId>,
    /// The commits before the last one, newest first, without gaps, as many as anyone needs after
    /// the index: so they are fetched at once instead of one after the other.
    pub recent: Vec<CommitId>,
    /// Drawn at random for every HEAD, so that no two have equal bytes, and so equal tags.
    pub id: u128,
    /// What later homefs say in it.
    pub more: More,
}

/// HEAD as it is written.
#[derive(Serialize, Deserialize)]
struct Text {
    format: u32,
    seal: String,
    seq: u64,
    commit: String,
    index: Option<IndexText>,
    recent: Vec<String>,
    id: String,
    #[serde(flatten)]
    more: More,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct IndexText {
    seq: u64,
    digest: String,
}

/// The fields that every format has.
#[derive(Deserialize)]
struct AnyFormat {
    format: u32,
}

impl Head {
    /// Returns the object.
    pub(crate) fn encode(&self, sealer: &dyn Sealer) -> Result<Bytes> {
        let defect =
            |why: &str| Error::new(ErrorKind::Internal, format!("cannot write HEAD: {why}"));
        self.check().map_err(defect)?;
        let index = self.index.map(|index| {
            let digest = index.digest.to_string();
            IndexText { seq: index.seq, digest }
        });
        let text = Text {
            format: FORMAT,
            seal: sealer.scheme().into(),
            seq: self.commit.seq,
            commit: self.commit.digest.to_string(),
            index,
            recent: self.recent.iter().map(|commit| commit.digest.to_string()).collect(),
            id: format!("{:032x}", self.id),
            more: self.more.clone(),
        };
        let mut json = serde_json::to_vec(&text)
            .map_err(|error| defect("it cannot be serialised").with_source(error))?;
        json.push(b'\n');
        if json.len() > HEAD_BYTES_MAX {
            return Err(defect("it is too long"));
        }
        Ok(json.into())
    }

    /// Reads the object.
    pub(crate) fn decode(bytes: &[u8], sealer: &dyn Sealer) -> Result<Self> {
        let unreadable = |error| corrupt("HEAD is not readable").with_source(error);
        if bytes.len() > HEAD_BYTES_MAX {
            return Err(corrupt(format!("HEAD is longer than {HEAD_BYTES_MAX} bytes")));
        }
        let AnyFormat { format } = serde_json::from_slice(bytes).map_err(unreadable)?;
        check_format("HEAD", format)?;
        let text: Text = serde_json::from_slice(bytes).map_err(unreadable)?;
        if format == 1 && !text.more.is_empty() {
            return Err(corrupt("HEAD has fields that its format does not have"));
        }
        if text.seal != sealer.scheme() {
            let message = format!("the space is sealed by {:?}, which is not set up", text.seal);
            return Err(Error::new(ErrorKind::Unsupported, message));
        }
        let head = text.parse().ok_or_else(|| corrupt("HEAD names something that cannot be"))?;
        head.check().map_err(|why| corrupt(format!("HEAD is not readable: {why}")))?;
        Ok(head)
    }

    /// Returns the fields that whoever replaces it carries on.
    pub(crate) fn carried(&self) -> More {
        let mut more = self.more.clone();
        more.retain(|name, _| !OF_ONE_HEAD.contains(&name.as_str()));
        more
    }

    fn check(&self) -> Result<(), &'static str> {
        let last = self.commit.seq;
        let seqs = self.recent.iter().map(|commit| commit.seq);
        ensure((1..=SEQ_MAX).contains(&last), "a commit has an impossible number")?;
        ensure(self.recent.len() <= HEAD_RECENT_MAX, "it names too many commits")?;
        ensure(seqs.eq((1..last).rev().take(self.recent.len())), "its commits have gaps")?;
        let is_past = self.index.is_none_or(|index| (1..=last).contains(&index.seq));
        ensure(is_past, "its index is of no commit up to the last")
    }
}

impl Text {
    fn parse(self) -> Option<Head> {
        let digest = |text: &String| digest_of_text(text);
        let index = match &self.index {
            Some(index) => Some(IndexId { seq: index.seq, digest: digest(&index.digest)? }),
            None => None,
        };
        let recent: Option<Vec<Digest>> = self.recent.iter().map(digest).collect();
        // The commit before the first has the number 0, which the check refuses.
        let seqs = (0..self.seq).rev().chain(std::iter::repeat(0));
        let numbered = recent?.into_iter().zip(seqs);
        let is_id = self.id.len() == 32 && self.id.bytes().all(|byte| byte.is_ascii_hexdigit());
        Some(Head {
            commit: CommitId { seq: self.seq, digest: digest(&self.commit)? },
            index,
            recent: numbered.map(|(digest, seq)| CommitId { seq, digest }).collect(),
            id: is_id.then(|| u128::from_str_radix(&self.id, 16).ok())??,
            more: self.more,
        })
    }
}
