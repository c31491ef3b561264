//! Buckets, by the `object_store` crate; its types stay in here.

mod failure;
mod open;
mod trace;

use std::error::Error as StdError;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::TryStreamExt;
use homefs_core::{
    Condition, Error, ErrorKind, REMOTE_PAGE_OBJECTS_MAX, RemoteAnswer, RemoteObject,
    RemoteRequest, Result, Tag, Timestamp,
};
use object_store::list::{PaginatedListOptions, PaginatedListStore};
use object_store::path::Path as StorePath;
use object_store::{
    GetOptions, GetRange, ObjectMeta, ObjectStore, ObjectStoreExt, PutMode, PutOptions, PutPayload,
    UpdateVersion,
};

use crate::bucket::{check_size, deadline, within};
pub(crate) use open::{open_azure, open_google, open_s3, s3_endpoint};
use trace::Trace;

/// A bucket, or memory that behaves like one.
pub(crate) struct Cloud {
    store: Arc<dyn ObjectStore>,
    /// Listing by pages, which memory does not have.
    pages: Option<Arc<dyn PaginatedListStore>>,
    /// What goes before every key: empty, or ending with a slash.
    prefix: String,
    /// How the server spells and compares tags.
    tags: Tags,
    /// Whether a listing leaves out the object whose key is all of the prefix, which
    /// `object_store` takes for the mark of a directory.
    omits_prefix: bool,
    /// Where the credentials come from, in words; nothing where none are needed.
    credentials: Option<String>,
    /// The server, in words.
    server: String,
    /// How long a small request may take.
    deadline: Duration,
}

/// How a server spells and compares tags.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tags {
    /// In quotes, which some leave out in listings; a put names the tag.
    Quoted,
    /// In quotes, but a put names the generation, which listings do not have.
    Generations,
    /// As they are.
    Bare,
}

impl Cloud {
    /// Answers a request.
    pub(crate) async fn answer(&self, request: RemoteRequest) -> Result<RemoteAnswer> {
        let trace = Trace::default();
        match request {
            RemoteRequest::Get { key, range, unless } => {
                let options = GetOptions {
                    range: range.map(GetRange::Bounded),
                    if_none_match: unless.as_ref().map(|tag| self.spell(tag)),
                    ..GetOptions::default()
                };
                self.get(&key, options, &trace).await
            }
            RemoteRequest::Put { key, content, condition } => {
                self.put(&key, content, &condition, &trace).await
            }
            RemoteRequest::Delete { key } => match self.store.delete(&self.path(&key)?).await {
                Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(RemoteAnswer::Deleted),
                Err(cause) => Err(self.error("delete", &cause, &Trace::unknown())),
            },
            RemoteRequest::List { prefix, after } => {
                let prefix = format!("{}{prefix}", self.prefix);
                let after = after.map(|key| format!("{}{key}", self.prefix));
                let itself = self.unlisted(&prefix, after.as_deref()).await?;
                let listed = match &self.pages {
                    Some(pages) => list_page(&**pages, &prefix, after, &trace).await,
                    None => self.list_all(&prefix, after.as_deref()).await,
                };
                let (mut found, more) =
                    listed.map_err(|cause| self.error("list", &cause, &trace))?;
                found.splice(..0, itself);
                let more = more || found.len() > REMOTE_PAGE_OBJECTS_MAX;
                found.truncate(REMOTE_PAGE_OBJECTS_MAX);
                let mut objects: Vec<_> =
                    found.iter().map(|meta| self.listed(meta)).collect::<Result<_>>()?;
                objects.sort_unstable_by(|a, b| a.key.cmp(&b.key));
                Ok(RemoteAnswer::Listed { objects, more })
            }
        }
    }

    /// Reads an object.
    async fn get(&self, key: &str, mut options: GetOptions, trace: &Trace) -> Result<RemoteAnswer> {
        options.extensions.insert(trace.clone());
        let path = self.path(key)?;
        // Until it begins, an answer has the time of a small one; then its length is known.
        let begun = within(self.deadline, "get", async {
            match self.store.get_opts(&path, options).await {
                Err(object_store::Error::NotModified { .. }) => Ok(None),
                found => found.map(Some).map_err(|cause| self.error("get", &cause, trace)),
            }
        });
        let Some(found) = begun.await? else { return Ok(RemoteAnswer::Unchanged) };
        let length = found.range.end - found.range.start;
        check_size(length)?;
        let (tag, modified) = (self.tag(found.meta.e_tag.as_deref())?, modified(&found.meta));
        let content = within(deadline(self.deadline, length), "get", async {
            found.bytes().await.map_err(|cause| self.error("get", &cause, trace))
        })
        .await?;
        if content.len() as u64 != length {
            return Err(Error::new(
                ErrorKind::Unavailable,
                "cannot get: the content was cut short",
            ));
        }
        Ok(RemoteAnswer::Object { content, tag, modified })
    }

    /// Stores an object.
    async fn put(
        &self,
        key: &str,
        content: Bytes,
        condition: &Condition,
        trace: &Trace,
    ) -> Result<RemoteAnswer> {
        let path = self.path(key)?;
        let replaces = matches!(condition, Condition::Unchanged(_));
        let attempt = if replaces { "replace" } else { "put" };
        let mode = match condition {
            Condition::Any => PutMode::Overwrite,
            Condition::Absent => PutMode::Create,
            Condition::Unchanged(tag) if self.tags == Tags::Generations => {
                PutMode::Update(self.generation(&path, tag, trace).await?)
            }
            Condition::Unchanged(tag) => {
                PutMode::Update(UpdateVersion { e_tag: Some(self.spell(tag)), version: None })
            }
        };
        let mut options = PutOptions::from(mode);
        options.extensions.insert(trace.clone());
        match self.store.put_opts(&path, PutPayload::from_bytes(content), options).await {
            Ok(stored) => Ok(RemoteAnswer::Stored { tag: self.tag(stored.e_tag.as_deref())? }),
            Err(cause) => Err(self.error(attempt, &cause, trace)),
        }
    }

