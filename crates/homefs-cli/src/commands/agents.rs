//! `homefs agents`.

use crate::context::Context;
use crate::error::Result;

/// List agents that have a home here; all of them with --operator
#[derive(clap::Args)]
pub(crate) struct Args {}

impl Args {
    #[expect(clippy::unused_self, reason = "every command runs by value of its arguments")]
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let agents = context.client()?.agents()?;
        context.output.listing(
            &agents,
            |agent| serde_json::json!({ "agent": agent }),
            |agent| vec![agent.to_string()],
            &[],
        )
    }
}
