//! Owner and clients of one store, in one process and in several.

mod behaviours;
mod child;
mod memory_tool;
mod needs;
mod owners;
mod same;
mod shells;
mod strangers;
mod threads;
mod transfers;

use std::path::Path as HostPath;

use homefs_api::{Client, ClientOptions};
use homefs_core::{AgentId, Path};
use homefs_view::Who;

/// Reads a path that is known to be good.
fn path(text: &str) -> Path {
    Path::parse(text).expect("the test's path is good")
}

/// Returns the agent that tests call for.
fn me() -> Who {
    Who {
        agent: AgentId::new("me").expect("the test's agent is good"),
        operator: false,
        all: false,
    }
}

/// Opens a store as most programs do.
fn open(dir: &HostPath) -> Client {
    Client::open(ClientOptions::new(dir, me())).expect("the store opens")
}

#[test]
fn every_file_here_is_listed() {
    let listed = include_str!("main.rs");
    #[expect(clippy::disallowed_methods, reason = "the test looks at its own sources")]
    let found = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it")).unwrap();
    for entry in found {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let module = name.strip_suffix(".rs").unwrap_or(&name);
        assert!(module == "main" || listed.contains(&format!("mod {module};")), "{name}");
    }
}
