//! Servers that are away, slow, or answer nonsense: the error comes soon and says what it is.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use homefs_core::{Error, ErrorKind};
use homefs_remote::{ChromaAddress, ChromaSettings};
use homefs_remote::{ChromaTarget, Environment};

use super::collection::open;
use super::publishing::MODEL;

pub(crate) const FOUND: &str = r#"{"id": "0000-1111"}"#;

/// Starts a server that answers each request by what `answer` makes of its first line, and by
/// nothing if that is empty; it ends with the test.
fn serve(answer: impl Fn(&str) -> String + Send + 'static) -> ChromaAddress {
    // Connections without an answer are held, so that the client waits.
    let mut held = Vec::new();
    serve_streams(move |request, mut stream| {
        let text = answer(&request);
        if text.is_empty() {
            held.push(stream);
        } else {
            // A client that has gone does not matter to the next one.
            drop(stream.write_all(text.as_bytes()));
        }
    })
}

/// Starts a server that does with each connection what it likes, knowing the request's first line;
/// it ends with the test.
pub(crate) fn serve_streams(
    mut answer: impl FnMut(String, TcpStream) + Send + 'static,
) -> ChromaAddress {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = format!("chroma://{}/c", listener.local_addr().expect("it is bound"));
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            if let Some(request) = Request::read(&mut BufReader::new(&stream)) {
                answer(request.line().to_lowercase(), stream);
            }
        }
    });
    address.parse().expect("it is an address")
}

/// A request as it came.
pub(crate) struct Request {
    /// Its first line and its headers, with the empty line after them.
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Request {
    /// Reads the next request of a connection, if there is one.
    pub(crate) fn read(reader: &mut impl BufRead) -> Option<Self> {
        let (mut head, mut length) = (String::new(), 0);
        loop {
            let start = head.len();
            reader.read_line(&mut head).ok().filter(|bytes| *bytes > 0)?;
            let line = head[start..].trim().to_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse().ok()?;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        Some(Self { head, body })
    }

    /// Returns its first line.
    pub(crate) fn line(&self) -> &str {
        self.head.lines().next().unwrap_or_default()
    }
}

/// Writes an answer of HTTP.
pub(crate) fn http(status: u16, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status} X\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}")
}

/// Finds the collection, and answers what is asked of it by this.
fn found_then(body: &'static str) -> ChromaAddress {
    serve(move |line| if line.starts_with("get") { http(200, FOUND) } else { http(200, body) })
}

fn failure(address: &ChromaAddress, deadline: Duration) -> Error {
    let cache = tempfile::tempdir().expect("there is room");
    let settings = ChromaSettings { deadline, ..ChromaSettings::default() };
    open(address, &settings, cache.path()).err().expect("it cannot be opened")
}

#[track_caller]
fn check(address: &ChromaAddress, kind: ErrorKind, word: &str) {
    // Time for all tries on a busy machine.
    let error = failure(address, Duration::from_secs(20));
    assert_eq!(error.kind(), kind, "{error}");
    assert!(error.message().contains(word), "{error}");
}

#[test]
fn a_server_that_is_away_is_unavailable() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("chroma://{}/c", listener.local_addr().unwrap()).parse().unwrap();
    drop(listener);
    check(&address, ErrorKind::Unavailable, "no answer");
}

#[test]
fn a_server_that_never_answers_is_unavailable_when_the_deadline_is_over() {
    let error = failure(&serve(|_| String::new()), Duration::from_millis(500));
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
    assert!(error.message().contains("within"), "{error}");
}

#[test]
fn an_answer_that_is_cut_short_is_unavailable() {
    let cut = serve(|_| "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{\"id\": \"".to_owned());
    check(&cut, ErrorKind::Unavailable, "no answer");
    check(&serve(|_| "\u{0}\u{1}garbage\r\n\r\n".to_owned()), ErrorKind::Unavailable, "no answer");
}

#[test]
fn an_answer_of_something_else_is_told() {
    check(&serve(|_| http(200, "<html>hello</html>")), ErrorKind::Unsupported, "as Chroma does");
    check(&serve(|_| http(200, "[]")), ErrorKind::Unsupported, "as Chroma does");
    check(&serve(|_| http(200, r#"{"id": "../../x"}"#)), ErrorKind::Unsupported, "id");
    for body in
        ["{}", "null", r#"{"ids": 3}"#, r#"{"ids": ["a"], "documents": [7]}"#, r#"{"ids": [null]}"#]
    {
        check(&found_then(body), ErrorKind::Unsupported, "as Chroma does");
    }
    check(&found_then(r#"{"ids": ["a"], "documents": []}"#), ErrorKind::Unsupported, "lengths");
    let tree = r#"{"ids": ["__path_tree__"], "documents": ["no tree"]}"#;
    check(&found_then(tree), ErrorKind::Corrupt, "__path_tree__");
}

#[test]
fn a_refusal_says_why() {
    check(&serve(|_| http(401, "")), ErrorKind::Denied, "CHROMA_API_KEY");
    check(&serve(|_| http(404, r#"{"message": "no\u0007pe"}"#)), ErrorKind::NotFound, ": nope");
    check(&serve(|_| http(400, "<html>")), ErrorKind::Invalid, "400");
    check(&serve(|_| http(503, "")), ErrorKind::Unavailable, "503");
}

#[test]
fn a_server_that_recovers_is_asked_again() {
    let failures = std::sync::atomic::AtomicUsize::new(0);
    let address =
        serve(move |line| match failures.fetch_add(1, std::sync::atomic::Ordering::Relaxed) {
            0 | 1 => http(503, ""),
            _ if line.starts_with("get") => http(200, FOUND),
            _ => http(200, r#"{"ids": []}"#),
        });
    let cache = tempfile::tempdir().unwrap();
    assert!(open(&address, &ChromaSettings::default(), cache.path()).is_ok());
}

#[test]
fn publishing_to_a_broken_server_is_an_error() {
    let publish = |address: &ChromaAddress| {
        let target = ChromaTarget::open(address, &Environment::default())?;
        target.publish(&[], &|_| Ok("".into()), &MODEL)
    };
    let kind = |address| publish(&address).unwrap_err().kind();
    assert_eq!(kind(serve(|_| http(500, ""))), ErrorKind::Unavailable);
    assert_eq!(kind(serve(|_| http(200, "ok"))), ErrorKind::Unsupported);
}
