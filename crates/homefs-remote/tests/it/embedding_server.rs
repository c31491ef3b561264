//! A service that embeds, inside the test: it fails only when it is told to.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use parking_lot::Mutex;
use serde_json::{Value, json};

/// How a request is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// As it should be, but the last text's vector first.
    Reversed,
    /// By a refusal of this status.
    Status(u16),
    /// Not at all: the connection ends.
    Reset,
    /// Not at all: the connection stays.
    Silence,
    /// By half of what the length promises.
    CutShort,
    /// By a page for people.
    Garbage,
    /// With one vector too few.
    TooFew,
    /// With vectors of another length.
    OtherDimensions,
    /// With a vector that has no direction.
    Zeros,
}

/// One request.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    pub(crate) target: String,
    pub(crate) key: Option<String>,
    pub(crate) body: Value,
}

impl Question {
    /// Returns the texts that were sent.
    pub(crate) fn texts(&self) -> Vec<String> {
        serde_json::from_value(self.body["input"].clone()).expect("texts are sent")
    }
}

/// A service that runs as long as the process; nothing of it outlives the test binary.
#[derive(Clone)]
pub(crate) struct EmbeddingServer {
    address: SocketAddr,
    answers: Arc<Mutex<VecDeque<Answer>>>,
    questions: Arc<Mutex<Vec<Question>>>,
}

impl EmbeddingServer {
    /// The key that it accepts.
    pub(crate) const KEY: &str = "geheim";
    /// The length of its vectors.
    pub(crate) const DIMENSIONS: usize = 4;

    /// Starts one.
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = listener.local_addr().expect("it is bound");
        let server = Self { address, answers: Arc::default(), questions: Arc::default() };
        let running = server.clone();
        thread::spawn(move || {
            let mut silent = Vec::new();
            for stream in listener.incoming().flatten() {
                // A connection that breaks concerns its client only.
                if let Ok(Answer::Silence) = running.serve(&stream) {
                    silent.push(stream);
                }
            }
        });
        server
    }

    /// Returns what clients are given.
    pub(crate) fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Answers the next requests so.
    pub(crate) fn fail(&self, answers: &[Answer]) {
        self.answers.lock().extend(answers);
    }

    /// Returns every request so far, and forgets them.
    pub(crate) fn questions(&self) -> Vec<Question> {
        std::mem::take(&mut *self.questions.lock())
    }

    /// Returns the vector of a text.
    pub(crate) fn vector(text: &str) -> [f32; Self::DIMENSIONS] {
        let sum: u32 = text.bytes().map(u32::from).sum();
        let angle = f32::from(u16::try_from(sum % 1000).expect("it is small"));
        [angle.cos(), angle.sin(), 0.0, 0.0]
    }

    /// Answers one request; a connection is used once.
    fn serve(&self, mut stream: &TcpStream) -> std::io::Result<Answer> {
        let question = read_question(stream)?;
        let key = question.key.clone();
        let texts = question.texts();
        self.questions.lock().push(question);
        let answer = self.answers.lock().pop_front().unwrap_or(Answer::Reversed);
        let vectors = texts.iter().enumerate().rev().map(|(index, text)| {
            // Twice as long as it should be, which is for the client to put right.
            let mut vector = Self::vector(text).map(|value| value * 2.0).to_vec();
            match answer {
                Answer::OtherDimensions => vector.push(0.0),
                Answer::Zeros => vector.fill(0.0),
                _ => {}
            }
            json!({"object": "embedding", "index": index, "embedding": vector})
        });
        let data: Vec<Value> = vectors.skip(usize::from(answer == Answer::TooFew)).collect();
        let mut body = json!({"object": "list", "data": data}).to_string();
        let mut status = 200;
        match answer {
            Answer::Status(refusal) => status = refusal,
            _ if key.is_some_and(|key| key != format!("Bearer {}", Self::KEY)) => status = 401,
            Answer::Reset | Answer::Silence => return Ok(answer),
            Answer::Garbage => body = String::from("<html>Welcome</html>"),
            _ => {}
        }
        if status != 200 {
            // Services repeat the key in such messages.
            let message = format!("Incorrect API key provided: {}", Self::KEY);
            body = json!({"error": {"message": message, "code": "some_reason"}}).to_string();
        }
        let promised = body.len() * if answer == Answer::CutShort { 2 } else { 1 };
        write!(
            stream,
            "HTTP/1.1 {status} x\r\ncontent-length: {promised}\r\nconnection: close\r\n\r\n{body}"
        )?;
        Ok(answer)
    }
}

/// Reads a request.
fn read_question(stream: &TcpStream) -> std::io::Result<Question> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let target = line.trim_end().to_owned();
    let (mut key, mut length) = (None, 0);
    loop {
        line.clear();
        reader.read_line(&mut line)?;
        match line.trim_end().split_once(": ") {
            Some(("authorization", value)) => key = Some(value.to_owned()),
            Some(("content-length", value)) => length = value.parse().unwrap_or(0),
            Some(_) => {}
            None => break,
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(Question { target, key, body: serde_json::from_slice(&body)? })
}
