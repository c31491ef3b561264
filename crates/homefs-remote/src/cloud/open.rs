//! Opening a bucket: which server, which credentials.

use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use homefs_core::{Error, ErrorKind, Result};
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey, S3ConditionalPut};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::list::PaginatedListStore;
use object_store::memory::InMemory;
use object_store::{ClientOptions, ObjectStore, RetryConfig};

use super::trace::TracingConnector;
use super::{Cloud, Tags, innermost};
use crate::address::Location;
use crate::profile::Profile;
use crate::{Environment, RemoteAddress};

/// How long to wait for a connection; a server that is away should show soon.
const CONNECTING_MAX: Duration = Duration::from_secs(5);

/// The variables that name an S3 server, the strongest first. The address goes before them.
const ENDPOINTS: &[&str] = &["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT"];

impl Cloud {
    /// Opens a store in memory that behaves like a bucket.
    pub(crate) fn memory(address: &RemoteAddress) -> Self {
        Self {
            store: Arc::new(InMemory::new()),
            pages: None,
            prefix: String::new(),
            tags: Tags::Bare,
            omits_prefix: false,
            credentials: None,
            server: "memory".to_owned(),
            deadline: address.deadline,
        }
    }

    /// Takes a store of a server.
    fn of_server<S: ObjectStore + PaginatedListStore>(
        address: &RemoteAddress,
        store: S,
        tags: Tags,
        credentials: String,
    ) -> Self {
        let store = Arc::new(store);
        Self {
            store: Arc::clone(&store) as Arc<dyn ObjectStore>,
            pages: Some(store),
            prefix: address.full_key(""),
            tags,
            omits_prefix: matches!(address.place, Location::Azure { .. }),
            credentials: Some(credentials),
            server: address.endpoint.clone().unwrap_or_else(|| address.to_string()),
            deadline: address.deadline,
        }
    }
}

/// Opens a bucket of S3 or of a server that speaks like it.
pub(crate) fn open_s3(
    address: &RemoteAddress,
    bucket: &str,
    environment: &Environment,
) -> Result<Cloud> {
    let profile = Profile::read(environment)?;
    let mut address = address.clone();
    if address.endpoint.is_none() {
        address.endpoint = named_endpoint(environment, &profile);
    }
    let mut builder = AmazonS3Builder::new().with_client_options(client_options(&address));
    for (key, value) in settings::<AmazonS3ConfigKey>(environment, "AWS_") {
        builder = builder.with_config(key, value);
    }
    let has = |variable: &str| environment.get(variable).is_some();
    let credentials = if has("AWS_ACCESS_KEY_ID") || has("AWS_SECRET_ACCESS_KEY") {
        "AWS_ACCESS_KEY_ID of the environment".to_owned()
    } else if has("AWS_WEB_IDENTITY_TOKEN_FILE") {
        "AWS_WEB_IDENTITY_TOKEN_FILE of the environment".to_owned()
    } else if let Some((id, secret, token)) = profile.key()? {
        builder = builder.with_access_key_id(id).with_secret_access_key(secret);
        builder = token.into_iter().fold(builder, AmazonS3Builder::with_token);
        format!("profile {:?}", profile.name)
    } else {
        "no key in the environment or a profile, so those of this machine's role".to_owned()
    };
    if !has("AWS_REGION") && !has("AWS_DEFAULT_REGION") {
        builder = profile.get("region").into_iter().fold(builder, AmazonS3Builder::with_region);
    }
    builder = address.region.iter().fold(builder, AmazonS3Builder::with_region);
    if let Some(endpoint) = address.checked_endpoint()? {
        let in_host = |endpoint: &str| endpoint.replacen("://", &format!("://{bucket}."), 1);
        let endpoint = if address.path_style { endpoint.to_owned() } else { in_host(endpoint) };
        builder = builder.with_endpoint(endpoint);
    }
    let store = builder
        .with_bucket_name(bucket)
        .with_virtual_hosted_style_request(!address.path_style)
        // Whatever the environment says: several writers need conditions, and not every server has
        // deletes of many objects.
        .with_conditional_put(S3ConditionalPut::ETagMatch)
        .with_disable_bulk_delete(true)
        .with_retry(no_retry())
        .with_http_connector(TracingConnector)
        .build();
    let store = store.map_err(|cause| configuration(&cause))?;
    Ok(Cloud::of_server(&address, store, Tags::Quoted, credentials))
}

