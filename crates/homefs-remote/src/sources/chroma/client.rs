//! Chroma's HTTP API, version 2, as far as reading and writing records goes.
//!
//! Every request here can be repeated without harm: reads by their nature, and writes because
//! records are named by whoever writes them. So all are tried again while the server is not there.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use homefs_core::{Error, ErrorKind, REMOTE_CONTENT_BYTES_MAX, Result};
use http::{HeaderValue, Method, header};
use object_store::client::{HttpClient, HttpRequest, HttpRequestBody};
use parking_lot::Mutex;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tokio::time::Instant;

use super::ChromaAddress;
pub(crate) use super::answer::Record;
use super::answer::{Answer, RECORDS_MAX, refusal};
use crate::Environment;
use crate::blocking::{end, wait_for};
use crate::bucket::within;
use crate::cloud::innermost;
use crate::direct::direct_client;

/// How often a request is sent at most.
const TRIES_MAX: u32 = 4;
/// How long to wait before the second try; twice as long before each further one.
const PAUSE: Duration = Duration::from_millis(100);
/// As many times as long as one answer may all answers take that one question needs.
const STEPS_TIMES: u32 = 4;
/// Most records of all answers to one question.
const RECORDS_ALL_MAX: usize = 10_000_000;
/// Most bytes of answers to one question that are kept together in memory.
const KEPT_BYTES_MAX: usize = 4 * REMOTE_CONTENT_BYTES_MAX;
/// How long to wait for a connection; a server that is away should show soon.
const CONNECTING_MAX: Duration = Duration::from_secs(5);
/// So long a server that did not answer, however often it was asked, counts as away.
const AWAY: Duration = Duration::from_secs(1);
/// How long closing waits for a request that was given up.
const CLOSING: Duration = Duration::from_secs(1);

/// A collection on a server. Calls block, so none may be made from async code.
pub(crate) struct Client {
    database_url: String,
    collection: String,
    token: Option<HeaderValue>,
    deadline: Duration,
    // Made for the first request: reading certificates alone takes longer than opening a source
    // that is kept on disk may.
    connection: Mutex<Option<Arc<Connection>>>,
    // Until when the server counts as away, and what was found then.
    away: Mutex<Option<(Instant, Error)>>,
}

/// What sends requests.
struct Connection {
    http: HttpClient,
    // Invariant: there until the drop.
    runtime: Option<Runtime>,
}

impl Connection {
    /// Prepares to send requests to a server.
    fn new(url: &str, deadline: Duration) -> Result<Self> {
        let http = direct_client(url, CONNECTING_MAX.min(deadline))?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("homefs-chroma")
            .enable_all()
            .build()
            .map_err(|cause| Error::io("start the thread of the client", cause))?;
        Ok(Self { http, runtime: Some(runtime) })
    }
}

/// The id by which requests name the collection: another one after it was made anew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CollectionId(pub(crate) String);

impl Client {
    /// Prepares to talk to a server; nothing is sent yet.
    pub(crate) fn open(
        address: &ChromaAddress,
        deadline: Duration,
        environment: &Environment,
    ) -> Result<Self> {
        let invalid = |message: String| Error::new(ErrorKind::Invalid, message);
        let token = environment.get("CHROMA_API_KEY").map(|token| {
            let mut token = HeaderValue::from_str(token)
                .map_err(|_| invalid("CHROMA_API_KEY has characters that no header has".into()))?;
            token.set_sensitive(true);
            Ok(token)
        });
        Ok(Self {
            database_url: address.database_url(),
            collection: address.collection().to_owned(),
            token: token.transpose()?,
            deadline,
            connection: Mutex::default(),
            away: Mutex::default(),
        })
    }

    /// Returns why the server did not answer when it was last asked.
    pub(crate) fn trouble(&self) -> Option<Error> {
        self.away.lock().as_ref().map(|(_, error)| error.clone())
    }

    /// Returns what sends requests.
    fn connection(&self) -> Result<Arc<Connection>> {
        let mut connection = self.connection.lock();
        if let Some(connection) = &*connection {
            return Ok(Arc::clone(connection));
        }
        Ok(Arc::clone(
            connection.insert(Arc::new(Connection::new(&self.database_url, self.deadline)?)),
        ))
    }

