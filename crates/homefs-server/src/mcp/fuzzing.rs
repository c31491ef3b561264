//! What the fuzz target of messages calls.

use std::io::Cursor;

use super::lines::Lines;
use super::{ENDING, Mcp, runtime};
use crate::stop::Stop;

/// What a client begins with.
const BEGINNING: &str = concat!(
    r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","#,
    r#""capabilities":{},"clientInfo":{"name":"f","version":"0"}}}"#,
    "\n",
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    "\n",
);

/// Serves a client that sends these lines: after a good beginning, if the first byte is even.
pub fn messages(mcp: &Mcp, data: &[u8]) {
    let Some((kind, data)) = data.split_first() else { return };
    let beginning = if kind % 2 == 0 { BEGINNING } else { "" };
    let sent = Cursor::new([beginning.as_bytes(), data].concat());
    let runtime = runtime().expect("there are threads");
    let lines = Lines::new(sent, tokio::io::sink());
    drop(runtime.block_on(mcp.serve(lines, &Stop::new())));
    runtime.shutdown_timeout(ENDING);
}

#[cfg(test)]
mod tests {
    use super::super::Profile;
    use super::super::tests::open;
    use super::*;

    #[test]
    fn what_was_found_by_fuzzing_is_served() {
        let dir = tempfile::tempdir().expect("a directory");
        let mcp = Mcp::new(&open(&dir, "me"), Profile::default());
        homefs_testkit::replay("message", |data| messages(&mcp, data));
    }
}
