//! The one backend: any place that an address can name.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use homefs_core::{
    Error, ErrorKind, REMOTE_CONTENT_BYTES_MAX, Remote, RemoteAnswer, RemoteCounters,
    RemoteRequest, Result, check_key,
};
use parking_lot::Mutex;
use tokio::runtime::Runtime;
use tokio::sync::Semaphore;

use crate::address::Location;
use crate::blocking::{end, wait_for};
use crate::cloud::{Cloud, open_azure, open_google, open_s3};
use crate::directory::Directory;
use crate::{Environment, RemoteAddress};

/// Most requests under way at once, however many callers there are.
const PARALLEL_REQUESTS_MAX: usize = 32;
/// The slowest transfer that is waited for.
const SLOWEST_BYTES_PER_SECOND: u64 = 256 * 1024;
/// How long closing waits for a thread that is stuck in a call of the host.
const CLOSING: Duration = Duration::from_secs(2);

/// A remote that is open. Its calls block, so none may be made from async code.
pub struct Bucket {
    address: RemoteAddress,
    backend: Backend,
    permits: Semaphore,
    counters: Mutex<RemoteCounters>,
    // Invariant: there until the drop.
    runtime: Option<Runtime>,
}

/// What speaks to the place.
enum Backend {
    Cloud(Cloud),
    Directory(Arc<Directory>),
}

impl Backend {
    /// Opens what the address names.
    fn open(address: &RemoteAddress, environment: &Environment) -> Result<Self> {
        let cloud = match &address.place {
            Location::S3 { bucket } => open_s3(address, bucket, environment)?,
            Location::Google { bucket } => open_google(address, bucket, environment)?,
            Location::Azure { container } => open_azure(address, container, environment)?,
            Location::Memory => Cloud::memory(address),
            Location::Directory(root) => {
                return Ok(Self::Directory(Arc::new(Directory::open(root)?)));
            }
        };
        Ok(Self::Cloud(cloud))
    }
}

impl Bucket {
    /// Opens a remote with the credentials of this process.
    ///
    /// Nothing is sent yet, so a wrong key or a server that is away shows at the first request.
    pub fn open(address: &RemoteAddress) -> Result<Self> {
        Self::open_in(address, &Environment::of_process())
    }

    /// Opens a remote with the credentials that the environment holds or names.
    pub fn open_in(address: &RemoteAddress, environment: &Environment) -> Result<Self> {
        let backend = Backend::open(address, environment)?;
        // One thread, besides the caller's, keeps idle connections in order between calls.
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .max_blocking_threads(PARALLEL_REQUESTS_MAX)
            .thread_name("homefs-remote")
            .enable_all()
            .build()
            .map_err(|cause| Error::io("start the threads of the remote", cause))?;
        Ok(Self {
            address: address.clone(),
            backend,
            permits: Semaphore::new(PARALLEL_REQUESTS_MAX),
            counters: Mutex::default(),
            runtime: Some(runtime),
        })
    }

    /// Runs one request within its deadline, and counts it.
    async fn request(&self, request: RemoteRequest) -> Result<RemoteAnswer> {
        // The semaphore is never closed; without a permit the request would merely not wait.
        let _permit = self.permits.acquire().await.ok();
        self.counters.lock().count_request(&request);
        let answer = self.answer(request).await;
        self.counters.lock().count_answer(&answer);
        answer
    }

    /// Checks a request and lets the backend answer it.
    async fn answer(&self, request: RemoteRequest) -> Result<RemoteAnswer> {
        let (attempt, key) = name(&request);
        // Whoever reads the error has named the address, and never the key.
        let place = self.address.of_object(key);
        let answer = async {
            let bytes = check(&request, &self.address)?;
            within(deadline(self.address.deadline, bytes), attempt, async {
                match &self.backend {
                    Backend::Cloud(cloud) => cloud.answer(request).await,
                    Backend::Directory(directory) => Arc::clone(directory).answer(request).await,
                }
            })
            .await
        };
        answer.await.map_err(|error| error.with_path_text(place))
    }
}

impl Remote for Bucket {
    fn run(&self, requests: Vec<RemoteRequest>) -> Vec<Result<RemoteAnswer>> {
        let runtime = self.runtime.as_ref().expect("the runtime is taken by the drop only");
        wait_for(runtime, join_all(requests.into_iter().map(|request| self.request(request))))
    }

    fn describe(&self) -> String {
        self.address.to_string()
    }

    fn counters(&self) -> RemoteCounters {
        *self.counters.lock()
    }
}

impl Drop for Bucket {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // The bound is for a network file system that has stopped answering.
            end(runtime, CLOSING);
        }
    }
}

// The backend knows credentials.
impl fmt::Debug for Bucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Bucket").field(&self.describe()).finish()
    }
}

/// Checks a request and returns how many bytes of content it may move.
fn check(request: &RemoteRequest, address: &RemoteAddress) -> Result<u64> {
    let (_, key) = name(request);
    // A prefix is the start of some key.
    let is_list = matches!(request, RemoteRequest::List { .. });
    let key = if is_list { format!("{key}x") } else { key.to_owned() };
    check_key(&key)?;
    check_key(&address.full_key(&key))?;
    match request {
        RemoteRequest::Get { range: Some(range), .. } if range.is_empty() => {
            Err(Error::new(ErrorKind::Invalid, "cannot get an empty range"))
        }
        // How much it is shows with the answer, and is checked then.
        RemoteRequest::Get { .. } => Ok(REMOTE_CONTENT_BYTES_MAX as u64),
        RemoteRequest::Put { content, .. } => {
            check_size(content.len() as u64)?;
            Ok(content.len() as u64)
        }
        RemoteRequest::Delete { .. } | RemoteRequest::List { .. } => Ok(0),
    }
}

/// Returns how long a request that moves so many bytes may take.
pub(crate) fn deadline(small: Duration, bytes: u64) -> Duration {
    small + Duration::from_secs(bytes / SLOWEST_BYTES_PER_SECOND)
}

/// Waits for an answer, but not beyond the deadline.
pub(crate) async fn within<T>(
    deadline: Duration,
    attempt: &str,
    answer: impl Future<Output = Result<T>>,
) -> Result<T> {
    tokio::time::timeout(deadline, answer).await.unwrap_or_else(|_| {
        let message = format!("cannot {attempt}: no answer within {deadline:?}");
        Err(Error::new(ErrorKind::Unavailable, message))
    })
}

/// Refuses a content that one request should not hold in memory.
pub(crate) fn check_size(bytes: u64) -> Result<()> {
    if bytes > REMOTE_CONTENT_BYTES_MAX as u64 {
        let message = format!(
            "{bytes} bytes are more than the {REMOTE_CONTENT_BYTES_MAX} of one request: use ranges"
        );
        return Err(Error::new(ErrorKind::LimitExceeded, message));
    }
    Ok(())
}

/// Returns what a request attempts, and on which key.
pub(crate) fn name(request: &RemoteRequest) -> (&'static str, &str) {
    match request {
        RemoteRequest::Get { key, .. } => ("get", key),
        RemoteRequest::Put { key, .. } => ("put", key),
        RemoteRequest::Delete { key } => ("delete", key),
        RemoteRequest::List { prefix, .. } => ("list", prefix),
    }
}
