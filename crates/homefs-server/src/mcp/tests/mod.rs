//! The server as a client of the official SDK sees it, over a pipe in memory.

mod bad_input;
mod cut;
mod long_calls;
mod memories;
mod official;
mod resources;

use std::future::Future;
use std::sync::Arc;

use homefs_api::{Client, ClientOptions};
use homefs_core::AgentId;
use homefs_view::Who;
use parking_lot::Mutex;
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ProgressNotificationParam,
    ResourceUpdatedNotificationParam, SubscribeRequestParams, UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, RunningService, ServiceError};
use rmcp::{ClientHandler, RoleClient, ServiceExt};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tokio::sync::Notify;

use super::lines::Lines;
use super::{Mcp, Profile};
use crate::stop::Stop;

/// A store, and a client of the protocol that is served one home of it.
struct Rig {
    client: Client,
    peer: RunningService<RoleClient, Ears>,
    heard: Arc<Heard>,
    /// There until the end.
    runtime: Option<Runtime>,
    // Last, so that nobody uses it any more.
    _dir: TempDir,
}

/// What a client hears of without asking.
#[derive(Default)]
struct Heard {
    updated: Mutex<Vec<String>>,
    progress: Mutex<Vec<String>>,
    anything: Notify,
}

#[derive(Clone)]
struct Ears(Arc<Heard>);

impl ClientHandler for Ears {
    async fn on_resource_updated(
        &self,
        updated: ResourceUpdatedNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.0.updated.lock().push(updated.uri);
        self.0.anything.notify_one();
    }

    async fn on_progress(
        &self,
        progress: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.0.progress.lock().push(progress.message.unwrap_or_default());
        self.0.anything.notify_one();
    }
}

fn who(agent: &str) -> Who {
    let agent = AgentId::new(agent).expect("the test's agent is good");
    Who { agent, operator: false, all: false }
}

pub(super) fn open(dir: &TempDir, agent: &str) -> Client {
    Client::open(ClientOptions::new(dir.path(), who(agent))).expect("the store opens")
}

impl Drop for Rig {
    fn drop(&mut self) {
        // A test that leaves a call under way does not wait for it.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Rig {
    fn new() -> Self {
        Self::with(Profile::default())
    }

    fn with(profile: Profile) -> Self {
        let dir = tempfile::tempdir().expect("make a temporary directory");
        let client = open(&dir, "me");
        Self::serving(dir, client, profile)
    }

    /// Serves the home of a client.
    fn serving(dir: TempDir, client: Client, profile: Profile) -> Self {
        let runtime = super::runtime().expect("the runtime starts");
        let heard = Arc::<Heard>::default();
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let mcp = Mcp::new(&client, profile);
        let ears = Ears(Arc::clone(&heard));
        let peer = runtime.block_on(async move {
            let (read, write) = tokio::io::split(ours);
            tokio::spawn(async move { mcp.serve(Lines::new(read, write), &Stop::new()).await });
            ears.serve(theirs).await.expect("the client begins")
        });
        Self { client, peer, heard, runtime: Some(runtime), _dir: dir }
    }

    /// Waits for something.
    fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.as_ref().expect("it is there until the end").block_on(future)
    }

    /// Calls a tool.
    #[expect(clippy::needless_pass_by_value, reason = "tests write the arguments where they call")]
    fn call(&self, name: &str, arguments: Value) -> Result<CallToolResult, ServiceError> {
        let mut call = CallToolRequestParams::new(name.to_owned());
        call.arguments = arguments.as_object().cloned();
        self.wait(self.peer.call_tool(call))
    }

    /// Calls a tool, and returns what it says and whether that is an error.
    fn said(&self, name: &str, arguments: Value) -> (String, bool) {
        let result = self.call(name, arguments).expect("the tool is called");
        let text = result.content.iter().filter_map(|block| block.as_text());
        let text: Vec<&str> = text.map(|text| text.text.as_str()).collect();
        (text.concat(), result.is_error == Some(true))
    }

    /// Calls a tool that must succeed; returns what it says.
    fn ok(&self, name: &str, arguments: Value) -> String {
        let (text, is_error) = self.said(name, arguments);
        assert!(!is_error, "{name}: {text}");
        text
    }

    /// Calls a tool that must succeed; returns what programs see, and the text as `content`.
    fn record(&self, name: &str, arguments: Value) -> Value {
        let result = self.call(name, arguments).expect("the tool is called");
        assert_ne!(result.is_error, Some(true), "{name}: {:?}", result.content);
        assert_eq!(result.structured_content, None, "{name} says something twice");
        let texts = result.content.iter().filter_map(|block| block.as_text());
        let mut record =
            json!({ "content": texts.map(|text| text.text.as_str()).collect::<String>() });
        for (fact, value) in result.meta.map(|meta| meta.0).unwrap_or_default() {
            if let Some(fact) = fact.strip_prefix("homefs/") {
                record[fact] = value;
            }
        }
        record
    }

    /// Calls a tool that must fail; returns what it says.
    fn refused(&self, name: &str, arguments: Value) -> String {
        let (text, is_error) = self.said(name, arguments);
        assert!(is_error, "{name}: {text}");
        text
    }

    /// Subscribes as clients of before 2026-07-28 do; the others are tried with Python's client.
    #[expect(deprecated, reason = "most clients know nothing else yet")]
    fn subscribe(&self, uri: &str) -> Result<(), ServiceError> {
        self.wait(self.peer.subscribe(SubscribeRequestParams::new(uri)))
    }

    #[expect(deprecated, reason = "most clients know nothing else yet")]
    fn unsubscribe(&self, uri: &str) -> Result<(), ServiceError> {
        self.wait(self.peer.unsubscribe(UnsubscribeRequestParams::new(uri)))
    }

    /// Waits until what was heard is as wanted.
    fn hears(&self, wanted: impl Fn(&Heard) -> bool) {
        self.wait(async {
            while !wanted(&self.heard) {
                self.heard.anything.notified().await;
            }
        });
    }
}
