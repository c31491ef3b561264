//! Finding the id of a message that is not kept.

use rmcp::model::RequestId;
use serde_json::Value;

/// An id that is longer is none.
const ID_BYTES_MAX: usize = 256;

/// Looks for the member `id` of an object that goes by, without keeping it.
#[derive(Default)]
pub(super) struct IdFinder {
    depth: usize,
    in_string: bool,
    escaped: bool,
    /// The string or other value that goes by at the top.
    token: Vec<u8>,
    /// The last name of a member at the top, once its colon came.
    is_id: bool,
    id: Option<RequestId>,
}

impl IdFinder {
    /// Takes the next part.
    pub(super) fn feed(&mut self, part: &[u8]) {
        for byte in part {
            self.take(*byte);
        }
    }

    /// Returns what was found.
    pub(super) fn id(self) -> Option<RequestId> {
        self.id
    }

    fn take(&mut self, byte: u8) {
        if self.in_string {
            self.keep(byte);
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
            return;
        }
        match byte {
            b'"' => {
                self.in_string = true;
                self.token.clear();
                self.keep(byte);
            }
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                self.end_value();
                self.depth = self.depth.saturating_sub(1);
            }
            b':' if self.depth == 1 => {
                self.is_id = self.token == b"\"id\"";
                self.token.clear();
            }
            b',' => self.end_value(),
            byte if byte.is_ascii_whitespace() => {}
            byte => self.keep(byte),
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.depth == 1 && self.token.len() < ID_BYTES_MAX {
            self.token.push(byte);
        }
    }

    fn end_value(&mut self) {
        if self.depth == 1 && std::mem::take(&mut self.is_id) {
            let value = serde_json::from_slice::<Value>(&self.token).ok();
            self.id = value.as_ref().and_then(of);
        }
        self.token.clear();
    }
}

/// Reads an id.
pub(super) fn of(value: &Value) -> Option<RequestId> {
    match value {
        Value::String(text) => Some(RequestId::String(text.as_str().into())),
        Value::Number(number) => number.as_i64().map(RequestId::Number),
        _ => None,
    }
}
