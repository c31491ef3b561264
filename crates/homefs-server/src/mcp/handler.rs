//! The home as the official SDK asks for it.

use std::collections::HashMap;
use std::sync::Arc;

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
use serde_json::{Value, json};

use super::call::work;
use super::resources;
use super::subscriptions::{Forwarding, Subscribed};
use super::tools::{self, Answer};
use super::{Home, Profile};

/// What a model is told about the home at its start.
const INSTRUCTIONS: &str = "A home directory that lasts: files, and memories that can be searched \
by meaning. Begin with `context` to learn what is pinned and what matters. Use `recall` with a \
question before you answer from memory, `remember` for what later sessions need, and files for \
everything else; paths begin at `/`. Every change is kept in the history: `history` and `restore` \
bring old contents back. To be sure that nobody else changed a file, give `expected_version` with \
the version that you saw.";

/// Subscriptions that one client may have.
const SUBSCRIPTIONS_MAX: usize = 1000;

/// One client that is served.
pub(super) struct Handler {
    home: Arc<Home>,
    /// By address.
    subscriptions: Mutex<HashMap<String, Forwarding>>,
}

impl Handler {
    pub(super) fn new(home: &Arc<Home>) -> Self {
        Self { home: Arc::clone(home), subscriptions: Mutex::default() }
    }

    fn reads_only(&self) -> bool {
        self.home.profile == Profile::ReadOnly
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
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let shown = tools::TOOLS.iter().filter(|tool| !(self.reads_only() && tool.changes()));
        Ok(ListToolsResult::with_all_items(shown.map(tools::Row::shown).collect()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::find(name).map(tools::Row::shown)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let name = &request.name;
        let Some(tool) = tools::find(name) else {
            return Err(ErrorData::invalid_params(format!("there is no tool {name:?}"), None));
        };
        if self.reads_only() && tool.changes() {
            let message = format!("{name} changes the home, which is served read-only");
            return Err(ErrorData::invalid_params(message, None));
        }
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let answer = work(&self.home, &context, move |call| (tool.run)(call, arguments)).await?;
        Ok(answer.map_or_else(|error| refused(&error), answered).into())
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
        let read = move |call: &super::call::Call| resources::read(call.client(), &request.uri);
        Ok(work(&self.home, &context, read).await??.into())
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

/// Makes the result of a tool that did what it was asked.
fn answered(answer: Answer) -> CallToolResult {
    let mut result = CallToolResult::success(answer.content);
    result.structured_content = Some(answer.structured);
    result
}

/// Makes the result of a tool that failed: the words for the model, the kind for programs.
fn refused(error: &homefs_core::Error) -> CallToolResult {
    let mut result = CallToolResult::error(vec![ContentBlock::text(error.to_string())]);
    let mut meta = MetaObject::new();
    let about = json!({ "kind": error.kind().name(), "path": error.path() });
    meta.0.insert("homefs/error".into(), about);
    result.meta = Some(meta);
    result
}
