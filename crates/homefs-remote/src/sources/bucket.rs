//! A bucket as a source: objects are files, and what their keys share up to a slash is a directory.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bytes::Bytes;
use homefs_core::limits::PAGE_ENTRIES_MAX;
use homefs_core::{
    Error, ErrorKind, Path, Remote, RemoteAnswer, RemoteObject, RemoteRequest, Result,
    SOURCE_READ_BYTES_MAX, Source, SourceKind, SourceNode, SourcePage, check_name,
};

use crate::{Bucket, Environment, RemoteAddress};

/// Sorts after every key that starts with the same text and goes on as names do.
const LAST: char = char::MAX;

/// A bucket, or another remote, whose objects are shown as files.
///
/// If a key is an object and also starts others, as `a` and `a/b` do, it is shown as a directory.
pub struct BucketSource {
    remote: Arc<dyn Remote>,
}

impl BucketSource {
    /// Opens what the address names, with the credentials that the environment holds or names.
    pub fn open(address: &RemoteAddress, environment: &Environment) -> Result<Self> {
        Ok(Self::of(Arc::new(Bucket::open_in(address, environment)?)))
    }

    /// Takes a remote that is open.
    pub fn of(remote: Arc<dyn Remote>) -> Self {
        Self { remote }
    }

    /// Lists one page of keys.
    fn keys(&self, prefix: &str, after: Option<String>) -> Result<(Vec<RemoteObject>, bool)> {
        let request = RemoteRequest::List { prefix: prefix.to_owned(), after };
        listed(self.remote.run_one(request)?)
    }

    /// Tells whether there is an object of this key.
    fn is_object(&self, key: &str) -> Result<bool> {
        Ok(self.keys(key, None)?.0.first().is_some_and(|object| object.key == key))
    }

    /// Tells whether there are keys below this one.
    fn is_directory(&self, key: &str) -> Result<bool> {
        Ok(!self.keys(&format!("{key}/"), None)?.0.is_empty())
    }
}

impl Source for BucketSource {
    fn stat(&self, path: &Path) -> Result<SourceNode> {
        let key = key_of(path);
        if key.is_empty() {
            return Ok(SourceNode::directory());
        }
        let list = |prefix: String| RemoteRequest::List { prefix, after: None };
        let mut answers = self.remote.run(vec![list(key.to_owned()), list(format!("{key}/"))]);
        let mut next = || answers.pop().unwrap_or_else(|| Err(unanswered()));
        let (below, _) = listed(next()?)?;
        let (same, _) = listed(next()?)?;
        match same.first() {
            _ if !below.is_empty() => Ok(SourceNode::directory()),
            // Of the keys that start so, this one comes first.
            Some(object) if object.key == key => Ok(file(object)),
            _ => Err(Error::new(ErrorKind::NotFound, "no such object").with_path(path)),
        }
    }

    fn list(&self, dir: &Path, after: Option<&str>) -> Result<SourcePage> {
        let key = key_of(dir);
        let prefix = if key.is_empty() { String::new() } else { format!("{key}/") };
        let start = after;
        let mut after = start.map(str::to_owned);
        let mut page = Listing::default();
        loop {
            let (objects, more) = self.keys(&prefix, after.take())?;
            let Some(last) = objects.last().map(|object| object.key.clone()) else { break };
            for object in &objects {
                page.add(&object.key[prefix.len()..], object);
            }
            if !more {
                break;
            }
            // An object near the end may be a directory that the next keys show.
            for name in page.files_before(&last[prefix.len()..]) {
                if self.is_directory(&format!("{prefix}{name}"))? {
                    page.take_directory(&name);
                }
            }
            // The rest of a directory that is seen already is left out.
            let jump = last[prefix.len()..]
                .split_once('/')
                .map(|(name, _)| format!("{prefix}{name}/{LAST}"));
            let next = jump.map_or_else(|| last.clone(), |jump| jump.max(last.clone()));
            if page.entries.len() >= PAGE_ENTRIES_MAX - homefs_core::REMOTE_PAGE_OBJECTS_MAX {
                page.next = Some(next);
                break;
            }
            after = Some(next);
        }
        if let Some(start) = start.and_then(|start| start.strip_prefix(&prefix)) {
            page.without_shown(start, |name| self.is_object(&format!("{prefix}{name}")))?;
        } else if page.entries.is_empty() && page.unshown.is_empty() && !key.is_empty() {
            let (kind, message) = match self.stat(dir)?.kind {
                SourceKind::File => (ErrorKind::NotADirectory, "not a directory"),
                _ => (ErrorKind::NotFound, "no such directory"),
            };
            return Err(Error::new(kind, message).with_path(dir));
        }
        Ok(page.finish())
    }

