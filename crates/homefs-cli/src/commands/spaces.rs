//! `homefs spaces`.

use homefs_core::{Path, SpaceName};
use homefs_view::{Quota, Right, SpaceInfo};

use crate::context::Context;
use crate::error::Result;
use crate::{json, text};

/// List spaces with what is in them, make shared ones, set quotas
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Spaces>,
}

#[derive(clap::Subcommand)]
enum Spaces {
    /// List the spaces that the agent sees
    List,
    /// Make a shared space, which the agent then manages
    Create {
        /// Its name; it appears at /shared/NAME
        name: String,
    },
    /// Bound what may live in a space; history is not counted
    Quota {
        /// Any path in the space
        #[arg(value_parser = Path::parse)]
        path: Path,
        /// Most bytes; unbounded if not given
        #[arg(long)]
        bytes: Option<u64>,
        /// Most files, directories and links; unbounded if not given
        #[arg(long)]
        nodes: Option<u64>,
    },
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        match self.command.unwrap_or(Spaces::List) {
            Spaces::List => list(context),
            Spaces::Create { name } => {
                // The check names the rules for a space; a path alone would accept more.
                SpaceName::shared(&name)?;
                let path = Path::parse(&format!("/shared/{name}"))?;
                let version = context.client()?.make_dir(&path, false)?;
                context.output.changed(
                    &json::changed(&path, version),
                    format_args!("made {path}; `homefs grant {path} AGENT write` lets others in"),
                )
            }
            Spaces::Quota { path, bytes, nodes } => {
                let version = context.client()?.set_quota(&path, Quota { bytes, nodes })?;
                context.output.changed(
                    &json::changed(&path, version),
                    format_args!("set the quota of {path}"),
                )
            }
        }
    }
}

fn list(context: &Context) -> Result<()> {
    let spaces = context.client()?.spaces()?;
    context.output.listing(&spaces, json::space, row, &[2, 3])
}

fn row(info: &SpaceInfo) -> Vec<String> {
    let bound = |used: String, most: Option<String>| match most {
        Some(most) => format!("{used} of {most}"),
        None => used,
    };
    vec![
        info.path.to_string(),
        info.right.map_or("-", Right::word).into(),
        bound(text::size(info.usage.bytes), info.quota.bytes.map(text::size)),
        bound(
            text::count(info.usage.nodes, "node"),
            info.quota.nodes.map(|nodes| nodes.to_string()),
        ),
    ]
}
