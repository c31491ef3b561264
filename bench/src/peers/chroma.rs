//! A Chroma server, asked by hand: over one connection that is kept, with vectors that are given.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use anyhow::{Context, Result, ensure};
use homefs_testkit::{CHROMA, ForeignServer};
use serde_json::{Value, json};

use super::pages::Page;

const COLLECTIONS: &str = "/api/v2/tenants/default_tenant/databases/default_database/collections";
const LENGTH: &str = "content-length:";

/// The server, and a connection to it.
pub(crate) struct Chroma {
    server: ForeignServer,
    connection: BufReader<TcpStream>,
}

impl Chroma {
    /// Starts a server without collections; none if it is not installed, which is said then.
    pub(crate) fn start() -> Result<Option<Self>> {
        let Some(server) = ForeignServer::start(&CHROMA)? else { return Ok(None) };
        let stream = TcpStream::connect(server.endpoint().trim_start_matches("http://"))?;
        stream.set_nodelay(true)?;
        Ok(Some(Self { server, connection: BufReader::new(stream) }))
    }

    /// Returns the address of a collection, as homefs wants it.
    pub(crate) fn address(&self, collection: &str) -> String {
        format!("{}/{collection}", self.server.endpoint().replace("http://", "chroma://"))
    }

    /// Finds or makes a collection, and returns its id.
    pub(crate) fn collection(&mut self, name: &str) -> Result<String> {
        let made = self.post("", &json!({ "name": name, "get_or_create": true }))?;
        Ok(made["id"].as_str().context("a collection has an id")?.to_owned())
    }

    /// Adds records to a collection in one request: paths, texts and vectors.
    pub(crate) fn add(&mut self, id: &str, pages: &[Page], vectors: &[Vec<f32>]) -> Result<()> {
        let column = |of: fn(&Page) -> Value| pages.iter().map(of).collect::<Vec<_>>();
        let records = json!({
            "ids": column(|page| json!(page.path)),
            "documents": column(|page| json!(page.text)),
            "metadatas": column(|page| json!({ "path": page.path })),
            "embeddings": vectors,
        });
        self.post(&format!("/{id}/add"), &records).map(drop)
    }

    /// Returns how many records a query finds, when they have come.
    pub(crate) fn query(&mut self, id: &str, query: &Value) -> Result<usize> {
        let found = self.post(&format!("/{id}/get"), query)?;
        Ok(found["ids"].as_array().context("an answer has ids")?.len())
    }

    /// Returns the text of one record.
    pub(crate) fn get(&mut self, id: &str, record: &str) -> Result<String> {
        let query = json!({ "ids": [record], "include": ["documents"] });
        let found = self.post(&format!("/{id}/get"), &query)?;
        Ok(found["documents"][0].as_str().context("the record is there")?.to_owned())
    }

    fn post(&mut self, path: &str, body: &Value) -> Result<Value> {
        let body = body.to_string();
        let request = format!(
            "POST {COLLECTIONS}{path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        self.connection.get_mut().write_all(request.as_bytes())?;
        let (mut status, mut length) = (String::new(), None);
        self.connection.read_line(&mut status)?;
        loop {
            let mut line = String::new();
            self.connection.read_line(&mut line)?;
            let line = line.trim_end().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            length = line.strip_prefix(LENGTH).map(|text| text.trim().parse()).or(length);
        }
        let mut content = vec![0; length.context("the answer has a length")??];
        self.connection.read_exact(&mut content)?;
        let is_success = status.split(' ').nth(1).is_some_and(|code| code.starts_with('2'));
        ensure!(is_success, "{}: {}", status.trim_end(), String::from_utf8_lossy(&content));
        Ok(serde_json::from_slice(&content)?)
    }
}
