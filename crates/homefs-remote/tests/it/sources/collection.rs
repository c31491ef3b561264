//! A collection on a real server, filled by hand as others would fill it.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path as HostPath;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, Weak};

use homefs_core::{HostDisk, Result};
use homefs_remote::{ChromaAddress, ChromaSettings, ChromaSource, Environment};
use homefs_testkit::{CHROMA, ForeignServer};
use serde_json::{Value, json};

/// The server, while any test uses it: it takes seconds to start.
static SERVER: Mutex<Weak<ForeignServer>> = Mutex::new(Weak::new());
/// Gives each collection a name of its own.
static NUMBER: AtomicUsize = AtomicUsize::new(0);

/// A collection of its own for a test.
pub(crate) struct Collection {
    server: Arc<ForeignServer>,
    name: String,
    id: String,
}

impl Collection {
    /// Returns the address of a collection that is not there; nothing if the server's program is
    /// missing, which was said then.
    pub(crate) fn absent() -> Option<Self> {
        let mut running = SERVER.lock().expect("no test panics while it starts");
        let server = match running.upgrade() {
            Some(server) => server,
            None => Arc::new(ForeignServer::start(&CHROMA).expect("it starts")?),
        };
        *running = Arc::downgrade(&server);
        let name = format!("collection-{}", NUMBER.fetch_add(1, Ordering::Relaxed));
        Some(Self { server, name, id: String::new() })
    }

    /// Makes an empty collection.
    pub(crate) fn create() -> Option<Self> {
        let mut collection = Self::absent()?;
        let made = collection.post("", &json!({ "name": collection.name }));
        collection.id = format!("/{}", made["id"].as_str().expect("it has an id"));
        Some(collection)
    }

    /// Stores chunks: the id, the text and the metadata of each.
    pub(crate) fn store(&self, chunks: &[(String, Value, Value)]) {
        for part in chunks.chunks(1000) {
            let column = |pick: fn(&(String, Value, Value)) -> Value| -> Vec<Value> {
                part.iter().map(pick).collect()
            };
            let body = json!({
                "ids": column(|chunk| chunk.0.clone().into()),
                "documents": column(|chunk| chunk.1.clone()),
                "metadatas": column(|chunk| chunk.2.clone()),
                "embeddings": vec![[1.0, 0.0]; part.len()],
            });
            let answer = self.post(&format!("{}/upsert", self.id), &body);
            assert!(answer["error"].is_null(), "{answer}");
        }
    }

    /// Stores one page, cut into these chunks.
    pub(crate) fn page(&self, key: &str, slug: &str, chunks: &[&str]) {
        self.store(&page(key, slug, chunks));
    }

    /// Stores the path tree.
    pub(crate) fn tree(&self, text: &str) {
        self.store(&[("__path_tree__".to_owned(), json!(text), json!({ "kind": "tree" }))]);
    }

    /// Removes records.
    pub(crate) fn delete(&self, body: &Value) {
        self.post(&format!("{}/delete", self.id), body);
    }

    /// Asks for records as any program would.
    pub(crate) fn ask(&self, query: &Value) -> Value {
        self.post(&format!("{}/get", self.id), query)
    }

    /// Removes the whole collection.
    pub(crate) fn drop_whole(&self) {
        exchange(&self.server.endpoint(), "DELETE", &format!("{COLLECTIONS}/{}", self.name), "");
    }

    /// Sends a request about the collection.
    pub(crate) fn post(&self, path: &str, body: &Value) -> Value {
        exchange(
            &self.server.endpoint(),
            "POST",
            &format!("{COLLECTIONS}{path}"),
            &body.to_string(),
        )
    }

    /// Returns how many records there are.
    pub(crate) fn count(&self) -> u64 {
        let made = self.post("", &json!({ "name": self.name, "get_or_create": true }));
        let id = made["id"].as_str().expect("it has an id");
        let count =
            exchange(&self.server.endpoint(), "GET", &format!("{COLLECTIONS}/{id}/count"), "");
        count.as_u64().expect("it is a number")
    }

    /// Returns its address.
    pub(crate) fn address(&self) -> ChromaAddress {
        let host = self.server.endpoint().replace("http://", "chroma://");
        format!("{host}/{}", self.name).parse().expect("it is an address")
    }

    /// Returns where its server listens.
    pub(crate) fn host(&self) -> String {
        self.server.endpoint().trim_start_matches("http://").to_owned()
    }

    /// Opens it as a source.
    pub(crate) fn open(
        &self,
        settings: &ChromaSettings,
        cache: &HostPath,
    ) -> Result<Arc<ChromaSource>> {
        open(&self.address(), settings, cache)
    }
}

/// Returns the records of a page.
pub(crate) fn page(
    key: &str,
    slug: &str,
    chunks: &[impl AsRef<str>],
) -> Vec<(String, Value, Value)> {
    let chunk = |(index, text): (usize, &_)| {
        let text: &str = AsRef::as_ref(text);
        (format!("{slug}#{index}"), json!(text), json!({ key: slug, "chunk_index": index }))
    };
    chunks.iter().enumerate().map(chunk).collect()
}

/// Opens a collection as a source.
pub(crate) fn open(
    address: &ChromaAddress,
    settings: &ChromaSettings,
    cache: &HostPath,
) -> Result<Arc<ChromaSource>> {
    let disk = Arc::new(HostDisk);
    ChromaSource::open(address, settings, disk, cache, &Environment::default()).map(Arc::new)
}

const COLLECTIONS: &str = "/api/v2/tenants/default_tenant/databases/default_database/collections";

/// Sends a request and reads the answer.
fn exchange(endpoint: &str, method: &str, path: &str, body: &str) -> Value {
    let host = endpoint.trim_start_matches("http://");
    let mut stream = TcpStream::connect(host).expect("the server is there");
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
    .expect("the server reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("the server answers");
    let (_, content) = answer.split_once("\r\n\r\n").expect("it is an answer of HTTP");
    serde_json::from_str(content).unwrap_or_default()
}