/// Returns the S3 server that the environment or a profile names.
pub(crate) fn s3_endpoint(environment: &Environment) -> Option<String> {
    named_endpoint(environment, &Profile::read(environment).ok()?)
}

fn named_endpoint(environment: &Environment, profile: &Profile) -> Option<String> {
    let named = ENDPOINTS.iter().find_map(|name| environment.get(name));
    named.or(profile.get("endpoint_url")).map(str::to_owned)
}

/// Opens a bucket of Google Cloud Storage.
pub(crate) fn open_google(
    address: &RemoteAddress,
    bucket: &str,
    environment: &Environment,
) -> Result<Cloud> {
    let mut builder = GoogleCloudStorageBuilder::new().with_client_options(client_options(address));
    for (key, value) in settings::<GoogleConfigKey>(environment, "GOOGLE_") {
        builder = builder.with_config(key, value);
    }
    if let Some(endpoint) = address.checked_endpoint()? {
        builder = builder.with_base_url(endpoint);
    }
    let store = builder
        .with_bucket_name(bucket)
        .with_retry(no_retry())
        .with_http_connector(TracingConnector)
        .build();
    let store = store.map_err(|cause| configuration(&cause))?;
    let credentials = "GOOGLE_… of the environment, gcloud's, or this machine's role".to_owned();
    Ok(Cloud::of_server(address, store, Tags::Generations, credentials))
}

/// Opens a container of Azure Blob Storage.
pub(crate) fn open_azure(
    address: &RemoteAddress,
    name: &str,
    environment: &Environment,
) -> Result<Cloud> {
    let mut builder = MicrosoftAzureBuilder::new().with_client_options(client_options(address));
    for (key, value) in settings::<AzureConfigKey>(environment, "AZURE_") {
        builder = builder.with_config(key, value);
    }
    if let Some(endpoint) = address.checked_endpoint()? {
        builder = builder.with_endpoint(endpoint.to_owned());
    }
    let store = builder
        .with_container_name(name)
        .with_retry(no_retry())
        .with_http_connector(TracingConnector)
        .build();
    let store = store.map_err(|cause| configuration(&cause))?;
    let credentials = "AZURE_… of the environment, or this machine's identity".to_owned();
    Ok(Cloud::of_server(address, store, Tags::Quoted, credentials))
}

/// Returns what the environment sets for a service.
fn settings<'a, Key: FromStr>(
    environment: &'a Environment,
    start: &'a str,
) -> impl Iterator<Item = (Key, &'a str)> {
    let of_service = environment.starting_with(start);
    let variables = of_service.filter(|(name, _)| !ENDPOINTS.contains(name));
    variables.filter_map(|(name, value)| Some((name.to_ascii_lowercase().parse().ok()?, value)))
}

/// Never a second try in here: after one, nobody could tell our own success from a conflict.
fn no_retry() -> RetryConfig {
    RetryConfig { max_retries: 0, ..RetryConfig::default() }
}

/// The whole request has a deadline of its own, which knows how much it moves.
fn client_options(address: &RemoteAddress) -> ClientOptions {
    let plain = address.endpoint.as_ref().is_some_and(|endpoint| endpoint.starts_with("http://"));
    ClientOptions::new()
        .with_allow_http(plain)
        .with_timeout_disabled()
        .with_connect_timeout(CONNECTING_MAX.min(address.deadline))
}

fn configuration(cause: &object_store::Error) -> Error {
    let why = innermost(cause);
    Error::new(ErrorKind::Invalid, format!("the remote is not configured well: {why}"))
}
