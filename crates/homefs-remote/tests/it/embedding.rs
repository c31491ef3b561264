//! The embedder behind the network: what is sent, and that each failure is told clearly.

use std::error::Error as StdError;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::time::Duration;

use homefs_core::{Embedder, Error, ErrorKind, Role};
use homefs_remote::{EmbeddingEndpoint, Environment};

use crate::embedding_server::{Answer, EmbeddingServer};

/// The variable that holds the key.
const VARIABLE: &str = "EMBEDDING_KEY";

fn open_with(url: &str, model: &str, key: &str) -> EmbeddingEndpoint {
    let environment: Environment = [(VARIABLE, key)].into_iter().collect();
    EmbeddingEndpoint::open_in(url, model, Some(VARIABLE), &environment)
        .expect("nothing is sent yet")
        .with_patience(Duration::from_secs(10), Duration::from_millis(1))
}

fn open(server: &EmbeddingServer) -> EmbeddingEndpoint {
    open_with(&server.url(), "small", EmbeddingServer::KEY)
}

/// Returns everything that an error could show.
fn shown(error: &Error) -> String {
    let mut shown = format!("{error} {error:?}");
    let mut cause: Option<&dyn StdError> = error.source();
    while let Some(inner) = cause {
        shown.push_str(&inner.to_string());
        cause = inner.source();
    }
    shown
}

/// Checks the error of a memory and of a query while the server always answers so.
fn check(answer: Answer, kind: ErrorKind, message: &str) {
    let server = EmbeddingServer::start();
    let endpoint = open(&server);
    assert_eq!(endpoint.dimensions().expect("it is well"), EmbeddingServer::DIMENSIONS);
    let tries = if kind == ErrorKind::Unavailable { 4 } else { 1 };
    for (role, tries) in [(Role::Memory, tries), (Role::Query, 1)] {
        server.fail(&vec![answer; tries]);
        server.questions();
        let error = endpoint.embed("a text", role).expect_err("it fails");
        assert_eq!(error.kind(), kind, "{answer:?} {error}");
        assert!(error.message().contains(message), "{error}");
        assert!(error.path().is_some_and(|path| path.starts_with(&server.url())), "{error:?}");
        assert!(!shown(&error).contains(EmbeddingServer::KEY), "{error:?}");
        assert_eq!(server.questions().len(), tries, "{answer:?} {role:?}");
    }
    endpoint.embed("a text", Role::Query).expect("it is well again");
}

#[test]
fn texts_are_sent_in_batches_and_vectors_come_in_order() {
    let server = EmbeddingServer::start();
    let endpoint = open(&server);
    let texts: Vec<String> = (0..130).map(|number| format!("text {number}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let vectors = endpoint.embed_many(&texts, Role::Memory).unwrap();
    for (text, vector) in texts.iter().zip(&vectors) {
        for (value, expected) in vector.iter().zip(EmbeddingServer::vector(text)) {
            assert!((value - expected).abs() < 1e-6, "{text}");
        }
    }
    let questions = server.questions();
    let sizes: Vec<usize> = questions.iter().map(|question| question.texts().len()).collect();
    assert_eq!((sizes, vectors.len()), (vec![64, 64, 2], 130));
    assert_eq!(questions[0].target, "POST /v1/embeddings HTTP/1.1");
    assert_eq!(questions[0].body["model"], "small");
    assert_eq!(questions[0].key.as_deref(), Some("Bearer geheim"));
    assert_eq!((endpoint.name(), endpoint.dimensions().unwrap()), ("endpoint/small", 4));
    assert!(server.questions().is_empty(), "the dimensions are known");
    assert_eq!(endpoint.embed_many(&[], Role::Memory).unwrap(), Vec::<Vec<f32>>::new());
}

#[test]
fn odd_texts_are_sent_as_services_take_them() {
    let server = EmbeddingServer::start();
    let endpoint = open_with(&server.url(), "intfloat/e5-small-v2", "geheim");
    let long = "é".repeat(100_000);
    let vectors = endpoint.embed_many(&["", "\"\0\n", " \n", &long], Role::Memory).unwrap();
    assert_eq!((&vectors[0], &vectors[2]), (&vec![0.0; 4], &vec![0.0; 4]));
    let texts = server.questions()[0].texts();
    assert_eq!((texts.len(), &*texts[0]), (2, "passage: \"\0\n"));
    assert_eq!(texts[1].len(), "passage: ".len() + 8192);
    endpoint.embed("x", Role::Query).unwrap();
    assert_eq!(server.questions()[0].texts(), ["query: x"]);
    assert_eq!(endpoint.embed(" ", Role::Query).unwrap(), [0.0; 4]);
    assert!(server.questions().is_empty());
}

#[test]
fn a_busy_service_is_asked_again_for_memories() {
    let server = EmbeddingServer::start();
    let endpoint = open(&server);
    server.fail(&[Answer::Status(429), Answer::Reset, Answer::Status(503)]);
    assert_eq!(endpoint.embed("a", Role::Memory).unwrap().len(), 4);
    assert_eq!(server.questions().len(), 4);
}

#[test]
fn each_failure_says_what_it_is() {
    check(Answer::Status(401), ErrorKind::Denied, "EMBEDDING_KEY");
    check(Answer::Status(404), ErrorKind::Invalid, "no model \"small\"");
    check(Answer::Status(400), ErrorKind::Invalid, "400 some_reason");
    check(Answer::Status(429), ErrorKind::Unavailable, "429");
    check(Answer::Status(500), ErrorKind::Unavailable, "500");
    check(Answer::Reset, ErrorKind::Unavailable, "no answer");
    check(Answer::CutShort, ErrorKind::Unavailable, "no whole answer");
    check(Answer::Garbage, ErrorKind::Invalid, "is not what a service that embeds says");
    check(Answer::TooFew, ErrorKind::Invalid, "0 vectors for 1 texts");
    check(Answer::OtherDimensions, ErrorKind::Invalid, "of 5 and of 4 dimensions");
    check(Answer::Zeros, ErrorKind::Invalid, "has no direction");
}

#[test]
fn a_service_that_is_silent_is_not_waited_for_long() {
    let server = EmbeddingServer::start();
    let endpoint =
        open(&server).with_patience(Duration::from_millis(200), Duration::from_millis(1));
    server.fail(&[Answer::Silence; 5]);
    for (role, tries) in [(Role::Memory, 4), (Role::Query, 1)] {
        let error = endpoint.embed("a", role).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unavailable);
        assert!(error.message().contains("no answer within 200ms"), "{error}");
        assert_eq!(server.questions().len(), tries);
    }
}

#[test]
fn a_service_that_is_away_is_unavailable_and_named() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let endpoint = open_with(&url, "small", "geheim");
    for error in [endpoint.dimensions().unwrap_err(), endpoint.embed("a", Role::Query).unwrap_err()]
    {
        assert_eq!(error.kind(), ErrorKind::Unavailable);
        assert_eq!(error.path(), Some(&*format!("{url}/embeddings")));
        assert!(shown(&error).to_lowercase().contains("connection refused"), "{error:?}");
        assert!(!shown(&error).contains("geheim"), "{error:?}");
    }
}

