//! A collection of Chroma that is kept up to date with the files of a space.
//!
//! What the collection has is known from its path tree, which names the edition of each page. It is
//! written with the last records, since every request costs the server a sync of its disk; where
//! one request does not do, it is marked before the first. So a run that ended early is noticed:
//! then every record is looked at. A record is named by its page and number, and each change can be
//! repeated; so a run that fails is simply run again.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use bytes::Bytes;
use homefs_core::{Digest, Embedder, Error, ErrorKind, Path, Result, Role};
use serde::Serialize;
use serde_json::{Value, json};

use super::split::split;
use crate::Environment;
use crate::sources::ChromaAddress;
use crate::sources::chroma::EDITION;
use crate::sources::chroma::client::{Client, CollectionId};
use crate::sources::chroma::path_tree::{self, PATH_TREE, PathTree, WHOLE_LINES};

/// How long a call may take, all tries together: embeddings make requests large.
const DEADLINE: Duration = Duration::from_mins(2);
/// Most records of one request; the server takes 5461.
const BATCH_RECORDS_MAX: usize = 1000;
/// Most bytes of text of one request, reached by the file that passes it.
const BATCH_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Largest file that is published.
const FILE_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Most pages that one request removes.
const REMOVED_PAGES_MAX: usize = 500;

/// The metadata keys of a record: its page and its number there.
const PAGE: &str = "page_slug";
const INDEX: &str = "chunk_index";
/// The metadata keys of the path tree: that homefs wrote it, whether a run is under way, how many
/// other records there are, and what embedded them.
const MARK: &str = "homefs";
const PENDING: &str = "pending";
const RECORDS: &str = "records";
const EMBEDDER: &str = "embedder";
/// What the tree says of a page beside its edition: how many records it has.
const PARTS: &str = "parts";

/// A collection that belongs to homefs alone.
pub struct ChromaTarget {
    client: Client,
}

/// A file as it is to be published.
#[derive(Clone, Debug)]
pub struct PublishedFile {
    /// Its path.
    pub path: Path,
    /// The digest of its content.
    pub digest: Digest,
    /// Whether everybody may see it.
    pub is_public: bool,
    /// The groups that may see it otherwise.
    pub groups: Vec<String>,
}

/// What a run did.
#[derive(Debug, Default)]
pub struct Published {
    /// Files that were sent.
    pub sent: usize,
    /// Files that were there already.
    pub unchanged: usize,
    /// Pages that were removed.
    pub removed: usize,
    /// Files that cannot be published, and why.
    pub skipped: Vec<Error>,
}

impl ChromaTarget {
    /// Prepares to publish; nothing is sent yet.
    pub fn open(address: &ChromaAddress, environment: &Environment) -> Result<Self> {
        Ok(Self { client: Client::open(address, DEADLINE, environment)? })
    }

    /// Makes the collection what these files are. `read` returns the content of one of them.
    ///
    /// # Errors
    ///
    /// `Conflict` if others keep records in the collection. After any error the collection may have
    /// some of the changes; the next run makes the rest.
    pub fn publish(
        &self,
        files: &[PublishedFile],
        read: &dyn Fn(&Path) -> Result<Bytes>,
        embedder: &dyn Embedder,
    ) -> Result<Published> {
        let dimensions = embedder.dimensions()?;
        let id = self.client.find_or_create()?;
        let there = self.there(&id, embedder.name())?;
        let mut run = Run {
            client: &self.client,
            id,
            embedder,
            dimensions,
            there: &there,
            is_marked: false,
            tree: PathTree::new(),
            published: Published::default(),
        };
        let mut changed = Vec::new();
        for file in files {
            match there.tree.get(slug_of(&file.path)) {
                Some(entry)
                    if entry.get(EDITION).and_then(Value::as_str) == Some(&*edition_of(file)) =>
                {
                    run.published.unchanged += 1;
                    run.tree.insert(slug_of(&file.path).to_owned(), entry_of(file, entry));
                }
                _ => changed.push(file),
            }
        }
        if changed.is_empty() && there.is_settled && run.tree == there.tree {
            return Ok(run.published);
        }
        let (mut last, replaced) = run.send(&changed, read)?;
        let gone = there.slugs.iter().filter(|slug| !run.tree.contains_key(*slug));
        let gone: Vec<String> = gone.cloned().collect();
        run.published.removed = gone.len();
        if !gone.is_empty() || !replaced.is_empty() {
            run.mark()?;
            run.send_batch(&mut last)?;
            run.remove_left_over(&replaced)?;
            run.remove(&gone)?;
        }
        run.finish(last)?;
        Ok(run.published)
    }

