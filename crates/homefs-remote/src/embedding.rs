//! An embedder behind the network: any service that answers as that of `OpenAI` does.

mod answer;

use std::fmt;
use std::sync::OnceLock;
use std::time::Duration;

use futures_util::TryStreamExt;
use homefs_core::{Embedder, Error, ErrorKind, Result, Role};
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderValue, Uri};
use object_store::client::{HttpClient, HttpRequest, HttpRequestBody, HttpResponse};
use serde::Serialize;
use tokio::runtime::Runtime;

use self::answer::{read_vectors, refusal};
use crate::Environment;
use crate::blocking::wait_for;
use crate::bucket::within;
use crate::direct::direct_client;

/// Most texts in one request.
const BATCH_TEXTS: usize = 64;
/// What is sent of one text: some two thousand tokens, which every service takes.
const TEXT_BYTES_MAX: usize = 8 * 1024;
/// The largest answer that is read: a full batch of the longest vectors is half of it.
const ANSWER_BYTES_MAX: usize = 16 * 1024 * 1024;
/// How long to wait for a connection.
const CONNECTING_MAX: Duration = Duration::from_secs(5);
/// How long a whole answer may take.
const DEADLINE: Duration = Duration::from_secs(30);
/// How long the answer to a query may take: somebody waits for it.
const QUERY_DEADLINE: Duration = Duration::from_secs(5);
/// How often a request for memories is tried.
const TRIES: u32 = 4;
/// How long to wait before the second try; each further wait is twice as long.
const PAUSE: Duration = Duration::from_millis(500);

/// A service that embeds. Its calls block, so none may be made from async code.
///
/// Memories are embedded in the background, so a request for them is tried again when the service
/// is busy or away; one for a query fails at once.
pub struct EmbeddingEndpoint {
    url: Uri,
    model: String,
    name: String,
    /// Marked as sensitive, so that nothing prints it.
    key: Option<HeaderValue>,
    /// Where the key comes from, in words.
    key_source: String,
    client: HttpClient,
    deadline: Duration,
    pause: Duration,
    dimensions: OnceLock<usize>,
    // Invariant: there until the drop.
    runtime: Option<Runtime>,
}

impl EmbeddingEndpoint {
    /// Opens the service at a URL, to which `/embeddings` is added, for one of its models;
    /// `key_variable` names the variable of this process that holds the key, if it needs one.
    ///
    /// Nothing is sent yet, so a wrong key or a service that is away shows at the first request.
    pub fn open(url: &str, model: &str, key_variable: Option<&str>) -> Result<Self> {
        Self::open_in(url, model, key_variable, &Environment::of_process())
    }

    /// As [`Self::open`], with the key in this environment.
    pub fn open_in(
        url: &str,
        model: &str,
        key_variable: Option<&str>,
        environment: &Environment,
    ) -> Result<Self> {
        let url = parse_url(url)?;
        let client = direct_client(&url.to_string(), CONNECTING_MAX)?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("homefs-remote")
            .enable_all()
            .build()
            .map_err(|cause| Error::io("start the thread of the embedder", cause))?;
        Ok(Self {
            url,
            model: model.to_owned(),
            name: format!("endpoint/{model}"),
            key: key_variable.map(|variable| bearer(variable, environment)).transpose()?,
            key_source: key_variable.map_or_else(|| "none".to_owned(), str::to_owned),
            client,
            deadline: DEADLINE,
            pause: PAUSE,
            dimensions: OnceLock::new(),
            runtime: Some(runtime),
        })
    }

    /// Waits so long for an answer, and so long before the second try.
    #[must_use]
    pub fn with_patience(mut self, deadline: Duration, pause: Duration) -> Self {
        (self.deadline, self.pause) = (deadline, pause);
        self
    }

    /// Sends texts, none of them blank, and returns their unit vectors.
    fn ask(&self, texts: &[String], role: Role) -> Result<Vec<Vec<f32>>> {
        let runtime = self.runtime.as_ref().expect("the runtime is taken by the drop only");
        let (tries, deadline) = match role {
            Role::Query => (1, self.deadline.min(QUERY_DEADLINE)),
            Role::Memory => (TRIES, self.deadline),
        };
        let content = wait_for(runtime, async {
            let mut pause = self.pause;
            for _ in 1..tries {
                match within(deadline, "embed", self.request(texts)).await {
                    Err(error) if error.kind() == ErrorKind::Unavailable => {}
                    answer => return answer,
                }
                tokio::time::sleep(pause).await;
                pause *= 2;
            }
            within(deadline, "embed", self.request(texts)).await
        });
        let vectors = content.and_then(|content| read_vectors(&content, texts.len()));
        let vectors = vectors.map_err(|error| error.with_path_text(self.url.to_string()))?;
        self.check_dimensions(&vectors)?;
        Ok(vectors)
    }