    fn read(&self, path: &Path, offset: u64, len: usize) -> Result<Bytes> {
        let end = offset.saturating_add(len.min(SOURCE_READ_BYTES_MAX) as u64);
        let request = RemoteRequest::Get {
            key: key_of(path).to_owned(),
            range: Some(offset..end.max(offset + 1)),
            unless: None,
        };
        match self.remote.run_one(request) {
            Ok(RemoteAnswer::Object { content, .. }) => Ok(content.slice(..content.len().min(len))),
            Ok(_) => Err(unanswered()),
            // The end is only known to whoever asks for it; a directory is not an object.
            Err(error) if matches!(error.kind(), ErrorKind::Invalid | ErrorKind::NotFound) => {
                let node = self.stat(path)?;
                match node.size_bytes {
                    Some(size) if size <= offset => Ok(Bytes::new()),
                    None => Err(Error::new(
                        ErrorKind::IsADirectory,
                        "cannot read a directory as a file",
                    )
                    .with_path(path)),
                    Some(_) => Err(error),
                }
            }
            Err(error) => Err(error),
        }
    }

    fn seen_by(self: Arc<Self>, _groups: &BTreeSet<String>) -> Arc<dyn Source> {
        self
    }

    fn whole(self: Arc<Self>) -> Arc<dyn Source> {
        self
    }

    fn describe(&self) -> String {
        self.remote.describe()
    }
}

/// A page that is being made.
#[derive(Default)]
struct Listing {
    entries: BTreeMap<String, SourceNode>,
    unshown: BTreeMap<String, Error>,
    next: Option<String>,
}

impl Listing {
    /// Adds what a key shows: itself, or the directory that it is in.
    fn add(&mut self, rest: &str, object: &RemoteObject) {
        let (name, node) = match rest.split_once('/') {
            Some((name, _)) => (name, SourceNode::directory()),
            None => (rest, file(object)),
        };
        if let Err(error) = check_name(name) {
            self.unshown.insert(name.to_owned(), error.with_path_text(object.key.clone()));
        } else if node.kind == SourceKind::Directory {
            self.take_directory(name);
        } else {
            self.entries.insert(name.to_owned(), node);
        }
    }

    /// Shows a name as a directory, and tells of an object that it hides.
    fn take_directory(&mut self, name: &str) {
        let before = self.entries.insert(name.to_owned(), SourceNode::directory());
        if before.is_some_and(|node| node.kind == SourceKind::File) {
            let error = Error::new(ErrorKind::Unsupported, "an object that is also a directory");
            self.unshown.insert(name.to_owned(), error.with_path_text(name));
        }
    }

    /// Returns the files whose keys below them, if any, would come after `last`.
    fn files_before(&self, last: &str) -> Vec<String> {
        let undecided = |(name, node): &(&String, &SourceNode)| {
            node.kind == SourceKind::File
                && last.starts_with(name.as_str())
                && format!("{name}/").as_str() > last
        };
        self.entries.iter().filter(undecided).map(|(name, _)| name.clone()).collect()
    }

    /// Leaves out directories whose names the page before showed already, as that of an object.
    fn without_shown(
        &mut self,
        before: &str,
        is_object: impl Fn(&str) -> Result<bool>,
    ) -> Result<()> {
        let names: Vec<_> =
            self.entries.keys().filter(|name| before.starts_with(*name)).cloned().collect();
        for name in names {
            if is_object(&name)? {
                self.entries.remove(&name);
            }
        }
        Ok(())
    }

    /// Returns the page.
    fn finish(self) -> SourcePage {
        let unshown = self.unshown.into_values().collect();
        SourcePage { entries: self.entries.into_iter().collect(), unshown, next: self.next }
    }
}

/// Returns the key of a path.
fn key_of(path: &Path) -> &str {
    path.as_str().trim_start_matches('/')
}

/// Shows an object.
fn file(object: &RemoteObject) -> SourceNode {
    SourceNode {
        kind: SourceKind::File,
        size_bytes: Some(object.size_bytes),
        modified: Some(object.modified),
        tag: Some(object.tag.clone()),
    }
}

/// Takes the answer to a listing.
fn listed(answer: RemoteAnswer) -> Result<(Vec<RemoteObject>, bool)> {
    match answer {
        RemoteAnswer::Listed { objects, more } => Ok((objects, more)),
        _ => Err(unanswered()),
    }
}

fn unanswered() -> Error {
    Error::new(ErrorKind::Internal, "the remote gave the answer to another request")
}