    /// Finds out what the collection has.
    fn there(&self, id: &CollectionId, embedder: &str) -> Result<There> {
        let until = self.client.last_moment();
        let tree = self.client.one(id, PATH_TREE, &["documents", "metadatas"], until)?;
        let count = self.client.count(id)?;
        let Some(record) = tree else {
            if count > 0 {
                return Err(foreign());
            }
            return Ok(There {
                exists: false,
                is_settled: false,
                tree: PathTree::new(),
                slugs: BTreeSet::new(),
            });
        };
        if record.metadata.get(MARK) != Some(&json!(1)) {
            return Err(foreign());
        }
        let mut tree = path_tree::decode(record.document.as_deref().unwrap_or_default())?;
        let mut slugs: BTreeSet<String> = tree.keys().cloned().collect();
        let records = record.metadata.get(RECORDS).and_then(Value::as_u64);
        let is_settled =
            record.metadata.get(PENDING) == Some(&json!(false)) && records == count.checked_sub(1);
        if !is_settled {
            slugs.extend(self.keep_whole(id, &mut tree)?);
        }
        if record.metadata.get(EMBEDDER) != Some(&json!(embedder)) {
            tree.clear();
        }
        Ok(There { exists: true, is_settled, tree, slugs })
    }

    /// Looks at every record, takes pages that are not whole out of the tree, and returns all there
    /// are.
    fn keep_whole(&self, id: &CollectionId, tree: &mut PathTree) -> Result<BTreeSet<String>> {
        let mut found: BTreeMap<String, BTreeSet<(String, u64)>> = BTreeMap::new();
        for record in self.client.get(id, &json!({ "include": ["metadatas"] }))? {
            let text =
                |key: &str| record.metadata.get(key).and_then(Value::as_str).map(str::to_owned);
            if let (Some(slug), Some(index)) =
                (text(PAGE), record.metadata.get(INDEX).and_then(Value::as_u64))
            {
                found.entry(slug).or_default().insert((text(EDITION).unwrap_or_default(), index));
            }
        }
        tree.retain(|slug, entry| {
            let text =
                |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
            let parts = entry.get(PARTS).and_then(Value::as_u64).unwrap_or_default();
            let expected = (0..parts).map(|index| (text(EDITION), index)).collect();
            found.get(slug) == Some(&expected)
        });
        Ok(found.into_keys().collect())
    }
}

/// What a collection has when a run starts.
struct There {
    /// Whether it has a path tree.
    exists: bool,
    /// Whether the tree says all there is.
    is_settled: bool,
    /// The pages that are whole.
    tree: PathTree,
    /// All pages that any record is of.
    slugs: BTreeSet<String>,
}

/// A run under way.
struct Run<'a> {
    client: &'a Client,
    id: CollectionId,
    embedder: &'a dyn Embedder,
    dimensions: usize,
    there: &'a There,
    /// Whether the collection says that a run is under way.
    is_marked: bool,
    /// What is there when the run is over.
    tree: PathTree,
    published: Published,
}

/// Records that are sent together, column by column.
#[derive(Default, Serialize)]
struct Batch {
    ids: Vec<String>,
    documents: Vec<String>,
    metadatas: Vec<Value>,
    // As they are: shorter numbers than JSON's usual ones are half of the time.
    embeddings: Vec<Vec<f32>>,
    #[serde(skip)]
    bytes: usize,
}

/// Pages of which records may be left over, and their editions now.
type Replaced = Vec<(String, String)>;

