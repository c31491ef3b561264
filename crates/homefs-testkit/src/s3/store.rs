//! The objects of the S3 server, and the conditions that it checks while it holds them.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use bytes::Bytes;
use homefs_core::{Clock, Timestamp};
use http::HeaderMap;
use http::header::ETAG;
use parking_lot::Mutex;
use s3s::crypto::{Checksum as _, Md5};
use s3s::dto::{ETag, ETagCondition, Metadata};
use s3s::{S3Result, s3_error};

/// A way in which some servers differ from what Amazon promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum S3Flaw {
    /// Puts with `If-None-Match: *` overwrite.
    IgnoresIfNoneMatch,
    /// Puts with `If-Match` overwrite whatever is there.
    IgnoresIfMatch,
    /// Gets with `If-None-Match` answer with the content though it is unchanged.
    IgnoresUnless,
    /// A put with `If-Match` on a missing key is refused with 412, not with 404.
    MissingIsPreconditionFailed,
    /// Of so many puts with a condition, one checks it first and writes a moment later, whatever
    /// was written meanwhile.
    ChecksThenWrites(usize),
}

/// One object.
#[derive(Clone)]
pub(super) struct Object {
    pub(super) content: Bytes,
    pub(super) tag: ETag,
    pub(super) modified: Timestamp,
    pub(super) notes: Notes,
}

/// What a client notes with an object, for itself: mounts keep owners and permissions there.
#[derive(Clone, Default)]
pub(super) struct Notes {
    pub(super) metadata: Option<Metadata>,
    pub(super) content_type: Option<String>,
}

/// One page of a listing.
#[derive(Default)]
pub(super) struct Page {
    pub(super) objects: Vec<(String, Object)>,
    pub(super) prefixes: Vec<String>,
    /// Where the next page begins, if there is one: after everything that starts so, or is so.
    pub(super) next: Option<String>,
}

/// The one bucket of the server.
pub(super) struct Store {
    clock: Arc<dyn Clock>,
    state: Mutex<BucketState>,
}

struct BucketState {
    // `None` once the bucket is deleted.
    objects: Option<BTreeMap<String, Object>>,
    flaws: Vec<S3Flaw>,
    /// Puts with a condition so far.
    conditional_puts: usize,
}

impl Store {
    /// Makes an empty bucket whose objects get their times from `clock`.
    pub(super) fn new(clock: Arc<dyn Clock>) -> Self {
        let objects = Some(BTreeMap::new());
        let state = BucketState { objects, flaws: Vec::new(), conditional_puts: 0 };
        Self { clock, state: Mutex::new(state) }
    }

    /// Gives the server these flaws and no others.
    pub(super) fn set_flaws(&self, flaws: &[S3Flaw]) {
        self.state.lock().flaws = flaws.to_vec();
    }

    /// Deletes the bucket with all that is in it.
    pub(super) fn delete_bucket(&self) {
        self.state.lock().objects = None;
    }

    /// Makes the bucket again, unless it is there.
    pub(super) fn create_bucket(&self) {
        self.state.lock().objects.get_or_insert_default();
    }

    /// Returns a copy of everything.
    pub(super) fn objects(&self) -> BTreeMap<String, Object> {
        self.state.lock().objects.clone().unwrap_or_default()
    }

    /// Writes an object if both conditions hold. Nothing can come between check and write.
    pub(super) fn put(
        &self,
        key: &str,
        content: Bytes,
        notes: Notes,
        if_match: Option<&ETagCondition>,
        if_none_match: Option<&ETagCondition>,
    ) -> S3Result<Object> {
        // As Amazon makes them, so that equal bytes have equal tags here too.
        let digest = u128::from_be_bytes(Md5::checksum(&content));
        let tag = ETag::Strong(format!("{digest:032x}"));
        let mut state = self.state.lock();
        state.check_put(key, if_match, if_none_match)?;
        // Read inside the lock, so that times follow the order of the writes.
        let object = Object { content, tag, modified: self.clock.now(), notes };
        state.all()?.insert(key.to_owned(), object.clone());
        Ok(object)
    }

    /// Checks the conditions of a put, and tells whether it may then write whatever comes between:
    /// that is the flaw [`S3Flaw::ChecksThenWrites`].
    pub(super) fn checks_then_writes(
        &self,
        key: &str,
        if_match: Option<&ETagCondition>,
        if_none_match: Option<&ETagCondition>,
    ) -> S3Result<bool> {
        let mut state = self.state.lock();
        let one_in = state.flaws.iter().find_map(|flaw| match flaw {
            S3Flaw::ChecksThenWrites(one_in) => Some(*one_in),
            _ => None,
        });
        let Some(one_in) = one_in.filter(|_| if_match.or(if_none_match).is_some()) else {
            return Ok(false);
        };
        state.conditional_puts += 1;
        if !state.conditional_puts.is_multiple_of(one_in) {
            return Ok(false);
        }
        state.check_put(key, if_match, if_none_match)?;
        Ok(true)
    }

