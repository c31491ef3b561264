//! Which file a text is to be remembered in: a new one, or one that remembers it already.

use bytes::Bytes;
use homefs_core::{AgentId, Digest, ErrorKind, NodeId, Version};
use homefs_store::contents::ContentSnapshot;
use homefs_store::meta;
use homefs_store::model::Kind;
use homefs_store::record::Content;
use homefs_store::tree::{Halt, Tree, fail};
use rustc_hash::FxHashMap;

use crate::memory::{RememberOptions, slug};

/// The longest name that is made of a text, in bytes.
const SLUG_BYTES_MAX: usize = 32;
/// How many digits tell a name from others: as few as do. With twelve it would be that of an
/// import.
const DIGITS: std::ops::Range<usize> = 3..12;

/// Which of the contents that were looked at are the agent's own. Only the base knows, which is
/// not asked while a change is made.
pub(super) type Own = FxHashMap<(NodeId, Version), bool>;

/// A text that wants to be remembered.
pub(super) struct Wanted {
    /// What its file is to hold.
    pub(super) content: Bytes,
    digest: Digest,
    title: Option<String>,
    /// The names it may have, each chain with those that are tried first in front.
    chains: Vec<Chain>,
}

/// Names that begin alike.
struct Chain {
    slug: String,
    /// Digits that follow from what it is, so that the same has the same name everywhere.
    digits: String,
}

/// Where a text is to go.
pub(super) enum Found {
    /// To a file of this name, which there is not.
    Nothing(String),
    /// To the file that says just that.
    Same(String, NodeId),
    /// To the file that the agent gave the same title.
    Titled(String, NodeId),
    /// That depends on whose this content is.
    Unknown(NodeId, Version),
}

impl Wanted {
    /// Prepares a text.
    pub(super) fn new(text: &str, options: &RememberOptions, agent: &AgentId) -> Self {
        let mut content = text.to_owned();
        if !content.ends_with('\n') {
            content.push('\n');
        }
        let chain = |name: &str, key: &str| Chain {
            slug: slug(name, SLUG_BYTES_MAX),
            digits: Digest::of(key.as_bytes()).to_string(),
        };
        let title = options.title.as_deref().map(str::trim).filter(|title| !title.is_empty());
        let mut chains = Vec::new();
        if let Some(title) = title {
            chains.push(chain(title, &format!("{agent}\0{title}")));
        }
        chains.push(chain(text, &content));
        let content = Bytes::from(content);
        let digest = Digest::of(&content);
        Self { digest, content, title: title.map(str::to_owned), chains }
    }

    /// Finds where it is to go in a directory.
    pub(super) fn find(&self, tree: &Tree, parent: NodeId, own: &Own) -> Result<Found, Halt> {
        let mut free = None;
        for chain in &self.chains {
            let mut titled = None;
            for (at, name) in chain.names().enumerate() {
                // A directory that this very record makes has no names yet.
                let is_made = tree.named(parent).is_none();
                let node = if is_made { None } else { tree.names(parent)?.get(&*name).copied() };
                let Some(node) = node else {
                    free = free.or(Some(name));
                    // Another may have been removed since this one got its digits.
                    if at > 0 {
                        break;
                    }
                    continue;
                };
                match self.compare(tree, node, own)? {
                    Likeness::Same => return Ok(Found::Same(name, node)),
                    Likeness::Titled => titled = titled.or(Some(Found::Titled(name, node))),
                    Likeness::Unknown(version) => return Ok(Found::Unknown(node, version)),
                    Likeness::None => {}
                }
            }
            if let Some(titled) = titled {
                return Ok(titled);
            }
        }
        let taken = || fail(ErrorKind::AlreadyExists, "every name of this memory is taken");
        free.map(Found::Nothing).ok_or_else(taken)
    }

    /// Tells what a node has in common with it.
    fn compare(&self, tree: &Tree, node: NodeId, own: &Own) -> Result<Likeness, Halt> {
        let known = tree.node(node)?;
        let is_file = known.attrs.kind == Kind::File && !tree.sources().has(node);
        if !is_file || tree.is_expired(node) {
            return Ok(Likeness::None);
        }
        let (held, version) = ContentSnapshot::of(tree, node)?;
        let is_same = match &held {
            ContentSnapshot::Settled(Content::Inline(bytes)) => *bytes == self.content,
            ContentSnapshot::Settled(Content::Blob { digest, .. }) => *digest == self.digest,
            _ => false,
        };
        if is_same {
            return Ok(Likeness::Same);
        }
        if self.title.is_none() || meta::title(&known.attrs.xattrs) != self.title {
            return Ok(Likeness::None);
        }
        Ok(match own.get(&(node, version)) {
            Some(true) => Likeness::Titled,
            Some(false) => Likeness::None,
            None => Likeness::Unknown(version),
        })
    }
}

/// What a file has in common with a text that wants to be remembered.
enum Likeness {
    None,
    /// It says just that.
    Same,
    /// The agent gave it the same title.
    Titled,
    /// It has the same title; whose this content is was not asked yet.
    Unknown(Version),
}

impl Chain {
    /// Returns the names in the order in which they are tried.
    fn names(&self) -> impl Iterator<Item = String> + '_ {
        let told = DIGITS.map(|digits| format!("{}-{}.md", self.slug, &self.digits[..digits]));
        std::iter::once(format!("{}.md", self.slug)).chain(told)
    }
}