    /// Sends one request and returns the content of its answer.
    async fn request(&self, texts: &[String]) -> Result<Vec<u8>> {
        #[derive(Serialize)]
        struct Question<'a> {
            model: &'a str,
            input: &'a [String],
        }
        let question = Question { model: &self.model, input: texts };
        let question = serde_json::to_vec(&question).expect("strings can be written as JSON");
        let mut request = HttpRequest::new(HttpRequestBody::from(question));
        *request.method_mut() = http::Method::POST;
        *request.uri_mut() = self.url.clone();
        let headers = request.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(key) = &self.key {
            headers.insert(AUTHORIZATION, key.clone());
        }
        let answer = self.client.execute(request).await.map_err(|cause| {
            Error::new(ErrorKind::Unavailable, "cannot embed: no answer").with_source(cause)
        })?;
        let status = answer.status();
        let content = read_body(answer).await?;
        if status.is_success() {
            return Ok(content);
        }
        Err(refusal(status.as_u16(), &content, &self.model, &self.key_source))
    }

    /// Refuses vectors of another length than the first ones.
    fn check_dimensions(&self, vectors: &[Vec<f32>]) -> Result<()> {
        let Some(first) = vectors.first() else { return Ok(()) };
        let expected = *self.dimensions.get_or_init(|| first.len());
        if let Some(other) = vectors.iter().map(Vec::len).find(|length| *length != expected) {
            let message = format!("the answer has vectors of {other} and of {expected} dimensions");
            return Err(
                Error::new(ErrorKind::Invalid, message).with_path_text(self.url.to_string())
            );
        }
        Ok(())
    }
}

impl Embedder for EmbeddingEndpoint {
    fn name(&self) -> &str {
        &self.name
    }

    fn dimensions(&self) -> Result<usize> {
        if let Some(dimensions) = self.dimensions.get() {
            return Ok(*dimensions);
        }
        let vectors = self.ask(&["dimensions".to_owned()], Role::Memory)?;
        Ok(vectors.first().map_or(0, Vec::len))
    }

    fn embed(&self, text: &str, role: Role) -> Result<Vec<f32>> {
        Ok(self.embed_many(&[text], role)?.concat())
    }

    fn embed_many(&self, texts: &[&str], role: Role) -> Result<Vec<Vec<f32>>> {
        let prompt = role.prompt(&self.model);
        let mut vectors = Vec::with_capacity(texts.len());
        for texts in texts.chunks(BATCH_TEXTS) {
            // Services refuse a text without a word; its vector is known anyway.
            let is_blank = |text: &&str| text.trim().is_empty();
            let sent = texts.iter().filter(|text| !is_blank(text));
            let sent: Vec<_> = sent.map(|text| format!("{prompt}{}", start(text))).collect();
            let answered = if sent.is_empty() { Vec::new() } else { self.ask(&sent, role)? };
            let mut answered = answered.into_iter();
            for text in texts {
                let known = if is_blank(text) { None } else { answered.next() };
                vectors.push(known.map_or_else(|| Ok(vec![0.0; self.dimensions()?]), Ok)?);
            }
        }
        Ok(vectors)
    }
}

impl Drop for EmbeddingEndpoint {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // Waiting could hang on a look-up of a name that nobody answers.
            runtime.shutdown_background();
        }
    }
}

// The client and the key are nobody's business.
impl fmt::Debug for EmbeddingEndpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("EmbeddingEndpoint").field(&self.url).field(&self.model).finish()
    }
}

/// Checks the URL of a service and returns the place that embeds.
fn parse_url(text: &str) -> Result<Uri> {
    let invalid = |why: &str| Error::new(ErrorKind::Invalid, format!("the endpoint's URL {why}"));
    let url: Uri = format!("{}/embeddings", text.trim_end_matches('/'))
        .parse()
        .map_err(|_| invalid("is not one").with_path_text(text))?;
    // What is in a URL is kept and shown, which a password must not be.
    if url.authority().is_none_or(|authority| authority.as_str().contains('@')) {
        return Err(invalid("must name a host, and no user or password"));
    }
    if !matches!(url.scheme_str(), Some("http" | "https")) || url.query().is_some() {
        return Err(
            invalid("must start with http:// or https://, and have no ?").with_path_text(text)
        );
    }
    Ok(url)
}

/// Returns the header that shows a key.
fn bearer(variable: &str, environment: &Environment) -> Result<HeaderValue> {
    let denied = |what: &str| {
        let message =
            format!("the variable {variable}, which holds the key of the endpoint, {what}");
        Error::new(ErrorKind::Denied, message)
    };
    let key = environment.get(variable).ok_or_else(|| denied("is not set"))?;
    let mut header = HeaderValue::try_from(format!("Bearer {}", key.trim()))
        .map_err(|_| denied("has characters that no key has"))?;
    header.set_sensitive(true);
    Ok(header)
}

/// Returns what is sent of a text.
fn start(text: &str) -> &str {
    &text[..text.floor_char_boundary(TEXT_BYTES_MAX)]
}

/// Reads the whole content of an answer.
async fn read_body(answer: HttpResponse) -> Result<Vec<u8>> {
    let mut stream = answer.into_body().bytes_stream();
    let mut content = Vec::new();
    loop {
        let piece = stream.try_next().await.map_err(|cause| {
            Error::new(ErrorKind::Unavailable, "cannot embed: no whole answer").with_source(cause)
        })?;
        let Some(piece) = piece else { return Ok(content) };
        if content.len() + piece.len() > ANSWER_BYTES_MAX {
            let message = format!("cannot embed: an answer of over {ANSWER_BYTES_MAX} bytes");
            return Err(Error::new(ErrorKind::Invalid, message));
        }
        content.extend_from_slice(&piece);
    }
}