    /// Returns an object, or why it is not sent: it is missing or the conditions do not hold.
    pub(super) fn get(
        &self,
        key: &str,
        if_match: Option<&ETagCondition>,
        if_none_match: Option<&ETagCondition>,
    ) -> S3Result<Object> {
        let mut state = self.state.lock();
        let object = state.all()?.get(key).cloned().ok_or_else(|| s3_error!(NoSuchKey))?;
        if if_match.is_some_and(|condition| !meets(condition, &object.tag)) {
            return Err(s3_error!(PreconditionFailed));
        }
        let unchanged = if_none_match.is_some_and(|condition| meets(condition, &object.tag));
        if unchanged && !state.flaws.contains(&S3Flaw::IgnoresUnless) {
            let tag = object.tag.to_http_header().expect("digits and quotes are a header");
            let mut error = s3_error!(NotModified);
            error.set_headers(HeaderMap::from_iter([(ETAG, tag)]));
            return Err(error);
        }
        Ok(object)
    }

    /// Removes an object; a missing one is no error.
    pub(super) fn delete(&self, key: &str) -> S3Result<()> {
        self.state.lock().all()?.remove(key);
        Ok(())
    }

    /// Returns the keys after `after`, at most `count` of them and of the prefixes that stand for
    /// all keys that are equal up to the delimiter.
    pub(super) fn list(
        &self,
        prefix: &str,
        after: Option<&str>,
        delimiter: Option<&str>,
        count: usize,
    ) -> S3Result<Page> {
        let mut state = self.state.lock();
        let mut page = Page::default();
        let mut last = None;
        let start = match after {
            Some(after) if after >= prefix => Bound::Excluded(after),
            _ => Bound::Included(prefix),
        };
        for (key, object) in state.all()?.range::<str, _>((start, Bound::Unbounded)) {
            let Some(rest) = key.strip_prefix(prefix) else { break };
            let end = delimiter.and_then(|text| Some(rest.find(text)? + text.len()));
            let common = end.map(|end| &key[..prefix.len() + end]);
            let told = |place: &str| Some(place) == last.as_deref() || Some(place) == after;
            if common.is_some_and(told) {
                continue;
            }
            if page.objects.len() + page.prefixes.len() == count {
                page.next = last;
                break;
            }
            last = Some(common.unwrap_or(key).to_owned());
            match common {
                Some(common) => page.prefixes.push(common.to_owned()),
                None => page.objects.push((key.clone(), object.clone())),
            }
        }
        Ok(page)
    }
}

impl BucketState {
    /// Returns the objects of the bucket, if it is there.
    fn all(&mut self) -> S3Result<&mut BTreeMap<String, Object>> {
        self.objects.as_mut().ok_or_else(|| s3_error!(NoSuchBucket))
    }

    /// Checks the conditions of a put.
    fn check_put(
        &mut self,
        key: &str,
        if_match: Option<&ETagCondition>,
        if_none_match: Option<&ETagCondition>,
    ) -> S3Result<()> {
        let present = self.all()?.get(key).map(|object| object.tag.clone());
        let has = |flaw| self.flaws.contains(&flaw);
        if let Some(condition) = if_none_match.filter(|_| !has(S3Flaw::IgnoresIfNoneMatch)) {
            if !condition.is_any() {
                return Err(s3_error!(NotImplemented, "a put takes If-None-Match: * only"));
            }
            if present.is_some() {
                return Err(s3_error!(PreconditionFailed));
            }
        }
        let Some(condition) = if_match.filter(|_| !has(S3Flaw::IgnoresIfMatch)) else {
            return Ok(());
        };
        match present {
            Some(tag) if meets(condition, &tag) => Ok(()),
            None if !has(S3Flaw::MissingIsPreconditionFailed) => Err(s3_error!(NoSuchKey)),
            _ => Err(s3_error!(PreconditionFailed)),
        }
    }
}

/// Tells whether an object with this tag is what the condition names.
fn meets(condition: &ETagCondition, tag: &ETag) -> bool {
    condition.as_etag().is_none_or(|wanted| wanted.value() == tag.value())
}
