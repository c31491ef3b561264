//! `homefs resolve`.

use homefs_core::ErrorKind;
use homefs_engine::Side;
use serde_json::json;

use super::remote::advise;
use crate::context::Context;
use crate::error::{Failure, Result};

/// Close a conflict, as it is or with one of its contents
///
/// The file keeps the content that it has unless one side is named; the other stays in history.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The number that `homefs conflicts` shows
    number: String,
    /// Give the file the content of this side
    #[arg(long, conflicts_with = "theirs")]
    ours: bool,
    /// Give the file the content of the other side
    #[arg(long)]
    theirs: bool,
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let take = match (self.ours, self.theirs) {
            (true, _) => Some(Side::Ours),
            (_, true) => Some(Side::Theirs),
            _ => None,
        };
        let number = self.number;
        context.client()?.resolve(&number, take).map_err(|error| match error.kind() {
            ErrorKind::NotFound | ErrorKind::Invalid => {
                Failure::from(error).hint("`homefs conflicts` lists them")
            }
            ErrorKind::Denied => error.into(),
            _ => advise(context, error),
        })?;
        let value = json!({ "number": number, "take": take });
        context.output.changed(&value, format_args!("closed conflict {number}"))
    }
}
