//! A client that knows nothing of the kit: `object_store`, which tries nothing twice here.

use std::time::Duration;

use futures_util::StreamExt as _;
use homefs_testkit::S3Server;
use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::path::Path;
use object_store::{
    ClientOptions, GetOptions, ObjectStore, ObjectStoreExt as _, PutMode, PutOptions, PutPayload,
    Result, RetryConfig, UpdateVersion,
};
use tokio::runtime::Runtime;

/// How long the client waits for an answer, in tests that have none coming.
const TIMEOUT: Duration = Duration::from_millis(300);

/// A client that blocks.
pub(crate) struct Client {
    store: AmazonS3,
    runtime: Runtime,
}

impl Client {
    pub(crate) fn new(server: &S3Server) -> Self {
        Self::with(server, |builder| builder)
    }

    /// Makes a client that gives up soon.
    pub(crate) fn impatient(server: &S3Server) -> Self {
        let options = ClientOptions::new().with_allow_http(true).with_timeout(TIMEOUT);
        Self::with(server, |builder| builder.with_client_options(options))
    }

    pub(crate) fn with(
        server: &S3Server,
        change: impl FnOnce(AmazonS3Builder) -> AmazonS3Builder,
    ) -> Self {
        let builder = AmazonS3Builder::new()
            .with_endpoint(server.endpoint())
            .with_bucket_name(server.bucket())
            .with_region(S3Server::REGION)
            .with_access_key_id(S3Server::ACCESS_KEY)
            .with_secret_access_key(S3Server::SECRET_KEY)
            .with_allow_http(true)
            .with_retry(RetryConfig { max_retries: 0, ..RetryConfig::default() });
        let store = change(builder).build().expect("the settings are complete");
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("the host has threads");
        Self { store, runtime }
    }

    /// Stores, and returns the tag.
    pub(crate) fn put(&self, key: &str, content: &str, mode: PutMode) -> Result<String> {
        let payload = PutPayload::from(content.to_owned());
        let path = Path::parse(key)?;
        let stored = self.store.put_opts(&path, payload, PutOptions::from(mode));
        Ok(self.runtime.block_on(stored)?.e_tag.expect("S3 gives tags"))
    }

    /// Reads, and returns the content and the tag.
    pub(crate) fn get(&self, key: &str, options: GetOptions) -> Result<(String, String)> {
        self.runtime.block_on(async {
            let found = self.store.get_opts(&Path::parse(key)?, options).await?;
            let tag = found.meta.e_tag.clone().expect("S3 gives tags");
            Ok((String::from_utf8_lossy(&found.bytes().await?).into_owned(), tag))
        })
    }

    /// Reads a whole object.
    pub(crate) fn read(&self, key: &str) -> Result<String> {
        Ok(self.get(key, GetOptions::default())?.0)
    }

    pub(crate) fn delete(&self, key: &str) -> Result<()> {
        self.runtime.block_on(self.store.delete(&Path::parse(key)?))
    }

    /// Lists every key after one, page by page.
    pub(crate) fn list(&self, after: &str) -> Result<Vec<String>> {
        let after = Path::parse(after)?;
        let found = self.store.list_with_offset(None, &after);
        let found: Vec<_> = self.runtime.block_on(found.collect());
        found.into_iter().map(|object| Ok(object?.location.to_string())).collect()
    }

    /// Lists one folder: its keys and its folders.
    pub(crate) fn folder(&self, prefix: &str) -> Result<(Vec<String>, Vec<String>)> {
        let prefix = Path::parse(prefix)?;
        let found = self.runtime.block_on(self.store.list_with_delimiter(Some(&prefix)))?;
        let keys = found.objects.into_iter().map(|object| object.location.to_string()).collect();
        Ok((keys, found.common_prefixes.into_iter().map(|path| path.to_string()).collect()))
    }
}

/// The condition that an object still has this tag.
pub(crate) fn unchanged(tag: &str) -> PutMode {
    PutMode::Update(UpdateVersion { e_tag: Some(tag.to_owned()), version: None })
}
