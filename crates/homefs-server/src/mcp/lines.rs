//! Messages as lines: the transport of standard input and output.
//!
//! The official SDK has one too, which drops a line that is too long without a word, so that its
//! sender waits for ever. This one finds out to whom to say so.

mod id;

use std::io;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{ErrorData, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;

use super::MESSAGE_BYTES_MAX;
use id::IdFinder;

/// Lines to read and lines to write.
pub(crate) struct Lines<R, W> {
    read: BufReader<R>,
    write: Arc<Mutex<W>>,
    line: Line,
    bytes_max: usize,
}

/// As much of a line as has come.
enum Line {
    /// All of it.
    Kept(Vec<u8>),
    /// It is too long, and only its id is looked for.
    TooLong(IdFinder),
}

impl<R: AsyncRead + Unpin, W> Lines<R, W> {
    pub(crate) fn new(read: R, write: W) -> Self {
        let (read, write) = (BufReader::new(read), Arc::new(Mutex::new(write)));
        Self { read, write, line: Line::Kept(Vec::new()), bytes_max: MESSAGE_BYTES_MAX }
    }

    /// Waits for a whole line; `None` at the end. What has come of it stays if nobody waits longer.
    async fn next_line(&mut self) -> io::Result<Option<Line>> {
        loop {
            let come = self.read.fill_buf().await?;
            if come.is_empty() {
                return Ok(None);
            }
            let end = come.iter().position(|byte| *byte == b'\n');
            let part = &come[..end.unwrap_or(come.len())];
            match &mut self.line {
                Line::TooLong(finder) => finder.feed(part),
                Line::Kept(line) if line.len() + part.len() > self.bytes_max => {
                    let mut finder = IdFinder::default();
                    finder.feed(line);
                    finder.feed(part);
                    self.line = Line::TooLong(finder);
                }
                Line::Kept(line) => line.extend_from_slice(part),
            }
            let used = end.map_or(come.len(), |end| end + 1);
            self.read.consume(used);
            if end.is_some() {
                return Ok(Some(std::mem::replace(&mut self.line, Line::Kept(Vec::new()))));
            }
        }
    }
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let write = Arc::clone(&self.write);
        async move {
            let mut line = serde_json::to_vec(&message)?;
            line.push(b'\n');
            let mut write = write.lock().await;
            write.write_all(&line).await?;
            write.flush().await
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let (id, why) = match self.next_line().await {
                Ok(Some(Line::Kept(line))) => match read(&line) {
                    Ok(message) => return Some(message),
                    Err(refused) => refused,
                },
                Ok(Some(Line::TooLong(finder))) => {
                    let why = format!("a message has at most {} bytes", self.bytes_max);
                    (finder.id(), why)
                }
                Ok(None) => return None,
                Err(error) => {
                    tracing::warn!(%error, "standard input cannot be read");
                    return None;
                }
            };
            tracing::warn!(why, "a message is refused");
            // What has no id waits for no answer.
            if let Some(id) = id {
                let refusal = TxJsonRpcMessage::<RoleServer>::error(
                    ErrorData::invalid_request(why, None),
                    Some(id),
                );
                // Whoever waits for a message may stop at any time; half an answer is none.
                tokio::spawn(self.send(refusal));
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.write.lock().await.shutdown().await
    }
}

/// Reads a message, or says whom to tell why it is none.
fn read(line: &[u8]) -> Result<RxJsonRpcMessage<RoleServer>, (Option<RequestId>, String)> {
    serde_json::from_slice(line).map_err(|error| {
        let value: Option<Value> = serde_json::from_slice(line).ok();
        let id = value.and_then(|value| value.get("id").and_then(id::of));
        (id, format!("this is no message of MCP: {error}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends lines to a transport that takes 64 bytes, and returns how many messages came and what
    /// was answered.
    async fn exchange(input: &str) -> (usize, String) {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let mut lines = Lines::new(io::Cursor::new(input.to_owned().into_bytes()), ours);
        lines.bytes_max = 64;
        let mut messages = 0;
        while lines.receive().await.is_some() {
            messages += 1;
        }
        tokio::task::yield_now().await;
        drop(lines);
        let mut answers = String::new();
        let mut theirs = BufReader::new(theirs);
        while theirs.read_line(&mut answers).await.expect("the answers are text") > 0 {}
        (messages, answers)
    }

    #[test]
    fn whoever_sends_what_is_no_message_hears_of_it() {
        let runtime = super::super::runtime().unwrap();
        for (input, messages, answer) in [
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#.to_owned(), 1, None),
            ("\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\r".into(), 1, None),
            ("not json".into(), 0, None),
            ("[1,2]".into(), 0, None),
            (r#"{"id":7}"#.into(), 0, Some(r#""id":7"#)),
            (r#"{"id":"a","method":3}"#.into(), 0, Some(r#""id":"a""#)),
            (
                format!(r#"{{"id":5,"method":"x","params":{{"id":6,"t":"{}"}}}}"#, "y".repeat(99)),
                0,
                Some(r#""id":5"#),
            ),
            (
                format!(r#"{{"params":["{}"],"id":"z"}}"#, "\\\"}".repeat(99)),
                0,
                Some(r#""id":"z""#),
            ),
            ("x".repeat(999), 0, None),
        ] {
            let (came, answers) = runtime.block_on(exchange(&format!("{input}\n")));
            assert_eq!(came, messages, "{input}");
            assert_eq!(answers.is_empty(), answer.is_none(), "{input}: {answers}");
            assert!(answer.is_none_or(|answer| answers.contains(answer)), "{input}: {answers}");
        }
    }
}
