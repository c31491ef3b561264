//! Publishing: a collection that is what a directory of the store is.

use homefs_core::{Digest, Error, Path, Result};
use homefs_remote::{ChromaTarget, Environment, PublishedFile};
use homefs_view::{Kind, Right, Subject, pages};

use crate::client::Client;

/// What publishing did.
#[derive(Debug, Default)]
pub struct Publication {
    /// Files that were sent.
    pub sent: usize,
    /// Files that were there already.
    pub unchanged: usize,
    /// Pages that were removed.
    pub removed: usize,
    /// Files that cannot be published, and why.
    pub skipped: Vec<Error>,
}

impl Client {
    /// Makes a collection what the files below a directory are, with vectors by this client's
    /// embedder. Everybody may see them if `public`, else the groups that may read them here.
    pub fn publish(&self, address: &str, below: &Path, public: bool) -> Result<Publication> {
        let target = ChromaTarget::open(&address.parse()?, &Environment::of_process())?;
        let groups = if public { Vec::new() } else { self.readers(below)? };
        let mut skipped = Vec::new();
        let mut files = Vec::new();
        let fetch = |after: Option<&str>| self.walk(below, after, pages::LIMIT);
        pages::each(fetch, |found| -> Result<()> {
            if found.stat.kind != Kind::File {
                return Ok(());
            }
            let content = match self.read(&found.path) {
                Ok(content) => content,
                // It may have been removed, or be too long to be a text.
                Err(error) => {
                    skipped.push(error);
                    return Ok(());
                }
            };
            let path = found.path.strip_prefix(below).unwrap_or_else(|| found.path.clone());
            let digest = Digest::of(&content);
            let may_read = |(prefix, _): &&(Path, String)| found.path.starts_with(prefix);
            let mut groups: Vec<String> =
                groups.iter().filter(may_read).map(|(_, group)| group.clone()).collect();
            groups.dedup();
            files.push(PublishedFile { path, digest, is_public: public, groups });
            Ok(())
        })?;
        let options = &self.shared.options;
        let embedder = options.embedder.open(&options.components.disk);
        let read = |path: &Path| {
            let whole = path.names().try_fold(below.clone(), |at, name| at.join(name))?;
            self.read(&whole)
        };
        let published = target.publish(&files, &read, &*embedder)?;
        skipped.extend(published.skipped);
        let (sent, unchanged, removed) = (published.sent, published.unchanged, published.removed);
        Ok(Publication { sent, unchanged, removed, skipped })
    }

    /// Returns the groups that may read in the space of a path, and below which paths.
    fn readers(&self, below: &Path) -> Result<Vec<(Path, String)>> {
        let grants = self.grants(below)?;
        let mut readers: Vec<_> = grants
            .into_iter()
            .filter(|grant| grant.right >= Right::Read)
            .filter_map(|grant| match grant.subject {
                Subject::Group(group) => Some((grant.prefix, group.to_string())),
                Subject::Agent(_) => None,
            })
            .collect();
        readers.sort_by(|a, b| a.1.cmp(&b.1));
        Ok(readers)
    }
}
