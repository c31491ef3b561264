//! What the server understands of S3: get, head, put, copy, delete and list. The rest is refused.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use homefs_core::Timestamp;
use http_body_util::BodyExt as _;
use s3s::checksum::ChecksumHasher;
use s3s::crypto::{Checksum as _, Crc32, Crc32c, Crc64Nvme, Sha1, Sha256};
use s3s::dto::{
    CommonPrefix, CopyObjectInput, CopyObjectOutput, CopyObjectResult, CopySource,
    DeleteObjectInput, DeleteObjectOutput, DeleteObjectsInput, DeleteObjectsOutput, DeletedObject,
    EncodingType, GetObjectInput, GetObjectOutput, HeadBucketInput, HeadBucketOutput,
    HeadObjectInput, HeadObjectOutput, ListObjectsInput, ListObjectsOutput, ListObjectsV2Input,
    ListObjectsV2Output, MetadataDirective, Object as ListedObject, PutObjectInput,
    PutObjectOutput, StreamingBlob,
};
use s3s::{Body, S3, S3ErrorCode, S3Request, S3Response, S3Result, s3_error};

use super::BUCKET;
use super::store::{Notes, Object, Store};

/// The most keys in one page, as Amazon has it.
const PAGE_MAX: usize = 1000;

/// How long a flawed put lets others come between its check and its write.
const MOMENT: Duration = Duration::from_millis(5);

/// The operations, on one store.
pub(super) struct Api(pub(super) Arc<Store>);

#[async_trait::async_trait]
impl S3 for Api {
    async fn head_bucket(
        &self,
        request: S3Request<HeadBucketInput>,
    ) -> S3Result<S3Response<HeadBucketOutput>> {
        check_bucket(&request.input.bucket)?;
        self.0.list("", None, None, 0)?;
        Ok(S3Response::new(HeadBucketOutput::default()))
    }

    async fn get_object(
        &self,
        request: S3Request<GetObjectInput>,
    ) -> S3Result<S3Response<GetObjectOutput>> {
        let input = request.input;
        check_bucket(&input.bucket)?;
        let object =
            self.0.get(&input.key, input.if_match.as_ref(), input.if_none_match.as_ref())?;
        let size = object.content.len() as u64;
        let (content, content_range) = match input.range {
            None => (object.content.clone(), None),
            Some(range) => {
                let part = range.check(size)?;
                let text = format!("bytes {}-{}/{size}", part.start, part.end - 1);
                (object.content.slice(to_usize(part.start)..to_usize(part.end)), Some(text))
            }
        };
        Ok(S3Response::new(GetObjectOutput {
            accept_ranges: Some("bytes".to_owned()),
            content_length: i64::try_from(content.len()).ok(),
            content_range,
            content_type: object.notes.content_type,
            e_tag: Some(object.tag),
            last_modified: Some(to_s3(object.modified)),
            metadata: object.notes.metadata,
            body: Some(StreamingBlob::from(Body::from(content))),
            ..Default::default()
        }))
    }

    async fn head_object(
        &self,
        request: S3Request<HeadObjectInput>,
    ) -> S3Result<S3Response<HeadObjectOutput>> {
        let input = request.input;
        check_bucket(&input.bucket)?;
        let object =
            self.0.get(&input.key, input.if_match.as_ref(), input.if_none_match.as_ref())?;
        Ok(S3Response::new(HeadObjectOutput {
            content_length: i64::try_from(object.content.len()).ok(),
            content_type: object.notes.content_type,
            e_tag: Some(object.tag),
            last_modified: Some(to_s3(object.modified)),
            metadata: object.notes.metadata,
            ..Default::default()
        }))
    }

