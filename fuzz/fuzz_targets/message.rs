//! Messages of MCP.
#![no_main]

use std::sync::LazyLock;

use homefs_api::{Client, ClientOptions};
use homefs_core::AgentId;
use homefs_view::Who;
use homefs_server::{Mcp, Profile};

/// A home that all runs share.
static MCP: LazyLock<Mcp> = LazyLock::new(|| {
    let dir = tempfile::tempdir().expect("a directory").keep();
    let agent = AgentId::new("me").expect("it is a name");
    let options = ClientOptions::new(&dir, Who { agent, operator: false, all: false });
    Mcp::new(&Client::open(options).expect("the store opens"), Profile::default())
});

libfuzzer_sys::fuzz_target!(|data: &[u8]| homefs_server::fuzzing::messages(&MCP, data));