impl Run<'_> {
    /// Notes in the collection that a run is under way.
    fn mark(&mut self) -> Result<()> {
        if std::mem::replace(&mut self.is_marked, true) {
            return Ok(());
        }
        if self.there.exists {
            let body = json!({ "ids": [PATH_TREE], "metadatas": [{ PENDING: true }] });
            return self.client.change(&self.id, "update", &body);
        }
        let mut batch = Batch::default();
        self.push_tree(&mut batch, &PathTree::new(), true)?;
        self.client.change(&self.id, "upsert", &batch)
    }

    /// Sends files, many with each request; returns those of the last, which are not sent yet, and
    /// what they and the others replace.
    fn send(
        &mut self,
        files: &[&PublishedFile],
        read: &dyn Fn(&Path) -> Result<Bytes>,
    ) -> Result<(Batch, Replaced)> {
        let mut batch = Batch::default();
        let mut replaced = Replaced::new();
        for file in files {
            let content = read(&file.path)?;
            let Some(text) = text_of(&content) else {
                let message = "only text of at most 16 MiB is published";
                self.published
                    .skipped
                    .push(Error::new(ErrorKind::Unsupported, message).with_path(&file.path));
                continue;
            };
            let slug = slug_of(&file.path);
            // What was read may be newer than what was listed: the next run sees the difference.
            let edition =
                edition_of(&PublishedFile { digest: Digest::of(&content), ..(*file).clone() });
            let parts = split(text);
            let had = self.there.tree.get(slug).and_then(|entry| entry.get(PARTS)?.as_u64());
            let is_covered = had.is_some_and(|had| had <= parts.len() as u64);
            if self.there.slugs.contains(slug) && !is_covered {
                replaced.push((slug.to_owned(), edition.clone()));
            }
            let mut entry = serde_json::Map::new();
            entry.insert(EDITION.to_owned(), edition.clone().into());
            entry.insert(PARTS.to_owned(), parts.len().into());
            let ends = parts.iter().rev().skip(1).all(|part| part.ends_with('\n'));
            entry.insert(WHOLE_LINES.to_owned(), ends.into());
            entry.insert("size".to_owned(), content.len().into());
            self.tree.insert(slug.to_owned(), entry_of(file, &entry));
            for (index, part) in parts.into_iter().enumerate() {
                if batch.ids.len() == BATCH_RECORDS_MAX || batch.bytes > BATCH_BYTES_MAX {
                    self.mark()?;
                    self.send_batch(&mut batch)?;
                }
                batch.ids.push(format!("{slug}#{index}"));
                batch.documents.push(part.to_owned());
                batch.metadatas.push(json!({ PAGE: slug, INDEX: index, EDITION: edition }));
                batch.bytes += part.len();
            }
            self.published.sent += 1;
        }
        Ok((batch, replaced))
    }

    /// Embeds and sends what a batch has, and empties it.
    fn send_batch(&self, batch: &mut Batch) -> Result<()> {
        let mut batch = std::mem::take(batch);
        if batch.ids.is_empty() {
            return Ok(());
        }
        self.embed(&mut batch)?;
        self.client.change(&self.id, "upsert", &batch)
    }

    /// Adds the vectors.
    fn embed(&self, batch: &mut Batch) -> Result<()> {
        let texts: Vec<&str> = batch.documents.iter().map(String::as_str).collect();
        let embeddings = self.embedder.embed_many(&texts, Role::Memory)?;
        let fits = |vector: &Vec<f32>| {
            vector.len() == self.dimensions && vector.iter().all(|value| value.is_finite())
        };
        if embeddings.len() != texts.len() || !embeddings.iter().all(fits) {
            let name = self.embedder.name();
            let message = format!("{name} made vectors that are not as it says");
            return Err(Error::new(ErrorKind::Internal, message));
        }
        batch.embeddings = embeddings;
        Ok(())
    }

    /// Removes records of pages that are not of their editions now. All that are have been sent, so
    /// that these are left over.
    fn remove_left_over(&self, replaced: &[(String, String)]) -> Result<()> {
        replaced.chunks(REMOVED_PAGES_MAX).try_for_each(|part| {
            let (slugs, editions): (Vec<_>, Vec<_>) = part.iter().cloned().unzip();
            let left_over =
                json!({ "$and": [{ PAGE: { "$in": slugs } }, { EDITION: { "$nin": editions } }] });
            self.client.change(&self.id, "delete", &json!({ "where": left_over }))
        })
    }

    /// Removes all records of pages.
    fn remove(&self, slugs: &[String]) -> Result<()> {
        slugs.chunks(REMOVED_PAGES_MAX).try_for_each(|part| {
            let body = json!({ "where": { PAGE: { "$in": part } } });
            self.client.change(&self.id, "delete", &body)
        })
    }

    /// Sends the last records, and with them what the collection has now.
    fn finish(&self, mut last: Batch) -> Result<()> {
        self.embed(&mut last)?;
        self.push_tree(&mut last, &self.tree, false)?;
        self.client.change(&self.id, "upsert", &last)
    }

    /// Adds the record of a tree.
    fn push_tree(&self, batch: &mut Batch, tree: &PathTree, is_pending: bool) -> Result<()> {
        let parts =
            |entry: &serde_json::Map<String, Value>| entry.get(PARTS).and_then(Value::as_u64);
        let records: u64 = tree.values().filter_map(parts).sum();
        // It needs a vector like any record; one of zeros has no direction, which some refuse.
        let mut vector = vec![0.0; self.dimensions];
        vector.first_mut().into_iter().for_each(|first| *first = 1.0);
        batch.ids.push(PATH_TREE.to_owned());
        batch.documents.push(path_tree::encode(tree)?);
        batch.metadatas.push(json!({
            MARK: 1, "kind": "path_tree", PENDING: is_pending, RECORDS: records,
            EMBEDDER: self.embedder.name(),
        }));
        batch.embeddings.push(vector);
        Ok(())
    }
}

/// Returns what the collection calls a file.
fn slug_of(path: &Path) -> &str {
    path.as_str().trim_start_matches('/')
}

/// Returns the name of a file's content at its path: equal contents of two files have two.
fn edition_of(file: &PublishedFile) -> String {
    Digest::of(format!("{}\0{}", file.path, file.digest).as_bytes()).to_string()[..32].to_owned()
}

/// Returns what the tree says of a file, with who may see it as it is now.
fn entry_of(
    file: &PublishedFile,
    entry: &serde_json::Map<String, Value>,
) -> serde_json::Map<String, Value> {
    let mut entry = entry.clone();
    entry.insert("isPublic".to_owned(), file.is_public.into());
    entry.insert("groups".to_owned(), file.groups.clone().into());
    entry
}

/// Returns a content as text, if it is that; a NUL is what tells other files from it.
fn text_of(content: &[u8]) -> Option<&str> {
    let is_short = content.len() <= FILE_BYTES_MAX;
    std::str::from_utf8(content).ok().filter(|text| is_short && !text.contains('\0'))
}

fn foreign() -> Error {
    let message = "the collection holds records of others: publish to one of its own";
    Error::new(ErrorKind::Conflict, message)
}