    async fn put_object(
        &self,
        mut request: S3Request<PutObjectInput>,
    ) -> S3Result<S3Response<PutObjectOutput>> {
        check_bucket(&request.input.bucket)?;
        let content = match request.input.body.take() {
            Some(body) => {
                let whole = Body::from(body).collect().await;
                whole.map_err(|_| s3_error!(IncompleteBody))?.to_bytes()
            }
            None => Bytes::new(),
        };
        check_checksums(&request, &content)?;
        let input = request.input;
        let (key, notes) =
            (&input.key, Notes { metadata: input.metadata, content_type: input.content_type });
        let mut conditions = (input.if_match.as_ref(), input.if_none_match.as_ref());
        if self.0.checks_then_writes(key, conditions.0, conditions.1)? {
            tokio::time::sleep(MOMENT).await;
            conditions = (None, None);
        }
        let stored = self.0.put(key, content, notes, conditions.0, conditions.1)?;
        Ok(S3Response::new(PutObjectOutput { e_tag: Some(stored.tag), ..Default::default() }))
    }

    async fn copy_object(
        &self,
        request: S3Request<CopyObjectInput>,
    ) -> S3Result<S3Response<CopyObjectOutput>> {
        let input = request.input;
        check_bucket(&input.bucket)?;
        let CopySource::Bucket { bucket, key, .. } = &input.copy_source else {
            return Err(s3_error!(NotImplemented));
        };
        check_bucket(bucket)?;
        let source = self.0.get(key, None, None)?;
        let directive = input.metadata_directive.as_ref().map(MetadataDirective::as_str);
        let notes = if directive == Some(MetadataDirective::REPLACE) {
            Notes { metadata: input.metadata, content_type: input.content_type }
        } else {
            source.notes
        };
        let stored = self.0.put(&input.key, source.content, notes, None, None)?;
        let copied = CopyObjectResult {
            e_tag: Some(stored.tag),
            last_modified: Some(to_s3(stored.modified)),
            ..Default::default()
        };
        let output =
            CopyObjectOutput { copy_object_result: Some(copied), ..CopyObjectOutput::default() };
        Ok(S3Response::new(output))
    }

    async fn delete_object(
        &self,
        request: S3Request<DeleteObjectInput>,
    ) -> S3Result<S3Response<DeleteObjectOutput>> {
        check_bucket(&request.input.bucket)?;
        self.0.delete(&request.input.key)?;
        Ok(S3Response::new(DeleteObjectOutput::default()))
    }

    async fn delete_objects(
        &self,
        request: S3Request<DeleteObjectsInput>,
    ) -> S3Result<S3Response<DeleteObjectsOutput>> {
        check_bucket(&request.input.bucket)?;
        let mut deleted = Vec::new();
        for object in request.input.delete.objects {
            self.0.delete(&object.key)?;
            deleted.push(DeletedObject { key: Some(object.key), ..Default::default() });
        }
        let output = DeleteObjectsOutput { deleted: Some(deleted), ..Default::default() };
        Ok(S3Response::new(output))
    }

    /// The listing of older clients, which says less.
    async fn list_objects(
        &self,
        request: S3Request<ListObjectsInput>,
    ) -> S3Result<S3Response<ListObjectsOutput>> {
        let newer = request.map_input(|input| ListObjectsV2Input {
            bucket: input.bucket,
            delimiter: input.delimiter,
            encoding_type: input.encoding_type,
            max_keys: input.max_keys,
            prefix: input.prefix,
            start_after: input.marker,
            ..Default::default()
        });
        let listed = self.list_objects_v2(newer).await?;
        Ok(listed.map_output(|listed| ListObjectsOutput {
            name: listed.name,
            prefix: listed.prefix,
            delimiter: listed.delimiter,
            marker: listed.start_after,
            next_marker: listed.next_continuation_token,
            max_keys: listed.max_keys,
            is_truncated: listed.is_truncated,
            contents: listed.contents,
            common_prefixes: listed.common_prefixes,
            encoding_type: listed.encoding_type,
            ..Default::default()
        }))
    }