    /// Returns the generation that has this tag, if that is the present one.
    async fn generation(
        &self,
        path: &StorePath,
        tag: &Tag,
        trace: &Trace,
    ) -> Result<UpdateVersion> {
        let mut options = GetOptions { head: true, ..GetOptions::default() };
        options.extensions.insert(trace.clone());
        let found = self.store.get_opts(path, options).await;
        let found = found.map_err(|cause| self.error("replace", &cause, trace))?;
        if self.tag(found.meta.e_tag.as_deref())? != *tag {
            return Err(failure::conflict());
        }
        Ok(UpdateVersion { e_tag: None, version: found.meta.version })
    }

    /// Returns the object whose key is all of the prefix, where listings leave that out.
    async fn unlisted(&self, prefix: &str, after: Option<&str>) -> Result<Option<ObjectMeta>> {
        let is_key = !prefix.is_empty() && !prefix.ends_with('/');
        if !self.omits_prefix || !is_key || after.is_some_and(|after| after >= prefix) {
            return Ok(None);
        }
        let Ok(path) = StorePath::parse(prefix) else { return Ok(None) };
        let trace = Trace::default();
        let mut options = GetOptions { head: true, ..GetOptions::default() };
        options.extensions.insert(trace.clone());
        match self.store.get_opts(&path, options).await {
            Ok(found) => Ok(Some(found.meta)),
            Err(cause) => match self.error("get", &cause, &trace) {
                error if error.kind() == ErrorKind::NotFound => Ok(None),
                error => Err(error),
            },
        }
    }

    /// Lists a page of a store that has none: everything is in memory anyway.
    async fn list_all(
        &self,
        prefix: &str,
        after: Option<&str>,
    ) -> object_store::Result<(Vec<ObjectMeta>, bool)> {
        let asked = |meta: &ObjectMeta| {
            let key = meta.location.as_ref();
            key.starts_with(prefix) && after.is_none_or(|after| key > after)
        };
        let all: Vec<ObjectMeta> = self.store.list(None).try_collect().await?;
        let mut found: Vec<_> = all.into_iter().filter(asked).collect();
        found.sort_unstable_by(|a, b| a.location.as_ref().cmp(b.location.as_ref()));
        let more = found.len() > REMOTE_PAGE_OBJECTS_MAX;
        found.truncate(REMOTE_PAGE_OBJECTS_MAX);
        Ok((found, more))
    }

    /// Returns the whole key as the store takes it, unchanged: readable copies keep their names.
    fn path(&self, key: &str) -> Result<StorePath> {
        StorePath::parse(format!("{}{key}", self.prefix)).map_err(|cause| {
            Error::new(ErrorKind::Invalid, "the key cannot be used here").with_source(cause)
        })
    }

    /// Takes a tag without its quotes, so that it is the same from every kind of answer.
    fn tag(&self, text: Option<&str>) -> Result<Tag> {
        let text = text.map(|text| match self.tags {
            Tags::Bare => text,
            Tags::Quoted | Tags::Generations => text.trim_start_matches("W/").trim_matches('"'),
        });
        let message = "the server names no state of the object (ETag), so changes cannot be told";
        text.map(Tag::new).ok_or_else(|| Error::new(ErrorKind::Unsupported, message))
    }

    /// Spells a tag as the server does.
    fn spell(&self, tag: &Tag) -> String {
        match self.tags {
            Tags::Bare => tag.as_str().to_owned(),
            Tags::Quoted | Tags::Generations => format!("\"{}\"", tag.as_str()),
        }
    }

    /// Takes an object of a listing.
    fn listed(&self, meta: &ObjectMeta) -> Result<RemoteObject> {
        let key = meta.location.as_ref();
        Ok(RemoteObject {
            key: key.strip_prefix(&self.prefix).unwrap_or(key).to_owned(),
            size_bytes: meta.size,
            tag: self.tag(meta.e_tag.as_deref())?,
            modified: modified(meta),
        })
    }
}

/// Lists one page that is not empty, or the last one.
async fn list_page(
    pages: &dyn PaginatedListStore,
    prefix: &str,
    after: Option<String>,
    trace: &Trace,
) -> object_store::Result<(Vec<ObjectMeta>, bool)> {
    let mut token = None;
    loop {
        let mut options = PaginatedListOptions {
            offset: after.clone(),
            max_keys: Some(REMOTE_PAGE_OBJECTS_MAX),
            page_token: token,
            ..PaginatedListOptions::default()
        };
        options.extensions.insert(trace.clone());
        let page = pages.list_paginated((!prefix.is_empty()).then_some(prefix), options).await?;
        token = page.page_token;
        // A page may be empty though others follow; then its reader would not know where to go on.
        if token.is_none() || !page.result.objects.is_empty() {
            return Ok((page.result.objects, token.is_some()));
        }
    }
}

/// Returns when an object was stored.
fn modified(meta: &ObjectMeta) -> Timestamp {
    Timestamp(meta.last_modified.timestamp_nanos_opt().unwrap_or_default())
}

/// Returns the text of the innermost cause: those around it may show addresses with signatures.
pub(crate) fn innermost(cause: &dyn StdError) -> String {
    let mut innermost = cause;
    while let Some(inner) = innermost.source() {
        innermost = inner;
    }
    innermost.to_string().lines().next().unwrap_or_default().chars().take(200).collect()
}
