//! The home as the official SDK asks for it.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use homefs_core::{Error, ErrorKind};
use parking_lot::Mutex;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
    Implementation, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, MetaObject,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse,
    ResourceUpdatedNotificationParam, ServerCapabilities, ServerConfig, SubscribeRequestParams,
    SubscriptionFilter, Tool, UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler};
use serde::Serialize;
use serde_json::{Value, json};

use super::call::work;
use super::resources;
use super::subscriptions::{Forwarding, Subscribed};
use super::tools::{self, Answer};
use super::{Home, ToolSet};

/// What a model is told about the home at its start.
const ABOUT: &str = "A home directory that lasts; paths begin at `/`.";
/// What it is told if there are these tools.
const ABOUT_TOOLS: [(ToolSet, &str); 3] = [
    (
        ToolSet::Memory,
        " Begin with `context` to learn what is pinned and what matters. Use `recall` with a \
         question before you answer from memory, and `remember` for what later sessions need.",
    ),
    (
        ToolSet::Files,
        " Use files for everything else; `history` and `restore` bring old contents back. To be \
         sure that nobody else changed a file, give the version that `get_file_info` shows as \
         `expected_version`.",
    ),
    (ToolSet::Shell, " `shell` runs bash on the home: grep, find, sed, jq, recall and more."),
];
/// What it is told if nothing can be changed.
const ABOUT_READING: &str = " It is served read-only: whatever would change it is refused.";

/// Subscriptions that one client may have.
const SUBSCRIPTIONS_MAX: usize = 1000;

/// One client that is served.
pub(super) struct Handler {
    home: Arc<Home>,
    /// The longest answer that its client takes.
    answer_bytes_max: usize,
    /// By address.
    subscriptions: Mutex<HashMap<String, Forwarding>>,
}

impl Handler {
    pub(super) fn new(home: &Arc<Home>, answer_bytes_max: usize) -> Self {
        Self { home: Arc::clone(home), answer_bytes_max, subscriptions: Mutex::default() }
    }

    /// Returns what a model is told at its start.
    fn instructions(&self) -> String {
        let profile = &self.home.profile;
        let tools = ABOUT_TOOLS.iter().filter(|(set, _)| profile.tools.contains(set));
        let reading = if profile.read_only { ABOUT_READING } else { "" };
        let tools: String = tools.map(|(_, about)| *about).collect();
        format!("{ABOUT}{tools}{reading}")
    }

    /// Refuses an answer that its client would not take.
    fn check_length(&self, answer: &impl Serialize) -> homefs_core::Result<()> {
        let mut length = Length(0);
        let told = serde_json::to_writer(&mut length, answer);
        if told.is_ok() && length.0 <= self.answer_bytes_max {
            return Ok(());
        }
        let message = format!(
            "the answer has {} bytes, and a message at most {}: read the file in parts, with \
             offset and limit of read_text_file",
            length.0, self.answer_bytes_max
        );
        Err(Error::new(ErrorKind::LimitExceeded, message))
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_resources_subscribe()
            .build();
        let version = env!("CARGO_PKG_VERSION");
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("homefs", version).with_title("homefs"))
            .with_instructions(self.instructions())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::offered(&self.home.profile)))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::find(name).map(|row| row.shown(&self.home.profile))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let name = &request.name;
        let tool = tools::to_call(name, &self.home.profile)
            .map_err(|why| ErrorData::invalid_params(why, None))?;
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let answer = work(&self.home, &context, move |call| tool.answer(call, arguments)).await?;
        let answer = answer.and_then(|answer| {
            let answered = answered(answer);
            self.check_length(&answered).map(|()| answered)
        });
        Ok(answer.unwrap_or_else(|error| refused(&error)).into())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let after = request.and_then(|request| request.cursor);
        work(&self.home, &context, move |call| resources::list(call.client(), after.as_deref()))
            .await?
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(vec![resources::template()]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri.clone();
        let read = move |call: &super::call::Call| resources::read(call.client(), &uri);
        let found = work(&self.home, &context, read).await??;
        let fits = self.check_length(&found);
        fits.map_err(|error| resources::failed(&error, &request.uri))?;
        Ok(found.into())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let uri = request.uri;
        if self.subscriptions.lock().len() >= SUBSCRIPTIONS_MAX {
            let message = format!("a client has at most {SUBSCRIPTIONS_MAX} subscriptions");
            return Err(ErrorData::invalid_params(message, None));
        }
        let mut subscribed = self.find(&context, vec![uri.clone()]).await?;
        let peer = context.peer.clone();
        let forwarding = Forwarding::start(async move {
            while let Some(changed) = subscribed.changed().await {
                for uri in changed {
                    let updated = ResourceUpdatedNotificationParam::new(uri);
                    if peer.notify_resource_updated(updated).await.is_err() {
                        return;
                    }
                }
            }
        });
        self.subscriptions.lock().insert(uri, forwarding);
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.subscriptions.lock().remove(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let uris = requested.resource_subscriptions.iter().flatten().take(SUBSCRIPTIONS_MAX);
        Some(SubscriptionFilter::builder().resource_subscriptions(uris.cloned()).build())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let uris = context.accepted().resource_subscriptions.clone().unwrap_or_default();
        let mut subscribed = self.find(context.request_context(), uris.clone()).await?;
        // The client was told that it is heard before it was: what changed meanwhile would be lost.
        let mut changed = Some(uris);
        while let Some(uris) = changed {
            for uri in uris {
                if context.sink().notify_resource_updated(uri).await.is_err() {
                    return Ok(());
                }
            }
            changed = tokio::select! {
                changed = subscribed.changed() => changed,
                () = context.cancelled() => None,
            };
        }
        Ok(())
    }
}

impl Handler {
    /// Finds what a client wants to hear of.
    async fn find(
        &self,
        context: &RequestContext<RoleServer>,
        uris: Vec<String>,
    ) -> Result<Subscribed, ErrorData> {
        let home = Arc::clone(&self.home);
        work(&self.home, context, move |_| {
            let places = uris.into_iter().map(|uri| {
                let path = resources::existing(&home.client, &uri)?;
                Ok((uri, path))
            });
            let places = places.collect::<Result<_, ErrorData>>()?;
            home.changes.subscribe(places).map_err(|error| resources::failed(&error, ""))
        })
        .await?
    }
}

/// Counts what is written to it.
struct Length(usize);

impl io::Write for Length {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Makes the result of a tool that did what it was asked. There is no structured content: some
/// clients hand it to the model in place of the text, others both, and it would have to say the
/// text again.
fn answered(answer: Answer) -> CallToolResult {
    let mut result = CallToolResult::success(answer.content);
    if !answer.facts.is_empty() {
        let mut meta = MetaObject::new();
        for (name, fact) in answer.facts {
            meta.0.insert(format!("homefs/{name}"), fact);
        }
        result.meta = Some(meta);
    }
    result
}

/// Makes the result of a tool that failed: the words for the model, the kind for programs.
fn refused(error: &Error) -> CallToolResult {
    let mut result = CallToolResult::error(vec![ContentBlock::text(error.to_string())]);
    let mut meta = MetaObject::new();
    let mut about = json!({ "kind": error.kind().name(), "path": error.path() });
    if let Some(code) = error.code() {
        about["code"] = code.name().into();
    }
    meta.0.insert("homefs/error".into(), about);
    result.meta = Some(meta);
    result
}