    async fn list_objects_v2(
        &self,
        request: S3Request<ListObjectsV2Input>,
    ) -> S3Result<S3Response<ListObjectsV2Output>> {
        let input = request.input;
        check_bucket(&input.bucket)?;
        let count = input.max_keys.map_or(PAGE_MAX, |most| usize::try_from(most).unwrap_or(0));
        let after = input.continuation_token.as_deref().or(input.start_after.as_deref());
        let prefix = input.prefix.as_deref().unwrap_or_default();
        let page = self.0.list(prefix, after, input.delimiter.as_deref(), count.min(PAGE_MAX))?;
        let encodes = input.encoding_type.as_ref().map(EncodingType::as_str) == Some("url");
        // XML cannot hold every character of a key, so clients may ask for percent signs.
        let show = |key: &str| {
            if encodes { urlencoding::encode(key).into_owned() } else { key.to_owned() }
        };
        let contents: Vec<_> =
            page.objects.iter().map(|(key, object)| listed(show(key), object)).collect();
        let prefixes = page
            .prefixes
            .iter()
            .map(|prefix| CommonPrefix { prefix: Some(show(prefix)) })
            .collect();
        Ok(S3Response::new(ListObjectsV2Output {
            name: Some(input.bucket),
            prefix: Some(show(prefix)),
            delimiter: input.delimiter.as_deref().map(show),
            start_after: input.start_after.as_deref().map(show),
            max_keys: i32::try_from(count).ok(),
            key_count: i32::try_from(contents.len() + page.prefixes.len()).ok(),
            is_truncated: Some(page.next.is_some()),
            continuation_token: input.continuation_token,
            next_continuation_token: page.next,
            contents: Some(contents),
            common_prefixes: Some(prefixes),
            encoding_type: input.encoding_type,
            ..Default::default()
        }))
    }
}

/// Refuses every bucket but the one there is.
fn check_bucket(bucket: &str) -> S3Result<()> {
    if bucket == BUCKET { Ok(()) } else { Err(s3_error!(NoSuchBucket)) }
}

/// Compares the content with every checksum that came before or after it.
fn check_checksums(request: &S3Request<PutObjectInput>, content: &Bytes) -> S3Result<()> {
    let trailers = request.trailing_headers.as_ref().and_then(s3s::TrailingHeaders::take);
    let sent = |before: &Option<String>, name: &str| {
        let after = || trailers.as_ref()?.get(name)?.to_str().ok().map(str::to_owned);
        before.clone().or_else(after)
    };
    let input = &request.input;
    let crc32 = sent(&input.checksum_crc32, "x-amz-checksum-crc32");
    let crc32c = sent(&input.checksum_crc32c, "x-amz-checksum-crc32c");
    let crc64 = sent(&input.checksum_crc64nvme, "x-amz-checksum-crc64nvme");
    let sha1 = sent(&input.checksum_sha1, "x-amz-checksum-sha1");
    let sha256 = sent(&input.checksum_sha256, "x-amz-checksum-sha256");
    let mut hasher = ChecksumHasher {
        crc32: crc32.as_ref().map(|_| Crc32::new()),
        crc32c: crc32c.as_ref().map(|_| Crc32c::new()),
        crc64nvme: crc64.as_ref().map(|_| Crc64Nvme::new()),
        sha1: sha1.as_ref().map(|_| Sha1::new()),
        sha256: sha256.as_ref().map(|_| Sha256::new()),
    };
    hasher.update(content);
    let found = hasher.finalize();
    let agrees = found.checksum_crc32 == crc32
        && found.checksum_crc32c == crc32c
        && found.checksum_crc64nvme == crc64
        && found.checksum_sha1 == sha1
        && found.checksum_sha256 == sha256;
    if agrees { Ok(()) } else { Err(S3ErrorCode::BadDigest.into()) }
}

/// Describes an object in a listing.
fn listed(key: String, object: &Object) -> ListedObject {
    ListedObject {
        key: Some(key),
        size: i64::try_from(object.content.len()).ok(),
        e_tag: Some(object.tag.clone()),
        last_modified: Some(to_s3(object.modified)),
        ..Default::default()
    }
}

/// Converts a time; one before 1970 becomes 1970.
fn to_s3(time: Timestamp) -> s3s::dto::Timestamp {
    let nanos = u64::try_from(time.0).unwrap_or(0);
    s3s::dto::Timestamp::from(SystemTime::UNIX_EPOCH + Duration::from_nanos(nanos))
}

/// Converts a position inside content that is in memory.
fn to_usize(position: u64) -> usize {
    usize::try_from(position).expect("content in memory has no longer positions")
}
