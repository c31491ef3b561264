//! `homefs grant`, `homefs revoke` and `homefs grants`.

use homefs_core::Path;
use homefs_view::{Right, Subject};

use crate::context::Context;
use crate::error::Result;
use crate::{json, text};

/// Let an agent or a group use a part of a shared space
#[derive(clap::Args)]
pub(crate) struct GrantArgs {
    /// Where, such as /shared/market
    #[arg(value_parser = Path::parse)]
    path: Path,
    /// Who: an agent, or a group as group:NAME
    #[arg(value_parser = str::parse::<Subject>)]
    who: Subject,
    /// What; write includes read, manage includes both
    #[arg(value_parser = right)]
    right: Right,
}

/// Take back what was granted
#[derive(clap::Args)]
pub(crate) struct RevokeArgs {
    /// Where
    #[arg(value_parser = Path::parse)]
    path: Path,
    /// Who: an agent, or a group as group:NAME
    #[arg(value_parser = str::parse::<Subject>)]
    who: Subject,
}

/// List who may do what in a space
#[derive(clap::Args)]
pub(crate) struct GrantsArgs {
    /// Where
    #[arg(value_parser = Path::parse, default_value = "/")]
    path: Path,
}

impl GrantArgs {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let version = context.client()?.grant(&self.path, &self.who, self.right)?;
        let (who, right) = (text::subject(&self.who), self.right);
        context.output.changed(
            &json::changed(&self.path, version),
            format_args!("{who} may now {right} {}", self.path),
        )
    }
}

impl RevokeArgs {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let version = context.client()?.revoke(&self.path, &self.who)?;
        context.output.changed(
            &json::changed(&self.path, version),
            format_args!("{} has no grant at {} any more", text::subject(&self.who), self.path),
        )
    }
}

impl GrantsArgs {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let grants = context.client()?.grants(&self.path)?;
        context.output.listing(
            &grants,
            json::grant,
            |grant| {
                vec![
                    grant.prefix.to_string(),
                    text::subject(&grant.subject),
                    grant.right.to_string(),
                ]
            },
            &[],
        )
    }
}

fn right(text: &str) -> Result<Right, &'static str> {
    match text {
        "read" => Ok(Right::Read),
        "write" => Ok(Right::Write),
        "manage" => Ok(Right::Manage),
        _ => Err("a right is read, write or manage"),
    }
}