    /// Finds the collection.
    pub(crate) fn find(&self) -> Result<CollectionId> {
        let found: CollectionAnswer =
            self.call(&Method::GET, &format!("/collections/{}", self.collection), None, None)?;
        Self::checked(found)
    }

    /// Finds the collection, or makes it.
    pub(crate) fn find_or_create(&self) -> Result<CollectionId> {
        let body = json!({ "name": self.collection, "get_or_create": true });
        Self::checked(self.call(&Method::POST, "/collections", Some(&body), None)?)
    }

    /// Checks an id, which becomes a part of a URL.
    fn checked(found: CollectionAnswer) -> Result<CollectionId> {
        if found.id.is_empty() || !found.id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
            return Err(Error::new(
                ErrorKind::Unsupported,
                "the collection's id is not one of Chroma's",
            ));
        }
        Ok(CollectionId(found.id))
    }

    /// Returns how many records there are.
    pub(crate) fn count(&self, id: &CollectionId) -> Result<u64> {
        self.call(&Method::GET, &format!("/collections/{}/count", id.0), None, None)
    }

    /// Sends records, or changes them: `verb` is `upsert`, `update` or `delete`.
    pub(crate) fn change(
        &self,
        id: &CollectionId,
        verb: &str,
        body: &impl Serialize,
    ) -> Result<()> {
        let body = serde_json::to_vec(body).map_err(|cause| {
            Error::new(ErrorKind::Internal, "records are not to be written").with_source(cause)
        })?;
        let path = format!("/collections/{}/{verb}", id.0);
        self.call_with(&Method::POST, &path, &body.into(), None).map(|_: IgnoredAny| ())
    }

    /// Returns the records that a query names.
    pub(crate) fn get(&self, id: &CollectionId, query: &Value) -> Result<Vec<Record>> {
        self.get_until(id, query, self.last_moment())
    }

    /// Returns the record of this id, if there is one, with what is to be included.
    pub(crate) fn one(
        &self,
        id: &CollectionId,
        record: &str,
        include: &[&str],
        until: Instant,
    ) -> Result<Option<Record>> {
        let query = json!({ "ids": [record], "include": include, "limit": 1, "offset": 0 });
        let path = format!("/collections/{}/get", id.0);
        let answer: Answer = self.call(&Method::POST, &path, Some(&query), Some(until))?;
        Ok(answer.records()?.into_iter().find(|found| found.id == record))
    }

    /// Returns until when a question is waited for that needs several answers.
    pub(crate) fn last_moment(&self) -> Instant {
        Instant::now() + self.deadline * STEPS_TIMES
    }

    /// Returns the records that a query names, if they come in time and are not too many.
    pub(crate) fn get_until(
        &self,
        id: &CollectionId,
        query: &Value,
        until: Instant,
    ) -> Result<Vec<Record>> {
        let mut records = Vec::new();
        let mut bytes = 0;
        self.each(id, query, until, |record| {
            bytes += record.held_bytes();
            if bytes > KEPT_BYTES_MAX {
                let message = format!("the answers have more than {KEPT_BYTES_MAX} bytes");
                return Err(Error::new(ErrorKind::LimitExceeded, message));
            }
            records.push(record);
            Ok(())
        })?;
        Ok(records)
    }

    /// Takes the records that a query names one by one, in steps of as many as one answer may have.
    pub(crate) fn each(
        &self,
        id: &CollectionId,
        query: &Value,
        until: Instant,
        mut take: impl FnMut(Record) -> Result<()>,
    ) -> Result<()> {
        let mut query = query.clone();
        query["limit"] = RECORDS_MAX.into();
        let mut count = 0;
        // A server that does not count would tell the same for ever.
        let mut first = None;
        loop {
            query["offset"] = count.into();
            let path = format!("/collections/{}/get", id.0);
            let answer: Answer = self.call(&Method::POST, &path, Some(&query), Some(until))?;
            let step = answer.records()?;
            let is_last = step.len() < RECORDS_MAX;
            count += step.len();
            let begins_with = step.first().map(|record| record.id.clone());
            if count > RECORDS_ALL_MAX || (!is_last && first == begins_with) {
                let message = "the server's answers do not end";
                return Err(Error::new(ErrorKind::Unsupported, message));
            }
            first = begins_with;
            step.into_iter().try_for_each(&mut take)?;
            if is_last {
                return Ok(());
            }
        }
    }

    fn call<T: DeserializeOwned>(
        &self,
        method: &Method,
        path: &str,
        body: Option<&Value>,
        until: Option<Instant>,
    ) -> Result<T> {
        let body = body.map_or_else(Bytes::new, |body| body.to_string().into());
        self.call_with(method, path, &body, until)
    }

    /// Sends a request until there is an answer that counts, or the deadline is over, or the time
    /// of the question that it is a part of. While the
    /// server is known to be away nothing is sent: a search through a thousand pages is told at
    /// once, not a thousand times.
    fn call_with<T: DeserializeOwned>(
        &self,
        method: &Method,
        path: &str,
        body: &Bytes,
        until: Option<Instant>,
    ) -> Result<T> {
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        if left.is_some_and(|left| left.is_zero()) {
            return Err(self.late());
        }
        let deadline = left.map_or(self.deadline, |left| left.min(self.deadline));
        if let Some((until, error)) = &*self.away.lock()
            && Instant::now() < *until
        {
            return Err(error.clone());
        }
        let url = format!("{}{path}", self.database_url);
        let connection = self.connection()?;
        let runtime = connection.runtime.as_ref().expect("the runtime is taken by the drop only");
        let answer = wait_for(
            runtime,
            within(deadline, "ask Chroma", async {
                let mut tried = 0;
                loop {
                    let answer = self.send(&connection.http, method, &url, body.clone()).await;
                    tried += 1;
                    match answer {
                        Err(error)
                            if error.kind() == ErrorKind::Unavailable && tried < TRIES_MAX =>
                        {
                            tokio::time::sleep(PAUSE * 2_u32.pow(tried - 1)).await;
                        }
                        answer => return answer,
                    }
                }
            }),
        );
        let answer = answer.map_err(|error| error.with_path_text(self.database_url.clone()));
        let failed = answer.as_ref().err().filter(|error| error.kind() == ErrorKind::Unavailable);
        // Who had less time to answer than others have is not away.
        if failed.is_some() && until.is_some_and(|until| Instant::now() >= until) {
            return Err(self.late());
        }
        *self.away.lock() = failed.map(|error| (Instant::now() + AWAY, error.clone()));
        let answer = answer?;
        serde_json::from_slice(&answer).map_err(|cause| {
            let message = "the server does not answer as Chroma does (API v2)";
            Error::new(ErrorKind::Unsupported, message).with_source(cause)
        })
    }

    /// Says that a question is given up.
    fn late(&self) -> Error {
        let message = format!("the answers take too long: {:?}", self.deadline * STEPS_TIMES);
        Error::new(ErrorKind::Unavailable, message).with_path_text(self.database_url.clone())
    }

    /// Sends a request once and returns the answer's content.
    async fn send(
        &self,
        http: &HttpClient,
        method: &Method,
        url: &str,
        body: Bytes,
    ) -> Result<Bytes> {
        let mut request = http::Request::builder()
            .method(method)
            .uri(url)
            .header(header::CONTENT_TYPE, "application/json");
        if let Some(token) = &self.token {
            request = request.header("x-chroma-token", token);
        }
        let request: HttpRequest = request.body(HttpRequestBody::from(body)).map_err(|cause| {
            Error::new(ErrorKind::Invalid, "the address makes no URL").with_source(cause)
        })?;
        let broken = |why: String| {
            Error::new(ErrorKind::Unavailable, format!("no answer from the server: {why}"))
        };
        let answer = http.execute(request).await.map_err(|cause| broken(innermost(&cause)))?;
        let (head, body) = answer.into_parts();
        let mut parts = body.bytes_stream();
        let mut content = Vec::new();
        while let Some(part) = parts.next().await {
            content.extend_from_slice(&part.map_err(|cause| broken(innermost(&cause)))?);
            if content.len() > REMOTE_CONTENT_BYTES_MAX {
                let message = format!("the answer has more than {REMOTE_CONTENT_BYTES_MAX} bytes");
                return Err(Error::new(ErrorKind::LimitExceeded, message));
            }
        }
        if head.status.is_success() {
            Ok(content.into())
        } else {
            Err(refusal(head.status.as_u16(), &content))
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            end(runtime, CLOSING);
        }
    }
}

/// What is read of a collection.
#[derive(Deserialize)]
struct CollectionAnswer {
    id: String,
}
