//! `homefs group`.

use homefs_core::AgentId;

use crate::context::Context;
use crate::error::Result;

/// Manage groups of agents; needs --operator
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Group,
}

#[derive(clap::Subcommand)]
enum Group {
    /// List groups and their members
    List,
    /// Make an agent a member of a group
    Add {
        /// The group
        group: AgentId,
        /// The agent
        agent: AgentId,
    },
    /// End an agent's membership of a group
    Remove {
        /// The group
        group: AgentId,
        /// The agent
        agent: AgentId,
    },
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let (client, output) = (context.client()?, &context.output);
        let (group, agent, member) = match self.command {
            Group::List => {
                let groups: Vec<_> = client.groups()?.into_iter().collect();
                return output.listing(
                    &groups,
                    |(group, members)| serde_json::json!({ "group": group, "members": members }),
                    |(group, members)| {
                        let names: Vec<_> = members.iter().map(AgentId::as_str).collect();
                        vec![group.to_string(), names.join(" ")]
                    },
                    &[],
                );
            }
            Group::Add { group, agent } => (group, agent, true),
            Group::Remove { group, agent } => (group, agent, false),
        };
        client.set_member(&group, &agent, member)?;
        let verb = if member { "is now" } else { "is no longer" };
        output.changed(
            &serde_json::json!({ "group": group, "agent": agent, "member": member }),
            format_args!("{agent} {verb} a member of {group}"),
        )
    }
}