#[test]
fn a_wrong_key_is_denied_and_no_key_is_shown() {
    let server = EmbeddingServer::start();
    let endpoint = open_with(&server.url(), "small", "falsch");
    let error = endpoint.embed("a", Role::Memory).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Denied);
    assert!(error.message().contains(VARIABLE), "{error}");
    assert!(!format!("{} {endpoint:?}", shown(&error)).contains("falsch"));
    let open = |key: Option<&str>| {
        let variables = key.map(|key| (VARIABLE, key)).into_iter().collect();
        EmbeddingEndpoint::open_in(&server.url(), "small", Some(VARIABLE), &variables)
    };
    for key in [None, Some(""), Some("gehe\nim")] {
        let error = open(key).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Denied);
        assert!(error.message().contains(VARIABLE) && !shown(&error).contains("gehe"), "{error}");
    }
    let open = EmbeddingEndpoint::open_in(&server.url(), "small", None, &Environment::default());
    open.unwrap().embed("a", Role::Query).expect("a service of one's own needs no key");
}

#[test]
fn a_url_is_checked_when_the_endpoint_is_opened() {
    let environment = Environment::default();
    for url in
        ["", "localhost:1", "ftp://a", "http://", "https://me:geheim@host/v1", "http://a/?k=v"]
    {
        let error = EmbeddingEndpoint::open_in(url, "m", None, &environment).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid, "{url}");
        assert!(!shown(&error).contains("geheim"));
    }
    for url in ["http://127.0.0.1:11434/v1/", "https://api.openai.com/v1"] {
        EmbeddingEndpoint::open_in(url, "m", None, &environment).expect("it is a URL");
    }
}

#[test]
fn a_service_that_sends_texts_elsewhere_is_not_followed() {
    let elsewhere = TcpListener::bind("127.0.0.1:0").unwrap();
    elsewhere.set_nonblocking(true).unwrap();
    let service = TcpListener::bind("127.0.0.1:0").unwrap();
    let place = elsewhere.local_addr().unwrap();
    let url = format!("http://{}", service.local_addr().unwrap());
    std::thread::spawn(move || {
        for mut stream in service.incoming().flatten() {
            let answer = format!(
                "HTTP/1.1 307 X\r\nLocation: http://{place}/\r\nContent-Length: 0\r\n\
                 Connection: close\r\n\r\n"
            );
            let mut request = Vec::new();
            let mut part = [0; 4096];
            while !String::from_utf8_lossy(&request).contains("a text") {
                let count = stream.read(&mut part).expect("a request comes");
                request.extend_from_slice(&part[..count]);
            }
            stream.write_all(answer.as_bytes()).expect("somebody waits for it");
        }
    });
    let error = open_with(&url, "small", "geheim").embed("a text", Role::Query).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
    assert!(error.message().contains("elsewhere"), "{error}");
    assert!(elsewhere.accept().is_err(), "it was followed");
}
